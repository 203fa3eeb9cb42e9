//! Trees leave out actions of low urgency: the same ones on every engine and by every schedule, and none without
//! pruning. Reports have the actions of the trees.

use super::priors::found;
use crate::support::{
    naive_go::{game_with_eyes, is_own_eye},
    own::Mistake,
    prelude::*,
};
use mcts_wgpu::internals::{
    forest::layout::ROOT_HEADER,
    reference::{self, reset::reset, seed::seed},
};

const VARIANTS: [Variant; 2] = [Variant::ACP_PRODIGAL, Variant::OCP_THRIFTY];

fn go(size: u32) -> Go {
    go_of(size, 7.5)
}

/// A position late in a game, in which the player to move has an eye and other moves; one for each number.
fn late(size: u32, number: u64) -> Position<Go> {
    let found = |position: &Position<Go>| {
        let tried = expected(position).len();
        tried > 3 && tried < position.legal_actions().len()
    };
    let mut games = (1000 * number..).map(|seed| game_with_eyes(&go(size), seed));
    games.find_map(|game| game.into_iter().rfind(found)).expect("there are eyes")
}

/// The actions with children.
fn expected(position: &Position<Go>) -> Vec<u32> {
    position.legal_actions().into_iter().filter(|&action| !is_own_eye(position, action)).collect()
}

fn config(variant: Variant, schedule: Schedule) -> Config {
    let sizes = Config { trees: 2, playouts: 4, node_limit: Some(20_000), ..Config::paper() };
    Config { variant, schedule, ucb_c: 0.5, seed: 9, ..sizes }
}

fn indexes(report: &Report) -> Vec<u32> {
    report.actions.iter().map(|action| action.index).collect()
}

fn grown(position: &Position<Go>, variant: Variant, prunes: bool, steps: u32) -> Forest {
    let game = position.game();
    let shape = Shape {
        config: Config { ucb_c: 0.5, seed: 4, pruning: prunes, ..shape(game, variant, 4).config },
        capacity: 20_000,
        ..shape(game, variant, 4)
    };
    let mut forest = Forest::new(shape.clone()).expect("the host has room");
    forest.roots[0] = position.turn() as u32;
    game.pack(position.state(), &mut forest.roots[ROOT_HEADER as usize..]);
    seed(&mut forest);
    forest.for_each_tree(|mut tree| {
        reset(&mut tree);
        (0..steps).for_each(|_| reference::step(game, &shape, &mut tree));
    });
    forest
}

#[test]
fn no_child_of_a_tree_fills_an_own_eye() {
    for (size, variant) in [(5, Variant::ACP_PRODIGAL), (5, Variant::OCP_PRODIGAL), (9, Variant::OCP_THRIFTY)]
    {
        let root = late(size, 1);
        let [pruned, whole] = [true, false].map(|prunes| grown(&root, variant, prunes, 300));
        let (families, left_out) = check(&pruned, &root, expected);
        assert!(families > 50 && left_out > 50, "{families} {left_out}");
        assert_eq!(check(&whole, &root, Position::legal_actions).1, 0);
    }
}

/// Every node's children are the expected ones of its position. Returns the number of nodes with children, and of legal
/// actions without.
fn check(forest: &Forest, root: &Position<Go>, wanted: impl Fn(&Position<Go>) -> Vec<u32>) -> (usize, usize) {
    let (mut families, mut left_out) = (0, 0);
    let mut nodes = vec![(0, root.clone())];
    while let Some((node, position)) = nodes.pop() {
        let link = forest.links[node];
        let children = link.first_child as usize..(link.first_child + link.count()) as usize;
        if children.is_empty() {
            continue;
        }
        let actions: Vec<u32> = forest.links[children.clone()].iter().map(|link| link.action()).collect();
        assert_eq!(actions, wanted(&position), "at\n{position}");
        families += 1;
        left_out += position.legal_actions().len() - actions.len();
        for (child, action) in children.zip(actions) {
            let mut next = position.clone();
            next.play(action).expect("a legal action");
            nodes.push((child, next));
        }
    }
    (families, left_out)
}

/// Fingerprints from before pruning existed.
#[test]
fn with_the_switch_off_trees_are_the_former_ones() {
    for (size, variant, fingerprint) in FORMER {
        // The table has the semantics of the original.
        let Config { draw_value: draws, solver: proofs, pruning: prunes, .. } = Config::original();
        let off =
            Config { draw_value: draws, solver: proofs, pruning: prunes, ..config(variant, Schedule::Auto) };
        let report = searched(&Engine::cpu(), off, &late(size, 1), 60);
        assert_eq!(report.fingerprint, fingerprint, "{size} {}", variant.name());
        assert_eq!(indexes(&report), late(size, 1).legal_actions());
        assert!(!report.config.pruning);
        let on = searched(&Engine::cpu(), config(variant, Schedule::Auto), &late(size, 1), 60);
        assert_ne!(on.fingerprint, fingerprint);
        assert_eq!(indexes(&on), expected(&late(size, 1)));
    }
}

const FORMER: [(u32, Variant, &str); 4] = [
    (5, VARIANTS[0], "efc1b4d066671165"),
    (5, VARIANTS[1], "cbeff2c48139f343"),
    (9, VARIANTS[0], "2baeb4751b70e5dd"),
    (9, VARIANTS[1], "2b9541e0eb565f81"),
];

