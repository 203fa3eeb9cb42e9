//! Steps whose leaves a network evaluates: every kernel against its twin, undone steps, invariants of the trees, and
//! the network itself on random boards.

use super::{
    leaves::{BASE, check_kernel, check_withdraw},
    rig::Exploring,
    *,
};
use mcts_wgpu::internals::{device::Backend, exact::puct::ONE};

/// A search by a network: its variant and semantics, leaves a step, the steps, and the nodes of a tree.
#[derive(Clone, Copy)]
struct Plan {
    kind: Kind,
    leaves: u32,
    steps: u32,
    capacity: u32,
    exploring: Exploring,
}

const fn plan(variant: Variant, semantics: Semantics, leaves: u32, steps: u32, capacity: u32) -> Plan {
    Plan { kind: (variant, semantics), leaves, steps, capacity, exploring: |config| config }
}

/// Every kernel, and whole steps, have the results of the twins.
fn check<G: Game>(adapter: &Adapter, game: &G, net: &Arc<Network>, plans: &[Plan], roots: &[Position<G>]) {
    let device = device(adapter);
    for plan in cases(adapter, plans) {
        let rig =
            Rig::with_network(&device, game, plan.kind, (net, NetKernel::Auto, plan.leaves), plan.exploring);
        let (mut host, device) = rig.start(Setting { capacity: plan.capacity, ..BASE }, roots);
        for kernel in ["seed", "reset"] {
            check_kernel(&rig.name, &mut host, &device, kernel);
        }
        let kernels: Vec<_> = device.forest.staged_step().iter().map(|launch| launch.kernel).collect();
        for _ in 0..plan.steps {
            kernels.iter().for_each(|kernel| check_kernel(&rig.name, &mut host, &device, kernel));
        }
        check_trees(&rig.name, &host);
        device.put(&host);
        device.step(Schedule::Staged, 3);
        host.step(3);
        compare(&host, &device.get(&host), &rig.name);
        for kernel in ["reduce_over_trees", "reduce_over_actions", "fingerprint"] {
            check_kernel(&rig.name, &mut host, &device, kernel);
        }
    }
}

/// A node's visits are the evaluations of its children and its own: one, if it has children. Priors of its children sum
/// up to 1, and points are at most the visits.
fn check_trees<G: Game>(name: &str, host: &Snapshot<G>) {
    let forest = &host.forest;
    let shape = &forest.shape;
    let mut deep = 0;
    for (tree, header) in forest.headers().iter().enumerate() {
        let nodes = tree * shape.capacity as usize..;
        let (links, stats) = (&forest.links[nodes.clone()], &forest.stats[nodes]);
        let counts = |node: usize| shape.plain(stats[node]).counts();
        for (node, link) in links.iter().enumerate().take(header.size as usize) {
            assert!(counts(node).1 <= counts(node).0 * u64::from(ONE), "{name}: node {node}");
            if link.first_child == NO_CHILDREN {
                continue;
            }
            let children = link.first_child as usize..(link.first_child + link.count()) as usize;
            let below: u64 = children.clone().map(|child| counts(child).0).sum();
            let own = counts(node).0.checked_sub(below);
            let once = header.flags & TREE_FULL != 0 || own == Some(1);
            assert!(once, "{name}: node {node}: {own:?}");
            if node == 0 && shape.config.gumbel > 0 {
                continue;
            }
            let priors: u32 = children.clone().map(|child| stats[child].prior_and_value().0).sum();
            let off = 2 * link.count();
            assert!((ONE - off..=ONE + off).contains(&priors), "{name}: {priors}");
            deep += usize::from(node > 0);
        }
        let full = header.flags & (TREE_PROVEN | TREE_FULL) != 0;
        assert!(full || deep > 0, "{name}: the tree {tree} has not grown");
    }
}

