// The weights that the policy `tactical` adds to the ratings of patterns: candidates next to the last stone have
// several times their entries, and those that capture stones or save own ones have further entries after those of all.
// Composed with patterns.wgsl; constants disable it under other policies. Twin of src/games/go/tactics.rs, which has
// the sources.

const GO_TACTICAL: bool = GO_URGENT_TIMES > 0u;
// The weight that a candidate next to the last stone has besides its rating, in ratings.
const GO_MORE_ANSWERS: u32 = GO_ANSWER_TIMES - 1u;

// The last stone; none after a pass, and at the start of a playout.
fn go_last_stone(playout: ptr<function, Playout>) -> GoPlane {
    return go_and((*playout).changed, (*playout).board.theirs);
}

// True for the row among the three around the last stone.
fn go_answer_row(row: u32, last_row: u32) -> vec3<bool> {
    return vec3<u32>(row + 1u - last_row) == vec3<u32>(0u, 1u, 2u);
}

// Adds the rating of an answer to the sums of its row, whose first span is in the low half.
fn go_add_answer(sums: vec3<u32>, bit: u32, last_row: u32, rating: u32) -> vec3<u32> {
    let row = bit / GO_STRIDE;
    let more = rating << (16u * u32(bit - row * GO_STRIDE >= GO_SPAN));
    return sums + select(vec3<u32>(0u), vec3<u32>(more), go_answer_row(row, last_row));
}

// The sum of the answers' ratings in a span.
fn go_answers_in(sums: vec3<u32>, span: u32, last_row: u32) -> u32 {
    let of_row = select(vec3<u32>(0u), sums, go_answer_row(span / GO_ROW_SPANS, last_row));
    return ((of_row.x + of_row.y + of_row.z) >> (16u * (span % GO_ROW_SPANS))) & 0xffffu;
}

// The candidates that capture stones, or that save own ones.
fn go_urgent(board: ptr<function, GoBoard>, candidates: GoPlane) -> GoPlane {
    let mine = (*board).mine;
    let theirs = (*board).theirs;
    let atari = (*board).atari;
    let takes = go_neighbours(go_and(theirs, atari));
    let safe = go_or(go_twice_beside(go_empty(mine, theirs)), go_neighbours(go_without(mine, atari)));
    let saves = go_and(go_neighbours(go_and(mine, atari)), safe);
    return go_and(go_or(takes, saves), candidates);
}

// The number of entries of all candidates, by their ratings, several times for those next to the last stone.
fn go_rated_entries(playout: ptr<function, Playout>) -> u32 {
    if !GO_TACTICAL {
        return (*playout).sums.x;
    }
    let answers = (*playout).answers;
    let halves = (answers & vec3<u32>(0xffffu)) + (answers >> vec3<u32>(16u));
    return (*playout).sums.x + GO_MORE_ANSWERS * (halves.x + halves.y + halves.z);
}

// The number of further entries of an urgent candidate.
fn go_urgent_entries(playout: ptr<function, Playout>) -> u32 {
    return GO_URGENT_TIMES * (*playout).sums.x;
}

// The number of further entries of all urgent candidates.
fn go_all_urgent_entries(playout: ptr<function, Playout>) -> u32 {
    if !GO_TACTICAL {
        return 0u;
    }
    var board = (*playout).board;
    return go_urgent_entries(playout) * go_count(go_urgent(&board, (*playout).placements));
}

// The point of a place in the list of all entries.
fn go_drawn_point(playout: ptr<function, Playout>, place: u32, lane: u32) -> GoPlane {
    let rated = go_rated_entries(playout);
    if !GO_TACTICAL || place < rated {
        return go_bit(go_drawn(playout, place, lane));
    }
    var board = (*playout).board;
    return go_nth(go_urgent(&board, (*playout).placements), (place - rated) / max(go_urgent_entries(playout), 1u));
}
