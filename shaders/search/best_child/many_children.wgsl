// The best of many children, by the LEVEL_LANES lanes of a level, some levels of a path at a time. A lane reads some of
// the children and publishes its best; after a barrier it reads the results of all lanes of its level.

const LEVEL_LANES: u32 = 32u;
// Levels at a time.
const LEVELS: u32 = min(TREE_LANES / LEVEL_LANES, 4u);
const LANE_CHILDREN: u32 = (MAX_ACTIONS + LEVEL_LANES - 1u) / LEVEL_LANES;
const MANY_LANES: u32 = select(LEVELS * LEVEL_LANES, 1u, FEW);

// A lane's greatest estimate, and its greatest exact bound.
var<workgroup> sh_approx: array<f32, MANY_LANES>;
var<workgroup> sh_exact: array<u32, MANY_LANES>;
// Its first child among the remaining ones (first_key), and that child's counts.
var<workgroup> sh_first: array<u32, MANY_LANES>;
var<workgroup> sh_counts: array<vec4<u32>, MANY_LANES>;
// Whether a level needs exact bounds.
var<workgroup> sh_close: array<u32, LEVELS>;

// Bits of a key below the bit-reversed action: the ordinal, and whether children of the lane have different counts.
const KEY_ACTION: u32 = ~((1u << (32u - ACTION_BITS)) - 1u);
const KEY_MIXED: u32 = 1u;
const NO_KEY: u32 = 0xffffffffu;

// A level, and one of its lanes.
struct Level {
    // The node's statistics, and its visits, including those of this step.
    counts: vec4<u32>,
    visits: vec2<u32>,
    // The index of the first child, and the number of children.
    first: u32,
    count: u32,
    // The number of the level among those of a pass, its first lane, and this lane's place in it. Lanes beyond the last
    // level have no children.
    number: u32,
    base: u32,
    lane: u32,
}

// The key that orders children by their bit-reversed actions. `first` is the index of the first child.
fn child_key(first: u32, ordinal: u32) -> u32 {
    return key_of(links[first + ordinal].y, ordinal);
}

fn key_of(info: u32, ordinal: u32) -> u32 {
    return (reverseBits(link_action(info)) & KEY_ACTION) | (ordinal << 1u);
}

fn first_key(level: Level, ordinal: u32) -> u32 {
    return child_key(level.first, ordinal);
}

fn key_ordinal(key: u32) -> u32 {
    return (key & ~KEY_ACTION) >> 1u;
}

// The ordinal of the best child; `count` or more where none is open. All lanes of the workgroup must call this
// together; those of a level get its result.
fn best_of_many(level: Level) -> u32 {
    let parent = ucb_parent(level.visits, level.counts);
    var approx: array<f32, LANE_CHILDREN>;
    var top = NO_CHILD;
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        let ordinal = level.lane + i * LEVEL_LANES;
        approx[i] = NO_CHILD;
        if ordinal < level.count {
            let counts = as_child(stats[level.first + ordinal], level.counts);
            approx[i] = open_approx(parent, counts);
        }
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
    publish_first(level, close, ucb_are_equal(top));
    workgroupBarrier();
    let left = leaders(level, parent, top);
    note_close(level, left);
    if any_level_is_close() {
        return best_exactly(level, left, close);
    }
    return key_ordinal(left.key);
}

// Reads four values at a time, so that drivers can load sixteen bytes at once.
fn greatest_approx(base: u32) -> f32 {
    var top = vec4<f32>(NO_CHILD);
    for (var i = base; i < base + LEVEL_LANES; i += 4u) {
        top = max(top, vec4<f32>(sh_approx[i], sh_approx[i + 1u], sh_approx[i + 2u], sh_approx[i + 3u]));
    }
    return max(max(top.x, top.y), max(top.z, top.w));
}

