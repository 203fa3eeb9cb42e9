//! Tree reuse on trees of all sizes around those of slabs, groups and portions.

use super::{deep, reuse::*, *};
use mcts_wgpu::internals::gpu::shaders::REUSE_BLOCK;

/// Random trees: a search would take longer.
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

/// Trees so large that they are moved in several slabs, among trees so small that they have no blocks in most of them.
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
        let device = device(adapter);
        let on_device = ReuseRig::new(&device, &game, &shape);
        for moves in [&[0][..], &[1, 0], &[0, 1, 0, 0, 1, 0]] {
            let mut expected = before.clone();
            reuse_all(&mut expected, moves);
            assert_reused(&before, &expected, moves);
            let got = on_device.reuse(&before, &before.roots, moves);
            let sizes: Vec<_> = expected.trees.iter().map(|tree| tree.size).collect();
            assert!(same(&expected, &got), "{moves:?}: {sizes:?}");
        }
    });
}

/// Blocks and marks for a few trees at a time, as trees of millions of nodes would have them.
const SMALL_PORTIONS: [Portions; 3] = [
    Portions { slab_blocks: 9, marked_nodes: 3 * 8 * REUSE_BLOCK as u64 },
    Portions { slab_blocks: 12, marked_nodes: 12 * 8 * REUSE_BLOCK as u64 },
    Portions { slab_blocks: 1, marked_nodes: 1 },
];

/// Trees that end before, at and behind the edges of the slabs that [`SMALL_PORTIONS`] cut them into: of three, one and
/// two blocks each.
fn trees_at_the_edges() -> [u32; 12] {
    let more =
        [(8, 0), (3, 0), (3, -1), (3, 1), (1, 0), (0, 2), (6, 0), (4, 0), (0, 1), (4, 1), (6, -1), (8, 0)];
    more.map(|(blocks, nodes)| (blocks * REUSE_BLOCK).saturating_add_signed(nodes))
}

const MISTAKES: [Mistake; 4] = [
    ("marks of the first group for all", "«(tree - slab.first_marked) ⇒ tree» * (slab.spans - 1u)"),
    ("a tree that ends at an edge has a block there", "block * REUSE_BLOCK «>= ⇒ >» trees[tree].size"),
    (
        "the first block not left out",
        "kept_before(block.tree, block.index)« - kept_before(block.tree, slab.first_block) ⇒ »",
    ),
    ("a slab's nodes put where the tree starts", "let place = block.tree * params.capacity« + before ⇒ »;"),
];

#[test]
fn trees_at_the_edges_of_slabs_and_groups_are_moved_whole_and_mistakes_show() {
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
        let device = device(adapter);
        let mut on_device = ReuseRig::new(&device, &game, &shape);
        let mut is_same = |mistake, portions| {
            on_device.reuse = planted(&device, &game, &shape, mistake, portions);
            same(&expected, &on_device.reuse(&before, &before.roots, &moves))
        };
        for portions in SMALL_PORTIONS {
            assert!(is_same(None, portions), "{portions:?} on {:?}", adapter.info());
        }
        if adapter.info().index == 0 {
            for &mistake in tried(&MISTAKES) {
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
        let device = device(adapter);
        let on_device = ReuseRig::new(&device, &game, &shape);
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
    let limits = wgpu::Limits::defaults();
    let machine = Machine { limits: &limits, software: false, subgroup: 0, matrices: false };
    let (widths, _) = staged_module(&game.shader(), &shape, machine).expect("valid shaders");
    let mut trees = Snapshot::begun(&game, shape.clone(), widths, std::slice::from_ref(&start));
    // Two trees of one game, and one of another.
    let games = [0, 0, 1].into_iter().enumerate();
    let moves: Vec<_> = games.map(|(tree, seed)| deep::grow(&mut trees.forest, tree, &start, seed)).collect();
    each_adapter(|adapter| {
        let device = device(adapter);
        let on_device = ReuseRig::new(&device, &game, &shape);
        for moves in [&moves[0][..1], &moves[0][..280]] {
            let mut position = start.clone();
            moves.iter().for_each(|&action| position.play(action).expect("the move is legal"));
            let mut host = trees.clone();
            host.place(std::slice::from_ref(&position));
            let before = host.forest.clone();
            reuse_all(&mut host.forest, moves);
            assert_reused(&before, &host.forest, moves);
            assert_eq!(host.forest.trees[0].max_depth, deep::LENGTH - 1 - moves.len() as u32);
            let got = on_device.reuse(&before, &host.forest.roots, moves);
            assert!(same(&host.forest, &got), "{}", moves.len());
        }
    });
}
