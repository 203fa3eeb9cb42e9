// The best of few children, by one lane. Loops over the children have constant bounds and indexes, so that drivers
// unroll them: the loads overlap, and the values stay in registers.

const FEW_CHILDREN: u32 = select(1u, MAX_ACTIONS, FEW);

// The counts of a node's children, by ordinal, and their terms of the bound.
alias FewCounts = array<vec4<u32>, FEW_CHILDREN>;
alias FewTerms = array<UcbTerms, FEW_CHILDREN>;

// The estimate of a missing child: far below every child's, UCB_UNKNOWN included.
const NO_CHILD: f32 = -1e30;

// The greatest estimate of some children, and the best of them, which may be another child.
struct Top {
    approx: f32,
    ordinal: u32,
}

// The counts of the children `among` (one bit each) of a node with the statistics `parent`.
fn load_few(first: u32, among: u32, parent: vec4<u32>) -> FewCounts {
    var counts: FewCounts;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        if ((among >> i) & 1u) == 1u {
            counts[i] = stats[first + i];
        }
    }
    // Not in the loop above: with more than a load in it, drivers would wait for one child after another.
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        counts[i] = as_child(counts[i], parent);
    }
    return counts;
}

fn few_terms(counts: ptr<function, FewCounts>) -> FewTerms {
    var terms: FewTerms;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        terms[i] = ucb_terms((*counts)[i].xy, (*counts)[i].zw);
    }
    return terms;
}

// The counts of one child. An index that is unknown at compile time would move the array from registers to memory.
fn few_at(counts: ptr<function, FewCounts>, ordinal: u32) -> vec4<u32> {
    var found = vec4<u32>(0u);
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        found = select(found, (*counts)[i], i == ordinal);
    }
    return found;
}

// The best open child of `among` (one bit each), of a node with the statistics `own` and these visits. `first` is the
// index of the first child.
fn best_of_few(own: vec4<u32>, visits: vec2<u32>, first: u32, among: u32, counts: ptr<function, FewCounts>,
    terms: ptr<function, FewTerms>) -> Top {
    let parent = ucb_parent(visits, own);
    var approx: array<f32, FEW_CHILDREN>;
    var top = NO_CHILD;
    var open = among;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        let estimate = ucb_estimate(parent, (*terms)[i]);
        open &= ~(u32(is_proven((*counts)[i])) << i);
        approx[i] = select(NO_CHILD, estimate, ((open >> i) & 1u) == 1u);
        top = max(top, approx[i]);
    }
    let threshold = ucb_floor(top);
    var close = 0u;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        close |= u32(approx[i] >= threshold) << i;
    }
    close &= open;
    if (close & (close - 1u)) == 0u {
        return Top(top, select(0u, firstTrailingBit(close), close != 0u));
    }
    if !ucb_are_equal(top) && !same_counts(close, counts) {
        close = undecided(parent, top, close, counts);
        if !same_counts(close, counts) {
            close = greatest_exact(visits, close, counts);
        }
    }
    return Top(top, first_action(first, close));
}

// The children that may have the greatest bound, among some; a few others may be included. `bound` is the greatest
// estimate.
fn undecided(parent: UcbParent, bound: f32, children: u32, counts: ptr<function, FewCounts>) -> u32 {
    var best = firstTrailingBit(children);
    var best_counts = few_at(counts, best);
    var left = 1u << best;
    for (var rest = children & (children - 1u); rest != 0u; rest &= rest - 1u) {
        let ordinal = firstTrailingBit(rest);
        let its = few_at(counts, ordinal);
        let order = ucb_order(parent, bound, its, best_counts);
        left |= u32(order >= 0) << ordinal;
        if order > 0 {
            left &= ~(1u << best);
            best = ordinal;
            best_counts = its;
        }
    }
    return left;
}

fn same_counts(children: u32, counts: ptr<function, FewCounts>) -> bool {
    let one = few_at(counts, firstTrailingBit(children));
    var same = true;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        same = same && (((children >> i) & 1u) == 0u || all((*counts)[i] == one));
    }
    return same;
}

