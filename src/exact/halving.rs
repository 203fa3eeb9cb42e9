//! Sequential halving among the children of the root, in whole numbers: the twin of `shaders/lib/halving.wgsl`
//! (Danihelka et al. 2022, "Policy improvement by planning with Gumbel"; specification, "Exploration at the root").
//!
//! The root considers the m children of the greatest sums of logit and Gumbel variable, gives all of them equal visits,
//! then the better half of them, and so on. A child is better by that sum and by its value.

use super::{puct::ONE, root_noise::gumbel, softmax};

/// The offset of sums of logit and Gumbel variable.
const LEVEL: i32 = 8192;
/// 256 / ln 2: a nat in the unit of logits.
const NAT: u64 = 369;
/// c_visit of the paper.
const LEAST_VISITS: u64 = 50;
/// The size of a class of scores: scores of children with the same distance to the schedule differ by less.
const CLASS: u32 = 1 << 22;

/// The word of a child of the root, in the place of a prior: the sum of its Gumbel variable and of its logit, given as
/// the difference `less` to the greatest logit.
pub fn noted(key: u32, action: u32, less: u32) -> u32 {
    (LEVEL + gumbel(key, action) - less.min(0xffff) as i32).clamp(1, 0xffff) as u32
}

/// The difference of a child's logit to the greatest, from its [`noted`] word: never below 0, and wrong where [`noted`]
/// was clamped.
pub fn less(key: u32, action: u32, noted: u32) -> u32 {
    (LEVEL + gumbel(key, action) - noted as i32).max(0) as u32
}

/// The visits of the child to be visited next, where the children of the root have `made` visits in all, and `m`
/// children share `planned`.
pub fn scheduled(made: u32, m: u32, planned: u32) -> u32 {
    if m < 2 {
        return made;
    }
    let phases = 32 - (m - 1).leading_zeros();
    let (mut considered, mut left, mut visits) = (m, made, 0);
    while considered > 2 {
        let more = (planned / (phases * considered)).max(1);
        if left < more * considered {
            return visits + left / considered;
        }
        (left, visits) = (left - more * considered, visits + more);
        considered = (considered / 2).max(2);
    }
    visits + left / 2
}

/// The score of a child, a whole number below 2^24: first by the distance of its visits to the scheduled ones.
pub fn score(scheduled: u32, visits: u64, n_wins: u64, noted: u32) -> u32 {
    let visits = visits.min(u64::from(u32::MAX) - 1) as u32;
    let cut = visits.checked_ilog2().unwrap_or(0).saturating_sub(15);
    let q = ((n_wins >> cut) as u32).checked_div(visits >> cut).unwrap_or(0);
    let class = visits.checked_sub(scheduled).map_or(0, |ahead| 3 - ahead.min(3));
    class * CLASS + advantage(scheduled, q, noted).min(CLASS - 1)
}

/// The sum of logit, Gumbel variable and value: sigma(q) = (50 + n) q of the paper.
fn advantage(visits: u32, q: u32, noted: u32) -> u32 {
    let scale = (LEAST_VISITS + u64::from(visits)).min(1 << 16);
    noted + ((((u64::from(q) * NAT) >> 10) * scale) >> 6) as u32
}

/// A child of the root after a search.
#[derive(Debug, Clone, Copy)]
pub struct Child {
    /// The action into it.
    pub action: u32,
    /// Its visits.
    pub visits: u64,
    /// Its points, in units of 1/65536.
    pub n_wins: u64,
    /// Its [`noted`] word.
    pub noted: u32,
}

/// The index of the best action: among the children with the most visits, that of the greatest score.
pub fn best(children: &[Child]) -> Option<usize> {
    let most = children.iter().map(|child| child.visits).max()?;
    let score = |&place: &usize| {
        let Child { visits, n_wins, noted, action } = children[place];
        (
            score(visits.min(u32::MAX.into()) as u32, visits, n_wins, noted),
            std::cmp::Reverse(action.reverse_bits()),
        )
    };
    (0..children.len()).filter(|&place| children[place].visits == most).max_by_key(score)
}

