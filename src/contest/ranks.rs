//! Plays the games of a schedule on many ranks. Rank 0 assigns the games, writes the log, and plays, too; a rank with
//! an idle worker gets the next game.
//!
//! ```text
//! a rank                       rank 0
//! Free, one for each worker ─► ◄── Play: a number
//! Ended: a game            ──► log, observer; ◄── Play: the next number
//! Stopped: an early end    ──► ◄── Over, to all
//! Gone: the last message   ──►
//! ```

use super::{
    Event, Host, Stop,
    log::{Log, LoggedGame},
    run::{Conduct, MOST_PARALLEL, TICK, Worker, start_workers},
    schedule::{GameSchedule, Planned},
};
use crate::{
    error::{Error, Result},
    ranks::Ranks,
    rules::Game,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::VecDeque,
    ops::ControlFlow,
    sync::{
        Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// The time that a rank waits for a game of its own before it looks for messages.
const WAIT: Duration = Duration::from_millis(1);

/// A message between ranks.
#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// To rank 0: a worker is idle.
    Free,
    /// To rank 0: a game has ended, and its worker is idle.
    Ended(Box<LoggedGame>),
    /// To rank 0: end the contest, after an error or a signal on this rank.
    Stopped,
    /// To rank 0: the last message of this rank.
    Gone,
    /// To the others: play the game with this number.
    Play(u64),
    /// To the others: abandon the games in progress.
    Over,
}

/// [`play_all`](super::play_all) on many ranks, which all call this with the same schedule. Only rank 0 uses the
/// pending games and the log, and only its observer gets [`Event::Game`]; the observers of the others get
/// [`Event::Tick`]. Each observer can end the contest. The games that a rank plays side by side are those of its own
/// conduct.
///
/// # Errors
/// Bad input if a player can't be opened, the log can't be written, or the ranks have different schedules;
/// [`Rank`](crate::ErrorKind::Rank) if another rank has failed or is gone.
pub fn play_across<G: Game, H: Host>(
    ranks: &Ranks,
    schedule: &GameSchedule<G>,
    pending: impl Iterator<Item = Planned>,
    (host, conduct): (&H, Conduct),
    log: Option<&mut Log>,
    observe: impl FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<()> {
    ranks.same(Ok(()), || schedule.in_words())?;
    let (workers, stop) = (conduct.parallel.get().min(MOST_PARALLEL), host.stop());
    let (deals, queue) = channel();
    let queue = Mutex::new(queue.into_iter());
    let ended = thread::scope(|scope| {
        let (sender, games) = channel();
        let opened = start_workers((scope, &sender), conduct, || {
            Worker::new(schedule, (host, conduct), &queue, &stop)
        });
        drop(sender);
        let (deals, ticked) = (Some(deals), Instant::now());
        let local = Local { ranks, schedule, deals, games, observe, ticked, stop: &stop };
        match ranks.rank() {
            0 => {
                Coordinator { local, log, free: vec![0; workers].into(), under_way: 0 }.deal(opened, pending)
            }
            _ => local.follow(opened.map(|()| workers)),
        }
    });
    ranks.settle(ended)
}

/// The workers of this rank, and its messages.
struct Local<'a, G: Game, O> {
    ranks: &'a Ranks,
    schedule: &'a GameSchedule<G>,
    /// Games to play, to the workers; and finished ones from them.
    deals: Option<Sender<Planned>>,
    games: Receiver<Result<LoggedGame>>,
    observe: O,
    ticked: Instant,
    stop: &'a Stop,
}

impl<G: Game, O: FnMut(Event<'_>) -> ControlFlow<()>> Local<'_, G, O> {
    /// Waits briefly for a game that has ended on this rank; breaks if the workers have ended or the observer breaks.
    fn receive(&mut self) -> Result<ControlFlow<(), Option<LoggedGame>>> {
        let game = match self.games.recv_timeout(WAIT) {
            Ok(game) => Some(game?),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(ControlFlow::Break(())),
        };
        if self.ticked.elapsed() >= TICK {
            self.ticked = Instant::now();
            if (self.observe)(Event::Tick).is_break() && game.is_none() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(game))
    }

    /// Queues a game for the workers.
    fn play(&self, planned: Planned) {
        // This fails only after the workers have ended, as at the end of the contest.
        self.deals.iter().for_each(|deals| _ = deals.send(planned));
    }

    /// Ends the workers. Returns the games that have ended and were not yet received.
    fn end_workers(&mut self) -> Vec<LoggedGame> {
        self.stop.set();
        self.deals = None;
        self.games.iter().flatten().collect()
    }

    fn send(&self, to: usize, message: &Message) -> Result<()> {
        let bytes = serde_json::to_vec(message)
            .map_err(|error| Error::rank(format!("a message can't be written: {error}")));
        self.ranks.send(to, &bytes?)
    }

    fn message(&self) -> Result<Option<(usize, Message)>> {
        let Some((from, bytes)) = self.ranks.receive()? else { return Ok(None) };
        let message = serde_json::from_slice(&bytes)
            .map_err(|error| Error::rank(format!("rank {from} has sent an unknown message: {error}")));
        Ok(Some((from, message?)))
    }

    /// Plays the games that rank 0 assigns to this rank's workers, until it sends `Over`.
    fn follow(mut self, workers: Result<usize>) -> Result<()> {
        for _ in 0..*workers.as_ref().unwrap_or(&0) {
            self.send(0, &Message::Free)?;
        }
        let mut stopped = workers.is_err();
        let mut ended = workers.map(drop);
        if stopped {
            self.send(0, &Message::Stopped)?;
        }
        loop {
            match self.receive() {
                Ok(ControlFlow::Continue(game)) => {
                    game.map_or(Ok(()), |game| self.send(0, &Message::Ended(game.into())))?;
                }
                _ if stopped => thread::sleep(WAIT),
                other => {
                    (ended, stopped) = (other.map(drop), true);
                    self.stop.set();
                    self.send(0, &Message::Stopped)?;
                }
            }
            match self.message()? {
                Some((_, Message::Play(number))) => self.play(self.schedule.planned(number)),
                Some((_, Message::Over)) => break,
                _ => {}
            }
        }
        for game in self.end_workers() {
            self.send(0, &Message::Ended(game.into()))?;
        }
        self.send(0, &Message::Gone)?;
        ended
    }
}

/// Rank 0, which assigns games to all ranks.
struct Coordinator<'a, 'l, G: Game, O> {
    local: Local<'a, G, O>,
    log: Option<&'l mut Log>,
    /// Ranks with idle workers, one entry for each worker.
    free: VecDeque<usize>,
    /// Games assigned and not ended.
    under_way: u64,
}

impl<G: Game, O: FnMut(Event<'_>) -> ControlFlow<()>> Coordinator<'_, '_, G, O> {
    fn deal(mut self, opened: Result<()>, mut pending: impl Iterator<Item = Planned>) -> Result<()> {
        let dealt = opened.and_then(|()| self.deal_all(&mut pending));
        let closed = self.close();
        dealt.and(closed)
    }

    /// Assigns games until all have ended, or an error, a signal or an observer ends the contest.
    fn deal_all(&mut self, pending: &mut impl Iterator<Item = Planned>) -> Result<()> {
        let mut next = pending.next();
        loop {
            while let (Some(planned), Some(&rank)) = (next, self.free.front()) {
                match rank {
                    0 => self.local.play(planned),
                    rank => self.local.send(rank, &Message::Play(planned.number))?,
                }
                self.free.pop_front();
                (self.under_way, next) = (self.under_way + 1, pending.next());
            }
            if next.is_none() && self.under_way == 0 {
                return Ok(());
            }
            let flow = match self.local.receive()? {
                ControlFlow::Break(()) => return Ok(()),
                ControlFlow::Continue(None) => ControlFlow::Continue(()),
                ControlFlow::Continue(Some(game)) => self.ended(0, &game)?,
            };
            if flow.is_break() || self.read_messages()?.is_break() {
                return Ok(());
            }
        }
    }

    /// Handles all messages that have arrived.
    fn read_messages(&mut self) -> Result<ControlFlow<()>> {
        while let Some((from, message)) = self.local.message()? {
            let flow = match message {
                Message::Free => {
                    self.free.push_back(from);
                    ControlFlow::Continue(())
                }
                Message::Ended(game) => self.ended(from, &game)?,
                _ => ControlFlow::Break(()),
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Writes a game that has ended to the log, then calls the observer.
    fn ended(&mut self, rank: usize, game: &LoggedGame) -> Result<ControlFlow<()>> {
        self.under_way -= 1;
        self.free.push_back(rank);
        if let Some(log) = &mut self.log {
            log.add(game)?;
        }
        Ok((self.local.observe)(Event::Game(game)))
    }

    /// Ends the workers of all ranks, and takes the games that have ended.
    fn close(&mut self) -> Result<()> {
        let others = 1..self.local.ranks.size();
        others.clone().try_for_each(|rank| self.local.send(rank, &Message::Over))?;
        let own = self.local.end_workers();
        let mut kept = own.iter().try_for_each(|game| self.ended(0, game).map(drop));
        let mut left = others.len();
        while left > 0 {
            match self.local.message()? {
                Some((_, Message::Gone)) => left -= 1,
                Some((from, Message::Ended(game))) if kept.is_ok() => {
                    kept = self.ended(from, &game).map(drop)
                }
                Some(_) => {}
                None => thread::sleep(WAIT),
            }
        }
        kept
    }
}
