//! The program `mcts-wgpu`: searches, play against the engine, matches, checks and measurements.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcts_wgpu::cli::main()
}
