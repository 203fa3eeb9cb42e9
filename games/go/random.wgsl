// Go playouts that draw all candidates with equal probability. Composed after rules.wgsl; twin of
// src/games/go/playout.rs.

struct Playout {
    board: GoBoard,
    placements: GoPlane,
    turn: u32,
    passes: u32,
    moves: u32,
}

fn playout_begin(state: ptr<function, State>, turn: u32, lane: u32) -> Playout {
    let word = (*state)[2u * GO_WORDS];
    var board = go_board_of(state, turn);
    board.atari = go_find_atari(board.mine, board.theirs);
    return Playout(board, GoPlane(), turn, go_passes(word), go_moves(word));
}

// Order: the candidates by ascending action; only the pass if there is none.
fn legal_actions_playout(playout: ptr<function, Playout>, lane: u32) -> u32 {
    var board = (*playout).board;
    let placements = go_placements(&board);
    (*playout).placements = placements;
    return max(go_count(placements), 1u);
}

fn advance_playout(playout: ptr<function, Playout>, ordinal: u32, lane: u32) -> bool {
    let placements = (*playout).placements;
    var board = (*playout).board;
    var passes = (*playout).passes + 1u;
    if go_any(placements) {
        let stone = go_nth(placements, ordinal);
        if NOTES_FIRSTS {
            go_note_first(stone, (*playout).turn);
        }
        go_play(&board, stone);
        passes = 0u;
    } else {
        board.ko = GoPlane();
    }
    let turn = 1u - (*playout).turn;
    let moves = (*playout).moves + 1u;
    board = GoBoard(board.theirs, board.mine, board.atari, board.ko);
    *playout = Playout(board, placements, turn, passes, moves);
    return go_is_over(passes, moves);
}
