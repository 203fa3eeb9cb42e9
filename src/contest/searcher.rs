//! A player that searches on an engine.

use super::{
    Choice, Contestant, DeadStones, Stop, dead::FirstSight, ending::Resignation, reports::MoveReport,
};
use crate::{
    engine::Engine,
    error::{Error, Result},
    forest::Settings,
    rules::{Game, Position},
    search::{Budget, Report, Search},
};
use std::time::Duration;

/// A player that searches on an engine. Each game has a new search, with the settings' seed plus the number of the
/// game, so that a game does not depend on those before it. The device keeps compiled kernels from game to game. The
/// player passes and resigns by the rules of [`ending`](super::ending).
#[derive(Debug)]
pub struct Searcher<G: Game> {
    engine: Engine,
    game: G,
    settings: Settings,
    budget: Budget,
    move_limit: Option<Duration>,
    stop: Stop,
    resignation: Resignation,
    /// Finds the stones that do not count at the end, if dead stones are left out.
    dead: DeadStones<G>,
    /// The number of the current game.
    number: u64,
    search: Option<Search<G>>,
}

impl<G: Game> Searcher<G> {
    /// With [`Settings::reuse`], trees are reused from move to move.
    ///
    /// # Errors
    /// Bad input for a setting, a budget or a game out of range.
    pub fn new((engine, game): (Engine, G), settings: Settings, budget: Budget, stop: Stop) -> Result<Self> {
        budget.validate()?;
        settings.check(&game, 1)?;
        let resignation = Resignation::usual(&game);
        let dead = DeadStones::new(&engine).left_on(true);
        Ok(Self {
            engine,
            game,
            settings,
            budget,
            move_limit: None,
            stop,
            resignation,
            dead,
            number: 0,
            search: None,
        })
    }

    /// The same player with another rule of resignation than the game's default.
    #[must_use]
    pub fn with_resignation(self, resignation: Resignation) -> Self {
        Self { resignation, ..self }
    }

    /// Searches a position of the current game within a budget.
    ///
    /// # Errors
    /// See [`Search::run`].
    pub fn search(&mut self, position: &Position<G>, budget: Budget) -> Result<Report> {
        match self.dead.to_play_on(position)? {
            Some(board) => self.run(&board, budget),
            None => self.run(position, budget),
        }
    }

    fn run(&mut self, position: &Position<G>, budget: Budget) -> Result<Report> {
        if self.search.is_none() {
            self.open(budget)?;
        }
        let search = self.search.as_mut().ok_or_else(|| Error::invalid("the search was not begun"))?;
        search.run_with(position, budget, |_| self.stop.flow())
    }

    /// Sets the greatest number of nodes of a tree.
    pub(super) fn limit_nodes(&mut self, nodes: Option<u32>) {
        self.settings.node_limit = nodes;
    }

    /// Creates the search of a game and allocates its memory, so that this does not take time of the first move.
    fn open(&mut self, budget: Budget) -> Result<()> {
        // Frees the memory of the last search before the next one allocates.
        self.search = None;
        let seed = self.settings.seed.unwrap_or(0).wrapping_add(self.number);
        let settings = Settings { seed: Some(seed), ..self.settings.clone() };
        let mut search = Search::new(&self.engine, self.game.clone(), settings)?;
        search.prepare(1, budget)?;
        self.search = Some(search);
        Ok(())
    }
}

impl<G: Game> Contestant<G> for Searcher<G> {
    fn number(&mut self, game: u64) {
        self.number = game;
    }

    fn limit(&mut self, move_limit: Option<Duration>) {
        self.move_limit = move_limit;
    }

    fn leave_out_dead_stones(&mut self, left_out: bool) {
        self.dead = DeadStones::new(&self.engine).left_on(!left_out);
    }

    fn begin(&mut self, _position: &Position<G>) -> Result<()> {
        self.resignation.restart();
        self.open(self.budget.at_most(self.move_limit))
    }

    fn choose(&mut self, position: &Position<G>) -> Result<Choice> {
        let searched = match self.dead.at_first_sight(position, self.settings.pruning != Some(false))? {
            FirstSight::Move(action) => return Ok(Choice::new(action)),
            FirstSight::Search(searched) => searched,
        };
        let budget = self.budget.at_most(self.move_limit);
        let report = self.run(&searched, budget)?;
        let best = report.best.as_ref().ok_or_else(|| {
            Error::invalid(format!(
                "no step was completed within {budget}: give more time, or fewer trees or playouts"
            ))
        })?;
        let resigns = self.resignation.gives_up(position.turn(), best);
        let action = self.dead.choice(position, &report)?.unwrap_or(best).index;
        let report = Some(MoveReport::Search(report.into()));
        Ok(Choice { resigns, report, ..Choice::new(action) })
    }

    fn end(&mut self) {
        self.search = None;
    }
}
