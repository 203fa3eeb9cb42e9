// The choice of a subgroup in a search with a network: a word holds a child's score and action (ucb_rank), so that one
// maximum is a choice. Each lane knows by its result whether the child is its own.

// Where no child is open, but the node is not proven, the choice of the last backup stays. Lane `turn` has the terms of
// the score in `parents`. All lanes of the workgroup must call this together.
fn choose_held(turn: u32, parents: UcbParent, lane: u32, served: Served, held: ptr<function, Held>) -> OwnChoice {
    let parent = subgroupShuffle(parents, turn);
    var own = OwnRank(0u, 0u);
    if served.left > 0u {
        own = best_rank(parent, served.count, held);
    }
    let top = subgroupMax(own.rank);
    let last = own_choice(served.ordinal, lane);
    return OwnChoice(select(own.rank == top, last.is_own, top == 0u), select(own.i, last.i, top == 0u));
}

// The greatest rank of a lane's children, 0 where none is open, and its child.
struct OwnRank {
    rank: u32,
    i: u32,
}

fn best_rank(parent: UcbParent, count: u32, held: ptr<function, Held>) -> OwnRank {
    var own = OwnRank(0u, 0u);
    for (var i = 0u; i < HELD; i++) {
        if i * NODE_LANES < count {
            let rank = select(ucb_rank(parent, (*held).counts[i], (*held).keys[i]), 0u, (*held).keys[i] == NO_KEY);
            own.i = select(own.i, i, rank > own.rank);
            own.rank = max(own.rank, rank);
        }
    }
    return own;
}
