//! Distributions of draws: as likely as their ratings.

use super::{HASHED_DIAMONDS, HASHED_SQUARES, go, rules::candidates};
use crate::support::{play::z_of_chi_square, prelude::*};
use mcts_wgpu::internals::reference::playout::draw_ordinal;

/// Greatest distance from a known figure, in standard errors.
const Z_LIMIT: f64 = 4.0;

/// Chi-square of counts against expected ones, as standard deviations from its mean.
fn z_of(counts: &[(f64, f64)]) -> f64 {
    let freedom = counts.len() as f64 - 1.0;
    let squares: f64 = counts.iter().map(|(seen, expected)| (seen - expected).powi(2) / expected).sum();
    z_of_chi_square(squares, freedom)
}

#[test]
fn points_are_drawn_as_often_as_their_ratings_say() {
    const DRAWS: u32 = 100_000;
    for (seed, table) in [&HASHED_SQUARES, &HASHED_DIAMONDS].into_iter().enumerate() {
        let game = go(7, 0.5).with_patterns(table);
        let moves = ["D4", "C3", "E3", "D2", "C5", "F4", "E5", "B2", "D3", "E2"];
        let position = position_after(&game, &moves);
        let weights = candidates(&game, table, position.state(), position.turn());
        let mut stream = Stream::seeded(seed as u64);
        let mut seen: HashMap<_, u32> = HashMap::new();
        for _ in 0..DRAWS {
            let mut playout = game.playout_begin(position.state(), position.turn());
            let count = game.legal_actions_playout(&mut playout);
            let ordinal = draw_ordinal(&game, &mut stream, count);
            game.take_action_playout(&mut playout, ordinal);
            *seen.entry(game.playout_state(&playout)).or_default() += 1;
        }
        let total: u32 = weights.iter().map(|(_, weight)| weight).sum();
        let count_of = |&(action, weight): &(u32, u32)| {
            let mut state = *position.state();
            game.take_action(&mut state, position.turn(), action);
            let expected = f64::from(DRAWS) * f64::from(weight) / f64::from(total);
            (f64::from(seen.remove(&state).unwrap_or(0)), expected)
        };
        // Rare points together: chi-square needs some of each.
        let counts: Vec<_> = weights.iter().map(count_of).collect();
        let is_rare = |&&(_, expected): &&(f64, f64)| expected <= 10.0;
        let mut often: Vec<_> = counts.iter().filter(|count| !is_rare(count)).copied().collect();
        let rare: Vec<_> = counts.iter().filter(is_rare).collect();
        often.push((rare.iter().map(|(seen, _)| seen).sum(), rare.iter().map(|(_, e)| e).sum()));
        often.retain(|(_, expected)| *expected > 10.0);
        assert!(seen.is_empty() && often.len() > 20, "only candidates are drawn");
        let z = z_of(&often);
        assert!(z.abs() < Z_LIMIT, "{z} standard deviations off");
        let uniform = f64::from(DRAWS) / counts.len() as f64;
        let alike: Vec<_> = counts.iter().map(|&(seen, _)| (seen, uniform)).collect();
        assert!(z_of(&alike) > 20.0, "ratings differ");
    }
}
