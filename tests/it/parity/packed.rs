//! Several trees a workgroup, with any number of lanes a tree: the trees of the twins.

use super::*;
use crate::search::found;
use mcts_wgpu::internals::gpu::shaders::{can_be_packed, packed_team};

/// Lanes of a tree: fewer than games, as many, and more.
const KINDS: [WholeSteps; 6] = [
    WholeSteps(Variant::OCP_PRODIGAL, Semantics::Stronger, 4, Some(4)),
    WholeSteps(Variant::OCP_THRIFTY, Semantics::Whole, 1, Some(1)),
    WholeSteps(Variant::OCP_PRODIGAL, Semantics::Original, 16, Some(4)),
    WholeSteps(Variant::OCP_THRIFTY, Semantics::Stronger, 2, Some(16)),
    WholeSteps(Variant::OCP_PRODIGAL, Semantics::Whole, 64, Some(32)),
    WholeSteps(Variant::OCP_THRIFTY, Semantics::Stronger, 8, Some(1)),
];

/// 33 trees: the last workgroup lacks some.
#[test]
fn packed_trees_are_the_references() {
    each_adapter(|adapter| {
        let device = device(adapter);
        let game = Connect4::default();
        let setting = Setting { trees_per_position: 3, first_tree: 7, capacity: 3000, ucb_c: 0.8, seed: 21 };
        for &kind in cases(adapter, &KINDS) {
            let after = kind.check(&device, &kind.trees(&game, setting, &of_all_stages(&game)), &[90, 41]);
            let rests = after.forest.trees.iter().filter(|tree| tree.flags & TREE_PROVEN != 0).count();
            assert_eq!(rests > 6, kind.1 != Semantics::Original, "{rests}");
        }
    });
}

/// Paths with more levels than a team has lanes.
#[test]
fn packed_trees_that_are_full_or_deep_are_the_references() {
    each_adapter(|adapter| {
        for kind in cases(adapter, &KINDS[..4]) {
            kind.check_full(&device(adapter));
            kind.check_deep(&device(adapter), &[60, 60, 60, 1], 33);
        }
    });
}

/// Games with more children than one lane loads at a time. Some trees end in wins and draws.
#[test]
fn packed_trees_of_many_children_are_the_references() {
    each_adapter(|adapter| {
        let device = device(adapter);
        let gomoku = gomoku_of(6);
        let go = go_of(5, 3.5);
        let kinds = [
            WholeSteps(Variant::OCP_PRODIGAL, Semantics::Stronger, 2, Some(8)),
            WholeSteps(Variant::OCP_THRIFTY, Semantics::Original, 16, Some(4)),
            WholeSteps(Variant::OCP_PRODIGAL, Semantics::Whole, 1, Some(32)),
        ];
        for &kind in cases(adapter, &kinds) {
            check_many(&device, kind, &gomoku);
            check_many(&device, kind, &go);
            check_many(&device, kind, &Othello);
        }
    });
}

fn before_wins<G: Game>(game: &G) -> Vec<Position<G>> {
    let mut player = RandomGames::new(game, 77);
    let mut positions = vec![Position::start(game), player.finished(), player.midgame()];
    positions.extend((1..8).map(|plies| player.before_a_win(plies)));
    positions
}

fn check_many<G: Game>(device: &Device, kind: WholeSteps, game: &G) {
    let setting = Setting { trees_per_position: 2, first_tree: 3, capacity: 900, ucb_c: 0.3, seed: 4 };
    let after = kind.check(device, &kind.trees(game, setting, &before_wins(game)), &[6, 6, 6, 6, 6]);
    let proves = kind.1 != Semantics::Original;
    assert_eq!(after.forest.trees.iter().any(|tree| tree.flags & TREE_PROVEN != 0), proves);
    assert!(after.forest.trees.iter().any(|tree| tree.max_depth > 1));
}

/// Each of them must change the trees. None may make a loop endless: a GPU would hang.
const MISTAKES: [Mistake; 8] = [
    ("a path's end is left out", "for (var depth = place; depth «<= ⇒ <» leaf.depth; depth += TEAM)"),
    ("the points of one lane count", "for (var other = 0u; other < «TEAM ⇒ 1u»; other++)"),
    ("games use their numbers again", "(*streams_of)[i]« = rng ⇒ [0] += 0u»;"),
    (
        "the drawn child has no wins",
        "stats[drawn] = new_stats(sh_known_drawn[tree % TREES]) + vec4<u32>(PLAYOUTS, 0u, «n_wins ⇒ 0u», 0u);",
    ),
    ("a win decides nothing", "(rank == «WIN ⇒ 77u» ||"),
    ("open children don't matter", "«(complete && open == 0u) ⇒ complete»"),
    ("plies are not counted", "proven_mark(min(proof_plies(stats[child])« + 1u ⇒ », MOST_PLIES))"),
    ("roots that are not proven rest", "« ⇒ !»is_proven(stats[tree * params.capacity + ROOT])"),
];

