// The choice of a subgroup in a search by playouts: the children whose estimates may be the greatest are compared with
// one of them (ucb_order), and by exact bounds where that does not decide.
//
// A maximum over a subgroup takes as long as four shuffles, a ballot a fifth of one (NVIDIA H100): a choice has two
// maxima.

// Where no child is open, but the node is not proven, the choice of the last backup stays. Lane `turn` has the terms of
// the bound in `parents`. All lanes of the workgroup must call this together.
fn choose_held(turn: u32, parents: UcbParent, lane: u32, served: Served, held: ptr<function, Held>) -> OwnChoice {
    let parent = subgroupShuffle(parents, turn);
    let estimates = estimate_held(parent, select(0u, served.count, served.left > 0u), held);
    let top = from_ordered(subgroupMax(ordered(greatest(estimates))));
    let best = best_of_close(parent, top, close_to(top, estimates), served.visits, held);
    return own_choice(select(best, served.ordinal, top == NO_CHILD), lane);
}

// Maps floats, except NaN, to whole numbers of the same order.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return bits ^ (bitcast<u32>(bitcast<i32>(bits) >> 31u) | 0x80000000u);
}

fn from_ordered(x: u32) -> f32 {
    return bitcast<f32>(x ^ select(0xffffffffu, 0x80000000u, x >= 0x80000000u));
}

// Estimates of a lane's children, NO_CHILD for those that may not be chosen.
fn estimate_held(parent: UcbParent, count: u32, held: ptr<function, Held>) -> array<f32, HELD> {
    var estimates: array<f32, HELD>;
    for (var i = 0u; i < HELD; i++) {
        estimates[i] = NO_CHILD;
        if i * NODE_LANES < count {
            let estimate = ucb_approx(parent, (*held).counts[i].xy, (*held).counts[i].zw);
            estimates[i] = select(estimate, NO_CHILD, (*held).keys[i] == NO_KEY);
        }
    }
    return estimates;
}

fn greatest(estimates: array<f32, HELD>) -> f32 {
    var top = NO_CHILD;
    for (var i = 0u; i < HELD; i++) {
        top = max(top, estimates[i]);
    }
    return top;
}

// The lane's children whose estimates may be the greatest, one bit each.
fn close_to(top: f32, estimates: array<f32, HELD>) -> u32 {
    let threshold = ucb_floor(top);
    var close = 0u;
    for (var i = 0u; i < HELD; i++) {
        close |= u32(estimates[i] >= threshold && estimates[i] != NO_CHILD) << i;
    }
    return close;
}

// The ordinal of the best child among those whose estimates, `close`, do not decide.
//
// Any of them can be the one that the others are compared with. The one of the greatest estimate would be as good, but
// NVIDIA's compiler made kernels from such texts that chose wrongly (benches/results/verify.md).
fn best_of_close(parent: UcbParent, top: f32, close: u32, visits: vec2<u32>, held: ptr<function, Held>) -> u32 {
    let lanes = subgroupBallot(close != 0u).x;
    let several = subgroupBallot((close & (close - 1u)) != 0u).x;
    let leader = min(firstTrailingBit(lanes), NODE_LANES - 1u);
    let leading = subgroupShuffle(as_leader(held_at(held, firstTrailingBit(close))), leader);
    let is_clear = ((lanes & (lanes - 1u)) | several) == 0u || ucb_are_equal(top);
    var left = Contenders(close, true);
    if !is_clear {
        left = contenders(parent, top, close, leading, held);
    }
    // Children that are still too close, or better, are compared by exact bounds.
    let is_sure = subgroupAll(left.is_sure);
    var own_best = OwnBest(0u, NO_KEY);
    if is_sure {
        own_best.key = least_held(left.children, held);
    } else {
        own_best = best_by_bounds(ucb_ln(visits), left.children, held);
    }
    return ranked_ordinal(subgroupMax(rank(top, own_best)));
}

