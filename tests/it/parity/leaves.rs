//! Steps with several leaves a tree: every kernel against its twin, whole searches on every engine, and invariants of
//! the trees.

use super::*;
use mcts_wgpu::internals::gpu::shaders::{CREDIT, LEAVES};
use rayon::ThreadPoolBuilder;

pub(super) const BASE: Setting =
    Setting { trees_per_position: 2, first_tree: 3, capacity: 2000, ucb_c: 1.0, seed: 11 };

#[test]
fn kernels_equal_their_twins() {
    each_adapter(|adapter| {
        let connect4 = Connect4::default();
        let mut player = RandomGames::new(&connect4, 6);
        let ends =
            vec![player.before_a_win(1), player.before_a_win(3), player.forced_draw(4), player.finished()];
        let start = vec![Position::start(&connect4)];
        let few = Setting { capacity: 100, ..BASE };
        let plans = [(BASE, start.clone(), 12), (BASE, ends.clone(), 25), (few, [start, ends].concat(), 9)];
        let kinds = [
            (Variant::ACP_THRIFTY, (8, 9)),
            (Variant::OCP_THRIFTY, (32, 40)),
            (Variant::ACP_PRODIGAL, (128, 2)),
            (Variant::OCP_PRODIGAL, (1, 300)),
        ];
        for &(variant, sizes) in cases(adapter, &kinds) {
            check_kernels(adapter, &connect4, with_semantics(variant), sizes, &plans);
        }
        if compiles_slowly(adapter) {
            return;
        }
        for (gomoku, leaves, steps) in [(gomoku_of(6), 300, 14), (Gomoku::default(), 33, 3)] {
            let mut player = RandomGames::new(&gomoku, 7);
            let roots = vec![Position::start(&gomoku), player.before_a_win(1), player.before_a_win(4)];
            let room = Setting { capacity: 30_000, ..BASE };
            let kind = with_semantics(Variant::OCP_THRIFTY);
            check_kernels(adapter, &gomoku, kind, (4, leaves), &[(room, roots, steps)]);
        }
        let superko = go_of(3, 2.5).with_superko(true);
        let roots = vec![Position::start(&superko)];
        let kind = with_semantics(Variant::ACP_PRODIGAL);
        check_kernels(adapter, &superko, kind, (2, 5), &[(BASE, roots, 30)]);
    });
}

/// The same with rapid action values, with few children and with many, and beyond the number of counted playouts.
#[test]
fn kernels_equal_their_twins_with_rapid_action_values() {
    each_adapter(|adapter| {
        for (number, (size, policy, variant, sizes, steps)) in [
            (3, "random", Variant::OCP_THRIFTY, (4, 6), 25),
            (3, "random", Variant::OCP_PRODIGAL, (512, 64), 3),
            (6, "tactical", Variant::OCP_PRODIGAL, (1, 33), 12),
            (5, "random", Variant::OCP_THRIFTY, (2, 1), 20),
        ]
        .into_iter()
        .enumerate()
        {
            let go = Go::new(size, 2.5).and_then(|go| go.with_policy(policy)).expect("there is such a game");
            let room = Setting { capacity: 20_000, ucb_c: 0.25, ..BASE };
            let roots = vec![Position::start(&go), RandomGames::new(&go, 8).midgame()];
            if number == 0 || !compiles_slowly(adapter) {
                let kind = (variant, &[Semantics::Rapid][..]);
                check_kernels(adapter, &go, kind, sizes, &[(room, roots, steps)]);
            }
        }
    });
}

type Plan<G> = (Setting, Vec<Position<G>>, u32);

fn with_semantics(variant: Variant) -> (Variant, &'static [Semantics]) {
    let both = &Semantics::BOTH;
    (variant, if is_thorough() { both } else { &both[usize::from(variant.thrifty)..][..1] })
}

