//! The contract of a game: rules in Rust, held to the same rules in WGSL (`games/<game>.wgsl`).
//!
//! A game is data-free: everything a position needs is in its [`Game::State`], which packs into [`Game::state_words`]
//! 32-bit words. The five functions of the paper (MCTS-NC, SoftwareX 2025, section 3.2) are
//! [`is_action_legal`](Game::is_action_legal), [`take_action`](Game::take_action),
//! [`compute_outcome`](Game::compute_outcome), [`legal_actions_playout`](Game::legal_actions_playout) and
//! [`take_action_playout`](Game::take_action_playout).

use super::{GameShader, Outcome, Player, RuleValue, SearchDefaults, SideBySide, Vouch};
use crate::error::{Error, Result};
use std::{fmt::Debug, path::Path};

/// What [`Game::action_prior`] is at the most: `MAX_PRIOR` of `shaders/lib/game.wgsl`.
pub(crate) const MAX_PRIOR: u32 = 64;

/// What networks see of a game: planes over a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planes {
    /// Rows of the board; rows * columns is 1 to 1024.
    pub rows: u32,
    /// Columns of the board.
    pub columns: u32,
    /// Planes: 1 to 32.
    pub count: u32,
}

impl Planes {
    /// Cells of a plane.
    pub fn cells(&self) -> u32 {
        self.rows.saturating_mul(self.columns)
    }

    /// Does a word of a cell have bits beyond the planes?
    pub(crate) fn exceeded_by(&self, bits: u32) -> bool {
        bits.checked_shr(self.count).unwrap_or(0) != 0
    }
}

/// Words of [`ActionBits`].
pub const ACTION_WORDS: usize = 8;
/// A set of actions: action `a` is bit `a % 64` of word `a / 64`.
pub type ActionBits = [u64; ACTION_WORDS];

/// The policy that every game has: all candidates alike.
pub(crate) const RANDOM_POLICY: &str = "random";

