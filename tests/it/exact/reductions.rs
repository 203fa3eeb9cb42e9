//! The reductions of the shaders against simple ones: any number of values, many ties, every width.

use super::{assert_all_found, split};
use crate::support::prelude::*;
use mcts_wgpu::internals::gpu::shaders::search_module;
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};

/// Words of a value in the kernel's input: four of a sum; a count; a game's wins.
const VALUE_WORDS: usize = 6;
/// Words of a lane in its result: four of the sum, two of the scan, the tally.
const LANE_WORDS: usize = 7;

/// Each workgroup gets a number of actions, then MAX_ACTIONS values.
const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> reduction_values: array<u32>;
@group(0) @binding(1) var<storage, read_write> reduction_results: array<u32>;

fn reduction_value(group: u32, ordinal: u32, word: u32) -> u32 {
    return reduction_values[group * (1u + 6u * MAX_ACTIONS) + 1u + 6u * ordinal + word];
}

@compute @workgroup_size(TREE_LANES)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = id.x;
    let count = reduction_values[group * (1u + 6u * MAX_ACTIONS)];
    let result = (group * TREE_LANES + lane) * 7u;
    var mine = vec4<u32>(0u);
    var counted = 0u;
    var won = 0u;
    for (var ordinal = lane; ordinal < count; ordinal += TREE_LANES) {
        mine = sum_combine(mine, vec4<u32>(reduction_value(group, ordinal, 0u), reduction_value(group, ordinal, 1u),
            reduction_value(group, ordinal, 2u), reduction_value(group, ordinal, 3u)));
        counted += reduction_value(group, ordinal, 4u);
        won = reduction_value(group, ordinal, 5u);
    }
    let sum = reduce_sum(lane, mine);
    let place = scan_counts(lane, counted);
    for (var word = 0u; word < 4u; word++) {
        reduction_results[result + word] = sum[word];
    }
    reduction_results[result + 4u] = place.x;
    reduction_results[result + 5u] = place.y;
    reduction_results[result + 6u] = reduce_tally(lane, won);
}
";

#[derive(Debug, Clone)]
struct Value {
    sum: [u64; 2],
    count: u32,
    won: u32,
}

