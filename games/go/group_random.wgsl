// The weight of a candidate where all are alike. Composed after group.wgsl.

fn go_group_weight(cell: u32, turn: u32) -> u32 {
    return 1u;
}
