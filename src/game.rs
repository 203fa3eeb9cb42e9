//! The contract of a game: rules in Rust, held to the same rules in WGSL (`games/<game>.wgsl`).
//!
//! A game is data-free: everything a position needs is in its [`Game::State`], which packs into
//! [`Game::state_words`] 32-bit words. The five functions of the paper (seed document's section 3.2) are
//! [`is_action_legal`](Game::is_action_legal), [`take_action`](Game::take_action),
//! [`compute_outcome`](Game::compute_outcome), [`legal_actions_playout`](Game::legal_actions_playout) and
//! [`take_action_playout`](Game::take_action_playout).

use crate::error::{Error, Result};
use crate::gpu::compose::Source;
use crate::patterns::PatternTable;
use serde::{Deserialize, Serialize};
use std::{
    fmt::{self, Debug, Display, Formatter},
    str::FromStr,
    sync::Arc,
};

/// One of the two players. Turns always alternate. Serialized by its [`symbol`](Player::symbol).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u32)]
pub enum Player {
    /// +1, `X`: moves first from a game's start.
    #[serde(rename = "X")]
    First = 0,
    /// -1, `O`.
    #[serde(rename = "O")]
    Second = 1,
}

impl Player {
    /// The other player.
    pub fn opponent(self) -> Self {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// 0 for the first player, 1 for the second: the number the shaders use.
    pub fn index(self) -> usize {
        self as usize
    }

    /// `X` or `O`.
    pub fn symbol(self) -> char {
        ['X', 'O'][self.index()]
    }

    /// The outcome in which this player has won.
    pub fn wins(self) -> Outcome {
        match self {
            Player::First => Outcome::FirstWins,
            Player::Second => Outcome::SecondWins,
        }
    }
}

/// How a finished game ended. A game that goes on is `None` in Rust and code 0 in the shaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Outcome {
    /// -1.
    SecondWins = 1,
    /// 0.
    Draw = 2,
    /// +1.
    FirstWins = 3,
}

impl Outcome {
    /// The code of an outcome in the shaders: 0 ongoing, 1 second wins, 2 draw, 3 first wins.
    pub fn code(outcome: Option<Outcome>) -> u32 {
        outcome.map_or(0, |o| o as u32)
    }

    /// The inverse of [`Outcome::code`]; only the two low bits are looked at.
    pub fn from_code(code: u32) -> Option<Outcome> {
        match code & 3 {
            1 => Some(Outcome::SecondWins),
            2 => Some(Outcome::Draw),
            3 => Some(Outcome::FirstWins),
            _ => None,
        }
    }
}

/// How a playout chooses among its candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Policy {
    /// All alike.
    #[default]
    Random,
    /// Go: in proportion to the rating of a point's eight neighbours.
    Pattern3x3,
    /// Go: in proportion to the rating of the twelve points within Manhattan distance 2.
    M2,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Random, Self::Pattern3x3, Self::M2];

    /// `random`, `pattern3x3` or `m2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Pattern3x3 => "pattern3x3",
            Self::M2 => "m2",
        }
    }
}

impl FromStr for Policy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name).ok_or_else(|| {
            Error::bad_input(format!("unknown policy '{name}': choose random, pattern3x3 or m2"))
        })
    }
}