fn check_kernels<G: Game>(
    adapter: &Adapter,
    game: &G,
    (variant, semantics): (Variant, &[Semantics]),
    sizes: (u32, u32),
    plans: &[Plan<G>],
) {
    let device = device(adapter);
    for &semantics in cases(adapter, semantics) {
        let rig = Rig::with_leaves(&device, game, (variant, semantics), sizes);
        for (setting, roots, steps) in plans {
            let (mut host, device) = rig.start(*setting, roots);
            for kernel in ["seed", "reset"] {
                check_kernel(&rig.name, &mut host, &device, kernel);
            }
            for _ in 0..*steps {
                for kernel in kernels(&host.forest.shape) {
                    check_kernel(&rig.name, &mut host, &device, kernel);
                }
            }
            check_trees(&rig.name, &host, *steps);
        }
    }
}

fn kernels(shape: &Shape) -> Vec<&'static str> {
    let (first, last) =
        LEAVES.split_at(LEAVES.iter().position(|&kernel| kernel == "back_up_leaves").unwrap_or(0));
    let credit = (shape.config.rave > 0).then_some(CREDIT);
    let all = first.iter().copied().chain(credit).chain(last.iter().copied());
    all.filter(|&kernel| kernel != "count_jobs" || shape.config.variant.thrifty).collect()
}

pub(super) fn check_kernel<G: Game>(name: &str, host: &mut Snapshot<G>, device: &OnDevice, kernel: &str) {
    device.put(host);
    device.run(kernel, host);
    host.twin(kernel);
    let differences = host.differences(&device.get(host));
    let first = &differences[..differences.len().min(4)];
    assert!(differences.is_empty(), "{name} {kernel}: {} words differ, first {first:?}", differences.len());
}

/// A node's visits are the sum of those of its children and of its own playouts; no visit of a selection is left.
fn check_trees<G: Game>(name: &str, host: &Snapshot<G>, steps: u32) {
    let forest = &host.forest;
    let shape = &forest.shape;
    for (tree, header) in forest.headers().iter().enumerate() {
        let nodes = tree * shape.capacity as usize..;
        let (links, stats) = (&forest.links[nodes.clone()], &forest.stats[nodes]);
        let counts = |node: usize| shape.plain(stats[node]).counts();
        let n = |node: usize| counts(node).0;
        for (node, link) in links.iter().enumerate().take(header.size as usize) {
            let children = link.first_child as usize..(link.first_child + link.count()) as usize;
            let below: u64 = if link.first_child == NO_CHILDREN { 0 } else { children.map(n).sum() };
            // A root has no playouts of its own. Another node has those of its first step: one child's, or, as a leaf,
            // several times.
            let own = n(node).checked_sub(below);
            let is_whole = own.is_some_and(|own| own % u64::from(shape.config.playouts) == 0);
            assert!(is_whole, "{name}: node {node}: {own:?}");
            assert!(counts(node).1 <= n(node) * u64::from(shape.config.draw_value.win_points()), "{name}");
        }
        let once = u64::from(shape.config.playouts * shape.config.leaf_batch * steps);
        let full = header.flags & (TREE_PROVEN | TREE_FULL) != 0;
        assert!(n(0) == once || full || shape.config.variant.all_children, "{name}: {} of {once}", n(0));
    }
}

/// Virtual loss spreads selections: seven leaves of a root with seven children are its children.
#[test]
fn visits_without_wins_send_the_next_selection_elsewhere() {
    let game = Connect4::default();
    let config = Config { trees: 1, playouts: 64, leaf_batch: 7, ucb_c: 100.0, ..Config::original() };
    let report = search_on(&Engine::cpu(), game.clone(), config).steps(&Position::start(&game), 2);
    // The first step selects the root seven times and expands it once; the second one expands every child.
    assert_eq!(report.n_root, 7 * 7 * 64 + 7 * 7 * 64);
    assert_eq!(report.trees_info.sizes, [1 + 7 + 49]);
    assert!(report.actions.iter().all(|action| action.n == 7 * 64 + 7 * 64), "{:?}", report.actions);
}

/// Fingerprint, n of the root, steps or reused nodes, the best action.
type Found = (String, u64, u64, Option<u32>);

