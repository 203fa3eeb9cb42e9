// The weight of a candidate: the rating of its pattern. Composed after group.wgsl.

// Adds a neighbour to the bits of a pattern. A cell's colour has one bit for each player, both if it is off the board.
fn go_add_neighbour(bits: vec2<u32>, cell: u32, neighbour: u32) -> vec2<u32> {
    let colour = go_colour(cell);
    return bits | (vec2<u32>(colour & 1u, colour >> 1u) << vec2<u32>(neighbour));
}

// Adds three neighbours side by side.
fn go_add_three(bits: vec2<u32>, middle: u32, neighbour: u32) -> vec2<u32> {
    let left = go_add_neighbour(bits, middle - 1u, neighbour);
    return go_add_neighbour(go_add_neighbour(left, middle, neighbour + 1u), middle + 1u, neighbour + 2u);
}

fn go_group_weight(cell: u32, turn: u32) -> u32 {
    const S = GO_GROUP_STRIDE;
    var bits = vec2<u32>(0u);
    if GO_NEIGHBOURS == 8u {
        bits = go_add_three(bits, cell - S, 0u);
        bits = go_add_neighbour(bits, cell - 1u, 3u);
        bits = go_add_neighbour(bits, cell + 1u, 4u);
        bits = go_add_three(bits, cell + S, 5u);
    } else {
        bits = go_add_neighbour(bits, cell - 2u * S, 0u);
        bits = go_add_three(bits, cell - S, 1u);
        bits = go_add_neighbour(bits, cell - 2u, 4u);
        bits = go_add_neighbour(bits, cell - 1u, 5u);
        bits = go_add_neighbour(bits, cell + 1u, 6u);
        bits = go_add_neighbour(bits, cell + 2u, 7u);
        bits = go_add_three(bits, cell + S, 8u);
        bits = go_add_neighbour(bits, cell + 2u * S, 11u);
    }
    return (go_ratings(bits.x, bits.y) >> (16u * turn)) & 0xffffu;
}
