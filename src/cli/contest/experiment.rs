//! `mcts-wgpu experiment`: the experiments of the paper.

use super::{
    play::{PlayOptions, play, spoken},
    tournament,
};
use crate::{
    any_game::{AnyGame, BoardOptions},
    cli::{
        failure::{Failure, Result},
        games::GameOptions,
        help::name_of,
        output::{OutFile, create_folder, print},
        plot::plot,
    },
    contest::{Entrant, GameSchedule, Spec},
    forest::Variant,
    rules::Game,
};
use clap::{Args, ValueEnum};
use std::{fmt::Write, path::PathBuf};

/// Run an experiment of the paper: play, print the table, draw the figures
///
/// connect4-grid: searches of each variant with every number of trees and playouts, 1 second per move, each against
/// vanilla MCTS on one core with 5 seconds per move.
///
/// connect4-tournament: vanilla and the best search of each variant (4 trees; 128 playouts for ocp-thrifty, 256 for the
/// others), each against each, 5 seconds per move.
///
/// gomoku-tournament: the same on a board of 15 x 15, 30 seconds per move.
///
/// Pairs play 100 games; searches have C = 2 and --original. This takes days: --scale shortens all times, --games the
/// matches. Ctrl-C ends the experiment; the same command continues it.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Experiment
    #[arg(value_enum, ignore_case = true)]
    experiment: Experiment,
    /// Multiply all times by X
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    scale: f64,
    /// Games of each pair
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u64,
    /// Numbers of trees of the grid, separated by commas [default: 1,2,4,8]
    #[arg(long, value_name = "T", value_delimiter = ',')]
    trees: Vec<u32>,
    /// Numbers of playouts of the grid, separated by commas [default: 32,64,128,256]
    #[arg(long, value_name = "M", value_delimiter = ',')]
    playouts: Vec<u32>,
    /// Folder for the figures, the table (standings.md) and, without --log, the log (games.jsonl) [default: the
    /// experiment's name]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// List the players and the estimated time, and play no games
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    play: PlayOptions,
    /// Print JSON, and draw no figures
    #[arg(long, conflicts_with = "dry_run")]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Experiment {
    Connect4Grid,
    Connect4Tournament,
    GomokuTournament,
}

const TREES: [u32; 4] = [1, 2, 4, 8];
const PLAYOUTS: [u32; 4] = [32, 64, 128, 256];
/// Moves of a typical game, for estimates of time: about the same for both games.
const USUAL_MOVES: f64 = 30.0;
const LOG: &str = "games.jsonl";
const TABLE: &str = "standings.md";

impl Experiment {
    fn game(self) -> GameOptions {
        let name = if self == Self::GomokuTournament { "gomoku" } else { "connect4" };
        GameOptions::of(name.into(), BoardOptions::default())
    }

    /// Seconds per move: of vanilla MCTS, and of the searches.
    fn seconds(self) -> [f64; 2] {
        match self {
            Self::Connect4Grid => [5.0, 1.0],
            Self::Connect4Tournament => [5.0, 5.0],
            Self::GomokuTournament => [30.0, 30.0],
        }
    }
}

/// Checks the options, plays the games, and draws the figures.
pub fn run(mut arguments: Arguments) -> Result<()> {
    arguments.check()?;
    let experiment = arguments.experiment;
    let out = arguments.out.get_or_insert_with(|| name_of(&experiment).into()).clone();
    let log = arguments.play.log.get_or_insert_with(|| out.join(LOG)).clone();
    if !arguments.dry_run {
        create_folder(&out)?;
    }
    arguments.play(&experiment.game().open(&arguments.play.engine)?)?;
    if arguments.dry_run || arguments.json {
        return Ok(());
    }
    // A grid has many pairs: one game is drawn.
    let game = (experiment == Experiment::Connect4Grid).then_some(0);
    print("\n")?;
    plot(&[log], &out, game)
}

