//! Searches that start and run.

use super::corrupted::sides;
use mcts_wgpu::{Budget, Config, Engine, Game, Position, Report, Search, Settings, engine::Device};
use std::fmt::Debug;

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

/// The report of a new search.
#[track_caller]
pub fn searched<G: Game>(engine: &Engine, config: Config, position: &Position<G>, steps: u64) -> Report {
    search_on(engine, position.game().clone(), config).steps(position, steps)
}

/// An engine of one device.
pub fn engine_of(device: &Device) -> Engine {
    Engine::devices_of(vec![device.clone()])
}

/// What is found on a device is that of the CPU, but not with one of the mistakes.
#[track_caller]
pub fn assert_mistakes_show<'a, T: PartialEq + Debug>(
    device: &Device,
    mistakes: impl IntoIterator<Item = &'a &'a str>,
    found: impl Fn(&Engine) -> Option<T>,
) {
    let right = found(&Engine::cpu());
    assert!(right.is_some() && right == found(&engine_of(device)));
    for mistake in mistakes {
        let [from, to] = sides(mistake);
        assert_ne!(right, found(&engine_of(&device.with_mistake(&from, &to))), "{mistake}");
    }
}

pub trait MakeSteps<G: Game> {
    /// Makes so many steps from a position.
    fn steps(&mut self, position: &Position<G>, steps: u64) -> Report;

    /// Makes so many steps from each position.
    fn batch(&mut self, positions: &[Position<G>], steps: u64) -> Vec<Report>;

    /// Makes so many steps from a position, from the one after its best action, and so on.
    fn moves(&mut self, mut position: Position<G>, steps: &[u64]) -> Vec<Report> {
        let search = |&steps| {
            let report = self.steps(&position, steps);
            position.play(report.best.as_ref().expect("there is a move").index).expect("a legal action");
            report
        };
        steps.iter().map(search).collect()
    }
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
