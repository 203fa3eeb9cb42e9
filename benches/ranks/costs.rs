//! The time that ranks take to agree and to gather.

use super::measured::{Costs, Result};
use mcts_wgpu::{Ranks, ranks::mpi::serve};
use mpi::{Threading, traits::*};
use std::time::{Duration, Instant};

/// Calls of a measurement, and measurements, of which the best one counts: other programs may use the processors, too.
const CALLS: u32 = 300;
const TIMES: u32 = 9;

fn best(ranks: &Ranks, call: impl Fn() -> mcts_wgpu::Result<()>) -> mcts_wgpu::Result<f64> {
    let mut best = Duration::MAX;
    for _ in 0..TIMES {
        ranks.any(Ok(false))?;
        let began = Instant::now();
        (0..CALLS).try_for_each(|_| call())?;
        best = best.min(began.elapsed() / CALLS);
    }
    Ok(1e6 * best.as_secs_f64())
}

fn measure(ranks: &Ranks) -> mcts_wgpu::Result<Costs> {
    let gather = |bytes| best(ranks, || ranks.share(Ok(vec![0; bytes])).map(drop));
    Ok(Costs {
        ranks: ranks.size() as u32,
        agree_us: best(ranks, || ranks.any(Ok(false)).map(drop))?,
        gather_72_us: gather(72)?,
        gather_4608_us: gather(4608)?,
    })
}

/// Measures over the ranks of this job; the first rank prints the result.
pub fn print_costs(text: impl Fn(&Costs) -> Result<String>) -> Result<()> {
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).ok_or("MPI does not start")?;
    let world = universe.world();
    let costs = serve(&world, |ranks| measure(&ranks))??;
    if world.rank() == 0 {
        println!("{}", text(&costs)?);
    }
    Ok(())
}

pub fn in_words(costs: &Costs) -> Result<String> {
    let Costs { ranks, agree_us, gather_72_us, gather_4608_us } = costs;
    Ok(format!(
        "{ranks} ranks: {agree_us:.1} us to agree, {gather_72_us:.1} us to gather 72 bytes of each, \
         {gather_4608_us:.1} us to gather 4608"
    ))
}

/// For `--scaling`.
pub fn as_json(costs: &Costs) -> Result<String> {
    Ok(serde_json::to_string(costs)?)
}