#[test]
fn kernels_equal_their_twins() {
    use Semantics::{Original, Stronger, Whole};
    each_adapter(|adapter| {
        let connect4 = Connect4::default();
        let mut player = RandomGames::new(&connect4, 6);
        let roots = [
            Position::start(&connect4),
            player.before_a_win(1),
            player.before_a_win(3),
            player.before_a_win(6),
            player.forced_draw(4),
            player.finished(),
        ];
        let conv = network(&connect4, Trunk::Conv, 1, 16);
        let plans = [
            plan(Variant::OCP_PRODIGAL, Stronger, 5, 12, 2000),
            plan(Variant::OCP_THRIFTY, Original, 1, 30, 2000),
            plan(Variant::OCP_PRODIGAL, Whole, 40, 6, 90),
            Plan {
                exploring: |config| Config { root_noise: 0.25, playout_weight: 0.5, ..config },
                ..plan(Variant::OCP_PRODIGAL, Stronger, 3, 12, 2000)
            },
            Plan {
                exploring: |config| Config { gumbel: 5, gumbel_visits: 24, ..config },
                ..plan(Variant::OCP_THRIFTY, Original, 4, 12, 2000)
            },
        ];
        check(adapter, &connect4, &conv, &plans, &roots);
        if compiles_slowly(adapter) {
            return;
        }
        let dense = network(&connect4, Trunk::Dense, 2, 32);
        check(adapter, &connect4, &dense, &plans[1..2], &roots);
        let roots = [Position::start(&Othello), RandomGames::new(&Othello, 3).before_a_win(4)];
        let conv = network(&Othello, Trunk::Conv, 2, 32);
        let by_gumbel: Exploring =
            |config| Config { gumbel: 16, gumbel_visits: 32, playout_weight: 0.1, ..config };
        let plans = [plan(Variant::OCP_THRIFTY, Stronger, 5, 9, 3000)];
        check(adapter, &Othello, &conv, &[Plan { exploring: by_gumbel, ..plans[0] }], &roots);
        check(adapter, &Othello, &conv, &plans, &roots);
        let go = go_of(5, 2.5).with_superko(true);
        let roots = [Position::start(&go), RandomGames::new(&go, 8).midgame()];
        let net = network(&go, Trunk::Conv, 1, 16);
        let exploring: Exploring = |config| Config { root_noise: 1.0, ..config };
        let noisy = Plan { exploring, ..plan(Variant::OCP_PRODIGAL, Original, 5, 12, 4000) };
        check(adapter, &go, &net, &[noisy], &roots);
        let gomoku = gomoku_of(6);
        let roots = [Position::start(&gomoku), RandomGames::new(&gomoku, 7).before_a_win(4)];
        let net = network(&gomoku, Trunk::Dense, 1, 16);
        check(adapter, &gomoku, &net, &[plan(Variant::OCP_PRODIGAL, Stronger, 33, 8, 9000)], &roots);
        // Too many actions for ranks.
        let gomoku = gomoku_of(16);
        let net = network(&gomoku, Trunk::Dense, 0, 16);
        check(
            adapter,
            &gomoku,
            &net,
            &[plan(Variant::OCP_PRODIGAL, Stronger, 16, 3, 30_000)],
            &[Position::start(&gomoku)],
        );
    });
}

#[test]
fn the_kernel_undoes_steps_as_its_twin() {
    each_adapter(|adapter| {
        let (device, game) = (device(adapter), Connect4::default());
        let mut player = RandomGames::new(&game, 5);
        let roots = [Position::start(&game), player.before_a_win(1), player.finished()];
        let net = network(&game, Trunk::Dense, 0, 16);
        let rig = Rig::with_network(
            &device,
            &game,
            (Variant::OCP_PRODIGAL, Semantics::Stronger),
            (&net, NetKernel::Auto, 6),
            |config| Config { gumbel: 4, playout_weight: 0.5, ..config },
        );
        for plan in
            [(0, 1, 0.5), (2, 2, 1.0), (4, 3, 1.0), (9, 4, 1.0), (14, 5, 1.0), (15, 6, 1.0), (30, 7, 1.0)]
        {
            check_withdraw(&rig, Setting { capacity: 300, ..BASE }, &roots, plan);
        }
    });
}

