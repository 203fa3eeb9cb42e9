// The first part of a dispatch of `relay` (relay.wgsl): settles the last step. Every workgroup of a tree computes the
// results for itself from the notes: the sums of the wins, and the best child at each level of the path. The update
// workgroup also writes them to the tree. The first loads do not depend on one another, so that they overlap.

// Where the next selection departs from the last step's path.
struct Departure {
    // The index of its leaf in the notes.
    leaf: u32,
    // The last level of the path that it shares with the last step's.
    level: u32,
    // The rival of the lane's level whose lookahead path stays valid, or NO_RIVAL: its ordinal, and is_first. While it
    // stays the rival of the same node, no selection goes through it.
    noted: u32,
    is_first: u32,
}

const NO_RIVAL: u32 = 0xffffffffu;

// Whether all leaves of the notes are copied to workgroup memory: the loads then overlap with the computation of the
// next leaf. Leaves of long paths would take too much memory.
const LEAVES_AT_HAND: bool = NOTED_LEAVES * (3u + STATE_WORDS) <= 1024u;
var<workgroup> sh_noted_leaves: array<LeafNotes, select(1u, NOTED_LEAVES, LEAVES_AT_HAND)>;

// A barrier must stand between this and noted_leaf.
fn fetch_leaves(tree: u32, lane: u32) {
    if LEAVES_AT_HAND {
        for (var number = lane; number < NOTED_LEAVES; number += TREE_LANES) {
            sh_noted_leaves[number] = notes[tree].leaves[number];
        }
    }
}

fn noted_leaf(tree: u32, number: u32) -> LeafNotes {
    if LEAVES_AT_HAND {
        return sh_noted_leaves[number];
    }
    return notes[tree].leaves[number];
}

// The points of the new children by action; of the selected node where there are none.
alias RelayTallies = array<vec2<u32>, FEW_CHILDREN>;

// Loads the tallies of all actions, and clears those that do not count: no load waits for `played`.
fn relay_tallies(tree: u32, played: u32) -> RelayTallies {
    var won: RelayTallies;
    for (var action = 0u; action < FEW_CHILDREN; action++) {
        for (var part = 0u; part < PARTS; part++) {
            won[action] += notes[tree].tallies[action * PARTS + part];
        }
    }
    for (var action = 0u; action < FEW_CHILDREN; action++) {
        won[action] = select(vec2<u32>(0u), won[action], ((played >> action) & 1u) == 1u);
    }
    return won;
}

// The new child with the most wins of `mover`, by its action; of equal ones the first in the order of ties. The number
// of wins alone orders them: the host takes this schedule only where wins_decide().
fn most_wins_of_new(open: u32, mover: u32, won: ptr<function, RelayTallies>) -> u32 {
    var most = 0u;
    var least = 0xffffffffu;
    var best = 0u;
    for (var action = 0u; action < FEW_CHILDREN; action++) {
        let wins = select((*won)[action].x, (*won)[action].y, mover == SECOND);
        let tie = reverseBits(action);
        let is_better = wins > most || (wins == most && tie < least);
        if ((open >> action) & 1u) == 1u && is_better {
            most = wins;
            least = tie;
            best = action;
        }
    }
    return best;
}

// The number of new children whose actions are smaller.
fn listed_below(listed: u32, action: u32) -> u32 {
    return countOneBits(listed & ((1u << action) - 1u));
}

// The best child of a node of the path above the selected one, after `n` more playouts, of which the player who moves
// into the path's child has won `wins`.
fn settle_level(level: LevelNotes, child: vec4<u32>, n: u32, wins: u32) -> u32 {
    let visits = u64_add(unmarked(level.counts).xy, vec2<u32>(n, 0u));
    let counts = as_child(sum_combine(child, vec4<u32>(n, 0u, wins, 0u)), level.counts);
    let order = order_against(visits, level.approx, level.rival_counts, counts);
    return select(level.rival, level.child, order > 0 || (order == 0 && level.is_first != 0u));
}

