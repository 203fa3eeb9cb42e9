//! The reductions of the shaders against naive ones: any number of values, many ties, every width.

mod support;

use mcts_wgpu::{
    Game, Variant,
    games::Connect4,
    gpu::shaders::{Widths, search_module},
    reference::Shape,
};
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use support::compute::{Adapters, Kernel};

/// Words of a value in the kernel's input: key, tie, mixed; four of a sum; a count; a game's wins.
const VALUE_WORDS: usize = 9;
/// Words of a lane in its result: three choices of four words, four of the sum, two of the scan, the tally.
const LANE_WORDS: usize = 19;
/// Choices that a workgroup makes one after the other, in the same memory.
const ROUNDS: usize = 3;

/// Each workgroup gets a number of actions, then MAX_ACTIONS values; a round moves every value on by one action.
const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> reduction_values: array<u32>;
@group(0) @binding(1) var<storage, read_write> reduction_results: array<u32>;

fn reduction_value(group: u32, ordinal: u32, word: u32) -> u32 {
    return reduction_values[group * (1u + 9u * MAX_ACTIONS) + 1u + 9u * ordinal + word];
}

fn reduction_choice(group: u32, lane: u32, count: u32, round: u32) -> Choice {
    var mine = choice_none();
    for (var ordinal = lane; lane < WIDE_LANES && ordinal < count; ordinal += WIDE_LANES) {
        let at = (ordinal + round) % count;
        let value = Choice(reduction_value(group, at, 0u), reduction_value(group, at, 1u), ordinal,
            reduction_value(group, at, 2u));
        mine = choice_combine(mine, value);
    }
    return mine;
}

@compute @workgroup_size(TREE_LANES)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = id.x;
    let count = reduction_values[group * (1u + 9u * MAX_ACTIONS)];
    let result = (group * TREE_LANES + lane) * 19u;
    for (var round = 0u; round < 3u; round++) {
        let top = reduce_choice(lane, reduction_choice(group, lane, count, round));
        reduction_results[result + 4u * round] = top.key;
        reduction_results[result + 4u * round + 1u] = top.tie;
        reduction_results[result + 4u * round + 2u] = top.ordinal;
        reduction_results[result + 4u * round + 3u] = top.mixed;
    }
    var mine = vec4<u32>(0u);
    var counted = 0u;
    var won = 0u;
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        mine = sum_combine(mine, vec4<u32>(reduction_value(group, ordinal, 3u), reduction_value(group, ordinal, 4u),
            reduction_value(group, ordinal, 5u), reduction_value(group, ordinal, 6u)));
        counted += reduction_value(group, ordinal, 7u);
        won = reduction_value(group, ordinal, 8u);
    }
    let sum = reduce_sum(lane, mine);
    let place = scan_counts(lane, counted);
    for (var word = 0u; word < 4u; word++) {
        reduction_results[result + 12u + word] = sum[word];
    }
    reduction_results[result + 16u] = place.x;
    reduction_results[result + 17u] = place.y;
    reduction_results[result + 18u] = reduce_tally(lane, won);
}
";

#[derive(Debug, Clone)]
struct Value {
    key: u32,
    mixed: bool,
    sum: [u64; 2],
    count: u32,
    won: u32,
}

/// Few different keys, so that ties are the rule; sums that carry into the high word and wrap.
fn any_value() -> impl Strategy<Value = Value> {
    let key = prop_oneof![0..3_u32, Just(0x7f80_0000), Just(u32::MAX)];
    let sum = prop_oneof![0..4_u64, (u64::from(u32::MAX) - 2)..(1 << 32) + 2, any::<u64>()];
    let won = prop_oneof![Just(0_u32), Just(1), Just(1 << 16)];
    (key, prop::bool::weighted(0.02), [sum.clone(), sum], 0..33_u32, won)
        .prop_map(|(key, mixed, sum, count, won)| Value { key, mixed, sum, count, won })
}

/// Sizes of a module: actions, lanes, playouts, lanes that play.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    actions: u32,
    lanes: u32,
    playouts: u32,
    playing: u32,
}

impl Sizes {
    fn source(self) -> String {
        let game = Connect4::default();
        let shape = Shape {
            n_trees: 1,
            first_tree: 0,
            trees_per_position: 1,
            capacity: 1,
            max_actions: self.actions,
            playouts: self.playouts,
            parts: 1,
            state_words: game.state_words(),
            history_words: 0,
            path_capacity: 1,
            expansion_stride: 1,
            variant: Variant::ACP_PRODIGAL,
            ucb_c: 0.0,
            seed: 0,
        };
        let widths = Widths { tree: self.lanes, playout: self.playing, games: self.playing, ahead: 1 };
        search_module(&game.shader(), &shape, widths).expect("the shaders are valid").text
    }

    fn input(self, group: &[Value]) -> Vec<u32> {
        let split = |value: u64| [value as u32, (value >> 32) as u32];
        let mut words = vec![group.len() as u32];
        for (action, value) in (0_u32..).zip(group) {
            let [[n_low, n_high], [wins_low, wins_high]] = value.sum.map(split);
            words.extend([value.key, action.reverse_bits(), u32::from(value.mixed)]);
            words.extend([n_low, n_high, wins_low, wins_high, value.count, value.won]);
        }
        words.resize(1 + VALUE_WORDS * self.actions as usize, 0);
        words
    }

