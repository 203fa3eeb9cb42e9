//! Ranks of an MPI job, through the crate [`mpi`]: for programs of one's own, and for `mpirun mcts-wgpu`.
//!
//! ```no_run
//! use mcts_wgpu::{Budget, Config, Engine, Position, Search, games::Connect4, ranks};
//! use mpi::{Threading, traits::*};
//!
//! let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).expect("MPI starts");
//! let world = universe.world();
//! let report = ranks::mpi::serve(&world, |ranks| {
//!     let game = Connect4::default();
//!     let engine = Engine::auto().over(&ranks);
//!     let mut search = Search::with_config(&engine, game.clone(), Config { trees: 64, ..Config::paper() })?;
//!     search.run(&Position::start(&game), Budget::steps(1000))
//! })??;
//! if world.rank() == 0 {
//!     println!("{report}");
//! }
//! # Ok::<(), mcts_wgpu::Error>(())
//! ```

use super::{Communicator, Ranks};
use crate::{
    error::{Error, Result},
    host::locked,
};
use mpi::{
    Count,
    collective::SystemOperation,
    datatype::PartitionMut,
    topology::SimpleCommunicator,
    traits::{Communicator as _, CommunicatorCollectives, Destination, MatchedReceiveVec, Source},
};
use std::{
    sync::{
        Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// Bytes of one MPI call, whose counts are 32-bit words.
const MOST_BYTES: usize = 1 << 30;
/// The exit code of a job in which a rank has panicked, as that of a Rust program.
const PANICKED: i32 = 101;

/// Runs work on a thread of its own, while this thread makes its MPI calls: `Threading::Funneled` suffices. All ranks
/// of the communicator call this together. It is duplicated, so that the job's other messages are not affected. If the
/// work panics on a rank, `MPI_Abort` ends the job.
///
/// # Errors
/// Where no thread can be started.
pub fn serve<T: Send>(
    communicator: &impl mpi::traits::Communicator,
    work: impl FnOnce(Ranks) -> T + Send,
) -> Result<T> {
    let own = communicator.duplicate();
    let (sender, requests) = channel();
    let end = AtEnd(sender.clone());
    let client = Client {
        rank: own.rank() as usize,
        size: own.size() as usize,
        host: mpi::environment::processor_name().unwrap_or_else(|_| "an unnamed host".into()),
        requests: Mutex::new(sender),
    };
    let done = thread::scope(|scope| {
        let worker = thread::Builder::new().name("ranks".into());
        let worker = worker.spawn_scoped(scope, move || {
            let _end = end;
            Ranks::new(client).map(work)
        });
        let worker = worker.map_err(|error| Error::rank(format!("no thread can be started: {error}")))?;
        answer(&own, &requests);
        Ok(worker.join())
    })?;
    // The panic hook has written the message.
    done.unwrap_or_else(|_| own.abort(PANICKED))
}

/// A request for an MPI call, and the channel of its answer.
enum Request {
    Least(u64, Sender<u64>),
    Gather(Vec<u8>, Sender<Vec<Vec<u8>>>),
    Send(usize, Vec<u8>, Sender<()>),
    Receive(Sender<Option<(usize, Vec<u8>)>>),
    /// Has no answer: the process ends.
    Abort(i32, Sender<()>),
    /// The work has ended.
    End,
}

/// Reports the end of the work, also after a panic. Copies of the ranks may outlive it.
struct AtEnd(Sender<Request>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.0.send(Request::End).ok();
    }
}

/// Makes the calls until the work has ended. An answer without a receiver is ignored.
fn answer(communicator: &SimpleCommunicator, requests: &Receiver<Request>) {
    for request in requests {
        match request {
            Request::Least(value, reply) => {
                let mut least = 0;
                communicator.all_reduce_into(&value, &mut least, SystemOperation::min());
                reply.send(least).ok()
            }
            Request::Gather(bytes, reply) => reply.send(gather(communicator, &bytes)).ok(),
            Request::Send(to, bytes, reply) => {
                communicator.process_at_rank(to as i32).send(&bytes[..]);
                reply.send(()).ok()
            }
            Request::Receive(reply) => {
                let message = communicator.any_process().immediate_matched_probe();
                let letter = message.map(|message| {
                    let (bytes, status) = message.matched_receive_vec::<u8>();
                    (status.source_rank() as usize, bytes)
                });
                reply.send(letter).ok()
            }
            Request::Abort(code, _never) => communicator.abort(code),
            Request::End => break,
        };
    }
}

/// In rounds, each with as many bytes of all ranks as one call can take.
fn gather(communicator: &SimpleCommunicator, bytes: &[u8]) -> Vec<Vec<u8>> {
    let size = communicator.size() as usize;
    let mut lengths = vec![0u64; size];
    communicator.all_gather_into(&(bytes.len() as u64), &mut lengths[..]);
    let most = MOST_BYTES / size;
    let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
    let mut all = vec![Vec::new(); size];
    for first in (0..longest).step_by(most) {
        let part = |length: usize| length.saturating_sub(first).min(most);
        let counts: Vec<Count> = lengths.iter().map(|&length| part(length as usize) as Count).collect();
        let places: Vec<Count> =
            counts.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
        let mut received = vec![0u8; counts.iter().sum::<Count>() as usize];
        let own = &bytes[first.min(bytes.len())..][..part(bytes.len())];
        communicator.all_gather_varcount_into(
            own,
            &mut PartitionMut::new(&mut received[..], &counts[..], &places[..]),
        );
        for ((all, &place), &count) in all.iter_mut().zip(&places).zip(&counts) {
            all.extend_from_slice(&received[place as usize..][..count as usize]);
        }
    }
    all
}

/// The ranks of a job, for the thread of the work.
#[derive(Debug)]
struct Client {
    rank: usize,
    size: usize,
    host: String,
    requests: Mutex<Sender<Request>>,
}

impl Client {
    /// Requests a call, and waits for its answer.
    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Result<T> {
        let (sender, reply) = channel();
        let requests = locked(&self.requests);
        let sent = requests.send(request(sender)).is_ok();
        drop(requests);
        let ended = || Error::rank("the MPI job has ended: make no calls over its ranks after that");
        reply.recv().ok().filter(|_| sent).ok_or_else(ended)
    }
}

impl Communicator for Client {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn host(&self) -> String {
        self.host.clone()
    }

    fn least(&self, value: u64) -> Result<u64> {
        self.ask(|reply| Request::Least(value, reply))
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.ask(|reply| Request::Gather(bytes.to_vec(), reply))
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
        self.ask(|reply| Request::Send(to, bytes.to_vec(), reply))
    }

    fn receive(&self) -> Result<Option<(usize, Vec<u8>)>> {
        self.ask(Request::Receive)
    }

    fn abort(&self, code: i32) {
        self.ask(|never| Request::Abort(code, never)).ok();
    }
}
