//! Ranks that are threads of one process: messages go through channels.

use super::Communicator;
use crate::{
    error::{Error, Result},
    host::locked,
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
    mpsc::{Receiver, Sender, channel},
};

/// The name of their host.
pub(super) const HOST: &str = "this process";

/// A message, and its sender.
type Letter = (usize, Vec<u8>);

/// A rank.
#[derive(Debug)]
pub(super) struct Member {
    rank: usize,
    /// Channels to and from each rank, itself included, for collective calls.
    to: Vec<Sender<Vec<u8>>>,
    from: Mutex<Vec<Receiver<Vec<u8>>>>,
    /// Channels to and from any rank, for messages between two.
    post: Vec<Sender<Letter>>,
    inbox: Mutex<Receiver<Letter>>,
    /// A member has left.
    gone: Arc<AtomicBool>,
}

/// The members of a group of this size.
pub(super) fn members(size: usize) -> Vec<Member> {
    let gone = Arc::new(AtomicBool::new(false));
    let (mut to, mut from): (Vec<Vec<_>>, Vec<Vec<_>>) = Default::default();
    to.resize_with(size, Vec::new);
    for _ in 0..size {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        to.iter_mut().zip(senders).for_each(|(to, sender)| to.push(sender));
        from.push(receivers);
    }
    let (post, inboxes): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let channels = to.into_iter().zip(from).zip(inboxes).enumerate();
    channels
        .map(|(rank, ((to, from), inbox))| Member {
            rank,
            to,
            from: Mutex::new(from),
            post: post.clone(),
            inbox: Mutex::new(inbox),
            gone: gone.clone(),
        })
        .collect()
}

impl Communicator for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn host(&self) -> String {
        HOST.into()
    }

    fn least(&self, value: u64) -> Result<u64> {
        let all = self.gather(&value.to_le_bytes())?;
        let values = all.into_iter().map(|bytes| bytes.try_into().map(u64::from_le_bytes));
        let least = values.reduce(|least, value| Ok(least?.min(value?))).and_then(|least| least.ok());
        least.ok_or_else(|| Error::rank("ranks exchange values of different types: they do different work"))
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let from = locked(&self.from);
        for to in &self.to {
            to.send(bytes.to_vec()).map_err(|_| is_gone())?;
        }
        from.iter().map(|from| from.recv().map_err(|_| is_gone())).collect()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
        self.post[to].send((self.rank, bytes.to_vec())).map_err(|_| is_gone())
    }

    fn receive(&self) -> Result<Option<Letter>> {
        // Read first, so that messages sent before a member went are still received.
        let gone = self.gone.load(Ordering::SeqCst);
        match locked(&self.inbox).try_recv() {
            Ok(letter) => Ok(Some(letter)),
            Err(_) if gone => Err(is_gone()),
            Err(_) => Ok(None),
        }
    }

    /// The others notice it when they next wait for a message; collective calls need every member.
    fn abort(&self, _: i32) {
        self.gone.store(true, Ordering::SeqCst);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::SeqCst);
    }
}

fn is_gone() -> Error {
    Error::rank("a rank has ended before the others")
}
