// Saves a PV-Split worker for the next dispatch: its scalars, its board, and the part of the stack in use.

fn worker_save(worker: u32) {
    saved[worker] = subtree;
    if subtree == NO_SUBTREE {
        return;
    }
    var scalars = array<u32, SAVED_SCALARS>(
        subtree, ply | (copy << 16u), replay, side, bitcast<u32>(score), bitcast<u32>(root_beta), board_aux
    );
    for (var k = 0u; k < SAVED_SCALARS; k++) {
        saved[k * params.workers + worker] = scalars[k];
    }
    var at = SAVED_SCALARS * params.workers + worker;
    for (var w = 0u; w < KEPT_WORDS; w++) {
        saved[at] = sh_board[w * LANES + lane];
        at += params.workers;
    }
    for (var k = 0u; k <= ply; k++) {
        saved[at] = bitcast<u32>(stack_alpha[k]);
        saved[at + params.workers] = bitcast<u32>(stack_score[k]);
        saved[at + 2u * params.workers] = stack_next[k];
        saved[at + 3u * params.workers] = stack_move[k];
        at += 4u * params.workers;
        for (var w = 0u; w < UNDO_WORDS; w++) {
            saved[at] = stack_undo[k][w];
            at += params.workers;
        }
    }
    for (var k = 0u; k < replay; k++) {
        saved[at] = path_moves[k];
        at += params.workers;
    }
}

fn worker_resume(worker: u32) {
    subtree = saved[worker];
    if subtree == NO_SUBTREE {
        return;
    }
    ply = saved[params.workers + worker] & 0xffffu;
    copy = saved[params.workers + worker] >> 16u;
    replay = saved[2u * params.workers + worker];
    side = saved[3u * params.workers + worker];
    score = bitcast<i32>(saved[4u * params.workers + worker]);
    root_beta = bitcast<i32>(saved[5u * params.workers + worker]);
    board_aux = saved[6u * params.workers + worker];
    var at = SAVED_SCALARS * params.workers + worker;
    for (var w = 0u; w < KEPT_WORDS; w++) {
        sh_board[w * LANES + lane] = saved[at];
        at += params.workers;
    }
    for (var k = 0u; k <= ply; k++) {
        stack_alpha[k] = bitcast<i32>(saved[at]);
        stack_score[k] = bitcast<i32>(saved[at + params.workers]);
        stack_next[k] = saved[at + 2u * params.workers];
        stack_move[k] = saved[at + 3u * params.workers];
        at += 4u * params.workers;
        for (var w = 0u; w < UNDO_WORDS; w++) {
            stack_undo[k][w] = saved[at];
            at += params.workers;
        }
    }
    for (var k = 0u; k < replay; k++) {
        path_moves[k] = saved[at];
        at += params.workers;
    }
}
