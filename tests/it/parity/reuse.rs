//! Tree reuse: the subtree below the moves played becomes the tree, the same one on every engine, with its statistics.

use super::{planted::wrong_module, *};
use mcts_wgpu::internals::{
    forest::layout::join,
    gpu::{
        forest,
        reuse::Reuse,
        shaders::{REUSE, reuse_module},
    },
    reference::reuse::reuse,
};

pub(super) struct Tree<'a> {
    pub(super) size: u32,
    pub(super) stats: &'a [Stats],
    pub(super) links: &'a [Link],
}

pub(super) fn tree_of(forest: &Forest, index: usize) -> Tree<'_> {
    let capacity = forest.shape.capacity as usize;
    let nodes = index * capacity..(index + 1) * capacity;
    Tree { size: forest.trees[index].size, stats: &forest.stats[nodes.clone()], links: &forest.links[nodes] }
}

impl Tree<'_> {
    pub(super) fn children(&self, node: u32) -> std::ops::Range<u32> {
        let link = self.links[node as usize];
        link.first_child..link.first_child + link.count()
    }

    pub(super) fn child(&self, node: u32, action: u32) -> Option<u32> {
        self.children(node).find(|&child| self.links[child as usize].action() == action)
    }

    /// Depths of all nodes; every node but the root is the child of exactly one node, which comes before it.
    pub(super) fn depths(&self) -> Vec<u32> {
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

/// The new tree is the old one's subtree below `root`, node by node, and its header agrees.
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

/// Reuses every tree of a host's forest; the root records are those of the new root.
pub(super) fn reuse_all(forest: &mut Forest, moves: &[u32]) {
    forest.for_each_tree(|mut tree| reuse(&mut tree, moves));
}

pub(super) fn assert_reused(old: &Forest, new: &Forest, moves: &[u32]) {
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

/// A forest on the device, and the kernels of reuse.
pub(super) struct ReuseRig {
    pub(super) forest: forest::Forest,
    pub(super) reuse: Reuse,
}

/// The kernels of reuse, with run-time checks as they may have a mistake, for portions of some size.
pub(super) fn planted<G: Game>(
    device: &Device,
    game: &G,
    shape: &Shape,
    mistake: Option<Mistake>,
    portions: Portions,
) -> Reuse {
    let (lanes, right) = reuse_module(&game.shader(), shape, device.limits()).expect("the shaders are valid");
    let module = match mistake {
        Some(mistake) => wrong_module(&right, mistake),
        None => right,
    };
    Reuse::of(block_on(Kernels::compile(device, &module, &REUSE)).expect("it compiles"), lanes, portions)
}

impl ReuseRig {
    pub(super) fn new<G: Game>(device: &Device, game: &G, shape: &Shape) -> Self {
        let program =
            block_on(Program::compile(device, &game.shader(), shape, Schedule::Staged)).expect("it compiles");
        let shape = Shape { parts: program.parts(shape.config.playouts), ..shape.clone() };
        Self {
            forest: block_on(forest::Forest::new(&program, shape.clone())).expect("the device has room"),
            reuse: block_on(Reuse::compile(device, &game.shader(), &shape)).expect("it compiles"),
        }
    }

    pub(super) fn reuse(&self, before: &Forest, roots: &[u32], moves: &[u32]) -> Forest {
        upload(&self.forest, before);
        block_on(self.reuse.run(&self.forest, roots, moves)).expect("the device goes on");
        download(&self.forest)
    }
}

/// Headers, nodes that there are, streams.
pub(super) fn same(a: &Forest, b: &Forest) -> bool {
    let nodes = |forest: &Forest| {
        let trees = (0..forest.trees.len()).map(|index| {
            let tree = tree_of(forest, index);
            (tree.stats[..tree.size as usize].to_vec(), tree.links[..tree.size as usize].to_vec())
        });
        trees.collect::<Vec<_>>()
    };
    (&a.trees, &a.streams, &a.roots) == (&b.trees, &b.streams, &b.roots) && nodes(a) == nodes(b)
}

/// Plays a game with `steps` between moves, sometimes two plies at a time; device and twin must agree.
fn check_game<G: Game>(
    device: &Device,
    game: &G,
    variant: Variant,
    trees: u32,
    steps: [u32; 4],
    capacity: u32,
) {
    let base = shape(game, variant, 4);
    let shape = Shape {
        config: Config { ucb_c: 1.0, seed: 3, ..base.config },
        n_trees: trees,
        trees_per_position: trees,
        capacity,
        ..base
    };
    let on_device = ReuseRig::new(device, game, &shape);
    let (widths, _) = staged_module(&game.shader(), &shape, device.machine()).expect("valid shaders");
    let shape = on_device.forest.shape.clone();
    let mut player = RandomGames::new(game, u64::from(trees));
    let end = player.finished();
    let mut position = Position::start(game);
    let mut host = Snapshot::begun(game, shape, widths, std::slice::from_ref(&position));
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

/// One wrong word: n of the node that the moves lead to, in the first tree; `None` if there is no such node.
fn spoilt(forest: &Forest, moves: &[u32]) -> Option<Forest> {
    let tree = tree_of(forest, 0);
    let root = moves.iter().try_fold(ROOT, |node, &action| tree.child(node, action))?;
    let mut spoilt = forest.clone();
    spoilt.stats[root as usize].n.x ^= 1;
    Some(spoilt)
}

#[test]
fn reuse_equals_its_twin() {
    each_adapter(|adapter| {
        let device = device(adapter);
        for variant in [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL] {
            check_game(&device, &Connect4::default(), variant, 3, [700, 300, 1, 40], 6000);
            check_game(&device, &connect4_of(4, 4), variant, 40, [90, 5, 60, 0], 200);
        }
        check_game(&device, &gomoku_of(6), Variant::ACP_THRIFTY, 2, [120, 50, 2, 9], 4000);
        let device = adapter.open_with_default_limits().expect("the adapter opens");
        check_game(&device, &Gomoku::default(), Variant::OCP_PRODIGAL, 2, [60, 20, 2, 2], 9000);
    });
}
