//! Random streams of the original program, and of the device.

use super::*;
use crate::support::prelude::*;

#[derive(serde::Deserialize)]
struct GoldenStream {
    seed: u64,
    state: u32,
    s0: String,
    s1: String,
    u_hex: Vec<String>,
}

#[test]
fn streams_are_those_of_the_original_program() {
    let golden: Vec<GoldenStream> =
        serde_json::from_str(include_str!("../../data/rng.json")).expect("valid JSON");
    assert_eq!(golden.len(), 8);
    let hex = |digits: &str| u64::from_str_radix(digits, 16).expect("hexadecimal");
    for entry in golden {
        let mut stream = Jumps::stream(entry.seed, entry.state);
        assert_eq!((stream.s0, stream.s1), (hex(&entry.s0), hex(&entry.s1)), "state {}", entry.state);
        for bits in &entry.u_hex {
            assert_eq!(u64::from(stream.uniform().to_bits()), hex(bits));
        }
    }
}

const STREAM_KERNEL: &str = "
@group(0) @binding(0) var<storage, read> jumps: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> start: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> indexes: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&indexes)) { return; }
    var rng = rng_advance(start[0], indexes[i]);
    for (var w = 0u; w < 4u; w++) { result[16u * i + w] = rng[w]; }
    for (var k = 0u; k < 3u; k++) {
        let r = rng_next(&rng);
        result[16u * i + 4u + 2u * k] = r.x;
        result[16u * i + 5u + 2u * k] = r.y;
    }
    result[16u * i + 10u] = rng_pick(&rng, 1u + i % 512u);
    result[16u * i + 11u] = rng_pick_child(&rng, 1u + i % 512u);
    for (var w = 0u; w < 4u; w++) { result[16u * i + 12u + w] = rng[w]; }
}
";

fn expected_stream(seed: u64, index: u32, count: u32) -> Vec<u32> {
    let mut stream = Jumps::stream(seed, index);
    let mut words = stream.words().to_vec();
    (0..3).for_each(|_| words.extend(split(stream.next_u64())));
    words.extend([stream.pick(count), stream.pick_child(count)]);
    words.extend(stream.words());
    words
}

#[test]
fn device_streams_and_jumps_are_the_hosts() {
    let mut random = Pcg64::seed_from_u64(1);
    let mut indexes: Vec<u32> = (0..2048).chain((0..32).map(|k| 1 << k)).chain([u32::MAX]).collect();
    indexes.extend((0..2048).map(|_| random.next_u32()));
    let seed = 0x0123_4567_89ab_cdef;
    let expected: Vec<u32> =
        (0..).zip(&indexes).flat_map(|(i, &index)| expected_stream(seed, index, 1 + i % 512)).collect();
    let start = Stream::seeded(seed).words();

    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        let kernel = gpu.kernel(&[U64, RNG, JUMPS, STREAM_KERNEL]);
        let jumps = bytemuck::cast_slice(Jumps::words());
        let got = run_cases(&kernel, &[jumps, &start, &indexes], indexes.len(), 16);
        assert_eq!(first_difference(&expected, &got), None, "{}", gpu.name);

        let mut bad_jumps = jumps.to_vec();
        bad_jumps[4 * 128 * 31 + 77] ^= 1 << 9;
        let bad = run_cases(&kernel, &[&bad_jumps, &start, &indexes], indexes.len(), 16);
        assert!(first_difference(&expected, &bad).is_some(), "a wrong bit in the matrices must show");
    }
}
