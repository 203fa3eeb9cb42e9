//! The ranks of an MPI job that runs this program: `mpirun -n 4 mcts-wgpu search ...`. They run one task together, and
//! the first one prints the result.

use super::{
    failure::{Failure, Result},
    signals,
};
use crate::{
    engine::{Backend, Engine, find_all},
    ranks::Ranks,
};
use std::{num::NonZeroUsize, sync::OnceLock};

static OF_JOB: OnceLock<Ranks> = OnceLock::new();

/// The ranks of the job; a single one without a job.
pub fn of_job() -> &'static Ranks {
    OF_JOB.get_or_init(Ranks::default)
}

/// Rejects a command that ranks can't run together.
pub fn refuse() -> Result<()> {
    match of_job().size() {
        1 => Ok(()),
        size => Err(Failure::message(format!(
            "{size} ranks of an MPI job can't run this together: start it without mpirun, or use search, rollout, \
             match or tournament"
        ))),
    }
}

/// Whether a signal has arrived at any rank.
pub fn stopped() -> Result<bool> {
    Ok(of_job().any(Ok(signals::arrived().is_some()))?)
}

/// Sends the lines of the first rank to all.
pub fn from_first(lines: Vec<(usize, String)>) -> Result<Vec<(usize, String)>> {
    Ok(of_job().exchange(Ok(lines))?.swap_remove(0))
}

/// A rank's share of its host's cores.
pub fn share_of(cores: NonZeroUsize) -> NonZeroUsize {
    NonZeroUsize::new(cores.get() / of_job().count_on_host()).unwrap_or(NonZeroUsize::MIN)
}

/// The adapter of `auto` for a rank: the best one if it is alone on its host, else the next one of that kind.
pub fn adapter_of(ranks: &Ranks, backend: Option<Backend>) -> crate::error::Result<Engine> {
    if ranks.size() == 1 {
        return Engine::open("auto", backend);
    }
    let found = match find_all("all", backend) {
        Err(error) if backend.is_some() => return Err(error),
        found => found.unwrap_or_default(),
    };
    let usable: Vec<_> = found.iter().filter(|adapter| backend.is_some() || adapter.is_gpu()).collect();
    match ranks.place_on_host().checked_rem(usable.len()) {
        Some(place) => Ok(Engine::devices_of(vec![usable[place].open()?])),
        None => Ok(Engine::cpu()),
    }
}

/// Runs the program, in an MPI job together with the other ranks.
#[cfg(not(feature = "mpi"))]
pub fn among(work: impl FnOnce() -> Result<()> + Send) -> Result<()> {
    work()
}

/// Runs the program, in an MPI job together with the other ranks.
#[cfg(feature = "mpi")]
pub fn among(work: impl FnOnce() -> Result<()> + Send) -> Result<()> {
    job::run(work)
}

/// Start and end of a job.
#[cfg(feature = "mpi")]
mod job {
    use super::*;
    use crate::cli::output::{complain, notice};
    use mpi::Threading;
    use std::{env, process, thread::sleep, time::Duration};

    /// Environment variables of ranks under Open MPI, MPICH and its derivatives, and Slurm.
    const TOLD: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"];
    /// If all ranks have the same error, the first one prints it and ends the others within this time.
    const FIRST_TELLS: Duration = Duration::from_millis(500);
    /// The time until a rank that has failed ends the others.
    const PATIENCE: Duration = Duration::from_secs(5);

    pub fn run(work: impl FnOnce() -> Result<()> + Send) -> Result<()> {
        if TOLD.iter().all(|name| env::var_os(name).is_none()) {
            return work();
        }
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let Some((universe, threading)) = started else {
            return Err(Failure::message("MPI does not start"));
        };
        if threading < Threading::Funneled {
            return Err(Failure::message(
                "this MPI library has no threads: use one with MPI_THREAD_FUNNELED",
            ));
        }
        crate::ranks::mpi::serve(&universe.world(), |ranks| {
            if ranks.size() > 1 {
                OF_JOB.set(ranks).ok();
            }
            end(work())
        })?
    }

    /// A rank that has failed ends the job, since others may wait for it.
    fn end(done: Result<()>) -> Result<()> {
        let ranks = of_job();
        if ranks.size() == 1 {
            return done;
        }
        let code = match done {
            Ok(()) | Err(Failure::Check) => return done,
            Err(Failure::OutputClosed) => 0,
            Err(Failure::Elsewhere) => {
                sleep(PATIENCE);
                2
            }
            Err(Failure::Message(message)) => {
                if ranks.rank() > 0 {
                    sleep(FIRST_TELLS);
                }
                complain(&format!(
                    "error: rank {} on {}: {message}",
                    ranks.rank(),
                    ranks.hosts()[ranks.rank()]
                ));
                2
            }
        };
        crate::protocols::end_all();
        ranks.abort(code);
        notice("error: the MPI job could not be ended");
        process::exit(code)
    }
}
