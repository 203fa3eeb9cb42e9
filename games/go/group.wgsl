// Go playouts with a workgroup for each game, as in Iwakawa, Narumi and Muramatsu (sections 4.2.1 and 4.2.2). A lane
// computes all values of its GO_LANE_POINTS neighbouring points (one if there are enough lanes) after every move.
// Composed after rules.wgsl. The games are those of random.wgsl and patterns.wgsl.
//
// The label of a group is the cell of one of its stones: a stone that joins groups sets the labels of all their stones
// to its own cell. Each empty point adds a liberty to the groups around it, so that legal moves and captures need no
// search. Unlike in the paper, only legal candidates are drawn.

const GO_GROUP_STRIDE: u32 = GO_COLUMNS + 2u;
// A margin of two rows below and above, and of two columns between rows: no neighbour of a pattern is further away.
const GO_CELLS: u32 = (GO_ROWS + 4u) * GO_GROUP_STRIDE + 2u;
const GO_POINTS: u32 = GO_ROWS * GO_COLUMNS;
const GO_LANE_POINTS: u32 = (GO_POINTS + GROUP_LANES - 1u) / GROUP_LANES;

// The content of a cell, in the low bits of its word; above them the label of a stone.
const GO_EMPTY: u32 = 0u;
const GO_OFF_BOARD: u32 = 3u;
// Stands for a pass, and for "no ko".
const GO_NO_CELL: u32 = 0u;

// [cell]: its content; 1 and 2 are stones of the first and of the second player
var<workgroup> sh_cell: array<u32, GO_CELLS>;
// [label]
var<workgroup> sh_liberties: array<atomic<u32>, GO_CELLS>;
// [point]: of candidates, 0 for others
var<workgroup> sh_weight: array<u32, GO_POINTS>;
// [lane]: sums of the weights, up to and with the lane's
var<workgroup> sh_sum: array<u32, GROUP_LANES>;
var<workgroup> sh_move: u32;
// Stones taken by a move, and the sum of their cells: the cell of a single stone
var<workgroup> sh_taken: atomic<u32>;
var<workgroup> sh_taken_cells: atomic<u32>;
// The last iteration in which some lane changed a word
var<workgroup> sh_changed: atomic<u32>;
var<workgroup> sh_settled: u32;
var<workgroup> sh_area: atomic<i32>;

// The cell that may not be retaken at once, the same in all lanes. It is not a field of GroupGame: its value depends on
// results of other lanes, so that compilers can't prove it uniform. They would then treat the whole structure as not
// uniform, and refuse the barriers that depend on its fields.
var<private> go_ko: u32;

// The same in all lanes.
struct GroupGame {
    turn: u32,
    passes: u32,
    moves: u32,
}

fn go_cell(point: u32) -> u32 {
    let row = point / GO_COLUMNS;
    return (row + 2u) * GO_GROUP_STRIDE + point - row * GO_COLUMNS;
}

// The neighbour of a cell on a side, 0 to 3.
fn go_beside(cell: u32, side: u32) -> u32 {
    return select(
        select(cell - 1u, cell + 1u, side == 1u),
        select(cell - GO_GROUP_STRIDE, cell + GO_GROUP_STRIDE, side == 3u),
        side >= 2u,
    );
}

fn go_colour(cell: u32) -> u32 {
    return sh_cell[cell] & 3u;
}

fn go_stone(player: u32) -> u32 {
    return player + 1u;
}

// --- liberties -----------------------------------------------------------------------------------------------

// Adds a liberty to each group around an empty point.
fn go_give_liberty(cell: u32) {
    let a = sh_cell[cell - 1u];
    let b = sh_cell[cell + 1u];
    let c = sh_cell[cell - GO_GROUP_STRIDE];
    let d = sh_cell[cell + GO_GROUP_STRIDE];
    if a > GO_OFF_BOARD {
        atomicAdd(&sh_liberties[a >> 2u], 1u);
    }
    if b > GO_OFF_BOARD && b != a {
        atomicAdd(&sh_liberties[b >> 2u], 1u);
    }
    if c > GO_OFF_BOARD && c != a && c != b {
        atomicAdd(&sh_liberties[c >> 2u], 1u);
    }
    if d > GO_OFF_BOARD && d != a && d != b && d != c {
        atomicAdd(&sh_liberties[d >> 2u], 1u);
    }
}

