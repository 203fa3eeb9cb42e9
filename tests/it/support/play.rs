//! Helpers of the tests of games: data files, random games, and the distance of a sample from its expectation.

use mcts_wgpu::{Game, Player};
use rand_pcg::{Pcg64Mcg, rand_core::Rng};
use serde_json::Value;

pub fn data(file: &str) -> String {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub fn json_lines(file: &str) -> Vec<Value> {
    data(file).lines().map(|line| serde_json::from_str(line).expect("a JSON document a line")).collect()
}

pub fn integers(list: &Value) -> Vec<u32> {
    list.as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number") as u32).collect()
}

/// A number below `count`.
pub fn pick(rng: &mut Pcg64Mcg, count: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(count)) >> 32) as u32
}

/// The distance of chi-square from its mean, in standard deviations (Wilson and Hilferty's normal approximation).
pub fn z_of_chi_square(chi_square: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    ((chi_square / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// A position `plies` after the start of a random game, or the last one at which a shorter game goes on.
pub fn random_position<G: Game>(game: &G, plies: u32, rng: &mut Pcg64Mcg) -> (G::State, Player) {
    let (mut state, mut turn) = (game.start(), Player::First);
    for _ in 0..plies {
        let legal = legal_actions(game, &state, turn);
        let action = legal[pick(rng, legal.len() as u32) as usize];
        let mut next = state.clone();
        game.take_action(&mut next, turn, action);
        if game.compute_outcome(&next, turn.opponent(), Some(action)).is_some() {
            break;
        }
        (state, turn) = (next, turn.opponent());
    }
    (state, turn)
}

/// Whether the player wins by taking this action now.
pub fn wins_at_once<G: Game>(game: &G, state: &G::State, player: Player, action: u32) -> bool {
    let mut next = state.clone();
    game.take_action(&mut next, player, action);
    game.compute_outcome(&next, player.opponent(), Some(action)) == Some(player.wins())
}

/// The actions by which the player would win at once.
pub fn wins<G: Game>(game: &G, state: &G::State, player: Player) -> Vec<u32> {
    let mut actions = legal_actions(game, state, player);
    actions.retain(|&action| wins_at_once(game, state, player, action));
    actions
}

pub fn legal_actions<G: Game>(game: &G, state: &G::State, turn: Player) -> Vec<u32> {
    (0..game.max_actions()).filter(|&action| game.is_action_legal(state, turn, action)).collect()
}
