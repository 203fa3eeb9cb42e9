//! The contract of a game: rules in Rust, which must equal the rules in WGSL (`games/<game>.wgsl`).
//!
//! A value of the game's type has no position: all data of a position are in a [`Game::State`], which packs into
//! [`Game::state_words`] 32-bit words. The five functions of the paper (MCTS-NC, SoftwareX 2025, section 3.2) are
//! [`is_action_legal`](Game::is_action_legal), [`take_action`](Game::take_action),
//! [`compute_outcome`](Game::compute_outcome), [`legal_actions_playout`](Game::legal_actions_playout) and
//! [`take_action_playout`](Game::take_action_playout).

use super::{GameShader, Outcome, Player, RuleValue, SearchDefaults, SideBySide, Vouch};
use crate::error::{Error, Result};
use std::{any::Any, fmt::Debug, path::Path};

/// The greatest value of [`Game::action_prior`]: `MAX_PRIOR` of `shaders/lib/game.wgsl`.
pub(crate) const MAX_PRIOR: u32 = 64;

/// The input of networks for a game: planes over a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planes {
    /// Rows of the board; rows * columns is 1 to 1024.
    pub rows: u32,
    /// Columns of the board.
    pub columns: u32,
    /// The number of planes, 1 to 32.
    pub count: u32,
}

impl Planes {
    /// Cells of a plane.
    pub fn cells(&self) -> u32 {
        self.rows.saturating_mul(self.columns)
    }

    /// Whether a word of a cell has bits beyond the planes.
    pub(crate) fn exceeded_by(&self, bits: u32) -> bool {
        bits.checked_shr(self.count).unwrap_or(0) != 0
    }
}

/// Words of [`ActionBits`].
pub const ACTION_WORDS: usize = 8;
/// A set of actions: action `a` is bit `a % 64` of word `a / 64`.
pub type ActionBits = [u64; ACTION_WORDS];

/// The policy of every game: all candidates have equal probability.
pub(crate) const RANDOM_POLICY: &str = "random";

/// Work on a game of any type.
pub trait GameVisitor {
    /// Its result.
    type Output;

    /// Does the work.
    fn visit<G: Game>(self, game: &G) -> Self::Output;
}

