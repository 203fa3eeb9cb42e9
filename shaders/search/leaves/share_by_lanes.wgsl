// Serves the nodes of a round, LEVELS of them at a time, by LEVEL_LANES lanes each. The choice is that of
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

// All lanes must call this together. Has barriers.
fn share_many(tree: u32, lane: u32, round: u32, nodes: Round) {
    let end = nodes.heavy + nodes.light;
    for (var top = 0u; top < end; top += LEVELS) {
        let number = top + lane / LEVEL_LANES;
        var first = NO_PLACE;
        if lane / LEVEL_LANES < LEVELS && number < end {
            first = first_at(round, number, nodes.heavy);
        }
        share_node(tree, lane, round, first, choices_from(top, nodes));
        workgroupBarrier();
    }
}

// Serves the node whose first selection is `first`, or none. All lanes must call this together, with the same number of
// choices.
fn share_node(tree: u32, lane: u32, round: u32, first: u32, choices: u32) {
    let number = lane / LEVEL_LANES;
    var level = Level(vec4<u32>(0u), vec2<u32>(0u), 0u, 0u, number, 0u, lane % LEVEL_LANES);
    var link = vec2<u32>(0u);
    var left = 0u;
    if first != NO_PLACE {
        link = node_link(first);
        left = selections_at(link);
        level.counts = counts_before(first);
        level.visits = unmarked(level.counts).xy;
        level.first = tree * params.capacity + link.x;
        level.count = link_count(link.y);
    }
    if number < LEVELS {
        level.base = number * LEVEL_LANES;
    }
    var held = hold(level.lane, level.first, level.count, level.counts);
    var sent: array<Sent, HELD>;
    var place = first;
    for (var i = 0u; i < choices; i++) {
        if i % LEVEL_LANES == 0u {
            prepare_choices(level);
        }
        let best = best_of_held(level, level.base + i % LEVEL_LANES, &held);
        level.visits = u64_add(level.visits, vec2<u32>(PLAYOUTS, 0u));
        if i < left {
            // Where no child is open, but the node is not proven, the choice of the last backup stays.
            let ordinal = select(link_best(link.y), best, best < level.count);
            if ordinal % LEVEL_LANES == level.lane {
                send_held(tree, round, place, link.x + ordinal, ordinal / LEVEL_LANES, &held, &sent);
            }
            place = next_place(round_at(round) + place);
        }
    }
    forward_held(tree, link.x + level.lane, round + 1u, &sent);
}

// Computes the terms of the bound for the next choices. Has a barrier.
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
