// Picks the best action of a position: greatest by (win flag, n, n_wins); ties to the smallest bit-reversed index,
// of the action (prodigal) or of its ordinal (thrifty) (specification, "The result").
//
// One workgroup = one position, one lane = some ordinals.
// Reads trees, root_sums; writes best.

const NO_ORDINAL: u32 = 0xffffffffu;

var<workgroup> sh_best: array<u32, TREE_LANES>;

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

fn best_less(a: u32, b: u32, row: u32, turn: u32) -> bool {
    let a_sum = root_sums[row + a];
    let b_sum = root_sums[row + b];
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

@compute @workgroup_size(TREE_LANES)
fn reduce_over_actions(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let position = flat_group(group);
    let first = position * params.trees_per_position;
    if first < params.n_trees {
        let row = position * (MAX_ACTIONS + 1u);
        let turn = turn_at(first, 0u);
        var mine = NO_ORDINAL;
        for (var ordinal = lane; ordinal < MAX_ACTIONS; ordinal += TREE_LANES) {
            if root_sums[row + ordinal].present == 1u {
                mine = best_combine(mine, ordinal, row, turn);
            }
        }
        sh_best[lane] = mine;
        workgroupBarrier();
        for (var stride = TREE_LANES / 2u; stride > 0u; stride /= 2u) {
            if lane < stride {
                sh_best[lane] = best_combine(sh_best[lane], sh_best[lane + stride], row, turn);
            }
            workgroupBarrier();
        }
        if lane == 0u {
            let top = sh_best[0];
            best[position] = Best(top, top);
            if top != NO_ORDINAL {
                best[position].action = link_action(root_sums[row + top].info);
            }
        }
    }
}
