//! Withdraws children of the roots, on every engine by the host: the trees of a search that considers some actions
//! only.

use super::{Forest, TreeView, choose::choose_at, prove::prove_node};
use crate::{
    exact::puct::ONE,
    forest::{
        Shape,
        layout::{ACTION_BITS, LEFT_OUT, Link, PLIES_SHIFT, ROOT, TREE_PROVEN, join, split},
    },
};

/// Restricts the root of each tree to the actions of its position, `None` for all of them, after the first step.
pub fn restrict_roots(forest: &mut Forest, trees_per_position: u32, only: &[Option<&[u32]>]) {
    let (shape, first) = (forest.shape.clone(), forest.shape.first_tree);
    forest.for_each_tree(|mut tree| {
        if let Some(only) = only[((first + tree.index) / trees_per_position) as usize] {
            restrict(&shape, &mut tree, only);
        }
    });
}

/// Withdraws all other children of the root, whose children are leaves (specification, "Restricted roots").
fn restrict(shape: &Shape, view: &mut TreeView<'_>, only: &[u32]) {
    let root = ROOT as usize;
    let (first, before) = (view.links[root].first_child, view.links[root].count());
    let mut end = first as usize;
    for child in first as usize..(first + before) as usize {
        if only.contains(&view.links[child].action()) {
            (view.links[end], view.stats[end]) = (view.links[child], view.stats[child]);
            end += 1;
        }
    }
    let count = end as u32 - first;
    if count == before {
        return;
    }
    view.tree.size -= before - count;
    view.tree.depth_sum = split(join(view.tree.depth_sum) - u64::from(before - count));
    view.tree.flags &= !TREE_PROVEN;
    view.links[root] = Link { first_child: first, info: count << ACTION_BITS | LEFT_OUT };
    // These bits have marks of proofs, and the number of children that a search by Gumbel considers.
    view.stats[root].n.y &= (1 << PLIES_SHIFT) - 1;
    view.stats[root].consider(shape.config.gumbel.min(count));
    if shape.evaluation.is_some() && shape.config.gumbel == 0 {
        share_priors(view, first as usize..end);
    }
    decide(shape, view);
}

/// Scales the priors of the children that are left to a sum of 1.
fn share_priors(view: &mut TreeView<'_>, children: std::ops::Range<usize>) {
    let total: u32 = view.stats[children.clone()].iter().map(|child| child.prior_and_value().0).sum();
    for child in &mut view.stats[children] {
        let prior = u64::from(child.prior_and_value().0) * u64::from(ONE) / u64::from(total.max(1));
        child.replace_prior((prior as u32).clamp(1, ONE - 1));
    }
}

/// Proves the root by the children that are left, or chooses the best of them.
fn decide(shape: &Shape, view: &mut TreeView<'_>) {
    let root = ROOT as usize;
    view.path[0] = ROOT;
    if shape.config.solver {
        prove_node(view, 0);
    }
    if view.stats[root].is_proven() {
        view.tree.flags |= TREE_PROVEN;
    }
    choose_at(shape, view, root);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        Config, Network,
        forest::root::root_record,
        games::Connect4,
        net::{LeafEvaluation, NetKernel, Sizes, Trunk},
        reference::{reset::reset, seed::seed, step},
        rules::Position,
        search::shape_of,
    };
    use std::sync::Arc;

    /// Trees of Connect 4 after so many steps from the start, in a search with a network and these settings.
    pub fn evaluated_trees(config: Config, steps: u32) -> Forest {
        let game = Connect4::default();
        let sizes = Sizes::of_game(&game, Trunk::Dense, 0, 16).expect("it has planes");
        let net = Arc::new(Network::random(sizes, 1).expect("the sizes are small"));
        let evaluation = Some(LeafEvaluation::Network(net, NetKernel::Auto));
        let shape = Shape { capacity: 900, n_trees: config.trees, evaluation, ..shape_of(&game, &config) };
        let mut forest = Forest::new(shape.clone()).expect("there is room");
        seed(&mut forest);
        forest.roots = root_record(&Position::start(&game)).repeat(config.trees as usize);
        forest.for_each_tree(|mut tree| {
            reset(&mut tree);
            (0..steps).for_each(|_| step(&game, &shape, &mut tree));
        });
        forest
    }

    #[test]
    fn the_root_keeps_these_children_alone() {
        for gumbel in [0, 16] {
            let sizes = Config { trees: 1, playouts: 1, leaf_batch: 2, ..Config::paper() };
            let mut forest = evaluated_trees(Config { gumbel, gumbel_visits: 20, ..sizes }, 1);
            let before = forest.clone();
            restrict_roots(&mut forest, 1, &[None]);
            assert!(forest == before && before.headers()[0].size == 8);
            restrict_roots(&mut forest, 1, &[Some(&[2, 3, 6])]);
            let (tree, root) = (&forest.headers()[0], forest.links[0]);
            assert_eq!((tree.size, join(tree.depth_sum), tree.max_depth), (4, 3, 1));
            assert_eq!((root.first_child, root.count(), root.info & LEFT_OUT), (1, 3, LEFT_OUT));
            let actions: Vec<_> = forest.links[1..4].iter().map(|link| link.action()).collect();
            assert_eq!((actions, forest.stats[0].considered()), (vec![2, 3, 6], gumbel.min(3)));
            let noted = |forest: &Forest, child: usize| forest.stats[child].prior_and_value().0;
            let (old, new) =
                ([3, 4, 7].map(|child| noted(&before, child)), [1, 2, 3].map(|c| noted(&forest, c)));
            if gumbel > 0 {
                assert_eq!(old, new);
            } else {
                assert!(
                    new.iter().sum::<u32>().abs_diff(ONE) <= 3
                        && new.iter().zip(old).all(|(&new, old)| new > old)
                );
            }
            let best = (0..3).max_by_key(|&place| new[place]).expect("there are some") as u32;
            assert_eq!(root.best_child(), 1 + best);
            assert_eq!(forest.stats[0].bare().counts(), before.stats[0].bare().counts());
        }
    }
}
