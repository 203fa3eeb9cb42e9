//! What servers think with: searches of one game after another on an engine.

use crate::{
    contest::ending::{settling_pass, unsearched_move},
    engine::Engine,
    error::{Error, Result},
    forest::Settings,
    rules::{Game, Position, RuleValue},
    search::{ActionReport, Budget, Report, Search},
};
use std::{ops::ControlFlow, time::Duration};

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
        Self { engine, settings, budget, player: None, analyst: None }
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
        let unsearched = |action| Ok(Thought { action, best: None });
        if let Some(action) = unsearched_move(position, self.settings.pruning != Some(false)) {
            return unsearched(action);
        }
        let legal = position.legal_actions();
        let guess = match legal[..] {
            [] => {
                position.check_goes_on()?;
                return Err(Error::invalid("the game is over"));
            }
            [only] => return unsearched(only),
            _ => legal[legal.len() / 2],
        };
        if time.is_some_and(|time| time < LEAST_TIME) {
            return unsearched(guess);
        }
        self.prepare(position.game())?;
        let budget = time.map_or(self.budget, |time| self.budget.within(time));
        let player = self.player.as_mut().ok_or_else(|| Error::invalid("there is no search"))?;
        let report = player.search.run(position, budget)?;
        let Some(best) = &report.best else { return unsearched(guess) };
        let action = settling_pass(position, &report).unwrap_or(best).index;
        Ok(Thought { action, best: report.best })
    }

    /// Goes on with the trees of a position for some time, or until `stop`.
    pub(super) fn analyse(
        &mut self,
        position: &Position<G>,
        time: Duration,
        mut stop: impl FnMut() -> bool,
    ) -> Result<Report> {
        let rules = position.game().rules();
        let mut analyst = match self.analyst.take().filter(|analyst| analyst.rules == rules) {
            Some(analyst) => analyst,
            None => {
                self.prepared(position.game(), Settings { reuse: Some(true), ..self.settings.clone() })?
            }
        };
        let mut progress = |_| if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let report = analyst.search.run_with(position, Budget::time(time), &mut progress);
        self.analyst = Some(analyst);
        report
    }
}
