//! A game of one's own that plays many plies a call (`run_playout`): searches and rollouts against its twin in Rust.

use crate::support::{own::RUN, prelude::*};

fn in_runs() -> Own {
    Own::new(Connect4::default()).with_run(RUN)
}

/// The trees of a search from the start; on software adapters a step has enough games for several a lane.
fn fingerprints(engine: &Engine, game: &Own, variant: Variant, schedule: Schedule) -> [String; 2] {
    let config =
        Config { variant, schedule, trees: 3, playouts: 256, memory: Some(1 << 24), ..Config::paper() };
    let mut search = search_on(engine, game.clone(), config);
    // Two runs: streams go on where the first one left them.
    [20, 10].map(|steps| search.steps(&Position::start(game), steps).fingerprint)
}

/// Wins and plies of rollouts that begin games together every 5 plies and cut them off.
fn tally(engine: &Engine, game: &Own, max_moves: Option<u32>) -> (u64, u64, u64, f64) {
    let config = RolloutConfig { seed: 5, max_moves, round: Some(5), ..RolloutConfig::default() };
    let mut rollouts = Rollouts::new(engine, game.clone(), config).expect("the rollouts start");
    let report = rollouts.run(&Position::start(game), 5000).expect("the games are played");
    (report.first_wins, report.second_wins, report.unfinished, report.mean_length)
}

const VARIANTS: [Variant; 3] = [Variant::ACP_PRODIGAL, Variant::ACP_THRIFTY, Variant::OCP_THRIFTY];

#[test]
fn searches_are_those_of_the_twin() {
    let game = in_runs();
    let expected = VARIANTS.map(|variant| fingerprints(&Engine::cpu(), &game, variant, Schedule::Auto));
    let expected: Vec<_> = VARIANTS.into_iter().zip(expected).collect();
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for ((variant, expected), schedule) in scheduled(adapter, &expected) {
            let found = fingerprints(&engine, &game, *variant, schedule);
            assert_eq!(&found, expected, "{} {schedule:?} on {adapter:?}", variant.name());
        }
    });
}

#[test]
fn rollouts_are_those_of_the_twin() {
    let game = in_runs();
    for max_moves in [None, Some(12)] {
        let expected = tally(&Engine::cpu(), &game, max_moves);
        each_adapter(|adapter| {
            let engine = opened(adapter);
            assert_eq!(tally(&engine, &game, max_moves), expected, "{adapter:?}");
        });
    }
}
