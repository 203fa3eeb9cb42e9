//! Proofs: positions whose outcome under best play is certain (specification, "Proofs").

use super::layout::{Link, MOST_PLIES, Stats};
use crate::rules::{Outcome, Player};

/// Rank of an action that is not proven, among the ranks of [`Proof::rank`]: below a win, above a draw and a loss.
pub const OPEN_RANK: u32 = 3 << 10;

/// A position's outcome under best play, and the plies to it on the best line that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// The outcome.
    pub outcome: Outcome,
    /// Plies until the game is over; [`MOST_PLIES`] stands for greater numbers, too.
    pub plies: u32,
}

impl Proof {
    /// The proof of a node; `None` if it is not proven.
    pub fn of(link: Link, stats: &Stats) -> Option<Self> {
        let outcome = Outcome::from_code(link.outcome()).filter(|_| stats.is_proven())?;
        Some(Self { outcome, plies: stats.plies() })
    }

    /// A proof as a word: 0 for none. Proofs of one position agree on the outcome; the greatest word has the fewest
    /// plies.
    pub fn word(proof: Option<Self>) -> u32 {
        proof.map_or(0, |Self { outcome, plies }| (MOST_PLIES - plies) << 2 | Outcome::code(Some(outcome)))
    }

    /// The inverse of [`word`](Self::word).
    pub fn from_word(word: u32) -> Option<Self> {
        Outcome::from_code(word & 3).map(|outcome| Self { outcome, plies: MOST_PLIES - (word >> 2) })
    }

    /// The proof of the parent position whose best move leads here: one ply more.
    pub fn after_a_ply(self) -> Self {
        Self { plies: (self.plies + 1).min(MOST_PLIES), ..self }
    }

    /// The rank of an action of `mover` that leads here: a win before a draw before a loss; the shortest win, else the
    /// longest line.
    pub fn rank(self, mover: Player) -> u32 {
        match self.outcome {
            Outcome::Draw => 2 << 10 | self.plies,
            outcome if outcome == mover.wins() => 4 << 10 | (MOST_PLIES - self.plies),
            _ => 1 << 10 | self.plies,
        }
    }
}
