//! What servers think with: searches of one game after another on an engine.

use crate::{
    contest::{DeadStones, FirstSight, OwnerPlayouts},
    engine::Engine,
    error::{Error, Result},
    forest::Settings,
    rules::{Game, Position, RuleValue},
    search::{ActionReport, Budget, Progress, Report, Search},
};
use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// With less time a move is made without a search.
const LEAST_TIME: Duration = Duration::from_millis(20);

/// Searches for a server: of the game that it plays now, made anew where that changes.
#[derive(Debug)]
pub struct Brain<G: Game> {
    engine: Engine,
    settings: Settings,
    budget: Budget,
    /// What chooses moves.
    player: Option<Prepared<G>>,
    /// What goes on with its trees while somebody looks on.
    analyst: Option<Prepared<G>>,
    /// Finds the stones that do not count at the end.
    pub(super) dead: DeadStones<G>,
    /// Tells whose points are.
    pub(super) owners: OwnerPlayouts<G>,
}

/// A move that was thought about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thought {
    /// What to do.
    pub action: u32,
    /// What a search took for best; none where there was no search.
    pub best: Option<ActionReport>,
}

/// A search, and the game that it is of.
#[derive(Debug)]
struct Prepared<G: Game> {
    search: Search<G>,
    rules: Vec<(&'static str, RuleValue)>,
}

impl<G: Game> Brain<G> {
    /// Searches by some settings on an engine; moves take the budget, where no clock says otherwise.
    pub fn new(engine: Engine, settings: Settings, budget: Budget) -> Self {
        let (dead, owners) = (DeadStones::new(&engine), OwnerPlayouts::new(&engine, settings.clone()));
        Self { engine, settings, budget, player: None, analyst: None, dead, owners }
    }

    /// The same brain, for which [dead stones](DeadStones) count as the other's points at the end of a game of Go, as they
    /// do without this, or for which the board is scored as it stands.
    #[must_use]
    pub fn with_dead_stones(self, dead_stones: bool) -> Self {
        Self { dead: self.dead.left_on(!dead_stones), ..self }
    }

    /// Compiles what choosing moves of a game needs, unless that is there already.
    ///
    /// # Errors
    /// As [`Search::new`].
    pub fn prepare(&mut self, game: &G) -> Result<()> {
        if self.player.as_ref().is_none_or(|player| player.rules != game.rules()) {
            (self.player, self.analyst) = (None, None);
            self.player = Some(self.prepared(game, self.settings.clone())?);
        }
        Ok(())
    }

    /// From now on no search takes more memory than this, in bytes.
    pub(super) fn limit_memory(&mut self, most: u64) {
        let memory = self.settings.memory.map_or(most, |memory| memory.min(most));
        if self.settings.memory != Some(memory) {
            self.settings.memory = Some(memory);
            (self.player, self.analyst) = (None, None);
        }
    }

    fn prepared(&self, game: &G, settings: Settings) -> Result<Prepared<G>> {
        let mut search = Search::new(&self.engine, game.clone(), settings)?;
        search.prepare(1, self.budget)?;
        Ok(Prepared { search, rules: game.rules() })
    }

    /// Chooses an action of an ongoing position, a pass where [that wins](crate::contest::ending); in `time`, if that
    /// is given, instead of the budget's time.
    pub(super) fn choose(&mut self, position: &Position<G>, time: Option<Duration>) -> Result<Thought> {
        let (searched, budget, guess) = match self.at_first_sight(position, time)? {
            Sight::Chosen(action) => return Ok(Thought { action, best: None }),
            Sight::Open(searched, budget, guess) => (searched, budget, guess),
        };
        self.prepare(position.game())?;
        let player = self.player.as_mut().ok_or_else(|| Error::invalid("there is no search"))?;
        let report = player.search.run(&searched, budget)?;
        self.conclude(position, &report, guess)
    }

