//! Tree reuse: the subtree below the moves played becomes the tree, the same one on every engine, with what it knew.

use crate::{
    adapters::each_adapter,
    deep,
    planted::{Mistake, wrong_module},
    positions::Player,
    shape::shape,
    snapshot::{Snapshot, UNWRITTEN, unwrite},
};
use mcts_wgpu::{
    Budget, Config, Engine, Game, Position, Report, Schedule, Search, Variant,
    games::{Connect4, Gomoku},
    gpu::{
        Device,
        forest::{self, Program},
        kernels::Kernels,
        reuse::{Portions, Reuse},
        shaders::{REUSE, REUSE_BLOCK, Widths, reuse_module},
    },
    layout::{ACTION_BITS, BEST_SHIFT, Link, ROOT, Stats, TREE_FULL, join, split},
    reference::{Forest, Shape, reuse::reuse},
};
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

// --- the twin --------------------------------------------------------------------------------------------------

/// A tree of a forest.
struct Tree<'a> {
    size: u32,
    stats: &'a [Stats],
    links: &'a [Link],
}

fn tree_of(forest: &Forest, index: usize) -> Tree<'_> {
    let capacity = forest.shape.capacity as usize;
    let nodes = index * capacity..(index + 1) * capacity;
    Tree { size: forest.trees[index].size, stats: &forest.stats[nodes.clone()], links: &forest.links[nodes] }
}

impl Tree<'_> {
    fn children(&self, node: u32) -> std::ops::Range<u32> {
        let link = self.links[node as usize];
        link.first_child..link.first_child + link.count()
    }

    fn child(&self, node: u32, action: u32) -> Option<u32> {
        self.children(node).find(|&child| self.links[child as usize].action() == action)
    }

    /// Depths of all nodes; every node but the root is the child of exactly one node, which comes before it.
    fn depths(&self) -> Vec<u32> {
        let mut depths = vec![None; self.size as usize];
        depths[ROOT as usize] = Some(0);
        for node in 0..self.size {
            let depth = depths[node as usize].expect("a node has a parent before it");
            for child in self.children(node) {
                assert!(child > node && depths[child as usize].is_none(), "node {child}");
                depths[child as usize] = Some(depth + 1);
            }
        }
        depths.into_iter().flatten().collect()
    }
}

/// The new tree is the old one's subtree below `root`, node by node, and its header says so.
fn assert_subtree(old: &Tree<'_>, root: u32, new: &Forest, index: usize) {
    let (tree, header) = (tree_of(new, index), &new.trees[index]);
    let mut pairs = vec![(root, ROOT)];
    let mut count = 0;
    while let Some((before, after)) = pairs.pop() {
        let (was, is) = (old.links[before as usize], tree.links[after as usize]);
        let stats = tree.stats[after as usize];
        assert_eq!(old.stats[before as usize], stats);
        assert_eq!((was.outcome(), was.count()), (is.outcome(), is.count()));
        assert_eq!(was.info >> BEST_SHIFT, is.info >> BEST_SHIFT);
        assert_eq!(is.action(), if after == ROOT { 0 } else { was.action() });
        pairs.extend(old.children(before).zip(tree.children(after)));
        count += 1;
    }
    let depths = tree.depths();
    assert_eq!((tree.size, depths.len()), (count, count as usize));
    assert_eq!(header.max_depth, depths.iter().copied().max().unwrap_or(0));
    assert_eq!(join(header.depth_sum), depths.iter().map(|&depth| u64::from(depth)).sum::<u64>());
    assert_eq!(header.flags & TREE_FULL, 0);
}

/// Reuses every tree of a host's forest, whose root records are those of the new root.
fn reuse_all(forest: &mut Forest, moves: &[u32]) {
    use rayon::iter::ParallelIterator;
    forest.par_trees().for_each(|mut tree| reuse(&mut tree, moves));
}

