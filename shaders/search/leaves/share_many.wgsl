// Sends the selections of a step on to their leaves, where children are many: LEVEL_LANES lanes serve a node, some
// nodes at a time. Each lane holds some of the children in registers, with the visits of this step. They are chosen
// among as many_children.wgsl chooses among children in memory.
//
// All selections go down level by level. One that is alone at a node goes on alone from there, along the choices that
// the nodes have made after the last backup.
//
//     place of the selection       0 1 2 3 4 5 6 7
//     level 0                      all at the root, which chooses a b a a c b a b
//     level 1                      a: 0 2 3 6     b: 1 5 7     c: 4, which is alone
//     level 2                      a sends 0 2 3 6, b sends 1 5 7, side by side

// [place]: the depth from which on the selection is alone; 0 where it never is.
var<workgroup> sh_alone: array<u32, select(LEAVES, 1u, FEW)>;

// A lane's children: their counts, and what orders them where bounds are equal. NO_KEY for one that is not there, or
// may not be chosen.
struct Held {
    counts: array<vec4<u32>, LANE_CHILDREN>,
    keys: array<u32, LANE_CHILDREN>,
}

// What a choice needs of a node's visits, for each of the next LEVEL_LANES choices: the exact logarithm takes longer
// than everything else, so that each lane works one of them out.
var<workgroup> sh_lns: array<Soft64, MANY_LANES>;
var<workgroup> sh_parents: array<f32, MANY_LANES>;

// A node that is served.
struct Served {
    node: u32,
    // The first place, and how many there are; none where there is no such node.
    first: u32,
    visits: u32,
    link: vec2<u32>,
    counts: vec4<u32>,
}

// The greatest number of selections at the nodes that are served at a time.
var<workgroup> sh_rounds: u32;

// All lanes must call this together. Has barriers.
fn select_by_levels(tree: u32, lane: u32, is_resting: bool) {
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
        sh_alone[place] = 0u;
        sh_next_place[place] = select(place + 1u, NO_PLACE, place + 1u == LEAVES);
    }
    if lane == 0u {
        sh_firsts[0] = 0u;
        sh_visits[0] = LEAVES;
        sh_served_nodes = select(1u, 0u, is_resting);
    }
    var nodes = workgroupUniformLoad(&sh_served_nodes);
    for (var depth = 0u; nodes > 0u; depth++) {
        share_many(tree, lane, depth, nodes);
        nodes = begin_round(lane);
    }
    for (var place = lane; place < LEAVES; place += TREE_LANES) {
        if sh_alone[place] > 0u {
            go_alone(tree, place);
        }
    }
}

// Notes where those that were sent go on: together at the next level, or alone.
fn hand_on(sent: Sent, depth: u32) {
    if sent.count == 1u {
        sh_alone[sent.first] = depth;
    } else if sent.count > 1u {
        serve_next(sent, depth);
    }
}

// A selection goes on to a leaf by itself, from the node that it has reached.
fn go_alone(tree: u32, place: u32) {
    let base = tree * params.capacity;
    var depth = sh_alone[place];
    var node = sh_reached[place];
    var link = links[base + node];
    add_stats(base + node, PLAYOUTS, 0u);
    while link.x != NO_CHILDREN {
        node = link.x + link_best(link.y);
        link = links[base + node];
        depth++;
        paths[(tree * LEAVES + place) * PATH_WORDS + depth] = node;
        add_stats(base + node, PLAYOUTS, 0u);
    }
    end_selection(tree, place, depth, node);
}

fn share_many(tree: u32, lane: u32, depth: u32, nodes: u32) {
    for (var top = 0u; top < nodes; top += LEVELS) {
        if lane == 0u {
            var most = 0u;
            for (var number = top; number < min(top + LEVELS, nodes); number++) {
                most = max(most, sh_visits[sh_firsts[round_at(depth) + number]]);
            }
            sh_rounds = most;
        }
        let rounds = workgroupUniformLoad(&sh_rounds);
        share_nodes(tree, lane, depth, top, nodes, rounds);
        workgroupBarrier();
    }
}

fn meet_served(tree: u32, depth: u32, number: u32, nodes: u32) -> Served {
    var served = Served(0u, NO_PLACE, 0u, vec2<u32>(0u), vec4<u32>(0u));
    if number < nodes {
        served.first = sh_firsts[round_at(depth) + number];
        served.visits = sh_visits[served.first];
        served.node = sh_reached[served.first];
        served.link = links[tree * params.capacity + served.node];
        served.counts = stats[tree * params.capacity + served.node];
    }
    return served;
}