/// A two-player game with alternating turns and complete information.
///
/// Implementations must agree bit for bit with their [`shader`](Game::shader): the same order of legal actions, packed
/// states and outcomes. The [conformance suite](crate::conformance) checks this.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A position without the player to move.
    type State: Clone + PartialEq + Debug + Send + Sync;
    /// A playout: the state, the player to move, and the list of legal actions in any form that is fast to update.
    type Playout;

    /// The name used on the command line and in reports.
    fn name(&self) -> &str;
    /// The sizes and rules that distinguish games of one name, named like the options of the command line: every
    /// property that the rules depend on, such as komi and superko. Two games of a type are the same if these and the
    /// numbers below are equal; searches and rollouts refuse positions of another game. The policy of playouts is no
    /// part of the rules: a position may be searched with another [policy](Self::policy).
    fn rules(&self) -> Vec<(&'static str, RuleValue)> {
        Vec::new()
    }
    /// B, the greatest number of actions: 1 to 512. Actions are 0..B.
    fn max_actions(&self) -> u32;
    /// The greatest number of actions of a game from any position, 1 to 2^21. A search or rollout with a longer path or
    /// playout ends with an error.
    fn max_plies(&self) -> u32;
    /// 32-bit words of a packed state: 1 to 1024.
    fn state_words(&self) -> u32;
    /// The WGSL twin.
    fn shader(&self) -> GameShader;
    /// The crate's guarantees for this game: for its own games and game files alone.
    #[doc(hidden)]
    fn vouch(&self) -> Vouch<Self> {
        Vouch::nothing()
    }

    /// Calls a visitor with the game itself: the one behind this, where a type stands for several games.
    #[doc(hidden)]
    fn reveal<V: GameVisitor>(&self, visitor: V) -> V::Output {
        visitor.visit(self)
    }
    /// The same, for a type that the caller knows.
    #[doc(hidden)]
    fn as_any(&self) -> &dyn Any {
        self
    }
    /// The inverse of [`as_any`](Self::as_any).
    #[doc(hidden)]
    fn of_any(game: &dyn Any) -> Option<Self> {
        game.downcast_ref().cloned()
    }

    /// The position before the first move; [`Player::First`] is to move.
    fn start(&self) -> Self::State;
    /// Checks that the game can have this state. [`Position::from_state`](crate::Position::from_state) calls it, so
    /// that no other function of a game, nor its WGSL, gets a state that it refuses. By default all states are valid.
    ///
    /// # Errors
    /// Bad input, saying what is wrong with the state.
    fn check_state(&self, _state: &Self::State) -> Result<()> {
        Ok(())
    }
    /// Packs a state into `words`, which has [`state_words`](Game::state_words) elements.
    fn pack(&self, state: &Self::State, words: &mut [u32]);
    /// The inverse of [`pack`](Game::pack).
    fn unpack(&self, words: &[u32]) -> Self::State;

    /// Whether the player to move may take this action. Called for ongoing positions only.
    fn is_action_legal(&self, state: &Self::State, turn: Player, action: u32) -> bool;
    /// The legal actions of an ongoing position, the same as by [`is_action_legal`](Game::is_action_legal): for games
    /// that find all of them faster together.
    fn legal_actions(&self, state: &Self::State, turn: Player) -> ActionBits {
        let mut actions = [0; ACTION_WORDS];
        let all = 0..self.max_actions().min(64 * ACTION_WORDS as u32);
        for action in all.filter(|&action| self.is_action_legal(state, turn, action)) {
            actions[action as usize / 64] |= 1 << (action % 64);
        }
        actions
    }
    /// The reason why an action is not legal, in a few words; empty if the game gives none.
    fn why_illegal(&self, _state: &Self::State, _turn: Player, _action: u32) -> &'static str {
        ""
    }
    /// The urgency of a legal action, 0 to 4. Nodes have children for the most urgent legal actions of a position only
    /// ([`Settings::pruning`]). Urgency is not a rule: players may take any legal action.
    ///
    /// - 0: always a mistake, such as filling an own eye in Go.
    /// - 1: the usual.
    /// - 2 to 4: with such an action, less urgent ones can be left out without changing the outcome of best play or the
    ///   number of plies to it: a win at once, then the replies to a threat (the decisive and anti-decisive moves of
    ///   Teytaud and Teytaud 2010). Proofs depend on that.
    ///
    /// The WGSL function has the same name; [`GameShader::has_urgency`] is true if it exists.
    ///
    /// [`Settings::pruning`]: crate::Settings::pruning
    fn action_urgency(&self, _state: &Self::State, _turn: Player, _action: u32) -> u32 {
        1
    }
    /// The outcome under best play of an ongoing position, and the plies to it, if the game computes them without a
    /// search. A search with proofs ([`Settings::solver`](crate::Settings::solver)) proves such a new node. The plies
    /// are those of one winning line; there may be a shorter one.
    ///
    /// The WGSL function has the same name; [`GameShader::solves`] is true if it exists. It returns the outcome's code,
    /// and the plies above its two bits; 0 for an unknown outcome.
    fn solved_outcome(&self, _state: &Self::State, _turn: Player) -> Option<(Outcome, u32)> {
        None
    }
    /// The prior of a legal action: the mover's estimated chance to win with it, in 64ths, 0 to 64; 32 if unknown.
    /// `last_action`, by the opponent, led to the position; `None` at the root of a tree. [`Settings::prior_visits`] is
    /// its weight in a new node.
    ///
    /// The WGSL function has the same name; [`GameShader::has_priors`] is true if it exists.
    ///
    /// [`Settings::prior_visits`]: crate::Settings::prior_visits
    fn action_prior(
        &self,
        _state: &Self::State,
        _turn: Player,
        _action: u32,
        _last_action: Option<u32>,
    ) -> u32 {
        MAX_PRIOR / 2
    }
    /// The size and the number of the game's planes, the input of networks. `None`: the game has no networks.
    fn planes(&self) -> Option<Planes> {
        None
    }
    /// The planes at a cell, from the view of the player to move: bit p is plane p, and bits from [`Planes::count`] on
    /// are 0. The cell is row * columns + column; row 0 is the top row of [`board_rows`](Game::board_rows).
    ///
    /// The WGSL is `planes(state: ptr<function, State>, turn: u32, place: u32) -> u32`, which must not change the
    /// state; [`GameShader::has_planes`] is true if it exists.
    fn cell_planes(&self, _state: &Self::State, _turn: Player, _cell: u32) -> u32 {
        0
    }
    /// [position, cell]: the planes of many positions, which a game whose rules run on a device computes at once.
    #[doc(hidden)]
    fn batch_planes(&self, positions: &[(Self::State, Player)]) -> Vec<u32> {
        let cells = self.planes().map_or(0, |planes| planes.cells());
        let of = |(state, turn): &(Self::State, Player)| {
            (0..cells).map(|cell| self.cell_planes(state, *turn, cell)).collect()
        };
        positions.iter().flat_map(|position| -> Vec<u32> { of(position) }).collect()
    }
    /// 32-bit words with a bit for each place, such as a point of a board, at which a playout records the first player
    /// to play there. 0: no records, and no rapid action values ([`Settings::rave`]). Go alone has them.
    ///
    /// [`Settings::rave`]: crate::Settings::rave
    #[doc(hidden)]
    fn first_words(&self) -> u32 {
        0
    }
    /// The bit of the place of an action, if it has one.
    #[doc(hidden)]
    fn first_place(&self, _action: u32) -> Option<u32> {
        None
    }
    /// The places where each player was the first to play in this playout: the words of the first player's places, then
    /// the second player's, [`first_words`](Game::first_words) each. The WGSL has `first_word` and `first_place`
    /// (`games/go/firsts.wgsl`).
    #[doc(hidden)]
    fn write_firsts(&self, _playout: &Self::Playout, _words: &mut [u32]) {}
    /// The number of points that have an owner at the end of a playout, numbered as the actions that place a stone on
    /// them. Only Go has such points; 0: rollouts count no [owners](crate::rollout::RolloutConfig::owners).
    #[doc(hidden)]
    fn owned_points(&self) -> u32 {
        0
    }
    /// Adds to the sum of each point 1 where it is the first player's at the end of this playout, -1 where it is the
    /// second player's. The WGSL has `find_owners` and `owner_of` (`games/go/owners.wgsl`).
    #[doc(hidden)]
    fn count_owners(&self, _playout: &Self::Playout, _sums: &mut [i64]) {}
    /// The chains of stones on the board, by their first points: the owner of each, and the actions that place its
    /// stones.
    /// Go alone has them.
    #[doc(hidden)]
    fn chains(&self, _state: &Self::State) -> Vec<(Player, Vec<u32>)> {
        Vec::new()
    }
    /// Takes a legal action for the player to move.
    fn take_action(&self, state: &mut Self::State, turn: Player, action: u32);
    /// The outcome of a position in which `turn` is to move, after `last_action` by its opponent. `None` for the last
    /// action means unknown: the whole position is examined.
    fn compute_outcome(&self, state: &Self::State, turn: Player, last_action: Option<u32>)
    -> Option<Outcome>;

    /// Starts a playout from an ongoing position.
    fn playout_begin(&self, state: &Self::State, turn: Player) -> Self::Playout;
    /// Updates the list of legal actions and returns its length, at least 1.
    fn legal_actions_playout(&self, playout: &mut Self::Playout) -> u32;
    /// Takes the action at place `ordinal` of the list, passes the turn, and returns the outcome.
    fn take_action_playout(&self, playout: &mut Self::Playout, ordinal: u32) -> Option<Outcome>;

    /// Calls a visitor for playouts on a CPU: by default its function for playouts that are played one by one.
    #[doc(hidden)]
    fn playouts_by<V: SideBySide<Self::State>>(&self, visitor: V) -> V::Output {
        visitor.one_by_one()
    }

    /// Whether playouts draw their actions in proportion to weights. Then the list of
    /// [`legal_actions_playout`](Game::legal_actions_playout) has every action as often as its weight, in neighbouring
    /// entries: its length is the sum of the weights, at most 2^31, and an ordinal is the index of an entry.
    fn has_weighted_playouts(&self) -> bool {
        false
    }
    /// Whether these weights depend on earlier moves of the playout, besides the position.
    fn playouts_look_back(&self) -> bool {
        false
    }
    /// The names of its policies of playouts.
    fn policies(&self) -> &'static [&'static str] {
        &[RANDOM_POLICY]
    }
    /// The name of its present policy: one of [`policies`](Game::policies), or that of a user's.
    fn policy(&self) -> String {
        RANDOM_POLICY.into()
    }
    /// The same game with another of its [policies](Game::policies).
    ///
    /// # Errors
    /// Bad input if the game does not have it.
    fn with_policy(self, name: &str) -> Result<Self> {
        if name == RANDOM_POLICY {
            return Ok(self);
        }
        Err(Error::invalid(format!("{} has no policy '{name}': choose {RANDOM_POLICY}", self.name())))
    }
    /// The same game with a policy from a file, in a format of the game's own.
    ///
    /// # Errors
    /// Bad input if the game has none, or the file is invalid.
    fn with_policy_file(self, path: &Path) -> Result<Self> {
        let (file, name) = (path.display(), self.name());
        let known = self.policies().join(", ");
        Err(Error::invalid(format!("{file}: {name} reads no policy from a file: choose {known}")))
    }

    /// The score of a playout's board, in half points for the first player, from -2^15 to 2^15; always `None` for a
    /// game without scores. The sign of a finished playout's score is its outcome.
    fn playout_score(&self, _playout: &Self::Playout) -> Option<i32> {
        None
    }
    /// The score of a board in words for people: `X has 34 discs, O 30`. Empty for a game without scores.
    fn score_text(&self, _state: &Self::State) -> String {
        String::new()
    }
    /// Whether a finished playout was ended by a limit on its moves. Only games with scores can have such playouts.
    fn is_playout_cut_off(&self, _playout: &Self::Playout) -> bool {
        false
    }
    /// Whether actions that repeat an earlier position of the game are illegal (superko). Searches, perft and
    /// [`Position`](crate::Position) then leave such actions out; playouts ignore earlier positions.
    fn forbids_repetition(&self) -> bool {
        false
    }
    /// A key of a position: equal for equal positions, and different for others except by chance, for one pair in 2^64.
    /// Called only if the game [forbids repetition](Game::forbids_repetition).
    fn position_key(&self, _state: &Self::State) -> u64 {
        0
    }
    /// Whether this action may repeat a position, as a pass in Go may.
    fn may_repeat(&self, _action: u32) -> bool {
        false
    }
    /// The pass, if it is always legal, and two in a row end the game, with the board scored as it stands: players pass
    /// if that wins ([`contest::ending`](crate::contest::ending)). `None` if there is no such action, or only a forced
    /// one.
    fn ending_pass(&self) -> Option<u32> {
        None
    }
    /// The first action of a game for players, if a search has no basis to choose among first actions, as on an empty
    /// board of Gomoku. `None`: players search.
    fn opening_action(&self) -> Option<u32> {
        None
    }
    /// Announces the next positions, so that a game whose rules run on a device can compute the results for all of them
    /// at once.
    #[doc(hidden)]
    fn look_ahead(&self, _positions: &[(Self::State, Player)]) {}
    /// The error of rules that run on a device, if that has failed: later results of the rules are invalid.
    #[doc(hidden)]
    fn rules_error(&self) -> Option<Error> {
        None
    }
    /// Checks that the CPU engine can play it.
    ///
    /// # Errors
    /// No adapter, if the rules run on a device.
    #[doc(hidden)]
    fn check_runs_in_rust(&self) -> Result<()> {
        Ok(())
    }
    /// Distance of the expansion streams of neighbouring trees: 1 to 512. The crate's own games have the original's
    /// block sizes here, to draw the original's random numbers. For others the default suffices.
    #[doc(hidden)]
    fn expansion_stride(&self) -> u32 {
        self.max_actions().next_power_of_two().clamp(4, 512)
    }

    /// The default sizes of searches: the strongest at equal time.
    fn search_defaults(&self) -> SearchDefaults {
        SearchDefaults::default()
    }
    /// Rollouts on a device: after this many plies, at least 1, neighbouring lanes whose games are over start new ones
    /// together. Higher numbers mean fewer starts, lower ones less waiting. Results do not depend on it.
    fn rollout_round(&self) -> u32 {
        self.max_plies()
    }

    /// The name of an action on the command line and in reports.
    fn action_name(&self, action: u32) -> String;
    /// The action with this name (not an index), if there is one. Letters are in either case.
    fn parse_action(&self, name: &str) -> Option<u32>;
    /// The board as text, top row first: `.` empty, `X` first player, `O` second.
    fn board_rows(&self, state: &Self::State) -> Vec<String>;
    /// The same cell by cell, for games whose cells take several characters.
    fn board_cells(&self, state: &Self::State) -> Vec<Vec<String>> {
        self.board_rows(state).iter().map(|row| row.chars().map(String::from).collect()).collect()
    }
    /// The rules as text of some lines; empty if the game has none.
    fn description(&self) -> String {
        String::new()
    }
    /// The inverse of [`board_rows`](Game::board_rows).
    ///
    /// # Errors
    /// Bad input where the rows are not a board that can occur.
    fn parse_board(&self, rows: &[&str]) -> Result<Self::State>;
}