// Publishes the lane's first child among `close` (one bit each), and whether their counts differ; `equal`: they do not.
// The loop has a constant bound, so that the loads overlap.
fn publish_first(level: Level, close: u32, equal: bool) {
    var key = NO_KEY;
    for (var i = 0u; i < LANE_CHILDREN; i++) {
        if ((close >> i) & 1u) == 1u {
            key = min(key, first_key(level, level.lane + i * LEVEL_LANES));
        }
    }
    var counts = vec4<u32>(0u);
    var mixed = 0u;
    if !equal && close != 0u {
        counts = level_child(level, firstTrailingBit(close));
        for (var rest = close & (close - 1u); rest != 0u; rest &= rest - 1u) {
            mixed |= u32(any(level_child(level, firstTrailingBit(rest)) != counts));
        }
    }
    if level.number < LEVELS {
        sh_first[level.base + level.lane] = key | (mixed * KEY_MIXED);
        sh_counts[level.base + level.lane] = counts;
    }
}

// The counts of the lane's child of this number.
fn level_child(level: Level, number: u32) -> vec4<u32> {
    return as_child(stats[level.first + level.lane + number * LEVEL_LANES], level.counts);
}

// The published children of a level that may be the best.
struct Leaders {
    // The lanes whose first child may have the greatest exact bound, one bit each; a few others may be included.
    lanes: u32,
    // The least key of these children.
    key: u32,
    // Exact bounds have to decide among them.
    close: bool,
}

// The published children of a level that may have the greatest bound. `parent` is ucb_parent of the node's visits,
// `top` the greatest estimate.
fn leaders(level: Level, parent: UcbParent, top: f32) -> Leaders {
    let found = all_published(level.base);
    if found.close || ucb_are_equal(top) || (found.lanes & (found.lanes - 1u)) == 0u {
        return found;
    }
    let first = firstTrailingBit(found.lanes);
    var counts = sh_counts[level.base + first];
    // The lanes whose first child has these counts.
    var same = 1u << first;
    var left = same;
    for (var rest = found.lanes & (found.lanes - 1u); rest != 0u; rest &= rest - 1u) {
        let bit = rest & (0u - rest);
        let its = sh_counts[level.base + firstTrailingBit(rest)];
        if all(its == counts) {
            same |= bit;
            left |= bit;
            continue;
        }
        let order = ucb_order(parent, top, its, counts);
        if order > 0 {
            left &= ~same;
            same = bit;
            counts = its;
        }
        left |= select(0u, bit, order >= 0);
    }
    return Leaders(left, least_key(level.base, left), left != same);
}

// All lanes that have published a child, and the least key; `close` where a lane has different children. Reads four
// values at a time, so that drivers can load sixteen bytes at once.
fn all_published(base: u32) -> Leaders {
    var least = vec4<u32>(NO_KEY);
    var mixed = vec4<u32>(0u);
    var lanes = vec4<u32>(0u);
    for (var i = 0u; i < LEVEL_LANES; i += 4u) {
        let at = base + i;
        let keys = vec4<u32>(sh_first[at], sh_first[at + 1u], sh_first[at + 2u], sh_first[at + 3u]);
        let there = vec4<u32>(keys != vec4<u32>(NO_KEY));
        least = min(least, keys);
        mixed |= keys & there;
        lanes |= there << vec4<u32>(i, i + 1u, i + 2u, i + 3u);
    }
    let key = min(min(least.x, least.y), min(least.z, least.w));
    let any_mixed = (mixed.x | mixed.y | mixed.z | mixed.w) & KEY_MIXED;
    return Leaders(lanes.x | lanes.y | lanes.z | lanes.w, key, any_mixed == KEY_MIXED);
}

// The least key that some lanes of a level have published.
fn least_key(base: u32, lanes: u32) -> u32 {
    var least = NO_KEY;
    for (var rest = lanes; rest != 0u; rest &= rest - 1u) {
        least = min(least, sh_first[base + firstTrailingBit(rest)]);
    }
    return least;
}

// Publishes whether a level needs exact bounds, for any_level_is_close.
fn note_close(level: Level, left: Leaders) {
    if level.number < LEVELS && level.lane == 0u {
        sh_close[level.number] = u32(left.close);
    }
}

// Whether any level needs exact bounds, the same in all lanes. Has barriers.
fn any_level_is_close() -> bool {
    let levels = workgroupUniformLoad(&sh_close);
    var close = 0u;
    for (var i = 0u; i < LEVELS; i++) {
        close |= levels[i];
    }
    return close != 0u;
}

