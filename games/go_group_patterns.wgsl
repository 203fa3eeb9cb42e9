// The weight of a candidate: the rating of its pattern. Put behind go_group.wgsl.

// Adds a neighbour to the own and the opposing bits of a pattern (src/games/go/policy.rs, device_words).
fn go_add_neighbour(bits: vec2<u32>, cell: u32, turn: u32, neighbour: u32) -> vec2<u32> {
    let colour = go_colour(cell);
    let is_own = u32(colour == go_stone(turn) || colour == GO_OFF_BOARD);
    let is_opposing = u32(colour == go_stone(1u - turn) || colour == GO_OFF_BOARD);
    return bits | (vec2<u32>(is_own, is_opposing) << vec2<u32>(neighbour));
}

// Three neighbours side by side, without the middle one if it is the point itself.
fn go_add_three(bits: vec2<u32>, middle: u32, turn: u32, neighbour: u32) -> vec2<u32> {
    let left = go_add_neighbour(bits, middle - 1u, turn, neighbour);
    return go_add_neighbour(go_add_neighbour(left, middle, turn, neighbour + 1u), middle + 1u, turn, neighbour + 2u);
}

fn go_group_weight(cell: u32, turn: u32) -> u32 {
    const S = GO_GROUP_STRIDE;
    var bits = vec2<u32>(0u);
    if GO_NEIGHBOURS == 8u {
        bits = go_add_three(bits, cell - S, turn, 0u);
        bits = go_add_neighbour(bits, cell - 1u, turn, 3u);
        bits = go_add_neighbour(bits, cell + 1u, turn, 4u);
        bits = go_add_three(bits, cell + S, turn, 5u);
    } else {
        bits = go_add_neighbour(bits, cell - 2u * S, turn, 0u);
        bits = go_add_three(bits, cell - S, turn, 1u);
        bits = go_add_neighbour(bits, cell - 2u, turn, 4u);
        bits = go_add_neighbour(bits, cell - 1u, turn, 5u);
        bits = go_add_neighbour(bits, cell + 1u, turn, 6u);
        bits = go_add_neighbour(bits, cell + 2u, turn, 7u);
        bits = go_add_three(bits, cell + S, turn, 8u);
        bits = go_add_neighbour(bits, cell + 2u * S, turn, 11u);
    }
    return go_rating(bits.x, bits.y);
}
