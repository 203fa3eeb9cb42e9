//! `mcts-wgpu gomocup`: a Gomoku program for tournament managers.

use super::{
    failure::{Failure, Result},
    gtp::ServerOptions,
};
use crate::{games::Gomoku, protocols::GomocupServer};
use clap::Args;
use std::io::{stdin, stdout};

/// Speak the Gomocup protocol on standard input and output
///
/// For Piskvork and other managers: freestyle and exactly five, with 5 to 22 rows and columns. A move takes --time or
/// --steps, unless the manager sets limits by INFO.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    server: ServerOptions,
}

/// Answers commands until `END`.
pub fn run(arguments: &Arguments) -> Result<()> {
    let brain = arguments.server.brain(&Gomoku::default().with_freestyle(true).into())?;
    let mut server = GomocupServer::new(brain);
    server.serve(stdin(), &mut stdout().lock()).map_err(|error| Failure::output(&error))
}
