//! Root records: positions in the format of the trees.

use super::layout::{ROOT_HEADER, join, split};
use crate::rules::{Game, Outcome, Position};
use glam::UVec2;

/// A root record: player to move, outcome code, packed state.
pub(crate) fn root_record<G: Game>(position: &Position<G>) -> Vec<u32> {
    let game = position.game();
    let state_words = game.state_words();
    let mut record = vec![0; (ROOT_HEADER + state_words + history_words(game)) as usize];
    record[0] = position.turn() as u32;
    record[1] = Outcome::code(position.outcome());
    let (state, history) = record[ROOT_HEADER as usize..].split_at_mut(state_words as usize);
    game.pack(position.state(), state);
    // The position itself is the first one of every path.
    if let ([count, words @ ..], [earlier @ .., _]) = (history, position.keys()) {
        *count = earlier.len() as u32;
        for (words, &key) in words.chunks_exact_mut(2).zip(earlier) {
            words.copy_from_slice(&split(key).to_array());
        }
    }
    record
}

/// Words of the keys in a root record of a game with superko, 0 for other games: their number, then two words for each
/// position of the longest path.
pub fn history_words<G: Game>(game: &G) -> u32 {
    if game.forbids_repetition() { 1 + 2 * (game.max_plies() + 1) } else { 0 }
}

/// Reads keys in the format of [`root_record`] and [`select`](super::select).
pub(crate) fn keys(words: &[u32]) -> impl Iterator<Item = u64> {
    words.chunks_exact(2).map(|words| join(UVec2::new(words[0], words[1])))
}