// Counts the liberties of all groups; needs the labels. Ends with a barrier.
fn go_count_liberties(lane: u32) {
    for (var cell = lane; cell < GO_CELLS; cell += GROUP_LANES) {
        atomicStore(&sh_liberties[cell], 0u);
    }
    workgroupBarrier();
    for (var i = 0u; i < GO_LANE_POINTS; i++) {
        let point = lane * GO_LANE_POINTS + i;
        if point < GO_POINTS && go_colour(go_cell(point)) == GO_EMPTY {
            go_give_liberty(go_cell(point));
        }
    }
    workgroupBarrier();
}

// --- loops until nothing changes -------------------------------------------------------------------------------

// Whether no lane has changed a word in this iteration, counted from 1. Has barriers.
fn go_is_settled(lane: u32, iteration: u32, changed: bool) -> bool {
    if changed {
        atomicMax(&sh_changed, iteration);
    }
    workgroupBarrier();
    if lane == 0u {
        sh_settled = u32(atomicLoad(&sh_changed) < iteration);
    }
    return workgroupUniformLoad(&sh_settled) == 1u;
}

fn go_begin_settling(lane: u32) {
    if lane == 0u {
        atomicStore(&sh_changed, 0u);
    }
    workgroupBarrier();
}

// The word of a cell after an iteration of labelling: a stone takes the greatest label of its colour around it.
fn go_relabelled(cell: u32) -> u32 {
    var word = sh_cell[cell];
    if word > GO_OFF_BOARD {
        for (var side = 0u; side < 4u; side++) {
            let other = sh_cell[go_beside(cell, side)];
            word = select(word, max(word, other), ((word ^ other) & 3u) == 0u);
        }
    }
    return word;
}

// The word of a cell after an iteration of scoring: an empty point collects, in the bits of labels, the colours of the
// stones around it and those that its empty neighbours have collected.
fn go_touched(cell: u32) -> u32 {
    var word = sh_cell[cell];
    if (word & 3u) == GO_EMPTY {
        for (var side = 0u; side < 4u; side++) {
            let other = sh_cell[go_beside(cell, side)];
            let colour = other & 3u;
            word |= select(select(0u, colour << 2u, colour != GO_OFF_BOARD), other, colour == GO_EMPTY);
        }
    }
    return word;
}

// Repeats an iteration for all points until nothing changes: of labelling, or of scoring.
fn go_settle(lane: u32, labels: bool) {
    go_begin_settling(lane);
    var words: array<u32, GO_LANE_POINTS>;
    var settled = false;
    for (var iteration = 1u; !settled; iteration++) {
        var changed = false;
        for (var i = 0u; i < GO_LANE_POINTS; i++) {
            let point = lane * GO_LANE_POINTS + i;
            if point < GO_POINTS {
                let cell = go_cell(point);
                words[i] = select(go_touched(cell), go_relabelled(cell), labels);
                changed = changed || words[i] != sh_cell[cell];
            }
        }
        workgroupBarrier();
        for (var i = 0u; i < GO_LANE_POINTS; i++) {
            let point = lane * GO_LANE_POINTS + i;
            if point < GO_POINTS {
                sh_cell[go_cell(point)] = words[i];
            }
        }
        settled = go_is_settled(lane, iteration, changed);
    }
}

// --- candidates --------------------------------------------------------------------------------------------------

// Whether an empty cell is a legal point of `turn`, and not its own eye. Needs the liberties.
fn go_is_candidate(cell: u32, turn: u32, ko: u32) -> bool {
    let own = go_stone(turn);
    let opposing = go_stone(1u - turn);
    var open = false;
    var hemmed = true;
    var at_edge = false;
    for (var side = 0u; side < 4u; side++) {
        let word = sh_cell[go_beside(cell, side)];
        let colour = word & 3u;
        let liberties = atomicLoad(&sh_liberties[word >> 2u]);
        open = open || colour == GO_EMPTY || (colour == own && liberties > 1u)
            || (colour == opposing && liberties == 1u);
        hemmed = hemmed && (colour == own || colour == GO_OFF_BOARD);
        at_edge = at_edge || colour == GO_OFF_BOARD;
    }
    let across = u32(go_colour(cell - GO_GROUP_STRIDE - 1u) == opposing)
        + u32(go_colour(cell - GO_GROUP_STRIDE + 1u) == opposing)
        + u32(go_colour(cell + GO_GROUP_STRIDE - 1u) == opposing)
        + u32(go_colour(cell + GO_GROUP_STRIDE + 1u) == opposing);
    let eye = hemmed && across <= select(1u, 0u, at_edge);
    return open && cell != ko && !eye;
}

