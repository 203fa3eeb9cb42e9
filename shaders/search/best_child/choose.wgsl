// Chooses the best child of every node of a path (specification, "One step", 1): the second half of backup_2. The best
// child depends on the counts of the node and of its children alone, which only a backup along the path changes: the
// choices of other nodes stay valid. All levels of the path choose side by side here; a selection would have to choose
// level by level.
//
// A level has one lane where children are few, else LEVEL_LANES.

// The values that a backup's barriers depend on.
struct PathNotes {
    // Nodes of the path.
    length: u32,
    // A child appended by the step ends the game, so that proofs have to be backed up.
    ended: bool,
}

var<workgroup> sh_length: u32;

// Broadcasts the length of a path, and whether a new child ends the game, from lane 0 to every lane. All lanes have the
// values already, but barriers need control flow that compilers can prove uniform, and values in registers or storage
// are not uniform to them. Has barriers.
fn uniform_path(lane: u32, length: u32, flags: u32) -> PathNotes {
    return uniform_notes(lane == 0u, length, (flags & TREE_ENDED) != 0u);
}

// The same from the one lane with `is_source`.
fn uniform_notes(is_source: bool, length: u32, ended: bool) -> PathNotes {
    if is_source {
        sh_length = (length << 1u) | u32(ended);
    }
    let notes = workgroupUniformLoad(&sh_length);
    return PathNotes(notes >> 1u, PROVES && (notes & 1u) == 1u);
}

// Chooses at all levels from `start` on. All lanes must call this together, after a storage barrier and a barrier,
// with a `length` that uniform_path returned.
fn choose_tree(leaf: u32, lane: u32, start: u32, length: u32) {
    if FEW {
        choose_by_lane(leaf, lane, start, length);
    } else {
        choose_many(leaf, lane, start, length);
    }
}

fn note_best(index: u32, info: u32, ordinal: u32) {
    links[index].y = link_lasting(info) | (ordinal << BEST_SHIFT);
}

// One lane a level.
fn choose_by_lane(leaf: u32, lane: u32, start: u32, length: u32) {
    let base = nodes_of(leaf);
    for (var depth = start + lane; depth < length; depth += TEAM) {
        let index = base + path_node(leaf, depth);
        let link = links[index];
        let count = link_count(link.y);
        let own = stats[index];
        if count > 0u && !is_proven(own) {
            let best = best_by_lane(own, base + link.x, count);
            // Where no child is open, but the node is not proven, the last choice stays.
            if best < count {
                note_choice(leaf, depth, index, link.y, best);
            }
        }
    }
}

// The ordinal of the best child of a node with these statistics, by one lane; `count` where none is open.
fn best_by_lane(own: vec4<u32>, first: u32, count: u32) -> u32 {
    if !FEW {
        return best_alone(own, first, count);
    }
    let all = (1u << count) - 1u;
    var counts = load_few(first, all, own);
    var terms = few_terms(&counts);
    let best = best_of_few(own, unmarked(own).xy, first, all, &counts, &terms);
    return select(best.ordinal, count, best.approx == NO_CHILD);
}

fn choose_many(leaf: u32, lane: u32, start: u32, length: u32) {
    let base = nodes_of(leaf);
    let number = lane / LEVEL_LANES;
    for (var top = start; top < length; top += LEVELS) {
        let depth = top + number;
        var level = Level(vec4<u32>(0u), vec2<u32>(0u), 0u, 0u, number, 0u, lane % LEVEL_LANES);
        var index = 0u;
        var info = 0u;
        if number < LEVELS {
            level.base = number * LEVEL_LANES;
            if depth < length {
                index = base + path_node(leaf, depth);
                let link = links[index];
                info = link.y;
                level.counts = stats[index];
                level.visits = unmarked(level.counts).xy;
                level.first = base + link.x;
                level.count = select(link_count(link.y), 0u, is_proven(level.counts));
            }
        }
        let best = best_of_many(level);
        // Where no child is open, but the node is not proven, the last choice stays.
        if level.lane == 0u && best < level.count {
            note_choice(leaf, depth, index, info, best);
        }
    }
}

// A node of a path with few children, in the lane that serves it, before the wins are known.
struct OnPath {
    index: u32,
    counts: vec4<u32>,
    info: u32,
    rivals: Rivals,
}

// `next` where the path ends.
const NO_NEXT: u32 = 0xffffffffu;

// Nodes of a path that have a lane each.
const PATH_LANES: u32 = 32u;
// [depth]: counts and info of a node of the path, for the lane that serves its parent. That lane can't read them from
// storage, where the node's own lane changes them between the same two barriers.
var<workgroup> sh_path_counts: array<vec4<u32>, select(1u, PATH_LANES + 1u, FEW)>;
var<workgroup> sh_path_info: array<u32, select(1u, PATH_LANES + 1u, FEW)>;

fn publish_counts(depth: u32, counts: vec4<u32>, info: u32) {
    if FEW && depth <= PATH_LANES {
        sh_path_counts[depth] = counts;
        sh_path_info[depth] = info;
    }
}

// Sets the counts and the action of the path's child, as publish_counts has stored them; a barrier must stand between.
// `depth` is the child's.
fn take_child_counts(mine: ptr<function, OnPath>, depth: u32) {
    if FEW && depth <= PATH_LANES {
        (*mine).rivals.counts = sh_path_counts[depth];
        (*mine).rivals.action = link_action(sh_path_info[depth]);
    }
}

// Computes the part of a node's backup that does not depend on the results, for n more playouts. `next` is the path's
// next node, whose counts take_child_counts sets later.
fn prepare_node(base: u32, node: u32, next: u32, n: u32) -> OnPath {
    let index = base + node;
    return prepare_loaded(base, index, links[index], stats[index], next, n);
}

// The same, given the node's link and counts.
fn prepare_loaded(base: u32, index: u32, link: vec2<u32>, counts: vec4<u32>, next: u32, n: u32) -> OnPath {
    var mine = OnPath(index, counts, link.y, Rivals());
    mine.rivals.visits = u64_add(unmarked(mine.counts).xy, vec2<u32>(n, 0u));
    if FEW && next != NO_NEXT {
        mine.rivals = find_rivals(mine.counts, mine.rivals.visits, base + link.x, link_count(link.y), next - link.x);
    }
    return mine;
}

// Adds n playouts to a node: n_wins of the player who moved into it, next_wins of the opponent, who moves into the next
// node. Returns the ordinal of the best child.
fn back_up_node(mine: OnPath, n: u32, n_wins: u32, next_wins: u32) -> u32 {
    stats[mine.index] = sum_combine(mine.counts, vec4<u32>(n, 0u, n_wins, 0u));
    if FEW && is_proven(mine.counts) {
        return mine.rivals.child;
    }
    if FEW && mine.rivals.count > 0u {
        let next = sum_combine(mine.rivals.counts, vec4<u32>(n, 0u, next_wins, 0u));
        let best = best_against(mine.rivals, as_child(next, mine.counts));
        note_best(mine.index, mine.info, best);
        return best;
    }
    return 0u;
}
