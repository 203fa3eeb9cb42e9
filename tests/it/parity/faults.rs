//! Faults that kernels report if an adapter misreads memory.

use super::*;
use mcts_wgpu::internals::forest::layout::{FAULT_MISREAD, FAULTS};

/// A word that is 0 simulates a number that is read as 0: where a workgroup gathers its faults, and where lanes store
/// theirs.
const MISREADS: [Mistake; 2] = [
    ("gathered", "found_faults(params.«n_trees ⇒ padding») | own_notes"),
    ("noted", "let faults = found_faults(params.«n_trees ⇒ padding»);"),
];

#[test]
fn numbers_read_as_0_are_faults() {
    each_adapter(|adapter| {
        let device = device(adapter);
        let game = connect4_of(4, 4);
        let setting = Setting { trees_per_position: 3, first_tree: 0, capacity: 200, ucb_c: 1.0, seed: 3 };
        let base = Semantics::Stronger.of(shape(&game, Variant::OCP_PRODIGAL, 4));
        let trees = seeded_trees(&game, base, setting, &[Position::start(&game)]);
        // The lanes of a fused step store nothing.
        for (schedule, mistakes) in [(Schedule::Staged, &MISREADS[..]), (Schedule::Fused, &MISREADS[..1])] {
            let faults = |mistake| {
                let planted = Planted::new(&device, &game.shader(), &trees.forest.shape, schedule, mistake);
                let after = planted.step(&trees, 2);
                after.forest.trees.iter().map(|tree| tree.flags & FAULTS).collect::<Vec<_>>()
            };
            assert_eq!(faults(NO_MISTAKE), [0; 3], "{schedule}");
            for &mistake in mistakes {
                assert_eq!(faults(mistake), [FAULT_MISREAD; 3], "{schedule} {}", mistake.0);
            }
        }
    });
}