fn found(reports: &[Report]) -> Vec<Found> {
    reports.iter().map(|report| found_with(report, report.performance.steps)).collect()
}

fn found_with(report: &Report, number: u64) -> Found {
    let best = report.best.as_ref().map(|best| best.index);
    (report.fingerprint.clone(), report.n_root, number, best)
}

fn config(variant: Variant, leaves: u32) -> Config {
    Config {
        variant,
        trees: 3,
        playouts: 16,
        leaf_batch: leaves,
        seed: 8,
        node_limit: Some(5000),
        ..Config::paper()
    }
}

/// Consecutive searches, with reuse and in batches.
fn results<G: Game>(engine: &Engine, game: &G, config: &Config, units: Option<u32>) -> Vec<Found> {
    let mut search = search_on(engine, game.clone(), *config);
    search.cut_steps(units);
    let mut player = RandomGames::new(game, 9);
    let start = Position::start(game);
    // Both players are to move in some, and many nodes are proven.
    let ends = (1..6).map(|plies| player.before_a_win(plies));
    let batch = [vec![start.clone()], ends.collect(), vec![player.midgame(), player.finished()]].concat();
    let mut found = found(&search.batch(&batch, 9));
    let moves = search.moves(start, &[20, 6]);
    found.extend(moves.iter().map(|report| found_with(report, report.trees_info.reused_nodes)));
    found
}

#[test]
fn all_engines_grow_the_same_trees() {
    fn check<G: Game>(game: &G, config: &Config) {
        let config = Config { reuse: true, ..*config };
        let expected = results(&Engine::cpu(), game, &config, None);
        assert_eq!(results(&Engine::cpu(), game, &config, Some(3)), expected, "CPU, cut: {}", game.name());
        each_fast_adapter(|adapter| {
            let name = format!("{} {}", adapter.info().backend.name(), game.name());
            let engine = opened(adapter);
            assert_eq!(results(&engine, game, &config, None), expected, "{name}");
            assert_eq!(results(&engine, game, &config, Some(5)), expected, "{name}, cut");
            let device = device(adapter);
            if device.subgroup() > 0 && game.max_actions() > 16 {
                let engine = engine_of(&device.without_subgroups());
                assert_eq!(results(&engine, game, &config, None), expected, "{name}, by lanes");
            }
        });
    }
    check(&Connect4::default(), &config(Variant::OCP_THRIFTY, 30));
    check(&Connect4::default(), &config(Variant::ACP_THRIFTY, 3));
    check(&Othello, &config(Variant::OCP_PRODIGAL, 12));
    check(&go_of(5, 7.5), &config(Variant::OCP_THRIFTY, 20));
}

/// Idle cores take parts of a step: leaves, nodes of a leaf, games of a node. The trees do not depend on the cores.
#[test]
fn the_number_of_threads_changes_no_tree() {
    fn check<G: Game>(game: &G, config: &Config) {
        let with = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            pool.install(|| results(&Engine::cpu(), game, config, None))
        };
        let expected = with(1);
        for threads in [2, 3, 16] {
            assert_eq!(with(threads), expected, "{} with {threads} threads: {config:?}", game.name());
        }
    }
    let go = go_of(5, 7.5);
    check(&Connect4::default(), &config(Variant::OCP_THRIFTY, 30));
    check(&Connect4::default(), &config(Variant::ACP_PRODIGAL, 3));
    check(&gomoku_of(7), &config(Variant::OCP_PRODIGAL, 9));
    check(&go.clone().with_superko(true), &config(Variant::ACP_THRIFTY, 2));
    check(&go, &Config { playouts: 1, rave: 500, prior_visits: 8, ..config(Variant::OCP_PRODIGAL, 20) });
    // Few nodes with many games each: one by one, with their streams, and in lanes.
    for (leaves, rave) in [(1, 0), (2, 500)] {
        check(&go, &Config { trees: 1, playouts: 128, rave, ..config(Variant::OCP_THRIFTY, leaves) });
    }
    check(&Othello, &Config { trees: 1, playouts: 512, ..config(Variant::OCP_PRODIGAL, 1) });
}