/// Where children are many, with C.
const OF_MANY: [(f32, Mistake); 3] = [
    (
        0.3,
        (
            "the root chooses nothing anew",
            "for (var depth = start + lane« ⇒  + 1u»; depth < length; depth += TEAM) {\n        let index",
        ),
    ),
    (3e4, ("exact bounds are not asked for", "if «mixed && !ucb_are_equal(top) ⇒ false» {")),
    (0.3, ("trees share their lists", "own_list = «(tree % TREES) * LIST_WORDS ⇒ 0u»;")),
];

#[test]
fn mistakes_in_packed_steps_show() {
    on_the_first_adapter(|adapter| {
        let device = device(adapter);
        let game = connect4_of(4, 5);
        let setting = Setting { trees_per_position: 2, first_tree: 0, capacity: 3000, ucb_c: 0.5, seed: 2 };
        for (semantics, mistakes) in
            [(Semantics::Whole, &MISTAKES[..]), (Semantics::Stronger, &super::proofs::OF_PRUNING[..1])]
        {
            let kind = WholeSteps(Variant::OCP_PRODIGAL, semantics, 4, Some(4));
            kind.find(&device, &kind.trees(&game, setting, &of_all_stages(&game)), &[59, 1], mistakes);
        }
        let gomoku = gomoku_of(6);
        let roots = before_wins(&gomoku);
        for &(ucb_c, mistake) in tried(&OF_MANY) {
            let kind = WholeSteps(Variant::OCP_PRODIGAL, Semantics::Whole, 4, Some(8));
            let before = kind.trees(&gomoku, Setting { ucb_c, ..setting }, &roots);
            kind.find(&device, &before, &[15; 4], &[mistake]);
        }
    });
}

#[test]
fn trees_are_packed_where_they_are_many_and_small() {
    fn team<G: Game>(game: &G, variant: Variant, (n_trees, playouts): (u32, u32)) -> Option<u32> {
        let shape = Shape { n_trees, ..shape(game, variant, playouts) };
        let team = packed_team(&game.shader(), &shape, false);
        let is_packed = n_trees > 511 && shape.max_actions < 17 && team.is_some();
        assert_eq!(packed_team(&game.shader(), &shape, true).is_some(), is_packed);
        team
    }
    let ocp = Variant::OCP_THRIFTY;
    let of_connect4 = |trees, playouts| team(&Connect4::default(), ocp, (trees, playouts));
    for (playouts, teams) in [
        (1, &[(511, None), (512, Some(32)), (1024, Some(16)), (8192, Some(4)), (1 << 20, Some(4))][..]),
        (64, &[(511, None), (512, Some(32)), (1024, Some(32)), (8192, Some(8))]),
        (128, &[(512, None), (1024, Some(32))]),
    ] {
        teams.iter().for_each(|&(trees, team)| assert_eq!(of_connect4(trees, playouts), team));
    }
    assert_eq!([32, 64].map(|playouts| team(&Othello, ocp, (512, playouts))), [Some(32), None]);
    assert_eq!(team(&Connect4::default(), Variant::ACP_THRIFTY, (4096, 1)), None);
    assert_eq!(team(&Othello, ocp, (512, 1)), Some(32));
    assert_eq!([4095, 4096].map(|trees| team(&Gomoku::default(), ocp, (trees, 1))), [None, Some(4)]);
    let go = go_of(9, 7.5);
    assert_eq!(team(&go, ocp, (1024, 8)), Some(16));
    assert!(!can_be_packed(&shape(&go.with_superko(true), ocp, 1)));
}

/// Batches of a search that is packed in one of them, and not in the next.
fn batches(engine: &Engine, schedule: Schedule) -> Vec<Report> {
    let game = Connect4::default();
    let config = Config {
        variant: Variant::OCP_PRODIGAL,
        trees: 2,
        playouts: 2,
        seed: 8,
        node_limit: Some(2000),
        schedule,
        ..Config::paper()
    };
    let shape = shape(&game, config.variant, config.playouts);
    let is_packed =
        |n_trees| packed_team(&game.shader(), &Shape { n_trees, ..shape.clone() }, true).is_some();
    let mut search = search_on(engine, game.clone(), config);
    let some = of_all_stages(&game);
    let mut all = Vec::new();
    for (count, packed) in [(300, true), (20, false), (257, true)] {
        assert_eq!(is_packed(2 * count), packed);
        let batch: Vec<_> = some.iter().cycle().take(count as usize).cloned().collect();
        all.extend(search.batch(&batch, 77));
    }
    all
}

#[test]
fn batches_are_the_same_packed_or_not() {
    let found = |schedule, engine: &Engine| batches(engine, schedule).iter().map(found).collect::<Vec<_>>();
    let expected = found(Schedule::Auto, &Engine::cpu());
    each_adapter(|adapter| {
        assert_eq!(found(Schedule::Fused, &opened(adapter)), expected, "{:?}", adapter.info());
    });
}