// Writes the weights of a lane's points; returns their sum.
fn go_weigh(lane: u32, turn: u32, ko: u32) -> u32 {
    var sum = 0u;
    for (var i = 0u; i < GO_LANE_POINTS; i++) {
        let point = lane * GO_LANE_POINTS + i;
        if point < GO_POINTS {
            let cell = go_cell(point);
            var weight = 0u;
            if go_colour(cell) == GO_EMPTY && go_is_candidate(cell, turn, ko) {
                weight = go_group_weight(cell, turn);
            }
            sh_weight[point] = weight;
            sum += weight;
        }
    }
    return sum;
}

// Prefix sums over the lanes (the paper's figure 5): every lane gets the sum of all lanes up to its own, inclusive. In
// each iteration, the lanes of the upper half of a block add the total of its lower half. Ends with a barrier.
fn go_prefix_sum(lane: u32, value: u32) -> u32 {
    var sum = value;
    sh_sum[lane] = sum;
    workgroupBarrier();
    for (var half = 1u; half < GROUP_LANES; half *= 2u) {
        if (lane & half) != 0u {
            sum += sh_sum[(lane & ~(half - 1u)) - 1u];
            sh_sum[lane] = sum;
        }
        workgroupBarrier();
    }
    return sum;
}

// Draws the cell of a candidate, the same for all lanes; GO_NO_CELL if there is none.
fn go_choose(lane: u32, game: GroupGame, rng: ptr<function, Rng>) -> u32 {
    let own = go_weigh(lane, game.turn, go_ko);
    let sum = go_prefix_sum(lane, own);
    let total = sh_sum[GROUP_LANES - 1u];
    let place = draw_ordinal(rng, max(total, 1u));
    if lane == 0u && total == 0u {
        sh_move = GO_NO_CELL;
    }
    if place < sum && place >= sum - own {
        var rest = place - (sum - own);
        var point = lane * GO_LANE_POINTS;
        while rest >= sh_weight[point] {
            rest -= sh_weight[point];
            point++;
        }
        sh_move = go_cell(point);
    }
    return workgroupUniformLoad(&sh_move);
}

// --- moves -------------------------------------------------------------------------------------------------------

// The label of a stone of this colour on a cell; else that of no stone.
fn go_label_of(cell: u32, stone: u32) -> u32 {
    let word = sh_cell[cell];
    return select(0xffffffffu, word >> 2u, (word & 3u) == stone);
}

// Places a stone, and sets its label in the groups that it joins; returns whether it joins any.
fn go_join(lane: u32, cell: u32, stone: u32) -> bool {
    let labels = vec4<u32>(
        go_label_of(cell - 1u, stone), go_label_of(cell + 1u, stone),
        go_label_of(cell - GO_GROUP_STRIDE, stone), go_label_of(cell + GO_GROUP_STRIDE, stone),
    );
    workgroupBarrier();
    for (var i = 0u; i < GO_LANE_POINTS; i++) {
        let point = lane * GO_LANE_POINTS + i;
        if point < GO_POINTS {
            let mine = go_cell(point);
            let word = sh_cell[mine];
            let joined = (word & 3u) == stone && any(vec4<u32>(word >> 2u) == labels);
            if mine == cell || joined {
                sh_cell[mine] = stone | (cell << 2u);
            }
        }
    }
    return any(labels != vec4<u32>(0xffffffffu));
}