/// An abandoned step has no effect, whatever its stage.
#[test]
fn a_step_that_is_left_is_taken_back() {
    fn run_until(search: &mut Search<Connect4>, calls: u32) -> u64 {
        let mut left = calls;
        let printed = |_| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let start = Position::start(&Connect4::default());
        let report = search.run_with(&start, Budget::steps(6), printed).expect("the search runs");
        report.performance.steps
    }
    let game = Connect4::default();
    let config = Config { reuse: true, ..config(Variant::ACP_THRIFTY, 4) };
    let check = |engine: &Engine, name: &str| {
        let new = |engine| search_on(engine, game.clone(), config);
        let (mut cut, mut whole) = (new(engine), new(&Engine::cpu()));
        for calls in [1, 2, 4, 7, 9, 11, 12, 13, 16, 22] {
            cut.cut_steps(Some(4));
            let steps = run_until(&mut cut, calls);
            cut.cut_steps(None);
            let start = Position::start(&game);
            if steps > 0 {
                whole.steps(&start, steps);
            }
            let [cut, whole] = [&mut cut, &mut whole].map(|search| found(&[search.steps(&start, 2)]));
            assert_eq!(cut, whole, "{name}: {calls} calls, {steps} steps");
        }
    };
    check(&Engine::cpu(), "CPU");
    each_adapter(|adapter| check(&opened(adapter), adapter.info().backend.name()));
}

/// The kernel that undoes a step has the results of its twin, after each stage before the backup.
#[test]
fn the_kernel_undoes_steps_as_its_twin() {
    each_adapter(|adapter| {
        let device = device(adapter);
        let game = Connect4::default();
        let mut player = RandomGames::new(&game, 5);
        let roots = [Position::start(&game), player.before_a_win(1), player.finished()];
        let rig = Rig::with_leaves(&device, &game, (Variant::ACP_THRIFTY, Semantics::Stronger), (8, 6));
        for plan in [(0, 1, 0.5), (2, 2, 1.0), (4, 3, 1.0), (9, 4, 1.0), (14, 6, 1.0), (40, 6, 1.0)] {
            check_withdraw(&rig, Setting { capacity: 300, ..BASE }, &roots, plan);
        }
    });
}

/// After so many steps, undoes one that has made so many pieces, all if there are fewer; `part` of the last one.
pub(super) fn check_withdraw<G: Game>(
    rig: &Rig<G>,
    setting: Setting,
    roots: &[Position<G>],
    (steps, pieces, part): (u32, usize, f64),
) {
    let (mut before, device) = rig.begin(setting, roots);
    before.step(steps);
    device.put(&before);
    let checkpoint = device.save();
    let all = device.forest.pieces(Schedule::Staged, Half::Play);
    let pieces = pieces.min(all.len());
    for (number, piece) in (1..).zip(&all[..pieces]) {
        // Some trees may not have reached it.
        let part = if number == pieces { part } else { 1.0 };
        let groups = (f64::from(piece.groups) * part).ceil() as u32;
        device.forest.submit_slice(Schedule::Staged, piece.kernel, 0, groups);
    }
    let mut expected = device.get(&before);
    // With few pieces the headers alone may have changed.
    let [made, kept] = [&expected, &before].map(|all| (&all.forest.trees, &all.forest.stats));
    assert!(made != kept, "{}: {pieces} pieces", rig.name);
    block_on(checkpoint.withdraw(&device.forest)).expect("the device goes on");
    let after = device.get(&before);
    let shape = before.forest.shape.clone();
    let kept = &before.forest.trees;
    expected.forest.for_each_tree(|mut tree| take_back(&shape, &mut tree, kept));
    expected.forest.streams.clone_from(&before.forest.streams);
    assert!(expected.differences(&after).is_empty(), "{}: {steps} steps, {pieces} pieces", rig.name);
    assert_eq!(before.forest.trees, after.forest.trees);
    let capacity = shape.capacity as usize;
    for (tree, header) in before.forest.headers().iter().enumerate() {
        let nodes = tree * capacity..tree * capacity + header.size as usize;
        assert_eq!(before.forest.links[nodes.clone()], after.forest.links[nodes.clone()], "{}", rig.name);
        // A network's value of a node stays: a later evaluation gives the same.
        let bare = |forest: &Forest| -> Vec<_> {
            forest.stats[nodes.clone()].iter().map(|&stats| shape.plain(stats)).collect()
        };
        assert_eq!(bare(&before.forest), bare(&after.forest), "{}", rig.name);
    }
}

