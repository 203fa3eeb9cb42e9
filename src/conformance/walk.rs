//! The games of the suite.

use super::{Finding, Part};
use crate::{
    error::Result,
    exact::rng::Stream,
    rules::{Game, Outcome, Player, Position, names_of},
};

/// The rules of a game to play.
#[derive(Debug, Clone)]
pub(super) struct Line<G: Game> {
    start: Position<G>,
    actions: Vec<u32>,
    places: Vec<u32>,
    /// Random actions, up to the end of the game, instead of these.
    goes_on: bool,
}

impl<G: Game> Line<G> {
    pub fn from_start(game: &G) -> Self {
        Self { start: Position::start(game), actions: Vec::new(), places: Vec::new(), goes_on: true }
    }

    pub fn new(start: Position<G>, actions: &[u32], places: &[u32]) -> Result<Self> {
        start.after(actions)?;
        Ok(Self { start, actions: actions.to_vec(), places: places.to_vec(), goes_on: false })
    }
}

/// A game that was played: every position of it, and the actions in between.
#[derive(Debug)]
pub(super) struct Walk<G: Game> {
    pub seed: u64,
    /// One more than actions.
    pub states: Vec<(G::State, Player)>,
    pub actions: Vec<u32>,
    /// Moves before the first state.
    before: Vec<u32>,
    /// The first actions of a playout from the first state, as places among the legal actions.
    pub places: Vec<u32>,
    /// The game was played to its end, or to a limit.
    pub is_whole: bool,
}

impl<G: Game> Walk<G> {
    /// Plays until the game is over, or is longer than it may be, or has no legal action.
    pub fn new(line: &Line<G>, seed: u64) -> Self {
        let mut stream = Stream::seeded(seed);
        let mut position = line.start.clone();
        let most = position.game().max_plies() as usize;
        let of = |position: &Position<G>| (position.state().clone(), position.turn());
        let mut walk = Self {
            seed,
            states: vec![of(&position)],
            actions: Vec::new(),
            before: position.moves().to_vec(),
            places: line.places.clone(),
            is_whole: line.goes_on,
        };
        while position.outcome().is_none() && walk.actions.len() < most {
            let scripted = || line.actions.get(walk.actions.len()).copied();
            let action = if line.goes_on { position.random_action(&mut stream) } else { scripted() };
            let Some(action) = action else { break };
            if position.play(action).is_err() {
                break;
            }
            walk.actions.push(action);
            walk.states.push(of(&position));
        }
        walk
    }

    /// A finding at the position after `ply` of its actions.
    pub fn finding(&self, game: &G, ply: usize, part: Part, what: impl Into<String>) -> Finding {
        Finding {
            part,
            what: what.into(),
            moves: names_of(game, &[&self.before, &self.actions[..ply]].concat()),
            seed: self.is_whole.then_some(self.seed),
            adapter: None,
        }
    }

    /// The outcome at the position after `ply` of its actions.
    pub fn outcome(&self, game: &G, ply: usize) -> Option<Outcome> {
        let (state, turn) = &self.states[ply];
        let last = ply.checked_sub(1).map(|last| self.actions[last]);
        game.compute_outcome(state, *turn, last)
    }
}
