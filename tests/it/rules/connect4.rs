//! Connect 4 against independent programs.

use super::{go::rows, outcome_of, replays};
use crate::support::{play::data, prelude::*};
use approx::abs_diff_eq;
use mcts_wgpu::games::Connect4State;

/// P(first wins), P(second wins), P(draw) and expected length of uniformly random play.
type Chances = [f64; 4];

/// Exact chances from a position, by enumeration of all continuations.
fn chances(
    game: &Connect4,
    state: &Connect4State,
    turn: Player,
    known: &mut HashMap<[u32; 2], Chances>,
) -> Chances {
    let mut key = [0; 2];
    game.pack(state, &mut key);
    if let Some(chances) = known.get(&key) {
        return *chances;
    }
    let legal = legal_actions(game, state, turn);
    let mut sum = [0.0; 4];
    for &action in &legal {
        let mut next = *state;
        game.take_action(&mut next, turn, action);
        let rest = match game.compute_outcome(&next, turn.opponent(), Some(action)) {
            Some(Outcome::FirstWins) => [1.0, 0.0, 0.0, 0.0],
            Some(Outcome::SecondWins) => [0.0, 1.0, 0.0, 0.0],
            Some(Outcome::Draw) => [0.0, 0.0, 1.0, 0.0],
            None => chances(game, &next, turn.opponent(), known),
        };
        sum = std::array::from_fn(|i| sum[i] + rest[i]);
    }
    let mean = sum.map(|total| total / legal.len() as f64);
    let chances = [mean[0], mean[1], mean[2], mean[3] + 1.0];
    known.insert(key, chances);
    chances
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

/// A line of connect4_exact_random.txt: the position, and the chances of the mover to win, of a draw, and the length.
fn exact_position(line: &str) -> (Position<Connect4>, [f64; 3]) {
    let (moves, rest) = line.split_once(' ').expect("moves, then numbers");
    let names: Vec<String> =
        moves.chars().map(|c| (c.to_digit(10).expect("a column") - 1).to_string()).collect();
    let position = position_after(&Connect4::default(), &names);
    let rest = numbers(rest);
    (position, [rest[1], rest[2], rest[3]])
}

fn exact_positions() -> Vec<(Position<Connect4>, [f64; 3])> {
    data("connect4_exact_random.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(exact_position)
        .collect()
}

#[test]
fn perft_is_that_of_other_programs() {
    let start = Position::start(&Connect4::default());
    for (depth, leaves) in (1..).zip([7, 49, 343, 2401, 16807, 117649, 823536, 5673234]) {
        assert_eq!(perft(&start, depth), Ok(leaves), "depth {depth}");
    }
}

#[test]
fn random_play_on_small_stands_has_the_exact_chances() {
    for line in data("connect4_exact_small_boards.txt").lines() {
        let expected = numbers(line);
        let game = connect4_of(expected[1] as u32, expected[0] as u32);
        if game.max_plies() <= 20 {
            let found = chances(&game, &game.start(), Player::First, &mut HashMap::new());
            for (found, expected) in found.iter().zip(&expected[2..]) {
                assert!(abs_diff_eq!(*found, *expected, epsilon = 1e-11), "{line}: {found}");
            }
        }
    }
}

#[test]
fn random_play_from_500_positions_has_the_exact_chances() {
    let positions = exact_positions();
    assert_eq!(positions.len(), 500);
    let mut enumerated = 0;
    for (position, expected) in positions {
        let (game, state, turn) = (position.game(), position.state(), position.turn());
        if position.moves().len() >= 28 {
            let found = chances(game, state, turn, &mut HashMap::new());
            let found = [found[turn.index()], found[2], found[3]];
            let pairs = found.into_iter().zip(expected);
            let mut near = pairs.clone().map(|(a, b)| abs_diff_eq!(a, b, epsilon = 1e-11));
            assert!(near.all(|is_near| is_near), "{position:?}: {found:?}");
            enumerated += 1;
        }
    }
    assert!(enumerated > 100, "{enumerated} positions were enumerated");
}

#[test]
fn games_of_openspiel_replay() {
    let games = replays(&Connect4::default(), "traces_connect_four.jsonl");
    assert_eq!(games.len(), 120);
    for (trace, position) in games {
        assert_eq!(position.outcome(), Some(outcome_of(&trace)), "{trace}");
        let board = rows(position.game(), &position).join("\n").to_lowercase();
        assert_eq!(trace["final"].as_str().map(str::trim), Some(board.as_str()));
    }
}

#[test]
fn sizes_are_checked() {
    for (rows, columns) in [(6, 7), (4, 1), (1, 4), (31, 2), (3, 16), (7, 8)] {
        let game = connect4_of(rows, columns);
        assert_eq!((game.rows(), game.columns(), game.max_plies()), (rows, columns, rows * columns));
    }
    for (rows, columns) in [(3, 3), (0, 7), (6, 0), (8, 8), (32, 1), (1, 17), (u32::MAX, 1), (4, u32::MAX)] {
        assert_bad(Connect4::new(rows, columns), "take");
    }
    assert_eq!(Connect4::default().expansion_stride(), 64);
    assert_eq!(connect4_of(4, 4).expansion_stride(), 16);
}

#[test]
fn boards_are_checked() {
    let game = connect4_of(4, 4);
    let error = |rows: &[&str]| game.parse_board(rows).expect_err("no board").to_string();
    assert!(error(&["....", "....", "...."]).contains("3 rows"));
    assert!(error(&["....", "....", "....", "....."]).contains("row 4"));
    assert!(error(&["....", "....", "....", "..x."]).contains("'x'"));
    assert!(error(&["....", ".O..", "....", ".X.."]).contains("column 1"));
    assert!(error(&["....", "....", "..X.", "O..."]).contains("column 2"));
    assert!(error(&["....", "....", "....", "..X\u{e9}"]).contains('\u{e9}'));
}

#[test]
fn finished_and_lopsided_boards_are_taken() {
    let game = Connect4::default();
    let with_bottom = |row: &'static str| [".......", ".......", ".......", ".......", ".......", row];
    for turn in [Player::First, Player::Second] {
        let outcome = |row| position_of(&game, &with_bottom(row), turn).outcome();
        assert_eq!(outcome("XXXX..."), Some(Outcome::FirstWins));
        assert_eq!(outcome("..OOOOO"), Some(Outcome::SecondWins));
        assert_eq!(outcome("XXX.XXX"), None);
    }
    let full = ["XXOOXXO", "OOXXOOX", "XXOOXXO", "OOXXOOX", "XXOOXXO", "OOXXOOX"];
    let position = position_of(&game, &full, Player::First);
    assert_eq!(position.outcome(), Some(Outcome::Draw));
    assert!(position.legal_actions().is_empty());
}
