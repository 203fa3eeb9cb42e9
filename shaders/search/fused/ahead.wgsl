// Lookahead: the next selection is computed while the games of this step are played (fused.wgsl, few children). The
// next selection follows this step's path as long as the path's nodes are still the best children, and departs from it
// at the first level where another child is better. That level is unknown until the games are over. But the other child
// is the best of the rivals there, and the path below it does not depend on the games. So each path lane follows the
// best children down from the best rival of its level, all lanes side by side, and one more lane does so from the end
// of the path. When the games are over, one of these lookahead paths is the next selection.
//
//     path lane                starts at      child
//     0 to leaf's depth - 1    its level      the best rival, and on to a leaf
//     leaf's depth             the leaf       the best of the new children but the drawn one
//     leaf's depth + 1         the leaf       the drawn child

// A node of a path: its index, its link (`first`, `info`), and the position there.
struct Place {
    node: u32,
    first: u32,
    info: u32,
    state: State,
}

// [path lane]: the depth of the next leaf if the selection departs at the lane's level.
var<workgroup> sh_ahead: array<u32, AHEAD>;
// [path lane][depth]: the lookahead path down to that leaf, from the level below the lane's on.
var<workgroup> sh_ahead_path: array<Place, AHEAD * AHEAD>;
// The level at which the next selection departs from this step's path.
var<workgroup> sh_departure_level: atomic<u32>;

// The rival whose lookahead path the lane has stored, or NONE_NOTED. While it stays the rival of its level, no
// selection goes through it, so that its path stays valid.
var<private> noted_rival: u32;
const NONE_NOTED: u32 = ROOT;

// The lookahead path is too long for its array.
const TOO_DEEP: u32 = 0xffffffffu;

// Whether every level of the path has a path lane, with one more. There is no lookahead where the positions of a path
// are recorded.
fn has_lookahead(leaf: Leaf) -> bool {
    return HAS_LOOKAHEAD && HISTORY_WORDS == 0u && leaf.depth + 1u < AHEAD;
}

// The lane's node of a path without a lookahead path. Lanes of deeper levels get the selected node.
fn load_place(tree: u32, path_lane: u32, leaf: Leaf) -> Place {
    let depth = min(path_lane, leaf.depth);
    let node = path_node(tree, depth);
    let link = links[tree * params.capacity + node];
    var state = load_root(tree);
    var turn = (leaf.turn + leaf.depth) & 1u;
    if has_lookahead(leaf) {
        for (var above = 1u; above <= depth; above++) {
            take_action(&state, turn, sh_actions[above]);
            turn = 1u - turn;
        }
    }
    return Place(node, link.x, link.y, state);
}

// Stores the lookahead path of the lane's level. `position` is the leaf's.
fn note_lookahead(tree: u32, path_lane: u32, leaf: Leaf, position: State, place: Place, rivals: Rivals,
    header: ptr<function, Tree>) {
    if path_lane < leaf.depth {
        follow_rival(tree, path_lane, place.state, rivals, turn_of((*header).flags, path_lane));
        return;
    }
    noted_rival = NONE_NOTED;
    if path_lane == leaf.depth {
        note_new_child(path_lane, leaf, position, rivals.rival, header);
    } else if path_lane == leaf.depth + 1u {
        note_new_child(path_lane, leaf, position, (*header).drawn, header);
    }
}

// Follows the best children down from the best rival, if there is one.
fn follow_rival(tree: u32, path_lane: u32, position: State, rivals: Rivals, mover: u32) {
    let base = tree * params.capacity;
    var node = select(NONE_NOTED, rivals.first - base + rivals.rival, has_rival(rivals));
    let is_noted = node == noted_rival;
    noted_rival = node;
    if is_noted || node == NONE_NOTED {
        return;
    }
    var state = position;
    var turn = mover;
    var depth = path_lane + 1u;
    var link = links[base + node];
    loop {
        let goes_on = link.x != NO_CHILDREN && depth + 1u < AHEAD;
        var next = node;
        var next_link = link;
        if goes_on {
            // Loaded early: the position is computed meanwhile.
            next = link.x + link_best(link.y);
            next_link = links[base + next];
        }
        take_action(&state, turn, link_action(link.y));
        sh_ahead_path[path_lane * AHEAD + depth] = Place(node, link.x, link.y, state);
        if !goes_on {
            break;
        }
        turn = 1u - turn;
        depth++;
        node = next;
        link = next_link;
    }
    sh_ahead[path_lane] = select(TOO_DEEP, depth, link.x == NO_CHILDREN);
}

// Stores a lookahead path to a child of this step, which is not in memory yet, or to the selected node again where
// nothing was expanded.
fn note_new_child(path_lane: u32, leaf: Leaf, position: State, ordinal: u32, header: ptr<function, Tree>) {
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
    sh_ahead_path[path_lane * AHEAD + depth] = Place(node, NO_CHILDREN, info, state);
    sh_ahead[path_lane] = depth;
}

// The leaf of the next step if it has a lookahead path, with the path lane's place on it. All lanes must call this
// together.
fn foreseen_leaf(lane: u32, last: Leaf, place: ptr<function, Place>, state: ptr<function, State>) -> Leaf {
    var leaf = last;
    let path_lane = atomicLoad(&sh_departure_level);
    leaf.depth = sh_ahead[path_lane];
    if leaf.depth == TOO_DEEP {
        return leaf;
    }
    let kept = min(path_lane, last.depth);
    if lane > kept && lane <= leaf.depth {
        sh_path[lane] = sh_ahead_path[path_lane * AHEAD + lane].node;
    }
    if lane - FIRST_PATH_LANE > kept && lane - FIRST_PATH_LANE <= leaf.depth {
        *place = sh_ahead_path[path_lane * AHEAD + lane - FIRST_PATH_LANE];
    }
    let end = sh_ahead_path[path_lane * AHEAD + leaf.depth];
    leaf.node = end.node;
    leaf.turn = (last.turn + last.depth + leaf.depth) & 1u;
    leaf.link = vec2<u32>(NO_CHILDREN, end.info);
    *state = end.state;
    return leaf;
}
