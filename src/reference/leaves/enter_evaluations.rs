//! Twin of `shaders/search/net/enter_evaluations.wgsl`: enters what the network has found of each leaf.

use super::super::TreeView;
use crate::{
    exact::{
        puct::ONE,
        softmax::{points, prior, weight},
    },
    forest::{
        DrawValue, Shape,
        layout::{TREE_FOLLOWS, Tree},
    },
    reference::expand_1::player,
    rules::Outcome,
};
use glam::UVec2;

/// Gives the new children of each leaf their priors, its node the network's value, and notes the points that its backup
/// hands up: those of the outcome, where the leaf's game is over (specification, "Networks").
pub fn enter_evaluations(shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let mut leaf = view.leaf(place);
        if leaf.tree.path_length > 0 && leaf.tree.flags & TREE_FOLLOWS == 0 {
            enter_priors(&mut leaf);
            let [own, other] = points_of(shape, &mut leaf);
            leaf.tallies[0] =
                if leaf.tree.selected_turn() == 0 { UVec2::new(own, other) } else { UVec2::new(other, own) };
        }
    }
}

fn enter_priors(leaf: &mut TreeView<'_>) {
    let Tree { first_child, expanded, .. } = *leaf.tree;
    let children = first_child as usize..(first_child + expanded) as usize;
    let logit = |child: usize| leaf.outputs[leaf.links[child].action() as usize];
    let greatest = children.clone().map(logit).max().unwrap_or(0);
    let weight_of = |child: usize| weight(greatest.abs_diff(logit(child)));
    let total: u32 = children.clone().map(weight_of).sum();
    let priors: Vec<_> = children.clone().map(|child| prior(weight_of(child), total)).collect();
    children.zip(priors).for_each(|(child, prior)| leaf.stats[child].give_prior(prior));
}

/// The points of the player to move at the leaf and of the opponent.
fn points_of(shape: &Shape, leaf: &mut TreeView<'_>) -> [u32; 2] {
    let draws_count = shape.config.draw_value == DrawValue::Half;
    let selected = leaf.tree.selected as usize;
    match Outcome::from_code(leaf.links[selected].outcome()) {
        Some(Outcome::Draw) => [if draws_count { ONE / 2 } else { 0 }; 2],
        Some(outcome) if outcome == player(leaf.tree.selected_turn()).wins() => [ONE, 0],
        Some(_) => [0, ONE],
        None => {
            let outputs = &leaf.outputs[shape.max_actions as usize..];
            let points = points([outputs[0], outputs[1], outputs[2]], draws_count);
            leaf.stats[selected].give_value(points[0].min(ONE - 1));
            points
        }
    }
}
