//! Games whose numbers are out of range or wrong.

use crate::support::{
    own::{Mistake, Question},
    prelude::*,
};
use mcts_wgpu::{Planes, internals::rules::is_unchecked};

fn config(variant: Variant, schedule: Schedule) -> Config {
    Config { variant, schedule, trees: 2, playouts: 32, memory: Some(1 << 24), ucb_c: 0.2, ..Config::paper() }
}

/// Variants and schedules whose kernels differ in all that can go wrong. Drivers compile a fused schedule slowly.
const VARIATIONS: [(Variant, Schedule); 2] =
    [(Variant::OCP_THRIFTY, Schedule::Fused), (Variant::ACP_PRODIGAL, Schedule::Staged)];

/// The results of a search with each of them, and of rollouts.
fn tried(engine: &Engine, game: &Own, steps: u64) -> Vec<Result<String, Error>> {
    let start = Position::start(game);
    let search = |(variant, schedule)| {
        let mut search = Search::with_config(engine, game.clone(), config(variant, schedule))?;
        search.run(&start, Budget::steps(steps)).map(|report| report.fingerprint)
    };
    let rollouts = || {
        let report = Rollouts::new(engine, game.clone(), RolloutConfig::default())?.run(&start, 300)?;
        Ok(format!("{} {} {}", report.first_wins, report.second_wins, report.mean_length))
    };
    VARIATIONS.into_iter().map(search).chain([rollouts()]).collect()
}

fn assert_all_fail(engine: &Engine, game: &Own, steps: u64, words: &str) {
    for (way, found) in tried(engine, game, steps).into_iter().enumerate() {
        let error = found.expect_err("a game that breaks its contract");
        assert!(error.is_bad_input() && error.to_string() == words, "way {way} on {engine:?}: {error}");
    }
}

