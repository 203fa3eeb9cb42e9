//! `mcts-wgpu match`: games between two players.

use super::{
    openings,
    play::{PlayOptions, ScoringOptions, play, sprt_state},
    tables::{TableOptions, of_match},
};
use crate::{
    cli::{
        failure::{Failure, Result},
        games::GameOptions,
        help::{OUTPUT, POSITION},
        output::print_result,
    },
    contest::{
        Entrant, GameSchedule, PairStanding, Spec,
        stats::{Sprt, SprtState, Verdict},
    },
    rules::Game,
};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Play a match between two players
///
/// Sides alternate, and A begins. A win counts 1, a draw 1/2. A player that fails or makes an illegal move loses the
/// game by fault, and the match goes on. A player that can't begin a game is an error before the first game.
///
/// Players are NAME or NAME:key=value,...
///
/// vanilla: MCTS on one core, one tree, one playout per step; time, steps, ucb_c, seed, policy, draw_value.
///
/// ocp-thrifty, ocp-prodigal, acp-thrifty, acp-prodigal, default: a search on an engine; time, steps, adapter, the
/// settings of `search` (trees, playouts, leaf_batch, ucb_c, prior_visits, rave, reuse, ...), original, resign (if the
/// best move's q is below this in two consecutive moves; 0: never; default: 0.03 in Go, else 0).
///
/// pvsplit: alpha-beta (connect4, othello, go); depth, time, adapter.
///
/// random: random legal moves; seed.
///
/// gtp:COMMAND, gomocup:COMMAND: another program.
///
/// Without time (in seconds) and steps, a player takes 5 seconds per move. Game k has seed + k; without time limits, a
/// match is the same on every machine.
#[derive(Debug, Args)]
#[command(
    allow_negative_numbers = true,
    mut_arg("game", |game| game.long("game").help_heading(POSITION).display_order(0))
)]
pub struct Arguments {
    /// Player who begins the first game
    a: Spec,
    /// Opponent
    b: Spec,
    #[command(flatten)]
    pub game: GameOptions,
    /// Games to play
    #[arg(long, value_name = "N")]
    games: u64,
    /// File of openings, one a line, such as 3,2,3; each is played twice, with sides changed
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// End the match when a sequential test decides between E0 and E1 Elo for A, with error rates of 5 %
    #[arg(long, value_name = "E0,E1", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    #[command(flatten)]
    scoring: ScoringOptions,
    #[command(flatten)]
    table: TableOptions,
    #[command(flatten)]
    pub play: PlayOptions,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

fn parse_sprt(text: &str) -> std::result::Result<Sprt, String> {
    let parts =
        text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    let (elo0, elo1) = parts.ok_or("give two differences in Elo, such as 0,20")?;
    Sprt::new(elo0, elo1).map_err(|error| error.to_string())
}

/// The JSON output.
#[derive(Debug, Serialize)]
struct Answer {
    game: String,
    #[serde(flatten)]
    pair: PairStanding,
    faults: u64,
    sprt: Option<SprtState>,
}

impl Arguments {
    /// Both players, with different names.
    fn players(&self) -> Vec<Entrant> {
        let (a, b) = (self.a.clone(), self.b.clone());
        let second = if a.text() == b.text() { format!("{b} (2)") } else { b.text().into() };
        vec![Entrant { name: a.text().into(), spec: a }, Entrant { name: second, spec: b }]
    }
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let game = arguments.game.open(&arguments.play.engine)?;
    Failure::refuse_0("--games", arguments.games)?;
    let openings = openings::read(arguments.openings.as_deref(), &game)?;
    let schedule = GameSchedule::new(&game, arguments.players(), arguments.games, openings)?;
    let schedule = arguments.scoring.apply(schedule);
    let out = arguments.table.open()?;
    let standings = play(&schedule, &arguments.play, arguments.sprt)?;
    out.map_or(Ok(()), |out| out.write(standings.markdown()))?;
    let sprt = arguments.sprt.map(|sprt| sprt_state(sprt, &standings));
    let (pair, faults) = (standings.pair(0, 1), standings.faults());
    let answer = Answer { game: game.name().into(), pair, faults, sprt };
    print_result(arguments.json, &answer, || {
        let head = format!("{}: {} games\n\n", game.name(), answer.pair.games);
        let test = answer.sprt.as_ref().map_or(String::new(), sprt_line);
        head + &of_match(&standings) + &test
    })
}

fn sprt_line(state: &SprtState) -> String {
    let SprtState { of, llr, lower, upper, verdict, .. } = state;
    let decided = match verdict {
        None => "undecided".into(),
        Some(Verdict::Elo0) => format!("A is not stronger by {} Elo", of.elo1),
        Some(Verdict::Elo1) => format!("A is stronger by more than {} Elo", of.elo0),
    };
    format!("SPRT of {} against {} Elo: {llr:+.2} ({lower:.2}, {upper:.2}), {decided}\n", of.elo0, of.elo1)
}