    /// What a lane must find.
    fn expected(self, group: &[Value], lane: u32) -> Vec<u32> {
        let mut words = Vec::new();
        for round in 0..ROUNDS {
            let at = |ordinal: usize| (ordinal + round) % group.len();
            let tie = |ordinal: usize| (at(ordinal) as u32).reverse_bits();
            let best = (0..group.len())
                .max_by_key(|&ordinal| (group[at(ordinal)].key, !tie(ordinal)))
                .expect("there is an action");
            let mixed = group.iter().any(|value| value.mixed);
            words.extend([group[at(best)].key, tie(best), best as u32, u32::from(mixed)]);
        }
        let sums = [0, 1].map(|i| group.iter().fold(0_u64, |sum, value| sum.wrapping_add(value.sum[i])));
        words.extend(sums.iter().flat_map(|&sum| [sum as u32, (sum >> 32) as u32]));
        let of_lanes = |lanes: std::ops::Range<u32>| -> u32 {
            let lane_of = |ordinal: usize| ordinal as u32 % self.lanes;
            let counted = group.iter().enumerate().filter(|&(i, _)| lanes.contains(&lane_of(i)));
            counted.map(|(_, value)| value.count).sum()
        };
        words.extend([of_lanes(0..lane), of_lanes(0..self.lanes)]);
        words
    }

    /// The tally of a run of lanes, where `lane` is the first one of a run.
    fn expected_tally(self, group: &[Value], lane: u32) -> Option<u32> {
        let run = self.playouts.min(self.playing);
        let won = |lane: u32| {
            let last = (lane..group.len() as u32).step_by(self.lanes as usize).next_back();
            last.map_or(0, |ordinal| group[ordinal as usize].won)
        };
        (lane < self.playing && lane.is_multiple_of(run)).then(|| (lane..lane + run).map(won).sum())
    }
}

fn check(kernel: &Kernel<'_>, sizes: Sizes, groups: &[Vec<Value>]) -> Result<(), TestCaseError> {
    let input: Vec<u32> = groups.iter().flat_map(|group| sizes.input(group)).collect();
    let words = LANE_WORDS * sizes.lanes as usize;
    let got = kernel.run(&[&input], groups.len() * words, groups.len() as u32);
    for (group, got) in groups.iter().zip(got.chunks(words)) {
        for (lane, got) in (0..).zip(got.chunks(LANE_WORDS)) {
            prop_assert_eq!(&got[..LANE_WORDS - 1], &sizes.expected(group, lane), "lane {}", lane);
            if let Some(tally) = sizes.expected_tally(group, lane) {
                prop_assert_eq!(got[LANE_WORDS - 1], tally, "tally of lane {}", lane);
            }
        }
    }
    Ok(())
}

const SIZES: [Sizes; 8] = [
    Sizes { actions: 1, lanes: 32, playouts: 1, playing: 32 },
    Sizes { actions: 7, lanes: 32, playouts: 8, playing: 32 },
    Sizes { actions: 16, lanes: 64, playouts: 512, playing: 64 },
    Sizes { actions: 17, lanes: 32, playouts: 2, playing: 32 },
    Sizes { actions: 65, lanes: 64, playouts: 32, playing: 64 },
    Sizes { actions: 225, lanes: 256, playouts: 64, playing: 256 },
    Sizes { actions: 512, lanes: 32, playouts: 32, playing: 32 },
    Sizes { actions: 512, lanes: 256, playouts: 16, playing: 256 },
];

fn groups(sizes: Sizes) -> impl Strategy<Value = Vec<Vec<Value>>> {
    vec(vec(any_value(), 1..=sizes.actions as usize), 24)
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new_with_rng(
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 64, ..Default::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    )
}

#[test]
fn reductions_are_the_naive_ones() {
    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        for sizes in SIZES {
            let kernel = gpu.kernel(&[&sizes.source(), KERNEL]);
            let tried = runner(12).run(&groups(sizes), |groups| check(&kernel, sizes, &groups));
            tried.unwrap_or_else(|error| panic!("{} {sizes:?}: {error}", gpu.name));
        }
    }
}

/// Mistakes in the shaders that the values above must find.
#[test]
fn wrong_reductions_are_found() {
    let mistakes = [
        ("ties to the greater word", "b.tie < a.tie", "b.tie > a.tie"),
        ("a carry left out", "a.yw + b.yw + vec2<u32>(low < a.xz)", "a.yw + b.yw"),
        ("an inclusive scan", "sh_sum[lane].x - count, ", "sh_sum[lane].x, "),
        ("a run too short", "stride = TALLY_LANES / 2u", "stride = TALLY_LANES / 4u"),
        ("or-ing left out", "let mixed = a.mixed | b.mixed;", "let mixed = a.mixed;"),
    ];
    let adapters = Adapters::open();
    let gpu = &adapters.gpus[0];
    for (mistake, from, to) in mistakes {
        let found = SIZES.into_iter().any(|sizes| {
            let source = sizes.source();
            assert_eq!(source.matches(from).count(), 1, "the shaders have '{from}' once");
            let kernel = gpu.kernel(&[&source.replace(from, to), KERNEL]);
            runner(4).run(&groups(sizes), |groups| check(&kernel, sizes, &groups)).is_err()
        });
        assert!(found, "not found: {mistake}");
    }
}
