//! Twin of `shaders/search/net/enter_evaluations.wgsl`: writes the network's evaluation of each leaf to the tree.

use super::super::TreeView;
use crate::{
    exact::{
        halving,
        puct::ONE,
        root_noise::{self, mixture, noise_less, share},
        softmax::{points, prior, weight},
    },
    forest::{
        DrawValue, Shape,
        layout::{Link, ROOT, TREE_FOLLOWS, Tree},
    },
    reference::expand_1::player,
    rules::Outcome,
};
use glam::UVec2;

/// Writes the priors of each leaf's new children and the network's value of its node, and notes the points of its
/// backup: those of the outcome, where the leaf's game is over (specification, "Networks").
pub fn enter_evaluations(shape: &Shape, view: &mut TreeView<'_>) {
    for place in 0..view.leaves.len() {
        let mut leaf = view.leaf(place);
        if leaf.tree.path_length > 0 && leaf.tree.flags & TREE_FOLLOWS == 0 {
            enter_priors(shape, &mut leaf);
            let [own, other] = points_of(shape, &mut leaf);
            leaf.tallies[0] =
                if leaf.tree.selected_turn() == 0 { UVec2::new(own, other) } else { UVec2::new(other, own) };
            if leaf.tree.selected == ROOT && leaf.tree.expanded > 0 && has_noise(shape) {
                // The report needs it.
                view.tree.expansion_stream = view.leaves[place].expansion_stream;
            }
        }
    }
}

fn has_noise(shape: &Shape) -> bool {
    shape.config.gumbel > 0 || shape.config.root_noise > 0.0
}

fn enter_priors(shape: &Shape, leaf: &mut TreeView<'_>) {
    let Tree { first_child, expanded, selected, .. } = *leaf.tree;
    let children = first_child as usize..(first_child + expanded) as usize;
    let logit = |child: usize| leaf.outputs[leaf.links[child].action() as usize];
    let greatest = children.clone().map(logit).max().unwrap_or(0);
    let weight_of = |child: usize| weight(greatest.abs_diff(logit(child)));
    let total: u32 = children.clone().map(weight_of).sum();
    let mut priors: Vec<_> = children.clone().map(|child| prior(weight_of(child), total)).collect();
    if selected == ROOT && expanded > 0 && has_noise(shape) {
        let deficits: Vec<_> = children.clone().map(|child| greatest.abs_diff(logit(child))).collect();
        let key = root_noise::key(leaf.tree.expansion_stream);
        explore(shape, key, &leaf.links[children.clone()], &deficits, &mut priors);
        let considered = shape.config.gumbel.min(expanded);
        leaf.stats[ROOT as usize].consider(considered);
    }
    children.zip(priors).for_each(|(child, prior)| leaf.stats[child].give_prior(prior));
}

/// Mixes noise into the priors of the root's children, whose logits are less than the greatest by `deficits`; or
/// replaces the priors by the words of sequential halving (specification, "Exploration at the root").
fn explore(shape: &Shape, key: u32, links: &[Link], deficits: &[u32], priors: &mut [u32]) {
    if shape.config.gumbel == 0 {
        return mix_noise(shape, key, links, priors);
    }
    let children = links.iter().zip(deficits).zip(priors);
    children.for_each(|((link, &less), prior)| *prior = halving::noted(key, link.action(), less));
}

/// Mixes noise into the priors of a root's children.
pub(in crate::reference) fn mix_noise(shape: &Shape, key: u32, links: &[Link], priors: &mut [u32]) {
    let count = links.len() as u32;
    let noise = || links.iter().map(|link| noise_less(key, link.action(), count));
    let least = noise().min().unwrap_or(0);
    let total = noise().map(|less| weight(less - least)).sum();
    let share = share(shape.config.root_noise);
    for (own, less) in priors.iter_mut().zip(noise()) {
        *own = mixture(*own, prior(weight(less - least), total), share).max(1);
    }
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
            with_playout(shape, leaf, points)
        }
    }
}

/// The points of the player to move and of the opponent, with those of the leaf's playout.
fn with_playout(shape: &Shape, leaf: &TreeView<'_>, [own, other]: [u32; 2]) -> [u32; 2] {
    let weight = share(shape.config.playout_weight);
    if weight == 0 {
        return [own, other];
    }
    let played = leaf.tallies[0] * (ONE / shape.config.draw_value.win_points());
    let (of_own, of_other) =
        if leaf.tree.selected_turn() == 0 { (played.x, played.y) } else { (played.y, played.x) };
    [mixture(own, of_own, weight), mixture(other, of_other, weight)]
}