/// The priors of the children, and the improved policy of the paper (equation 11): the softmax of the logits and the
/// values, with the value of the root for children never visited (its equation 33). In units of 1/65536; `value` is the
/// root's by the network.
pub fn policies(key: u32, children: &[Child], value: u32) -> (Vec<u32>, Vec<u32>) {
    let weights: Vec<_> =
        children.iter().map(|child| softmax::weight(less(key, child.action, child.noted))).collect();
    let priors = shares(&weights);
    let (mut visits, mut weighed, mut weight) = (0, 0, 0);
    for (child, &prior) in children.iter().zip(&priors).filter(|(child, _)| child.visits > 0) {
        visits += child.visits;
        weighed += u64::from(prior) * (child.n_wins / child.visits);
        weight += u64::from(prior);
    }
    let seen = weighed.checked_div(weight).unwrap_or(0);
    let filled = (u64::from(value) + visits * seen) / (1 + visits);
    let most = children.iter().map(|child| child.visits).max().unwrap_or(0).min(u32::MAX.into()) as u32;
    let sums = children.iter().map(|child| {
        let q = child.n_wins.checked_div(child.visits).unwrap_or(filled).min(ONE.into()) as u32;
        let logit = 0xffff - less(key, child.action, child.noted).min(0xffff);
        advantage(most, q, logit)
    });
    let sums: Vec<_> = sums.collect();
    let greatest = sums.iter().copied().max().unwrap_or(0);
    let improved: Vec<_> = sums.iter().map(|sum| softmax::weight(greatest - sum)).collect();
    (priors, shares(&improved))
}

fn shares(weights: &[u32]) -> Vec<u32> {
    let total = weights.iter().sum::<u32>().max(1);
    weights.iter().map(|&weight| softmax::prior(weight, total)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence of mctx 0.0.5, `seq_halving.get_sequence_of_considered_visits`.
    fn sequence(m: u32, planned: u32) -> Vec<u32> {
        if m <= 1 {
            return (0..planned).collect();
        }
        let phases = f64::from(m).log2().ceil() as u32;
        let (mut sequence, mut visits, mut considered) = (Vec::new(), vec![0; m as usize], m);
        while sequence.len() < planned as usize {
            for _ in 0..(planned / (phases * considered)).max(1) {
                sequence.extend(&visits[..considered as usize]);
                visits[..considered as usize].iter_mut().for_each(|visits| *visits += 1);
            }
            considered = (considered / 2).max(2);
        }
        sequence.truncate(planned as usize);
        sequence
    }

    #[test]
    fn the_schedule_is_that_of_mctx() {
        for m in 0..40 {
            for planned in [1, 2, 7, 16, 32, 50, 200, 800] {
                let found: Vec<_> = (0..planned).map(|made| scheduled(made, m, planned)).collect();
                assert_eq!(found, sequence(m, planned), "{m} {planned}");
            }
        }
    }

    #[test]
    fn scores_go_by_visits_then_by_value() {
        let of = |visits, wins, noted| score(4, visits, wins * u64::from(ONE), noted);
        assert!(
            of(4, 0, 1) > of(5, 5, 65_535)
                && of(5, 0, 1) > of(6, 6, 65_535)
                && of(6, 0, 1) > of(3, 3, 65_535)
        );
        assert!(of(4, 2, 8192) > of(4, 1, 8192) && of(4, 1, 8193) > of(4, 1, 8192));
        // A quarter of a win is 54 / 4 nats.
        assert!((of(4, 2, 8192) - of(4, 1, 8192)).abs_diff((54.0 / 4.0 * 369.33) as u32) < 20);
    }

    #[test]
    fn the_improved_policy_is_the_papers() {
        let (key, value) = (5, ONE / 2);
        let children = [(10, 6, 0), (10, 5, 256), (1, 0, 512), (0, 0, 300)].map(|(visits, wins, less)| {
            let action = less / 7;
            Child { action, visits, n_wins: wins * u64::from(ONE), noted: noted(key, action, less) }
        });
        let (priors, improved) = policies(key, &children, value);
        let prior = |less: f64| (-less / 256.0).exp2();
        let all = [0.0, 256.0, 512.0, 300.0].map(prior);
        let total: f64 = all.iter().sum();
        for (found, expected) in priors.iter().zip(all) {
            assert!((f64::from(*found) / 65_536.0 - expected / total).abs() < 0.002, "{priors:?}");
        }
        let seen = (all[0] * 0.6 + all[1] * 0.5) / (all[0] + all[1] + all[2]);
        let filled = (0.5 + 21.0 * seen) / 22.0;
        let logits = [(0, 0.6), (1, 0.5), (2, 0.0), (3, filled)].map(|(place, q)| all[place].ln() + 60.0 * q);
        let weights = logits.map(|logit| (logit - logits[0]).exp());
        let total: f64 = weights.iter().sum();
        for (found, expected) in improved.iter().zip(weights) {
            assert!(
                (f64::from(*found) / 65_536.0 - expected / total).abs() < 0.005,
                "{improved:?} {weights:?}"
            );
        }
        assert_eq!(
            best(&children),
            Some(
                if score(10, 10, 6 * 65_536, children[0].noted) > score(10, 10, 5 * 65_536, children[1].noted)
                {
                    0
                } else {
                    1
                }
            )
        );
    }
}
