//! Plays the games of a schedule, one or several at a time.

use super::{
    Contestant, DeadStones, Host, Stop,
    game::{Played, play_game},
    log::{Log, LoggedGame},
    schedule::{Entrant, GameSchedule, Planned},
};
use crate::{
    error::{Error, Result},
    host::locked,
    names::visible,
    rules::{Game, Position},
};
use std::{
    collections::HashMap,
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::{
        Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, Builder, Scope},
    time::Duration,
};

/// The interval of [`Event::Tick`].
pub(super) const TICK: Duration = Duration::from_millis(100);

/// The greatest number of games side by side.
pub const MOST_PARALLEL: usize = 1024;

/// The conditions of a contest's games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conduct {
    /// Games side by side, each with its own players; at most [`MOST_PARALLEL`].
    pub parallel: NonZeroUsize,
    /// The time limit of a move. A player that exceeds it loses the game.
    pub move_limit: Option<Duration>,
}

impl Default for Conduct {
    fn default() -> Self {
        Self { parallel: NonZeroUsize::MIN, move_limit: None }
    }
}

/// An event of a contest, for its observer.
#[derive(Debug)]
pub enum Event<'a> {
    /// Some time has passed.
    Tick,
    /// A game has ended and is in the log.
    Game(&'a LoggedGame),
}

