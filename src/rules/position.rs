//! Positions: the starts of searches and rollouts.

use super::{
    ActionBits, Game, Outcome, Player,
    check::{described, packed},
};
use crate::{
    error::{Error, Result},
    exact::rng::Stream,
};
use std::fmt::{self, Display, Formatter};

/// A state with the player to move and its outcome: the start of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Position<G: Game> {
    game: G,
    /// The first state, before the moves.
    first: (G::State, Player),
    state: G::State,
    turn: Player,
    outcome: Option<Outcome>,
    moves: Vec<u32>,
    /// Keys of the positions from the first one to this one, for games with superko.
    keys: Vec<u64>,
    /// The only actions that a search considers, ascending.
    restriction: Option<Vec<u32>>,
}

impl<G: Game> Position<G> {
    /// The start of a game.
    pub fn start(game: &G) -> Self {
        Self::new(game, game.start(), Player::First)
    }

    /// A state of a game, with the player to move.
    ///
    /// # Errors
    /// Bad input if the game cannot have such a state ([`Game::check_state`]).
    pub fn from_state(game: &G, state: G::State, turn: Player) -> Result<Self> {
        game.check_state(&state)?;
        Ok(Self::new(game, state, turn))
    }

    fn new(game: &G, state: G::State, turn: Player) -> Self {
        let outcome = game.compute_outcome(&state, turn, None);
        let keys = game.forbids_repetition().then(|| game.position_key(&state)).into_iter().collect();
        let first = (state.clone(), turn);
        Self { game: game.clone(), first, state, turn, outcome, moves: Vec::new(), keys, restriction: None }
    }

    /// The position after `moves`, given as action names or indexes, from the start.
    ///
    /// # Errors
    /// Bad input if a move is unknown, illegal, or after the end of the game.
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
    /// Bad input if the rows are no possible board.
    pub fn from_board<S: AsRef<str>>(game: &G, rows: &[S], turn: Player) -> Result<Self> {
        let rows: Vec<&str> = rows.iter().map(AsRef::as_ref).collect();
        Self::from_state(game, game.parse_board(&rows)?, turn)
    }

    /// The same position, at which a search considers these actions alone (specification, "Restricted roots"). They
    /// remain the only ones until the next move. The rules, rollouts and players ignore them.
    ///
    /// ```
    /// use mcts_wgpu::{Budget, Engine, Position, Search, Settings, games::Connect4};
    /// let game = Connect4::default();
    /// let mut search = Search::new(&Engine::cpu(), game.clone(), Settings::default())?;
    /// let report = search.run(&Position::start(&game).restricted_to(&[0, 5])?, Budget::steps(20))?;
    /// assert_eq!(report.actions.iter().map(|action| action.index).collect::<Vec<_>>(), [0, 5]);
    /// # Ok::<(), mcts_wgpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// Bad input without actions, and for an illegal one.
    pub fn restricted_to(mut self, actions: &[u32]) -> Result<Self> {
        let legal = self.legal_actions();
        if let Some(&action) = actions.iter().find(|&action| !legal.contains(action)) {
            return Err(Error::invalid(format!(
                "{} is illegal in this position: restrict it to legal actions",
                self.game.action_name(action)
            )));
        }
        if actions.is_empty() {
            return Err(Error::invalid("a restriction to no action: give at least one"));
        }
        self.restriction = Some(legal.into_iter().filter(|action| actions.contains(action)).collect());
        Ok(self)
    }

    /// The actions that it is [restricted to](Self::restricted_to), ascending; `None` without a restriction.
    pub fn restriction(&self) -> Option<&[u32]> {
        self.restriction.as_deref()
    }

