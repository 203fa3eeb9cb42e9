// The fused schedule where a step plays out one child of a tree (OCP): whole steps in a loop inside one dispatch, the
// stages as functions, barriers between them. Where a step has more games than suit one workgroup: advance.wgsl.
// One workgroup = one tree, one lane = one game of a step. All memory traffic of a tree stays within its workgroup, so
// that barriers suffice. Every lane keeps the tree's header, the selected position and its random stream in registers.
// Composed with TREE_LANES >= PLAYOUTS.
//
// The last lanes of a workgroup are its clerks: what does not depend on who wins, they do while the others play. Where
// the adapter allows as many lanes as that takes, they play no games themselves.

const CLERKS: u32 = 32u;
const FIRST_CLERK: u32 = TREE_LANES - CLERKS;

// Lanes whose wins one lane adds up first.
const PART_LANES: u32 = min(PLAYOUTS, 8u);

// Wins of the first and second player in the halves of a word, by lane and by part.
var<workgroup> sh_lane_won: array<u32, TREE_LANES>;
var<workgroup> sh_part_won: array<u32, PLAYOUTS / PART_LANES>;

// Wins of the first and of the second player over all lanes. Two rounds of a few words each take less time than a tree
// of barriers, and much less than atomics on one word.
fn sum_won(lane: u32, won: u32) -> vec2<u32> {
    sh_lane_won[lane] = won;
    workgroupBarrier();
    if lane < PLAYOUTS / PART_LANES {
        var part = 0u;
        for (var i = 0u; i < PART_LANES; i++) {
            part += sh_lane_won[lane * PART_LANES + i];
        }
        sh_part_won[lane] = part;
    }
    workgroupBarrier();
    var sum = 0u;
    for (var part = 0u; part < PLAYOUTS / PART_LANES; part++) {
        sum += sh_part_won[part];
    }
    return vec2<u32>(sum & 0xffffu, sum >> 16u);
}

// Plays one game from the drawn child, or from the selected node where nothing was expanded, and says who won.
fn play_game(lane: u32, leaf: Leaf, parent: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) -> u32 {
    var state = *parent;
    var turn = leaf.turn;
    var outcome = link_outcome(leaf.link.y);
    if (*header).expanded > 0u {
        let action = legal_action((*header).drawn);
        take_action(&state, turn, action);
        turn = 1u - turn;
        outcome = compute_outcome(&state, turn, action);
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
    while word + 1u < LEGAL_WORDS && rest >= countOneBits(legal_word(word)) {
        rest -= countOneBits(legal_word(word));
        word++;
    }
    var bits = legal_word(word);
    for (var i = 0u; i < rest; i++) {
        bits &= bits - 1u;
    }
    return 32u * word + firstTrailingBit(bits);
}

// Before it is known who wins: links and empty statistics of the new children, and along the path the logarithms of the
// counts to come. Returns the counts of the clerk's first node of the path.
fn prepare_backup(tree: u32, clerk: u32, leaf: Leaf, state: ptr<function, State>,
    header: ptr<function, Tree>) -> vec4<u32> {
    let base = tree * params.capacity;
    for (var action = clerk; action < MAX_ACTIONS; action += CLERKS) {
        if (*header).expanded > 0u && is_listed(action) {
            let ordinal = legal_actions_below(action);
            let child = base + (*header).first_child + ordinal;
            append_child(child, state, leaf.turn, action);
            if ordinal != (*header).drawn {
                stats[child] = vec4<u32>(0u);
            }
        }
    }
    var first = vec4<u32>(0u);
    for (var depth = clerk; depth <= leaf.depth; depth += CLERKS) {
        let index = base + path_node(tree, depth);
        let counts = stats[index];
        if depth == clerk {
            first = counts;
        }
        keep_ln(index, u64_add(counts.xy, vec2<u32>(PLAYOUTS, 0u)));
        if depth == leaf.depth {
            link_children(index, leaf.link.y, header);
        }
    }
    return first;
}

// The wins: of the drawn child, and along the path.
fn back_up(tree: u32, clerk: u32, leaf: Leaf, first: vec4<u32>, header: ptr<function, Tree>) {
    let base = tree * params.capacity;
    let tally = (*header).tally;
    // By the lane that wrote its link.
    if (*header).expanded > 0u && clerk == legal_action((*header).drawn) % CLERKS {
        let n_wins = select(tally.x, tally.y, leaf.turn == SECOND);
        stats[base + (*header).first_child + (*header).drawn] = vec4<u32>(PLAYOUTS, 0u, n_wins, 0u);
    }
    for (var depth = clerk; depth <= leaf.depth; depth += CLERKS) {
        let index = base + path_node(tree, depth);
        var counts = first;
        if depth != clerk {
            counts = stats[index];
        }
        let mover = (leaf.turn + leaf.depth + depth + 1u) & 1u;
        let n_wins = select(tally.x, tally.y, mover == SECOND);
        stats[index] = sum_combine(counts, vec4<u32>(PLAYOUTS, 0u, n_wins, 0u));
    }
}

fn step_tree(tree: u32, lane: u32, state: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) {
    let leaf = select_tree(tree, lane, state);
    (*header).selected = leaf.node;
    (*header).path_length = leaf.depth + 1u;
    let ongoing = link_outcome(leaf.link.y) == ONGOING;
    let count = list_legal_actions(tree, leaf.depth, lane, state, leaf.turn, ongoing);
    expand_header(header, count);
    // Lane 0 has noted the path.
    workgroupBarrier();
    if leaf.depth >= NEAR_PATH {
        storageBarrier();
        workgroupBarrier();
    }
    var first = vec4<u32>(0u);
    if lane >= FIRST_CLERK {
        first = prepare_backup(tree, lane - FIRST_CLERK, leaf, state, header);
    }
    var won = 0u;
    if lane < PLAYOUTS {
        won = play_game(lane, leaf, state, header, rng);
    }
    (*header).tally = sum_won(lane, won);
    if lane >= FIRST_CLERK {
        back_up(tree, lane - FIRST_CLERK, leaf, first, header);
    }
    // What this step wrote is there for the next one.
    storageBarrier();
    workgroupBarrier();
}

@compute @workgroup_size(TREE_LANES)
fn fused(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group);
    if tree < params.n_trees {
        let stream = tree * PLAYOUTS + min(lane, PLAYOUTS - 1u);
        var rng: Rng = streams[stream];
        var header = trees[tree];
        var state: State;
        for (var step = 0u; step < params.steps; step++) {
            step_tree(tree, lane, &state, &header, &rng);
        }
        store_path(tree, lane, header.path_length);
        if lane < PLAYOUTS {
            streams[stream] = rng;
        }
        if lane == 0u {
            trees[tree] = header;
            store_selected(tree, &state);
        }
    }
}
