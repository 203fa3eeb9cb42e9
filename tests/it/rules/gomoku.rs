//! Gomoku against an independent program, and lines of every length, place and direction.

use super::{go::rows, outcome_of, replays};
use crate::support::prelude::*;
use mcts_wgpu::games::GomokuState;

/// One stone short of a run.
pub struct Threat {
    pub state: GomokuState,
    /// The cell that completes the run.
    pub action: u32,
    /// Stones of the complete run.
    pub run: u32,
}

impl Threat {
    /// The place of the action in the list of a new playout.
    pub fn ordinal(&self, game: &Gomoku, turn: Player) -> u32 {
        let legal = legal_actions(game, &self.state, turn);
        legal.iter().position(|&action| action == self.action).expect("an empty cell") as u32
    }
}

/// All runs of 4 to 7 of `player` in all directions, each with each stone missing, unless five are in line already.
pub fn threats(game: &Gomoku, player: Player) -> Vec<Threat> {
    let (rows, columns) = (game.rows() as i32, game.columns() as i32);
    let mut threats = Vec::new();
    for start in 0..rows * columns {
        for step in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            for run in 4..=7 {
                let cell = |i: i32| (start / columns + i * step.0, start % columns + i * step.1);
                let inside = |(row, column): (i32, i32)| row < rows && (0..columns).contains(&column);
                if inside(cell(run - 1)) {
                    let cells: Vec<u32> =
                        (0..run).map(cell).map(|(row, column)| (row * columns + column) as u32).collect();
                    threats.extend((0..run as usize).filter_map(|gap| threat(game, player, &cells, gap)));
                }
            }
        }
    }
    threats
}

fn threat(game: &Gomoku, player: Player, cells: &[u32], gap: usize) -> Option<Threat> {
    let mut state = game.start();
    for (_, &cell) in cells.iter().enumerate().filter(|&(i, _)| i != gap) {
        game.take_action(&mut state, player, cell);
    }
    let ongoing = game.compute_outcome(&state, player, None).is_none();
    ongoing.then_some(Threat { state, action: cells[gap], run: cells.len() as u32 })
}

/// Rows and columns: both players' lines in one word, and in two.
pub const RECTANGLES: [(u32, u32); 4] = [(6, 14), (15, 7), (5, 18), (20, 6)];

#[test]
fn exactly_five_wins_wherever_it_is() {
    for size in [5, 6, 14, 15, 16, 22] {
        assert_runs_win(&gomoku_of(size), |run| run == 5);
    }
    for (rows, columns) in RECTANGLES {
        assert_runs_win(&Gomoku::rectangular(rows, columns).expect("legal sizes"), |run| run == 5);
    }
}

#[test]
fn five_or_more_win_in_freestyle() {
    for size in [6, 15, 16, 22] {
        let game = gomoku_of(size).with_freestyle(true);
        assert_runs_win(&game, |run| run >= 5);
    }
}

/// Whether a run wins as it should, by every function.
fn assert_runs_win(game: &Gomoku, wins: fn(u32) -> bool) {
    for player in [Player::First, Player::Second] {
        let threats = threats(game, player);
        assert!([4, 5].into_iter().all(|run| threats.iter().any(|threat| threat.run == run)));
        for threat in threats {
            let expected = wins(threat.run).then_some(player.wins());
            let mut playout = game.playout_begin(&threat.state, player);
            let ordinal = threat.ordinal(game, player);
            assert_eq!(game.take_action_playout(&mut playout, ordinal), expected);
            let mut state = threat.state;
            game.take_action(&mut state, player, threat.action);
            assert_eq!(game.compute_outcome(&state, player.opponent(), Some(threat.action)), expected);
            assert_eq!(game.compute_outcome(&state, player.opponent(), None), expected);
            assert_eq!(game.compute_outcome(&state, player, None), expected);
        }
    }
}

/// In OpenSpiel six or more in line end the game: here such a game goes on.
#[test]
fn games_of_openspiel_replay() {
    let games = replays(&Gomoku::default(), "traces_gomoku_15x15.jsonl");
    assert_eq!(games.len(), 24);
    for (trace, position) in games {
        assert!(position.outcome().is_none_or(|outcome| outcome == outcome_of(&trace)), "{trace}");
        let mut rows = rows(position.game(), &position);
        rows.reverse();
        let board = rows.join("\n").replace('X', "b").replace('O', "w");
        // The first line of the record names a player.
        let (_, expected) = trace["final"].as_str().and_then(|text| text.split_once('\n')).expect("a board");
        assert_eq!(expected.trim(), board);
    }
}

#[test]
fn actions_have_the_names_of_their_cells() {
    let game = Gomoku::default();
    assert_eq!(game.action_name(9 * 15 + 7), "H10");
    assert_eq!(game.parse_action("h10"), Some(9 * 15 + 7));
    assert_eq!(game.parse_action("A1"), Some(0));
    for name in ["", "A", "A0", "A01", "A+1", "A16", "P1", "1A", "A1 ", "\u{c4}1", "A99999999999"] {
        assert_eq!(game.parse_action(name), None, "'{name}'");
    }
}

#[test]
fn rectangles_have_their_cells() {
    let game = Gomoku::rectangular(7, 12).expect("legal sizes");
    assert_eq!((game.max_actions(), game.opening_action()), (84, Some(3 * 12 + 6)));
    assert_eq!(game.action_name(83), "L7");
    assert_eq!((game.parse_action("L1"), game.parse_action("A7")), (Some(11), Some(72)));
    assert_eq!((game.parse_action("M1"), game.parse_action("A8")), (None, None));
    let mut rows = vec!["............"; 6];
    rows.insert(0, "...........X");
    let corner = position_of(&game, &rows, Player::Second);
    assert_eq!(game.board_rows(corner.state()), rows);
    assert!(!game.is_action_legal(corner.state(), Player::Second, 83));
}

#[test]
fn sizes_and_boards_are_checked() {
    for size in [0, 4, 23, u32::MAX] {
        assert!(Gomoku::new(size).expect_err("an illegal size").is_bad_input());
    }
    for (rows, columns) in [(4, 9), (9, 23), (u32::MAX, 5)] {
        let refused = Gomoku::rectangular(rows, columns).expect_err("illegal sizes");
        assert!(refused.is_bad_input() && refused.to_string().contains(&format!("{rows} x {columns}")));
    }
    assert_eq!(Gomoku::default().expansion_stride(), 256);
    assert_eq!(gomoku_of(22).expansion_stride(), 512);
    let game = gomoku_of(5);
    let error = |rows: &[&str]| game.parse_board(rows).expect_err("no board").to_string();
    assert!(error(&["....."; 4]).contains("4 rows"));
    assert!(error(&["......"; 5]).contains("row 1"));
    assert!(error(&["..*.."; 5]).contains("'*'"));
}

/// The first row is the top one, with A1 at the bottom left.
#[test]
fn boards_start_at_the_top() {
    let game = gomoku_of(5);
    let rows = [".....", ".....", ".....", ".....", "XO..."];
    let position = position_of(&game, &rows, Player::First);
    let played = position_after(&game, &["A1", "B1"]);
    assert_eq!(position.state(), played.state());
}

#[test]
fn a_full_board_is_a_draw() {
    let game = gomoku_of(5);
    let rows = ["XXOXX", "OOXOO", "XXOXX", "OOXOO", "XXOXX"];
    let position = position_of(&game, &rows, Player::First);
    assert_eq!(position.outcome(), Some(Outcome::Draw));
    assert!(position.legal_actions().is_empty());
}
