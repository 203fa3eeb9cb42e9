//! Fused steps with lookahead paths.

use super::*;

const MISTAKES: [Mistake; 3] = [
    ("the path is never left", "«                atomicMin(&sh_departure_level, path_lane);\n ⇒ »"),
    ("any rival has the path", "let is_noted = «node == noted_rival ⇒ noted_rival != NONE_NOTED»;"),
    ("the next leaf has the position of the last one", "«    *state = end.state;\n ⇒ »"),
];

/// Steps of a dispatch: software adapters end loops with many iterations.
const STEPS: u32 = 800;
const DISPATCHES: u32 = 2;

#[test]
fn mistakes_in_looking_ahead_show() {
    on_the_first_adapter(|adapter| {
        let device = device(adapter);
        let game = Connect4::default();
        let setting =
            Setting { trees_per_position: 16, first_tree: 0, capacity: 12_000, ucb_c: 1.0, seed: 4 };
        let rig = Rig::new(&device, &game, (Variant::OCP_PRODIGAL, Semantics::Original), 1, Schedule::Fused);
        let (before, _) = rig.begin(setting, &[Position::start(&game)]);
        let mut after = before.clone();
        after.step(DISPATCHES * STEPS);
        let made = |mistake| {
            let planted = rig.planted(&before.forest.shape, Schedule::Fused, mistake);
            let planted = planted.in_one_dispatch();
            (0..DISPATCHES).fold(before.clone(), |trees, _| planted.step(&trees, STEPS))
        };
        compare(&after, &made(NO_MISTAKE), "whole steps");
        for &mistake in tried(&MISTAKES) {
            assert!(!differing_words(&after, &made(mistake)).is_empty(), "not found: {}", mistake.0);
        }
    });
}