/// A change to a game, and the error.
type Fault = (fn(&mut Own), &'static str);

fn planes(rows: u32, columns: u32, count: u32) -> Option<Planes> {
    Some(Planes { rows, columns, count })
}

#[test]
fn numbers_out_of_range_are_refused_before_anything_runs() {
    let faults: [Fault; 18] = [
        (|game| game.numbers.max_actions = 0, "max_actions = 0: make it 1 to 512"),
        (|game| game.numbers.max_actions = 513, "max_actions = 513: make it 1 to 512"),
        (|game| game.numbers.max_plies = 0, "max_plies = 0: make it 1 to 2097152"),
        (|game| game.numbers.max_plies = u32::MAX, "max_plies = 4294967295: make it 1 to 2097152"),
        (|game| game.numbers.state_words = 0, "state_words = 0: make it 1 to 1024"),
        (|game| game.numbers.state_words = 1025, "state_words = 1025: make it 1 to 1024"),
        (|game| game.numbers.expansion_stride = 0, "expansion_stride = 0: make it 1 to 512"),
        (|game| game.numbers.expansion_stride = 513, "expansion_stride = 513: make it 1 to 512"),
        (|game| game.numbers.rollout_round = 0, "rollout_round = 0: make it at least 1"),
        (
            |game| game.shader.playout_words = 65_537,
            "playout_words of the shader = 65537: make it 0 to 65536",
        ),
        (|game| game.shader.playout_run = Some(0), "playout_run of the shader = 0: make it at least 1"),
        (|game| game.shader.ply_iterations = 0, "ply_iterations of the shader = 0: make it at least 1"),
        (|game| game.numbers.planes = planes(6, 7, 0), "count of planes = 0: make it 1 to 32"),
        (|game| game.numbers.planes = planes(6, 7, 33), "count of planes = 33: make it 1 to 32"),
        (|game| game.numbers.planes = planes(!0, 2, 4), "cells of a plane = 4294967295: make it 1 to 1024"),
        (|game| game.shader.has_planes = false, "has planes only in Rust or only in its shader"),
        (|game| game.shader.weighted = true, "draws by weights in Rust or in its shader alone"),
        (|game| game.numbers.max_plies = (1 << 21) + 1, "max_plies = 2097153: make it 1 to 2097152"),
    ];
    each_engine(|engine| {
        for (change, words) in faults {
            let mut game = Own::new(Connect4::default());
            change(&mut game);
            let config = Config { trees: 2, memory: Some(1 << 26), ..Config::paper() };
            let refused = [
                Settings::from(config).check(&game, 1),
                Search::with_config(engine, game.clone(), config).map(|_| ()),
                Rollouts::new(engine, game, RolloutConfig::default()).map(|_| ()),
            ];
            for error in refused.map(|refused| refused.expect_err("a game out of range")) {
                assert!(error.is_bad_input() && error.to_string().contains(words), "{engine:?}: {error}");
                assert!(error.to_string().starts_with("the game own"), "{error}");
            }
        }
    });
}

/// Enough steps for paths longer than the stated number of plies: they must not be written, nor anything beside them.
#[test]
fn games_beyond_max_plies_are_found() {
    let game = Own::new(connect4_of(4, 4)).with_max_plies(3);
    each_engine(|engine| assert_all_fail(engine, &game, 400, &beyond(3)));
}

fn beyond(plies: u32) -> String {
    let so_many = format!("a game of own goes on after {plies} plies, its max_plies");
    so_many + ": make that no less than the longest game from any position"
}

fn all_found(engine: &Engine, game: &Own, steps: u64) -> Vec<String> {
    tried(engine, game, steps).into_iter().map(|found| found.expect("a result")).collect()
}

/// Playouts of a search start at least a ply below the root: on 4 x 4 they have 15 plies until the board is full.
#[test]
fn a_single_ply_too_many_is_noticed() {
    let stand = connect4_of(4, 4);
    let right = Own::new(stand.clone());
    let short = Own::new(stand).with_max_plies(14);
    let expected = all_found(&Engine::cpu(), &right, 30);
    each_engine(|engine| {
        assert_all_fail(engine, &short, 30, &beyond(14));
        assert_eq!(all_found(engine, &right, 30), expected, "{engine:?}");
    });
}

#[test]
fn a_position_deeper_than_its_game_is_refused() {
    let game = Own::new(Connect4::default());
    let position = position_after(&game.clone().with_max_plies(3), &["0", "1", "2", "3"]);
    each_engine(|engine| {
        let mut search = search_on(engine, game.clone().with_max_plies(3), Config::paper());
        let error = search.run(&position, Budget::steps(1)).expect_err("four moves").to_string();
        assert_has(&error, &["the position is 4 moves into a game of own, whose max_plies is 3"]);
    });
}

const WRONG_OUTCOME: &str = "
    fn compute_outcome(state: ptr<function, State>, turn: u32, last_action: u32) -> u32 {
        return inner_compute_outcome(state, turn, last_action) | 4u;
    }
";

const WRONG_END: &str = "
    fn take_action_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> u32 {
        let outcome = inner_take_action_playout(playout, ordinal, lane);
        return select(outcome, outcome + 16u, outcome != ONGOING);
    }
";

#[test]
fn invalid_outcomes_are_found() {
    let words =
        "the WGSL of own returned an invalid outcome: return ONGOING, SECOND_WINS, DRAW or FIRST_WINS";
    let in_trees = Own::new(Connect4::default()).with("compute_outcome", WRONG_OUTCOME);
    let in_playouts = Own::new(Connect4::default()).with("take_action_playout", WRONG_END);
    each_adapter(|adapter| {
        let engine = opened(adapter);
        assert_all_fail(&engine, &in_playouts, 10, words);
        // Rollouts do not call the tree's outcomes.
        let found = tried(&engine, &in_trees, 10);
        for error in found.into_iter().take(VARIATIONS.len()).map(Result::unwrap_err) {
            assert!(error.is_bad_input() && error.to_string() == words, "{error}");
        }
    });
}

/// A game whose Rust changes its answers results in an error where it shows, and never in a panic.
#[test]
fn changing_answers_of_rules_are_errors() {
    fn tried<G: Game>(rules: G, question: Question) {
        let game = Own::new(rules).with_mistake(Mistake::Inconsistent(question));
        let ways = [(Variant::OCP_PRODIGAL, 1), (Variant::ACP_THRIFTY, 1), (Variant::OCP_THRIFTY, 5)];
        for (variant, leaves) in ways {
            let (trees, playouts, prior_visits) = (6, 1, 4 * u32::from(leaves > 1));
            let config = config(variant, Schedule::Auto);
            let own = Config { trees, playouts, leaf_batch: leaves, prior_visits, ..config };
            let search = Search::with_config(&Engine::cpu(), game.clone(), own);
            let found = search.and_then(|mut search| search.run(&Position::start(&game), Budget::steps(16)));
            let error = found.as_ref().err().map(|error| (error.is_bad_input(), error.to_string()));
            if [Question::Legality, Question::Worth].contains(&question) {
                let (_, said) = error.as_ref().expect("an error");
                assert_has(said, &["gave different results for one position"]);
            }
            assert!(error.is_none_or(|(bad_input, _)| bad_input), "{question:?} {variant:?}: {found:?}");
        }
    }
    for question in Question::ALL {
        tried(connect4_of(5, 5), question);
        tried(go_of(3, 0.5).with_superko(true), question);
    }
}

#[test]
fn playouts_without_actions_are_noticed() {
    let game = Own::new(Connect4::default()).with_mistake(Mistake::EmptyPlayouts);
    let words = "a game of own goes on, and no action is legal: add a pass, or return an outcome";
    assert_all_fail(&Engine::cpu(), &game, 3, words);
}

/// A wrapped game of the crate is not trusted: its shaders run with all checks.
#[test]
fn games_around_the_crates_own_run_with_checks() {
    let plain = Own::new(Connect4::default());
    assert!(is_unchecked(&Connect4::default()) && !is_unchecked(&plain));
    let expected = all_found(&Engine::cpu(), &plain, 20);
    each_adapter(|adapter| {
        assert_eq!(all_found(&opened(adapter), &plain, 20), expected, "{adapter:?}");
    });
}