/// Plays the pending games. Each is added to the log as soon as it has ended, and then passed to `observe`. If that
/// returns `Break`, the contest ends; games in progress are abandoned and not logged.
///
/// ```
/// use mcts_wgpu::{Engine, Error, Game, Result, games::Connect4};
/// use mcts_wgpu::contest::{self, Conduct, Contestant, Entrant, External, GameSchedule, Standings, Stop, play_all};
/// use std::{collections::HashSet, ops::ControlFlow};
///
/// /// Players search on the CPU, and none is another program.
/// struct Host(Stop);
///
/// impl contest::Host for Host {
///     fn engine(&self, _adapter: Option<&str>) -> Result<Engine> {
///         Ok(Engine::cpu())
///     }
///     fn external<G: Game>(&self, _: &External, _: &G) -> Result<Box<dyn Contestant<G>>> {
///         Err(Error::invalid("no other programs here"))
///     }
///     fn stop(&self) -> Stop {
///         self.0.clone()
///     }
/// }
///
/// let texts = ["acp-prodigal:trees=1,playouts=16,steps=20", "random"];
/// let entrant = |text: &str| Ok(Entrant { name: text.into(), spec: text.parse()? });
/// let players = texts.into_iter().map(entrant).collect::<Result<Vec<_>>>()?;
/// let schedule = GameSchedule::new(&Connect4::default(), players, 4, Vec::new())?;
/// let mut standings = Standings::new(texts.map(|text| (text.into(), text.into())));
/// let host = (&Host(Stop::default()), Conduct::default());
/// play_all(&schedule, schedule.pending(HashSet::new()), host, None, |event| {
///     if let contest::Event::Game(game) = event {
///         standings.add(game);
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!((standings.games(), standings.faults()), (4, 0));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Bad input if a player can't be opened or can't begin a game (before the first game is played), or if the log can't
/// be written; out of memory if no thread can be created.
pub fn play_all<G: Game, H: Host>(
    schedule: &GameSchedule<G>,
    pending: impl Iterator<Item = Planned> + Send,
    (host, conduct): (&H, Conduct),
    log: Option<&mut Log>,
    mut observe: impl FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<()> {
    let (queue, stop) = (Mutex::new(pending), host.stop());
    let (sender, games) = channel();
    thread::scope(|scope| {
        let opened = start_workers((scope, &sender), conduct, || {
            Worker::new(schedule, (host, conduct), &queue, &stop)
        });
        drop(sender);
        let ended = opened.and_then(|()| collect(&games, log, &mut observe));
        stop.set();
        ended
    })
}

/// Starts a worker for each of the games side by side, after all players have shown that they can begin a game.
pub(super) fn start_workers<
    'scope,
    'a: 'scope,
    G: Game,
    H: Host + 'a,
    P: Iterator<Item = Planned> + Send + 'a,
>(
    (scope, sender): (&'scope Scope<'scope, '_>, &Sender<Result<LoggedGame>>),
    conduct: Conduct,
    worker: impl Fn() -> Worker<'a, G, H, P>,
) -> Result<()> {
    worker().open_all()?.start(scope, sender.clone())?;
    let others = 1..conduct.parallel.get().min(MOST_PARALLEL);
    others.into_iter().try_for_each(|_| worker().start(scope, sender.clone()))
}

/// Receives finished games until the workers have ended, one fails, or the observer breaks.
fn collect(
    games: &Receiver<Result<LoggedGame>>,
    mut log: Option<&mut Log>,
    observe: &mut impl FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<()> {
    loop {
        let flow = match games.recv_timeout(TICK) {
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => observe(Event::Tick),
            Ok(game) => {
                let game = game?;
                if let Some(log) = &mut log {
                    log.add(&game)?;
                }
                observe(Event::Game(&game))
            }
        };
        if flow.is_break() {
            return Ok(());
        }
    }
}

/// Plays one game after another.
pub(super) struct Worker<'a, G: Game, H, P> {
    schedule: &'a GameSchedule<G>,
    host: &'a H,
    conduct: Conduct,
    /// Games that have not begun.
    queue: &'a Mutex<P>,
    stop: &'a Stop,
    /// Players that are open, by their index among the entrants.
    players: HashMap<usize, Box<dyn Contestant<G>>>,
    /// Finds the dead stones of games, on the default adapter, once there is a game to score so.
    referee: Option<DeadStones<G>>,
}

impl<'a, G: Game, H: Host, P: Iterator<Item = Planned>> Worker<'a, G, H, P> {
    pub fn new(
        schedule: &'a GameSchedule<G>,
        (host, conduct): (&'a H, Conduct),
        queue: &'a Mutex<P>,
        stop: &'a Stop,
    ) -> Self {
        Self { schedule, host, conduct, queue, stop, players: HashMap::new(), referee: None }
    }

    /// Opens all players and lets each begin a game, so that one that can't is an error and does not lose games.
    fn open_all(mut self) -> Result<Self> {
        let start = self.schedule.start(self.schedule.planned(0));
        for (place, entrant) in self.schedule.players.iter().enumerate() {
            let mut player = self.open_player(entrant)?;
            player.limit(self.conduct.move_limit);
            let begun = player.begin(start);
            player.end();
            if self.stop.is_set() {
                break;
            }
            begun.map_err(|error| error.of(format!("player '{}' can't begin", visible(&entrant.name))))?;
            self.players.insert(place, player);
        }
        Ok(self)
    }

    /// Starts a thread that plays.
    ///
    /// # Errors
    /// Out of memory if no thread can be created.
    pub fn start<'scope>(
        self,
        scope: &'scope Scope<'scope, '_>,
        sender: Sender<Result<LoggedGame>>,
    ) -> Result<()>
    where
        Self: Send + 'scope,
    {
        let opened = Builder::new().spawn_scoped(scope, move || self.play(&sender));
        opened.map(drop).map_err(Error::no_thread)
    }

    /// Plays until no games are pending, or one fails.
    fn play(mut self, sender: &Sender<Result<LoggedGame>>) {
        while !self.stop.is_set() {
            let next = locked(self.queue).next();
            let Some(planned) = next else { return };
            let Some(game) = self.game(planned).transpose() else { return };
            let failed = game.is_err();
            if sender.send(game).is_err() || failed {
                return;
            }
        }
    }

    /// Plays one game; `None` if it was stopped.
    fn game(&mut self, planned: Planned) -> Result<Option<LoggedGame>> {
        let [mut first, mut second] = [self.take(planned.players[0])?, self.take(planned.players[1])?];
        for player in [&mut first, &mut second] {
            player.number(planned.number);
        }
        let (start, limit) = (self.schedule.start(planned), self.conduct.move_limit);
        let played = play_game(start, [&mut *first, &mut *second], limit, self.stop)?;
        self.players.extend(planned.players.into_iter().zip([first, second]));
        let scored = played.map(|played| self.scored(start, played)).transpose()?;
        Ok(scored.map(|played| self.schedule.logged(planned, played)))
    }

    fn scored(&mut self, start: &Position<G>, played: Played) -> Result<Played> {
        if !self.schedule.leaves_out_dead_stones() {
            return Ok(played);
        }
        let referee = match self.referee.take() {
            Some(referee) => referee,
            None => DeadStones::new(&self.host.engine(None)?),
        };
        played.without_dead_stones(start, self.referee.insert(referee))
    }

    fn take(&mut self, place: usize) -> Result<Box<dyn Contestant<G>>> {
        if let Some(player) = self.players.remove(&place) {
            return Ok(player);
        }
        let entrant = self.schedule.players.get(place);
        self.open_player(entrant.ok_or_else(|| Error::invalid("there is no such player"))?)
    }

    fn open_player(&self, entrant: &Entrant) -> Result<Box<dyn Contestant<G>>> {
        let mut player = entrant.spec.open(self.schedule.game(), self.host)?;
        player.leave_out_dead_stones(self.schedule.leaves_out_dead_stones());
        Ok(player)
    }
}
