//! PUCT in whole numbers, the twin of `shaders/lib/puct.wgsl`: the score of a move in a search whose leaves a network
//! evaluates.
//!
//! ```text
//! q + C P sqrt(N) / (1 + n),   q = n_wins / n, or, where n = 0, the value of the parent less FPU_REDUCTION
//! ```
//!
//! P is the prior of the move, N the visits of its parent (Rosin 2011; Silver et al. 2017, "Mastering the game of Go
//! without human knowledge", methods, equation of the select). All of it is in units of 1/65536 (specification,
//! "Networks").

/// A won visit, a prior of 1, a value of 1.
pub const ONE: u32 = 1 << 16;
/// First-play urgency: an unvisited move counts as this much worse than its position.
pub const FPU_REDUCTION: u32 = ONE / 8;
/// The limit of the second term.
const MOST_EXPLORATION: u32 = (1 << 23) - 1;

/// The common terms of the scores of a node's children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// C sqrt(N) is root * 2^-shift.
    root: u32,
    shift: u32,
    /// q of children never visited.
    unvisited: u32,
}

impl Parent {
    /// For a node with these visits and this value by the network; `c_squared` is C^2 in units of 1/65536.
    pub fn new(visits: u64, value: u32, c_squared: u32) -> Self {
        let unvisited = value - value.min(FPU_REDUCTION);
        let square = visits.min(u32::MAX.into()) * u64::from(c_squared);
        let left = square.leading_zeros() & !1;
        let root = if square == 0 { 0 } else { ((square << left) >> 32).isqrt() as u32 };
        match (left / 2).checked_sub(8) {
            _ if square == 0 => Self { root, shift: 0, unvisited },
            Some(shift) => Self { root, shift, unvisited },
            None => Self { root: ONE - 1, shift: 0, unvisited },
        }
    }

    /// The score of a child: a whole number below 2^24.
    pub fn score(self, visits: u64, n_wins: u64, prior: u32) -> u32 {
        let visits = visits.min(u64::from(u32::MAX) - 1) as u32;
        let Some(exponent) = visits.checked_ilog2() else {
            // Most children: without a division.
            return self.unvisited + ((prior * self.root) >> self.shift).min(MOST_EXPLORATION);
        };
        let cut = exponent.saturating_sub(15);
        let q = (n_wins >> cut) as u32 / (visits >> cut);
        q + ((prior * self.root / (1 + visits)) >> self.shift).min(MOST_EXPLORATION)
    }
}

/// C^2 in units of 1/65536, rounded to the nearest; at the most 2^32 - 1.
pub fn squared(c: f32) -> u32 {
    let c = f64::from(c);
    (c * c * f64::from(ONE)).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_formula() {
        for visits in [1, 2, 3, 100, 65_535, 65_536, 1_000_000, 1 << 31] {
            for c in [0.25f32, 1.0, 1.25, 4.0] {
                for n in [0, 1, 2, 77, 65_536, 300_000] {
                    let prior = 20_000;
                    let n_wins = n * 40_000;
                    let score = Parent::new(visits, 30_000, squared(c)).score(n, n_wins, prior);
                    let q = if n == 0 { 30_000.0 - 8192.0 } else { 40_000.0 };
                    let root = (visits as f64).sqrt().min(65_535.0 / f64::from(c));
                    let u = f64::from(c) * f64::from(prior) * root / (1.0 + n as f64);
                    let expected = q + u.min(f64::from(MOST_EXPLORATION));
                    let margin = 3.0 + expected * 1e-4;
                    assert!(
                        (f64::from(score) - expected).abs() <= margin,
                        "{visits} {c} {n}: {score}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn edges_are_no_trouble() {
        assert_eq!(Parent::new(0, 0, 0).score(0, 0, 65_535), 0);
        assert_eq!(
            Parent::new(u64::MAX >> 27, 65_535, u32::MAX).score(0, 0, 65_535),
            65_535 - 8192 + MOST_EXPLORATION.min(65_535 * 65_535)
        );
        let all_won = Parent::new(1, 0, 0).score((1 << 32) - 2, ((1 << 32) - 2) << 16, 0);
        assert_eq!(all_won, ONE);
        assert_eq!(squared(1e6), u32::MAX);
    }
}