/// The WGSL side of a game: data, of which nothing is taken on trust. Only the crate's own games run without run-time
/// checks, by their types; a game that hands on the rules of one of them, changed or not, runs with all checks.
///
/// ```
/// use mcts_wgpu::{Game, games::Connect4};
/// let mut rules = Connect4::default().shader();
/// rules.source += "// more rules";
/// ```
/// ```compile_fail,E0609
/// # use mcts_wgpu::{Game, games::Connect4};
/// # let mut rules = Connect4::default().shader();
/// rules.trusted = true; // there is no such thing to be had
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameShader {
    /// Where the author finds the source, for error messages: `games/connect4.wgsl`.
    pub file: String,
    /// The rules; `games/README.md` states which functions they must define.
    pub source: String,
    /// Board sizes and the like, put in front of the source as `const NAME: u32 = value;`.
    pub constants: Vec<(&'static str, u32)>,
    /// More files of the same game, put behind the first one: (file, source).
    pub parts: Vec<(String, String)>,
    /// Words of workgroup memory that one playout needs (0: everything lives in registers).
    pub playout_words: u32,
    /// The rules define `run_playout`, which plays many plies in one call. In a search a lane then plays several games
    /// in turn, and those whose games are over begin new ones together, whenever this many plies have been made.
    pub playout_run: Option<u32>,
    /// Rollouts keep those words in a storage buffer: where a playout needs many, more of them run at a time so than find
    /// room in workgroup memory. The rules are the same.
    pub stores_playouts: bool,
    /// Lanes of a workgroup of rollouts meet after every ply, which can be better where a ply takes much code with many
    /// branches. In rollouts of games that play many plies a call they do not.
    pub in_step: bool,
    /// Turns of all loops that a ply of a playout, or an action taken in a tree, takes at the most, or nearly so: some
    /// software adapters end all loops of an invocation after [`SOFTWARE_TURNS`](crate::gpu::SOFTWARE_TURNS). Searches and
    /// rollouts give them no more plies at a time; if loops are ended all the same, they end with an error
    /// ([`Error::is_cut_short`]). 1 at least; [`new`](Self::new) says 32.
    pub ply_turns: u32,
    /// What the rules look up: the words of the storage buffer `game_tables`, which is there if there are any.
    pub tables: Arc<[u32]>,
    /// The twin of [`Game::has_weighted_playouts`].
    pub weighted: bool,
    /// What else a workgroup needs to play one game, in games that can be played so (games/README.md).
    pub group: Option<GroupShader>,
    /// Playouts end within [`Game::max_plies`] for certain, and need not count their plies.
    pub(crate) is_known_to_end: bool,
}

/// Playouts of a workgroup a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupShader {
    /// The files that take the place of [`GameShader::parts`]: (file, source).
    pub parts: Vec<(String, String)>,
    /// Lanes of a workgroup, a power of two.
    pub lanes: u32,
    /// As [`GameShader::ply_turns`].
    pub ply_turns: u32,
}

impl GameShader {
    /// The rules of a game of one's own. They run with all run-time checks.
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
            ply_turns: 32,
            tables: Arc::default(),
            weighted: false,
            group: None,
            is_known_to_end: false,
        }
    }

    /// The same rules, of which `run_playout` is called, for this many plies at a time, instead of the two functions
    /// that play a ply. Rollouts with scores ([`Game::playout_score`]) go on ply by ply.
    #[must_use]
    pub fn with_run_playout(self, plies: u32) -> Self {
        Self { playout_run: Some(plies.max(1)), ..self }
    }

    /// The same rules, whose plies take so many turns of loops: [`ply_turns`](Self::ply_turns).
    #[must_use]
    pub fn with_ply_turns(self, turns: u32) -> Self {
        Self { ply_turns: turns.max(1), ..self }
    }
}

impl GameShader {
    /// The files of the rules, in the order of composition.
    pub(crate) fn sources(&self) -> Vec<Source> {
        self.sources_with(&self.parts)
    }

    /// The first file and others behind it.
    pub(crate) fn sources_with(&self, parts: &[(String, String)]) -> Vec<Source> {
        let first = Source::new(&self.file, &self.source);
        let parts = parts.iter().map(|(file, source)| Source::new(file, source));
        std::iter::once(first).chain(parts).collect()
    }

    /// What every composition declares for the rules: their constants, the memory of their playouts, their tables at a
    /// binding.
    pub(crate) fn declarations(&self, memory: PlayoutMemory, tables_binding: u32) -> String {
        let constants = self.constants.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
        let mut text: String = constants.collect();
        text += &format!("const WEIGHTED_PLAYOUTS: bool = {};\n", self.weighted);
        let storage = |binding, access, name| {
            format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<u32>;\n")
        };
        if self.playout_words > 0 || self.playout_run.is_some() {
            text += &match memory {
                PlayoutMemory::Workgroup { lanes } => {
                    let words = (self.playout_words * lanes).max(1);
                    format!("var<workgroup> sh_playout: array<u32, {words}>;\n")
                }
                PlayoutMemory::Storage { binding } => storage(binding, "read_write", "sh_playout"),
            };
        }
        if !self.tables.is_empty() {
            text += &storage(tables_binding, "read", "game_tables");
        }
        text
    }
}