/// What reuse has made of the old forest.
fn assert_reused(old: &Forest, new: &Forest, moves: &[u32]) {
    assert_eq!(old.streams, new.streams);
    for index in 0..old.trees.len() {
        let before = tree_of(old, index);
        assert_eq!(old.trees[index].expansion_stream, new.trees[index].expansion_stream);
        match moves.iter().try_fold(ROOT, |node, &action| before.child(node, action)) {
            Some(root) => assert_subtree(&before, root, new, index),
            None => {
                let tree = tree_of(new, index);
                assert_eq!((tree.size, tree.stats[0], tree.links[0].count()), (1, Stats::default(), 0));
            }
        }
    }
}

// --- device and twin -------------------------------------------------------------------------------------------

/// A forest on the device, and the kernels of reuse.
struct OnDevice {
    forest: forest::Forest,
    reuse: Reuse,
}

/// The kernels of reuse, with run-time checks since they may have a mistake, working on portions of some size.
fn planted<G: Game>(
    device: &Device,
    game: &G,
    shape: &Shape,
    mistake: Option<Mistake>,
    portions: Portions,
) -> Reuse {
    let widths = Widths::staged(shape, &game.shader(), device.limits(), false);
    let right = reuse_module(&game.shader(), shape, widths).expect("the shaders are valid");
    let module = match mistake {
        Some(mistake) => wrong_module(&right, mistake),
        None => right,
    };
    Reuse::of(Kernels::compile(device, &module, &REUSE, None).expect("it compiles"), widths, portions)
}

impl OnDevice {
    fn new<G: Game>(device: &Device, game: &G, shape: &Shape) -> Self {
        let program = Program::compile(device, &game.shader(), shape, Schedule::Staged).expect("it compiles");
        let shape = Shape { parts: program.parts(shape.playouts), ..shape.clone() };
        Self {
            forest: forest::Forest::new(&program, shape.clone()).expect("the device has room"),
            reuse: Reuse::compile(device, &game.shader(), &shape).expect("it compiles"),
        }
    }

    fn reuse(&self, before: &Forest, roots: &[u32], moves: &[u32]) -> Forest {
        self.forest.upload(before);
        self.reuse.run(&self.forest, roots, moves).expect("the device goes on");
        self.forest.download().expect("the device goes on")
    }
}

/// Headers, nodes that there are, streams.
fn same(a: &Forest, b: &Forest) -> bool {
    let nodes = |forest: &Forest| {
        let trees = (0..forest.trees.len()).map(|index| {
            let tree = tree_of(forest, index);
            (tree.stats[..tree.size as usize].to_vec(), tree.links[..tree.size as usize].to_vec())
        });
        trees.collect::<Vec<_>>()
    };
    (&a.trees, &a.streams, &a.roots) == (&b.trees, &b.streams, &b.roots) && nodes(a) == nodes(b)
}

/// Plays a game with `steps` between two moves, some of them two plies at a time; device and twin must agree.
fn check_game<G: Game>(
    device: &Device,
    game: &G,
    variant: Variant,
    trees: u32,
    steps: [u32; 4],
    capacity: u32,
) {
    let base = shape(game, variant, 4);
    let shape = Shape { n_trees: trees, trees_per_position: trees, capacity, ucb_c: 1.0, seed: 3, ..base };
    let on_device = OnDevice::new(device, game, &shape);
    let widths = Widths::staged(&shape, &game.shader(), device.limits(), false);
    let shape = on_device.forest.shape.clone();
    let mut player = Player::new(game, u64::from(trees));
    let end = player.finished();
    let mut position = Position::start(game);
    let mut host = Snapshot::new(game, shape, widths, std::slice::from_ref(&position));
    host.twin("seed");
    host.twin("reset");
    let mut rest = end.moves();
    for (count, steps) in [1, 2, 1, 3].into_iter().zip(steps) {
        host.step(steps);
        let (moves, later) = rest.split_at(count.min(rest.len()));
        rest = later;
        moves.iter().for_each(|&action| position.play(action).expect("the move is legal"));
        let before = host.forest.clone();
        host.place(std::slice::from_ref(&position));
        reuse_all(&mut host.forest, moves);
        assert_reused(&before, &host.forest, moves);
        let got = on_device.reuse(&before, &host.forest.roots, moves);
        assert!(same(&host.forest, &got), "{} {} {moves:?} after {steps}", game.name(), variant.name());
        if let Some(spoilt) = spoilt(&before, moves) {
            assert!(!same(&host.forest, &on_device.reuse(&spoilt, &host.forest.roots, moves)));
        }
    }
}

