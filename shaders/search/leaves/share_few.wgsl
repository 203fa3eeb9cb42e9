// Sends the selections that have reached a node on to its children, where these are few: one lane serves a node.

fn share_few(tree: u32, lane: u32, depth: u32, nodes: u32) {
    for (var number = lane; number < nodes; number += TREE_LANES) {
        share_node(tree, depth, sh_firsts[level_at(depth) + number]);
    }
}

fn share_node(tree: u32, depth: u32, first: u32) {
    let base = tree * params.capacity;
    let node = sh_reached[first];
    let visits = sh_visits[first];
    let link = links[base + node];
    let own = stats[base + node];
    stats[base + node] = sum_combine(own, vec4<u32>(visits * PLAYOUTS, 0u, 0u, 0u));
    if link.x == NO_CHILDREN {
        end_selections(tree, first, depth, node);
        return;
    }
    var sent = send_few(tree, depth, first, visits, link, own);
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        hand_on(sent[i], depth + 1u);
    }
}

// Sends so many selections, from a first place on. The first one goes where the node has chosen after the last backup.
fn send_few(tree: u32, depth: u32, first: u32, visits: u32, link: vec2<u32>, own: vec4<u32>)
    -> array<Sent, FEW_CHILDREN> {
    let children = tree * params.capacity + link.x;
    let all = (1u << link_count(link.y)) - 1u;
    var counts = load_few(children, all, own);
    var sent: array<Sent, FEW_CHILDREN>;
    var ordinal = link_best(link.y);
    var n = unmarked(own).xy;
    var place = first;
    for (var i = 0u; i < visits; i++) {
        if i > 0u && !is_proven(own) {
            let best = best_of_few(n, children, all, &counts);
            // Where no child is open, but the node is not proven, the choice stays.
            ordinal = select(ordinal, best.ordinal, best.approx != NO_CHILD);
        }
        n = u64_add(n, vec2<u32>(PLAYOUTS, 0u));
        for (var child = 0u; child < FEW_CHILDREN; child++) {
            let n_more = select(0u, PLAYOUTS, child == ordinal);
            counts[child] = sum_combine(counts[child], vec4<u32>(n_more, 0u, 0u, 0u));
        }
        let next = sh_next_place[level_at(depth) + place];
        sent[ordinal] = send(sent[ordinal], place, depth + 1u);
        reach(tree, place, depth + 1u, link.x + ordinal);
        place = next;
    }
    return sent;
}
