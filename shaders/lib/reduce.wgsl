// Reductions over the lanes of a workgroup of TREE_LANES. Each one is a monoid: an identity and a combine. All lanes
// must call them together; every lane gets the result, and sh_sum is free again when they return.

var<workgroup> sh_sum: array<vec4<u32>, TREE_LANES>;

// Sum monoid over pairs of 64-bit counters (x, y) and (z, w); the identity is zero.
fn sum_combine(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low = a.xz + b.xz;
    let high = a.yw + b.yw + vec2<u32>(low < a.xz);
    return vec4<u32>(low.x, high.x, low.y, high.y);
}

fn reduce_sum(lane: u32, value: vec4<u32>) -> vec4<u32> {
    sh_sum[lane] = value;
    workgroupBarrier();
    for (var stride = TREE_LANES / 2u; stride > 0u; stride /= 2u) {
        if lane < stride {
            sh_sum[lane] = sum_combine(sh_sum[lane], sh_sum[lane + stride]);
        }
        workgroupBarrier();
    }
    let sum = sh_sum[0];
    workgroupBarrier();
    return sum;
}

// The greatest value; the identity is zero.
fn reduce_max(lane: u32, value: u32) -> u32 {
    sh_sum[lane].x = value;
    workgroupBarrier();
    for (var stride = TREE_LANES / 2u; stride > 0u; stride /= 2u) {
        if lane < stride {
            sh_sum[lane].x = max(sh_sum[lane].x, sh_sum[lane + stride].x);
        }
        workgroupBarrier();
    }
    let greatest = sh_sum[0].x;
    workgroupBarrier();
    return greatest;
}

// Exclusive prefix sum and total of one count a lane: (sum over lower lanes, sum over all).
fn scan_counts(lane: u32, count: u32) -> vec2<u32> {
    sh_sum[lane].x = count;
    workgroupBarrier();
    for (var stride = 1u; stride < TREE_LANES; stride *= 2u) {
        var lower = 0u;
        if lane >= stride {
            lower = sh_sum[lane - stride].x;
        }
        workgroupBarrier();
        sh_sum[lane].x += lower;
        workgroupBarrier();
    }
    let result = vec2<u32>(sh_sum[lane].x - count, sh_sum[TREE_LANES - 1u].x);
    workgroupBarrier();
    return result;
}
