// Sequential halving among the children of the root, in whole numbers: the twin of src/exact/halving.rs
// (specification, "Exploration at the root").
//
// The composing side declares GUMBEL, the number of children that the root considers, or 0; and GUMBEL_VISITS, their
// visits in all.

// The offset of sums of logit and Gumbel variable.
const HALVING_LEVEL: i32 = 8192;
// The size of a class of scores: scores of children with the same distance to the schedule differ by less.
const HALVING_CLASS: u32 = 1u << 22u;

// The number of children that a node considers; 0 where it is not the root of such a search.
fn considered_by(node: vec4<u32>) -> u32 {
    return select(0u, (node.y >> CONSIDERED_SHIFT) & 0xffu, GUMBEL > 0u);
}

// The visits of the child to be visited next, where m children are considered and have `made` visits in all.
fn halving_scheduled(made: u32, m: u32) -> u32 {
    if m < 2u {
        return made;
    }
    let phases = 32u - countLeadingZeros(m - 1u);
    var considered = m;
    var left = made;
    var visits = 0u;
    while considered > 2u {
        let more = max(GUMBEL_VISITS / (phases * considered), 1u);
        if left < more * considered {
            return visits + left / considered;
        }
        left -= more * considered;
        visits += more;
        considered = max(considered / 2u, 2u);
    }
    return visits + left / 2u;
}

// The score of a child with this q: first by the distance of its visits to the scheduled ones.
fn halving_score(scheduled: u32, visits: u32, q: u32, noted: u32) -> u32 {
    let near = select(3u - min(visits - scheduled, 3u), 0u, visits < scheduled);
    let scale = min(50u + scheduled, 0x10000u);
    let advantage = noted + ((((q * 369u) >> 10u) * scale) >> 6u);
    return near * HALVING_CLASS + min(advantage, HALVING_CLASS - 1u);
}
