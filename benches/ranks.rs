//! What ranks wait for when they agree and when they gather: `cargo bench --features mpi --bench ranks --no-run`, then
//! `mpirun -n 2` with the program that cargo names.

use mcts_wgpu::{Ranks, Result, ranks::mpi::serve};
use mpi::{Threading, traits::*};
use std::time::{Duration, Instant};

/// Calls of one measurement, and how many of these the best one is told of: others may use the processors, too.
const CALLS: u32 = 300;
const TIMES: u32 = 9;

fn best(ranks: &Ranks, call: impl Fn() -> Result<()>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..TIMES {
        // All begin together.
        ranks.any(Ok(false))?;
        let began = Instant::now();
        (0..CALLS).try_for_each(|_| call())?;
        best = best.min(began.elapsed() / CALLS);
    }
    Ok(best)
}

fn main() {
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).expect("MPI starts");
    let measured = serve(&universe.world(), |ranks| {
        let gather = |bytes| best(&ranks, || ranks.share(Ok(vec![0; bytes])).map(drop));
        Ok::<_, mcts_wgpu::Error>((
            best(&ranks, || ranks.any(Ok(false)).map(drop))?,
            gather(72)?,
            gather(4608)?,
        ))
    });
    let (agree, one, many) = measured.and_then(|measured| measured).expect("all ranks measure");
    let world = universe.world();
    if world.rank() == 0 {
        let us = |time: Duration| 1e6 * time.as_secs_f64();
        println!(
            "{} ranks: {:.1} us to agree, {:.1} us to gather 72 bytes of each, {:.1} us to gather 4608",
            world.size(),
            us(agree),
            us(one),
            us(many)
        );
    }
}
