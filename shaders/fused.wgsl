// Whole steps in a loop inside one dispatch: the stages as functions, barriers between them.
// One workgroup = one tree, one lane = one game of a step (or several, where a step has more games than the workgroup
// has lanes). All memory traffic of a tree stays within its workgroup, so that barriers suffice.
//
// Every lane keeps the tree's header and the selected position in registers, and its random stream where it always
// plays the same game: game g of child (action) a is that of lane (a m + g) mod TREE_LANES.

// Games of a step, and how many of them a lane plays one after another.
const GAMES: u32 = STREAM_SETS * PLAYOUTS;
const PASSES: u32 = (GAMES + TREE_LANES - 1u) / TREE_LANES;

// Runs of lanes that play games of one child, and the lanes whose words one lane adds up first.
const RUN_LANES: u32 = min(PLAYOUTS, TREE_LANES);
const RUNS: u32 = TREE_LANES / RUN_LANES;
const PART_LANES: u32 = min(RUN_LANES, 8u);

// Wins of the first and second player in the halves of a word: by lane, by part, by child (action).
var<workgroup> sh_lane_won: array<u32, TREE_LANES>;
var<workgroup> sh_part_won: array<u32, TREE_LANES / PART_LANES>;
var<workgroup> sh_won: array<u32, STREAM_SETS>;
// By player, over all children: only where there are too many children for every lane to add them up.
var<workgroup> sh_total: array<atomic<u32>, 2>;

fn clear_won(lane: u32) {
    for (var child = lane; child < STREAM_SETS; child += TREE_LANES) {
        sh_won[child] = 0u;
    }
    if lane < 2u {
        atomicStore(&sh_total[lane], 0u);
    }
}

// Adds the words of one pass, whose first game is `first`, to their children's. Two rounds of a few words each take
// less time than a tree of barriers, and much less than atomics on one word.
fn tally_pass(first: u32, lane: u32, won: u32) {
    sh_lane_won[lane] = won;
    workgroupBarrier();
    if lane < TREE_LANES / PART_LANES {
        var sum = 0u;
        for (var i = 0u; i < PART_LANES; i++) {
            sum += sh_lane_won[lane * PART_LANES + i];
        }
        sh_part_won[lane] = sum;
    }
    workgroupBarrier();
    let child = first / PLAYOUTS + lane;
    if lane < RUNS && child < STREAM_SETS {
        var sum = sh_won[child];
        for (var i = 0u; i < RUN_LANES / PART_LANES; i++) {
            sum += sh_part_won[lane * (RUN_LANES / PART_LANES) + i];
        }
        sh_won[child] = sum;
    }
}

// Plays one game of the step, if game `id` is one of it, and says who won.
fn play_game(id: u32, lane: u32, leaf: Leaf, parent: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) -> u32 {
    let child = id / PLAYOUTS;
    var state = *parent;
    var turn = leaf.turn;
    var outcome = link_outcome(leaf.link.y);
    var live = child == 0u;
    if (*header).expanded > 0u {
        var action = child;
        if ALL_CHILDREN {
            live = child < MAX_ACTIONS && is_listed(child);
        } else {
            action = legal_action((*header).drawn);
        }
        if live {
            take_action(&state, turn, action);
            turn = 1u - turn;
            outcome = compute_outcome(&state, turn, action);
        }
    }
    if !live {
        return 0u;
    }
    // A finished game is not played: its outcome counts for every lane.
    if outcome == ONGOING {
        outcome = play(&state, turn, rng, lane);
    }
    return won_word(outcome);
}

// The legal action of an ordinal.
fn legal_action(ordinal: u32) -> u32 {
    var rest = ordinal;
    var word = 0u;
    while word + 1u < LEGAL_WORDS && rest >= countOneBits(atomicLoad(&sh_legal[word])) {
        rest -= countOneBits(atomicLoad(&sh_legal[word]));
        word++;
    }
    var bits = atomicLoad(&sh_legal[word]);
    for (var i = 0u; i < rest; i++) {
        bits &= bits - 1u;
    }
    return 32u * word + firstTrailingBit(bits);
}