// The least key of some of the lane's children (one bit each).
fn least_held(children: u32, held: ptr<function, Held>) -> u32 {
    var key = NO_KEY;
    for (var i = 0u; i < HELD; i++) {
        key = min(key, select(NO_KEY, (*held).keys[i], ((children >> i) & 1u) == 1u));
    }
    return key;
}

fn held_at(held: ptr<function, Held>, own: u32) -> vec4<u32> {
    var counts = (*held).counts[0];
    for (var i = 1u; i < HELD; i++) {
        counts = select(counts, (*held).counts[i], i == own);
    }
    return counts;
}

// n and n_wins of the leader, with which others are compared: 0 where they are 2^32 or more, which ucb_order does not
// compare.
fn as_leader(counts: vec4<u32>) -> vec2<u32> {
    return select(counts.xz, vec2<u32>(0u), (counts.y | counts.w) != 0u);
}

// The lane's children that may have the greatest bound, one bit each.
struct Contenders {
    children: u32,
    // Each of them is certain to have it, given that the other lanes' are.
    is_sure: bool,
}

// The contenders among children `close`, whose estimates do not decide, by comparison with the leader.
fn contenders(parent: UcbParent, top: f32, close: u32, leader: vec2<u32>, held: ptr<function, Held>) -> Contenders {
    var left = Contenders(close, close == 0u);
    if leader.x == 0u {
        return left;
    }
    left = Contenders(0u, true);
    let best = vec4<u32>(leader.x, 0u, leader.y, 0u);
    for (var rest = close; rest != 0u; rest &= rest - 1u) {
        let i = firstTrailingBit(rest);
        let counts = held_at(held, i);
        let is_same = all(counts == best);
        let order = select(ucb_order(parent, top, counts, best), 0, is_same);
        left.children |= u32(order >= 0) << i;
        left.is_sure = left.is_sure && (is_same || order < 0);
    }
    return left;
}

// The greatest exact bound among a lane's children, and the least key of those that have it.
struct OwnBest {
    bound: u32,
    key: u32,
}

fn best_by_bounds(ln: UcbLogarithm, children: u32, held: ptr<function, Held>) -> OwnBest {
    var best = OwnBest(0u, NO_KEY);
    for (var rest = children; rest != 0u; rest &= rest - 1u) {
        let counts = held_at(held, firstTrailingBit(rest));
        let bound = ucb_exact(ln, counts.xy, counts.zw);
        if bound >= best.bound {
            let key = least_held(rest & (0u - rest), held);
            best = OwnBest(bound, min(key, select(best.key, NO_KEY, bound > best.bound)));
        }
    }
    return best;
}

// Bits of a rank: a bound, an action, an ordinal.
const RANK_BOUND_BITS: u32 = 11u;
const RANK_ORDINAL_BITS: u32 = 9u;

// The order of lanes' results as a whole number: first the greater bound, then the least key; 0 for none. Exact bounds
// of children whose estimates are close to the greatest, `top`, are at most 80 u below and 16 u above it (ucb_floor):
// 320 and 32 steps of float32. The bound 0 stands for children whose bounds are known to be equal.
fn rank(top: f32, own: OwnBest) -> u32 {
    let steps = i32(own.bound) - i32(bitcast<u32>(top)) + (1 << (RANK_BOUND_BITS - 1u));
    let bound = u32(clamp(steps, 0, (1 << RANK_BOUND_BITS) - 1));
    let action = ((1u << ACTION_BITS) - 1u) - (own.key >> (32u - ACTION_BITS));
    let rank = (((bound << ACTION_BITS) | action) << RANK_ORDINAL_BITS) | key_ordinal(own.key);
    return select(rank, 0u, own.key == NO_KEY);
}

fn ranked_ordinal(rank: u32) -> u32 {
    return rank & ((1u << RANK_ORDINAL_BITS) - 1u);
}
