//! Searches that start and run.

use mcts_wgpu::{Budget, Config, Engine, Game, Position, Report, Search, Settings};

/// A search on an engine.
#[track_caller]
pub fn search_on<G: Game>(engine: &Engine, game: G, config: Config) -> Search<G> {
    Search::with_config(engine, game, config).expect("the search starts")
}

/// A search by settings.
#[track_caller]
pub fn search_by<G: Game>(engine: &Engine, game: G, settings: Settings) -> Search<G> {
    Search::new(engine, game, settings).expect("the search starts")
}

pub trait MakeSteps<G: Game> {
    /// Makes so many steps from a position.
    fn steps(&mut self, position: &Position<G>, steps: u64) -> Report;

    /// Makes so many steps from each position.
    fn batch(&mut self, positions: &[Position<G>], steps: u64) -> Vec<Report>;
}

impl<G: Game> MakeSteps<G> for Search<G> {
    #[track_caller]
    fn steps(&mut self, position: &Position<G>, steps: u64) -> Report {
        self.run(position, Budget::steps(steps)).expect("the search runs")
    }

    #[track_caller]
    fn batch(&mut self, positions: &[Position<G>], steps: u64) -> Vec<Report> {
        self.run_batch(positions, Budget::steps(steps)).expect("the search runs")
    }
}
