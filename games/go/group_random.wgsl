// The weight of a candidate if all are equal. Composed after group.wgsl.

fn go_group_weight(cell: u32, turn: u32) -> u32 {
    return 1u;
}
