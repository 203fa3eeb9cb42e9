use mcts_wgpu::games::*;
use mcts_wgpu::*;
use std::time::Instant;
fn go<G: Game>(game: &G, variant: Variant, steps: u64) {
    for a in gpu::adapters(None) {
        for schedule in [Schedule::Staged, Schedule::Fused] {
            let engine = Engine::devices_of(vec![a.open().unwrap()]);
            let t = Instant::now();
            let config = Config { variant, schedule, memory: 100 << 20, ..Config::default() };
            let mut s = Search::new(&engine, game.clone(), config).unwrap();
            let t1 = t.elapsed().as_secs_f64();
            for _ in 0..2 {
                let t = Instant::now();
                let r = s.run(&Position::start(game), Budget::steps(steps)).unwrap();
                println!(
                    "{} {:?} {} {} {} new {:.2}s run {:.2}s {} steps/s {:.2} Mp/s {} {:?}",
                    a.info().name,
                    a.info().backend,
                    game.name(),
                    variant.name(),
                    schedule.name(),
                    t1,
                    t.elapsed().as_secs_f64(),
                    r.performance.steps_per_second as u64,
                    r.performance.playouts_per_second / 1e6,
                    r.fingerprint,
                    r.performance.times_ms
                );
            }
        }
    }
}
fn main() {
    go(&Connect4::default(), Variant::OCP_PRODIGAL, 200);
    go(&Connect4::default(), Variant::ACP_THRIFTY, 200);
    go(&Gomoku::default(), Variant::OCP_PRODIGAL, 20);
    go(&Gomoku::default(), Variant::ACP_PRODIGAL, 4);
}
