//! `mcts-wgpu check-game`: checks a game file.

use super::{
    board::draw,
    failure::{Failure, Result},
    options::EngineOptions,
    output::{print, print_result},
    progress::Progress,
    shown::without_bar,
};
use crate::{
    conformance::{FileCheck, FileReport},
    exact::rng::Stream,
    game_file::GameFile,
    rules::{Game, Position},
};
use clap::Args;
use serde::Serialize;
use std::{fmt::Write, path::PathBuf};

/// Check a game file: play random games on an adapter, and report violations of the contract
///
/// Reported are games longer than max_plies, ongoing positions without a legal action, invalid outcomes, functions that
/// change data they must not change, playouts that list other actions than the legal ones, and results that differ
/// between schedules and adapters (--adapter all compares those of a kind). Checks that an adapter can't run are listed
/// as not checked.
/// Exit codes: 0 no violation, 1 a violation, 2 the file can't be read or compiled.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Game file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Random games to play
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// First print N of the games, move by move, with boards
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "json")]
    show: u32,
    /// Seed of the first game; each finding has the seed of its game
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    ok: bool,
    #[serde(flatten)]
    report: &'a FileReport,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let engine = arguments.engine.open_for_rules()?;
    let progress = Progress::spinner("compiling the rules");
    let game = GameFile::open(&arguments.file, &engine)?;
    for seed in
        (0..arguments.show.min(arguments.games)).map(|number| arguments.seed.wrapping_add(number.into()))
    {
        let text = random_game(&game, seed);
        without_bar(|| print(&text))?;
    }
    let mut check = FileCheck::default();
    (check.games, check.seed) = (arguments.games, arguments.seed);
    let report = check.run_with(&game, &engine, |stage| progress.stage(&format!("checking: {stage}")))?;
    drop(progress);
    let ok = report.findings.is_empty();
    print_result(arguments.json, &Answer { ok, report: &report }, || text(&report))?;
    if ok { Ok(()) } else { Err(Failure::Check) }
}

/// The random game of a seed, move by move.
fn random_game(game: &GameFile, seed: u64) -> String {
    let (mut position, mut stream) = (Position::start(game), Stream::seeded(seed));
    let mut text = format!("game of seed {seed}\n\n{}", draw(&position));
    while position.outcome().is_none() && position.moves().len() < game.max_plies() as usize {
        let Some(action) = position.random_action(&mut stream) else { break };
        let (number, turn) = (position.moves().len() + 1, position.turn().symbol());
        write!(text, "\n{number}. {turn} plays {}\n", game.action_name(action)).ok();
        if position.play(action).is_err() {
            break;
        }
        text += &draw(&position);
    }
    let end = position.outcome().map_or_else(|| "it does not end".into(), |outcome| outcome.to_string());
    text + &format!("\n{end}\n\n")
}

fn text(report: &FileReport) -> String {
    let found = &report.statistics;
    let mut text = format!("{}, a game of {}\n", report.game, report.file);
    let games = found.games.max(1);
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(games);
    for (what, count) in [("X wins", found.first_wins), ("O wins", found.second_wins), ("draws", found.draws)]
    {
        writeln!(text, "  {what:<11} {count:>7}  {:.1} %", percent(count)).ok();
    }
    for (what, unit, mean, most) in [
        ("length", "plies ", found.mean_length, found.max_length),
        ("branching", "", found.mean_branching, found.max_branching),
    ] {
        writeln!(text, "  {what:<11} {mean:>7.1}  {unit}on average, {most} at most").ok();
    }
    writeln!(text, "  positions   {:>7}  different ones", found.positions).ok();
    if found.constant_words > 0 {
        writeln!(text, "  words       {:>7}  of a position that never changed", found.constant_words).ok();
    }
    if !report.perft.is_empty() {
        let counts: Vec<_> = report.perft.iter().map(u64::to_string).collect();
        writeln!(text, "  perft       {}", counts.join(", ")).ok();
    }
    for notice in &report.notices {
        writeln!(text, "notice: {notice}").ok();
    }
    for what in &report.unchecked {
        writeln!(text, "not checked: {what}").ok();
    }
    for finding in &report.findings {
        writeln!(text, "wrong: {finding}").ok();
    }
    let verdict = match (report.findings.is_empty(), report.unchecked.is_empty()) {
        (true, true) => "no violation",
        (true, false) => "no violation among the checks that were made",
        (false, _) => "the game breaks its contract",
    };
    text + &format!("{games} random games: {verdict}\n")
}