    /// [`choose`](Self::choose) that tells of what it has found once an interval, and chooses at once where it is to
    /// `stop`.
    pub(super) fn choose_aloud(
        &mut self,
        position: &Position<G>,
        time: Option<Duration>,
        interval: Duration,
        mut tell: impl FnMut(&Report),
        mut stop: impl FnMut() -> bool,
    ) -> Result<Thought> {
        let (searched, budget, guess) = match self.at_first_sight(position, time)? {
            Sight::Chosen(action) => return Ok(Thought { action, best: None }),
            Sight::Open(searched, budget, guess) => (searched, budget, guess),
        };
        let deadline = budget.time.and_then(|time| Instant::now().checked_add(time));
        let (mut steps, mut span) = (budget.steps, interval);
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let part = Budget { steps, time: Some(left.unwrap_or(span).min(span)) };
            // Whatever comes, there is something to choose by.
            let report = self.analyse(&searched, part, |now| now.steps > 0 && stop())?;
            steps = steps.saturating_sub(report.performance.steps);
            if report.performance.steps == 0 {
                // A step takes longer than that.
                span *= 2;
            }
            tell(&report);
            let is_late = deadline.is_some_and(|deadline| deadline <= Instant::now());
            let is_known = report.proven.is_some() || report.trees_info.full;
            if steps == 0 || is_late || is_known || stop() {
                return self.conclude(position, &report, guess);
            }
        }
    }

    /// What can be chosen without a search; else what to search and for how long, and an action for where that finds
    /// nothing.
    fn at_first_sight(&mut self, position: &Position<G>, time: Option<Duration>) -> Result<Sight<G>> {
        let searched = match self.dead.at_first_sight(position, self.settings.pruning != Some(false))? {
            FirstSight::Move(action) => return Ok(Sight::Chosen(action)),
            FirstSight::Search(searched) => searched,
        };
        let legal = position.legal_actions();
        let Some(&guess) = legal.get(legal.len() / 2) else {
            position.check_goes_on()?;
            return Err(Error::invalid("the game is over"));
        };
        if time.is_some_and(|time| time < LEAST_TIME) {
            return Ok(Sight::Chosen(guess));
        }
        let budget = time.map_or(self.budget, |time| self.budget.within(time));
        Ok(Sight::Open(searched, budget, guess))
    }

    /// What to do by a search's report.
    fn conclude(&mut self, position: &Position<G>, report: &Report, guess: u32) -> Result<Thought> {
        let choice = self.dead.choice(position, report)?;
        let action = choice.map_or(guess, |choice| choice.index);
        Ok(Thought { action, best: report.best.clone() })
    }

    /// The best action that is no pass, where there is one.
    pub(super) fn choose_no_pass(&mut self, position: &Position<G>, time: Option<Duration>) -> Result<u32> {
        let pass = position.game().ending_pass();
        self.prepare(position.game())?;
        let budget = time.map_or(self.budget, |time| self.budget.within(time.max(LEAST_TIME)));
        let player = self.player.as_mut().ok_or_else(|| Error::invalid("there is no search"))?;
        let report = player.search.run(position, budget)?;
        let moves = report.actions.iter().filter(|action| Some(action.index) != pass);
        let best = moves.max_by_key(|action| action.n).map(|action| action.index);
        best.or(pass).ok_or_else(|| Error::invalid("the game is over"))
    }

    /// Goes on with the trees of a position for a budget, or until `stop`.
    pub(super) fn analyse(
        &mut self,
        position: &Position<G>,
        budget: Budget,
        mut stop: impl FnMut(&Progress) -> bool,
    ) -> Result<Report> {
        let rules = position.game().rules();
        let mut analyst = match self.analyst.take().filter(|analyst| analyst.rules == rules) {
            Some(analyst) => analyst,
            None => {
                self.prepared(position.game(), Settings { reuse: Some(true), ..self.settings.clone() })?
            }
        };
        let mut progress = |now| if stop(&now) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let report = analyst.search.run_with(position, budget, &mut progress);
        self.analyst = Some(analyst);
        report
    }

    /// [`analyse`](Self::analyse) for as long as a move takes.
    pub(super) fn look(&mut self, position: &Position<G>) -> Result<Report> {
        self.analyse(position, self.budget, |_| false)
    }
}

/// What is seen of a position before it is searched.
enum Sight<G: Game> {
    /// What to do.
    Chosen(u32),
    /// What to search, for how long, and what to do where that finds nothing.
    Open(Position<G>, Budget, u32),
}
