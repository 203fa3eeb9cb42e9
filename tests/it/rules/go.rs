//! Go against independent programs: legal moves, captures, kos, area, notation.

use super::replays;
use crate::support::{play::json_lines, prelude::*};

pub fn wide(rows: u32, columns: u32, komi: f32) -> Go {
    Go::rectangular(rows, columns, komi).expect("sizes and komi in range")
}

/// Rows and columns of rectangular boards, in planes of every width.
pub const RECTANGLES: [(u32, u32); 8] = [(3, 5), (5, 3), (7, 9), (9, 7), (13, 9), (19, 9), (2, 18), (15, 1)];

pub fn rows<G: Game>(game: &G, position: &Position<G>) -> Vec<String> {
    game.board_rows(position.state())
}

fn names<G: Game>(position: &Position<G>) -> Vec<String> {
    let mut names: Vec<String> =
        position.legal_actions().into_iter().map(|a| position.game().action_name(a)).collect();
    names.retain(|name| name != "pass");
    names.sort();
    names
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|s| s.as_str().expect("a string")).collect()
}

#[test]
fn legal_points_and_area_scores() {
    let cases = json_lines("go_legal_score.jsonl");
    assert_eq!(cases.len(), 487);
    for case in cases {
        let game = go_of(case["size"].as_u64().expect("a size") as u32, 7.5);
        let position = position_after(&game, &strings(&case["moves"]));
        let turn = if case["to_move"] == "b" { Player::First } else { Player::Second };
        assert_eq!(position.turn(), turn);
        match case.get("legal") {
            Some(legal) => assert_eq!(names(&position), strings(legal)),
            None => assert!(position.outcome().is_some(), "two passes have ended the game"),
        }
        let board = strings(&case["board"]);
        assert_eq!(rows(&game, &position), board);
        let score = case["area_score_black"].as_i64().expect("a score") as i32;
        assert_eq!(game.area_score(position.state()), score);
        assert_eq!(game.area_score(&game.parse_board(&board).expect("a board")), score);
    }
}

#[test]
fn games_of_openspiel_replay() {
    let game = go_of(9, 7.5);
    for (trace, position) in replays(&game, "traces_go_9x9_komi7.5.jsonl") {
        assert_eq!(rows_of_trace(trace["final"].as_str().expect("a board")), rows(&game, &position));
    }
}

/// OpenSpiel draws ` 9 XO+...`, the top row first.
fn rows_of_trace(board: &str) -> Vec<String> {
    let rows = board.lines().filter_map(|line| line.trim().split_once(' '));
    let rows = rows.filter(|(row, _)| row.parse::<u32>().is_ok());
    rows.map(|(_, points)| points.replace('+', ".")).collect()
}

#[test]
fn a_ko_is_not_retaken_at_once() {
    let game = go_of(5, 0.5);
    let board = [".....", ".....", ".XO..", "XO.O.", ".XO.."];
    let mut position = position_of(&game, &board, Player::First);
    let play =
        |position: &mut Position<Go>, name: &str| position.play(game.parse_action(name).expect("a point"));
    play(&mut position, "C2").expect("captures B2");
    assert_eq!(rows(&game, &position)[3], "X.XO.");
    assert!(play(&mut position, "B2").unwrap_err().is_bad_input());
    for elsewhere in ["E5", "A5", "B2"] {
        play(&mut position, elsewhere).expect("a legal move");
    }
    assert_eq!(rows(&game, &position)[3], "XO.O.");
    assert!(play(&mut position, "C2").is_err());
}

/// The point of a ko is forbidden for one turn, of either player and with any move.
#[test]
fn passes_lift_the_ko() {
    let game = go_of(5, 0.5);
    let board = [".....", ".....", ".XO..", "XO.O.", ".XO.."];
    let captured = |then: &[&str]| {
        let mut position = position_of(&game, &board, Player::First);
        for name in [&["C2"], then].concat() {
            position.play(game.parse_action(name).expect("a point"))?;
        }
        Ok::<_, mcts_wgpu::Error>(position)
    };
    assert_ne!(ko_mark(&game, captured(&[]).expect("legal moves").state()), 0);
    assert_eq!(ko_mark(&game, captured(&["pass"]).expect("legal moves").state()), 0);
    assert!(captured(&["B2"]).expect_err("retaken at once").is_bad_input());
    assert_eq!(rows(&game, &captured(&["pass", "B2"]).expect("the ko is filled"))[3], "XXXO.");
}

/// 0, or 1 + the bit of the point that may not be retaken at once.
pub fn ko_mark(game: &Go, state: &<Go as Game>::State) -> u32 {
    let mut words = vec![0; game.state_words() as usize];
    game.pack(state, &mut words);
    words[words.len() - 1] & 511
}

#[test]
fn games_end_by_two_passes_or_by_the_limit() {
    let game = go_of(5, 0.5);
    let outcome = |game: &Go, moves: &[&str]| position_after(game, moves).outcome();
    assert_eq!(outcome(&game, &["C3", "pass"]), None);
    assert_eq!(outcome(&game, &["C3", "pass", "pass"]), Some(Outcome::FirstWins));
    assert_eq!(outcome(&game, &["pass", "C3", "pass"]), None);
    assert_eq!(outcome(&game, &["pass", "pass"]), Some(Outcome::SecondWins));
    assert_eq!(outcome(&go_of(5, 25.0), &["C3", "pass", "pass"]), Some(Outcome::Draw));
    let short = game.clone().with_max_moves(3).expect("a limit");
    assert_eq!(outcome(&short, &["C3", "D3"]), None);
    assert_eq!(outcome(&short, &["C3", "D3", "A1"]), Some(Outcome::FirstWins));
    assert!(Position::from_moves(&game, &["pass", "pass", "pass"]).unwrap_err().is_bad_input());
}