/// Where `sh_playout` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlayoutMemory {
    /// In workgroup memory, for so many lanes that play.
    Workgroup { lanes: u32 },
    /// In a storage buffer at this binding.
    Storage { binding: u32 },
}

/// A size or a rule of a game, as reports tell it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A rule that holds or does not.
    Flag(bool),
    /// A size.
    Count(u32),
    /// A number, such as a komi.
    Number(f32),
}

impl Display for Setting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(holds) => write!(f, "{holds}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

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
    fn name(&self) -> &'static str;
    /// The sizes and rules that tell this game from others of its name, as the options of the command line are named:
    /// everything that its rules depend on, such as komi and superko. Two games of a type are the same game where these and
    /// their numbers below are equal; searches and rollouts refuse a position of another game. How playouts draw their
    /// actions is no part of the rules: a position may be searched with another [policy](Self::policy).
    fn rules(&self) -> Vec<(&'static str, Setting)> {
        Vec::new()
    }
    /// B, the greatest number of actions: 1 to 512. Actions are 0..B.
    fn max_actions(&self) -> u32;
    /// No game from any position is longer than this many actions, 1 to 2^21. A search or rollout in which a path or a
    /// playout is longer ends with an error.
    fn max_plies(&self) -> u32;
    /// 32-bit words of a packed state: 1 to 1024.
    fn state_words(&self) -> u32;
    /// Distance between the expansion streams of neighbouring trees (`tpb_e1`, see SPEC "Random streams"): 1 to 512.
    fn expansion_stride(&self) -> u32;
    /// The WGSL twin.
    fn shader(&self) -> GameShader;

    /// The position before the first move; [`Player::First`] is to move.
    fn start(&self) -> Self::State;
    /// Is this a state that the game can have? [`Position::from_state`] asks, so that no other function of a game, nor its
    /// WGSL, ever sees a state that this one refuses. Without it any state is taken.
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
    /// Why an action is not legal, in a few words; empty where the game does not say.
    fn why_illegal(&self, _state: &Self::State, _turn: Player, _action: u32) -> &'static str {
        ""
    }
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

    /// Do playouts draw their actions in proportion to weights? Then the list that
    /// [`legal_actions_playout`](Game::legal_actions_playout) brings up to date holds every action as many times as
    /// its weight says, side by side: its length is the sum of the weights, at most 2^31, and an ordinal is a place in it.
    fn has_weighted_playouts(&self) -> bool {
        false
    }
    /// The policy of the playouts.
    fn policy(&self) -> Policy {
        Policy::Random
    }
    /// The same game with another policy of its playouts.
    ///
    /// # Errors
    /// Bad input where the game does not have it.
    fn with_policy(self, policy: Policy) -> Result<Self> {
        if policy == Policy::Random {
            return Ok(self);
        }
        Err(Error::bad_input(format!("{} has no {} policy: choose random", self.name(), policy.name())))
    }
    /// The same game with playouts that draw in proportion to the ratings of a table.
    ///
    /// # Errors
    /// Bad input where its moves are not rated by patterns.
    fn with_table(self, _table: &PatternTable) -> Result<Self> {
        Err(Error::bad_input(format!("{} has no policy by patterns: choose random", self.name())))
    }
    /// The name of the policy in reports. A table of one's own is told apart by its [digest](PatternTable::digest):
    /// `m2:` and 16 hexadecimal digits.
    fn policy_name(&self) -> String {
        self.policy().name().into()
    }

    /// The score as the board of a playout stands, in half points for the first player, at most 2^15 either way;
    /// `None`, always, for a game without scores. The sign of a finished playout's score is its outcome.
    fn playout_score(&self, _playout: &Self::Playout) -> Option<i32> {
        None
    }
    /// The score as a board stands, in words for people: `X has 34 discs, O 30`. Empty for a game without scores.
    fn score_text(&self, _state: &Self::State) -> String {
        String::new()
    }
    /// Has a playout that is over been ended by a limit on its moves alone? Only games with scores can be.
    fn is_playout_cut_off(&self, _playout: &Self::Playout) -> bool {
        false
    }
    /// Is an action illegal that would bring a position back which the game has seen before? Searches, perft and
    /// [`Position`] then leave such actions out; playouts do not look at what was before them.
    fn forbids_repetition(&self) -> bool {
        false
    }
    /// What must not come back, as 64 bits that are equal for equal positions and, but for accidents of one pair in
    /// 2^64, different for others. Looked at only where the game [forbids repetition](Game::forbids_repetition).
    fn position_key(&self, _state: &Self::State) -> u64 {
        0
    }
    /// May this action bring a position back all the same, as a pass may in Go?
    fn may_repeat(&self, _action: u32) -> bool {
        false
    }
    /// Rollouts on a device: plies after which lanes whose games are over begin their next ones, together with
    /// neighbouring lanes, 1 at least. More saves beginnings, fewer saves waiting; results do not depend on it.
    fn rollout_round(&self) -> u32 {
        self.max_plies()
    }

    /// The name of an action as INTERFACE.md has it.
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

