// The roofline of a device: integer operations, products of bytes, memory, and the latency of dispatches, for
// `mcts-wgpu bench`. No search uses this file.
//
// One invocation = four chains of operations; of roof_memory, every n-th value; of roof_dispatch, the whole work.
// Reads roof_params, roof_in; writes roof_out.

// [rounds, factor]: the factor is unknown to compilers.
@group(0) @binding(0) var<storage, read> roof_params: array<u32>;
@group(0) @binding(1) var<storage, read> roof_in: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> roof_out: array<vec4<u32>>;

fn roof_begin(id: u32) -> vec4<u32> {
    return 4u * id + vec4<u32>(1u, 2u, 3u, 4u);
}

// A product, a shift and a sum in each chain, an expression that does not simplify when it is repeated.
fn roof_integers(x: vec4<u32>, factor: u32) -> vec4<u32> {
    return x * factor + (x >> vec4<u32>(7u));
}

@compute @workgroup_size(LANES)
fn roof_int32(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&roof_out) {
        return;
    }
    let rounds = roof_params[0];
    let factor = roof_params[1];
    var x = roof_begin(id.x);
    for (var round = 0u; round < rounds; round++) {
        x = roof_integers(x, factor);
        x = roof_integers(x, factor);
        x = roof_integers(x, factor);
        x = roof_integers(x, factor);
        x = roof_integers(x, factor);
        x = roof_integers(x, factor);
        x = roof_integers(x, factor);
        x = roof_integers(x, factor);
    }
    roof_out[id.x] = x;
}

// Four products and four sums in each chain.
fn roof_bytes(x: vec4<u32>, factor: u32) -> vec4<u32> {
    return x + vec4<u32>(
        bitcast<u32>(dot4I8Packed(x.x, factor)),
        bitcast<u32>(dot4I8Packed(x.y, factor)),
        bitcast<u32>(dot4I8Packed(x.z, factor)),
        bitcast<u32>(dot4I8Packed(x.w, factor)),
    );
}

@compute @workgroup_size(LANES)
fn roof_dot4i8(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&roof_out) {
        return;
    }
    let rounds = roof_params[0];
    let factor = roof_params[1];
    var x = roof_begin(id.x);
    for (var round = 0u; round < rounds; round++) {
        x = roof_bytes(x, factor);
        x = roof_bytes(x, factor);
        x = roof_bytes(x, factor);
        x = roof_bytes(x, factor);
        x = roof_bytes(x, factor);
        x = roof_bytes(x, factor);
        x = roof_bytes(x, factor);
        x = roof_bytes(x, factor);
    }
    roof_out[id.x] = x;
}

// Neighbouring lanes read and write neighbouring values.
@compute @workgroup_size(LANES)
fn roof_memory(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let count = min(arrayLength(&roof_in), arrayLength(&roof_out));
    for (var at = id.x; at < count; at += LANES * groups.x) {
        roof_out[at] = roof_in[at] + vec4<u32>(1u);
    }
}

// Each dispatch reads the result of the one before.
@compute @workgroup_size(1)
fn roof_dispatch() {
    roof_out[0] += vec4<u32>(1u);
}
