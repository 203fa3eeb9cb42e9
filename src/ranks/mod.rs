//! Ranks: processes on one host or on many that do one work together, as those of an MPI job.
//!
//! ```text
//! Engine::cpu() or ::open(...) ── over(&ranks) ──► Engine ──► Search, Rollouts: the trees, or the games, of all ranks
//! Ranks ─────────────────────────────────────────────────────► contest::play_across: games dealt to ranks
//! ```
//!
//! All ranks make the same calls with the same arguments, and get the same report: that of one machine with all the
//! trees, or all the games. Where one fails, the calls of all fail. [`Ranks`] is the handle that work gets; its
//! messages go through a [`Communicator`]: `mpi::serve` (feature `mpi`) makes one of an MPI communicator, and
//! [`Ranks::in_process`] one of threads.
//!
//! ```
//! use mcts_wgpu::{Budget, Config, Engine, Position, Ranks, Search, games::Connect4};
//! let found = |engine: &Engine| {
//!     let game = Connect4::default();
//!     let mut search = Search::with_config(engine, game.clone(), Config::paper())?;
//!     search.run(&Position::start(&game), Budget::steps(20))
//! };
//! let alone = found(&Engine::cpu())?.fingerprint;
//! std::thread::scope(|scope| {
//!     for ranks in Ranks::in_process(2) {
//!         let alone = &alone;
//!         scope.spawn(move || {
//!             let report = found(&Engine::cpu().over(&ranks)).expect("the ranks search");
//!             assert_eq!(report.fingerprint, *alone);
//!         });
//!     }
//! });
//! # Ok::<(), mcts_wgpu::Error>(())
//! ```

mod in_process;
#[cfg(feature = "mpi")]
pub mod mpi;

use crate::{
    error::{Error, ErrorKind, Result},
    hash::fnv1a,
};
use bytemuck::Pod;
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt::Debug, sync::Arc};

/// The transport of messages between ranks. All calls but [`send`](Self::send) and [`receive`](Self::receive) are
/// collective: all ranks make them, in the same order, and each waits for the others.
pub trait Communicator: Debug + Send + Sync {
    /// The index of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// The name of the host that this rank runs on.
    fn host(&self) -> String;

    /// The least value of all ranks.
    ///
    /// # Errors
    /// Where a rank is gone.
    fn least(&self, value: u64) -> Result<u64>;

    /// Gives every rank the bytes of all, in the order of the ranks. Their lengths may differ.
    ///
    /// # Errors
    /// Where a rank is gone.
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Sends bytes to one rank.
    ///
    /// # Errors
    /// Where it is gone.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<()>;

    /// The next bytes sent to this rank, and their sender; `None` where there are none yet.
    ///
    /// # Errors
    /// Where a rank is gone.
    fn receive(&self) -> Result<Option<(usize, Vec<u8>)>>;

    /// Ends all ranks at once, with this exit code where they are processes: for one that can't continue.
    fn abort(&self, code: i32);
}

/// The ranks that share work. Clones refer to the same ranks; calls follow one another, as two must not run at a time.
/// The default is a single rank.
#[derive(Debug, Clone, Default)]
pub struct Ranks {
    /// `None`: a single rank.
    communicator: Option<Arc<dyn Communicator>>,
    /// The host of each rank.
    hosts: Arc<[String]>,
}

impl Ranks {
    /// The ranks of a communicator. All of them call this together.
    ///
    /// # Errors
    /// Where a rank is gone.
    pub fn new(communicator: impl Communicator + 'static) -> Result<Self> {
        let hosts = communicator.gather(communicator.host().as_bytes())?;
        let hosts = hosts.iter().map(|host| String::from_utf8_lossy(host).into_owned()).collect();
        Ok(Self { communicator: Some(Arc::new(communicator)), hosts })
    }

    /// Ranks for this many threads of this process, one each: to try work over ranks.
    pub fn in_process(size: usize) -> Vec<Self> {
        let hosts: Arc<[String]> = vec![in_process::HOST.to_owned(); size].into();
        let ranks = in_process::members(size).into_iter();
        ranks.map(|member| Self { communicator: Some(Arc::new(member)), hosts: hosts.clone() }).collect()
    }

