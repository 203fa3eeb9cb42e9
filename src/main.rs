//! The program `mcts-wgpu`: searches, play against the engine, and what is useful around them.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcts_wgpu::cli::main()
}
