//! `mcts-wgpu rollout`: results of many random games from a position.

use super::{
    failure::{Failure, Result},
    games::GameOptions,
    help::OUTPUT,
    options::{EngineOptions, PolicyOptions, duration},
    output::print_result,
    position::PositionOptions,
    progress::{self, Progress},
    ranks, signals, summary,
};
use crate::{
    engine::Engine,
    rollout::{RolloutConfig, RolloutReport, Rollouts},
    rules::{Game, Position},
};
use clap::Args;
use std::{fmt::Write, time::Duration};

/// Default time, without a number of games.
const TIME: Duration = Duration::from_secs(2);

/// Play many random games from a position, and count the outcomes
///
/// The random numbers of a game depend on --seed and the number of the game only: with --games, the counts are the same
/// on every adapter and on the CPU.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    pub game: GameOptions,
    #[command(flatten)]
    position: PositionOptions,
    /// Games to play; the counts are then reproducible [default: as many as --time allows]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// End after SECONDS [default: 2, unless --games is given]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    #[command(flatten)]
    policy: PolicyOptions,
    #[command(flatten)]
    config: RolloutConfig,
    #[command(flatten)]
    pub engine: EngineOptions,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// Plays the games and prints the counts.
pub fn run(arguments: &Arguments) -> Result<()> {
    let game = arguments.game.open(&arguments.engine)?;
    let game = arguments.policy.apply(game)?;
    let position = arguments.position.ongoing(&game, "nothing to play")?;
    Failure::refuse_0("--games", arguments.games.unwrap_or(1))?;
    let time = arguments.time()?;
    arguments.config.validate_for(&game)?;
    let report = play(arguments, &arguments.engine.open()?.over(ranks::of_job()), &position, time)?;
    print_result(arguments.json, &report, || text(&report) + &owners(&position, &report))
}

impl Arguments {
    fn time(&self) -> Result<Option<Duration>> {
        match self.time {
            Some(seconds) => duration("--time", seconds).map(Some),
            None => Ok(self.games.is_none().then_some(TIME)),
        }
    }
}

fn play<G: Game>(
    arguments: &Arguments,
    engine: &Engine,
    position: &Position<G>,
    time: Option<Duration>,
) -> Result<RolloutReport> {
    let progress = Progress::begin(engine);
    let mut rollouts = Rollouts::new(engine, position.game().clone(), arguments.config.clone())?;
    let report = rollouts.run_with(position, arguments.games.unwrap_or(u64::MAX), time, |now| {
        let share = progress::share(now.games, now.of_games, now.elapsed, now.of_time);
        progress.at(share, || format!("{} games, {:.1} s", now.games, now.elapsed.as_secs_f64()))
    })?;
    drop(progress);
    signals::tell("these are the games so far");
    Ok(report)
}

fn text(report: &RolloutReport) -> String {
    let mut text = summary::engine_line(&report.engine);
    let RolloutReport { game, policy, mapping, games, .. } = report;
    writeln!(text, "rollouts: {game}, {policy} policy, {mapping} mapping, {games} games\n").ok();
    let counts = [
        ("X wins", report.first_wins),
        ("O wins", report.second_wins),
        ("draws", report.draws),
        ("unfinished", report.unfinished),
    ];
    for (name, count) in counts {
        writeln!(text, "  {name:>10} {count:>14}  {:8.4} %", 100.0 * count as f64 / *games as f64).ok();
    }
    let score = report.mean_score.map_or(String::new(), |score| format!(", mean score of X {score:.4}"));
    writeln!(text, "\nmean length {:.4}{score}", report.mean_length).ok();
    writeln!(text, "{:.3} s, {:.0} games per second", report.seconds, report.games_per_second).ok();
    text
}

/// The board with the ownership of each point, in percent.
fn owners<G: Game>(position: &Position<G>, report: &RolloutReport) -> String {
    let Some(owners) = &report.owners else { return String::new() };
    let rows = position.game().board_rows(position.state());
    let columns = rows.first().map_or(1, |row| row.chars().count());
    let mut text = "\nowners of points at the end, from 100 (always X) to -100 (always O)\n\n".to_owned();
    for row in owners.chunks(columns.max(1)).rev() {
        for &sum in row {
            write!(text, "{:5.0}", 100.0 * sum as f64 / report.games as f64).ok();
        }
        text.push('\n');
    }
    text
}
