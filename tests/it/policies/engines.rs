//! Both mappings of every adapter against the CPU twin, game by game; searches on every engine and schedule.

use super::{HASHED_DIAMONDS, HASHED_SQUARES, go, tables, wide};
use crate::{
    rollout::counts,
    support::{positions::RandomGames, prelude::*},
};
use mcts_wgpu::{
    patterns::{
        LearnOptions, learn,
        records::{MoveChoices, read_games},
    },
    rollout::Mapping,
};

/// The results of rollouts of `sizes` games each.
fn played(
    engine: &Engine,
    position: &Position<Go>,
    mapping: Mapping,
    max_moves: Option<u32>,
    sizes: &[u64],
) -> Vec<impl PartialEq + std::fmt::Debug + use<>> {
    let config = RolloutConfig { seed: 41, mapping, max_moves, ..RolloutConfig::default() };
    let rollouts = Rollouts::new(engine, position.game().clone(), config);
    let mut rollouts = rollouts.expect("the rollouts start");
    sizes.iter().map(|&games| counts(&rollouts.run(position, games).expect("the games are played"))).collect()
}

fn later(game: &Go, plies: usize) -> Position<Go> {
    RandomGames::new(game, plies as u64).after(plies)
}

/// Both mappings against the CPU: single games one after another, then many at once.
fn assert_agreement(engine: &Engine, position: &Position<Go>, max_moves: Option<u32>, games: u64) {
    let sizes = [1, 1, 1, 1, games];
    let expected = played(&Engine::cpu(), position, Mapping::Thread, max_moves, &sizes);
    let is_grouped = position.game().shader().group.is_some();
    for mapping in [Mapping::Thread, Mapping::Group].into_iter().take(1 + usize::from(is_grouped)) {
        let found = played(engine, position, mapping, max_moves, &sizes);
        assert_eq!(found, expected, "{mapping:?}, {:?} on {:?}", position.game(), engine.info());
    }
}

fn games(size: u32, komi: f32) -> Vec<Go> {
    let game = go(size, komi);
    let rated = tables().map(|table| game.clone().with_patterns(table));
    [game].into_iter().chain(rated).collect()
}

#[test]
fn both_mappings_play_as_the_cpu_does() {
    let [squares, diamonds] = [&*HASHED_SQUARES, &*HASHED_DIAMONDS].map(Some);
    let boards = [
        (9, 9, 7.5, 40, vec![None, squares, diamonds]),
        (1, 1, 0.0, 3, vec![diamonds]),
        (2, 2, 0.5, 60, vec![squares]),
        (3, 3, -3.0, 60, vec![None, diamonds]),
        (3, 5, 0.5, 40, vec![diamonds]),
        (18, 3, 0.5, 8, vec![None, diamonds]),
        (13, 13, 0.5, 8, vec![squares]),
        (9, 18, 0.5, 5, vec![squares]),
        (19, 19, 7.5, 3, vec![None, diamonds]),
    ];
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for game in cases(adapter, &games(5, 2.5)) {
            assert_agreement(&engine, &Position::start(game), None, 100);
        }
        for &(rows, columns, komi, many, ref tables) in cases(adapter, &boards) {
            for table in tables {
                let game = wide(rows, columns, komi);
                let game = table.map_or(game.clone(), |table| game.with_patterns(table));
                assert_agreement(&engine, &Position::start(&game), None, many);
            }
        }
    });
}

fn tactical(size: u32, komi: f32) -> Go {
    go(size, komi).with_policy("tactical").expect("Go has every policy")
}

fn tactical_on(rows: u32, columns: u32) -> Go {
    wide(rows, columns, 2.5).with_policy("tactical").expect("Go has every policy")
}

#[test]
fn tactical_playouts_are_those_of_the_cpu() {
    let squares = [(9, 40, 0), (2, 60, 0), (5, 60, 12), (13, 8, 30), (19, 3, 0)];
    let squares = squares.map(|(size, many, plies)| (size, size, many, plies));
    let boards = [&squares[..], &[(4, 7, 30, 3), (3, 18, 8, 0)]].concat();
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for &(rows, columns, many, plies) in cases(adapter, &boards) {
            assert_agreement(&engine, &later(&tactical_on(rows, columns), plies), None, many);
        }
    });
}

#[test]
fn both_mappings_go_on_from_any_position_and_stop_at_any_limit() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let all = [go(7, 3.5), go(7, 3.5).with_patterns(&HASHED_DIAMONDS)];
        for (index, game) in (0..).zip(all) {
            assert_agreement(&engine, &later(&game, 20 + index), None, 30);
            assert_agreement(&engine, &later(&game, 61), Some(1 + 5 * index as u32), 30);
        }
    });
}

/// A position with a ko in which a playout can only pass, after which its opponent may fill the ko.
fn passing_at_a_ko(game: &Go, seed: u64) -> Position<Go> {
    let mut stream = Stream::seeded(seed);
    loop {
        let mut position = Position::start(game);
        while position.outcome().is_none() {
            let mut playout = game.playout_begin(position.state(), position.turn());
            let alone = game.legal_actions_playout(&mut playout) == 1;
            _ = game.take_action_playout(&mut playout, 0);
            if alone && game.playout_state(&playout).passes() == 1 && differs_without_its_ko(&position) {
                return position;
            }
            let legal = position.legal_actions();
            position.play(legal[stream.pick(legal.len() as u32) as usize]).expect("a legal action");
        }
    }
}

