//! Plays the games of a schedule on many ranks. Rank 0 deals them out, keeps the log, and plays, too; a rank that has a
//! place free gets the next game.
//!
//! ```text
//! a rank                       rank 0
//! Free, one for each place ──► ◄── Play: a number
//! Ended: a game            ──► log, observer; ◄── Play: the next number
//! Stopped: no more from me ──► ◄── Over, to all
//! Gone: no more letters    ──►
//! ```

use super::{
    Event, Host,
    log::{Log, LoggedGame},
    run::{Conduct, Hall, MOST_PARALLEL, TICK, open_halls},
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

/// How long a rank waits for a game of its own before it looks for letters.
const WAIT: Duration = Duration::from_millis(1);

/// What ranks tell one another.
#[derive(Debug, Serialize, Deserialize)]
enum Letter {
    /// To rank 0: a game can be played here.
    Free,
    /// To rank 0: a game has ended, and its place is free.
    Ended(Box<LoggedGame>),
    /// To rank 0: all is to end, as something has failed here, or a signal has come.
    Stopped,
    /// To rank 0, the last one.
    Gone,
    /// To the others: the number of a game to play.
    Play(u64),
    /// To the others: games under way are to be left.
    Over,
}

/// [`play_all`](super::play_all) on many ranks, all of which call this with the same schedule. Rank 0 alone looks at
/// the pending games, has the log, and tells its observer of games; the observers of the others are told of time alone.
/// Every one of them can end all. Each rank plays as many games side by side as its own conduct says.
///
/// # Errors
/// Bad input where a player can't be opened, the log can't be written, or ranks have different schedules; of the kind
/// [`Rank`](crate::ErrorKind::Rank) where that is so on another rank, or one is gone.
pub fn play_across<G: Game, H: Host>(
    ranks: &Ranks,
    schedule: &GameSchedule<G>,
    pending: impl Iterator<Item = Planned>,
    (host, conduct): (&H, Conduct),
    log: Option<&mut Log>,
    observe: impl FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<()> {
    ranks.same(Ok(()), || schedule.in_words())?;
    let (places, stop) = (conduct.parallel.get().min(MOST_PARALLEL), host.stop());
    let (deals, queue) = channel();
    let queue = Mutex::new(queue.into_iter());
    let ended = thread::scope(|scope| {
        let (sender, games) = channel();
        let opened =
            open_halls((scope, &sender), conduct, || Hall::new(schedule, (host, conduct), &queue, &stop));
        drop(sender);
        let (deals, ticked) = (Some(deals), Instant::now());
        let table = Table { ranks, schedule, deals, games, observe, ticked };
        match ranks.rank() {
            0 => Dealer { table, log, free: vec![0; places].into(), under_way: 0 }.deal(
                opened,
                pending,
                &|| stop.set(),
            ),
            _ => table.follow(opened.map(|()| places), &|| stop.set()),
        }
    });
    ranks.settle(ended)
}

/// Where games are played on this rank, and what it hears.
struct Table<'a, G: Game, O> {
    ranks: &'a Ranks,
    schedule: &'a GameSchedule<G>,
    /// To the halls, and from them.
    deals: Option<Sender<Planned>>,
    games: Receiver<Result<LoggedGame>>,
    observe: O,
    ticked: Instant,
}

impl<G: Game, O: FnMut(Event<'_>) -> ControlFlow<()>> Table<'_, G, O> {
    /// A game that has ended here, after a little waiting; breaks where the halls have ended or the observer has seen
    /// enough.
    fn listen(&mut self) -> Result<ControlFlow<(), Option<LoggedGame>>> {
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

    /// Gives a game to the halls.
    fn play(&self, planned: Planned) {
        // Where they have ended, all is about to.
        self.deals.iter().for_each(|deals| _ = deals.send(planned));
    }

    /// Ends the halls; the games that had ended until then, and were not heard of.
    fn end_halls(&mut self, stop: &dyn Fn()) -> Vec<LoggedGame> {
        stop();
        self.deals = None;
        self.games.iter().flatten().collect()
    }

    fn send(&self, to: usize, letter: &Letter) -> Result<()> {
        let bytes = serde_json::to_vec(letter)
            .map_err(|error| Error::rank(format!("a letter can't be written: {error}")));
        self.ranks.send(to, &bytes?)
    }

    fn letter(&self) -> Result<Option<(usize, Letter)>> {
        let Some((from, bytes)) = self.ranks.receive()? else { return Ok(None) };
        let letter = serde_json::from_slice(&bytes)
            .map_err(|error| Error::rank(format!("rank {from} has sent what is no letter: {error}")));
        Ok(Some((from, letter?)))
    }

    /// Plays what rank 0 deals, in so many places, until it says that all is over.
    fn follow(mut self, places: Result<usize>, stop: &dyn Fn()) -> Result<()> {
        for _ in 0..*places.as_ref().unwrap_or(&0) {
            self.send(0, &Letter::Free)?;
        }
        let mut stopped = places.is_err();
        let mut ended = places.map(drop);
        if stopped {
            self.send(0, &Letter::Stopped)?;
        }
        loop {
            match self.listen() {
                Ok(ControlFlow::Continue(game)) => {
                    game.map_or(Ok(()), |game| self.send(0, &Letter::Ended(game.into())))?;
                }
                _ if stopped => thread::sleep(WAIT),
                other => {
                    (ended, stopped) = (other.map(drop), true);
                    stop();
                    self.send(0, &Letter::Stopped)?;
                }
            }
            match self.letter()? {
                Some((_, Letter::Play(number))) => self.play(self.schedule.planned(number)),
                Some((_, Letter::Over)) => break,
                _ => {}
            }
        }
        for game in self.end_halls(stop) {
            self.send(0, &Letter::Ended(game.into()))?;
        }
        self.send(0, &Letter::Gone)?;
        ended
    }
}

/// Rank 0.
struct Dealer<'a, 'l, G: Game, O> {
    table: Table<'a, G, O>,
    log: Option<&'l mut Log>,
    /// Ranks that have places free, one entry each.
    free: VecDeque<usize>,
    /// Games dealt and not ended.
    under_way: u64,
}

impl<G: Game, O: FnMut(Event<'_>) -> ControlFlow<()>> Dealer<'_, '_, G, O> {
    fn deal(
        mut self,
        opened: Result<()>,
        mut pending: impl Iterator<Item = Planned>,
        stop: &dyn Fn(),
    ) -> Result<()> {
        let dealt = opened.and_then(|()| self.deal_all(&mut pending));
        let closed = self.close(stop);
        dealt.and(closed)
    }

    /// Until all games have ended, or something ends them early.
    fn deal_all(&mut self, pending: &mut impl Iterator<Item = Planned>) -> Result<()> {
        let mut next = pending.next();
        loop {
            while let (Some(planned), Some(&rank)) = (next, self.free.front()) {
                match rank {
                    0 => self.table.play(planned),
                    rank => self.table.send(rank, &Letter::Play(planned.number))?,
                }
                self.free.pop_front();
                (self.under_way, next) = (self.under_way + 1, pending.next());
            }
            if next.is_none() && self.under_way == 0 {
                return Ok(());
            }
            let told = match self.table.listen()? {
                ControlFlow::Break(()) => return Ok(()),
                ControlFlow::Continue(None) => ControlFlow::Continue(()),
                ControlFlow::Continue(Some(game)) => self.ended(0, &game)?,
            };
            if told.is_break() || self.read_letters()?.is_break() {
                return Ok(());
            }
        }
    }

    /// Reads all letters that have come.
    fn read_letters(&mut self) -> Result<ControlFlow<()>> {
        while let Some((from, letter)) = self.table.letter()? {
            let told = match letter {
                Letter::Free => {
                    self.free.push_back(from);
                    ControlFlow::Continue(())
                }
                Letter::Ended(game) => self.ended(from, &game)?,
                _ => ControlFlow::Break(()),
            };
            if told.is_break() {
                return Ok(told);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A game has ended: once it is in the log, it is told.
    fn ended(&mut self, rank: usize, game: &LoggedGame) -> Result<ControlFlow<()>> {
        self.under_way -= 1;
        self.free.push_back(rank);
        if let Some(log) = &mut self.log {
            log.add(game)?;
        }
        Ok((self.table.observe)(Event::Game(game)))
    }

    /// Sends all home, and takes the games that had ended until then.
    fn close(&mut self, stop: &dyn Fn()) -> Result<()> {
        let others = 1..self.table.ranks.size();
        others.clone().try_for_each(|rank| self.table.send(rank, &Letter::Over))?;
        let own = self.table.end_halls(stop);
        let mut kept = own.iter().try_for_each(|game| self.ended(0, game).map(drop));
        let mut left = others.len();
        while left > 0 {
            match self.table.letter()? {
                Some((_, Letter::Gone)) => left -= 1,
                Some((from, Letter::Ended(game))) if kept.is_ok() => kept = self.ended(from, &game).map(drop),
                Some(_) => {}
                None => thread::sleep(WAIT),
            }
        }
        kept
    }
}