/// Random bits as planes, and networks whose layers have more outputs than a workgroup has lanes, or whose activations
/// exceed workgroup memory.
#[test]
fn networks_find_the_same_of_any_board() {
    fn check<G: Game>(adapter: &Adapter, game: &G, sizes: Sizes) {
        let net = Arc::new(Network::random(sizes, 5).expect("the sizes are in their ranges"));
        let device = device(adapter);
        for kernel in [NetKernel::Dot, NetKernel::Plain] {
            let evaluation = (&net, kernel, 7);
            check_kernel_of(&Rig::with_network(
                &device,
                game,
                (Variant::OCP_PRODIGAL, Semantics::Original),
                evaluation,
                |config| config,
            ));
        }
    }
    fn check_kernel_of<G: Game>(rig: &Rig<G>) {
        let game = rig.game();
        let setting = Setting { trees_per_position: 3, capacity: 1 + game.max_actions(), ..BASE };
        let (mut host, device) = rig.start(setting, &[Position::start(game)]);
        let mut random = Pcg64::seed_from_u64(game.max_actions().into());
        let cells = host.forest.shape.planes_per_leaf();
        for (leaf, planes) in host.forest.leaf_planes.chunks_mut(cells).enumerate() {
            // All bits set, none, and some.
            let bits = [u32::MAX, 0].get(leaf).copied();
            planes.iter_mut().for_each(|cell| *cell = bits.unwrap_or_else(|| random.next_u32()));
            planes[cells - 1] = u32::from(leaf % 5 != 4);
        }
        check_kernel(&rig.name, &mut host, &device, "evaluate");
    }
    each_adapter(|adapter| {
        let connect4 = Connect4::default();
        let sizes = |blocks, channels| {
            Sizes::of_game(&connect4, Trunk::Conv, blocks, channels).expect("the game has planes")
        };
        let heads = Sizes { policy_channels: 5, value_channels: 3, value_hidden: 41, ..sizes(2, 48) };
        check(adapter, &connect4, heads);
        if compiles_slowly(adapter) {
            return;
        }
        check(adapter, &connect4, sizes(1, 144));
        let go = go_of(9, 7.5);
        check(adapter, &go, Sizes::of_game(&go, Trunk::Conv, 1, 64).expect("the game has planes"));
        let narrow = connect4_of(9, 2);
        check(adapter, &narrow, Sizes::of_game(&narrow, Trunk::Conv, 0, 16).expect("the game has planes"));
        check(adapter, &Othello, Sizes::of_game(&Othello, Trunk::Dense, 3, 256).expect("there are planes"));
    });
}

/// In steps by a network.
const MISTAKES: [&str; 18] = [
    // PUCT.
    "let shift = i32(left / 2u) - «8 ⇒ 7»;",
    "let unvisited = value« - min(value, FPU_REDUCTION) ⇒ »;",
    "«(1u + terms.z) ⇒ max(terms.z, 1u)») >> (parent.x >> 16u);",
    "let prior = «(n.y >> PRIOR_SHIFT) & 0xffffu ⇒ 4096u»;",
    "let q = «select(terms.x, parent.y, terms.z == 0u) ⇒ terms.x»;",
    // Priors and values.
    "return softmax_power(less & 0xffu) >> min(less >> «8u ⇒ 9u», 31u);",
    "return clamp(weight * «ONE ⇒ (ONE - 256u)» / total, 1u, ONE - 1u);",
    "(weights.x + weights.y« / 2u ⇒ ») * ONE",
    "- outputs« ⇒ .zyx»);",
    "let greatest = «reduce_max(lane, own) ⇒ 65535u»;",
    "«select(points.yx, points, selected_turn(leaf) == 0u) ⇒ points»",
    "let won = outcome == «wins(selected_turn(leaf)) ⇒ FIRST_WINS»;",
    "stats[index].w |= min(points.«x ⇒ y», ONE - 1u) << VALUE_SHIFT;",
    // Planes.
    "planes(&state, « ⇒ 1u - »turn, cell);",
    "cell < NET_CELLS« ⇒  - 1u»; cell += TREE_LANES",
    // Backups, and the leaves that are evaluated.
    "«take_visits(node, PLAYOUTS); ⇒ »",
    "(flags & «(TREE_FOLLOWS | TREE_PROVEN) ⇒ TREE_PROVEN») != 0u",
    "points[«1u -  ⇒ »turn_of(header.flags, depth)]",
];

