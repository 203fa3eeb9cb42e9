// Proofs (specification, "Proofs"): where a child that a step has appended ends the game, the children of the selected
// node may prove it; then the node's parent may be proven, and so on up the path. Few steps have such a child, and few
// proofs go far. So levels follow one another, and all lanes read the children of one level together.

// The greatest key among the proven children of a node; flags of those that are not proven.
var<workgroup> sh_key: atomic<u32>;
var<workgroup> sh_open: atomic<u32>;
const SOME_OPEN: u32 = 1u;
// One of them may be more than a draw for the mover at the node.
const SOME_MAY_WIN: u32 = 2u;
// One of them is at least a draw for the mover at the node.
const SOME_DRAWN: u32 = 4u;
// Lane 0's verdict: the key that decides the node's outcome; or, below every key, the new bits of AT_LEAST_DRAWN and
// AT_MOST_DRAWN, shifted down; 0 where nothing is new.
var<workgroup> sh_verdict: u32;
const LEAST_KEY: u32 = LOSS << (KEY_RANK + RANK_PLIES);

// The new children that end the game: 0 where there are none; ENDED; or, where some of them win for the selected node's
// mover, WON and below it, for the best of these, the plies to its win, the tie-break and the ordinal.
var<workgroup> sh_ended: atomic<u32>;
const ENDED: u32 = 1u;
const WON: u32 = 0x80000000u;
const WON_PLIES_SHIFT: u32 = COUNT_BITS + KEY_RANK;

// The shift of the rank in a key, above the tie-break; classes of a rank.
const KEY_RANK: u32 = 10u;
const RANK_PLIES: u32 = 10u;
const LOSS: u32 = 1u;
const DRAWN: u32 = 2u;
const WIN: u32 = 4u;

// A barrier must stand between this and note_end.
fn clear_ends(lane: u32) {
    if PROVES && lane == 0u {
        atomicStore(&sh_ended, 0u);
    }
}

// Notes the outcome of a new child, as known_of returns it. `mover` moves at its parent.
fn note_end(known: u32, mover: u32, action: u32, ordinal: u32) {
    if PROVES && known != ONGOING {
        let plies = (MOST_PLIES - known_plies(known)) << WON_PLIES_SHIFT;
        let won = WON | plies | (proof_tie(action) << COUNT_BITS) | ordinal;
        atomicMax(&sh_ended, select(ENDED, won, known_outcome(known) == wins(mover)));
    }
}

// The notes of note_end; a barrier must stand between.
fn noted_ends() -> u32 {
    if !PROVES {
        return 0u;
    }
    return atomicLoad(&sh_ended);
}

// The ordinal of the new child that wins.
fn won_ordinal(ends: u32) -> u32 {
    return ends & ((1u << COUNT_BITS) - 1u);
}

// The plies to its win.
fn won_plies(ends: u32) -> u32 {
    return MOST_PLIES - ((ends >> WON_PLIES_SHIFT) & MOST_PLIES);
}

// The mark of the node that it proves.
fn won_mark(ends: u32) -> u32 {
    return proven_mark(min(won_plies(ends) + 1u, MOST_PLIES));
}

// The rank of a proven position from the view of `mover`: a win before a draw before a loss; the shortest win, else the
// longest line (src/forest/proof.rs).
fn proof_rank(outcome: u32, plies: u32, mover: u32) -> u32 {
    if outcome == wins(mover) {
        return (WIN << RANK_PLIES) | (MOST_PLIES - plies);
    }
    return (select(LOSS, DRAWN, outcome == DRAW) << RANK_PLIES) | plies;
}

fn proof_plies(counts: vec4<u32>) -> u32 {
    return (counts.y >> PLIES_SHIFT) & MOST_PLIES;
}

// The mark of a proven node in the high word of its n.
fn proven_mark(plies: u32) -> u32 {
    return PROVEN | (plies << PLIES_SHIFT);
}

// The info of a node that is proven, with this outcome and this best child.
fn proven_info(info: u32, outcome: u32, ordinal: u32) -> u32 {
    let kept = info & (LEFT_OUT | ((1u << OUTCOME_SHIFT) - 1u));
    return kept | (outcome << OUTCOME_SHIFT) | (ordinal << BEST_SHIFT);
}

// The tie-break of an action: greatest for the smallest bit-reversed index.
fn proof_tie(action: u32) -> u32 {
    return ((1u << KEY_RANK) - 1u) - (reverseBits(action) >> (32u - ACTION_BITS));
}

// The key of a node's proven child: its rank, then the tie-break.
fn proof_key(child: u32, info: u32, mover: u32) -> u32 {
    let rank = proof_rank(link_outcome(info), proof_plies(stats[child]), mover);
    return (rank << KEY_RANK) | proof_tie(link_action(info));
}

// The verdict on a node with these statistics, which is not proven, in the format of sh_verdict. `key` is the greatest
// of the proven children, `open` the flags of the others; `complete`: no legal action was left out.
fn verdict_of(counts: vec4<u32>, key: u32, open: u32, complete: bool) -> u32 {
    let rank = key >> (KEY_RANK + RANK_PLIES);
    let at_most_drawn = complete && (open & SOME_MAY_WIN) == 0u;
    if key != 0u && (rank == WIN || (complete && open == 0u) || (at_most_drawn && rank == DRAWN)) {
        return key;
    }
    let at_least_drawn = rank == DRAWN || (open & SOME_DRAWN) != 0u;
    let found = select(0u, AT_LEAST_DRAWN, at_least_drawn) | select(0u, AT_MOST_DRAWN, at_most_drawn);
    return (found & ~half_proofs(counts)) >> PLIES_SHIFT;
}

