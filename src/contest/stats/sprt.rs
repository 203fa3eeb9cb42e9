//! The sequential probability ratio test of two differences in Elo.
//!
//! Both hypotheses fix the expected score; the share of draws is estimated. Under either hypothesis the
//! maximum-likelihood shares of wins, draws and losses are p(k) = f(k) / (1 + t (x(k) - s)), where f are the observed
//! shares, x = 1, 1/2, 0, s the expected score, and t the number that makes the score of p equal s (Van den Bergh, "A
//! practical introduction to the GSPRT"). The likelihood ratio is compared with Wald's bounds.

use super::Tally;
use crate::error::{Error, Result};
use serde::Serialize;

/// Probability of either error.
const ERROR: f64 = 0.05;
/// Replaces a count of 0, whose logarithm is undefined.
const HARDLY_ANY: f64 = 1e-3;
/// Bisections of t: more than the bits of a float.
const BISECTIONS: u32 = 100;

/// Two hypotheses: differences in Elo.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sprt {
    /// The lower one.
    pub elo0: f64,
    /// The higher one.
    pub elo1: f64,
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SprtState {
    /// The hypotheses.
    #[serde(flatten)]
    pub of: Sprt,
    /// Log-likelihood ratio of elo1 to elo0.
    pub llr: f64,
    /// At or below this bound, elo0 is accepted.
    pub lower: f64,
    /// At or above this bound, elo1 is accepted.
    pub upper: f64,
    /// The verdict once the test has ended.
    pub verdict: Option<Verdict>,
}

/// The verdict of a test: the accepted hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The lower difference.
    Elo0,
    /// The higher difference.
    Elo1,
}

impl Sprt {
    /// A test with a probability of 5 % of either error.
    ///
    /// # Errors
    /// Bad input unless elo0 < elo1, both between -2000 and 2000.
    pub fn new(elo0: f64, elo1: f64) -> Result<Self> {
        let in_range = [elo0, elo1].iter().all(|elo| elo.abs() <= 2000.0);
        if in_range && elo0 < elo1 {
            return Ok(Self { elo0, elo1 });
        }
        Err(Error::invalid(format!(
            "a test of {elo0} against {elo1} Elo: give the lower one first, both from -2000 to 2000, such as 0,20"
        )))
    }

    /// The state after these games.
    pub fn state(self, tally: Tally) -> SprtState {
        let upper = ((1.0 - ERROR) / ERROR).ln();
        let llr = if tally.games() == 0 { 0.0 } else { self.llr(tally) };
        let verdict = match llr {
            _ if llr >= upper => Some(Verdict::Elo1),
            _ if llr <= -upper => Some(Verdict::Elo0),
            _ => None,
        };
        SprtState { of: self, llr, lower: -upper, upper, verdict }
    }

    fn llr(self, tally: Tally) -> f64 {
        let seen = [tally.wins, tally.draws, tally.losses].map(|count| (count as f64).max(HARDLY_ANY));
        let sum: f64 = seen.iter().sum();
        let shares = seen.map(|count| count / sum);
        let [p0, p1] = [self.elo0, self.elo1].map(|elo| likeliest(shares, expected_score(elo)));
        (0..3).map(|kind| seen[kind] * (p1[kind] / p0[kind]).ln()).sum()
    }
}

/// The score that a difference in Elo corresponds to.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Maximum-likelihood shares with this score, given the observed shares.
fn likeliest(shares: [f64; 3], score: f64) -> [f64; 3] {
    let off = [1.0 - score, 0.5 - score, -score];
    // The sum below decreases in t, from infinity at the lower end to minus infinity at the upper.
    let (mut low, mut high) = (-1.0 / off[0], 1.0 / score);
    for _ in 0..BISECTIONS {
        let t = f64::midpoint(low, high);
        let sum: f64 = (0..3).map(|kind| shares[kind] * off[kind] / (1.0 + t * off[kind])).sum();
        if sum > 0.0 { low = t } else { high = t }
    }
    let t = f64::midpoint(low, high);
    [0, 1, 2].map(|kind| shares[kind] / (1.0 + t * off[kind]))
}
