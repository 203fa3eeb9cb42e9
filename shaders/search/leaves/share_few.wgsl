// Sends the selections of a step on to their leaves, where children are few: one lane serves a node.
//
// The selections leave the root in waves, a wave a round. In each round every wave descends by one level, all of them
// side by side. So a wave reaches a node after the earlier waves have counted their visits there, and only one wave at
// a time is at the root, where one choice follows another. Two waves:
//
//     round        0    1    2    3
//     at the root  w0   w1
//     at depth 1        w0   w1
//     at depth 2             w0   w1

// Selections of a wave: larger waves spend longer at the root, smaller ones take more rounds.
const WAVE: u32 = max(8u, LEAVES / 16u);
const WAVES: u32 = (LEAVES + WAVE - 1u) / WAVE;

// [first place]: the statistics of the node, without the visits of this wave and of later ones.
var<workgroup> sh_own: array<vec4<u32>, select(1u, LEAVES, FEW)>;

// All lanes must call this together. Has barriers.
fn select_in_waves(tree: u32, lane: u32, is_done: bool) {
    for (var place = lane; place < LEAVES; place += SELECT_LANES) {
        let is_last = (place + 1u) % WAVE == 0u || place + 1u == LEAVES;
        sh_next_place[round_at(place / WAVE) + place] = select(place + 1u, NO_PLACE, is_last);
    }
    let waves = select(WAVES, 0u, is_done);
    for (var round = 0u; ; round++) {
        if lane == 0u && round < waves {
            start_wave(tree, round);
        }
        // Other lanes have served the same nodes in earlier rounds.
        storageBarrier();
        let nodes = begin_round(lane);
        if nodes == 0u {
            break;
        }
        for (var number = lane; number < nodes; number += SELECT_LANES) {
            share_node(tree, round, sh_firsts[round_at(round) + number]);
        }
    }
}

// Puts a wave at the root, in the round of its number.
fn start_wave(tree: u32, wave: u32) {
    let first = wave * WAVE;
    let count = min(WAVE, LEAVES - first);
    visit(tree * params.capacity + ROOT, Sent(first, first + count - 1u, count), wave);
}

// Counts the visits of some selections at a node, to be served in this round.
fn visit(index: u32, sent: Sent, round: u32) {
    let own = stats[index];
    sh_own[sent.first] = own;
    stats[index] = sum_combine(own, vec4<u32>(sent.count * PLAYOUTS, 0u, 0u, 0u));
    serve_next(sent, round);
}

fn share_node(tree: u32, round: u32, first: u32) {
    let node = sh_reached[first];
    let depth = round - first / WAVE;
    let link = links[tree * params.capacity + node];
    if link.x == NO_CHILDREN {
        end_selections(tree, first, round, depth, node);
        return;
    }
    var sent = send_few(tree, round, depth, first, link);
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        if sent[i].count > 0u {
            visit(tree * params.capacity + link.x + i, sent[i], round + 1u);
        }
    }
}

// Sends the selections, from a first place on, to the node's children.
fn send_few(tree: u32, round: u32, depth: u32, first: u32, link: vec2<u32>) -> array<Sent, FEW_CHILDREN> {
    let own = sh_own[first];
    let children = tree * params.capacity + link.x;
    let all = (1u << link_count(link.y)) - 1u;
    var counts = load_few(children, all, own);
    var terms = few_terms(&counts);
    var sent: array<Sent, FEW_CHILDREN>;
    var ordinal = link_best(link.y);
    var n = unmarked(own).xy;
    var place = first;
    while place != NO_PLACE {
        if !is_proven(own) {
            let best = best_of_few(own, n, children, all, &counts, &terms);
            // Where no child is open, but the node is not proven, the last choice stays.
            ordinal = select(ordinal, best.ordinal, best.approx != NO_CHILD);
        }
        n = u64_add(n, vec2<u32>(PLAYOUTS, 0u));
        let chosen = sum_combine(few_at(&counts, ordinal), vec4<u32>(PLAYOUTS, 0u, 0u, 0u));
        let chosen_terms = ucb_terms(chosen.xy, chosen.zw);
        for (var child = 0u; child < FEW_CHILDREN; child++) {
            counts[child] = select(counts[child], chosen, child == ordinal);
            terms[child] = select(terms[child], chosen_terms, child == ordinal);
        }
        let next = sh_next_place[round_at(round) + place];
        send_to_few(&sent, ordinal, place, round + 1u);
        reach(tree, place, depth + 1u, link.x + ordinal);
        place = next;
    }
    return sent;
}

// Adds one more selection to those sent to a child. An index that is unknown at compile time would move the array from
// registers to memory.
fn send_to_few(sent: ptr<function, array<Sent, FEW_CHILDREN>>, ordinal: u32, place: u32, round: u32) {
    var its = Sent(0u, 0u, 0u);
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        its.first = select(its.first, (*sent)[i].first, i == ordinal);
        its.last = select(its.last, (*sent)[i].last, i == ordinal);
        its.count = select(its.count, (*sent)[i].count, i == ordinal);
    }
    its = send(its, place, round);
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        (*sent)[i].first = select((*sent)[i].first, its.first, i == ordinal);
        (*sent)[i].last = select((*sent)[i].last, its.last, i == ordinal);
        (*sent)[i].count = select((*sent)[i].count, its.count, i == ordinal);
    }
}
