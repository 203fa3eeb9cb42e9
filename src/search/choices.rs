//! What was chosen of a config, and what suits the game and the engine where nothing was.

use super::{Config, Search};
use crate::{
    engine::Engine,
    error::Result,
    forest::{Draws, Schedule, Variant},
    rules::{Game, RANDOM_POLICY, Tuning},
};

/// What a user chose of a [`Config`]; the rest is what plays best, by game and engine
/// ([contests](crate::documentation::contests), "Defaults").
///
/// Variant, trees, playouts, leaves, knowledge and rave go together: on a GPU a step of one leaf, chosen or not, has no
/// knowledge and no rapid action values unless they are chosen. Where one of the first three is chosen, or the
/// fused schedule, those that are not are the original's: [`Variant::ACP_PRODIGAL`], 8, 128, 1, 0 and 0. The policy of
/// playouts that goes with the rest is not the config's but the game's: [`tuned`](Self::tuned) sets it.
///
/// ```
/// use mcts_wgpu::{Choices, Engine, games::Go};
/// let choices = Choices { ucb_c: Some(0.7), ..Choices::default() };
/// let config = choices.config(&Go::new(9, 7.5)?, &Engine::cpu());
/// assert_eq!((config.ucb_c, config.leaves), (0.7, 1));
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choices {
    /// The semantics and the defaults of the original program: [`Config::original`].
    pub original: bool,
    /// [`Config::variant`].
    pub variant: Option<Variant>,
    /// [`Config::trees`].
    pub trees: Option<u32>,
    /// [`Config::playouts`].
    pub playouts: Option<u32>,
    /// [`Config::leaves`].
    pub leaves: Option<u32>,
    /// [`Config::ucb_c`].
    pub ucb_c: Option<f32>,
    /// [`Config::draws`].
    pub draws: Option<Draws>,
    /// [`Config::proofs`].
    pub proofs: Option<bool>,
    /// [`Config::prunes`].
    pub prunes: Option<bool>,
    /// [`Config::knowledge`].
    pub knowledge: Option<u32>,
    /// [`Config::rave`].
    pub rave: Option<u32>,
    /// [`Config::seed`].
    pub seed: u64,
    /// [`Config::memory`].
    pub memory: Option<u64>,
    /// [`Config::schedule`].
    pub schedule: Schedule,
    /// [`Config::reuse`].
    pub reuse: bool,
}

/// What a step is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sizes {
    variant: Variant,
    trees: u32,
    playouts: u32,
    leaves: u32,
    knowledge: u32,
    rave: u32,
}

/// What computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Cores: the CPU engine, and software adapters.
    Cpus,
    Gpus,
}

impl Sizes {
    /// Those that suit a game, where so many leaves were chosen, or none.
    fn suited(kind: Kind, tuning: Tuning, leaves: Option<u32>) -> Self {
        let variant = Variant::OCP_PRODIGAL;
        let Tuning { rave, .. } = tuning;
        match kind {
            // A few cores grow few trees.
            Kind::Cpus => {
                let Tuning { cpu_playouts: playouts, cpu_knowledge: knowledge, .. } = tuning;
                Self { variant, trees: 4, playouts, leaves: leaves.unwrap_or(1), knowledge, rave }
            }
            Kind::Gpus => {
                let Tuning { trees, playouts, knowledge, .. } = tuning;
                let leaves = leaves.unwrap_or(tuning.leaves);
                // Steps of one leaf are fused, which uses neither knowledge nor rapid action values.
                let (knowledge, rave) = if leaves > 1 { (knowledge, rave) } else { (0, 0) };
                Self { variant, trees, playouts, leaves, knowledge, rave }
            }
        }
    }
}

impl Choices {
    /// The config of a search of this game on this engine.
    pub fn config<G: Game>(&self, game: &G, engine: &Engine) -> Config {
        let on_gpus =
            engine.devices().is_some_and(|devices| devices.iter().all(|device| !device.info().is_software()));
        self.config_on(if on_gpus { Kind::Gpus } else { Kind::Cpus }, game.tuning())
    }

    /// The game with the policy that plays it best, unless the search is the original's, sizes are chosen that this
    /// policy does not go with ([`Tuning::policy_suits_all_sizes`](crate::rules::Tuning::policy_suits_all_sizes)), or
    /// the game has a policy of its own.
    ///
    /// # Errors
    /// Bad input, where the game lacks the policy of its own tuning.
    pub fn tuned<G: Game>(&self, game: G) -> Result<G> {
        let Tuning { policy, policy_suits_all_sizes, .. } = game.tuning();
        let suits = !self.original && (policy_suits_all_sizes || self.sizes_by_hand().is_none());
        let has_its_own = game.policy() != RANDOM_POLICY;
        if suits && !has_its_own { game.with_policy(policy) } else { Ok(game) }
    }

