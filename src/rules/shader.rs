//! The WGSL side of a game.

use super::Origin;
use std::sync::Arc;

/// The WGSL side of a game. Only games of the crate's own types run without run-time checks. A game of another type
/// that returns their rules, changed or not, runs with all checks.
///
/// ```
/// use mcts_wgpu::{Game, games::Connect4};
/// let mut rules = Connect4::default().shader();
/// rules.source += "// more rules";
/// ```
/// ```compile_fail,E0609
/// # use mcts_wgpu::{Game, games::Connect4};
/// # let mut rules = Connect4::default().shader();
/// rules.trusted = true; // there is no such field
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameShader {
    /// The path of the source, for error messages: `games/connect4.wgsl`.
    pub file: String,
    /// The rules; `games/README.md` lists the functions that they must define.
    pub source: String,
    /// Board sizes and the like, declared before the source as `const NAME: u32 = value;`.
    pub constants: Vec<(&'static str, u32)>,
    /// More files of the same game, which come after the first one: (file, source).
    pub parts: Vec<(String, String)>,
    /// Words of workgroup memory of one playout (0: all data are in registers).
    pub playout_words: u32,
    /// Set if the rules define `run_playout`, which plays many plies in one call. In a search a lane then plays several
    /// games in turn. After every run of this many plies, lanes whose games are over start new ones, all together.
    pub playout_run: Option<u32>,
    /// Whether rollouts keep playouts in a storage buffer instead of workgroup memory: more playouts of many words can
    /// then run at a time. The rules are the same.
    pub stores_playouts: bool,
    /// Whether the lanes of a workgroup of rollouts wait for one another after every ply, which can be faster if a ply
    /// has much code with many branches. No effect on games that play many plies per call.
    pub in_step: bool,
    /// The approximate greatest number of iterations of all loops in a ply of a playout, or in an action taken in a
    /// tree: some software adapters end all loops of an invocation after
    /// [`SOFTWARE_ITERATIONS`](crate::forest::fault::SOFTWARE_ITERATIONS). Searches and rollouts limit the plies
    /// of an invocation accordingly; if loops are still ended, they return an error
    /// ([`Error::is_cut_short`](crate::Error::is_cut_short)). At least 1; [`new`](Self::new) sets 32.
    pub ply_iterations: u32,
    /// The words of the storage buffer `game_tables`, for lookups of the rules. Without words there is no buffer.
    pub tables: Arc<[u32]>,
    /// The twin of [`Game::has_weighted_playouts`](crate::Game::has_weighted_playouts).
    pub weighted: bool,
    /// The rules define `action_urgency`, the twin of
    /// [`Game::action_urgency`](crate::Game::action_urgency).
    pub has_urgency: bool,
    /// The rules define `action_prior`, the twin of
    /// [`Game::action_prior`](crate::Game::action_prior).
    pub has_priors: bool,
    /// The rules define `solved_outcome`, the twin of
    /// [`Game::solved_outcome`](crate::Game::solved_outcome).
    pub solves: bool,
    /// The rules define `planes`, the twin of [`Game::cell_planes`](crate::Game::cell_planes).
    pub has_planes: bool,
    /// The files and lanes of a workgroup that plays one game, for games with such a kernel (games/README.md).
    pub group: Option<GroupShader>,
    /// The origin of the rules.
    pub(crate) origin: Origin,
}

/// Playouts of a workgroup each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupShader {
    /// The files that replace [`GameShader::parts`]: (file, source).
    pub parts: Vec<(String, String)>,
    /// Lanes of a workgroup, a power of two.
    pub lanes: u32,
    /// As [`GameShader::ply_iterations`].
    pub ply_iterations: u32,
}

impl GameShader {
    /// The rules of a game of one's own, which run with all run-time checks.
    pub fn new(
        file: impl Into<String>,
        source: impl Into<String>,
        constants: Vec<(&'static str, u32)>,
        playout_words: u32,
    ) -> Self {
        Self {
            file: file.into(),
            source: source.into(),
            constants,
            parts: Vec::new(),
            playout_words,
            playout_run: None,
            stores_playouts: false,
            in_step: false,
            ply_iterations: 32,
            tables: Arc::default(),
            weighted: false,
            has_urgency: false,
            has_priors: false,
            solves: false,
            has_planes: false,
            group: None,
            origin: Origin::Foreign,
        }
    }

    /// The same rules with calls of `run_playout`, for this many plies at a time, instead of the two functions that
    /// play a ply. Rollouts with scores ([`Game::playout_score`](crate::Game::playout_score)) play ply by ply.
    #[must_use]
    pub fn with_run_playout(self, plies: u32) -> Self {
        Self { playout_run: Some(plies.max(1)), ..self }
    }

    /// The same rules with this number of loop iterations per ply: [`ply_iterations`](Self::ply_iterations).
    #[must_use]
    pub fn with_ply_iterations(self, iterations: u32) -> Self {
        Self { ply_iterations: iterations.max(1), ..self }
    }
}