/// One wrong word: n of the node that the moves lead to, in the first tree; none where that has no such node.
fn spoilt(forest: &Forest, moves: &[u32]) -> Option<Forest> {
    let tree = tree_of(forest, 0);
    let root = moves.iter().try_fold(ROOT, |node, &action| tree.child(node, action))?;
    let mut spoilt = forest.clone();
    spoilt.stats[root as usize].n.x ^= 1;
    Some(spoilt)
}

#[test]
fn reuse_does_what_its_twin_does() {
    each_adapter(|adapter| {
        let device = adapter.open().expect("the adapter opens");
        for variant in [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL] {
            check_game(&device, &Connect4::default(), variant, 3, [700, 300, 1, 40], 6000);
            check_game(
                &device,
                &Connect4::new(4, 4).expect("the board exists"),
                variant,
                40,
                [90, 5, 60, 0],
                200,
            );
        }
        check_game(
            &device,
            &Gomoku::new(6).expect("the board exists"),
            Variant::ACP_THRIFTY,
            2,
            [120, 50, 2, 9],
            4000,
        );
        let floor = adapter.open_with_floor_limits().expect("the adapter opens");
        check_game(&floor, &Gomoku::default(), Variant::OCP_PRODIGAL, 2, [60, 20, 2, 2], 9000);
    });
}

/// Random trees, of which no search would be so quick.
fn random_forest(shape: Shape, sizes: &[u32], seed: u64) -> Forest {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut forest = Forest::new(shape).expect("the host has room");
    unwrite(&mut forest.stats);
    unwrite(&mut forest.links);
    let capacity = forest.shape.capacity as usize;
    for (index, &wanted) in sizes.iter().enumerate() {
        let base = index * capacity;
        let mut leaves = vec![ROOT];
        let mut size = 1;
        forest.links[base] = Link::leaf(0, 0);
        forest.stats[base] =
            Stats { n: split(random.next_u64() >> 30), n_wins: split(random.next_u64() >> 31) };
        while size < wanted {
            let node = leaves.swap_remove(random.next_u32() as usize % leaves.len().min(64));
            let count = (1 + random.next_u32() % 7).min(wanted - size);
            let link = &mut forest.links[base + node as usize];
            (link.first_child, link.info) =
                (size, link.info | count << ACTION_BITS | (random.next_u32() % count) << BEST_SHIFT);
            for ordinal in 0..count {
                let child = base + (size + ordinal) as usize;
                forest.links[child] = Link::leaf(ordinal, 0);
                forest.stats[child] =
                    Stats { n: split(random.next_u64() >> 34), n_wins: split(random.next_u64() >> 35) };
                leaves.push(size + ordinal);
            }
            size += count;
        }
        forest.trees[index].size = size;
        forest.trees[index].flags = TREE_FULL;
        forest.trees[index].expansion_stream.x = UNWRITTEN;
    }
    forest
}

/// Trees so large that they are moved in several slabs, among trees so small that they have none of those blocks.
#[test]
fn large_trees_are_moved_in_slabs() {
    let game = Connect4::default();
    let sizes = [120_000, 3, 70_000, 1, 7 * REUSE_BLOCK];
    let shape = Shape {
        n_trees: sizes.len() as u32,
        trees_per_position: sizes.len() as u32,
        capacity: 120_000,
        ..shape(&game, Variant::ACP_PRODIGAL, 1)
    };
    let before = random_forest(shape.clone(), &sizes, 9);
    each_adapter(|adapter| {
        let device = adapter.open().expect("the adapter opens");
        let on_device = OnDevice::new(&device, &game, &shape);
        for moves in [&[0][..], &[1, 0], &[0, 1, 0, 0, 1, 0]] {
            let mut expected = before.clone();
            reuse_all(&mut expected, moves);
            assert_reused(&before, &expected, moves);
            let got = on_device.reuse(&before, &before.roots, moves);
            assert!(
                same(&expected, &got),
                "{moves:?}: {:?}",
                expected.trees.iter().map(|t| t.size).collect::<Vec<_>>()
            );
        }
    });
}