    /// An action from its name or its index.
    ///
    /// # Errors
    /// Bad input if there is no such action.
    pub fn parse_action(&self, name: &str) -> Result<u32> {
        let name = name.trim();
        let index = name.parse().ok().filter(|&a| a < self.game.max_actions());
        index.or_else(|| self.game.parse_action(name)).ok_or_else(|| {
            Error::invalid(format!(
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
    /// Bad input if the action is illegal or the game is over; the error of rules that run on a device.
    pub fn play(&mut self, action: u32) -> Result<()> {
        let what = || format!("move {} ({})", self.moves.len() + 1, self.game.action_name(action));
        if self.outcome.is_some() {
            return Err(Error::invalid(format!("{} comes after the end of the game", what())));
        }
        let objection = self.objection(action);
        if let Some(error) = self.game.rules_error() {
            return Err(error);
        }
        if let Some(why) = objection {
            let colon = if why.is_empty() { "" } else { ": " };
            return Err(Error::invalid(format!("{} is illegal in this position{colon}{why}", what())));
        }
        self.game.take_action(&mut self.state, self.turn, action);
        self.turn = self.turn.opponent();
        self.outcome = self.game.compute_outcome(&self.state, self.turn, Some(action));
        self.moves.push(action);
        self.restriction = None;
        if self.game.forbids_repetition() {
            self.keys.push(self.game.position_key(&self.state));
        }
        self.game.rules_error().map_or(Ok(()), Err)
    }

    /// The position after further actions.
    ///
    /// # Errors
    /// As [`play`](Self::play).
    pub(crate) fn after(&self, actions: &[u32]) -> Result<Self> {
        let mut position = self.clone();
        actions.iter().try_for_each(|&action| position.play(action))?;
        Ok(position)
    }

    /// The same moves from the same first state, under other rules of the game.
    pub(crate) fn with_game(&self, game: &G) -> Result<Self> {
        let (state, turn) = self.first.clone();
        Self::from_state(game, state, turn)?.after(&self.moves)
    }

    /// The same position of the same game by another type.
    pub(crate) fn translated<H: Game>(&self, game: &H) -> Position<H> {
        let state = |state: &G::State| game.unpack(&packed(&self.game, state));
        Position {
            game: game.clone(),
            first: (state(&self.first.0), self.first.1),
            state: state(&self.state),
            turn: self.turn,
            outcome: self.outcome,
            moves: self.moves.clone(),
            keys: self.keys.clone(),
            restriction: self.restriction.clone(),
        }
    }

    /// The same position of a game of type `H`, if it is one.
    pub(crate) fn of_type<H: Game>(&self) -> Option<Position<H>> {
        self.game.as_any().downcast_ref().map(|game| self.translated(game))
    }

    /// Takes the last action back and returns it; `None` at the first position.
    ///
    /// ```
    /// use mcts_wgpu::{Position, games::Connect4};
    /// let mut position = Position::start(&Connect4::default());
    /// position.play(3)?;
    /// assert_eq!((position.undo(), position.undo()), (Some(3), None));
    /// # Ok::<(), mcts_wgpu::Error>(())
    /// ```
    pub fn undo(&mut self) -> Option<u32> {
        let (&last, earlier) = self.moves.split_last()?;
        let first = Self::new(&self.game, self.first.0.clone(), self.first.1);
        *self = first.after(earlier).ok()?;
        Some(last)
    }

    /// The reason why an action is illegal, if the game gives one.
    fn objection(&self, action: u32) -> Option<&'static str> {
        if action >= self.game.max_actions() {
            return Some("there is no such action");
        }
        if !self.game.is_action_legal(&self.state, self.turn, action) {
            return Some(self.game.why_illegal(&self.state, self.turn, action));
        }
        repeats(&self.game, &self.keys, &self.state, self.turn, action)
            .then_some("it would repeat an earlier position of the game")
    }

    /// The legal actions, ascending; none if the game is over.
    pub fn legal_actions(&self) -> Vec<u32> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        legal_actions(&self.game, &self.keys, &self.state, self.turn).collect()
    }

    /// A legal action, drawn uniformly; `None` if there is none.
    pub(crate) fn random_action(&self, stream: &mut Stream) -> Option<u32> {
        let legal = self.legal_actions();
        (!legal.is_empty()).then(|| legal[stream.pick(legal.len() as u32) as usize])
    }

    /// Checks that there is a legal action, if the game goes on.
    ///
    /// # Errors
    /// Bad input if there is none: the rules allow no action, or each would repeat an earlier position.
    pub fn check_goes_on(&self) -> Result<()> {
        let game = &self.game;
        let can_move = || legal_actions(game, &self.keys, &self.state, self.turn).next().is_some();
        if self.outcome.is_some() || can_move() {
            return Ok(());
        }
        let why = if game.forbids_repetition() { " or would repeat an earlier position" } else { "" };
        Err(game.rules_error().unwrap_or_else(|| {
            Error::invalid(format!(
                "{} is to move, the game goes on, and every action is illegal{why}: let the rules of {} have a pass, \
                 or an outcome, for such a position",
                self.turn.symbol(),
                described(game)
            ))
        }))
    }

    /// The actions of a tree's root, ascending, none if the game is over; and whether legal ones are left out.
    pub(crate) fn tried_actions(&self, prunes: bool) -> (Vec<u32>, bool) {
        if self.outcome.is_some() {
            return (Vec::new(), false);
        }
        let (mut actions, left_out) = tried_actions((&self.game, prunes), &self.keys, &self.state, self.turn);
        let tried = actions.len();
        actions.retain(|action| self.restriction.as_ref().is_none_or(|only| only.contains(action)));
        let is_restricted = actions.len() < tried;
        (actions, left_out || is_restricted)
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

    /// The outcome; `None` while the game goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The actions played since this position was made.
    pub fn moves(&self) -> &[u32] {
        &self.moves
    }

    /// The names of the [moves](Self::moves).
    pub(crate) fn move_names(&self) -> Vec<String> {
        names_of(&self.game, &self.moves)
    }

    /// [Keys](Game::position_key) of the positions from the first one to this one; none for a game without superko.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }
}

/// The board, and the player to move or the outcome.
impl<G: Game> Display for Position<G> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for row in self.game.board_rows(&self.state) {
            let cells: Vec<_> = row.chars().map(String::from).collect();
            writeln!(f, "{}", cells.join(" "))?;
        }
        match self.outcome {
            None => write!(f, "{} to move", self.turn.symbol()),
            Some(outcome) => write!(f, "{outcome}"),
        }
    }
}

/// The names of actions.
pub(crate) fn names_of<G: Game>(game: &G, actions: &[u32]) -> Vec<String> {
    actions.iter().map(|&action| game.action_name(action)).collect()
}

/// Whether an action repeats a position with one of these keys.
fn repeats<G: Game>(game: &G, keys: &[u64], state: &G::State, turn: Player, action: u32) -> bool {
    if !game.forbids_repetition() || game.may_repeat(action) {
        return false;
    }
    let mut next = state.clone();
    game.take_action(&mut next, turn, action);
    keys.contains(&game.position_key(&next))
}

/// The legal actions, ascending, after positions with these keys.
pub(crate) fn legal_actions<G: Game>(
    game: &G,
    keys: &[u64],
    state: &G::State,
    turn: Player,
) -> impl Iterator<Item = u32> {
    each_action(game.legal_actions(state, turn)).filter(move |&a| !repeats(game, keys, state, turn, a))
}

/// The actions of a set, ascending.
pub(crate) fn each_action(actions: ActionBits) -> impl Iterator<Item = u32> {
    (0..).zip(actions).flat_map(|(word, bits)| {
        let next = |&bits: &u64| Some(bits & (bits - 1)).filter(|&rest| rest != 0);
        std::iter::successors(Some(bits).filter(|&bits| bits != 0), next)
            .map(move |bits| 64 * word + bits.trailing_zeros())
    })
}

/// The greatest urgency of an action: `MAX_URGENCY` of `shaders/lib/game.wgsl`.
pub(crate) const MAX_URGENCY: u32 = 4;
/// The least urgency whose actions may replace all less urgent ones without changing the outcome of best play:
/// `FORCING_URGENCY` of `shaders/lib/game.wgsl`.
const FORCING_URGENCY: u32 = 2;

/// The actions of the children of a tree's node, ascending, after positions with these keys: if the tree `prunes`, the
/// most [urgent](Game::action_urgency) legal ones. And whether actions that might be better are left out.
pub(crate) fn tried_actions<G: Game>(
    (game, prunes): (&G, bool),
    keys: &[u64],
    state: &G::State,
    turn: Player,
) -> (Vec<u32>, bool) {
    let mut actions: Vec<u32> = legal_actions(game, keys, state, turn).collect();
    if !prunes {
        return (actions, false);
    }
    let legal = actions.len();
    let urgency: Vec<u32> =
        actions.iter().map(|&action| game.action_urgency(state, turn, action).min(MAX_URGENCY)).collect();
    let most = urgency.iter().copied().max().unwrap_or(0);
    let mut urgency = urgency.into_iter();
    actions.retain(|_| urgency.next() == Some(most));
    let left_out = most < FORCING_URGENCY && actions.len() < legal;
    (actions, left_out)
}
