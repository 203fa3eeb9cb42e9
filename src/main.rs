//! The program `mcts-wgpu`: searches, play against the engine, and what is useful around them.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
