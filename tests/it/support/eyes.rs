//! Eyes of Go by the text of the board alone.

use mcts_wgpu::{Game, Player, Position, games::Go};
use rand_pcg::{
    Pcg64,
    rand_core::{Rng, SeedableRng},
};

/// Is this an empty point whose neighbours are all stones of the player to move, with none of the opponent on its
/// diagonals, or one where no diagonal leaves the board?
pub fn is_own_eye(position: &Position<Go>, action: u32) -> bool {
    let (rows, columns) = (position.game().rows() as i32, position.game().columns() as i32);
    let text = position.game().board_rows(position.state());
    let (row, column) = (action as i32 / columns, action as i32 % columns);
    let at = |row: i32, column: i32| {
        let inside = (0..rows).contains(&row) && (0..columns).contains(&column);
        inside.then(|| text[(rows - 1 - row) as usize].as_bytes()[column as usize])
    };
    let [own, other] = if position.turn() == Player::First { *b"XO" } else { *b"OX" };
    let beside = [(0, 1), (1, 0), (0, -1), (-1, 0)].map(|(up, right)| at(row + up, column + right));
    let across = [(1, 1), (1, -1), (-1, 1), (-1, -1)].map(|(up, right)| at(row + up, column + right));
    let taken = across.iter().filter(|point| **point == Some(other)).count();
    let allowed = if across.contains(&None) { 0 } else { 1 };
    let hemmed = beside.iter().flatten().all(|&point| point == own);
    action < position.game().pass() && at(row, column) == Some(b'.') && hemmed && taken <= allowed
}

/// Positions of a random game in which no own eye is filled.
pub fn game_with_eyes(game: &Go, seed: u64) -> Vec<Position<Go>> {
    let mut random = Pcg64::seed_from_u64(seed);
    let (mut position, mut seen) = (Position::start(game), Vec::new());
    while position.outcome().is_none() {
        let mut actions = position.legal_actions();
        actions.retain(|&action| !is_own_eye(&position, action));
        // The pass comes last, and is taken only if it is the only action.
        let places = (actions.len() - 1).max(1);
        seen.push(position.clone());
        position.play(actions[random.next_u64() as usize % places]).expect("a legal action");
    }
    seen
}
