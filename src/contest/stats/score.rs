//! Scores: a win is 1, a draw 1/2.

use crate::rules::{Outcome, Player};
use serde::Serialize;
use std::ops::Add;

/// The 97.5 % quantile of the standard normal distribution.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// Numbers of a player's games by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Tally {
    /// Counts a game that the player played on this side.
    pub fn count(&mut self, result: Outcome, side: Player) {
        match result.points(side) {
            points if points > 0.75 => self.wins += 1,
            points if points < 0.25 => self.losses += 1,
            _ => self.draws += 1,
        }
    }

    /// Number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Number of points.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points per game; none without games.
    pub fn score(self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The same games from the opponent's view.
    #[must_use]
    pub fn of_opponent(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

/// The 95 % interval of a score (Wilson's). A draw counts as half a win and half a loss: with many draws the interval
/// is wider than necessary.
///
/// ```
/// use mcts_wgpu::contest::stats::{Tally, interval};
/// let [low, high] = interval(Tally { wins: 75, draws: 0, losses: 25 });
/// assert!((low - 0.657).abs() < 1e-3 && (high - 0.825).abs() < 1e-3);
/// ```
pub fn interval(tally: Tally) -> [f64; 2] {
    let Some(score) = tally.score() else { return [0.0, 1.0] };
    let n = tally.games() as f64;
    let scale = 1.0 + Z * Z / n;
    let middle = (score + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (score * (1.0 - score) / n + Z * Z / (4.0 * n * n)).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}
