// The next selection, worked out while the games of this step are played (fused.wgsl, few children). The next
// selection follows this step's path as long as the path's nodes are still the best children, and leaves it at the
// first level where another child is better. That level is known only when the games are over. But the other child can
// only be the best of the rivals there, and the way down from it does not depend on the games. So the clerk of each
// level goes down from the best rival of its level, all clerks side by side, and one more clerk goes down from the end
// of the path. When the games are over, one of these ways is the next selection.
//
//     clerk                    goes from         to
//     0 to leaf's depth - 1    its level         the best rival, and on to a leaf
//     leaf's depth             the leaf          the best of the new children but the drawn one
//     leaf's depth + 1         the leaf          the drawn child

// A node of a path: its link, and the position there.
struct Place {
    node: u32,
    first: u32,
    info: u32,
    state: State,
}

// [clerk]: the depth at which the selection ends if it leaves the path at the clerk's level.
var<workgroup> sh_ahead: array<u32, AHEAD>;
// [clerk][depth]: the path down to there, from the level below the clerk's on.
var<workgroup> sh_ahead_path: array<Place, AHEAD * AHEAD>;
// The level at which the next selection leaves this step's path.
var<workgroup> sh_leaves_at: atomic<u32>;

// The rival whose way down the clerk has noted, or none. While it stays the rival of its level, no selection goes
// through it, so that its way stays what it was.
var<private> noted_rival: u32;
const NONE_NOTED: u32 = ROOT;

// Deeper than a clerk can note.
const TOO_DEEP: u32 = 0xffffffffu;

// Does every level of the path have a clerk, with one to spare? There is no looking ahead where the positions of a
// path must be recorded.
fn looks_ahead(leaf: Leaf) -> bool {
    return LOOKS_AHEAD && HISTORY_WORDS == 0u && leaf.depth + 1u < AHEAD;
}

// The clerk's node of a path that was not foreseen. Clerks of deeper levels get the selected node.
fn find_place(tree: u32, clerk: u32, leaf: Leaf) -> Place {
    let depth = min(clerk, leaf.depth);
    let node = path_node(tree, depth);
    let link = links[tree * params.capacity + node];
    var state = load_root(tree);
    var turn = (leaf.turn + leaf.depth) & 1u;
    if looks_ahead(leaf) {
        for (var above = 1u; above <= depth; above++) {
            take_action(&state, turn, sh_actions[above]);
            turn = 1u - turn;
        }
    }
    return Place(node, link.x, link.y, state);
}

// Notes where the next selection ends if it leaves the path at the clerk's level. `position` is that of the leaf.
fn look_ahead(tree: u32, clerk: u32, leaf: Leaf, position: State, place: Place, rivals: Rivals,
    header: ptr<function, Tree>) {
    if clerk < leaf.depth {
        follow_rival(tree, clerk, place.state, rivals, turn_of((*header).flags, clerk));
        return;
    }
    noted_rival = NONE_NOTED;
    if clerk == leaf.depth {
        look_at_new(clerk, leaf, position, rivals.rival, header);
    } else if clerk == leaf.depth + 1u {
        look_at_new(clerk, leaf, position, (*header).drawn, header);
    }
}

// From the best rival down, if there is one.
fn follow_rival(tree: u32, clerk: u32, position: State, rivals: Rivals, mover: u32) {
    let base = tree * params.capacity;
    var node = select(NONE_NOTED, rivals.first - base + rivals.rival, has_rival(rivals));
    let is_noted = node == noted_rival;
    noted_rival = node;
    if is_noted || node == NONE_NOTED {
        return;
    }
    var state = position;
    var turn = mover;
    var depth = clerk + 1u;
    var link = links[base + node];
    loop {
        let goes_on = link.x != NO_CHILDREN && depth + 1u < AHEAD;
        var next = node;
        var next_link = link;
        if goes_on {
            // On its way while the position follows.
            next = link.x + link_best(link.y);
            next_link = links[base + next];
        }
        take_action(&state, turn, link_action(link.y));
        sh_ahead_path[clerk * AHEAD + depth] = Place(node, link.x, link.y, state);
        if !goes_on {
            break;
        }
        turn = 1u - turn;
        depth++;
        node = next;
        link = next_link;
    }
    sh_ahead[clerk] = select(TOO_DEEP, depth, link.x == NO_CHILDREN);
}

// To a child of this step, which is not in memory yet, or to the selected node once more where nothing was expanded.
fn look_at_new(clerk: u32, leaf: Leaf, position: State, ordinal: u32, header: ptr<function, Tree>) {
    var state = position;
    var depth = leaf.depth;
    var node = leaf.node;
    var info = leaf.link.y;
    if (*header).expanded > 0u {
        let action = legal_action(ordinal);
        depth++;
        node = (*header).first_child + ordinal;
        take_action(&state, leaf.turn, action);
        info = action | (checked_outcome(compute_outcome(&state, 1u - leaf.turn, action)) << OUTCOME_SHIFT);
    }
    sh_ahead_path[clerk * AHEAD + depth] = Place(node, NO_CHILDREN, info, state);
    sh_ahead[clerk] = depth;
}

// The leaf of the next step if it was foreseen, with the clerk's place on its path. All lanes must call this together.
fn foreseen_leaf(lane: u32, last: Leaf, place: ptr<function, Place>, state: ptr<function, State>) -> Leaf {
    var leaf = last;
    let clerk = atomicLoad(&sh_leaves_at);
    leaf.depth = sh_ahead[clerk];
    if leaf.depth == TOO_DEEP {
        return leaf;
    }
    let kept = min(clerk, last.depth);
    if lane > kept && lane <= leaf.depth {
        sh_path[lane] = sh_ahead_path[clerk * AHEAD + lane].node;
    }
    if lane - FIRST_PATH_CLERK > kept && lane - FIRST_PATH_CLERK <= leaf.depth {
        *place = sh_ahead_path[clerk * AHEAD + lane - FIRST_PATH_CLERK];
    }
    let end = sh_ahead_path[clerk * AHEAD + leaf.depth];
    leaf.node = end.node;
    leaf.turn = (last.turn + last.depth + leaf.depth) & 1u;
    leaf.link = vec2<u32>(NO_CHILDREN, end.info);
    *state = end.state;
    return leaf;
}
