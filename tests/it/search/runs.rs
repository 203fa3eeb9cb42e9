//! A game of one's own that plays many plies a call (`run_playout`): searches and rollouts against its twin in Rust.

use crate::support::{own::RUN, prelude::*};
use mcts_wgpu::Result;

/// One ply of the requested ones, which only rollouts and lanes with several games allow, and one draw too many, which
/// nothing allows.
const WRONG_RUN: &str = "
    fn run_playout(playout: ptr<function, Playout>, rng: ptr<function, Rng>, most: u32, lane: u32) -> PlayoutRun {
        let count = legal_actions_playout(playout, lane);
        let outcome = take_action_playout(playout, rng_pick(rng, count), lane);
        _ = rng_next(rng);
        return PlayoutRun(outcome, 1u);
    }
";

fn in_runs(run: &str) -> Own {
    Own::new(Connect4::default()).with_run(run)
}

/// The trees of a search from the start; on software adapters a step has enough games for several a lane.
fn searched(engine: &Engine, game: &Own, variant: Variant, schedule: Schedule) -> Result<[String; 2]> {
    let config =
        Config { variant, schedule, trees: 3, playouts: 256, memory: Some(1 << 24), ..Config::paper() };
    let mut search = Search::with_config(engine, game.clone(), config)?;
    let report = search.run(&Position::start(game), Budget::steps(20))?;
    // Two runs: streams go on where the first one left them.
    let again = search.run(&Position::start(game), Budget::steps(10))?;
    Ok([report.fingerprint, again.fingerprint])
}

fn fingerprint(engine: &Engine, game: &Own, variant: Variant, schedule: Schedule) -> [String; 2] {
    searched(engine, game, variant, schedule).expect("the search runs")
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
    let game = in_runs(RUN);
    let expected = VARIANTS.map(|variant| fingerprint(&Engine::cpu(), &game, variant, Schedule::Auto));
    let expected: Vec<_> = VARIANTS.into_iter().zip(expected).collect();
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for ((variant, expected), schedule) in scheduled(adapter, &expected) {
            let found = fingerprint(&engine, &game, *variant, schedule);
            assert_eq!(&found, expected, "{} {schedule:?} on {adapter:?}", variant.name());
        }
    });
}

#[test]
fn rollouts_are_those_of_the_twin() {
    let game = in_runs(RUN);
    for max_moves in [None, Some(12)] {
        let expected = tally(&Engine::cpu(), &game, max_moves);
        each_adapter(|adapter| {
            let engine = opened(adapter);
            assert_eq!(tally(&engine, &game, max_moves), expected, "{adapter:?}");
        });
    }
}

#[test]
fn the_comparisons_can_fail() {
    let (right, wrong) = (in_runs(RUN), in_runs(WRONG_RUN));
    each_adapter(|adapter| {
        let engine = opened(adapter);
        assert_ne!(tally(&engine, &wrong, None), tally(&Engine::cpu(), &right, None));
        for &variant in cases(adapter, &VARIANTS) {
            let expected = fingerprint(&Engine::cpu(), &right, variant, Schedule::Auto);
            match searched(&engine, &wrong, variant, Schedule::Staged) {
                Ok(found) => assert_ne!(found, expected),
                Err(error) => {
                    assert!(error.to_string().contains("returned before the playout was over"), "{error}")
                }
            }
        }
    });
}
