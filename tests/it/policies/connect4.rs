//! Tactical playouts of Connect 4: against the rules written out, in searches on every engine; and their values of
//! positions.

use crate::support::{play::pick, prelude::*};
use mcts_wgpu::games::Connect4State;

fn tactical(rows: u32, columns: u32) -> Connect4 {
    let game = Connect4::new(rows, columns).and_then(|game| game.with_policy("tactical"));
    game.expect("a stand, and a policy of Connect 4")
}

/// Whether the last of so many discs, dropped in one column alternately, the first by `player`, makes a line. No if the
/// column has too few cells.
fn makes_line(game: &Connect4, state: &Connect4State, player: Player, column: u32, discs: u32) -> bool {
    let (mut state, mut player) = (*state, player);
    for _ in 0..discs {
        if !game.is_action_legal(&state, player, column) {
            return false;
        }
        game.take_action(&mut state, player, column);
        player = player.opponent();
    }
    game.compute_outcome(&state, player, Some(column)) == Some(player.opponent().wins())
}

/// The columns from which a playout draws, by the rules and by dropping discs alone.
fn columns(game: &Connect4, state: &Connect4State, turn: Player) -> Vec<u32> {
    let other = turn.opponent();
    let open = (0..game.columns()).filter(|&column| game.is_action_legal(state, turn, column));
    let open: Vec<u32> = open.collect();
    let of = |holds: &dyn Fn(u32) -> bool| open.iter().copied().filter(|&column| holds(column)).collect();
    let is_safe = |column| !makes_line(game, state, turn, column, 2);
    let wins_above = |column| makes_line(game, state, other, column, 2);
    let wins_twice = |column| wins_above(column) && makes_line(game, state, turn, column, 3);
    let choices: [Vec<u32>; 5] = [
        of(&|column| makes_line(game, state, turn, column, 1)),
        of(&|column| makes_line(game, state, other, column, 1)),
        of(&|column| is_safe(column) && wins_twice(column)),
        of(&|column| is_safe(column) && !wins_above(column)),
        of(&is_safe),
    ];
    choices.into_iter().find(|choice| !choice.is_empty()).unwrap_or(open)
}

#[test]
fn discs_are_those_of_the_rules() {
    let stands = [(6, 7, 400), (4, 4, 200), (1, 16, 20), (3, 16, 60), (31, 2, 60), (6, 9, 60), (7, 8, 60)];
    // Plies, and plies that left out an open column.
    let mut seen = [0, 0];
    for (rows, columns_of, games) in stands.into_iter().chain([(8, 7, 60), (4, 1, 5), (5, 10, 60)]) {
        let game = tactical(rows, columns_of);
        let mut rng = Pcg64Mcg::seed_from_u64(u64::from(rows));
        for number in 0..games {
            let depth = number * game.max_plies() / games;
            let (mut state, mut turn) = random_position(&game, depth, &mut rng);
            let mut playout = game.playout_begin(&state, turn);
            loop {
                let expected = columns(&game, &state, turn);
                let count = game.legal_actions_playout(&mut playout);
                assert_eq!(count as usize, expected.len(), "{state:?} {turn:?}");
                let open = (0..columns_of).filter(|&column| game.is_action_legal(&state, turn, column));
                seen = [seen[0] + 1, seen[1] + u32::from(open.count() > expected.len())];
                let ordinal = pick(&mut rng, count);
                let column = expected[ordinal as usize];
                let outcome = game.take_action_playout(&mut playout, ordinal);
                game.take_action(&mut state, turn, column);
                turn = turn.opponent();
                assert_eq!(outcome, game.compute_outcome(&state, turn, Some(column)), "{state:?}");
                if outcome.is_some() {
                    break;
                }
            }
        }
    }
    assert!(3 * seen[1] > seen[0], "the rules decide many plies: {seen:?}");
}

fn searched(
    engine: &Engine,
    game: &Connect4,
    variant: Variant,
    schedule: Schedule,
    leaves: u32,
    steps: u64,
) -> Report {
    let (trees, playouts) = (3, 8);
    let config =
        Config { variant, trees, playouts, leaf_batch: leaves, schedule, seed: 5, ..Config::paper() };
    search_on(engine, game.clone(), config).steps(&Position::start(game), steps)
}

#[test]
fn searches_are_the_same_on_every_engine() {
    let searches = [
        (tactical(6, 7), Variant::OCP_PRODIGAL, 1),
        (tactical(6, 7), Variant::OCP_PRODIGAL, 9),
        (tactical(6, 7), Variant::ACP_THRIFTY, 1),
        (tactical(3, 16), Variant::OCP_THRIFTY, 1),
        (tactical(31, 2), Variant::ACP_PRODIGAL, 4),
    ];
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for (game, variant, leaves) in cases(adapter, &searches) {
            let expected = searched(&Engine::cpu(), game, *variant, Schedule::Staged, *leaves, 40);
            // The fused schedule has one leaf a tree.
            let schedules = if *leaves > 1 { &[Schedule::Auto][..] } else { &SCHEDULES };
            for &schedule in schedules {
                let found = searched(&engine, game, *variant, schedule, *leaves, 40);
                assert_eq!(found.fingerprint, expected.fingerprint, "{variant:?} {schedule:?} {leaves}");
                assert_eq!(found.actions, expected.actions);
            }
            let random = game.clone().with_policy("random").expect("Connect 4 has it");
            let other = searched(&Engine::cpu(), &random, *variant, Schedule::Staged, *leaves, 40);
            assert_ne!(expected.fingerprint, other.fingerprint, "the policy makes a difference");
        }
    });
}

/// Positions of Pons's set middle-medium, and the columns that keep their value: drawn, or won by the player of the
/// last safe disc.
const OF_SAFE_DISCS: [(&str, &[u32]); 7] = [
    ("135735127271332772", &[3]),
    ("64627166713313362", &[6]),
    ("755117345345255", &[3]),
    ("4474155542732255126", &[1, 6]),
    ("3426655435617772271", &[2, 5]),
    ("6475452376275131726", &[0]),
    ("133726666644527327", &[2]),
];

fn best_columns(policy: &str) -> Vec<u32> {
    let game = Connect4::default().with_policy(policy).expect("a policy of Connect 4");
    let position = |columns: &str| {
        let names: Vec<_> = columns.bytes().map(|column| (column - b'1').to_string()).collect();
        position_after(&game, &names)
    };
    let positions = OF_SAFE_DISCS.map(|(columns, _)| position(columns));
    let config = Config {
        variant: Variant::OCP_PRODIGAL,
        trees: 2,
        playouts: 32,
        ucb_c: game.search_defaults().ucb_c,
        ..Config::paper()
    };
    let reports = search_on(&Engine::cpu(), game, config).batch(&positions, 1000);
    reports.iter().map(|report| report.best.as_ref().expect("the game goes on").index).collect()
}

/// Random playouts misjudge nearly all of these positions.
#[test]
fn playouts_find_the_player_of_the_last_safe_disc() {
    let kept = |policy: &str| {
        let best = best_columns(policy).into_iter().zip(OF_SAFE_DISCS);
        best.filter(|(column, (_, keeping))| keeping.contains(column)).count()
    };
    assert_eq!(kept("tactical"), 7);
    assert!(kept("random") < 3, "{}", kept("random"));
}
