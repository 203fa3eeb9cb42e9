// The planes of a position, which the specification lists. Twin of src/games/go/planes.rs.

// One of three bits: the group of a stone has one, two, or more liberties.
fn go_liberties(stone: GoPlane, side: GoPlane, empty: GoPlane) -> u32 {
    let group = go_flood(stone, side);
    return (1u << min(go_count(go_and(go_neighbours(group), empty)), 3u)) >> 1u;
}

fn planes(state: ptr<function, State>, turn: u32, place: u32) -> u32 {
    let row = GO_ROWS - 1u - place / GO_COLUMNS;
    let point = go_point(row * GO_COLUMNS + place % GO_COLUMNS);
    var board = go_board_of(state, turn);
    let empty = go_empty(board.mine, board.theirs);
    if go_any(go_and(point, board.mine)) {
        return stone_planes(1u + turn, turn) | (go_liberties(point, board.mine, empty) << 4u);
    }
    if go_any(go_and(point, board.theirs)) {
        return stone_planes(2u - turn, turn) | (go_liberties(point, board.theirs, empty) << 7u);
    }
    let impact = go_place(&board, point);
    let is_illegal = impact.own.liberties == 0u || go_same(point, board.ko);
    return stone_planes(0u, turn) | (u32(is_illegal) << 10u) | (u32(go_any(impact.captured)) << 11u);
}