/// Sums that carry into the high word and wrap.
fn any_value() -> impl Strategy<Value = Value> {
    let sum = prop_oneof![0..4_u64, (u64::from(u32::MAX) - 2)..(1 << 32) + 2, any::<u64>()];
    let won = prop_oneof![Just(0_u32), Just(1), Just(1 << 16)];
    ([sum.clone(), sum], 0..33_u32, won).prop_map(|(sum, count, won)| Value { sum, count, won })
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
        self.source_by(0)
    }

    /// With the choices by subgroups of so many lanes, if there are any.
    fn source_by(self, subgroup: u32) -> String {
        let game = Connect4::default();
        let shape = shape(&game, Variant::ACP_PRODIGAL, self.playouts);
        let config = Config { leaf_batch: if subgroup > 0 { 2 } else { 1 }, ..shape.config };
        let shape =
            Shape { config, max_actions: self.actions, path_capacity: 1, expansion_stride: 1, ..shape };
        let (tree, playout) = (self.lanes, self.playing);
        let widths = Widths { playout, games: playout, subgroup, ..Widths::of(tree) };
        search_module(&game.shader(), &shape, widths).expect("the shaders are valid").text().to_owned()
    }

    fn input(self, group: &[Value]) -> Vec<u32> {
        let mut words = vec![group.len() as u32];
        for value in group {
            let [[n_low, n_high], [wins_low, wins_high]] = value.sum.map(split);
            words.extend([n_low, n_high, wins_low, wins_high, value.count, value.won]);
        }
        words.resize(1 + VALUE_WORDS * self.actions as usize, 0);
        words
    }

    fn expected(self, group: &[Value], lane: u32) -> Vec<u32> {
        let mut words = Vec::new();
        let sums = [0, 1].map(|i| group.iter().fold(0_u64, |sum, value| sum.wrapping_add(value.sum[i])));
        words.extend(sums.into_iter().flat_map(split));
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

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_reductions_are_found() {
    let mistakes = [
        ("a carry left out", "a.yw + b.yw + vec2<u32>(low < a.xz)", "a.yw + b.yw"),
        ("an inclusive scan", "sh_sum[lane].x - count, ", "sh_sum[lane].x, "),
        ("a run too short", "stride = TALLY_LANES / 2u", "stride = TALLY_LANES / 4u"),
    ];
    assert_all_found(&Adapters::open().gpus[0], &mistakes, |gpu, plant| {
        SIZES.into_iter().any(|sizes| {
            let kernel = gpu.kernel(&[&plant(&sizes.source()), KERNEL]);
            runner(4).run(&groups(sizes), |groups| check(&kernel, sizes, &groups)).is_err()
        })
    });
}

// --- the best child ----------------------------------------------------------------------------------------------

/// A node's visits and its children, in the order of their actions.
#[derive(Debug, Clone)]
struct Node {
    visits: u64,
    children: Vec<Child>,
    /// The ordinal of the child that all others are compared with.
    child: usize,
}

#[derive(Debug, Clone)]
struct Child {
    action: u32,
    n: u64,
    n_wins: u64,
}

/// In place of the search's buffers: `stats` and `links` of the children, and the nodes (number of children, visits,
/// the ordinal of `child`).
const CHOICE_KERNEL: &str = "
@group(0) @binding(2) var<storage, read> choice_nodes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> choices: array<u32>;

@compute @workgroup_size(TREE_LANES)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = lane / LEVEL_LANES;
    if FEW {
        if lane < 4u {
            let place = id.x * 4u + lane;
            let node = choice_nodes[place];
            let all = (1u << node.x) - 1u;
            var counts = load_few(place * MAX_ACTIONS, all, vec4<u32>(0u));
            var terms = few_terms(&counts);
            let best = best_of_few(vec4<u32>(0u), node.yz, place * MAX_ACTIONS, all, &counts, &terms);
            choices[2u * place] = best.ordinal;
            var rivals = find_rivals(vec4<u32>(0u), node.yz, place * MAX_ACTIONS, node.x, node.w);
            rivals.counts = few_at(&counts, node.w);
            rivals.action = link_action(links[place * MAX_ACTIONS + node.w].y);
            choices[2u * place + 1u] = best_against(rivals, rivals.counts);
        }
    } else {
        for (var first = 0u; first < 4u; first += LEVELS) {
            let place = id.x * 4u + first + number;
            let none = vec4<u32>(0u);
            var level = Level(none, none.xy, 0u, 0u, number, 0u, lane % LEVEL_LANES);
            if number < LEVELS {
                let node = choice_nodes[place];
                let first = place * MAX_ACTIONS;
                level = Level(none, node.yz, first, node.x, number, number * LEVEL_LANES, level.lane);
            }
            let best = best_of_many(level);
            if number < LEVELS && level.lane == LEVEL_LANES - 1u {
                choices[2u * place] = best;
                choices[2u * place + 1u] = best;
            }
        }
    }
}
";

const SUBGROUP_KERNEL: &str = "
@group(0) @binding(2) var<storage, read> choice_nodes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> choices: array<u32>;

@compute @workgroup_size(TREE_LANES)
fn main(@builtin(workgroup_id) id: vec3<u32>, message: Selecting) {
    // All subgroups make equally many choices, as at a level.
    for (var round = 0u; round < 4u; round++) {
        let number = message.subgroup + round * (TREE_LANES / SUBGROUP);
        let place = id.x * 4u + min(number, 3u);
        let node = choice_nodes[place];
        let lane = message.subgroup_lane;
        var held = hold(lane, place * MAX_ACTIONS, node.x, vec4<u32>(0u));
        // As the third of consecutive choices.
        let turn = 2u % SUBGROUP;
        let first = u64_sub(node.yz, vec2<u32>(turn * PLAYOUTS, 0u));
        let parents = ucb_parent(u64_add(first, vec2<u32>(lane * PLAYOUTS, 0u)), vec4<u32>(0u));
        var served: Served;
        served.left = 1u;
        served.count = node.x;
        served.visits = node.yz;
        let choice = choose_held(turn, parents, lane, served, &held);
        if number < 4u && choice.is_own {
            let best = lane + choice.i * NODE_LANES;
            choices[2u * place] = best;
            choices[2u * place + 1u] = best;
        }
    }
}
";

/// The search's text, with the buffers that a choice reads where the test has them, and a constant C.
fn choice_source(sizes: Sizes, c: f32, subgroup: u32) -> String {
    let replaced = [
        ("@binding(0) var<uniform> params", "@binding(20) var<uniform> params"),
        ("@binding(1) var<storage, read> roots", "@binding(21) var<storage, read> roots"),
        ("@binding(4) var<storage, read_write> stats", "@binding(0) var<storage, read_write> stats"),
        ("@binding(5) var<storage, read_write> links", "@binding(1) var<storage, read_write> links"),
        ("return params.ucb_c;", &format!("return {}u;", c.to_bits())),
    ];
    replaced.iter().fold(sizes.source_by(subgroup), |text, (from, to)| corrupted(&text, from, to))
}

