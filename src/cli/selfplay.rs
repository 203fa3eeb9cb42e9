//! `mcts-wgpu selfplay`: games side by side, and training data for networks.

use super::{
    failure::Result,
    games::GameOptions,
    help::OUTPUT,
    options::{EngineOptions, SettingsOptions, print_idle},
    output::{notice, print_result},
    progress::Progress,
    signals, summary,
};
use crate::selfplay::{self, SelfPlayConfig, SelfPlayTally, Summary};
use clap::Args;
use std::{fmt::Write, path::PathBuf};

/// Play many games side by side, and write training data for networks
///
/// A round is one move in each game: one batch of searches. Games and data depend on the game, the network, the
/// settings and the options only: they are the same on every adapter, and after any interruptions. The same command
/// continues an interrupted run.
///
/// Searches with playouts have the default settings of the CPU engine, and one leaf per step. Full rounds have --steps
/// steps, the others a quarter; training data are the positions of full rounds. In full rounds, searches with networks
/// have a --root-noise of 0.25, unless --gumbel is given.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    pub game: GameOptions,
    /// Games to play
    #[arg(long, value_name = "N")]
    games: u64,
    /// Folder of the run, created if needed: data-*.safetensors, games.jsonl, state.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    config: SelfPlayConfig,
    #[command(flatten)]
    settings: SettingsOptions,
    #[command(flatten)]
    pub engine: EngineOptions,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// Plays the games and prints a summary.
pub fn run(arguments: &Arguments) -> Result<()> {
    let game = arguments.game.open(&arguments.engine)?;
    let config = arguments.config()?;
    config.check(&game)?;
    print_idle("", &config.settings.idle(&game), &game);
    let engine = arguments.engine.open()?;
    let progress = Progress::begin(&engine);
    let summary = selfplay::run(&engine, game, &config, &arguments.out, |now| {
        let share = now.tally.games as f64 / now.of_games as f64;
        progress.at(share, || underway(&now))
    })?;
    drop(progress);
    tell_end(arguments, &summary);
    print_result(arguments.json, &summary, || text(&summary))
}

impl Arguments {
    fn config(&self) -> Result<SelfPlayConfig> {
        let (settings, games) = (self.settings.settings()?, self.games);
        Ok(SelfPlayConfig { settings, games, ..self.config.clone() })
    }
}

fn underway(now: &selfplay::SelfPlayProgress) -> String {
    let selfplay::SelfPlayProgress { tally, rates, .. } = now;
    format!(
        "{} games, {:.1} games/s, {:.0} positions/s, {:.1} plies, {:.1} % X, {:.1} % draws",
        tally.games,
        rates.games_per_second,
        rates.positions_per_second,
        tally.mean_length(),
        percent(tally.first_wins, tally.games),
        percent(tally.draws, tally.games)
    )
}

fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

fn tell_end(arguments: &Arguments, summary: &Summary) {
    let out = arguments.out.display();
    if summary.was_finished {
        notice(&format!("notice: {out} has all of its games; nothing was played"));
    } else {
        signals::tell(&format!("the same command goes on from {out}"));
    }
}

fn text(summary: &Summary) -> String {
    let mut text = summary::engine_line(&summary.engine);
    let Summary { game, net, seed, steps, parallel, rounds, files, tally, mean_length, rates, .. } = summary;
    let by = net.as_ref().map_or("playouts".into(), |net| format!("network {net}"));
    writeln!(text, "self-play: {game} by {by}, {steps} steps, {parallel} games side by side, seed {seed}\n")
        .ok();
    let SelfPlayTally {
        games, first_wins, second_wins, draws, resigned, unresigned, wrong_resignations, ..
    } = tally;
    for (name, count) in [("X wins", first_wins), ("O wins", second_wins), ("draws", draws)] {
        writeln!(text, "  {name:>10} {count:>14}  {:8.4} %", percent(*count, *games)).ok();
    }
    writeln!(text, "\n{games} games in {rounds} rounds, mean length {mean_length:.4}").ok();
    if resigned + unresigned > 0 {
        writeln!(
            text,
            "resigned: {resigned} games; of {unresigned} played on all the same, {wrong_resignations} were not lost"
        )
        .ok();
    }
    writeln!(text, "training data: {} positions in {files} files", tally.rows).ok();
    writeln!(
        text,
        "{:.3} s ({:.3} s of searches), {:.1} games and {:.0} positions per second",
        rates.seconds, rates.search_seconds, rates.games_per_second, rates.positions_per_second
    )
    .ok();
    text
}