/// In all such steps.
const MISTAKES: [&str; 7] = [
    "set_next_place(next + sent.«last ⇒ first», place);",
    "let follows = «trees[at].first_child != place ⇒ false»;",
    "trees[at].expanded = «trees[leader].expanded ⇒ 0u»;",
    "(«1u ⇒ 2u» << (action & 31u)) - 1u)",
    "points[«1u -  ⇒ »turn_of(header.flags, depth)]",
    "«(max(header.expanded, 1u) - 1u) ⇒ max(header.expanded, 1u)»",
    "place < «LEAVES ⇒ 1u»; place = next_ended_leaf(lane, place + 1u)",
];
/// With few children, and with many, so that selections follow the stored choices. Those of subgroups are among the
/// mistakes of networks.
const OF_FEW: [&str; 7] = [
    "«its.last = select(its.last, (*sent)[i].last, i == ordinal); ⇒ »",
    "return round« - place / WAVE ⇒ »;",
    "«sum_combine(own, vec4<u32>(sent.count * PLAYOUTS, 0u, 0u, 0u)) ⇒ own»;\n    serve_in",
    "min(WAVE, LEAVES - first)« ⇒  - 1u»",
    "n = u64_add(n, vec2<u32>(«PLAYOUTS ⇒ 0u», 0u));",
    "«sum_combine(few_at(&counts, ordinal), vec4<u32>(PLAYOUTS, 0u, 0u, 0u)) ⇒ few_at(&counts, ordinal)»;",
    "«terms[child] = select(terms[child], chosen_terms, child == ordinal); ⇒ »",
];
const OF_MANY: [&str; 8] = [
    "most = max(most, depth« ⇒  + 1u»);",
    "if choice != NO_CHOICE « ⇒ && depth != 1u »{",
    "vec2<u32>(«level.lane * PLAYOUTS,  ⇒ »0u)",
    "«sum_combine((*held).counts[i], vec4<u32>(PLAYOUTS, 0u, 0u, 0u)) ⇒ (*held).counts[i]»",
    "«add_stats(index, PLAYOUTS, 0u); ⇒ »",
    "let was_passed = «pass_node(node) ⇒ false»;",
    "«_ = pass_node(child); ⇒ »",
    "set_listed(at + 2u, own.x« ⇒  + sent.count * PLAYOUTS»);",
];

#[test]
fn mistakes_show() {
    fn check<G: Game>(device: &Device, game: &G, (leaves, steps): (u32, u64), mistakes: &[&str]) {
        let mut player = RandomGames::new(game, 4);
        let roots = [Position::start(game), player.before_a_win(4)];
        let config = config(Variant::ACP_PRODIGAL, leaves);
        // Whole trees: with few moves left, few mistakes show.
        let config = Config { trees: 2, playouts: 4, ucb_c: 0.5, pruning: false, ..config };
        assert_mistakes_show(device, tried(mistakes), |engine| {
            let reports = search_on(engine, game.clone(), config).run_batch(&roots, Budget::steps(steps));
            reports.map(|reports| found(&reports)).ok()
        });
    }
    on_the_first_adapter(|adapter| {
        let connect4 = connect4_of(4, 5);
        let device = own_device(adapter);
        check(&device, &connect4, (13, 25), &[&MISTAKES[..], &OF_FEW].concat());
        // Few of its many actions are legal, so that selections meet.
        check(&device.without_subgroups(), &Othello, (40, 15), &OF_MANY);
    });
}