#[test]
fn notation() {
    let game = go_of(19, 7.5);
    assert_eq!(["A1", "J1", "T19", "A2"].map(|n| game.parse_action(n).unwrap()), [0, 8, 360, 19]);
    let wrong = ["I1", "U1", "A0", "A20", "A01", "A+1", "A", "", "é"];
    assert_eq!(wrong.map(|name| game.parse_action(name)), [None; 9]);
    assert_eq!([1, 9, 13, 19].map(|size| go_of(size, 0.0).state_words()), [3, 7, 13, 25]);
    assert_eq!([1, 9, 19].map(|size| go_of(size, 0.0).expansion_stride()), [4, 128, 512]);
}

/// Captures, an area of one player, a region that both touch, and names on 3 rows of 6 points.
#[test]
fn rectangles_by_hand() {
    let game = wide(3, 6, 0.5);
    assert_eq!((game.pass(), game.max_moves(), game.state_words()), (18, 200, 3));
    assert_eq!(["A1", "F1", "A2", "F3"].map(|name| game.parse_action(name).unwrap()), [0, 5, 6, 17]);
    assert_eq!(["G1", "A4"].map(|name| game.parse_action(name)), [None; 2]);
    let moves = ["B3", "A3", "B2", "F1", "B1", "E2", "A2", "E1", "pass", "E3"];
    let mut position = position_after(&game, &moves);
    assert_eq!(rows(&game, &position), [".X..O.", "XX..O.", ".X..OO"]);
    assert_eq!(game.area_score(position.state()), 6 - 6);
    assert!(!position.legal_actions().contains(&5), "F1 is taken");
    for name in ["C2", "D2", "pass", "pass"] {
        position.play(game.parse_action(name).expect("a point")).expect("a legal move");
    }
    assert_eq!(position.outcome(), Some(Outcome::SecondWins));
    assert_eq!(game.score_text(position.state()), "X has 7 points, O 7 and a komi of 0.5: 7.5");
}

/// A board and its transpose allow the same moves, which have the same effects.
#[test]
fn mirrored_games_are_the_same() {
    for (number, (height, width)) in (0..).zip(RECTANGLES) {
        let games = [(height, width), (width, height)].map(|(rows, columns)| wide(rows, columns, 0.5));
        let games = games.map(|game| game.with_superko(number % 2 == 0));
        let mirrored = |action: u32| match action {
            pass if pass == games[0].pass() => pass,
            point => point % width * height + point / width,
        };
        let [mut position, mut other] = games.each_ref().map(Position::start);
        let (mut stream, mut last) = (Stream::seeded(number), None);
        while position.outcome().is_none() {
            let (turn, legal) = (position.turn(), position.legal_actions());
            let mut expected: Vec<u32> = legal.iter().map(|&action| mirrored(action)).collect();
            expected.sort_unstable();
            assert_eq!(other.legal_actions(), expected, "{position}");
            for action in legal.iter().copied() {
                let facts = |position: &Position<Go>, action, last| {
                    let (game, state) = (position.game(), position.state());
                    (game.action_urgency(state, turn, action), game.action_prior(state, turn, action, last))
                };
                let mirror = facts(&other, mirrored(action), last.map(mirrored));
                assert_eq!(
                    facts(&position, action, last),
                    mirror,
                    "{action} at
{position}"
                );
            }
            // The pass comes last: it is played only as the last action.
            let stones = (legal.len() as u32 - 1).max(1);
            let action = legal[stream.pick(stones) as usize];
            position.play(action).expect("a legal move");
            other.play(mirrored(action)).expect("a legal move");
            last = Some(action);
            let [score, mirror] = [&position, &other].map(|it| it.game().area_score(it.state()));
            assert_eq!(score, mirror, "{position}");
        }
        assert_eq!(position.outcome(), other.outcome());
    }
}

#[test]
fn bad_input() {
    for (size, komi) in [(0, 7.5), (20, 7.5), (9, 0.25), (9, f32::NAN), (9, f32::INFINITY), (9, -1000.5)] {
        assert_bad(Go::new(size, komi), "give a");
    }
    for (rows, columns) in [(0, 9), (9, 20), (20, 1)] {
        assert_bad(Go::rectangular(rows, columns, 0.5), &format!("{rows} x {columns}"));
    }
    for limit in [0, Go::MAX_MOVES + 1] {
        assert!(go_of(9, 0.0).with_max_moves(limit).unwrap_err().is_bad_input());
    }
    let game = go_of(3, 0.5);
    let boards: [(&[&str], &str); 5] = [
        (&["...", "..."], "2 rows: this Go board has 3 rows"),
        (&["...", "....", "..."], "row '....' has 4 points: give 3"),
        (&["...", "..x", "..."], "'x' on C2"),
        (&["OX.", "X..", "..."], "group of A3 on this Go board has no liberty"),
        (&["...", ".XO", ".OX"], "group of C1 on this Go board has no liberty"),
    ];
    for (rows, what) in boards {
        assert_bad(game.parse_board(rows), what);
    }
    // A1 would be suicide.
    assert!(Position::from_moves(&game, &["A2", "C3", "B1", "A1"]).unwrap_err().is_bad_input());
}