/// A state with the player to move and its outcome: what a search starts from.
#[derive(Debug, Clone, PartialEq)]
pub struct Position<G: Game> {
    game: G,
    state: G::State,
    turn: Player,
    outcome: Option<Outcome>,
    moves: Vec<u32>,
    /// Of the positions from the first one known to this one, where the game forbids repetition.
    keys: Vec<u64>,
}

impl<G: Game> Position<G> {
    /// The start of a game.
    pub fn start(game: &G) -> Self {
        Self::new(game, game.start(), Player::First)
    }

    /// A state of a game, with the player to move.
    ///
    /// # Errors
    /// Bad input where the game cannot have such a state ([`Game::check_state`]).
    pub fn from_state(game: &G, state: G::State, turn: Player) -> Result<Self> {
        game.check_state(&state)?;
        Ok(Self::new(game, state, turn))
    }

    fn new(game: &G, state: G::State, turn: Player) -> Self {
        let outcome = game.compute_outcome(&state, turn, None);
        let keys = game.forbids_repetition().then(|| game.position_key(&state)).into_iter().collect();
        Self { game: game.clone(), state, turn, outcome, moves: Vec::new(), keys }
    }

    /// The position after `moves`, given as action names or indexes, from the start.
    ///
    /// # Errors
    /// Bad input where a move is unknown, illegal, or comes after the end of the game.
    pub fn from_moves<S: AsRef<str>>(game: &G, moves: &[S]) -> Result<Self> {
        let mut position = Self::start(game);
        for name in moves {
            let action = position.parse_action(name.as_ref())?;
            position.play(action)?;
        }
        Ok(position)
    }

    /// A board given as rows, top row first, with the player to move.
    ///
    /// # Errors
    /// Bad input where the rows are not a board that can occur.
    pub fn from_board(game: &G, rows: &[&str], turn: Player) -> Result<Self> {
        Self::from_state(game, game.parse_board(rows)?, turn)
    }

    /// An action from its name or its index.
    ///
    /// # Errors
    /// Bad input where there is no such action.
    pub fn parse_action(&self, name: &str) -> Result<u32> {
        let name = name.trim();
        let index = name.parse().ok().filter(|&a| a < self.game.max_actions());
        index.or_else(|| self.game.parse_action(name)).ok_or_else(|| {
            Error::bad_input(format!(
                "'{name}' is no action of {}: give a name such as {} or an index from 0 to {}",
                self.game.name(),
                self.game.action_name(self.game.max_actions() / 2),
                self.game.max_actions().saturating_sub(1)
            ))
        })
    }