// Settles the last step of a tree; the workgroup with `writes` writes the results to the tree. Where no step is under
// way, the leaf is already known. All lanes must call this together; has barriers.
fn settle_step(tree: u32, lane: u32, writes: bool, header: ptr<function, Tree>) -> Departure {
    fetch_leaves(tree, lane);
    let level = notes[tree].levels[min(lane, PATH_CAPACITY - 1u)];
    let child = notes[tree].levels[min(lane + 1u, PATH_CAPACITY - 1u)].counts;
    let is_under_way = notes[tree].phase == UNDER_WAY;
    let listed = notes[tree].listed;
    let selected = (*header).path_length - 1u;
    let expands = (*header).expanded > 0u;
    var won = relay_tallies(tree, select(1u, listed, expands));
    var tally = vec2<u32>(0u);
    for (var action = 0u; action < FEW_CHILDREN; action++) {
        tally += won[action];
    }
    (*header).tally = select((*header).tally, tally, is_under_way);
    (*header).flags |= select(0u, TREE_PROVEN, is_under_way && notes[tree].proves_root != 0u);
    let mover = turn_of((*header).flags, selected);
    var choice = notes[tree].choice;
    if choice == NO_ACTION {
        choice = most_wins_of_new(notes[tree].open, mover, &won);
    }
    choice = select(0u, choice, expands);
    if lane == 0u {
        atomicStore(&sh_departure_level, selected);
    }
    workgroupBarrier();
    let n = PLAYOUTS * max((*header).expanded, 1u);
    let wins = select(tally, tally.yx, turn_of((*header).flags, lane) == FIRST);
    var best = listed_below(listed, choice);
    if lane < selected {
        best = settle_level(level, child, n, wins.y);
        if best != level.child {
            atomicMin(&sh_departure_level, lane);
        }
    }
    if writes && is_under_way {
        enter_level(tree, lane, level, best, vec4<u32>(n, 0u, wins.x, 0u), header);
        enter_new(tree, lane, mover, &won, header);
    }
    workgroupBarrier();
    let departure_level = atomicLoad(&sh_departure_level);
    if !is_under_way {
        return Departure(PATH_CAPACITY, PATH_CAPACITY, NO_RIVAL, 0u);
    }
    let stays = lane < departure_level && level.approx != NO_CHILD;
    let leaf = select(departure_level, PATH_CAPACITY + choice, departure_level == selected);
    return Departure(leaf, departure_level, select(NO_RIVAL, level.rival, stays), level.is_first);
}

// Writes a step's playouts and choice to the lane's node of the path.
fn enter_level(tree: u32, lane: u32, level: LevelNotes, best: u32, playouts: vec4<u32>, header: ptr<function, Tree>) {
    let selected = (*header).path_length - 1u;
    if lane <= selected {
        let index = tree * params.capacity + level.node;
        stats[index] = sum_combine(level.counts, playouts);
        if lane < selected || (*header).expanded > 0u {
            note_best(index, level.info, best);
        }
    }
}

// Writes the playouts of the lane's new child; the last lanes have one for each action.
fn enter_new(tree: u32, lane: u32, mover: u32, won: ptr<function, RelayTallies>, header: ptr<function, Tree>) {
    let action = lane - FIRST_ACTION_LANE;
    let listed = notes[tree].listed;
    if (*header).expanded > 0u && lane >= FIRST_ACTION_LANE && ((listed >> action) & 1u) == 1u {
        var its = vec2<u32>(0u);
        for (var i = 0u; i < FEW_CHILDREN; i++) {
            its = select(its, (*won)[i], i == action);
        }
        let ends = ((notes[tree].open >> action) & 1u) == 0u;
        let child = tree * params.capacity + (*header).first_child + listed_below(listed, action);
        // In memory since the dispatch before; few steps have any.
        var mark = 0u;
        if PROVES && ends {
            mark = stats[child].y;
        }
        stats[child] = vec4<u32>(PLAYOUTS, mark, select(its.x, its.y, mover == SECOND), 0u);
    }
}