/// Blocks and marks for a few trees at a time, as trees of millions of nodes would have them.
const SMALL_PORTIONS: [Portions; 3] = [
    Portions { slab_blocks: 9, marked_nodes: 3 * 8 * REUSE_BLOCK as u64 },
    Portions { slab_blocks: 12, marked_nodes: 12 * 8 * REUSE_BLOCK as u64 },
    Portions { slab_blocks: 1, marked_nodes: 1 },
];

/// Trees that end before, at and behind the edges of the slabs that [`SMALL_PORTIONS`] cut them into: of three, one and two
/// blocks each.
fn trees_at_the_edges() -> [u32; 12] {
    let block = REUSE_BLOCK;
    [
        8 * block,
        3 * block,
        3 * block - 1,
        3 * block + 1,
        block,
        2,
        6 * block,
        4 * block,
        1,
        4 * block + 1,
        6 * block - 1,
        8 * block,
    ]
}

const MISTAKES: [Mistake; 4] = [
    (
        "marks of the first group for all",
        "(tree - slab.first_marked) * (slab.spans - 1u)",
        "tree * (slab.spans - 1u)",
    ),
    (
        "a tree that ends at an edge has a block there",
        "block * REUSE_BLOCK >= trees[tree].size",
        "block * REUSE_BLOCK > trees[tree].size",
    ),
    (
        "the slab's first block not left out",
        "kept_before(block.tree, block.index) - kept_before(block.tree, slab.first_block)",
        "kept_before(block.tree, block.index)",
    ),
    (
        "a slab's nodes put where the tree starts",
        "let place = block.tree * params.capacity + before;",
        "let place = block.tree * params.capacity;",
    ),
];

#[test]
fn trees_at_the_edges_of_slabs_and_groups_are_moved_whole() {
    let game = Connect4::default();
    let sizes = trees_at_the_edges();
    let trees = sizes.len() as u32;
    let shape = Shape {
        n_trees: trees,
        trees_per_position: trees,
        capacity: 8 * REUSE_BLOCK,
        ..shape(&game, Variant::ACP_PRODIGAL, 1)
    };
    let before = random_forest(shape.clone(), &sizes, 10);
    let moves = [0];
    let mut expected = before.clone();
    reuse_all(&mut expected, &moves);
    assert_reused(&before, &expected, &moves);
    each_adapter(|adapter| {
        let device = adapter.open().expect("the adapter opens");
        let mut on_device = OnDevice::new(&device, &game, &shape);
        let mut is_same = |mistake, portions| {
            on_device.reuse = planted(&device, &game, &shape, mistake, portions);
            same(&expected, &on_device.reuse(&before, &before.roots, &moves))
        };
        for portions in SMALL_PORTIONS {
            assert!(is_same(None, portions), "{portions:?} on {:?}", adapter.info());
        }
        if adapter.info().index == 0 {
            for mistake in MISTAKES {
                let found = SMALL_PORTIONS.into_iter().any(|portions| !is_same(Some(mistake), portions));
                assert!(found, "not found: {}", mistake.0);
            }
        }
    });
}

/// Trees that need marks for more than a million nodes, which are made for one group after another.
#[test]
fn groups_of_trees_are_moved_one_after_another() {
    let game = Connect4::default();
    let sizes = [99_000; 12];
    let shape = Shape {
        n_trees: 12,
        trees_per_position: 12,
        capacity: 99_000,
        ..shape(&game, Variant::ACP_PRODIGAL, 1)
    };
    let before = random_forest(shape.clone(), &sizes, 11);
    let mut expected = before.clone();
    reuse_all(&mut expected, &[0]);
    each_adapter(|adapter| {
        let device = adapter.open().expect("the adapter opens");
        let on_device = OnDevice::new(&device, &game, &shape);
        assert!(same(&expected, &on_device.reuse(&before, &before.roots, &[0])));
    });
}

