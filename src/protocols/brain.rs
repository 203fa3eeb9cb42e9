//! The searches of a server, for one game after another.

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

/// The least time for a search; with less, a move is chosen without one.
const LEAST_TIME: Duration = Duration::from_millis(20);

/// The searches of a server. They are created again when the game or its rules change.
#[derive(Debug)]
pub struct Brain<G: Game> {
    engine: Engine,
    settings: Settings,
    budget: Budget,
    /// Chooses moves.
    player: Option<Prepared<G>>,
    /// Analyses positions, and reuses its trees.
    analyst: Option<Prepared<G>>,
    /// Finds dead stones at the end of a game.
    pub(super) dead: DeadStones<G>,
    /// Finds the owners of points.
    pub(super) owners: OwnerPlayouts<G>,
}

/// A chosen move.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    /// The action to play.
    pub action: u32,
    /// The best action of the search; `None` without a search.
    pub best: Option<ActionReport>,
}

/// A search, and the rules of its game.
#[derive(Debug)]
struct Prepared<G: Game> {
    search: Search<G>,
    rules: Vec<(&'static str, RuleValue)>,
}

impl<G: Game> Brain<G> {
    /// Searches on an engine. `budget` is that of a move without a clock.
    pub fn new(engine: Engine, settings: Settings, budget: Budget) -> Self {
        let (dead, owners) = (DeadStones::new(&engine), OwnerPlayouts::new(&engine, settings.clone()));
        Self { engine, settings, budget, player: None, analyst: None, dead, owners }
    }

    /// Sets whether [dead stones](DeadStones) count for the opponent at the end of a game of Go (the default), or the
    /// board is scored as it stands.
    #[must_use]
    pub fn with_dead_stones(self, dead_stones: bool) -> Self {
        Self { dead: self.dead.left_on(!dead_stones), ..self }
    }

    /// Creates the search of a game, if it does not exist.
    ///
    /// # Errors
    /// See [`Search::new`].
    pub fn prepare(&mut self, game: &G) -> Result<()> {
        if self.player.as_ref().is_none_or(|player| player.rules != game.rules()) {
            (self.player, self.analyst) = (None, None);
            self.player = Some(self.prepared(game, self.settings.clone())?);
        }
        Ok(())
    }

    /// Limits the memory of later searches, in bytes.
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

    /// Chooses an action of an ongoing position by a search, or by the rules of [`ending`](crate::contest::ending).
    /// `time` replaces the budget's time.
    pub(super) fn choose(&mut self, position: &Position<G>, time: Option<Duration>) -> Result<Chosen> {
        let (guess, searched) = self.before_search(position, time)?;
        let Some(searched) = searched else { return Ok(Chosen { action: guess, best: None }) };
        let report = self.search(&searched, self.budget(time))?;
        self.conclude(position, &report, guess)
    }

    /// [`choose`](Self::choose) that reports to `observe` after each interval, and chooses at once if `stop` returns
    /// true.
    pub(super) fn choose_with_reports(
        &mut self,
        position: &Position<G>,
        time: Option<Duration>,
        interval: Duration,
        mut observe: impl FnMut(&Report),
        mut stop: impl FnMut() -> bool,
    ) -> Result<Chosen> {
        let (guess, searched) = self.before_search(position, time)?;
        let Some(searched) = searched else { return Ok(Chosen { action: guess, best: None }) };
        let budget = self.budget(time);
        let deadline = budget.time.and_then(|time| Instant::now().checked_add(time));
        let (mut steps, mut span) = (budget.steps, interval);
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let part = Budget { steps, time: Some(left.unwrap_or(span).min(span)) };
            // At least one step, so that there is an action to choose.
            let report = self.analyse(&searched, part, |now| now.steps > 0 && stop())?;
            steps = steps.saturating_sub(report.performance.steps);
            if report.performance.steps == 0 {
                // A step takes longer than the interval.
                span *= 2;
            }
            observe(&report);
            let is_late = deadline.is_some_and(|deadline| deadline <= Instant::now());
            let is_known = report.proven.is_some() || report.trees_info.full;
            if steps == 0 || is_late || is_known || stop() {
                return self.conclude(position, &report, guess);
            }
        }
    }

    /// The position to search for a move, if it needs a search; and the action to play without a search or its result.
    fn before_search(
        &mut self,
        position: &Position<G>,
        time: Option<Duration>,
    ) -> Result<(u32, Option<Position<G>>)> {
        let first_sight = match position.restriction() {
            Some(&[only]) => FirstSight::Move(only),
            Some(_) => FirstSight::Search(position.clone()),
            None => self.dead.at_first_sight(position, self.settings.pruning != Some(false))?,
        };
        let searched = match first_sight {
            FirstSight::Move(action) => return Ok((action, None)),
            FirstSight::Search(searched) => searched,
        };
        let legal = position.restriction().map_or_else(|| position.legal_actions(), <[u32]>::to_vec);
        let Some(&guess) = legal.get(legal.len() / 2) else {
            position.check_goes_on()?;
            return Err(Error::invalid("the game is over"));
        };
        if time.is_some_and(|time| time < LEAST_TIME) {
            return Ok((guess, None));
        }
        Ok((guess, Some(searched)))
    }

    /// The budget of a move. `time` replaces the usual time.
    fn budget(&self, time: Option<Duration>) -> Budget {
        time.map_or(self.budget, |time| self.budget.within(time))
    }

    /// The move after a search.
    fn conclude(&mut self, position: &Position<G>, report: &Report, guess: u32) -> Result<Chosen> {
        let choice = self.dead.choice(position, report)?;
        let action = choice.map_or(guess, |choice| choice.index);
        Ok(Chosen { action, best: report.best.clone() })
    }

    /// Searches a position with new trees.
    fn search(&mut self, position: &Position<G>, budget: Budget) -> Result<Report> {
        self.prepare(position.game())?;
        let player = self.player.as_mut().ok_or_else(|| Error::invalid("there is no search"))?;
        player.search.run(position, budget)
    }

    /// The best action other than a pass, if there is one.
    pub(super) fn choose_no_pass(&mut self, position: &Position<G>, time: Option<Duration>) -> Result<u32> {
        let pass = position.game().ending_pass();
        let budget = self.budget(time.map(|time| time.max(LEAST_TIME)));
        let report = self.search(position, budget)?;
        let moves = report.actions.iter().filter(|action| Some(action.index) != pass);
        let best = moves.max_by_key(|action| action.n).map(|action| action.index);
        best.or(pass).ok_or_else(|| Error::invalid("the game is over"))
    }

    /// Searches a position until the budget is spent or `stop` returns true, with reused trees unless the settings have
    /// sequential halving, which begins with a new one.
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
                let reuse = Some(self.settings.gumbel.is_none_or(|considered| considered == 0));
                self.prepared(position.game(), Settings { reuse, ..self.settings.clone() })?
            }
        };
        let mut progress = |now| if stop(&now) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let report = analyst.search.run_with(position, budget, &mut progress);
        self.analyst = Some(analyst);
        report
    }

    /// [`analyse`](Self::analyse) with the budget of a move.
    pub(super) fn analyse_for_a_move(&mut self, position: &Position<G>) -> Result<Report> {
        self.analyse(position, self.budget, |_| false)
    }
}