fn play_games(tree: u32, lane: u32, leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) {
    if PASSES == 1u {
        tally_pass(0u, lane, play_game(lane, lane, leaf, state, header, rng));
        return;
    }
    for (var first = 0u; first < GAMES; first += TREE_LANES) {
        let id = first + lane;
        var won = 0u;
        if id < GAMES {
            var stream: Rng = streams[tree * GAMES + id];
            won = play_game(id, lane, leaf, state, header, &stream);
            streams[tree * GAMES + id] = stream;
        }
        tally_pass(first, lane, won);
    }
}

// The new children get outcomes, and the playouts of those that were played out.
fn backup_children(base: u32, lane: u32, leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>) {
    for (var action = lane; action < MAX_ACTIONS; action += TREE_LANES) {
        if (*header).expanded > 0u && is_listed(action) {
            let ordinal = legal_actions_below(action);
            let child = base + (*header).first_child + ordinal;
            let outcome = child_outcome(state, leaf.turn, action);
            links[child] = vec4<u32>(NO_CHILDREN, action | (outcome << OUTCOME_SHIFT), 0u, 0u);
            var counts = vec4<u32>(0u);
            if ALL_CHILDREN || ordinal == (*header).drawn {
                let won = sh_won[select(0u, action, ALL_CHILDREN)];
                counts = vec4<u32>(PLAYOUTS, 0u, (won >> (16u * leaf.turn)) & 0xffffu, 0u);
            }
            stats[child] = counts;
        }
    }
}

fn sum_won(lane: u32) -> vec2<u32> {
    if STREAM_SETS <= 16u {
        var sum = vec2<u32>(0u);
        for (var child = 0u; child < STREAM_SETS; child++) {
            sum += vec2<u32>(sh_won[child] & 0xffffu, sh_won[child] >> 16u);
        }
        return sum;
    }
    for (var child = lane; child < STREAM_SETS; child += TREE_LANES) {
        atomicAdd(&sh_total[0], sh_won[child] & 0xffffu);
        atomicAdd(&sh_total[1], sh_won[child] >> 16u);
    }
    workgroupBarrier();
    return vec2<u32>(atomicLoad(&sh_total[0]), atomicLoad(&sh_total[1]));
}

fn backup_path(tree: u32, lane: u32, leaf: Leaf, header: ptr<function, Tree>) {
    let played = select(1u, max((*header).expanded, 1u), ALL_CHILDREN);
    for (var depth = lane; depth <= leaf.depth; depth += TREE_LANES) {
        let node = paths[tree * PATH_CAPACITY + depth];
        let mover = (leaf.turn + leaf.depth + depth + 1u) & 1u;
        let wins = select((*header).tally.x, (*header).tally.y, mover == SECOND);
        backup_node(tree * params.capacity + node, played * PLAYOUTS, wins);
    }
}

fn step_tree(tree: u32, lane: u32, state: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) {
    let base = tree * params.capacity;
    clear_won(lane);
    let leaf = select_tree(tree, lane, state);
    (*header).selected = leaf.node;
    (*header).path_length = leaf.depth + 1u;
    let count = list_legal_actions(lane, state, leaf.turn, link_outcome(leaf.link.y) == ONGOING);
    expand_header(header, count);
    if lane == 0u {
        link_children(base + leaf.node, leaf.link.y, header);
    }
    play_games(tree, lane, leaf, state, header, rng);
    workgroupBarrier();
    backup_children(base, lane, leaf, state, header);
    (*header).tally = sum_won(lane);
    backup_path(tree, lane, leaf, header);
    // What this step wrote is there for the next one.
    storageBarrier();
    workgroupBarrier();
}

@compute @workgroup_size(TREE_LANES)
fn fused(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        let stream = tree * GAMES + min(lane, GAMES - 1u);
        var rng: Rng = streams[stream];
        var header = trees[tree];
        var state: State;
        for (var step = 0u; step < params.steps; step++) {
            step_tree(tree, lane, &state, &header, &rng);
        }
        if PASSES == 1u && lane < GAMES {
            streams[stream] = rng;
        }
        if lane == 0u {
            trees[tree] = header;
            store_selected(tree, &state);
        }
    }
}
