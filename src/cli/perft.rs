//! `mcts-wgpu perft`: counts leaves of the game tree, to compare rules with other programs.

use super::{
    failure::Result, games::GameOptions, options::EngineOptions, output::print_result,
    position::PositionOptions,
};
use crate::rules::{Game, perft};
use clap::Args;
use serde::Serialize;
use std::time::Instant;

/// Count the leaves of the game tree at a depth below a position
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    pub game: GameOptions,
    #[command(flatten)]
    position: PositionOptions,
    /// Plies
    #[arg(long)]
    depth: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Count<'a> {
    game: &'a str,
    depth: u32,
    leaves: u64,
    seconds: f64,
}

/// Counts the leaves.
pub fn run(arguments: &Arguments) -> Result<()> {
    let game = arguments.game.open(&EngineOptions::default())?;
    let Arguments { position, depth, json, .. } = arguments;
    let position = position.position(&game)?;
    let began = Instant::now();
    let leaves = perft(&position, *depth)?;
    let seconds = began.elapsed().as_secs_f64();
    let count = Count { game: game.name(), depth: *depth, leaves, seconds };
    print_result(*json, &count, || {
        format!("{}, depth {depth}: {leaves} leaves in {seconds:.3} s\n", game.name())
    })
}
