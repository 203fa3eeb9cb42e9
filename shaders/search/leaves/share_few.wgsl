// Sends the selections of a round on to the children of their nodes, where children are few: one lane serves a node.
//
// The words of a listed node are its index, and its statistics without the visits of this wave.

// Counts the visits of the selections that a node has sent to a child, which is served in this round.
fn visit_few(tree: u32, node: u32, sent: Sent, round: u32) {
    let index = tree * params.capacity + node;
    let own = stats[index];
    let at = NODES + NODE_WORDS * sent.first;
    set_listed(at, node);
    for (var i = 0u; i < 4u; i++) {
        set_listed(at + 1u + i, own[i]);
    }
    stats[index] = sum_combine(own, vec4<u32>(sent.count * PLAYOUTS, 0u, 0u, 0u));
    serve_in(sent, round);
}

fn share_few(tree: u32, lane: u32, round: u32, nodes: Round) {
    for (var number = lane; number < nodes.heavy + nodes.light; number += SELECT_LANES) {
        let first = first_at(round, number, nodes.heavy);
        let node = listed(NODES + NODE_WORDS * first);
        let link = links[tree * params.capacity + node];
        if link.x == NO_CHILDREN {
            end_selections(tree, first, round, node);
            continue;
        }
        var sent = send_few(tree, round, first, link);
        for (var i = 0u; i < FEW_CHILDREN; i++) {
            forward(tree, link.x + i, sent[i], round + 1u);
        }
    }
}

// Sends the selections, from a first place on, to the node's children.
fn send_few(tree: u32, round: u32, first: u32, link: vec2<u32>) -> array<Sent, FEW_CHILDREN> {
    let at = NODES + NODE_WORDS * first + 1u;
    let own = vec4<u32>(listed(at), listed(at + 1u), listed(at + 2u), listed(at + 3u));
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
        let next = next_place(round_at(round) + place);
        send_to_few(&sent, ordinal, place, round + 1u);
        reach(tree, place, depth_in(round + 1u, place), link.x + ordinal);
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