// Serves LEVELS nodes from number `top` on. All lanes must call this together, with the same `rounds`.
fn share_nodes(tree: u32, lane: u32, depth: u32, top: u32, nodes: u32, rounds: u32) {
    let base = tree * params.capacity;
    let number = lane / LEVEL_LANES;
    let served = meet_served(tree, depth, select(nodes, top + number, number < LEVELS), nodes);
    let visits = unmarked(served.counts).xy;
    var level = Level(served.counts, visits, base + served.link.x, 0u, number, 0u, lane % LEVEL_LANES);
    if number < LEVELS {
        level.base = number * LEVEL_LANES;
        level.count = select(link_count(served.link.y), 0u, is_proven(served.counts));
    }
    var held = hold(level);
    var sent: array<Sent, LANE_CHILDREN>;
    var ordinal = link_best(served.link.y);
    var place = served.first;
    for (var i = 0u; i < rounds; i++) {
        if i % LEVEL_LANES == 0u {
            foresee_visits(level);
        }
        if i > 0u {
            let best = best_of_held(level, level.base + i % LEVEL_LANES, &held);
            // Where no child is open, but the node is not proven, the choice stays.
            ordinal = select(ordinal, best, best < level.count);
        }
        level.visits = u64_add(level.visits, vec2<u32>(PLAYOUTS, 0u));
        if i < served.visits && served.link.x != NO_CHILDREN {
            if ordinal % LEVEL_LANES == level.lane {
                send_held(tree, depth, place, served.link.x + ordinal, ordinal / LEVEL_LANES, &held, &sent);
            }
            place = sh_next_place[round_at(depth) + place];
        }
    }
    if served.visits > 0u && level.lane == 0u {
        add_stats(base + served.node, served.visits * PLAYOUTS, 0u);
        if served.link.x == NO_CHILDREN {
            end_selections(tree, served.first, depth, depth, served.node);
        }
    }
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        hand_on(sent[i], depth + 1u);
    }
}

// Sends a selection to one of the lane's children.
fn send_held(tree: u32, depth: u32, place: u32, node: u32, own: u32, held: ptr<function, Held>,
    sent: ptr<function, array<Sent, LANE_CHILDREN>>) {
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        if i == own {
            (*held).counts[i] = sum_combine((*held).counts[i], vec4<u32>(PLAYOUTS, 0u, 0u, 0u));
            (*sent)[i] = send((*sent)[i], place, depth + 1u);
        }
    }
    reach(tree, place, depth + 1u, node);
}

fn hold(level: Level) -> Held {
    var held: Held;
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = level.lane + i * LEVEL_LANES;
        held.keys[i] = NO_KEY;
        if ordinal < level.count {
            held.counts[i] = as_child(stats[level.first + ordinal], level.counts);
            if !is_proven(held.counts[i]) {
                held.keys[i] = first_key(level, ordinal);
            }
        }
    }
    return held;
}

// Works out what the next choices need of the node's visits. Has a barrier, after which all lanes have read what they
// know of the node.
fn foresee_visits(level: Level) {
    if level.number < LEVELS {
        let visits = u64_add(level.visits, vec2<u32>(level.lane * PLAYOUTS, 0u));
        sh_lns[level.base + level.lane] = ucb_ln(visits);
        sh_parents[level.base + level.lane] = ucb_parent(visits);
    }
    workgroupBarrier();
}

// The ordinal of the best child; no child's where none may be chosen. `visits_at` is where foresee_visits has noted
// what is needed of the visits. All lanes of the workgroup must call this together; those of a level get its result.
fn best_of_held(level: Level, visits_at: u32, held: ptr<function, Held>) -> u32 {
    let parent = sh_parents[visits_at];
    var approx: array<f32, LANE_CHILDREN>;
    var top = NO_CHILD;
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let estimate = ucb_approx(parent, (*held).counts[i].xy, (*held).counts[i].zw);
        approx[i] = select(estimate, NO_CHILD, (*held).keys[i] == NO_KEY);
        top = max(top, approx[i]);
    }
    if level.number < LEVELS {
        sh_approx[level.base + level.lane] = top;
    }
    workgroupBarrier();
    top = greatest_approx(level.base);
    let threshold = ucb_floor(top);
    var close = 0u;
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        close |= u32(approx[i] >= threshold && approx[i] != NO_CHILD) << i;
    }
    publish_held(level, close, top == UCB_UNVISITED, held);
    workgroupBarrier();
    let left = leaders(level, parent, top);
    note_close(level, left);
    if any_level_is_close() {
        return best_held_exactly(level, visits_at, left, close, held);
    }
    return key_ordinal(left.key);
}

// Publishes the lane's first child among `close` (one bit each), and whether these have different counts; `equal` says
// that they have not.
fn publish_held(level: Level, close: u32, equal: bool, held: ptr<function, Held>) {
    var key = NO_KEY;
    var counts = vec4<u32>(0u);
    var mixed = 0u;
    var met = false;
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        if ((close >> i) & 1u) == 1u {
            key = min(key, (*held).keys[i]);
            mixed |= u32(met && !equal && any((*held).counts[i] != counts));
            counts = select((*held).counts[i], counts, met);
            met = true;
        }
    }
    if level.number < LEVELS {
        sh_first[level.base + level.lane] = key | (mixed * KEY_MIXED);
        sh_counts[level.base + level.lane] = counts;
    }
}

// The ordinal of the best child by exact bounds, among a lane's children `close`. A level that does not need them keeps
// the child of its least key.
fn best_held_exactly(level: Level, visits_at: u32, left: Leaders, close: u32, held: ptr<function, Held>) -> u32 {
    let ln = sh_lns[visits_at];
    var top = 0u;
    var key = NO_KEY;
    for (var rest = own_close(level, left, close); rest != 0u; rest &= rest - 1u) {
        let its = firstTrailingBit(rest);
        var counts = vec4<u32>(0u);
        var its_key = NO_KEY;
        for (var i = 0u; i < LANE_CHILDREN; i++) {
            counts = select(counts, (*held).counts[i], i == its);
            its_key = select(its_key, (*held).keys[i], i == its);
        }
        let bound = ucb_exact(ln, counts.xy, counts.zw);
        if bound >= top {
            key = min(select(key, NO_KEY, bound > top), its_key);
            top = bound;
        }
    }
    return settle_exactly(level, top, key, left.key);
}
