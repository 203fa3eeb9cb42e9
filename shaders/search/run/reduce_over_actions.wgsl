// Picks the best action of a position. A win that is proven comes first, the shortest one; then what is not proven;
// then a draw; then a loss, the longest one; last what can only draw, where there is a draw for certain. Among equals
// the greatest (win flag, n, n_wins) is best; ties go to the smallest bit-reversed index, of the action (prodigal) or
// of its ordinal (thrifty) (specification, "The result"). But a draw for certain is better than an action whose q is
// below one half.
//
// One workgroup = one position, one lane = some ordinals.
// Reads trees, root_sums; writes best.

const NO_ORDINAL: u32 = 0xffffffffu;
// Rank of an action that is not proven, among those of proof_rank.
const OPEN_RANK: u32 = 3u << RANK_PLIES;

// The best ordinal of a lane, of all actions and of those that draw for certain.
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

// The rank of an action of a row by what is proven of it.
fn sum_rank(sum: RootSum, row: u32, turn: u32) -> u32 {
    if sum.proof == 0u {
        let root = root_sums[row + MAX_ACTIONS];
        let is_drawn = root.proof != 0u || (root.half_proofs & AT_LEAST_DRAWN) != 0u;
        return select(OPEN_RANK, 0u, is_drawn && (sum.half_proofs & AT_LEAST_DRAWN) != 0u);
    }
    return proof_rank(sum.proof & 3u, MOST_PLIES - (sum.proof >> 2u), turn);
}

// Does an action draw at the least? A win comes before it anyway.
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

// Has an action, which is not proven, made less than one half of its points?
fn is_below_half(sum: RootSum) -> bool {
    let most = u64_shl(sum.stats.xy, WIN_POINTS - 1u);
    return sum.proof == 0u && u64_less(u64_shl(sum.stats.zw, 1u), most);
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
            if sum.present == 1u {
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
        if lane == 0u {
            write_best(position, row, sh_best[0]);
        }
    }
}

// `found` is the best of all actions and of those that draw for certain.
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