/// The new root may lie 280 moves below the old one, and nodes 299 below that.
#[test]
fn deep_trees_are_reused() {
    let game = deep::long_go(2);
    let start = Position::start(&game);
    let capacity = deep::LENGTH * game.max_actions() + 1;
    let shape =
        Shape { n_trees: 3, trees_per_position: 3, capacity, ..shape(&game, Variant::OCP_THRIFTY, 4) };
    let widths = Widths::staged(&shape, &game.shader(), &wgpu::Limits::defaults(), false);
    let mut trees = Snapshot::new(&game, shape.clone(), widths, std::slice::from_ref(&start));
    trees.twin("seed");
    trees.twin("reset");
    // Two trees of one game, and one of another.
    let games = [0, 0, 1].into_iter().enumerate();
    let moves: Vec<_> = games.map(|(tree, seed)| deep::grow(&mut trees.forest, tree, &start, seed)).collect();
    each_adapter(|adapter| {
        let device = adapter.open().expect("the adapter opens");
        let on_device = OnDevice::new(&device, &game, &shape);
        for moves in [&moves[0][..1], &moves[0][..280]] {
            let mut position = start.clone();
            moves.iter().for_each(|&action| position.play(action).expect("the move is legal"));
            let mut host = trees.clone();
            host.place(std::slice::from_ref(&position));
            let before = host.forest.clone();
            reuse_all(&mut host.forest, moves);
            assert_reused(&before, &host.forest, moves);
            assert_eq!(host.forest.trees[0].max_depth, deep::LENGTH - 1 - moves.len() as u32);
            assert!(
                same(&host.forest, &on_device.reuse(&before, &host.forest.roots, moves)),
                "{}",
                moves.len()
            );
        }
    });
}

// --- searches --------------------------------------------------------------------------------------------------

fn config(variant: Variant) -> Config {
    let sizes = Config { trees: 3, playouts: 32, node_limit: Some(4000), ..Config::default() };
    Config { variant, ucb_c: 1.25, seed: 11, reuse: true, ..sizes }
}

fn search(engine: &Engine, config: &Config) -> Search<Connect4> {
    Search::new(engine, Connect4::default(), config.clone()).expect("the search starts")
}

fn run(search: &mut Search<Connect4>, position: &Position<Connect4>, steps: u64) -> Report {
    search.run(position, Budget::steps(steps)).expect("the search runs")
}

/// What does not depend on the engine.
fn found(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    let counts = (report.n_root, report.performance.playouts, report.performance.steps);
    (
        report.best.clone(),
        report.actions.clone(),
        counts,
        report.trees_info.clone(),
        report.fingerprint.clone(),
    )
}

/// A game against a random opponent.
fn game_of(engine: &Engine, config: &Config) -> Vec<Report> {
    let game = Connect4::default();
    let mut search = search(engine, config);
    let mut random = Pcg64::seed_from_u64(5);
    let (mut position, mut reports) = (Position::start(&game), Vec::new());
    while position.outcome().is_none() && reports.len() < 7 {
        let report = run(&mut search, &position, 60);
        let best = report.best.clone().expect("there is a move");
        reports.push(report);
        position.play(best.index).expect("the move is legal");
        let answers = position.legal_actions();
        if !answers.is_empty() {
            let answer = answers[random.next_u32() as usize % answers.len()];
            position.play(answer).expect("the move is legal");
        }
    }
    reports
}

#[test]
fn games_with_reuse_are_the_same_on_every_engine() {
    let variants = [Variant::OCP_PRODIGAL, Variant::ACP_THRIFTY];
    let expected = variants.map(|variant| game_of(&Engine::cpu(), &config(variant)));
    for reports in &expected {
        assert!(reports.len() > 3 && reports[0].trees_info.reused_nodes == 0);
        assert!(reports[1..].iter().any(|report| report.trees_info.reused_playouts > 100));
    }
    each_adapter(|adapter| {
        let open = || adapter.open().expect("the adapter opens");
        for (devices, schedule) in [(1, Schedule::Staged), (1, Schedule::Fused), (2, Schedule::Staged)] {
            let engine = Engine::devices_of((0..devices).map(|_| open()).collect());
            for (variant, expected) in variants.into_iter().zip(&expected) {
                let got = game_of(&engine, &Config { schedule, ..config(variant) });
                let what =
                    format!("{devices} x {}, {} {}", adapter.info().name, variant.name(), schedule.name());
                assert_eq!(got.len(), expected.len(), "{what}");
                for (got, expected) in got.iter().zip(expected) {
                    assert_eq!(found(got), found(expected), "{what}");
                }
            }
        }
    });
}

