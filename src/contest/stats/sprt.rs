//! The sequential probability ratio test of two differences in Elo.
//!
//! Both hypotheses fix the expected score; how often games are drawn is left to the results. Under either one the
//! likeliest shares of wins, draws and losses with that score are p(k) = f(k) / (1 + t (x(k) - s)), where f are the
//! shares seen, x = 1, 1/2, 0, s the score, and t the number that makes the score of the p equal s (Van den Bergh, "A
//! practical introduction to the GSPRT"). The ratio of both likelihoods is compared with Wald's bounds.

use super::Tally;
use crate::error::{Error, Result};
use serde::Serialize;

/// Chance of either error.
const ERROR: f64 = 0.05;
/// Stands for 0 games of a kind, which would have no logarithm.
const HARDLY_ANY: f64 = 1e-3;
/// Bisections of t: more than a float has bits.
const BISECTIONS: u32 = 100;

/// Two differences in Elo between which a test decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sprt {
    /// The lower one.
    pub elo0: f64,
    /// The higher one.
    pub elo1: f64,
}

/// Where a test stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SprtState {
    /// The hypotheses.
    #[serde(flatten)]
    pub of: Sprt,
    /// The logarithm of the ratio of likelihoods, elo1's to elo0's.
    pub llr: f64,
    /// At or below it, elo0 is taken.
    pub lower: f64,
    /// At or above it, elo1 is taken.
    pub upper: f64,
    /// Once the test has ended.
    pub verdict: Option<Verdict>,
}

/// What a test has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The lower difference.
    Elo0,
    /// The higher difference.
    Elo1,
}

impl Sprt {
    /// A test that errs either way in 5 % of all cases.
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

    /// Where it stands after these games.
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

/// The score that a difference in Elo stands for.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The likeliest shares of wins, draws and losses that have this score, where such shares were seen.
fn likeliest(shares: [f64; 3], score: f64) -> [f64; 3] {
    let off = [1.0 - score, 0.5 - score, -score];
    // The sum below falls as t rises, from infinity at the one end to minus infinity at the other.
    let (mut low, mut high) = (-1.0 / off[0], 1.0 / score);
    for _ in 0..BISECTIONS {
        let t = f64::midpoint(low, high);
        let sum: f64 = (0..3).map(|kind| shares[kind] * off[kind] / (1.0 + t * off[kind])).sum();
        if sum > 0.0 { low = t } else { high = t }
    }
    let t = f64::midpoint(low, high);
    [0, 1, 2].map(|kind| shares[kind] / (1.0 + t * off[kind]))
}
