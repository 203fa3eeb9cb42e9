// Whole steps in a loop inside one dispatch: the stages as functions, barriers between them.
// One workgroup = one tree, one lane = one game of a step (or several, where a step has more games than the workgroup
// has lanes). All memory traffic of a tree stays within its workgroup, so that barriers suffice.
//
// Every lane keeps the tree's header and the selected position in registers, and its random stream where it always
// plays the same game: game g of child (action) a is that of lane (a m + g) mod TREE_LANES.

// Games of a step, and how many of them a lane plays one after another.
const GAMES: u32 = STREAM_SETS * PLAYOUTS;
const PASSES: u32 = (GAMES + TREE_LANES - 1u) / TREE_LANES;

// Wins of the first and second player in the halves of a word, by child (action), and by player over all children.
var<workgroup> sh_won: array<atomic<u32>, STREAM_SETS>;
var<workgroup> sh_total: array<atomic<u32>, 2>;

fn clear_won(lane: u32) {
    for (var child = lane; child < STREAM_SETS; child += TREE_LANES) {
        atomicStore(&sh_won[child], 0u);
    }
    if lane < 2u {
        atomicStore(&sh_total[lane], 0u);
    }
}

// Plays one game of the step, if game `id` is one of it.
fn play_game(id: u32, lane: u32, leaf: Leaf, parent: ptr<function, State>, header: ptr<function, Tree>,
    rng: ptr<function, Rng>) {
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
    if live {
        // A finished game is not played: its outcome counts for every lane.
        if outcome == ONGOING {
            outcome = play(&state, turn, rng, lane);
        }
        atomicAdd(&sh_won[child], won_word(outcome));
    }
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
        play_game(lane, lane, leaf, state, header, rng);
        return;
    }
    for (var id = lane; id < GAMES; id += TREE_LANES) {
        var stream: Rng = streams[tree * GAMES + id];
        play_game(id, lane, leaf, state, header, &stream);
        streams[tree * GAMES + id] = stream;
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
                let won = atomicLoad(&sh_won[select(0u, action, ALL_CHILDREN)]);
                counts = vec4<u32>(PLAYOUTS, 0u, (won >> (16u * leaf.turn)) & 0xffffu, 0u);
            }
            stats[child] = counts;
        }
    }
}

fn sum_won(lane: u32) -> vec2<u32> {
    for (var child = lane; child < STREAM_SETS; child += TREE_LANES) {
        let won = atomicLoad(&sh_won[child]);
        atomicAdd(&sh_total[0], won & 0xffffu);
        atomicAdd(&sh_total[1], won >> 16u);
    }
    workgroupBarrier();
    return vec2<u32>(atomicLoad(&sh_total[0]), atomicLoad(&sh_total[1]));
}

fn backup_path(tree: u32, lane: u32, leaf: Leaf, header: ptr<function, Tree>) {
    let played = select(1u, max((*header).expanded, 1u), ALL_CHILDREN);
    for (var depth = lane; depth <= leaf.depth; depth += TREE_LANES) {
        let node = paths[tree * PATH_CAPACITY + depth];
        let mover = (leaf.turn + leaf.depth + depth + 1u) & 1u;
        backup_node(tree * params.capacity + node, played * PLAYOUTS, (*header).tally[mover]);
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