/// GL compiles these kernels slowly.
#[test]
fn every_engine_and_schedule_leaves_out_the_same() {
    let roots = [late(5, 1), late(5, 2), late(9, 1)];
    each_fast_adapter(|adapter| {
        let engine = opened(adapter);
        for (root, variant) in roots.iter().flat_map(|root| VARIANTS.map(|variant| (root, variant))) {
            for schedule in SCHEDULES {
                let config = config(variant, schedule);
                let [got, cpu] = [&engine, &Engine::cpu()].map(|engine| searched(engine, config, root, 40));
                assert_eq!(indexes(&got), expected(root));
                assert_eq!(found(&got), found(&cpu), "{} {} at\n{root}", variant.name(), schedule.name());
            }
        }
        let off = Config { pruning: false, ..config(VARIANTS[1], Schedule::Fused) };
        let [got, cpu] = [&engine, &Engine::cpu()].map(|engine| searched(engine, off, &roots[0], 40));
        assert_eq!((indexes(&got), found(&got)), (roots[0].legal_actions(), found(&cpu)));
    });
}

/// Positions side by side leave out different numbers of actions; their trees are spread over devices.
#[test]
fn batches_on_several_devices_report_the_actions_of_each() {
    let roots = [Position::start(&go(5)), late(5, 1), late(5, 2)];
    let batch = |engine: &Engine, config: Config| search_on(engine, go(5), config).batch(&roots, 30);
    each_fast_adapter(|adapter| {
        let engine = Engine::devices_of(devices(adapter, 2));
        for variant in [Variant::ACP_THRIFTY, Variant::OCP_PRODIGAL] {
            let config = Config { trees: 3, ..config(variant, Schedule::Staged) };
            let [got, cpu] = [&engine, &Engine::cpu()].map(|engine| batch(engine, config));
            for ((got, cpu), root) in got.iter().zip(&cpu).zip(&roots) {
                assert_eq!((indexes(got), found(got)), (expected(root), found(cpu)), "{}", variant.name());
            }
            let alone = searched(&engine, config, &roots[1], 30);
            assert_eq!(found(&alone), found(&searched(&Engine::cpu(), config, &roots[1], 30)));
        }
    });
}

/// A move without a child leads to new trees, one with a child to its subtree.
#[test]
fn trees_begin_anew_after_a_move_that_they_left_out() {
    let root = late(5, 1);
    let eye = root.legal_actions().into_iter().find(|&action| is_own_eye(&root, action)).expect("an eye");
    let tried = expected(&root)[0];
    let game = |engine: &Engine, action: u32| {
        let config = Config { reuse: true, ..config(Variant::ACP_PRODIGAL, Schedule::Staged) };
        let mut search = search_on(engine, go(5), config);
        let mut position = root.clone();
        search.steps(&position, 40);
        position.play(action).expect("a legal action");
        let report = search.steps(&position, 10);
        assert_eq!(indexes(&report), expected(&position));
        (report.trees_info.reused_nodes, report.trees_info.reused_playouts, found(&report))
    };
    let known = [eye, tried].map(|action| game(&Engine::cpu(), action));
    assert_eq!((known[0].0, known[0].1), (0, 0));
    assert!(known[1].0 > 0 && known[1].1 > 0);
    each_fast_adapter(|adapter| {
        assert_eq!([eye, tried].map(|action| game(&opened(adapter), action)), known);
    });
}

/// Few actions, of which column 0 is not urgent.
fn without_column_0() -> Own {
    let own = Own::new(connect4_of(4, 4)).with_mistake(Mistake::Pruning);
    let worth = "fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
        return select(inner_action_urgency(state, turn, action), 0u, action == 0u);
    }";
    own.with("action_urgency", worth)
}

#[test]
fn where_nothing_is_worth_trying_everything_is() {
    let game = without_column_0();
    let full = ["1", "2", "1", "2", "2", "1", "2", "1", "3", "3", "3", "3"];
    let [start, forced] = [&full[..0], &full[..]].map(|moves| position_after(&game, moves));
    assert_eq!((start.legal_actions(), forced.legal_actions()), (vec![0, 1, 2, 3], vec![0]));
    let ways: Vec<_> = VARIANTS.into_iter().flat_map(|v| SCHEDULES.map(|schedule| (v, schedule))).collect();
    each_adapter(|adapter| {
        for &(variant, schedule) in cases(adapter, &ways) {
            for (position, actions) in [(&start, vec![1, 2, 3]), (&forced, vec![0])] {
                let config = config(variant, schedule);
                let cpu = searched(&Engine::cpu(), config, position, 80);
                let got = searched(&opened(adapter), config, position, 80);
                assert_eq!((indexes(&got), found(&got)), (actions, found(&cpu)), "{variant} {schedule}");
            }
        }
    });
}

/// Pruning has no effect in a game without urgencies.
#[test]
fn other_games_have_the_same_trees_either_way() {
    fn assert_same<G: Game>(engine: &Engine, game: &G) {
        let start = Position::start(game);
        let [on, off] = [true, false].map(|prunes| {
            let config = Config { pruning: prunes, ..config(Variant::OCP_PRODIGAL, Schedule::Staged) };
            searched(engine, config, &start, 30)
        });
        assert_eq!((found(&on), indexes(&on)), (found(&off), start.legal_actions()));
    }
    each_engine(|engine| {
        assert_same(engine, &Othello);
    });
}
