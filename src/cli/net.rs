//! `mcts-wgpu net`: networks.

use super::{
    failure::{Failure, Result},
    games::GameOptions,
    options::EngineOptions,
    output::{OutFile, print, print_result},
    wayland::without_wayland_error,
};
use crate::{
    engine::{Adapter, adapters},
    gpu::network::kernel_of,
    net::{NetKernel, Network, Sizes, Trunk, read_tensors},
    rules::Game,
};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::{fmt::Write as _, path::PathBuf};

/// The greatest size of a file of positions in bytes.
const MOST_BYTES: u64 = 4 << 30;

/// Write random networks, describe a network, and evaluate positions
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Random(RandomArguments),
    Info(InfoArguments),
    Evaluate(EvaluateArguments),
}

/// Write a random network for a game
///
/// Its activations neither vanish nor saturate. Searches are as fast as with a trained network of the same sizes.
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
struct RandomArguments {
    #[command(flatten)]
    game: GameOptions,
    /// Residual blocks, 0 to 64
    #[arg(long, value_name = "N", default_value_t = 6)]
    blocks: u32,
    /// Channels, a multiple of 16 up to 256
    #[arg(long, value_name = "N", default_value_t = 64)]
    channels: u32,
    /// Kind of layers: conv (3 x 3 convolutions) or dense (fully connected)
    #[arg(long, default_value_t = Trunk::Conv)]
    trunk: Trunk,
    /// Seed of its numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// File for the network; an existing file is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Print the game and the sizes of a network, and the kernel by which each adapter evaluates it
#[derive(Debug, Args)]
struct InfoArguments {
    /// Network: a FILE, or the NAME of an included network
    #[arg(value_name = "FILE|NAME")]
    file: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Evaluate positions with a network, on the CPU; every engine has the same outputs
///
/// Reads the tensor planes (U8, 0 or 1; [n, planes, rows, columns], or [n, planes * rows * columns] with a dense trunk)
/// of a file of safetensors. Writes the tensor outputs (I32, [n, actions + 3]): for each position the logits of all
/// actions, then those of a win, a draw and a loss of the player to move. A logit that is greater by 256 means twice
/// the probability.
#[derive(Debug, Args)]
struct EvaluateArguments {
    /// Network: a FILE, or the NAME of an included network
    #[arg(value_name = "FILE|NAME")]
    file: String,
    /// File of positions
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// File for the outputs; an existing file is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Random(arguments) => random(arguments),
        Command::Info(arguments) => info(arguments),
        Command::Evaluate(arguments) => evaluate(arguments),
    }
}

fn random(arguments: &RandomArguments) -> Result<()> {
    let game = arguments.game.open(&EngineOptions::default())?;
    let &RandomArguments { blocks, channels, trunk, seed, ref out, .. } = arguments;
    let network = Network::random(Sizes::of_game(&game, trunk, blocks, channels)?, seed)?;
    OutFile::open("--out", out)?.write(network.to_bytes())?;
    let digest = network.digest();
    print(&format!("network for {} written to {}\ndigest: {digest:016x}\n", game.name(), out.display()))
}

fn evaluate(arguments: &EvaluateArguments) -> Result<()> {
    let EvaluateArguments { file, data, out } = arguments;
    let network = Network::named_or_read(file)?;
    let name = data.display();
    let bytes = read_tensors(data, MOST_BYTES).map_err(|error| Failure::from(error).of(&name))?;
    let outputs = network.evaluate_file(&bytes).map_err(|error| Failure::from(error).of(&name))?;
    OutFile::open("--out", out)?.write(outputs)
}

/// The description of a network.
#[derive(Debug, Serialize)]
struct Info {
    #[serde(flatten)]
    sizes: Sizes,
    bytes: usize,
    digest: String,
    kernels: Vec<Taken>,
}

/// The kernel by which an adapter evaluates the network.
#[derive(Debug, Serialize)]
struct Taken {
    index: usize,
    adapter: String,
    /// `None` if the adapter can't be opened.
    kernel: Option<NetKernel>,
}

fn info(arguments: &InfoArguments) -> Result<()> {
    let network = Network::named_or_read(&arguments.file)?;
    let kernels =
        without_wayland_error(|| adapters(None).iter().map(|adapter| taken(&network, adapter)).collect());
    let (sizes, digest) = (network.sizes().clone(), format!("{:016x}", network.digest()));
    let info = Info { sizes, bytes: network.to_bytes().len(), digest, kernels };
    print_result(arguments.json, &info, || text(&info))
}

fn taken(network: &Network, adapter: &Adapter) -> Taken {
    let device = adapter.open().ok();
    let kernel = device.and_then(|device| kernel_of(network, NetKernel::Auto, device.machine()));
    Taken { index: adapter.info().index, adapter: adapter.info().name.clone(), kernel }
}

fn text(Info { sizes, bytes, digest, kernels }: &Info) -> String {
    let Sizes { game, rows, columns, planes, actions, trunk, blocks, channels, .. } = sizes;
    let Sizes { policy_channels, value_channels, value_hidden, .. } = sizes;
    let mut text = format!(
        "{game} on {rows} x {columns} cells\n  \
           planes    {planes}\n  \
           trunk     {trunk}, {blocks} blocks x {channels} channels\n  \
           policy    {policy_channels} channels, {actions} outputs\n  \
           value     {value_channels} channels, {value_hidden} hidden values\n  \
           bytes     {bytes}\n  \
           digest    {digest}\n"
    );
    for Taken { index, adapter, kernel } in kernels {
        let kernel = kernel.map_or("none: the adapter can't be opened", NetKernel::name);
        writeln!(text, "  kernel    {kernel} (adapter {index}: {adapter})").ok();
    }
    text
}
