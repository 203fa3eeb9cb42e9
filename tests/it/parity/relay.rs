//! Steps of one dispatch each, which pass notes to the next one: the trees of the twins.

use super::*;
use mcts_wgpu::internals::gpu::shaders::can_be_relayed;

/// Several children a workgroup, one, and one in several workgroups.
const KINDS: [WholeSteps; 5] = [
    WholeSteps(Variant::ACP_PRODIGAL, Semantics::Stronger, 4, None),
    WholeSteps(Variant::ACP_PRODIGAL, Semantics::Whole, 1, None),
    WholeSteps(Variant::ACP_PRODIGAL, Semantics::Original, 32, None),
    WholeSteps(Variant::ACP_PRODIGAL, Semantics::Whole, 128, None),
    WholeSteps(Variant::ACP_PRODIGAL, Semantics::Stronger, 256, None),
];

#[test]
fn relayed_trees_are_the_references() {
    each_adapter(|adapter| {
        let device = device(adapter);
        let game = Connect4::default();
        let setting = Setting { trees_per_position: 2, first_tree: 7, capacity: 6000, ucb_c: 0.8, seed: 21 };
        for &kind in cases(adapter, &KINDS) {
            let steps = &[1, 60, 2, 41];
            let after = kind.check(&device, &kind.trees(&game, setting, &of_all_stages(&game)), steps);
            let rests = after.forest.trees.iter().filter(|tree| tree.flags & TREE_PROVEN != 0).count();
            assert_eq!(rests > 4, kind.1 != Semantics::Original, "{rests}");
        }
    });
}

/// Boards so small that trees become full, one of a game whose lanes play several games in turn; and paths with more
/// levels than a subgroup has lanes.
#[test]
fn relayed_trees_that_are_full_or_deep_are_the_references() {
    each_adapter(|adapter| {
        cases(adapter, &KINDS[..4]).for_each(|kind| kind.check_full(&device(adapter)));
        KINDS[1].check_deep(&device(adapter), &[200, 200], 45);
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
            let kind = WholeSteps(Variant::ACP_PRODIGAL, semantics, 4, None);
            kind.find(&device, &kind.trees(&game, setting, &of_all_stages(&game)), &[79, 1], mistakes);
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
