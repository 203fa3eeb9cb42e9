//! Steps of one dispatch each, which pass notes to the next one: the trees of the twins.

use super::*;
use mcts_wgpu::internals::gpu::shaders::can_be_relayed;

/// Meaning of the trees, and playouts: several children a workgroup, one, and one in several workgroups.
type Kind = (Semantics, u32);

const KINDS: [Kind; 5] = [
    (Semantics::Stronger, 4),
    (Semantics::Whole, 1),
    (Semantics::Original, 32),
    (Semantics::Whole, 128),
    (Semantics::Stronger, 256),
];

fn planted_trees<G: Game>(game: &G, kind: Kind, setting: Setting, positions: &[Position<G>]) -> Snapshot<G> {
    let (semantics, playouts) = kind;
    seeded_trees(game, semantics.of(shape(game, Variant::ACP_PRODIGAL, playouts)), setting, positions)
}

/// Submissions of some steps each, from the twins' trees.
fn check<G: Game>(device: &Device, before: &Snapshot<G>, steps: &[u32]) -> Snapshot<G> {
    let (game, shape) = (before.game.shader(), &before.forest.shape);
    Planted::relay(device, &game, shape, NO_MISTAKE).assert_follows(before, steps)
}

#[test]
fn relayed_trees_are_the_references() {
    each_adapter(|adapter| {
        let device = device(adapter);
        let game = Connect4::default();
        let setting = Setting { trees_per_position: 2, first_tree: 7, capacity: 6000, ucb_c: 0.8, seed: 21 };
        for &kind in cases(adapter, &KINDS) {
            let before = planted_trees(&game, kind, setting, &of_all_stages(&game));
            let after = check(&device, &before, &[1, 60, 2, 41]);
            let rests = after.forest.trees.iter().filter(|tree| tree.flags & TREE_PROVEN != 0).count();
            assert_eq!(rests > 4, kind.0 != Semantics::Original, "{rests}");
        }
    });
}

/// Boards so small that trees become full, one of a game whose lanes play several games in turn; and paths with more
/// levels than a subgroup has lanes.
#[test]
fn relayed_trees_that_are_full_or_deep_are_the_references() {
    each_adapter(|adapter| {
        let device = device(adapter);
        let full = Setting { trees_per_position: 1, first_tree: 0, capacity: 40, ucb_c: 1.5, seed: 5 };
        let deep = Setting { trees_per_position: 3, capacity: 4000, ucb_c: 0.0, ..full };
        let small = connect4_of(4, 4);
        let tower = connect4_of(30, 2);
        for &kind in cases(adapter, &KINDS[..4]) {
            let before = planted_trees(&small, kind, full, &of_all_stages(&small));
            let after = check(&device, &before, &[50, 20]);
            assert!(after.forest.trees.iter().any(|tree| tree.flags & TREE_FULL != 0));
        }
        let before = planted_trees(&tower, KINDS[1], deep, &[Position::start(&tower)]);
        let after = check(&device, &before, &[200, 200]);
        assert!(after.forest.trees.iter().any(|tree| tree.max_depth > 45));
    });
}

/// Each of them must change the trees. None may make a loop endless: a GPU would hang.
const MISTAKES: [Mistake; 11] = [
    ("the selection never leaves the path", "        if best «!= level.child ⇒ == 77u» {\n"),
    ("ties go by nothing", "order == 0 && level.is_first «!= 0u ⇒ == 7u»"),
    ("the first new child is the best", "wins > «most ⇒ 0xfffffffu» ||"),
    ("new children have no wins", "«select(its.x, its.y, mover == SECOND) ⇒ 0u», 0u);"),
    ("the wins of the wrong player", "settle_level(level, child, n, wins.«y ⇒ x»)"),
    ("a win decides nothing", "(rank == «WIN ⇒ 77u» ||"),
    (
        "other proofs don't matter",
        "let is_quick = ends >= WON && leaf.depth > 0u« && has_plain_rival((*mine).rivals) ⇒ »;",
    ),
    ("draws and losses are forgotten", "u32(ends «!= 0u ⇒ > ENDED» && !is_quick)"),
    ("children that end the game are chosen", "let open = listed« & ~atomicLoad(&sh_ended_actions) ⇒ »;"),
    ("any rival has the path", "if «rivals.rival == start.noted ⇒ start.noted != NO_RIVAL» {"),
    (
        "a path is kept after a departure above it",
        "let stays = «lane < departure_level &&  ⇒ »level.approx != NO_CHILD;",
    ),
];

