// PUCT, instead of ucb.wgsl where a network evaluates the leaves: the twin of src/exact/puct.rs.
//
//     q + C P sqrt(N) / (1 + n),   q = n_wins / n, or, where n = 0, the value of the parent less FPU_REDUCTION,
//
// in integers, in units of 1/65536; every operation is part of the specification ("Searches with networks"). An
// estimate is the score itself, an integer below 2^24, which is exact in float32, so that children have equal bounds
// where their estimates are equal.
//
// The prior P, in units of 1/65536, is in the bits above n, and the network's value of a node above its n_wins
// (layout.wgsl). The composing side defines fn ucb_c_bits() -> u32: C^2 in units of 1/65536.

// C sqrt(N) as root * 2^-shift: root, of 16 bits, in the low half of the first word, and shift above it; then q of
// children never visited. Or, where the root distributes visits by halving.wgsl, the scheduled visits and HALVING.
alias UcbParent = vec2<u32>;
alias UcbLogarithm = u32;

const UCB_UNVISITED = 1e38;
// First-play urgency: the q of an unvisited move is the value of its parent less this.
const FPU_REDUCTION: u32 = 8192u;
const HALVING: u32 = 0x80000000u;
const MOST_EXPLORATION: u32 = (1u << 23u) - 1u;

// The square root of a number of 31 or 32 bits, rounded down. The float's root is off by at most one.
fn puct_root(y: u32) -> u32 {
    var root = min(u32(sqrt(f32(y))), 0xffffu);
    root -= u32(root * root > y);
    let next = root + 1u;
    return select(root, next, next <= 0xffffu && next * next <= y);
}

// The common terms of the scores of a node's children, from the node's visits and statistics.
fn ucb_parent(visits: vec2<u32>, node: vec4<u32>) -> UcbParent {
    let value = node.w >> VALUE_SHIFT;
    let unvisited = value - min(value, FPU_REDUCTION);
    let n = select(visits.x, 0xffffffffu, visits.y != 0u);
    let considered = considered_by(node);
    if considered > 0u {
        // Its first visit was its own evaluation.
        return vec2<u32>(halving_scheduled(max(n, 1u) - 1u, considered), HALVING);
    }
    let square = u64_mul32(n, ucb_c_bits());
    if (square.x | square.y) == 0u {
        return vec2<u32>(0u, unvisited);
    }
    // Scales the square to 31 or 32 bits by an even power of two.
    let zeros = u64_clz(square);
    let left = zeros & ~1u;
    let root = puct_root(u64_shl(square, left).y);
    // 2^left over 2^32, and the unit of C^2, 2^-16.
    let shift = i32(left / 2u) - 8;
    return vec2<u32>(select(root | (u32(max(shift, 0)) << 16u), 0xffffu, shift < 0), unvisited);
}

// The child's terms of its score: q, 0 where n = 0; its prior; n, at most 2^32 - 2.
alias UcbTerms = vec3<u32>;

fn ucb_terms(n: vec2<u32>, n_wins: vec2<u32>) -> UcbTerms {
    let prior = (n.y >> PRIOR_SHIFT) & 0xffffu;
    let visits = select(n.x, 0xfffffffeu, (n.y & ((1u << PRIOR_SHIFT) - 1u)) != 0u || n.x == 0xffffffffu);
    // n and n_wins without low bits, so that n has 16. The bits above n_wins are beyond the word.
    let cut = 16u - min(countLeadingZeros(visits), 16u);
    let points = u64_shr(n_wins, cut).x;
    return vec3<u32>(select(points / max(visits >> cut, 1u), 0u, visits == 0u), prior, visits);
}

// The score of a child: an integer below 2^24.
fn ucb_score(parent: UcbParent, terms: UcbTerms) -> u32 {
    if GUMBEL > 0u && parent.y == HALVING {
        return halving_score(parent.x, terms.z, terms.x, terms.y);
    }
    let q = select(terms.x, parent.y, terms.z == 0u);
    let exploration = (terms.y * (parent.x & 0xffffu) / (1u + terms.z)) >> (parent.x >> 16u);
    return q + min(exploration, MOST_EXPLORATION);
}

fn ucb_estimate(parent: UcbParent, terms: UcbTerms) -> f32 {
    return f32(ucb_score(parent, terms));
}

// The order of children as a number, never 0, in games of less than 256 actions: first the greater score, then the
// least key, which begins with the bit-reversed action.
fn ucb_rank(parent: UcbParent, counts: vec4<u32>, key: u32) -> u32 {
    return (ucb_score(parent, ucb_terms(counts.xy, counts.zw)) << 8u) | (0xffu - (key >> 24u));
}

fn ucb_approx(parent: UcbParent, n: vec2<u32>, n_wins: vec2<u32>) -> f32 {
    return ucb_estimate(parent, ucb_terms(n, n_wins));
}

// Scores below the greatest are certainly less.
fn ucb_floor(top: f32) -> f32 {
    return top;
}

// Whether the children that reach ucb_floor(top) have equal bounds.
fn ucb_are_equal(top: f32) -> bool {
    return true;
}

// Children that estimates can't tell apart are equal here.
fn ucb_order(parent: UcbParent, bound: f32, a: vec4<u32>, b: vec4<u32>) -> i32 {
    return 0;
}

fn ucb_ln(n: vec2<u32>) -> UcbLogarithm {
    return 0u;
}

fn ucb_exact(ln: UcbLogarithm, n: vec2<u32>, n_wins: vec2<u32>) -> u32 {
    return 0u;
}
