// Picks the best action of a position (specification, "The result"). A proven win comes first, the shortest one; then
// actions that are not proven; then a draw; then a loss, the longest one; last, if the player has a certain draw,
// actions that are at most a draw. Among equals the greatest (win flag, n, n_wins) is best; ties go to the smallest
// bit-reversed index, of the action (prodigal) or of its ordinal (thrifty). But where there are proofs, an action with
// a much greater q is better than one with more playouts; and a certain draw is better than an action whose q is below
// one half.
//
// One workgroup = one position, one lane = some ordinals.
// Reads trees, root_sums; writes best.

const NO_ORDINAL: u32 = 0xffffffffu;
// Rank of an action that is not proven, among the ranks of proof_rank.
const OPEN_RANK: u32 = 3u << RANK_PLIES;

// Units of a q, which is compared in whole numbers: 2^Q_BITS.
const Q_BITS: u32 = 16u;
// The margin by which the q of a better action exceeds that of the one with the most playouts: 1/32.
const Q_MARGIN: u32 = 1u << (Q_BITS - 5u);
// Playouts that the better action needs; the other may have at most 2^TIMES_BITS times as many.
const LEAST_PLAYOUTS: u32 = 1u << 20u;
const TIMES_BITS: u32 = 4u;

// [lane]: the best ordinal of all actions and of those that draw for certain; then the best of those that are much
// better than the one with the most playouts.
var<workgroup> sh_best: array<vec2<u32>, TREE_LANES>;

// Max monoid over ordinals; NO_ORDINAL is the identity.
fn best_combine(a: u32, b: u32, row: u32, turn: u32) -> u32 {
    if b == NO_ORDINAL {
        return a;
    }
    if a == NO_ORDINAL || best_less(a, b, row, turn) {
        return b;
    }
    return a;
}

// The same for both orders.
fn both_combine(a: vec2<u32>, b: vec2<u32>, row: u32, turn: u32) -> vec2<u32> {
    return vec2<u32>(best_combine(a.x, b.x, row, turn), best_combine(a.y, b.y, row, turn));
}

// The rank of an action of a row by its proof.
fn sum_rank(sum: RootSum, row: u32, turn: u32) -> u32 {
    if sum.proof == 0u {
        let root = root_sums[row + MAX_ACTIONS];
        let is_drawn = root.proof != 0u || (root.half_proofs & AT_LEAST_DRAWN) != 0u;
        return select(OPEN_RANK, 0u, is_drawn && (sum.half_proofs & AT_LEAST_DRAWN) != 0u);
    }
    return proof_rank(sum.proof & 3u, MOST_PLIES - (sum.proof >> 2u), turn);
}

// Whether an action is proven to draw or to win.
fn draws_for_certain(sum: RootSum) -> bool {
    return (sum.proof & 3u) == DRAW || (sum.proof == 0u && (sum.half_proofs & AT_MOST_DRAWN) != 0u);
}

fn best_less(a: u32, b: u32, row: u32, turn: u32) -> bool {
    let a_sum = root_sums[row + a];
    let b_sum = root_sums[row + b];
    let a_rank = sum_rank(a_sum, row, turn);
    let b_rank = sum_rank(b_sum, row, turn);
    if a_rank != b_rank {
        return a_rank < b_rank;
    }
    let a_wins = link_outcome(a_sum.info) == wins(turn);
    let b_wins = link_outcome(b_sum.info) == wins(turn);
    if a_wins != b_wins {
        return b_wins;
    }
    // n high, n low, n_wins high, n_wins low: the first that differs decides.
    let a_key = a_sum.stats.yxwz;
    let b_key = b_sum.stats.yxwz;
    for (var word = 0u; word < 4u; word++) {
        if a_key[word] != b_key[word] {
            return a_key[word] < b_key[word];
        }
    }
    if THRIFTY {
        return reverseBits(a) > reverseBits(b);
    }
    return reverseBits(link_action(a_sum.info)) > reverseBits(link_action(b_sum.info));
}

// Whether the q of an unproven action is below one half.
fn is_below_half(sum: RootSum) -> bool {
    let most = u64_shl(sum.stats.xy, firstTrailingBit(WIN_POINTS));
    return sum.proof == 0u && u64_less(u64_shl(sum.stats.zw, 1u), most);
}