// The lane's children among `close` whose exact bounds are needed.
fn own_close(level: Level, left: Leaders, close: u32) -> u32 {
    return select(0u, close, left.close && ((left.lanes >> level.lane) & 1u) == 1u);
}

// The ordinal of the best child by exact bounds, among a lane's children `close`. A level that needs none keeps the
// child of its least key.
fn best_exactly(level: Level, left: Leaders, close: u32) -> u32 {
    let ln = ucb_ln(level.visits);
    var top = 0u;
    var key = NO_KEY;
    for (var rest = own_close(level, left, close); rest != 0u; rest &= rest - 1u) {
        let ordinal = level.lane + firstTrailingBit(rest) * LEVEL_LANES;
        let counts = level_child(level, firstTrailingBit(rest));
        let bound = ucb_exact(ln, counts.xy, counts.zw);
        if bound >= top {
            key = min(select(key, NO_KEY, bound > top), first_key(level, ordinal));
            top = bound;
        }
    }
    return settle_exactly(level, top, key, left.key);
}

// The ordinal of the child with the greatest exact bound, then the least key, from the results of all lanes. Has a
// barrier.
fn settle_exactly(level: Level, own_top: u32, own_key: u32, first: u32) -> u32 {
    if level.number < LEVELS {
        sh_exact[level.base + level.lane] = own_top;
        sh_first[level.base + level.lane] = own_key;
    }
    workgroupBarrier();
    var top = 0u;
    for (var i = level.base; i < level.base + LEVEL_LANES; i++) {
        top = max(top, sh_exact[i]);
    }
    var key = NO_KEY;
    for (var i = level.base; i < level.base + LEVEL_LANES; i++) {
        key = min(key, select(NO_KEY, sh_first[i], sh_exact[i] == top));
    }
    return key_ordinal(select(key, first, key == NO_KEY));
}

// The ordinal of the best of many children, as in best_of_many, but by one lane; `count` where none is open. `own` are
// the node's statistics.
fn best_alone(own: vec4<u32>, first: u32, count: u32) -> u32 {
    let visits = unmarked(own).xy;
    let parent = ucb_parent(visits, own);
    var top = NO_CHILD;
    for (var ordinal = 0u; ordinal < count; ordinal++) {
        top = max(top, open_approx(parent, as_child(stats[first + ordinal], own)));
    }
    if top == NO_CHILD {
        return count;
    }
    let threshold = ucb_floor(top);
    var key = NO_KEY;
    var one = vec4<u32>(0u);
    var mixed = false;
    for (var ordinal = 0u; ordinal < count; ordinal++) {
        let counts = as_child(stats[first + ordinal], own);
        if open_approx(parent, counts) >= threshold {
            mixed = mixed || (key != NO_KEY && any(counts != one));
            one = counts;
            key = min(key, child_key(first, ordinal));
        }
    }
    if mixed && !ucb_are_equal(top) {
        key = exact_key(own, first, count, threshold);
    }
    return key_ordinal(key);
}

// The estimate of a child; NO_CHILD if it is not open.
fn open_approx(parent: UcbParent, counts: vec4<u32>) -> f32 {
    return select(ucb_approx(parent, counts.xy, counts.zw), NO_CHILD, is_proven(counts));
}

// The key of the child with the greatest exact bound, among those whose estimates reach the threshold.
fn exact_key(own: vec4<u32>, first: u32, count: u32, threshold: f32) -> u32 {
    let visits = unmarked(own).xy;
    let parent = ucb_parent(visits, own);
    let ln = ucb_ln(visits);
    var top = 0u;
    var key = NO_KEY;
    for (var ordinal = 0u; ordinal < count; ordinal++) {
        let counts = as_child(stats[first + ordinal], own);
        if open_approx(parent, counts) >= threshold {
            let bound = ucb_exact(ln, counts.xy, counts.zw);
            if bound >= top {
                key = min(select(key, NO_KEY, bound > top), child_key(first, ordinal));
                top = bound;
            }
        }
    }
    return key;
}
