//! `mcts-wgpu tournament`: each player against each.

use super::{
    openings,
    play::{PlayOptions, ScoringOptions, merge, play},
    setup::Setup,
    tables::{TableOptions, of_tournament},
};
use crate::{
    cli::{
        failure::{Failure, Result},
        help::OUTPUT,
        output::print_result,
    },
    contest::{GameSchedule, PairStanding, PlayerStanding, Standings, TournamentPart},
    rules::Game,
};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Play a tournament: each player plays each other one
///
/// FILE is TOML: game (and rows, columns, size, freestyle, komi, superko) or game_file, games (of each pair), openings
/// (a file, optional), and a [[player]] for each, with player, a text as for `mcts-wgpu match`, and name. Paths are
/// relative to FILE.
///
/// game = "connect4"
///
/// games = 10
///
/// [[player]]
///
/// name = "vanilla"
///
/// player = "vanilla:time=5"
#[derive(Debug, Args)]
pub struct Arguments {
    /// Tournament
    file: PathBuf,
    /// Play part K of N, as one job of many: give each part its own --log, and combine the logs by --merge
    #[arg(long, value_name = "I/N", value_parser = parse_part, conflicts_with = "merge")]
    part: Option<TournamentPart>,
    /// Play no games, but take those of these logs (and add them to --log, if given)
    #[arg(long, value_name = "LOG", num_args = 1..)]
    merge: Vec<PathBuf>,
    #[command(flatten)]
    scoring: ScoringOptions,
    #[command(flatten)]
    table: TableOptions,
    #[command(flatten)]
    play: PlayOptions,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

fn parse_part(text: &str) -> std::result::Result<TournamentPart, String> {
    let parts =
        text.split_once('/').and_then(|(i, n)| Some((i.parse::<u64>().ok()?, n.parse::<u64>().ok()?)));
    match parts {
        Some((part, of)) if (1..=of).contains(&part) => Ok(TournamentPart { index: part - 1, of }),
        _ => Err("give a part and the number of parts, such as 1/8".into()),
    }
}

/// The JSON output.
#[derive(Debug, Serialize)]
struct Answer {
    game: String,
    games: u64,
    faults: u64,
    players: Vec<PlayerStanding>,
    /// A drawn game of each pair was added, so that ratings are finite.
    with_prior: bool,
    pairs: Vec<PairStanding>,
}

impl Arguments {
    /// Whether games are played, not only read.
    pub fn plays(&self) -> bool {
        self.merge.is_empty()
    }
}

/// Plays the games and prints the table.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { file, part, merge: logs, scoring, table, play: options, json } = arguments;
    let Setup { game, games, openings, players, .. } = Setup::read(file)?;
    let game = game.open(&options.engine)?;
    let openings = openings::read(openings.as_deref(), &game)?;
    let schedule = GameSchedule::new(&game, players, games, openings)
        .map_err(|error| Failure::from(error).of(file.display()))?;
    let schedule = match part {
        Some(part) => schedule.part(*part),
        None => schedule,
    };
    let schedule = scoring.apply(schedule);
    let out = table.open()?;
    let standings = match &logs[..] {
        [] => play(&schedule, options, None)?,
        logs => merge(&schedule, logs, options.log.as_deref())?,
    };
    out.map_or(Ok(()), |out| out.write(standings.markdown()))?;
    let all: Vec<_> = (0..schedule.players.len()).collect();
    print_standings(&game, (&standings, &all), *json)
}

/// Prints the results, with the scores against some opponents, as tables or as JSON.
pub fn print_standings<G: Game>(
    game: &G,
    (standings, opponents): (&Standings, &[usize]),
    json: bool,
) -> Result<()> {
    let (players, with_prior) = standings.players();
    let answer = Answer {
        game: game.name().into(),
        games: standings.games(),
        faults: standings.faults(),
        players,
        with_prior,
        pairs: standings.pairs(),
    };
    print_result(json, &answer, || {
        let head = format!("{}: {} games\n\n", answer.game, answer.games);
        head + &of_tournament(standings, opponents)
    })
}
