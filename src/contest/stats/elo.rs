//! Elo: the Bradley-Terry model, a draw as half a win and half a loss, fitted by minorization-maximization.
//!
//! The strengths g are those under which the results are likeliest, where i scores against j with probability
//! g(i) / (g(i) + g(j)). Of two players, that gives the logistic of their score. Each sweep sets g(i) to its points
//! over the sum of games / (g(i) + g(j)) (Hunter, "MM algorithms for generalized Bradley-Terry models", 2004). Errors
//! come from the curvature of the likelihood at its maximum.

use super::{Tally, score::Z};
use serde::Serialize;

/// Elo per unit of ln g: 400 / ln 10.
const SCALE: f64 = 173.717_792_761_246_56;
/// The fit ends when no rating changes by more than this in a sweep, in Elo.
const TOLERANCE: f64 = 1e-9;
/// Maximum number of sweeps.
const SWEEPS: u32 = 100_000;
/// Drawn games added to each pair that met, where the results alone give an infinite rating.
const PRIOR_DRAWS: f64 = 1.0;

/// The difference in Elo that a score corresponds to; none for 0 and 1.
///
/// ```
/// use mcts_wgpu::contest::stats::elo_of;
/// assert!((elo_of(0.75).unwrap() - 190.85).abs() < 0.01);
/// assert_eq!(elo_of(1.0), None);
/// ```
pub fn elo_of(score: f64) -> Option<f64> {
    let elo = -SCALE * (1.0 / score - 1.0).ln();
    // Turns -0.0 into 0.0.
    elo.is_finite().then_some(elo + 0.0)
}

/// A player's strength relative to the mean of all players.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rating {
    /// Elo; the mean of all players is 0.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
}

/// Ratings of players who met each other.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ratings {
    /// `[player]`; all `None` if games don't connect all players, directly or through others.
    pub players: Vec<Option<Rating>>,
    /// A player (or group) has won or lost everything against the others: a drawn game was added to each pair that met,
    /// which keeps the ratings finite.
    pub with_prior: bool,
}

/// Maximum-likelihood ratings; `results[i][j]` is player i's tally against player j.
pub fn ratings(results: &[Vec<Tally>]) -> Ratings {
    let n = results.len();
    let mut points: Vec<Vec<f64>> =
        results.iter().map(|row| row.iter().map(|tally| tally.points()).collect()).collect();
    let with_prior = !is_connected(n, |i, j| points[i][j] > 0.0);
    if !is_connected(n, |i, j| points[i][j] + points[j][i] > 0.0) {
        return Ratings { players: vec![None; n], with_prior: false };
    }
    if with_prior {
        for (i, row) in points.iter_mut().enumerate() {
            for (j, points) in row.iter_mut().enumerate() {
                *points += if results[i][j].games() > 0 { PRIOR_DRAWS / 2.0 } else { 0.0 };
            }
        }
    }
    let elos = fit(&points);
    let errors = errors(&points, &elos);
    let players = elos.into_iter().zip(errors).map(|(elo, error)| Some(Rating { elo, error })).collect();
    Ratings { players, with_prior }
}

/// Whether the directed graph `leads` is strongly connected.
fn is_connected(n: usize, leads: impl Fn(usize, usize) -> bool) -> bool {
    let reaches_all = |leads: &dyn Fn(usize, usize) -> bool| {
        let mut reached = vec![false; n];
        let mut next = vec![0];
        while let Some(i) = next.pop() {
            if !std::mem::replace(&mut reached[i], true) {
                next.extend((0..n).filter(|&j| !reached[j] && leads(i, j)));
            }
        }
        reached.into_iter().all(|reached| reached)
    };
    n > 0 && reaches_all(&leads) && reaches_all(&|i, j| leads(j, i))
}

/// Elo of each player from points [player, opponent].
fn fit(points: &[Vec<f64>]) -> Vec<f64> {
    let n = points.len();
    let mut elos = vec![0.0; n];
    for _ in 0..SWEEPS {
        let mut moved: f64 = 0.0;
        for i in 0..n {
            let scored: f64 = points[i].iter().sum();
            let g = |k: usize| (elos[k] / SCALE).exp();
            let met: f64 =
                (0..n).filter(|&j| j != i).map(|j| (points[i][j] + points[j][i]) / (g(i) + g(j))).sum();
            let elo = SCALE * (scored / met).ln();
            moved = moved.max((elo - elos[i]).abs());
            elos[i] = elo;
        }
        let mean = elos.iter().sum::<f64>() / n as f64;
        elos.iter_mut().for_each(|elo| *elo -= mean);
        if moved < TOLERANCE {
            break;
        }
    }
    elos
}

/// Half widths of the 95 % intervals. The information matrix is singular, since the mean of the ratings is fixed;
/// adding 1 / n to every element makes it regular, and changes the variances about the mean only by that constant.
fn errors(points: &[Vec<f64>], elos: &[f64]) -> Vec<f64> {
    let n = points.len();
    let mean = 1.0 / n as f64;
    let mut information = vec![vec![mean; n]; n];
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            let p = 1.0 / (1.0 + ((elos[j] - elos[i]) / SCALE).exp());
            let of_pair = (points[i][j] + points[j][i]) * p * (1.0 - p);
            information[i][i] += of_pair;
            information[i][j] -= of_pair;
        }
    }
    let inverse = inverse(information);
    (0..n).map(|i| Z * SCALE * (inverse[i][i] - mean).max(0.0).sqrt()).collect()
}

/// The inverse of a positive definite matrix, by Gauss-Jordan elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| if i == j { 1.0 } else { 0.0 }));
    }
    for i in 0..n {
        let pivot = matrix[i][i];
        matrix[i].iter_mut().for_each(|value| *value /= pivot);
        let row = matrix[i].clone();
        for (_, other) in matrix.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = other[i];
            other.iter_mut().zip(&row).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    matrix.into_iter().map(|row| row[n..].to_vec()).collect()
}
