//! A player that chooses legal actions at random.

use super::{Choice, Contestant};
use crate::{
    error::{Error, Result},
    exact::rng::below,
    rules::{Game, Position},
};
use rand_pcg::{
    Pcg64Mcg,
    rand_core::{Rng, SeedableRng},
};

/// Chooses legal actions uniformly; the same seed and game number give the same game.
#[derive(Debug)]
pub struct RandomPlayer {
    seed: u64,
    numbers: Pcg64Mcg,
}

impl RandomPlayer {
    /// A player whose random numbers derive from `seed` and the game number.
    pub fn new(seed: u64) -> Self {
        Self { seed, numbers: Pcg64Mcg::seed_from_u64(seed) }
    }
}

impl<G: Game> Contestant<G> for RandomPlayer {
    fn number(&mut self, game: u64) {
        self.numbers = Pcg64Mcg::seed_from_u64(self.seed.wrapping_add(game));
    }

    fn begin(&mut self, _position: &Position<G>) -> Result<()> {
        Ok(())
    }

    fn choose(&mut self, position: &Position<G>) -> Result<Choice> {
        let actions = position.legal_actions();
        let place = below(self.numbers.next_u64(), actions.len() as u64) as usize;
        let action = actions.get(place).copied().ok_or_else(|| Error::invalid("there is no legal action"))?;
        Ok(Choice::new(action))
    }
}