// The flags in sh_open of a child with these statistics, which is not proven.
fn open_bits(counts: vec4<u32>) -> u32 {
    let marks = half_proofs(counts);
    let may_win = select(SOME_MAY_WIN, 0u, (marks & AT_LEAST_DRAWN) != 0u);
    return SOME_OPEN | may_win | select(0u, SOME_DRAWN, (marks & AT_MOST_DRAWN) != 0u);
}

// Collects the greatest key of the lane's share of a node's children, and the flags of those that are not proven.
fn look_at_children(first: u32, count: u32, lane: u32, mover: u32) {
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        let info = links[first + ordinal].y;
        if link_outcome(info) == ONGOING {
            atomicOr(&sh_open, open_bits(stats[first + ordinal]));
        } else {
            atomicMax(&sh_key, proof_key(first + ordinal, info, mover));
        }
    }
}

// Writes the outcome and the choice of a node with this info, which this child proves.
fn mark_proven(index: u32, info: u32, child: u32, ordinal: u32) {
    links[index].y = proven_info(info, link_outcome(links[child].y), ordinal);
    let high_n = stats[index].y & ((1u << PLIES_SHIFT) - 1u);
    stats[index].y = high_n | proven_mark(min(proof_plies(stats[child]) + 1u, MOST_PLIES));
}

// Writes the outcome and the choice of a node, in the lane whose child decides.
fn enter_proof(index: u32, link: vec2<u32>, first: u32, lane: u32, mover: u32, verdict: u32) {
    for (var ordinal = lane; ordinal < link_count(link.y); ordinal += TREE_LANES) {
        let info = links[first + ordinal].y;
        if link_outcome(info) != ONGOING && proof_key(first + ordinal, info, mover) == verdict {
            mark_proven(index, link.y, first + ordinal, ordinal);
        }
    }
}

// Proves the node at a depth of the path, or half proves it, if its children allow. Returns the new part of the proof
// in the format of sh_verdict, the same in all lanes. Has barriers.
fn prove_node(leaf: u32, lane: u32, depth: u32) -> u32 {
    let base = nodes_of(leaf);
    let index = base + path_node(leaf, depth);
    let link = links[index];
    let mover = turn_at(leaf, depth);
    if lane == 0u {
        atomicStore(&sh_key, 0u);
        atomicStore(&sh_open, 0u);
    }
    workgroupBarrier();
    look_at_children(base + link.x, link_count(link.y), lane, mover);
    workgroupBarrier();
    if lane == 0u {
        let counts = stats[index];
        let complete = (link.y & LEFT_OUT) == 0u;
        let verdict = verdict_of(counts, atomicLoad(&sh_key), atomicLoad(&sh_open), complete);
        // With several leaves a step, a path may lead through a node that another leaf's path has proven.
        sh_verdict = select(verdict, 0u, HAS_LEAVES && is_proven(counts));
    }
    let verdict = workgroupUniformLoad(&sh_verdict);
    if verdict >= LEAST_KEY {
        enter_proof(index, link, base + link.x, lane, mover, verdict);
    } else if verdict != 0u && lane == 0u {
        stats[index].y |= verdict << PLIES_SHIFT;
    }
    storageBarrier();
    workgroupBarrier();
    return verdict;
}

// The result of prove_tree.
struct Proved {
    // Nodes of the path, from the root on, with no new proof. The last of them has a child with one, and must choose
    // anew, as must those below that are not proven.
    unchanged: u32,
    // The root is proven now.
    of_root: bool,
}

// Backs up proofs from the new children along a path of this length, which uniform_path returned. All lanes must call
// this together, before choose_tree, and get the same result.
fn prove_tree(leaf: u32, lane: u32, length: u32) -> Proved {
    storageBarrier();
    workgroupBarrier();
    var proved = Proved(length, false);
    while proved.unchanged > 0u {
        let verdict = prove_node(leaf, lane, proved.unchanged - 1u);
        if verdict == 0u {
            break;
        }
        proved.unchanged--;
        proved.of_root = proved.unchanged == 0u && verdict >= LEAST_KEY;
    }
    return proved;
}

// The first level that must choose anew after prove_tree.
fn first_choice(proved: Proved) -> u32 {
    return max(proved.unchanged, 1u) - 1u;
}

// The most frequent proof, without barriers, where children are few: a new child wins, which proves the selected node,
// and nothing new of its parent, as that has a child that is neither proven nor half proven. Only the lanes that serve
// these two nodes change anything. `mine` is the lane's node, `height` its levels above the selected node, where
// `mover` moves, `ends` the result of noted_ends. Must come before back_up_node, which does the rest.
fn enter_win(mine: ptr<function, OnPath>, height: u32, mover: u32, ends: u32) {
    if height == 0u {
        (*mine).counts.y |= won_mark(ends);
        links[(*mine).index].y = proven_info((*mine).info, wins(mover), won_ordinal(ends));
    } else if height == 1u {
        (*mine).rivals.counts.y |= PROVEN;
    }
}

// A tree's flags once its step is over.
fn flags_after(flags: u32, proved: bool) -> u32 {
    return (flags & ~TREE_ENDED) | select(0u, TREE_PROVEN, proved);
}