/// In choices among children that subgroups hold.
const MISTAKES_AMONG_MANY: [&str; 13] = [
    "select(number, LEAVES - «1u ⇒ 2u» - number, is_light)",
    "«own.i = select(own.i, i, rank > own.rank); ⇒ »",
    "«(ucb_score(parent, ucb_terms(counts.xy, counts.zw)) << 8u) ⇒ 256u» | (0xffu - (key >> 24u))",
    "«select(own.rank == top, last.is_own, top == 0u) ⇒ own.rank >= 1u»",
    "subgroupShuffle(parents, «turn ⇒ 0u»)",
    "«sum_combine(own, vec4<u32>(sent.count * PLAYOUTS, 0u, 0u, 0u)) ⇒ own»;\n    if link",
    "note_alone(round« ⇒  + 1u», sent.first);",
    "«its.count = select(its.count, (*sent)[i].count, i == own); ⇒ »",
    "let number = top + own_subgroup.x« ⇒  + 1u»;",
    "«(*served).visits = u64_add((*served).visits, vec2<u32>(PLAYOUTS, 0u)); ⇒ »",
    "«(*served).place = next_place(round_at(round) + (*served).place); ⇒ »",
    "«served.count ⇒ 1u», served.counts);",
    "select(min(nodes.most, LIGHT), nodes.most, number «< ⇒ >=» nodes.heavy)",
];

const MISTAKES_OF_NETWORKS: [&str; 13] = [
    "return «(tap / 3u) * PITCH + tap % 3u - PITCH - 1u; ⇒ (tap % 3u) * PITCH + tap / 3u - PITCH - 1u;»",
    "return place «% PITCH < COLUMNS && place  ⇒ »< ROWS * PITCH;",
    "«(vec4<i32>(1) << (shift - 1u)) ⇒ vec4<i32>(0)»",
    "(«sum ⇒ (sum + 8)» * vec4<i32>(multiplier)",
    "«value += unpacked(load(leaf, at)); ⇒ »",
    "clamp(values, vec4<i32>(«0 ⇒ -127»), vec4<i32>(127))",
    "let cell = item «/ ⇒ %» HEAD_GROUPS;",
    "let output = «first +  ⇒ »channel;",
    "place «% ⇒ /» (ROWS * COLUMNS) * HEAD_GROUPS",
    "flat_word(leaf, word« - POLICY_WORDS ⇒ », POLICY_CHANNELS",
    "let input = select(POLICY_AT, VALUE_AT, «is_hidden ⇒ false»);",
    "«clear_inner(leaf, lane);\n     ⇒ »}",
    "let actions = heads + (GROUPS« + 3u ⇒ ») * HEAD_GROUPS;",
];

/// At the root, and in playouts beside a network.
const MISTAKES_AT_THE_ROOT: [&str; 14] = [
    "«trees[header].selected == ROOT ⇒ true»;",
    "«noise_key(trees[header].expansion_stream) ⇒ 7u»",
    "most = max(most, «~ ⇒ »noise_less(",
    "noise.total), ROOT_NOISE« ⇒  / 2u»)",
    "«- i32(min(less, 0xffffu)) ⇒ »;",
    "«min(GUMBEL, count) ⇒ GUMBEL» << CONSIDERED_SHIFT",
    "(«max(n, 1u) - 1u ⇒ n», considered)",
    "GUMBEL_VISITS / «(phases * considered) ⇒ considered»",
    "return visits + left« / considered ⇒ »;",
    "«3u -  ⇒ »min(visits - scheduled, 3u)",
    "min(«advantage ⇒ noted», HALVING_CLASS - 1u)",
    "«select(played.yx, played, selected_turn(leaf) == 0u) ⇒ played»",
    "«mixture(points.y, own.y, PLAYOUT_WEIGHT) ⇒ points.y»",
    "«(ONE / GAME_POINTS) ⇒ ONE»",
];

