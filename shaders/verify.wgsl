// The helpers of shaders/lib, called for any number of cases, so that src/verify can compare them with their twins in
// Rust. No search uses this file. Each kernel has cases and results of its own form.
//
// One invocation = one case; of verify_sums, one value of a workgroup's.
// Reads cases, jumps; writes results.

@group(0) @binding(0) var<storage, read> cases: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@group(0) @binding(2) var<storage, read> jumps: array<vec4<u32>>;

// The UCB constant of a case.
var<private> case_ucb_c: u32;

fn ucb_c_bits() -> u32 {
    return case_ucb_c;
}

fn case_pair(at: u32) -> vec2<u32> {
    return vec2<u32>(cases[at], cases[at + 1u]);
}

fn put_pair(at: u32, value: vec2<u32>) {
    results[at] = value.x;
    results[at + 1u] = value.y;
}

fn put_stream(at: u32, rng: Rng) {
    put_pair(at, rng.xy);
    put_pair(at + 2u, rng.zw);
}

// A case: a stream, an index, a count, a total of weights. A result: the stream after `index` jumps, two of its draws,
// a place, a child's place, a place among weights, the stream after them, and the same once more, one draw on and back.
@compute @workgroup_size(TREE_LANES)
fn verify_streams(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 7u * id.x;
    if at + 7u > arrayLength(&cases) {
        return;
    }
    let to = 19u * id.x;
    let count = cases[at + 5u];
    var rng = rng_advance(vec4<u32>(case_pair(at), case_pair(at + 2u)), cases[at + 4u]);
    put_stream(to, rng);
    put_pair(to + 4u, rng_next(&rng));
    put_pair(to + 6u, rng_next(&rng));
    results[to + 8u] = rng_pick(&rng, count);
    results[to + 9u] = rng_pick_child(&rng, count);
    results[to + 10u] = rng_weighted_ordinal(rng_next(&rng), cases[at + 6u]);
    put_stream(to + 11u, rng);
    rng_next(&rng);
    rng_back(&rng);
    put_stream(to + 15u, rng);
}

// A case: two numbers of 64 bits, a shift, a number of 16 bits. A result: the value of each operation.
@compute @workgroup_size(TREE_LANES)
fn verify_integers(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 6u * id.x;
    if at + 6u > arrayLength(&cases) {
        return;
    }
    let to = 14u * id.x;
    let a = case_pair(at);
    let b = case_pair(at + 2u);
    let shift = cases[at + 4u];
    put_pair(to, u64_add(a, b));
    put_pair(to + 2u, u64_sub(a, b));
    results[to + 4u] = u32(u64_less(a, b));
    results[to + 5u] = u64_clz(a);
    put_pair(to + 6u, u64_shl(a, shift));
    put_pair(to + 8u, u64_shr(a, shift));
    put_pair(to + 10u, u64_mul32(a.x, b.x));
    put_pair(to + 12u, u64_mul16(a, cases[at + 5u]));
}

// A case: visits of a parent; visits, wins and action of two children; the UCB constant. A result: the bits of both
// bounds, whether the first child is the better one, and whether an estimate contradicts the bounds.
@compute @workgroup_size(TREE_LANES)
fn verify_bounds(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = 13u * id.x;
    if at + 13u > arrayLength(&cases) {
        return;
    }
    let to = 4u * id.x;
    case_ucb_c = cases[at + 12u];
    let a = vec4<u32>(case_pair(at + 2u), case_pair(at + 4u));
    let b = vec4<u32>(case_pair(at + 7u), case_pair(at + 9u));
    let ln = ucb_ln(case_pair(at));
    let bounds = vec2<u32>(ucb_exact(ln, a.xy, a.zw), ucb_exact(ln, b.xy, b.zw));
    let first = reverseBits(cases[at + 6u]) < reverseBits(cases[at + 11u]);
    put_pair(to, bounds);
    results[to + 2u] = u32(bounds.x > bounds.y || (bounds.x == bounds.y && first));
    results[to + 3u] = u32(estimates_err(ucb_parent(case_pair(at), vec4<u32>(0u)), a, b, bounds));
}

// Whether an estimate ranks a child first whose bound is not the greater one.
fn estimates_err(parent: f32, a: vec4<u32>, b: vec4<u32>, bounds: vec2<u32>) -> bool {
    let approx_a = ucb_approx(parent, a.xy, a.zw);
    let approx_b = ucb_approx(parent, b.xy, b.zw);
    let top = max(approx_a, approx_b);
    var order = 0;
    if min(approx_a, approx_b) < ucb_floor(top) {
        order = select(-1, 1, approx_a > approx_b);
    } else if (a.x | a.y) != 0u && (b.x | b.y) != 0u {
        order = ucb_order(parent, top, a, b);
    }
    return (order > 0 && bounds.x <= bounds.y) || (order < 0 && bounds.x >= bounds.y);
}

// A case: two counts of 64 bits and one of 32. A result: the sums of the former over the workgroup, the sum of the
// latter over lower lanes and over all.
@compute @workgroup_size(TREE_LANES)
fn verify_sums(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = 5u * id.x;
    let to = 6u * id.x;
    let sum = reduce_sum(lane, vec4<u32>(case_pair(at), case_pair(at + 2u)));
    put_pair(to, sum.xy);
    put_pair(to + 2u, sum.zw);
    put_pair(to + 4u, scan_counts(lane, cases[at + 4u]));
}
