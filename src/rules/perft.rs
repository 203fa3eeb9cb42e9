//! Counting positions.

use super::{Game, Player, Position, legal_actions};

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
    if position.outcome().is_some() {
        return 0;
    }
    count(position.game(), &mut position.keys().to_vec(), position.state(), position.turn(), depth)
}
