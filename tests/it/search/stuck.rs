//! Positions at which the game goes on and no action is legal, as superko may cause.

use crate::support::{circle::Circle, prelude::*};
use mcts_wgpu::contest::{RandomPlayer, play_game};

/// A search of a game with so many actions: kernels for few and for many actions differ.
#[derive(Debug, Clone, Copy)]
struct Case {
    actions: u32,
    variant: Variant,
    leaves: u32,
    schedule: Schedule,
}

/// For adapters, which compile slowly.
const CASES: [Case; 4] = [
    Case { actions: 40, variant: Variant::ACP_THRIFTY, leaves: 1, schedule: Schedule::Staged },
    Case { actions: 40, variant: Variant::OCP_PRODIGAL, leaves: 3, schedule: Schedule::Staged },
    Case { actions: 3, variant: Variant::OCP_THRIFTY, leaves: 1, schedule: Schedule::Fused },
    Case { actions: 3, variant: Variant::OCP_PRODIGAL, leaves: 3, schedule: Schedule::Staged },
];

fn searched(engine: &Engine, case: Case) -> Report {
    let Case { actions, variant, leaves, schedule } = case;
    let game = Circle::new(actions);
    let sizes =
        Config { trees: 2, playouts: 4, leaf_batch: leaves, node_limit: Some(400), ..Config::paper() };
    let config = Config { variant, schedule, ucb_c: 2.0, ..sizes };
    search_on(engine, game.clone(), config).steps(&Position::start(&game), 150)
}

/// The whole tree has 1 + 3 + 6 + 6 nodes, and its last ones have no children.
#[test]
fn nodes_without_actions_stay_leaves() {
    for (variant, leaves) in Variant::ALL.into_iter().flat_map(|variant| [(variant, 1), (variant, 3)]) {
        let case = Case { actions: 3, variant, leaves, schedule: Schedule::Auto };
        let trees = searched(&Engine::cpu(), case).trees_info;
        assert_eq!((trees.max_size, trees.max_depth), (16, 3), "{case:?}");
    }
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for &case in cases(adapter, &CASES) {
            let [found, expected] = [&engine, &Engine::cpu()].map(|engine| searched(engine, case));
            assert_eq!(super::found(&found), super::found(&expected), "{:?} {case:?}", adapter.info());
        }
    });
}

/// A position in which the player to move has no action.
fn stuck() -> Position<Circle> {
    let mut position = Position::start(&Circle::new(3));
    for _ in 0..3 {
        position.play(0).expect("a free cell");
    }
    position
}

#[test]
fn positions_without_actions_are_refused_and_end_games() {
    let words = "every action is illegal or would repeat an earlier position";
    let game = Circle::new(3);
    let mut search = search_on(&Engine::cpu(), game.clone(), Config::paper());
    for (positions, which) in
        [(vec![stuck()], "the position: "), (vec![Position::start(&game), stuck()], "position 2: ")]
    {
        let error = search.run_batch(&positions, Budget::steps(1)).expect_err("there is no action");
        let message = error.to_string();
        assert!(error.is_bad_input() && message.starts_with(which) && message.contains(words), "{message}");
    }
    // No player has lost such a game.
    let [mut one, mut other] = [1, 2].map(RandomPlayer::new);
    let players: [&mut dyn Contestant<Circle>; 2] = [&mut one, &mut other];
    assert_bad(play_game(&Position::start(&game), players, None, &Stop::default()), words);
}