    /// The index of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.communicator.as_ref().map_or(0, |it| it.rank())
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.communicator.as_ref().map_or(1, |it| it.size())
    }

    /// The name of the host of each rank; empty for a single rank.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The index of this rank among those of its host, from 0.
    pub fn place_on_host(&self) -> usize {
        let own = self.rank();
        self.hosts.iter().take(own).filter(|&host| *host == self.hosts[own]).count()
    }

    /// The number of ranks on this rank's host.
    pub fn count_on_host(&self) -> usize {
        let own = self.rank();
        self.hosts.iter().filter(|&host| *host == self.hosts[own]).count().max(1)
    }

    /// Ends all ranks at once, with this exit code where they are processes: for a rank that fails while the others are
    /// working.
    pub fn abort(&self, code: i32) {
        self.communicator.iter().for_each(|it| it.abort(code));
    }

    /// Whether there is a single rank.
    pub(crate) fn is_alone(&self) -> bool {
        self.communicator.is_none()
    }

    /// The least value of all ranks; where one has failed, all fail. The greatest valid number is `u64::MAX - 1`.
    pub(crate) fn least(&self, value: Result<u64>) -> Result<u64> {
        let Some(communicator) = &self.communicator else { return value };
        let word = value.as_ref().map_or(0, |value| value.saturating_add(1));
        match communicator.least(word)?.checked_sub(1) {
            Some(least) => Ok(least),
            // Rare: the error itself is shared only now.
            None => self.share(value.map(|_| Vec::new())).map(|_| 0),
        }
    }

    /// Whether the value is true on all ranks. If one has failed, all fail.
    pub(crate) fn all(&self, value: Result<bool>) -> Result<bool> {
        Ok(self.least(value.map(u64::from))? > 0)
    }

    /// Whether the value is true on any rank. If one has failed, all fail.
    ///
    /// # Errors
    /// Where a rank has failed or is gone.
    pub fn any(&self, value: Result<bool>) -> Result<bool> {
        Ok(!self.all(value.map(|yes| !yes))?)
    }

    /// The rank's own result, if all have one; where one has failed, all fail: that rank with its own error, the others
    /// with one that names it, of the kind [`Rank`](ErrorKind::Rank).
    ///
    /// # Errors
    /// Where a rank has failed or is gone.
    pub fn settle<T>(&self, result: Result<T>) -> Result<T> {
        match result {
            Ok(value) => self.least(Ok(0)).map(|_| value),
            Err(error) => match self.least(Err(error.clone())) {
                Err(gone) if gone.kind() == ErrorKind::Rank => Err(gone),
                _ => Err(error),
            },
        }
    }

    /// Refuses a rank whose work, described in words, differs from that of rank 0; where one has failed, all fail.
    ///
    /// # Errors
    /// Bad input there; where a rank has failed or is gone.
    pub(crate) fn same(&self, checked: Result<()>, work: impl FnOnce() -> String) -> Result<()> {
        if self.is_alone() {
            return checked;
        }
        let works = self.share(checked.map(|()| fnv1a(work().into_bytes()).to_le_bytes().to_vec()))?;
        let own = match works[self.rank()] == works[0] {
            true => Ok(()),
            false => Err(Error::invalid(
                "this rank's work differs from rank 0's: give all ranks the same program and arguments",
            )),
        };
        self.settle(own)
    }

    /// The bytes of all ranks; where one has failed, all fail.
    ///
    /// # Errors
    /// Where a rank has failed or is gone.
    pub fn share(&self, bytes: Result<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let Some(communicator) = &self.communicator else { return bytes.map(|bytes| vec![bytes]) };
        let mut message = match &bytes {
            Ok(bytes) => bytes.clone(),
            Err(error) => error.to_string().into_bytes(),
        };
        message.push(bytes.is_err().into());
        let mut all = communicator.gather(&message)?;
        bytes?;
        for (rank, message) in all.iter_mut().enumerate() {
            if message.pop() != Some(0) {
                let what = String::from_utf8_lossy(message);
                return Err(Error::rank(format!("rank {rank} has failed: {what}")));
            }
        }
        Ok(all)
    }

    /// The elements of all ranks, one rank after another; where one has failed, all fail.
    pub(crate) fn join<T: Pod>(&self, elements: Result<Vec<T>>) -> Result<Vec<T>> {
        if self.is_alone() {
            return elements;
        }
        let parts = self.share(elements.map(|elements| bytemuck::cast_slice(&elements).to_vec()))?;
        Ok(parts.iter().flat_map(|part| bytemuck::pod_collect_to_vec(part)).collect())
    }

    /// The values of all ranks, in their order; where one has failed, all fail.
    pub(crate) fn exchange<T: Serialize + DeserializeOwned>(&self, own: Result<T>) -> Result<Vec<T>> {
        if self.is_alone() {
            return own.map(|own| vec![own]);
        }
        let invalid = |error| Error::rank(format!("a rank sent an invalid message: {error}"));
        let all = self.share(own.and_then(|own| serde_json::to_vec(&own).map_err(invalid)))?;
        all.iter().map(|bytes| serde_json::from_slice(bytes).map_err(invalid)).collect()
    }

    /// Sends bytes to another rank.
    pub(crate) fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
        self.communicator.as_ref().map_or(Ok(()), |it| it.send(to, bytes))
    }

    /// The next bytes from another rank, if there are any.
    pub(crate) fn receive(&self) -> Result<Option<(usize, Vec<u8>)>> {
        self.communicator.as_ref().map_or(Ok(None), |it| it.receive())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// The results of `work` on each of `size` ranks.
    fn on<T: Send>(size: usize, work: impl Fn(&Ranks) -> T + Sync) -> Vec<T> {
        let work = &work;
        thread::scope(|scope| {
            let spawn = |ranks: Ranks| scope.spawn(move || work(&ranks));
            let threads: Vec<_> = Ranks::in_process(size).into_iter().map(spawn).collect();
            threads.into_iter().map(|thread| thread.join().expect("a rank ends")).collect()
        })
    }

    #[test]
    fn ranks_agree() {
        for size in [1, 2, 3] {
            let least = on(size, |ranks| ranks.least(Ok(7 + ranks.rank() as u64)));
            assert_eq!(least, vec![Ok(7); size]);
            let any = on(size, |ranks| ranks.any(Ok(ranks.rank() + 1 == size)));
            assert_eq!(any, vec![Ok(true); size]);
            let all = on(size, |ranks| ranks.all(Ok(ranks.rank() + 1 < size)));
            assert_eq!(all, vec![Ok(false); size]);
            let join = on(size, |ranks| ranks.join(Ok(vec![ranks.rank() as u32; ranks.rank()])));
            let exchanged = on(size, |ranks| ranks.exchange(Ok((ranks.rank(), u64::MAX))));
            assert_eq!(exchanged, vec![Ok((0..size).map(|rank| (rank, u64::MAX)).collect()); size]);
            let expected: Vec<u32> = (0..size as u32).flat_map(|rank| vec![rank; rank as usize]).collect();
            assert_eq!(join, vec![Ok(expected); size]);
        }
    }

    #[test]
    fn where_one_fails_all_fail_and_name_it() {
        let bad = || Error::invalid("no such thing");
        let results = on(3, |ranks| ranks.settle(if ranks.rank() == 1 { Err(bad()) } else { Ok(5) }));
        assert_eq!(results[1], Err(bad()));
        for other in [&results[0], &results[2]] {
            let error = other.as_ref().expect_err("rank 1 has failed");
            assert_eq!(
                (error.kind(), error.to_string()),
                (ErrorKind::Rank, "rank 1 has failed: no such thing".into())
            );
        }
        let works = on(2, |ranks| {
            ranks.same(Ok(()), || format!("work {}", ranks.rank())).map_err(|error| error.kind())
        });
        assert_eq!(works, [Err(ErrorKind::Rank), Err(ErrorKind::BadInput)]);
    }

    #[test]
    fn a_rank_that_is_gone_is_an_error_and_no_hang() {
        let results = on(3, |ranks| if ranks.rank() == 2 { Ok(0) } else { ranks.least(Ok(1)) });
        assert!(results[..2].iter().all(|result| result.as_ref().is_err_and(Error::is_rank)), "{results:?}");
    }

    #[test]
    fn ranks_of_a_host_are_counted() {
        let hosts = ["a", "b", "a", "a", "b"].map(str::to_owned);
        let members = in_process::members(5).into_iter();
        let places = members.map(|member| {
            let communicator: Option<Arc<dyn Communicator>> = Some(Arc::new(member));
            Ranks { communicator, hosts: Arc::new(hosts.clone()) }.place_on_host()
        });
        assert_eq!(places.collect::<Vec<_>>(), [0, 0, 1, 2, 1]);
        assert_eq!((Ranks::default().place_on_host(), Ranks::default().count_on_host()), (0, 1));
    }
}