/// Few different counts, with their doubles, so that children often have equal bounds, of equal and of different
/// counts, and nearly equal bounds.
fn any_node(actions: u32) -> impl Strategy<Value = Node> {
    let n = prop_oneof![Just(0_u64), Just(1), Just(64), Just(128), Just(1 << 20), Just(3 << 33), 1..5000_u64];
    let apart = (n, prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..=1.0])
        .prop_map(|(n, won)| (n, (n as f64 * won) as u64));
    // Too close for the estimates; then for all but exact bounds.
    let close = (Just(1 << 20), (1_u64 << 19)..(1 << 19) + 5).boxed();
    let closer = (Just(1 << 26), (1_u64 << 25)..(1 << 25) + 40);
    let child = prop_oneof![2 => apart, 1 => close.clone()];
    let all = 1..=actions as usize;
    let children = prop_oneof![
        6 => vec(child, all.clone()),
        1 => vec(close, all.clone()),
        1 => vec(closer, all),
    ];
    let visits = prop_oneof![Just(1_u64), Just(2), Just(3), 1..1_u64 << 40];
    let index = any::<prop::sample::Index>;
    (visits, children, index(), index(), prop::bool::weighted(0.3)).prop_map(
        move |(visits, mut children, child, skipped, unvisited)| {
            if !unvisited {
                children.iter_mut().for_each(|(n, _)| *n = (*n).max(1));
            }
            // Ascending actions, with one gap.
            let gap = skipped.index(children.len());
            let shift = |ordinal: usize| u32::from(ordinal >= gap && (children.len() as u32) < actions);
            let numbered = children.iter().enumerate();
            let children: Vec<_> = numbered
                .map(|(ordinal, &(n, n_wins))| Child { action: ordinal as u32 + shift(ordinal), n, n_wins })
                .collect();
            Node { visits, child: child.index(children.len()), children }
        },
    )
}

fn check_choices(kernel: &Kernel<'_>, sizes: Sizes, c: f32, nodes: &[Node]) -> Result<(), TestCaseError> {
    let (mut stats, mut links, mut headers) = (Vec::new(), Vec::new(), Vec::new());
    for node in nodes {
        let [low, high] = split(node.visits);
        headers.extend([node.children.len() as u32, low, high, node.child as u32]);
        for ordinal in 0..sizes.actions as usize {
            let child = node.children.get(ordinal).cloned().unwrap_or(Child { action: 0, n: 0, n_wins: 0 });
            stats.extend([split(child.n), split(child.n_wins)].concat());
            links.extend([0, child.action]);
        }
    }
    let got = kernel.run(&[&stats, &links, &headers], 2 * nodes.len(), nodes.len() as u32 / 4);
    for (node, got) in nodes.iter().zip(got.chunks(2)) {
        let ln = ucb::ln(node.visits);
        let key =
            |child: &Child| (ucb::ucb(ln, child.n, child.n_wins, c).to_bits(), !child.action.reverse_bits());
        let best = (0..node.children.len()).max_by_key(|&ordinal| key(&node.children[ordinal]));
        let best = best.unwrap_or(0) as u32;
        prop_assert_eq!(got[0], best, "{:?}", node);
        // The path's child has always been visited.
        if node.children[node.child].n > 0 {
            prop_assert_eq!(got[1], best, "{:?}", node);
        }
    }
    Ok(())
}

fn some_nodes(sizes: Sizes) -> impl Strategy<Value = Vec<Node>> {
    vec(any_node(sizes.actions), 64)
}

/// The width of a workgroup does not matter; the number of actions does.
const CHOICES: [Sizes; 5] = [SIZES[1], SIZES[2], SIZES[3], SIZES[5], SIZES[7]];

