// The owners of points at the end of a playout, for rollouts that count them. The owner is the player of the stone
// there, or the only player whose stones the empty region touches. Composed after playout_ends.wgsl and firsts.wgsl;
// the twin is in src/games/go/playout.rs.

var<private> go_black_area: GoPlane;
var<private> go_white_area: GoPlane;

fn find_owners(playout: ptr<function, Playout>, lane: u32) {
    let mine = (*playout).board.mine;
    let theirs = (*playout).board.theirs;
    let empty = go_empty(mine, theirs);
    let reached = go_flood(mine, empty);
    let reached_by_them = go_flood(theirs, empty);
    let own = go_without(reached, reached_by_them);
    let others = go_without(reached_by_them, reached);
    let is_black = (*playout).turn == FIRST;
    go_black_area = go_select(others, own, is_black);
    go_white_area = go_select(own, others, is_black);
}

// The owner of the point of an action: 1 for Black, -1 for White, 0 for none.
fn owner_of(action: u32) -> i32 {
    let bit = action + action / GO_COLUMNS;
    let black = (go_word_of(go_black_area, bit / 32u) >> (bit & 31u)) & 1u;
    let white = (go_word_of(go_white_area, bit / 32u) >> (bit & 31u)) & 1u;
    return i32(black) - i32(white);
}