/// A two-player game with alternating turns and complete information.
///
/// Implementations must agree bit for bit with their [`shader`](Game::shader): same order of legal actions,
/// same packed states, same outcomes. The conformance suite checks it.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A position without the player to move.
    type State: Clone + PartialEq + Debug + Send + Sync;
    /// What a playout carries along: the state, the player to move, and the list of legal actions in
    /// whatever form is fast to update.
    type Playout;

    /// The name used on the command line and in reports.
    fn name(&self) -> &str;
    /// The sizes and rules that tell this game from others of its name, as the options of the command line are named:
    /// everything that its rules depend on, such as komi and superko. Two games of a type are the same game where these
    /// and their numbers below are equal; searches and rollouts refuse a position of another game. How playouts draw
    /// their actions is no part of the rules: a position may be searched with another [policy](Self::policy).
    fn rules(&self) -> Vec<(&'static str, RuleValue)> {
        Vec::new()
    }
    /// B, the greatest number of actions: 1 to 512. Actions are 0..B.
    fn max_actions(&self) -> u32;
    /// No game from any position is longer than this many actions, 1 to 2^21. A search or rollout in which a path or a
    /// playout is longer ends with an error.
    fn max_plies(&self) -> u32;
    /// 32-bit words of a packed state: 1 to 1024.
    fn state_words(&self) -> u32;
    /// The WGSL twin.
    fn shader(&self) -> GameShader;
    /// What the crate knows of the game beside that: something of its own games and of game files alone.
    #[doc(hidden)]
    fn vouch(&self) -> Vouch<Self> {
        Vouch::nothing()
    }

    /// The position before the first move; [`Player::First`] is to move.
    fn start(&self) -> Self::State;
    /// Is this a state that the game can have? [`Position::from_state`](crate::Position::from_state) asks, so that no
    /// other function of a game, nor its WGSL, ever sees a state that this one refuses. Without it any state is taken.
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

    /// May the player to move take this action? Called for ongoing positions only.
    fn is_action_legal(&self, state: &Self::State, turn: Player, action: u32) -> bool;
    /// The legal actions of an ongoing position, those that [`is_action_legal`](Game::is_action_legal) allows: for
    /// games that find all of them faster than one by one.
    fn legal_actions(&self, state: &Self::State, turn: Player) -> ActionBits {
        let mut actions = [0; ACTION_WORDS];
        let all = 0..self.max_actions().min(64 * ACTION_WORDS as u32);
        for action in all.filter(|&action| self.is_action_legal(state, turn, action)) {
            actions[action as usize / 64] |= 1 << (action % 64);
        }
        actions
    }
    /// Why an action is not legal, in a few words; empty where the game does not say.
    fn why_illegal(&self, _state: &Self::State, _turn: Player, _action: u32) -> &'static str {
        ""
    }
    /// The urgency of a legal action, 0 to 4. Trees have the most urgent legal actions of a position, and leave out the
    /// others ([`Settings::pruning`]). It is no rule: an action that is left out stays legal for whoever plays it.
    ///
    /// - 0: only a mistake takes it, such as filling an own eye in Go.
    /// - 1: the usual.
    /// - 2 to 4: beside it, less urgent actions can be left out without changing the outcome with best play or
    ///   the number of plies to it, such as a win at once, and after that the replies to a threat (the decisive and
    ///   anti-decisive moves of Teytaud and Teytaud 2010). Proofs rest on that.
    ///
    /// Its WGSL has the same name, and [`GameShader::has_urgency`] says that it is there.
    ///
    /// [`Settings::pruning`]: crate::Settings::pruning
    fn action_urgency(&self, _state: &Self::State, _turn: Player, _action: u32) -> u32 {
        1
    }
    /// The outcome under best play of a position at which the game goes on, and the plies to it, where the game can
    /// tell them without a search. A search that proves ([`Settings::solver`](crate::Settings::solver)) takes such a
    /// new node for proven. The plies are those of a line by which the winner wins; it may have a shorter one.
    ///
    /// Its WGSL has the same name, and [`GameShader::solves`] says that it is there. It returns the outcome's code,
    /// and the plies above its two bits; 0 where nothing is known.
    fn solved_outcome(&self, _state: &Self::State, _turn: Player) -> Option<(Outcome, u32)> {
        None
    }
    /// The prior of a legal action: the mover's chance to win with it, in 64ths: 0 to 64, and 32 where nothing is
    /// known. `last_action`, by the opponent, led to the position; `None` at the root of a tree. A search may let it
    /// count as some visits of the new node ([`Settings::prior_visits`]).
    ///
    /// Its WGSL has the same name, and [`GameShader::has_priors`] says that it is there.
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
    /// What networks see of a position: the size and the number of the game's planes. None: the game has no networks.
    fn planes(&self) -> Option<Planes> {
        None
    }
    /// The planes at a cell, as the player to move sees them: bit p is plane p, and there are no bits from
    /// [`Planes::count`] on. The cell is row * columns + column; row 0 is the top row of
    /// [`board_rows`](Game::board_rows).
    ///
    /// The WGSL is `planes(state: ptr<function, State>, turn: u32, place: u32) -> u32`, which must not change the state,
    /// and [`GameShader::has_planes`] says that it is there.
    fn cell_planes(&self, _state: &Self::State, _turn: Player, _cell: u32) -> u32 {
        0
    }
    /// 32-bit words with a bit for each place, such as a point of a board, of which a playout tells who was the first
    /// to play there. 0: it does not tell, and searches have no rapid action values ([`Settings::rave`]). Go alone
    /// does.
    ///
    /// [`Settings::rave`]: crate::Settings::rave
    #[doc(hidden)]
    fn first_words(&self) -> u32 {
        0
    }
    /// The bit of the place that an action plays at, if it has one.
    #[doc(hidden)]
    fn first_place(&self, _action: u32) -> Option<u32> {
        None
    }
    /// Where each player has been the first to play in this playout: the words of the first player's places, then the
    /// second player's, [`first_words`](Game::first_words) each. The WGSL has `first_word` and `first_place`
    /// (`games/go/firsts.wgsl`).
    #[doc(hidden)]
    fn write_firsts(&self, _playout: &Self::Playout, _words: &mut [u32]) {}
    /// Takes a legal action for the player to move.
    fn take_action(&self, state: &mut Self::State, turn: Player, action: u32);
    /// The outcome of a position in which `turn` is to move, after `last_action` by its opponent. `None` for
    /// the last action means unknown: the whole position is looked at.
    fn compute_outcome(&self, state: &Self::State, turn: Player, last_action: Option<u32>)
    -> Option<Outcome>;

    /// Starts a playout from an ongoing position.
    fn playout_begin(&self, state: &Self::State, turn: Player) -> Self::Playout;
    /// Brings the list of legal actions up to date and returns its length, at least 1.
    fn legal_actions_playout(&self, playout: &mut Self::Playout) -> u32;
    /// Takes the action at place `ordinal` of the list, passes the turn, and returns the outcome.
    fn take_action_playout(&self, playout: &mut Self::Playout, ordinal: u32) -> Option<Outcome>;

    /// Shows how its playouts can be played on a CPU: one by one, unless the game knows better.
    #[doc(hidden)]
    fn playouts_by<V: SideBySide<Self::State>>(&self, visitor: V) -> V::Output {
        visitor.one_by_one()
    }

    /// Do playouts draw their actions in proportion to weights? Then the list that
    /// [`legal_actions_playout`](Game::legal_actions_playout) brings up to date holds every action as many times as
    /// its weight says, side by side: its length is the sum of the weights, at most 2^31, and an ordinal is a place in
    /// it.
    fn has_weighted_playouts(&self) -> bool {
        false
    }
    /// Do these weights depend on what the playout has played before, too, and not on the position alone?
    fn playouts_look_back(&self) -> bool {
        false
    }
    /// The ways in which its playouts can choose their actions, by name.
    fn policies(&self) -> &'static [&'static str] {
        &[RANDOM_POLICY]
    }
    /// The one that they go by: one of [`policies`](Game::policies), or, by whatever name, one that the user brought.
    fn policy(&self) -> String {
        RANDOM_POLICY.into()
    }
    /// The same game with another of its [policies](Game::policies).
    ///
    /// # Errors
    /// Bad input where the game does not have it.
    fn with_policy(self, name: &str) -> Result<Self> {
        if name == RANDOM_POLICY {
            return Ok(self);
        }
        Err(Error::invalid(format!("{} has no policy '{name}': choose {RANDOM_POLICY}", self.name())))
    }
    /// The same game with a policy that is read from a file, in whatever form the game has for that.
    ///
    /// # Errors
    /// Bad input where the game has none, or the file is not what it should be.
    fn with_policy_file(self, path: &Path) -> Result<Self> {
        let (file, name) = (path.display(), self.name());
        let known = self.policies().join(", ");
        Err(Error::invalid(format!("{file}: {name} reads no policy from a file: choose {known}")))
    }

    /// The score of the board that a playout has reached, in half points for the first player, at most 2^15 either
    /// way; always `None` for a game without scores. The sign of a finished playout's score is its outcome.
    fn playout_score(&self, _playout: &Self::Playout) -> Option<i32> {
        None
    }
    /// The score of a board in words for people: `X has 34 discs, O 30`. Empty for a game without scores.
    fn score_text(&self, _state: &Self::State) -> String {
        String::new()
    }
    /// Was a playout that is over ended only by a limit on its moves? Only games with scores can have such playouts.
    fn is_playout_cut_off(&self, _playout: &Self::Playout) -> bool {
        false
    }
    /// Is an action illegal that would bring a position back which the game has seen before? Searches, perft and
    /// [`Position`](crate::Position) then leave such actions out; playouts do not look at what was before them.
    fn forbids_repetition(&self) -> bool {
        false
    }
    /// A key of a position: equal for equal positions, and different for others except by chance, in one pair out of
    /// 2^64. It is asked for only where the game [forbids repetition](Game::forbids_repetition).
    fn position_key(&self, _state: &Self::State) -> u64 {
        0
    }
    /// Is this action allowed even if it brings a position back, as a pass is in Go?
    fn may_repeat(&self, _action: u32) -> bool {
        false
    }
    /// The pass of a game that two of them in a row end, the board being scored as it stands, and that may be taken at
    /// any time: players take it where it wins ([`contest::ending`](crate::contest::ending)). None where there is no
    /// such action, or only one that is forced.
    fn ending_pass(&self) -> Option<u32> {
        None
    }
    /// The action that players begin a game with, where a search finds the first ones alike, as it does all over an
    /// empty board of Gomoku; None: they search for one.
    fn opening_action(&self) -> Option<u32> {
        None
    }
    /// Told of positions whose rules will be asked for next, so that a game whose rules live on a device can look them
    /// all up at once.
    #[doc(hidden)]
    fn look_ahead(&self, _positions: &[(Self::State, Player)]) {}
    /// What has gone wrong with rules that live on a device, where answers can be lost: answers since then are none.
    #[doc(hidden)]
    fn trouble(&self) -> Option<Error> {
        None
    }
    /// Can the CPU engine play it?
    ///
    /// # Errors
    /// No adapter, where the rules live on a device.
    #[doc(hidden)]
    fn check_runs_in_rust(&self) -> Result<()> {
        Ok(())
    }
    /// Distance between the expansion streams of neighbouring trees: 1 to 512. The crate's own games have the
    /// original's block sizes here, so as to draw the original's random numbers. Others have no need to look at it.
    #[doc(hidden)]
    fn expansion_stride(&self) -> u32 {
        self.max_actions().next_power_of_two().clamp(4, 512)
    }

    /// The sizes of searches where nobody chose others: what plays best at equal time.
    fn search_defaults(&self) -> SearchDefaults {
        SearchDefaults::default()
    }
    /// Rollouts on a device: after this many plies, at least 1, lanes whose games are over begin new ones together
    /// with their neighbours. Higher numbers make fewer beginnings, lower ones less waiting. Results do not depend on
    /// it.
    fn rollout_round(&self) -> u32 {
        self.max_plies()
    }

    /// The name of an action, as the command line and reports have it.
    fn action_name(&self, action: u32) -> String;
    /// The action of a name (not of an index), if there is one. Letters in either case.
    fn parse_action(&self, name: &str) -> Option<u32>;
    /// The board as text, top row first: `.` empty, `X` first player, `O` second.
    fn board_rows(&self, state: &Self::State) -> Vec<String>;
    /// The inverse of [`board_rows`](Game::board_rows).
    ///
    /// # Errors
    /// Bad input where the rows are not a board that can occur.
    fn parse_board(&self, rows: &[&str]) -> Result<Self::State>;
}
