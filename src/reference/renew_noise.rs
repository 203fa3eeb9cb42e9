//! Noise at the roots of reused trees, on every engine by the host.

use super::{Forest, TreeView, choose::choose_at, leaves::enter_evaluations::mix_noise};
use crate::{
    exact::root_noise,
    forest::{Shape, layout::ROOT},
};

/// Mixes noise into the priors of each root's children, which were evaluated before their parent became a root
/// (specification, "Exploration at the root"). Does nothing in searches without noise.
pub fn renew_noise(forest: &mut Forest) {
    let shape = forest.shape.clone();
    if shape.config.root_noise > 0.0 {
        forest.for_each_tree(|mut tree| renew(&shape, &mut tree));
    }
}

fn renew(shape: &Shape, view: &mut TreeView<'_>) {
    let root = view.links[ROOT as usize];
    let Some(leaf) = view.leaves.first().filter(|_| root.count() > 0) else { return };
    let children = root.first_child as usize..(root.first_child + root.count()) as usize;
    let mut priors: Vec<_> =
        view.stats[children.clone()].iter().map(|child| child.prior_and_value().0).collect();
    let key = root_noise::key(leaf.expansion_stream);
    mix_noise(shape, key, &view.links[children.clone()], &mut priors);
    view.stats[children].iter_mut().zip(priors).for_each(|(child, prior)| child.replace_prior(prior));
    choose_at(shape, view, ROOT as usize);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Config,
        exact::root_noise::noise_less,
        forest::root::root_record,
        games::Connect4,
        reference::{restrict::tests::evaluated_trees, reuse::reuse},
        rules::Position,
    };

    /// A tree that a move has been played in, before and after its root gets noise.
    fn after_a_move(root_noise: f32) -> [Forest; 2] {
        let sizes = Config { trees: 2, playouts: 1, leaf_batch: 3, ..Config::paper() };
        let mut forest = evaluated_trees(Config { root_noise, ..sizes }, 40);
        let mut after = Position::start(&Connect4::default());
        after.play(3).expect("it is legal");
        forest.roots = root_record(&after).repeat(2);
        forest.for_each_tree(|mut tree| reuse(&mut tree, &[3]));
        let before = forest.clone();
        renew_noise(&mut forest);
        [before, forest]
    }

    fn priors(forest: &Forest, tree: usize) -> Vec<f64> {
        let first = tree * forest.shape.capacity as usize;
        let children = first + 1..first + 1 + forest.links[first].count() as usize;
        forest.stats[children].iter().map(|child| f64::from(child.prior_and_value().0)).collect()
    }

    #[test]
    fn roots_of_reused_trees_get_their_share_of_noise() {
        let [before, after] = after_a_move(0.0);
        assert!(before == after);
        let [before, after] = after_a_move(0.25);
        for tree in [0, 1] {
            let key = root_noise::key(before.leaf_headers()[3 * tree].expansion_stream);
            let noise: Vec<_> =
                (0..7).map(|action| (-f64::from(noise_less(key, action, 7)) / 256.0).exp2()).collect();
            let sum: f64 = noise.iter().sum();
            let (old, new) = (priors(&before, tree), priors(&after, tree));
            assert_eq!(new.len(), 7);
            for ((old, new), noise) in old.iter().zip(&new).zip(&noise) {
                let expected = 0.75 * old + 0.25 * 65536.0 * noise / sum;
                assert!((new - expected).abs() < 70.0, "{new} for {expected}");
            }
        }
        assert_ne!(priors(&after, 0), priors(&after, 1));
    }

    #[test]
    fn the_root_chooses_anew_and_all_else_stays() {
        let [before, mut after] = after_a_move(1.0);
        let mut has_changed = false;
        for first in [0, 900] {
            has_changed |= before.links[first].best_child() != after.links[first].best_child();
            after.links[first] = before.links[first];
            for child in first + 1..=first + 7 {
                assert_eq!(before.stats[child].bare(), after.stats[child].bare());
                let (_, value) = before.stats[child].prior_and_value();
                assert_eq!(after.stats[child].prior_and_value().1, value);
                after.stats[child] = before.stats[child];
            }
        }
        assert!(has_changed && before == after);
    }
}
