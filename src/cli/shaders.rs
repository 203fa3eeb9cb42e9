//! `mcts-wgpu shaders`: the shader modules of a game.

use super::{
    failure::Result,
    games::GameOptions,
    options::{EngineOptions, PolicyOptions},
    output::{create_folder, print, write_file},
};
use crate::{forest::Config, modules::modules, rules::Game};
use clap::Args;
use std::path::PathBuf;

/// Write all shader modules of a game as WGSL, for bug reports and other compilers
///
/// Modules depend on the variant and the schedule of a search, and on the adapter; the names of the files show which.
/// They are written for a GPU with WebGPU's default limits (default-limits), a large GPU (large-limits: 1,024
/// invocations and 48 KiB of memory per workgroup), and a software adapter. No adapter is needed.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    pub game: GameOptions,
    /// Folder for the files; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    policy: PolicyOptions,
    /// Independent trees
    #[arg(long, default_value_t = 8)]
    trees: u32,
    /// Playouts per node, a power of two up to 512
    #[arg(long, default_value_t = 128)]
    playouts: u32,
}

/// Writes the modules.
pub fn run(arguments: &Arguments) -> Result<()> {
    let game = arguments.game.open(&EngineOptions::default())?;
    let &Arguments { trees, playouts, ref out, ref policy, .. } = arguments;
    let game = policy.apply(game)?;
    let config = Config { trees, playouts, ..Config::paper() };
    config.validate()?;
    create_folder(out)?;
    let modules = modules(&game, &config)?;
    for module in &modules {
        write_file(&out.join(format!("{}.wgsl", module.name)), module.composed.text())?;
    }
    print(&format!("{} modules of {} written to {}\n", modules.len(), game.name(), out.display()))
}
