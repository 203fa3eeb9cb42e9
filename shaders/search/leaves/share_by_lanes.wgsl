// Serves the nodes of a level, LEVELS of them at a time, by LEVEL_LANES lanes each. The choice is that of
// many_children.wgsl, but among children in registers.

const NODE_LANES: u32 = LEVEL_LANES;

// Built-in values of select_leaves that differ by lane. The workgroup's is apart from them: as a field of the same
// structure, it would not be uniform to compilers.
struct Selecting {
    @builtin(local_invocation_index) lane: u32,
}

fn note_subgroup(ids: Selecting) {}

// Terms of the bound for each of a node's next LEVEL_LANES choices: the exact logarithm takes most of a choice's time,
// so that each lane computes it for one of them.
var<workgroup> sh_lns: array<UcbLogarithm, MANY_LANES>;
var<workgroup> sh_parents: array<UcbParent, MANY_LANES>;

// A node that is served.
struct Served {
    node: u32,
    // The first place, and the number of selections, 0 where there is no such node.
    first: u32,
    visits: u32,
    link: vec2<u32>,
    counts: vec4<u32>,
}

// The greatest number of selections among the nodes served at a time.
var<workgroup> sh_rounds: u32;

// All lanes must call this together. Has barriers.
fn share_level(tree: u32, lane: u32, depth: u32, nodes: u32) {
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

fn load_served(tree: u32, depth: u32, number: u32, nodes: u32) -> Served {
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
    let served = load_served(tree, depth, select(nodes, top + number, number < LEVELS), nodes);
    let visits = unmarked(served.counts).xy;
    var level = Level(served.counts, visits, base + served.link.x, 0u, number, 0u, lane % LEVEL_LANES);
    if number < LEVELS {
        level.base = number * LEVEL_LANES;
        level.count = select(link_count(served.link.y), 0u, is_proven(served.counts));
    }
    var held = hold(level.lane, level.first, level.count, level.counts);
    var sent: array<Sent, HELD>;
    var ordinal = link_best(served.link.y);
    var place = served.first;
    for (var i = 0u; i < rounds; i++) {
        if i % LEVEL_LANES == 0u {
            prepare_choices(level);
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
    for (var i = 0u; i < HELD; i++) {
        forward(sent[i], depth + 1u);
    }
}

// Computes the terms of the bound for the next choices. Has a barrier, after which all lanes have read the node.
fn prepare_choices(level: Level) {
    if level.number < LEVELS {
        let visits = u64_add(level.visits, vec2<u32>(level.lane * PLAYOUTS, 0u));
        sh_lns[level.base + level.lane] = ucb_ln(visits);
        sh_parents[level.base + level.lane] = ucb_parent(visits, level.counts);
    }
    workgroupBarrier();
}

// The ordinal of the best child; `count` or more where none may be chosen. `visits_at` is the index of the choice's
// terms (prepare_choices). All lanes of the workgroup must call this together; those of a level get its result.
fn best_of_held(level: Level, visits_at: u32, held: ptr<function, Held>) -> u32 {
    let parent = sh_parents[visits_at];
    var approx: array<f32, HELD>;
    var top = NO_CHILD;
    for (var i = 0u; i < HELD; i++) {
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
    for (var i = 0u; i < HELD; i++) {
        close |= u32(approx[i] >= threshold && approx[i] != NO_CHILD) << i;
    }
    publish_held(level, close, ucb_are_equal(top), held);
    workgroupBarrier();
    let left = leaders(level, parent, top);
    note_close(level, left);
    if any_level_is_close() {
        return best_held_exactly(level, visits_at, left, close, held);
    }
    return key_ordinal(left.key);
}

// Publishes the lane's first child among `close` (one bit each), and whether their counts differ; `equal`: they do not.
fn publish_held(level: Level, close: u32, equal: bool, held: ptr<function, Held>) {
    var key = NO_KEY;
    var counts = vec4<u32>(0u);
    var mixed = 0u;
    var met = false;
    for (var i = 0u; i < HELD; i++) {
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

// The ordinal of the best child by exact bounds, among a lane's children `close`. A level that needs none keeps the
// child of its least key.
fn best_held_exactly(level: Level, visits_at: u32, left: Leaders, close: u32, held: ptr<function, Held>) -> u32 {
    let ln = sh_lns[visits_at];
    var top = 0u;
    var key = NO_KEY;
    for (var rest = own_close(level, left, close); rest != 0u; rest &= rest - 1u) {
        let its = firstTrailingBit(rest);
        var counts = vec4<u32>(0u);
        var its_key = NO_KEY;
        for (var i = 0u; i < HELD; i++) {
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