/// Whether there is a point that the player to move may not retake, and that the opponent might fill in a playout.
fn differs_without_its_ko(position: &Position<Go>) -> bool {
    let game = position.game();
    let mut words = vec![0; game.state_words() as usize];
    game.pack(position.state(), &mut words);
    let last = words.len() - 1;
    let candidates = |words: &[u32]| {
        let mut playout = game.playout_begin(&game.unpack(words), position.turn().opponent());
        game.legal_actions_playout(&mut playout)
    };
    let with = candidates(&words);
    words[last] &= !511;
    with != candidates(&words)
}

#[test]
fn passes_lift_the_ko_in_both_mappings() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for (seed, game) in (0..).zip([go(4, 0.5), go(4, 0.5).with_patterns(&HASHED_DIAMONDS)]) {
            assert_agreement(&engine, &passing_at_a_ko(&game, seed), None, 100);
        }
    });
}

#[test]
fn searches_of_a_policy_are_the_same_on_every_engine() {
    let searches = [
        (go(9, 7.5).with_patterns(&HASHED_SQUARES), Variant::OCP_PRODIGAL),
        (go(5, 0.5).with_patterns(&HASHED_DIAMONDS), Variant::ACP_THRIFTY),
        (tactical(9, 7.5), Variant::OCP_PRODIGAL),
        (tactical_on(5, 8), Variant::OCP_PRODIGAL),
    ];
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for ((game, variant), schedule) in scheduled(adapter, &searches) {
            let expected = searched(&Engine::cpu(), game, *variant, Schedule::Staged);
            let found = searched(&engine, game, *variant, schedule);
            assert_eq!(found.fingerprint, expected.fingerprint, "{variant:?} {schedule:?}");
            assert_eq!(found.actions, expected.actions);
            let random = game.clone().with_policy("random").expect("Go has every policy");
            let other = searched(&Engine::cpu(), &random, *variant, Schedule::Staged);
            assert_ne!(expected.fingerprint, other.fingerprint, "the policy makes a difference");
        }
    });
}

fn searched(engine: &Engine, game: &Go, variant: Variant, schedule: Schedule) -> Report {
    let config =
        Config { variant, trees: 2, playouts: 4, schedule, node_limit: Some(2000), ..Config::paper() };
    search_on(engine, game.clone(), config).steps(&later(game, 6), 7)
}

fn learnt_tables() -> [PatternTable; 2] {
    let records = read_games(include_str!("../../data/gnugo_selfplay.sgf"));
    let games: Vec<MoveChoices> =
        records.into_iter().map(|game| game.and_then(|game| game.choices()).expect("a good game")).collect();
    PatternShape::ALL.map(|shape| learn(&games, &LearnOptions::new(shape)).expect("there are moves").table)
}

#[test]
fn learnt_tables_play_the_same_on_every_engine_and_unlike_those_that_come_with_the_crate() {
    let learnt = learnt_tables();
    let digests = learnt.each_ref().map(PatternTable::digest);
    let mine = learnt.each_ref().map(|table| go(5, 7.5).with_patterns(table));
    let policies = ["pattern3x3", "m2"];
    for ((game, policy), digest) in mine.iter().zip(policies).zip(digests) {
        assert_eq!(game.policy(), format!("{policy}:{digest:016x}"));
        let shipped = go(5, 7.5).with_policy(policy).expect("Go has every policy");
        let rolled =
            |game: &Go| played(&Engine::cpu(), &Position::start(game), Mapping::Thread, None, &[200]);
        assert_ne!(rolled(game), rolled(&shipped), "another table, other games");
    }
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let schedules = [(Variant::OCP_PRODIGAL, Schedule::Staged), (Variant::ACP_THRIFTY, Schedule::Fused)];
        assert_agreement(&engine, &Position::start(&mine[0]), None, 40);
        let all: Vec<_> = mine.iter().zip(schedules).collect();
        for &(game, (variant, schedule)) in cases(adapter, &all) {
            let expected = searched(&Engine::cpu(), game, variant, Schedule::Staged);
            let found = searched(&engine, game, variant, schedule);
            assert_eq!(found.fingerprint, expected.fingerprint, "{variant:?} {schedule:?}");
        }
    });
}

#[test]
fn a_table_equal_to_one_of_the_crate_is_its_policy() {
    for (policy, shape) in [("pattern3x3", PatternShape::Square), ("m2", PatternShape::Diamond)] {
        let copy = PatternTable::parse(&PatternTable::shipped(shape).to_text()).expect("a table");
        let by_table = go(7, 7.5).with_patterns(&copy);
        let by_name = go(7, 7.5).with_policy(policy).expect("Go has every policy");
        assert_eq!(by_table.policy(), policy);
        let search =
            |game| searched(&Engine::cpu(), game, Variant::ACP_PRODIGAL, Schedule::Staged).fingerprint;
        assert_eq!(search(&by_table), search(&by_name));
    }
}

#[test]
fn missing_policies_are_refused() {
    let config = RolloutConfig { mapping: Mapping::Group, ..RolloutConfig::default() };
    assert_bad(Rollouts::new(&Engine::cpu(), Othello, config), "choose thread");
    assert_bad(Othello.with_policy("m2"), "choose random");
    assert_bad(Othello.with_policy_file(std::path::Path::new("table.txt")), "choose random");
}
