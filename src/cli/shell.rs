//! `mcts-wgpu completions` and `mcts-wgpu man`: completions for shells, and manual pages.

use super::{
    failure::{Failure, Result},
    output::print,
};
use clap::{Args, Command};
use clap_complete::Shell;
use std::path::PathBuf;

/// Print a script that completes the program's arguments in a shell
///
/// For bash: mcts-wgpu completions bash > ~/.local/share/bash-completion/completions/mcts-wgpu
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// Shell
    shell: Shell,
}

/// Print the manual page, or write one for each command
#[derive(Debug, Args)]
pub struct ManArguments {
    /// Write mcts-wgpu.1 and a page for each command, such as mcts-wgpu-search.1, to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the script.
pub fn completions(arguments: &CompletionsArguments, mut program: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "mcts-wgpu", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the page, or writes all.
pub fn man(arguments: &ManArguments, program: Command) -> Result<()> {
    if let Some(directory) = &arguments.out {
        return clap_mangen::generate_to(program, directory).map(|_| ()).map_err(|error| {
            Failure::message(format!("--out {} can't be written: {error}", directory.display()))
        });
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(program).render(&mut page).map_err(Failure::message)?;
    print(&String::from_utf8_lossy(&page))
}
