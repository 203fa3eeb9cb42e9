//! Counting positions.

use super::{Game, GameVisitor, Player, Position, legal_actions};
use crate::{error::Result, host::parallel};

/// The number of positions exactly `depth` plies below a position, with none below a finished game: the usual count for
/// comparisons of move generators.
///
/// ```
/// use mcts_wgpu::{Position, games::Othello, perft};
///
/// let leaves = [1, 2, 3, 4].map(|depth| perft(&Position::start(&Othello), depth));
/// assert_eq!(leaves, [4, 12, 56, 244].map(Ok));
/// ```
///
/// # Errors
/// Device lost, if the rules run on a device ([`GameFile`](crate::GameFile)).
pub fn perft<G: Game>(position: &Position<G>, depth: u32) -> Result<u64> {
    let leaves = match (depth, position.outcome()) {
        (0, _) => 1,
        (_, Some(_)) => 0,
        (_, None) => position.game().reveal(Count { position, depth }),
    };
    position.game().rules_error().map_or(Ok(leaves), Err)
}

/// The count below an ongoing position, by the game itself.
struct Count<'a, G: Game> {
    position: &'a Position<G>,
    depth: u32,
}

impl<G: Game> GameVisitor for Count<'_, G> {
    type Output = u64;

    fn visit<H: Game>(self, game: &H) -> u64 {
        let position = self.position.translated(game);
        count(game, &mut position.keys().to_vec(), position.state(), position.turn(), self.depth)
    }
}

/// Plies from which on the children of a position are counted side by side.
const SPREAD_PLIES: u32 = 4;

/// The same below an ongoing position, for at least one ply. The last ply is counted without being played.
fn count<G: Game>(game: &G, keys: &mut Vec<u64>, state: &G::State, turn: Player, depth: u32) -> u64 {
    let repeats = game.forbids_repetition();
    if depth == 1 && !repeats {
        return game.legal_actions(state, turn).iter().map(|bits| u64::from(bits.count_ones())).sum();
    }
    let legal = legal_actions(game, keys, state, turn);
    if depth == 1 {
        return legal.count() as u64;
    }
    let next = |action| {
        let mut next = state.clone();
        game.take_action(&mut next, turn, action);
        let outcome = game.compute_outcome(&next, turn.opponent(), Some(action));
        outcome.is_none().then_some((next, turn.opponent()))
    };
    let children: Vec<_> = legal.filter_map(next).collect();
    game.look_ahead(&children);
    let below = |keys: &mut Vec<u64>, (state, turn): &(G::State, Player)| {
        let known = keys.len();
        if repeats {
            keys.push(game.position_key(state));
        }
        let leaves = count(game, keys, state, *turn, depth - 1);
        keys.truncate(known);
        leaves
    };
    if depth >= SPREAD_PLIES && game.check_runs_in_rust().is_ok() {
        let spread = |child: usize| below(&mut keys.clone(), &children[child]);
        return parallel::map(children.len(), &spread).iter().sum();
    }
    children.iter().map(|child| below(keys, child)).sum()
}
