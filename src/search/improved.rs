//! The best action and the improved policy of a root that distributes its visits by sequential halving.

use super::report::Outcomes;
use crate::{
    exact::{
        halving::{self, Child},
        puct::ONE,
        root_noise,
    },
    forest::{layout::NO_ACTION, shape::Shape},
};

/// The prior and the improved policy of each action of the root, in units of 1/65536; `None` in other searches.
pub(super) fn policies(shape: &Shape, found: &Outcomes) -> Option<Vec<(u32, u32)>> {
    let tree = found.trees.first().filter(|_| shape.config.gumbel > 0)?;
    let children: Vec<_> = children(found).map(|(_, child)| child).collect();
    let (visits, n_wins) = found.sums.last()?.stats.counts();
    // The root has the points of the player who moved into it: the remaining visits are those of its own evaluation.
    let of_mover = (visits * u64::from(ONE)).saturating_sub(n_wins);
    let of_children: u64 = children.iter().map(|child| child.n_wins).sum();
    let value = of_mover.saturating_sub(of_children).min(ONE.into()) as u32;
    let (priors, improved) = halving::policies(root_noise::key(tree.expansion_stream), &children, value);
    Some(priors.into_iter().zip(improved).collect())
}

/// The ordinal of the best action. Proven actions and certain draws are ranked as in other searches.
pub(super) fn best(shape: &Shape, found: &Outcomes) -> u32 {
    let best = found.sums.get(found.best as usize).filter(|best| shape.config.gumbel > 0 && best.proof == 0);
    let Some(best) = best.filter(|_| found.best != NO_ACTION) else { return found.best };
    let alike = children(found).filter(|&(ordinal, _)| {
        let sum = &found.sums[ordinal];
        sum.proof == 0 && sum.half_proofs == best.half_proofs
    });
    let (ordinals, children): (Vec<_>, Vec<_>) = alike.unzip();
    halving::best(&children).map_or(found.best, |place| ordinals[place] as u32)
}

fn children(found: &Outcomes) -> impl Iterator<Item = (usize, Child)> {
    let count = found.sums.len().saturating_sub(1);
    found.sums[..count].iter().enumerate().filter(|(_, sum)| sum.present > 0).map(|(ordinal, sum)| {
        let (visits, n_wins) = sum.stats.counts();
        (ordinal, Child { action: sum.link().action(), visits, n_wins, noted: sum.present - 1 })
    })
}