#[test]
fn a_reused_tree_goes_on_where_it_stopped() {
    let mut search = search(&Engine::cpu(), &config(Variant::ACP_PRODIGAL));
    let mut position = Position::start(&Connect4::default());
    let first = run(&mut search, &position, 100);
    position.play(3).expect("the move is legal");
    let second = run(&mut search, &position, 1);
    let reused = second.trees_info.reused_playouts;
    assert_eq!(reused, first.actions[3].n);
    assert_eq!(second.n_root, reused + second.performance.playouts);
    assert!(second.performance.playouts <= 3 * 7 * 32);
    let sizes: u32 = second.trees_info.sizes.iter().sum();
    assert!(u64::from(sizes) >= second.trees_info.reused_nodes);

    // The same position once more: nothing is lost.
    let third = run(&mut search, &position, 1);
    assert_eq!(third.trees_info.reused_playouts, second.n_root);
}

#[test]
fn only_a_game_that_goes_on_is_reused() {
    let game = Connect4::default();
    let after = |moves: &[&str]| Position::from_moves(&game, moves).expect("the moves are legal");
    let reused = |config: &Config, before: &Position<Connect4>, next: &Position<Connect4>| {
        let mut search = search(&Engine::cpu(), config);
        run(&mut search, before, 80);
        run(&mut search, next, 1).trees_info.reused_nodes
    };
    let on = config(Variant::ACP_PRODIGAL);
    let (start, one, two) = (after(&[]), after(&["3"]), after(&["3", "3"]));
    assert!(reused(&on, &start, &one) > 0 && reused(&on, &start, &two) > 0 && reused(&on, &one, &two) > 0);
    assert_eq!(reused(&on, &one, &start), 0, "a move was taken back");
    assert_eq!(reused(&on, &one, &after(&["2", "3"])), 0, "another game");
    assert_eq!(reused(&Config { reuse: false, ..on.clone() }, &start, &one), 0);

    let mut search = search(&Engine::cpu(), &on);
    run(&mut search, &start, 80);
    search.run_batch(&[one.clone(), two.clone()], Budget::steps(5)).expect("the search runs");
    assert_eq!(run(&mut search, &one, 1).trees_info.reused_nodes, 0, "a batch came between");
}

#[test]
fn reuse_frees_the_rest_of_a_full_tree() {
    let on = Config { node_limit: Some(300), ..config(Variant::ACP_PRODIGAL) };
    let mut search = search(&Engine::cpu(), &on);
    let mut position = Position::start(&Connect4::default());
    let before = run(&mut search, &position, 200);
    assert!(before.trees_info.full);
    let best = before.best.as_ref().expect("there is a move").index;
    position.play(best).expect("the move is legal");
    let after = run(&mut search, &position, 2);
    assert!(!after.trees_info.full && after.trees_info.reused_nodes > 0);
    assert!(after.trees_info.max_size < before.trees_info.max_size);
}

#[test]
fn without_reuse_nothing_changes() {
    let game = Connect4::default();
    let off = Config { reuse: false, ..config(Variant::OCP_THRIFTY) };
    let next = Position::from_moves(&game, &["3"]).expect("the move is legal");
    let alone = |config: &Config| {
        let mut search = search(&Engine::cpu(), config);
        run(&mut search, &Position::start(&game), 50);
        run(&mut search, &next, 50)
    };
    let (off, on) = (alone(&off), alone(&Config { reuse: true, ..off.clone() }));
    assert_eq!((off.n_root, off.trees_info.reused_playouts), (off.performance.playouts, 0));
    assert_ne!(off.fingerprint, on.fingerprint);
    assert!(on.n_root > off.n_root);
}
