// The fused schedule where a step plays out one child of a tree (OCP): whole steps in a loop inside one dispatch, the
// stages as functions, barriers between them. Where a step has more games than suit one workgroup: advance.wgsl.
// One workgroup = one tree, one lane = one game of a step. All memory traffic of a tree stays within its workgroup, so
// that barriers suffice. Every lane keeps the tree's header, the selected position and its random stream in registers.
// Composed with TREE_LANES >= PLAYOUTS.

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

// The new children get outcomes, and the drawn one its playouts.
fn backup_children(base: u32, lane: u32, leaf: Leaf, state: ptr<function, State>, header: ptr<function, Tree>) {
    let n_wins = select((*header).tally.x, (*header).tally.y, leaf.turn == SECOND);
    for (var action = lane; action < MAX_ACTIONS; action += TREE_LANES) {
        if (*header).expanded > 0u && is_listed(action) {
            let ordinal = legal_actions_below(action);
            let child = base + (*header).first_child + ordinal;
            let outcome = child_outcome(state, leaf.turn, action);
            links[child] = vec4<u32>(NO_CHILDREN, action | (outcome << OUTCOME_SHIFT), 0u, 0u);
            stats[child] = select(vec4<u32>(0u), vec4<u32>(PLAYOUTS, 0u, n_wins, 0u), ordinal == (*header).drawn);
        }
    }
}

fn backup_path(tree: u32, lane: u32, leaf: Leaf, header: ptr<function, Tree>) {
    for (var depth = lane; depth <= leaf.depth; depth += TREE_LANES) {
        let node = paths[tree * PATH_CAPACITY + depth];
        let mover = (leaf.turn + leaf.depth + depth + 1u) & 1u;
        let n_wins = select((*header).tally.x, (*header).tally.y, mover == SECOND);
        backup_node(tree * params.capacity + node, PLAYOUTS, n_wins);
    }
}

fn step_tree(tree: u32, lane: u32, state: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) {
    let base = tree * params.capacity;
    let leaf = select_tree(tree, lane, state);
    (*header).selected = leaf.node;
    (*header).path_length = leaf.depth + 1u;
    let ongoing = link_outcome(leaf.link.y) == ONGOING;
    let count = list_legal_actions(tree, leaf.depth, lane, state, leaf.turn, ongoing);
    expand_header(header, count);
    if lane == 0u {
        link_children(base + leaf.node, leaf.link.y, header);
    }
    var won = 0u;
    if lane < PLAYOUTS {
        won = play_game(lane, leaf, state, header, rng);
    }
    (*header).tally = sum_won(lane, won);
    backup_children(base, lane, leaf, state, header);
    backup_path(tree, lane, leaf, header);
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
        if lane < PLAYOUTS {
            streams[stream] = rng;
        }
        if lane == 0u {
            trees[tree] = header;
            store_selected(tree, &state);
        }
    }
}