    /// Takes an action for the player to move.
    ///
    /// # Errors
    /// Bad input where the action is illegal or the game is over.
    pub fn play(&mut self, action: u32) -> Result<()> {
        let what = || format!("move {} ({})", self.moves.len() + 1, self.game.action_name(action));
        if self.outcome.is_some() {
            return Err(Error::bad_input(format!("{} comes after the end of the game", what())));
        }
        if let Some(why) = self.objection(action) {
            let colon = if why.is_empty() { "" } else { ": " };
            return Err(Error::bad_input(format!("{} is illegal in this position{colon}{why}", what())));
        }
        self.game.take_action(&mut self.state, self.turn, action);
        self.turn = self.turn.opponent();
        self.outcome = self.game.compute_outcome(&self.state, self.turn, Some(action));
        self.moves.push(action);
        if self.game.forbids_repetition() {
            self.keys.push(self.game.position_key(&self.state));
        }
        Ok(())
    }

    /// What makes an action illegal, as far as the game says.
    fn objection(&self, action: u32) -> Option<&'static str> {
        if action >= self.game.max_actions() {
            return Some("there is no such action");
        }
        if !self.game.is_action_legal(&self.state, self.turn, action) {
            return Some(self.game.why_illegal(&self.state, self.turn, action));
        }
        repeats(&self.game, &self.keys, &self.state, self.turn, action)
            .then_some("it would bring back an earlier position of the game")
    }

    /// The legal actions, ascending; none where the game is over.
    pub fn legal_actions(&self) -> Vec<u32> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        legal_actions(&self.game, &self.keys, &self.state, self.turn).collect()
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The state.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// The player to move.
    pub fn turn(&self) -> Player {
        self.turn
    }

    /// How the game ended, if it did.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The actions played since this position was made.
    pub fn moves(&self) -> &[u32] {
        &self.moves
    }

    /// [Keys](Game::position_key) of the positions from the one that was made to this one; none where the game allows
    /// repetition.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }
}

/// Greatest number of actions: they have ten bits in a link, and their children one workgroup.
const MAX_ACTIONS: u32 = 512;
/// Greatest number of plies. A search keeps as many words for the path of every tree.
const MAX_PLIES: u32 = 1 << 21;
/// Greatest number of words of a state, of which every invocation has one or two of its own.
const MAX_STATE_WORDS: u32 = 1024;
/// Greatest distance between the expansion streams of neighbouring trees.
const MAX_STRIDE: u32 = 512;
/// Greatest number of words of a playout, of which every lane has one.
const MAX_PLAYOUT_WORDS: u32 = 1 << 16;

/// Are the numbers that a game states within their ranges?
///
/// # Errors
/// Bad input, naming the number and its range.
pub(crate) fn check<G: Game>(game: &G) -> Result<()> {
    let shader = game.shader();
    let numbers = [
        ("max_actions", game.max_actions(), 1, MAX_ACTIONS),
        ("max_plies", game.max_plies(), 1, MAX_PLIES),
        ("state_words", game.state_words(), 1, MAX_STATE_WORDS),
        ("expansion_stride", game.expansion_stride(), 1, MAX_STRIDE),
        ("rollout_round", game.rollout_round(), 1, u32::MAX),
        ("playout_words of the shader", shader.playout_words, 0, MAX_PLAYOUT_WORDS),
        ("playout_run of the shader", shader.playout_run.unwrap_or(1), 1, u32::MAX),
        ("ply_turns of the shader", shader.ply_turns, 1, u32::MAX),
        ("lanes of the group", shader.group.as_ref().map_or(1, |group| group.lanes), 1, 1024),
        ("ply_turns of the group", shader.group.as_ref().map_or(1, |group| group.ply_turns), 1, u32::MAX),
    ];
    if let Some((what, number, least, most)) =
        numbers.into_iter().find(|(_, number, least, most)| !(least..=most).contains(&number))
    {
        let range = if most == u32::MAX { format!("at least {least}") } else { format!("{least} to {most}") };
        return Err(Error::bad_input(format!(
            "the game {} has {what} = {number}: let it be {range}",
            described(game)
        )));
    }
    if shader.weighted != game.has_weighted_playouts() {
        return Err(Error::bad_input(format!(
            "the game {} draws by weights in Rust or in its shader alone: let has_weighted_playouts and weighted be the \
             same",
            described(game)
        )));
    }
    Ok(())
}