#[test]
fn mistakes_at_the_root_show() {
    let game = connect4_of(4, 5);
    let roots = [Position::start(&game), RandomGames::new(&game, 4).before_a_win(4)];
    let net = network(&game, Trunk::Conv, 0, 16);
    let none = Settings { leaf_batch: Some(3), solver: Some(false), ..Settings::default() };
    let variations = [
        Settings { root_noise: Some(0.5), playout_weight: Some(0.5), ..none.clone() },
        Settings { gumbel: Some(8), gumbel_visits: Some(40), ..none },
    ];
    let run = |engine: &Engine, settings: &Settings| {
        let mut search = search_by(engine, game.clone(), settings.clone());
        let reports = search.run_batch(&roots, Budget::steps(20)).ok()?;
        Some(reports.into_iter().map(|report| (report.fingerprint, report.actions)).collect::<Vec<_>>())
    };
    let found = |engine: &Engine| {
        let engine = engine.clone().with_network(Some(net.clone()));
        variations.iter().map(|settings| run(&engine, settings)).collect::<Option<Vec<_>>>()
    };
    on_the_first_adapter(|adapter| {
        assert_mistakes_show(&own_device(adapter), tried(&MISTAKES_AT_THE_ROOT), found);
    });
}

#[test]
fn mistakes_among_many_children_show() {
    let game = gomoku_of(6);
    let net = network(&game, Trunk::Dense, 0, 16);
    let found = |engine: &Engine| {
        let settings = Settings { leaf_batch: Some(64), ..Settings::default() };
        let engine = engine.clone().with_network(Some(net.clone()));
        let mut search = search_by(&engine, game.clone(), settings);
        search.run(&Position::start(&game), Budget::steps(20)).ok().map(|report| report.fingerprint)
    };
    on_the_first_adapter(|adapter| {
        let device = own_device(adapter);
        let is_lavapipe = adapter.info().is_software() && adapter.info().backend == Backend::Vulkan;
        assert!(device.subgroup() > 0 || !is_lavapipe, "no subgroups");
        if device.subgroup() > 0 {
            assert_mistakes_show(&device, tried(&MISTAKES_AMONG_MANY), found);
        }
    });
}

#[test]
fn mistakes_show() {
    let game = connect4_of(4, 5);
    let mut player = RandomGames::new(&game, 4);
    let roots =
        [Position::start(&game), player.before_a_win(4), player.before_a_win(1), player.before_a_win(1)];
    let net = network(&game, Trunk::Conv, 1, 32);
    let run = |engine: &Engine, solver| {
        let settings = Settings { solver, trees: Some(2), leaf_batch: Some(13), ..Settings::default() };
        let mut search = search_by(engine, game.clone(), settings);
        let reports = search.run_batch(&roots, Budget::steps(40)).ok()?;
        Some(reports.into_iter().map(|report| (report.fingerprint, report.actions)).collect::<Vec<_>>())
    };
    // Without proofs, selections reach ends of games.
    let fingerprints = |engine: &Engine| {
        let engine = engine.clone().with_network(Some(net.clone()));
        [true, false].into_iter().map(|solver| run(&engine, Some(solver))).collect::<Option<Vec<_>>>()
    };
    on_the_first_adapter(|adapter| {
        let mistakes = tried(&MISTAKES).iter().chain(tried(&MISTAKES_OF_NETWORKS));
        assert_mistakes_show(&own_device(adapter), mistakes, fingerprints);
    });
}
