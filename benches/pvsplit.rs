//! PV-Split against the sequential search, depth by depth from the paper's start (Black on the centre):
//! `cargo bench --bench pvsplit -- [SIZE DEPTH [WORKERS [ADAPTER]]]`. Each engine searches a depth after the other;
//! the speed-up is that of the whole search up to that depth.

use mcts_wgpu::internals::device::adapters;
use mcts_wgpu::pvsplit::{GoBoard, PvSplit, SplitLimit, sequential};
use mcts_wgpu::{Game, games::Go};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let number = |at: usize, default: u32| arguments.get(at).map_or(Ok(default), |a| a.parse());
    let (size, depth) = (number(0, 9)?, number(1, 4)?);
    let workers = arguments.get(2).map(|a| a.parse()).transpose()?;
    let adapter = adapters::find(arguments.get(3).map_or("auto", String::as_str), None)?;
    let (game, board) = (Go::new(size, 0.0)?, GoBoard::centre(size)?);

    let mut gpu = PvSplit::new(&adapter.open()?, &board, depth, workers)?;
    gpu.run(&board, SplitLimit::depth(depth.min(3)))?;
    let split = gpu.run(&board, SplitLimit::depth(depth))?;
    let sequential = sequential(&board, SplitLimit::depth(depth))?;

    println!("{size}x{size} on {}", adapter.info().name);
    println!(
        "depth  score  best   cpu nodes     cpu s   gpu nodes     gpu s  speed-up  (of this depth alone)"
    );
    let (mut cpu_seconds, mut gpu_seconds) = (0.0, 0.0);
    for (c, g) in sequential.per_depth.iter().zip(&split.per_depth) {
        cpu_seconds += c.seconds;
        gpu_seconds += g.seconds;
        println!(
            "{:5} {:6} {:>5} {:11} {:9.4} {:11} {:9.4} {:9.2}  {:.2}{}",
            c.depth,
            g.score,
            g.principal_variation.first().map_or(String::new(), |&mv| game.action_name(mv.into())),
            c.nodes,
            cpu_seconds,
            g.nodes,
            gpu_seconds,
            cpu_seconds / gpu_seconds,
            c.seconds / g.seconds,
            if c.score == g.score { "" } else { "  SCORES DIFFER" },
        );
    }
    if let Some(w) = split.workers {
        println!(
            "{} workers of {} bytes, busy {:.1}%, {} subtrees, {} submissions",
            w.count,
            w.bytes,
            100.0 * w.busy,
            w.subtrees,
            w.submissions
        );
    }
    Ok(())
}
