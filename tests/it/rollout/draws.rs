//! The games' random numbers.

use super::*;
use crate::support::play::z_of_chi_square;
use approx::assert_abs_diff_eq;
use mcts_wgpu::internals::reference::rollout::stream;

/// Chi-square of counts that should be equal, as standard deviations from its mean (Wilson and Hilferty).
fn z_of_even(counts: &[u32]) -> f64 {
    let cells = counts.len() as f64;
    let expected = counts.iter().map(|&count| f64::from(count)).sum::<f64>() / cells;
    let squares = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected);
    z_of_chi_square(squares.sum(), cells - 1.0)
}

/// Counts the pairs of draw `a` of each game and draw `b` of the game `apart` numbers on.
fn z_of_pairs(seed: u64, [a, b]: [usize; 2], apart: u64) -> f64 {
    const PLACES: u32 = 31;
    let draw = |game, place| {
        let mut stream = stream(seed, game);
        (0..=place).map(|_| stream.pick(PLACES)).last().unwrap_or(0)
    };
    let mut counts = vec![0; (PLACES * PLACES) as usize];
    for game in 0..200_000 {
        counts[(draw(game, a) * PLACES + draw(game + apart, b)) as usize] += 1;
    }
    z_of_even(&counts)
}

#[test]
fn draws_of_a_game_and_of_neighbouring_games_are_independent() {
    for seed in [0, 1, u64::MAX] {
        for places in [[0, 1], [1, 2], [0, 7], [20, 50]] {
            assert_abs_diff_eq!(z_of_pairs(seed, places, 0), 0.0, epsilon = Z_LIMIT);
        }
        for apart in [1, 2, 64, 1 << 16, 1 << 17, 1 << 32] {
            assert_abs_diff_eq!(z_of_pairs(seed, [0, 0], apart), 0.0, epsilon = Z_LIMIT);
            assert_abs_diff_eq!(z_of_pairs(seed, [3, 3], apart), 0.0, epsilon = Z_LIMIT);
        }
    }
    assert!(z_of_pairs(0, [0, 0], 0) > 1000.0, "a draw depends on itself");
}
