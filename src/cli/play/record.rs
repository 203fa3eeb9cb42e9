//! The record of a game.

use crate::{
    error::Result,
    rules::{Game, Position},
};
use std::time::Duration;

/// The positions of a game, and the times of its moves.
#[derive(Debug, Clone)]
pub struct Record<G: Game> {
    /// From the first position, without moves, to the present one; at least one.
    positions: Vec<Position<G>>,
    /// The time of each move, if known.
    times: Vec<Option<Duration>>,
    /// The scored position, if it is not the present one.
    end: Option<Position<G>>,
}

impl<G: Game> Record<G> {
    /// A game that begins with this position.
    ///
    /// # Errors
    /// Bad input if the position's moves are illegal from the start of its game.
    pub fn new(position: &Position<G>) -> Result<Self> {
        if position.moves().is_empty() {
            return Ok(Self { positions: vec![position.clone()], times: Vec::new(), end: None });
        }
        let mut record =
            Self { positions: vec![Position::start(position.game())], times: Vec::new(), end: None };
        position.moves().iter().try_for_each(|&action| record.play(action, None))?;
        Ok(record)
    }

    pub fn now(&self) -> &Position<G> {
        &self.positions[self.positions.len() - 1]
    }

    /// The position by which the game is scored.
    pub fn end(&self) -> &Position<G> {
        self.end.as_ref().unwrap_or(self.now())
    }

    /// Sets the position by which the game, which has ended, is scored.
    pub fn score_as(&mut self, end: Position<G>) {
        self.end = Some(end);
    }

    /// The position before the last move.
    pub fn before(&self) -> Option<&Position<G>> {
        self.positions.iter().rev().nth(1)
    }

    pub fn positions(&self) -> &[Position<G>] {
        &self.positions
    }

    pub fn first(&self) -> &Position<G> {
        &self.positions[0]
    }

    /// The moves and their times.
    pub fn moves(&self) -> impl Iterator<Item = (u32, Option<Duration>)> {
        self.now().moves().iter().copied().zip(self.times.iter().copied())
    }

    /// Plays a move.
    ///
    /// # Errors
    /// Bad input if it is illegal.
    pub fn play(&mut self, action: u32, time: Option<Duration>) -> Result<()> {
        self.positions.push(self.now().after(&[action])?);
        self.times.push(time);
        self.end = None;
        Ok(())
    }

    /// Goes back to the last earlier position for which `holds` returns true; returns false if there is none.
    pub fn go_back(&mut self, holds: impl Fn(&Position<G>) -> bool) -> bool {
        let Some(place) = self.positions[..self.positions.len() - 1].iter().rposition(holds) else {
            return false;
        };
        self.positions.truncate(place + 1);
        self.times.truncate(place);
        self.end = None;
        true
    }
}