    /// Checks, without an engine, that what was chosen makes a search of this game for so many positions side by side,
    /// on CPUs or on GPUs. [`Search::new`] finds what is wrong with the sizes that suit one of them alone, before it
    /// compiles anything.
    ///
    /// # Errors
    /// Bad input, naming the field and its range.
    pub fn check<G: Game>(&self, game: &G, positions: u32) -> Result<()> {
        let check = |kind| Search::check(game, &self.config_on(kind, game.tuning()), positions);
        check(Kind::Cpus).or_else(|error| check(Kind::Gpus).map_err(|_| error))
    }

    /// Which of the settings that were chosen change nothing in this game, by the names that players' texts have for
    /// them?
    ///
    /// ```
    /// use mcts_wgpu::{Choices, games::{Go, Othello}};
    /// let choices = Choices { rave: Some(1000), ..Choices::default() };
    /// assert_eq!(choices.idle(&Othello), ["rave"]);
    /// assert!(choices.idle(&Go::new(9, 7.5)?).is_empty());
    /// # Ok::<(), mcts_wgpu::Error>(())
    /// ```
    pub fn idle<G: Game>(&self, game: &G) -> Vec<&'static str> {
        let rave = self.rave.is_some_and(|rave| rave > 0) && game.first_words() == 0;
        let prunes = self.prunes.is_some() && !game.shader().prunes;
        [("rave", rave), ("prunes", prunes)]
            .into_iter()
            .filter(|(_, idle)| *idle)
            .map(|(name, _)| name)
            .collect()
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Bad input, naming the field and its range.
    pub fn validate(&self) -> Result<()> {
        self.config_on(Kind::Cpus, Tuning::default()).validate()
    }

    /// Trees and playouts, where the choices alone decide them.
    pub fn trees_and_playouts(&self) -> Option<(u32, u32)> {
        let sizes = self.sizes_by_hand()?;
        Some((self.trees.unwrap_or(sizes.trees), self.playouts.unwrap_or(sizes.playouts)))
    }

    /// What goes with sizes that were chosen; none where none were.
    fn sizes_by_hand(&self) -> Option<Sizes> {
        let by_hand = self.original
            || self.variant.is_some()
            || self.trees.or(self.playouts).is_some()
            || self.schedule == Schedule::Fused;
        let Config { variant, trees, playouts, leaves, knowledge, rave, .. } = Config::original();
        by_hand.then_some(Sizes { variant, trees, playouts, leaves, knowledge, rave })
    }

    /// The config: each value follows from all that was chosen, whichever of it was chosen first.
    fn config_on(&self, kind: Kind, tuning: Tuning) -> Config {
        let of_game = || Config { ucb_c: tuning.ucb_c, ..Config::default() };
        let usual = if self.original { Config::original() } else { of_game() };
        let sizes = self.sizes_by_hand().unwrap_or_else(|| Sizes::suited(kind, tuning, self.leaves));
        Config {
            variant: self.variant.unwrap_or(sizes.variant),
            trees: self.trees.unwrap_or(sizes.trees),
            playouts: self.playouts.unwrap_or(sizes.playouts),
            leaves: self.leaves.unwrap_or(sizes.leaves),
            ucb_c: self.ucb_c.unwrap_or(usual.ucb_c),
            draws: self.draws.unwrap_or(usual.draws),
            proofs: self.proofs.unwrap_or(usual.proofs),
            prunes: self.prunes.unwrap_or(usual.prunes),
            knowledge: self.knowledge.unwrap_or(sizes.knowledge),
            rave: self.rave.unwrap_or(sizes.rave),
            seed: self.seed,
            memory: self.memory,
            schedule: self.schedule,
            reuse: self.reuse,
            node_limit: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Go;

    #[test]
    fn a_gpu_s_leaves_have_more_playouts_and_knowledge() {
        let tuning = Go::new(9, 7.5).expect("a board").tuning();
        let of = |choices: Choices, kind, tuning| {
            let found = choices.config_on(kind, tuning);
            (found.trees, found.playouts, found.leaves, found.knowledge, found.rave)
        };
        let none = Choices::default();
        assert_eq!(of(none.clone(), Kind::Gpus, tuning), (16, 8, 64, 96, 1000));
        assert_eq!(of(none.clone(), Kind::Cpus, tuning), (4, 1, 1, 48, 1000));
        assert_eq!(of(none.clone(), Kind::Gpus, Tuning { leaves: 1, ..tuning }), (16, 8, 1, 0, 0));
        // One leaf is one leaf, whoever chose it.
        let one = Choices { leaves: Some(1), ..none };
        assert_eq!(of(one.clone(), Kind::Gpus, tuning), (16, 8, 1, 0, 0));
        assert_eq!(of(one.clone(), Kind::Cpus, tuning), (4, 1, 1, 48, 1000));
        assert_eq!(of(Choices { knowledge: Some(5), ..one }, Kind::Gpus, tuning), (16, 8, 1, 5, 0));
    }
}