/// Can these positions be played on in `game`?
///
/// # Errors
/// Bad input where one is of another game, or farther into its game than that can be.
pub(crate) fn check_positions<G: Game>(game: &G, positions: &[Position<G>]) -> Result<()> {
    let identity = Identity::of(game);
    for (number, position) in (1..).zip(positions) {
        let which = if positions.len() == 1 { "the position".into() } else { format!("position {number}") };
        let own = Identity::of(&position.game);
        if own != identity {
            let [own, wanted] = own.told_from(&identity);
            return Err(Error::bad_input(format!(
                "{which} is of another game, {own}, than what it is given to, {wanted}: make both of the same game"
            )));
        }
        let moves = position.moves.len();
        if moves > identity.max_plies as usize {
            return Err(Error::bad_input(format!(
                "{which} is {moves} moves into a game of {}, whose max_plies is {}: make that no less than the longest \
                 game from any position",
                identity.rules, identity.max_plies
            )));
        }
    }
    Ok(())
}

/// A game in words: its name, sizes and rules.
pub(crate) fn described<G: Game>(game: &G) -> String {
    let rules: Vec<_> = game.rules().iter().map(|(name, value)| format!("{name} {value}")).collect();
    if rules.is_empty() { game.name().into() } else { format!("{} ({})", game.name(), rules.join(", ")) }
}

/// What makes two games the same.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    name: &'static str,
    rules: String,
    max_actions: u32,
    max_plies: u32,
    state_words: u32,
    forbids_repetition: bool,
}

impl Identity {
    fn of<G: Game>(game: &G) -> Self {
        Self {
            name: game.name(),
            rules: described(game),
            max_actions: game.max_actions(),
            max_plies: game.max_plies(),
            state_words: game.state_words(),
            forbids_repetition: game.forbids_repetition(),
        }
    }

    /// Both games in words by which they can be told apart.
    fn told_from(&self, other: &Self) -> [String; 2] {
        let numbers = |game: &Self| {
            format!(
                "{} ({} actions, at most {} plies, {} words a state, {} repetition)",
                game.rules,
                game.max_actions,
                game.max_plies,
                game.state_words,
                if game.forbids_repetition { "without" } else { "with" }
            )
        };
        [self, other].map(|game| if self.rules == other.rules { numbers(game) } else { game.rules.clone() })
    }
}

/// Does an action bring back a position with one of these keys?
fn repeats<G: Game>(game: &G, keys: &[u64], state: &G::State, turn: Player, action: u32) -> bool {
    if !game.forbids_repetition() || game.may_repeat(action) {
        return false;
    }
    let mut next = state.clone();
    game.take_action(&mut next, turn, action);
    keys.contains(&game.position_key(&next))
}

/// The legal actions, ascending, after positions of these keys.
pub(crate) fn legal_actions<G: Game>(
    game: &G,
    keys: &[u64],
    state: &G::State,
    turn: Player,
) -> impl Iterator<Item = u32> {
    (0..game.max_actions())
        .filter(move |&a| game.is_action_legal(state, turn, a) && !repeats(game, keys, state, turn, a))
}

/// Positions exactly `depth` plies below a position, a finished game having none below it: the usual count, by which
/// programs compare their move generation.
pub fn perft<G: Game>(position: &Position<G>, depth: u32) -> u64 {
    fn count<G: Game>(game: &G, keys: &mut Vec<u64>, state: &G::State, turn: Player, depth: u32) -> u64 {
        let legal: Vec<u32> = legal_actions(game, keys, state, turn).collect();
        if depth == 1 {
            return legal.len() as u64;
        }
        let mut leaves = 0;
        for action in legal {
            let mut next = state.clone();
            game.take_action(&mut next, turn, action);
            if game.compute_outcome(&next, turn.opponent(), Some(action)).is_some() {
                continue;
            }
            let known = keys.len();
            if game.forbids_repetition() {
                keys.push(game.position_key(&next));
            }
            leaves += count(game, keys, &next, turn.opponent(), depth - 1);
            keys.truncate(known);
        }
        leaves
    }
    if depth == 0 {
        return 1;
    }
    if position.outcome.is_some() {
        return 0;
    }
    count(&position.game, &mut position.keys.clone(), &position.state, position.turn, depth)
}
