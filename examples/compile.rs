use mcts_wgpu::{Config, Game, Variant, games::*, gpu::{self, kernels::Kernels, shaders::*}, reference::Shape};
use std::time::Instant;
fn go<G: Game>(game: &G, variant: Variant) {
    let config = Config::default();
    let shape = Shape { n_trees: 1, first_tree: 0, trees_per_position: 1, capacity: 0, max_actions: game.max_actions(), playouts: config.playouts, parts: 1, state_words: game.state_words(), path_capacity: game.max_plies() + 1, expansion_stride: game.expansion_stride(), variant, ucb_c: 2.0, seed: 0 };
    for a in gpu::adapters(None) {
        let d = a.open().unwrap();
        let w = Widths::staged(&shape, &game.shader(), d.limits());
        let wf = Widths::fused(&shape, &game.shader(), d.limits());
        let t = Instant::now();
        let m = search_module(&game.shader(), &shape, w).unwrap();
        println!("{} {} {:?} {:?} naga {:.3}s {} bytes", a.info().name, game.name(), w, wf, t.elapsed().as_secs_f64(), m.text.len());
        for n in FRAME.iter().chain(&STAGED) {
            let t = Instant::now();
            Kernels::compile(&d, &m, &[n]).unwrap();
            println!("  {n} {:.3}", t.elapsed().as_secs_f64());
        }
        let m = search_module(&game.shader(), &shape, wf).unwrap();
        let t = Instant::now();
        Kernels::compile(&d, &m, &FUSED).unwrap();
        println!("  fused {:.3}", t.elapsed().as_secs_f64());
    }
}
fn main() { go(&Connect4::default(), Variant::ACP_PRODIGAL); go(&Gomoku::default(), Variant::ACP_PRODIGAL); }