// Takes the opponent's groups without liberties off the board. Ends with a barrier.
fn go_capture(lane: u32, stone: u32) {
    // A bit for each point of the lane.
    var taken = 0u;
    for (var i = 0u; i < GO_LANE_POINTS; i++) {
        let point = lane * GO_LANE_POINTS + i;
        if point < GO_POINTS {
            let cell = go_cell(point);
            let word = sh_cell[cell];
            if (word & 3u) == stone && atomicLoad(&sh_liberties[word >> 2u]) == 0u {
                taken |= 1u << i;
                sh_cell[cell] = GO_EMPTY;
                atomicAdd(&sh_taken, 1u);
                atomicAdd(&sh_taken_cells, cell);
            }
        }
    }
    workgroupBarrier();
    for (var i = 0u; i < GO_LANE_POINTS; i++) {
        if ((taken >> i) & 1u) != 0u {
            go_give_liberty(go_cell(lane * GO_LANE_POINTS + i));
        }
    }
    workgroupBarrier();
}

// Plays a stone; returns the cell that may not be retaken at once.
fn go_group_play(lane: u32, cell: u32, turn: u32) -> u32 {
    if lane == 0u {
        atomicStore(&sh_taken, 0u);
        atomicStore(&sh_taken_cells, 0u);
    }
    let joins = go_join(lane, cell, go_stone(turn));
    go_count_liberties(lane);
    go_capture(lane, go_stone(1u - turn));
    let retakes = !joins && atomicLoad(&sh_taken) == 1u && atomicLoad(&sh_liberties[cell]) == 1u;
    return select(GO_NO_CELL, atomicLoad(&sh_taken_cells), retakes);
}

// --- the contract ------------------------------------------------------------------------------------------------

fn group_begin(state: ptr<function, State>, turn: u32, lane: u32) -> GroupGame {
    let last = (*state)[2u * GO_WORDS];
    for (var cell = lane; cell < GO_CELLS; cell += GROUP_LANES) {
        sh_cell[cell] = GO_OFF_BOARD;
    }
    workgroupBarrier();
    for (var i = 0u; i < GO_LANE_POINTS; i++) {
        let point = lane * GO_LANE_POINTS + i;
        if point < GO_POINTS {
            let bit = point + point / GO_COLUMNS;
            let first = ((*state)[bit >> 5u] >> (bit & 31u)) & 1u;
            let second = ((*state)[GO_WORDS + (bit >> 5u)] >> (bit & 31u)) & 1u;
            let cell = go_cell(point);
            let stone = first | (second << 1u);
            sh_cell[cell] = select(GO_EMPTY, stone | (cell << 2u), stone != GO_EMPTY);
        }
    }
    workgroupBarrier();
    go_settle(lane, true);
    go_count_liberties(lane);
    let mark = go_ko_mark(last);
    go_ko = select(GO_NO_CELL, go_cell(mark - 1u - (mark - 1u) / GO_STRIDE), mark != 0u);
    return GroupGame(turn, go_passes(last), go_moves(last));
}

fn group_advance(game: ptr<function, GroupGame>, rng: ptr<function, Rng>, lane: u32) -> bool {
    let cell = go_choose(lane, *game, rng);
    if cell == GO_NO_CELL {
        go_ko = GO_NO_CELL;
        (*game).passes += 1u;
    } else {
        go_ko = go_group_play(lane, cell, (*game).turn);
        (*game).passes = 0u;
    }
    (*game).turn = 1u - (*game).turn;
    (*game).moves += 1u;
    return go_is_over((*game).passes, (*game).moves);
}

fn group_score(game: ptr<function, GroupGame>, lane: u32) -> i32 {
    if lane == 0u {
        atomicStore(&sh_area, 0);
    }
    go_settle(lane, false);
    var area = 0;
    for (var i = 0u; i < GO_LANE_POINTS; i++) {
        let point = lane * GO_LANE_POINTS + i;
        if point < GO_POINTS {
            let word = sh_cell[go_cell(point)];
            let owner = select(word & 3u, word >> 2u, (word & 3u) == GO_EMPTY);
            area += i32(owner == go_stone(FIRST)) - i32(owner == go_stone(SECOND));
        }
    }
    atomicAdd(&sh_area, area);
    workgroupBarrier();
    return 2 * atomicLoad(&sh_area) - bitcast<i32>(GO_TWICE_KOMI);
}

fn group_cut_off(game: ptr<function, GroupGame>) -> bool {
    return (*game).passes < 2u;
}