// The children with the greatest exact bound, among some.
fn greatest_exact(visits: vec2<u32>, children: u32, counts: ptr<function, FewCounts>) -> u32 {
    let ln = ucb_ln(visits);
    var top = 0u;
    var best = 0u;
    for (var rest = children; rest != 0u; rest &= rest - 1u) {
        let ordinal = firstTrailingBit(rest);
        let its = few_at(counts, ordinal);
        let bound = ucb_exact(ln, its.xy, its.zw);
        if bound > top {
            best = 0u;
        }
        top = max(top, bound);
        best |= u32(bound == top) << ordinal;
    }
    return best;
}

// The child with the smallest bit-reversed action, among some.
fn first_action(first: u32, children: u32) -> u32 {
    var infos: array<u32, FEW_CHILDREN>;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        if ((children >> i) & 1u) == 1u {
            infos[i] = links[first + i].y;
        }
    }
    var least = 0xffffffffu;
    var best = 0u;
    for (var i = 0u; i < FEW_CHILDREN; i++) {
        let tie = reverseBits(link_action(infos[i]));
        let earlier = ((children >> i) & 1u) == 1u && tie < least;
        best = select(best, i, earlier);
        least = select(least, tie, earlier);
    }
    return best;
}

// The best of a node's children apart from the path's child: the rival, which is the best child unless the path's child
// is better.
struct Rivals {
    // The node's visits, including those of this step.
    visits: vec2<u32>,
    // The index of the first child, and the number of children.
    first: u32,
    count: u32,
    // The path's child: its ordinal, then its action and its counts before this step, which take_child_counts sets.
    child: u32,
    action: u32,
    counts: vec4<u32>,
    // The best of the others, and the greatest estimate among them.
    rival: u32,
    rival_counts: vec4<u32>,
    approx: f32,
}

// `parent` are the node's statistics.
fn find_rivals(parent: vec4<u32>, visits: vec2<u32>, first: u32, count: u32, child: u32) -> Rivals {
    let others = ((1u << count) - 1u) & ~(1u << child);
    var counts = load_few(first, others, parent);
    var terms = few_terms(&counts);
    let top = best_of_few(parent, visits, first, others, &counts, &terms);
    var rivals = Rivals();
    rivals.visits = visits;
    rivals.first = first;
    rivals.count = count;
    rivals.child = child;
    rivals.rival = top.ordinal;
    rivals.rival_counts = few_at(&counts, top.ordinal);
    rivals.approx = top.approx;
    return rivals;
}

// Whether a child other than the path's is open.
fn has_rival(rivals: Rivals) -> bool {
    return rivals.approx != NO_CHILD;
}

// Whether the rival is neither proven nor half proven. A loss of the path's child then proves nothing new of the node.
fn has_plain_rival(rivals: Rivals) -> bool {
    if !has_rival(rivals) {
        return false;
    }
    return (stats[rivals.first + rivals.rival].y & (PROVEN | AT_LEAST_DRAWN | AT_MOST_DRAWN)) == 0u;
}

// Compares a child of these counts with the rival: 1 if it is better, -1 if it is worse, 0 if their bounds are equal.
// `visits` and `approx` are as in Rivals.
fn order_against(visits: vec2<u32>, approx: f32, rival: vec4<u32>, counts: vec4<u32>) -> i32 {
    if approx == NO_CHILD {
        return 1;
    }
    if approx == UCB_UNVISITED || is_proven(counts) {
        return -1;
    }
    let parent = ucb_parent(visits, vec4<u32>(0u));
    let bound = max(approx, ucb_approx(parent, counts.xy, counts.zw));
    let order = ucb_order(parent, bound, counts, rival);
    if order != 0 {
        return order;
    }
    let ln = ucb_ln(visits);
    let exact = ucb_exact(ln, counts.xy, counts.zw);
    let rival_exact = ucb_exact(ln, rival.xy, rival.zw);
    return i32(exact > rival_exact) - i32(exact < rival_exact);
}

// The ordinal of the best child, given the new counts of the path's child.
fn best_against(rivals: Rivals, counts: vec4<u32>) -> u32 {
    var order = order_against(rivals.visits, rivals.approx, rivals.rival_counts, counts);
    if order == 0 {
        let rival_action = link_action(links[rivals.first + rivals.rival].y);
        order = select(-1, 1, reverseBits(rivals.action) < reverseBits(rival_action));
    }
    return select(rivals.rival, rivals.child, order > 0);
}
