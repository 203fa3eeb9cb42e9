//! Dispatches with more than one row of workgroups.

use super::*;

/// A few more than a row.
const TREES: u32 = GROUP_ROW + 40;
/// Trees whose children, 32 a workgroup, are slightly more than a row.
const TREES_OF_MANY_CHILDREN: u32 = 32 / COLUMNS * GROUP_ROW + 40;
const COLUMNS: u32 = 16;

fn rig(device: &Device, columns: u32, variant: Variant, schedule: Schedule) -> Rig<Connect4> {
    let game = connect4_of(3, columns);
    Rig::new(device, &game, (variant, Semantics::Stronger), 1, schedule)
}

/// Trees that are their roots, on both sides, with streams that take no jumps to make.
fn planted_trees(rig: &Rig<Connect4>, trees: u32, of_a_position: u32) -> (Snapshot<Connect4>, OnDevice) {
    let capacity = 2 * rig.game().max_actions() + 1;
    let setting = Setting { trees_per_position: of_a_position, first_tree: 0, capacity, ucb_c: 1.0, seed: 6 };
    let positions = vec![Position::start(rig.game()); (trees / of_a_position) as usize];
    let (mut host, device) = rig.start(setting, &positions);
    for (seed, stream) in (0..).zip(&mut host.forest.streams) {
        *stream = Stream::seeded(seed).words().into();
    }
    for (seed, tree) in (1 << 40..).zip(&mut host.forest.trees) {
        tree.expansion_stream = Stream::seeded(seed).words().into();
    }
    device.put(&host);
    device.run("reset", &host);
    host.twin("reset");
    (host, device)
}

/// On one adapter: software takes long.
fn on_one_adapter(check: impl Fn(&Device) + Sync) {
    on_the_first_adapter(|adapter| check(&device(adapter)));
}

/// Each tree with a workgroup of its own, and each position.
#[test]
fn trees_of_a_second_row_are_the_references() {
    on_one_adapter(|device| {
        let kinds = [(Variant::ACP_PRODIGAL, Schedule::Fused), (Variant::OCP_THRIFTY, Schedule::Staged)];
        for (variant, schedule) in kinds {
            let rig = rig(device, 4, variant, schedule);
            let (mut host, device) = planted_trees(&rig, TREES, 1);
            device.step(schedule, 2);
            host.step(2);
            compare(&host, &device.get(&host), &format!("{} {}", rig.name, schedule.name()));
            for kernel in ["reduce_over_trees", "reduce_over_actions", "fingerprint"] {
                device.run(kernel, &host);
                host.twin(kernel);
            }
            let got = device.get(&host);
            assert_eq!(got.digests, host.digests);
            assert!(got.root_sums == host.root_sums && got.best == host.best);
        }
    });
}

/// Children and games by the lane; thrifty ones in as many rows as the device plans.
#[test]
fn children_of_a_second_row_are_the_references() {
    on_one_adapter(|device| {
        for variant in [Variant::ACP_THRIFTY, Variant::ACP_PRODIGAL] {
            let rig = rig(device, COLUMNS, variant, Schedule::Staged);
            let (mut host, device) = planted_trees(&rig, TREES_OF_MANY_CHILDREN, TREES_OF_MANY_CHILDREN);
            device.step(Schedule::Staged, 1);
            host.step(1);
            let got = device.get(&host);
            compare(&host, &got, &rig.name);
            if variant.thrifty {
                host.twin("count_jobs");
                assert_eq!(host.dispatches[..2], [GROUP_ROW, 2]);
                assert!(got.forest.jobs == host.forest.jobs && got.dispatches == host.dispatches);
            }
        }
    });
}

/// Invocations of the second row do the work of the first.
const ONE_ROW: Mistake = ("one row of trees", "params.first_group + group.«y * GROUP_ROW + group. ⇒ »x;");
const ONE_ROW_OF_POSITIONS: Mistake = ("one row of positions", "group.«z * GROUP_ROW + group. ⇒ »y");
const ONE_ROW_PLANNED: Mistake = ("one row planned", "«(groups + GROUP_ROW - 1u) / GROUP_ROW ⇒ 1u»");

#[test]
fn mistakes_of_kernels_that_know_one_row_show() {
    on_one_adapter(|device| {
        let rig = rig(device, 4, Variant::ACP_THRIFTY, Schedule::Staged);
        let (mut trees, _) = planted_trees(&rig, TREES, 1);
        trees.step(1);
        let mut reduced = trees.clone();
        reduced.twin("reduce_over_trees");
        // As many children as trees of a larger board may have.
        let mut expanded = trees.clone();
        expanded.forest.trees.iter_mut().for_each(|tree| tree.expanded = 32);
        for &(mistake, kernel, input, groups) in tried(&[
            (ONE_ROW, "select_leaf", &trees, [GROUP_ROW, 2, 1]),
            (ONE_ROW, "reduce_over_actions", &reduced, [GROUP_ROW, 2, 1]),
            (ONE_ROW_OF_POSITIONS, "reduce_over_trees", &trees, [5, GROUP_ROW, 2]),
            (ONE_ROW_PLANNED, "count_jobs", &expanded, [1, 1, 1]),
        ]) {
            check_mistakes(&rig, input, (kernel, groups), &[mistake]);
        }
    });
}
