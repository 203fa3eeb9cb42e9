//! Checks of the optional parts of a game file: solved outcomes, glyphs.

use super::{
    Finding, Part,
    file::{Check, Played, State, words},
};
use crate::{
    game_file::GameFile,
    rules::{Game, Outcome, Player},
};
use std::collections::HashMap;

/// Greatest number of positions that one solution visits, and that all visit.
const MOST_NODES: usize = 300;
const MOST_NODES_IN_ALL: usize = 6000;
/// Positions whose boards are checked.
const MOST_DRAWN: usize = 64;

impl Check<'_> {
    /// Compares solved_outcome with best play, in positions near the ends of games.
    pub(super) fn check_solved(&mut self, played: &[Played]) {
        // With superko an outcome depends on the positions before.
        if !self.game.shader().solves || self.game.forbids_repetition() || !self.findings.is_empty() {
            return;
        }
        let mut solver = Solver { game: self.game, known: HashMap::new(), left: MOST_NODES_IN_ALL };
        for game in played {
            if let Some(finding) = solver.contradiction(game) {
                self.findings.push(finding);
                return;
            }
        }
    }

    /// Checks that the board has a glyph for each value of `cell`.
    pub(super) fn check_boards(&mut self, played: &[Played]) {
        if !self.findings.is_empty() {
            return;
        }
        let ends = played.iter().map(|played| &played.state).take(MOST_DRAWN / 2);
        let others = self.seen.iter().map(|(state, _)| state).take(MOST_DRAWN / 2);
        let wrong = ends.chain(others).find_map(|state| {
            let (row, column, cell) = self.game.cell_without_glyph(state)?;
            Some(format!(
                "cell gives {cell} in row {row}, column {column}, without a character in glyphs, at the position [{}]",
                words(state)
            ))
        });
        self.findings.extend(wrong.map(|what| Finding::general(Part::Boards, what)));
    }
}

/// Outcomes of best play, of positions with few continuations.
struct Solver<'a> {
    game: &'a GameFile,
    known: HashMap<(State, Player), u32>,
    /// Positions that may still be visited.
    left: usize,
}

impl Solver<'_> {
    /// The first position, from the end of a game back, in which solved_outcome contradicts best play.
    fn contradiction(&mut self, played: &Played) -> Option<Finding> {
        let mut states = vec![(self.game.start(), Player::First)];
        for &action in &played.moves {
            let (state, turn) = &states[states.len() - 1];
            let next = self.game.expansion(state, *turn).after(action)?.state.clone();
            states.push((next, turn.opponent()));
        }
        for (ply, (state, turn)) in states[..played.moves.len()].iter().enumerate().rev() {
            let expansion = self.game.expansion(state, *turn);
            for next in expansion.successors.iter().filter(|next| next.solved != 0) {
                let mut left = MOST_NODES.min(self.left);
                let before = left;
                let value = self.value(&next.state, turn.opponent(), &mut left);
                self.left -= before - left;
                let value = value?;
                if next.solved & 3 != value {
                    let name =
                        |code| Outcome::from_code(code).map_or("no outcome".into(), |it| it.to_string());
                    let what = format!(
                        "solved_outcome says '{}' after {}, and best play leads to '{}'",
                        name(next.solved & 3),
                        self.game.action_name(next.action),
                        name(value)
                    );
                    return Some(played.finding(self.game, ply, Part::Foresight, what));
                }
            }
        }
        None
    }

    /// The outcome of best play; `None` if it takes more than `left` positions.
    fn value(&mut self, state: &State, turn: Player, left: &mut usize) -> Option<u32> {
        let key = (state.clone(), turn);
        if let Some(&value) = self.known.get(&key) {
            return Some(value);
        }
        *left = left.checked_sub(1)?;
        let expansion = self.game.expansion(state, turn);
        let mut values = Vec::new();
        for next in &expansion.successors {
            values.push(match next.outcome {
                0 => self.value(&next.state, turn.opponent(), left)?,
                outcome => outcome,
            });
            if values.contains(&(turn.wins() as u32)) {
                break;
            }
        }
        // Codes ascend from the second player's win to the first player's.
        let value = if turn == Player::First { values.iter().max() } else { values.iter().min() };
        let value = value.copied()?;
        self.known.insert(key, value);
        Some(value)
    }
}