#[test]
fn the_best_child_is_the_naive_one() {
    let adapters = Adapters::open();
    for gpu in &adapters.gpus {
        for (sizes, c) in in_turn(CHOICES, &[2.0, 0.0]) {
            let kernel = gpu.kernel(&[&choice_source(sizes, c, 0), CHOICE_KERNEL]);
            let tried = runner(12).run(&some_nodes(sizes), |nodes| check_choices(&kernel, sizes, c, &nodes));
            tried.unwrap_or_else(|error| panic!("{} {sizes:?} {c}: {error}", gpu.name));
        }
    }
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_choices_are_found() {
    let mistakes = [
        ("few: ties to the greater action", "== 1u && tie < least", "== 1u && tie >= least"),
        ("few: a path's child loses its ties", "select(-1, 1, reverseBits(", "select(-1, -1, reverseBits("),
        ("few: equals decided", "u32(order >= 0) << ordinal", "u32(order > 0) << ordinal"),
        ("few: exact bounds left out", "best |= u32(bound == top) << ordinal;", "best |= 1u << ordinal;"),
        ("many: counts of other lanes unnoticed", "if all(its == counts) {", "if true {"),
        ("many: undecided children given up", "select(0u, bit, order >= 0)", "select(0u, bit, order > 0)"),
        (
            "many: the worse of two",
            "ucb_order(parent, top, its, counts)",
            "-ucb_order(parent, top, its, counts)",
        ),
        ("many: exact bounds left out", "select(NO_KEY, sh_first[i], sh_exact[i] == top)", "sh_first[i]"),
        (
            "many: ties to the greater action",
            "key = min(key, first_key(level, level.lane + i * LEVEL_LANES));",
            "key = first_key(level, level.lane + i * LEVEL_LANES);",
        ),
    ];
    assert_all_found(&Adapters::open().gpus[0], &mistakes, |gpu, plant| {
        [SIZES[2], SIZES[5]].into_iter().any(|sizes| {
            let kernel = gpu.kernel(&[&plant(&choice_source(sizes, 0.0, 0)), CHOICE_KERNEL]);
            runner(6).run(&some_nodes(sizes), |nodes| check_choices(&kernel, sizes, 0.0, &nodes)).is_err()
        })
    });
}

/// A node that distributes several selections has two visits when it chooses.
fn some_sending_nodes(sizes: Sizes) -> impl Strategy<Value = Vec<Node>> {
    some_nodes(sizes).prop_map(|mut nodes| {
        nodes.iter_mut().for_each(|node| node.visits = node.visits.max(2));
        nodes
    })
}

/// Many actions, several for each lane of eight, and few.
const SUBGROUP_CHOICES: [Sizes; 3] = [SIZES[3], SIZES[4], SIZES[5]];

#[test]
fn the_best_child_by_subgroups_is_the_naive_one() {
    let adapters = Adapters::open();
    for gpu in adapters.gpus.iter().filter(|gpu| gpu.subgroup() > 0) {
        for (sizes, c) in in_turn(SUBGROUP_CHOICES, &[2.0, 0.0]) {
            let kernel = gpu.kernel(&[&choice_source(sizes, c, gpu.subgroup()), SUBGROUP_KERNEL]);
            let tried =
                runner(12).run(&some_sending_nodes(sizes), |nodes| check_choices(&kernel, sizes, c, &nodes));
            tried.unwrap_or_else(|error| panic!("{} {sizes:?} {c}: {error}", gpu.name));
        }
    }
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_choices_of_subgroups_are_found() {
    let mistakes = [
        ("one child, where there are several", "is_clear = ((lanes", "is_clear = lanes != 0u || ((lanes"),
        ("undecided children given up", "u32(order >= 0) << i", "u32(order > 0) << i"),
        ("all taken for sure", "left.is_sure && (is_same || order < 0)", "left.is_sure"),
        ("exact bounds left out", "let steps = i32(own.bound) -", "let steps = 0 *"),
        ("another choice's visits", "subgroupShuffle(parents, turn)", "subgroupShuffle(parents, 0u)"),
        (
            "a leader of each lane's own",
            "subgroupShuffle(as_leader(held_at(held, firstTrailingBit(close))), leader)",
            "as_leader((*held).counts[0])",
        ),
        ("ties to any action", "min(key, select(best.key, NO_KEY, bound > best.bound))", "key"),
    ];
    let adapters = Adapters::open();
    let Some(gpu) = adapters.gpus.iter().find(|gpu| gpu.subgroup() > 0) else {
        let is_lavapipe = |name: &str| name.contains("llvmpipe") && name.ends_with("(vulkan)");
        assert!(!adapters.gpus.iter().any(|gpu| is_lavapipe(&gpu.name)), "no subgroups");
        return;
    };
    assert_all_found(gpu, &mistakes, |gpu, plant| {
        [(SIZES[5], 0.0), (SIZES[4], 2.0)].into_iter().any(|(sizes, c)| {
            let kernel = gpu.kernel(&[&plant(&choice_source(sizes, c, gpu.subgroup())), SUBGROUP_KERNEL]);
            let tried =
                runner(12).run(&some_sending_nodes(sizes), |nodes| check_choices(&kernel, sizes, c, &nodes));
            tried.is_err()
        })
    });
}