// The q of an action in units of 2^-Q_BITS, rounded down; digit by digit.
fn sum_q(sum: RootSum) -> u32 {
    let most = u64_shl(sum.stats.xy, firstTrailingBit(WIN_POINTS));
    var rest = sum.stats.zw;
    var q = 0u;
    for (var i = 0u; i <= Q_BITS; i++) {
        let is_one = !u64_less(rest, most);
        q = (q << 1u) | u32(is_one);
        rest = u64_shl(u64_sub(rest, select(vec2<u32>(0u), most, is_one)), 1u);
    }
    return select(q, 0u, (most.x | most.y) == 0u);
}

// Whether an action's q exceeds that of the action with the most playouts by enough to be better.
fn is_much_better(sum: RootSum, most: RootSum, row: u32, turn: u32) -> bool {
    let are_open = sum_rank(sum, row, turn) == OPEN_RANK && sum_rank(most, row, turn) == OPEN_RANK;
    let n = sum.stats.xy;
    let are_enough = !u64_less(n, vec2<u32>(LEAST_PLAYOUTS, 0u))
        && !u64_less(u64_shl(n, TIMES_BITS), most.stats.xy);
    return PROVES && are_open && are_enough && sum_q(sum) >= sum_q(most) + Q_MARGIN;
}

// Of two actions with a much greater q, or NO_ORDINAL, the one with the greater q.
fn better_combine(a: u32, b: u32, row: u32, turn: u32) -> u32 {
    if a == NO_ORDINAL || b == NO_ORDINAL {
        return min(a, b);
    }
    let a_q = sum_q(root_sums[row + a]);
    let b_q = sum_q(root_sums[row + b]);
    if a_q != b_q {
        return select(a, b, a_q < b_q);
    }
    return best_combine(a, b, row, turn);
}

@compute @workgroup_size(TREE_LANES)
fn reduce_over_actions(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let position = flat_group(group);
    let first = position * params.trees_per_position;
    if first < params.n_trees {
        let row = position * (MAX_ACTIONS + 1u);
        let turn = turn_of(trees[first].flags, 0u);
        var mine = vec2<u32>(NO_ORDINAL);
        for (var ordinal = lane; ordinal < MAX_ACTIONS; ordinal += TREE_LANES) {
            let sum = root_sums[row + ordinal];
            if sum.present != 0u {
                let drawn = select(NO_ORDINAL, ordinal, draws_for_certain(sum));
                mine = both_combine(mine, vec2<u32>(ordinal, drawn), row, turn);
            }
        }
        sh_best[lane] = mine;
        workgroupBarrier();
        for (var stride = TREE_LANES / 2u; stride > 0u; stride /= 2u) {
            if lane < stride {
                sh_best[lane] = both_combine(sh_best[lane], sh_best[lane + stride], row, turn);
            }
            workgroupBarrier();
        }
        let found = sh_best[0];
        workgroupBarrier();
        sh_best[lane].x = own_better(lane, found.x, row, turn);
        workgroupBarrier();
        for (var stride = TREE_LANES / 2u; stride > 0u; stride /= 2u) {
            if lane < stride {
                sh_best[lane].x = better_combine(sh_best[lane].x, sh_best[lane + stride].x, row, turn);
            }
            workgroupBarrier();
        }
        if lane == 0u {
            let better = sh_best[0].x;
            write_best(position, row, vec2<u32>(select(better, found.x, better == NO_ORDINAL), found.y));
        }
    }
}

// The best of this lane's actions that are much better than the one with the most playouts.
fn own_better(lane: u32, most: u32, row: u32, turn: u32) -> u32 {
    var better = NO_ORDINAL;
    if most != NO_ORDINAL {
        for (var ordinal = lane; ordinal < MAX_ACTIONS; ordinal += TREE_LANES) {
            let sum = root_sums[row + ordinal];
            if sum.present != 0u && is_much_better(sum, root_sums[row + most], row, turn) {
                better = better_combine(better, ordinal, row, turn);
            }
        }
    }
    return better;
}

// `found`: the best of all actions, and of those that draw for certain.
fn write_best(position: u32, row: u32, found: vec2<u32>) {
    var top = found.x;
    if found.y != NO_ORDINAL && is_below_half(root_sums[row + top]) {
        top = found.y;
    }
    best[position] = Best(top, top);
    if top != NO_ORDINAL {
        best[position].action = link_action(root_sums[row + top].info);
    }
}