/// With equal bounds.
const OF_TIES: [Mistake; 1] =
    [("of equal children the last one is the best", "wins == most && tie «< ⇒ >» least")];

#[test]
fn mistakes_in_relayed_steps_show() {
    on_the_first_adapter(|adapter| {
        let device = device(adapter);
        let game = blind_connect4(4, 5);
        let setting = Setting { trees_per_position: 2, first_tree: 0, capacity: 3000, ucb_c: 0.5, seed: 2 };
        for (semantics, mistakes) in [
            (Semantics::Whole, &[&MISTAKES[..], &OF_TIES].concat()[..]),
            (Semantics::Stronger, &super::proofs::OF_PRUNING[..1]),
        ] {
            let before = planted_trees(&game, (semantics, 4), setting, &of_all_stages(&game));
            let after = check(&device, &before, &[79, 1]);
            for &mistake in tried(mistakes) {
                let wrong = Planted::relay(&device, &game.shader(), &before.forest.shape, mistake);
                let got = wrong.step(&wrong.step(&before, 79), 1);
                assert!(!differing_words(&after, &got).is_empty(), "not found: {}", mistake.0);
            }
        }
    });
}

/// A search relays steps that play out all of a few children, unless it has many trees, or wins alone do not order new
/// children: a mistake in the relay changes those trees only.
#[test]
fn searches_relay_short_steps_of_few_children() {
    let [from, to] = sides(MISTAKES[2].1);
    on_the_first_adapter(|adapter| {
        let device = device(adapter).with_mistake(&from, &to);
        let game = connect4_of(4, 4);
        let setting = Setting { trees_per_position: 2, first_tree: 0, capacity: 3000, ucb_c: 0.5, seed: 2 };
        for (ucb_c, relayed) in [(0.5, true), (4096.0, false)] {
            let setting = Setting { ucb_c, ..setting };
            let rig =
                Rig::new(&device, &game, (Variant::ACP_PRODIGAL, Semantics::Stronger), 16, Schedule::Fused);
            let (mut host, on_device) = rig.begin(setting, &[Position::start(&game)]);
            on_device.put(&host);
            on_device.step(Schedule::Fused, 50);
            host.step(50);
            assert_eq!(differing_words(&host, &on_device.get(&host)).is_empty(), !relayed, "C = {ucb_c}");
        }
    });
}

#[test]
fn steps_are_relayed_where_children_are_few_and_paths_short() {
    fn relays<G: Game>(game: &G, variant: Variant) -> bool {
        can_be_relayed(&shape(game, variant, 128))
    }
    let (acp, ocp) = (Variant::ACP_THRIFTY, Variant::OCP_THRIFTY);
    assert!(relays(&connect4_of(6, 7), acp) && relays(&connect4_of(3, 16), acp));
    assert!(!relays(&connect4_of(6, 7), ocp), "one child's games fit one workgroup");
    assert!(!relays(&Othello, acp) && !relays(&Gomoku::default(), acp), "many children");
    let superko = go_of(3, 7.5).with_superko(true);
    assert!(!relays(&superko, acp), "positions of a path are recorded");
    let plain = shape(&connect4_of(6, 7), acp, 128);
    for other in [
        Shape { config: Config { leaf_batch: 2, ..plain.config }, ..plain.clone() },
        Shape { config: Config { prior_visits: 1, ..plain.config }, ..plain.clone() },
        Shape { path_capacity: 129, ..plain.clone() },
    ] {
        assert!(can_be_relayed(&plain) && !can_be_relayed(&other));
    }
}
