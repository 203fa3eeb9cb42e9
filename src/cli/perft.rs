//! `mcts-wgpu perft`: counts of positions, by which programs compare their rules.

use super::{
    failure::Result,
    games::{GameOptions, Job},
    output::{print, print_json},
    position::PositionOptions,
};
use crate::rules::{Game, perft};
use clap::Args;
use serde::Serialize;
use std::time::Instant;

/// Count the leaves of the game tree so many plies below a position
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    game: GameOptions,
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

/// Counts them.
pub fn run(arguments: Arguments) -> Result<()> {
    let game = &arguments.game;
    game.apply(Perft(&arguments))
}

struct Perft<'a>(&'a Arguments);

impl Job for Perft<'_> {
    fn run<G: Game>(self, game: G) -> Result<()> {
        let Arguments { position, depth, json, .. } = self.0;
        let position = position.position(&game)?;
        let began = Instant::now();
        let leaves = perft(&position, *depth)?;
        let seconds = began.elapsed().as_secs_f64();
        let count = Count { game: game.name(), depth: *depth, leaves, seconds };
        if *json {
            return print_json(&count);
        }
        print(&format!("{}, depth {depth}: {leaves} leaves in {seconds:.3} s\n", game.name()))
    }
}