impl Arguments {
    fn check(&self) -> Result<()> {
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(Failure::message(format!(
                "--scale {}: give a positive number, such as 0.1",
                self.scale
            )));
        }
        Failure::refuse_0("--games", self.games)?;
        let of_grid = [("trees", &self.trees), ("playouts", &self.playouts)];
        let given = of_grid.iter().find(|(_, values)| !values.is_empty());
        match given {
            Some((option, _)) if self.experiment != Experiment::Connect4Grid => {
                Err(Failure::message(format!(
                    "--{option} is an option of connect4-grid, not of {}: leave it out",
                    name_of(&self.experiment)
                )))
            }
            _ => Ok(()),
        }
    }

    /// The players; vanilla MCTS first.
    fn players(&self) -> Result<Vec<Entrant>> {
        let [vanilla, search] = self.experiment.seconds().map(|seconds| rounded(seconds * self.scale));
        let mut texts = vec![format!("vanilla:c=2,time={vanilla}")];
        for variant in Variant::ALL {
            for (trees, playouts) in self.shapes(variant) {
                texts
                    .push(format!("{variant}:original=true,trees={trees},playouts={playouts},time={search}"));
            }
        }
        let entrant = |text: String| Ok(Entrant { spec: text.parse::<Spec>()?, name: text });
        texts.into_iter().map(entrant).collect()
    }

    /// Trees and playouts of a variant's searches.
    fn shapes(&self, variant: Variant) -> Vec<(u32, u32)> {
        if self.experiment != Experiment::Connect4Grid {
            return vec![(4, if variant == Variant::OCP_THRIFTY { 128 } else { 256 })];
        }
        let or =
            |given: &Vec<u32>, usual: [u32; 4]| if given.is_empty() { usual.to_vec() } else { given.clone() };
        let (trees, playouts) = (or(&self.trees, TREES), or(&self.playouts, PLAYOUTS));
        trees.iter().flat_map(|trees| playouts.iter().map(|playouts| (*trees, *playouts))).collect()
    }

    /// Seconds of a typical game of a pair, in which both sides make half of the moves.
    fn usual_seconds(&self, [a, _]: [usize; 2]) -> f64 {
        let [vanilla, search] = self.experiment.seconds();
        let first = if a == 0 { vanilla } else { search };
        USUAL_MOVES / 2.0 * (first + search) * self.scale
    }
}

/// Removes rounding errors of a product.
fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.9}").parse().unwrap_or(seconds)
}

impl Arguments {
    fn play(&self, game: &AnyGame) -> Result<()> {
        let schedule = GameSchedule::new(game, self.players()?, self.games, Vec::new())?;
        let schedule = match self.experiment {
            Experiment::Connect4Grid => schedule.with_first_alone(),
            _ => schedule,
        };
        if self.dry_run {
            return print(&listed(self, &schedule));
        }
        let standings = play(&schedule, &self.play, None)?;
        let opponents: Vec<_> = match self.experiment {
            Experiment::Connect4Grid => vec![0],
            _ => (0..schedule.players.len()).collect(),
        };
        if let Some(out) = &self.out {
            OutFile::open("--out", &out.join(TABLE))?.write(standings.markdown_against(&opponents))?;
        }
        tournament::print_standings(game, (&standings, &opponents), self.json)
    }
}

/// The players and the estimated time, as text.
fn listed<G: Game>(arguments: &Arguments, schedule: &GameSchedule<G>) -> String {
    let mut text = String::new();
    for player in &schedule.players {
        _ = writeln!(text, "{}", player.name);
    }
    let games = arguments.games as f64;
    let seconds: f64 = schedule.pairs().iter().map(|pair| games * arguments.usual_seconds(*pair)).sum();
    _ = writeln!(
        text,
        "\n{} pairs, {} games, about {} with {USUAL_MOVES} moves per game",
        schedule.pairs().len(),
        schedule.len(),
        spoken(seconds)
    );
    text
}
