//! Exact probabilities of single positions.

use super::*;
use crate::support::prelude::*;
use approx::assert_abs_diff_eq;
use mcts_wgpu::games::OthelloState;

/// Of one position: exact P(win of the mover), P(draw) and expected length.
struct Exact<G: Game> {
    position: Position<G>,
    win: f64,
    draw: f64,
    length: Option<f64>,
    score: Option<f64>,
}

fn mover_wins(report: &RolloutReport, turn: Player) -> u64 {
    match turn.wins() {
        Outcome::FirstWins => report.first_wins,
        _ => report.second_wins,
    }
}

/// Standard errors between a count and its expectation; `None` for a certain outcome, which is then asserted.
fn z_of_count(count: u64, games: u64, p: f64) -> Option<f64> {
    let expected = p * games as f64;
    if p * (1.0 - p) < 1e-9 {
        assert_abs_diff_eq!(count as f64, expected, epsilon = 1e-3);
        return None;
    }
    Some((count as f64 - expected) / (expected * (1.0 - p)).sqrt())
}

fn assert_exact<G: Game>(engine: &Engine, positions: &[Exact<G>], games: u64) {
    let mut rollouts = rollouts(engine, positions[0].position.game(), &seeded(30));
    let (mut squares, mut figures, mut length_off, mut score_off) = (0.0, 0.0, 0.0, 0.0);
    for exact in positions {
        let report = rollouts.run(&exact.position, games).expect("the games are played");
        let wins = mover_wins(&report, exact.position.turn());
        let z = [z_of_count(wins, games, exact.win), z_of_count(report.draws, games, exact.draw)];
        for z in z.into_iter().flatten() {
            // A small expected count is no normal variable: it may deviate further.
            let rare = exact.win.min(exact.draw).min(1.0 - exact.win) * games as f64;
            assert!(z.abs() < Z_LIMIT_OF_MANY || rare < 20.0, "{:?}: {z}", exact.position.moves());
            squares += z * z;
            figures += 1.0;
        }
        length_off += exact.length.map_or(0.0, |length| report.mean_length - length);
        let sign = if exact.position.turn() == Player::First { 1.0 } else { -1.0 };
        score_off += exact.score.zip(report.mean_score).map_or(0.0, |(score, seen)| sign * seen - score);
    }
    assert!(figures > 50.0);
    // Its deviation is sqrt(2 / figures), more where counts are small.
    assert_abs_diff_eq!(squares / figures, 1.0, epsilon = Z_LIMIT * (2.0f64 / figures).sqrt());
    let all_games = (positions.len() as u64 * games) as f64;
    // No game from here is longer than 20 plies, none ends further than 64 from its mean: generous deviations.
    assert_abs_diff_eq!(length_off / positions.len() as f64, 0.0, epsilon = Z_LIMIT * 5.0 / all_games.sqrt());
    assert_abs_diff_eq!(score_off / positions.len() as f64, 0.0, epsilon = Z_LIMIT * 20.0 / all_games.sqrt());
}

fn connect4_positions(every: usize) -> Vec<Exact<Connect4>> {
    let game = Connect4::default();
    let lines =
        data!("connect4_exact_random.txt").lines().filter(|line| !line.starts_with('#')).step_by(every);
    lines
        .map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let columns: Vec<_> = fields[0].bytes().map(|b| (b - b'1').to_string()).collect();
            let [win, draw, length] = [2, 3, 4].map(|field: usize| fields[field].parse().expect("a number"));
            let position = position_after(&game, &columns);
            Exact { position, win, draw, length: Some(length), score: None }
        })
        .collect()
}

fn othello_positions() -> Vec<Exact<Othello>> {
    let lines = data!("othello_exact_random.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let discs = |player: char| {
                (0..)
                    .zip(fields[0].chars())
                    .filter(|(_, c)| *c == player)
                    .map(|(i, _): (u32, _)| 1u64 << i)
                    .sum()
            };
            let turn = if fields[1] == "X" { Player::First } else { Player::Second };
            let state = OthelloState { black: discs('X'), white: discs('O') };
            let [win, draw, score] = [3, 4, 6].map(|field: usize| fields[field].parse().expect("a number"));
            let position = Position::from_state(&Othello, state, turn).expect("a position of the game");
            Exact { position, win, draw, length: None, score: Some(score) }
        })
        .collect()
}

#[test]
fn single_positions_have_their_exact_probabilities() {
    assert_exact(&Engine::cpu(), &connect4_positions(1), 5000);
    assert_exact(&Engine::cpu(), &othello_positions(), 20_000);
    let devices = Devices::open();
    for (engine, device) in devices.engines.iter().zip(&devices.all) {
        let games = games_on(device, 5000);
        let every = if games > 5000 { 1 } else { 5 };
        assert_exact(engine, &connect4_positions(every), games);
        assert_exact(engine, &othello_positions(), games);
    }
}
