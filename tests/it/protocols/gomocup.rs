//! The Gomocup server.

use super::{brain, list};
use crate::support::{
    prelude::*,
    strange::{cases, one_of},
};
use mcts_wgpu::{
    any_game::AnyGame,
    protocols::{Brain, GomocupServer},
};
use proptest::prelude::*;
use std::io::Cursor;

fn dialogue(lines: &[&str]) -> Vec<String> {
    asked(brain(), lines)
}

fn asked(brain: Brain<AnyGame>, lines: &[&str]) -> Vec<String> {
    let mut answers = Vec::new();
    let input = lines.join("\r\n") + "\r\n";
    GomocupServer::new(brain).serve(Cursor::new(input.into_bytes()), &mut answers).expect("a vector");
    String::from_utf8(answers).expect("answers are text").lines().map(str::to_owned).collect()
}

fn is_cell(answer: &str, size: u32) -> bool {
    let numbers: Vec<Option<u32>> = answer.split(',').map(|number| number.parse().ok()).collect();
    numbers.len() == 2 && numbers.iter().all(|number| number.is_some_and(|number| number < size))
}

#[test]
fn a_game_is_played() {
    let all = dialogue(&list(
        "ABOUT; START 15; INFO timeout_turn 100000; INFO max_memory 0; INFO folder C:\\games; \
        INFO rule 1; BEGIN; restart; turn 7,7; TAKEBACK 7,7; TAKEBACK 7,7; RESTART; TURN 0,0; END; BEGIN",
    ));
    assert_eq!(all[..2], [concat!("name=\"mcts-wgpu\", version=\"", env!("CARGO_PKG_VERSION"), "\""), "OK"]);
    assert!(is_cell(&all[2], 15) && all[3] == "OK" && is_cell(&all[4], 15), "{all:?}");
    assert_eq!(all[5..8], ["OK", "ERROR there is no stone at 7,7", "OK"]);
    assert!(is_cell(&all[8], 15) && all.len() == 9, "{all:?}");
}

#[test]
fn a_board_is_set_up() {
    let all = dialogue(&["START 7", "BOARD", "3,3,2", "2,2,1", "4,4,2", "DONE", "BOARD", "DONE", "BEGIN"]);
    assert!(is_cell(&all[1], 7) && is_cell(&all[2], 7), "{all:?}");
    assert_eq!(all[3], "ERROR the game has begun: send RESTART first");
    // Stones in any order, and of one side alone.
    let all = dialogue(&["START 7", "BOARD", "2,2,1", "3,3,2", "DONE", "BOARD", "1,1,2", "1,2,2", "DONE"]);
    assert!(is_cell(&all[1], 7) && is_cell(&all[2], 7), "{all:?}");
    let wrong = [
        ("3,3,3", "ERROR 3,3,3 is not a stone: write X,Y,1 or X,Y,2"),
        ("9,3,1", "ERROR 9,3 is not a cell of the board"),
        ("2,2,1", "ERROR there is a stone at 2,2 already"),
        ("BEGIN", "ERROR BEGIN is not a stone: write X,Y,1 or X,Y,2"),
    ];
    for (line, answer) in wrong {
        let all = dialogue(&["START 7", "TURN 5,5", "BOARD", "2,2,2", line, "0,0,1", "DONE", "TURN 2,2"]);
        assert_eq!(all[2], answer);
        // The game is unchanged.
        assert!(is_cell(&all[3], 7) || all[3].contains("2,2 already"), "{all:?}");
    }
}

/// Colours are chosen by a search.
#[test]
fn games_are_opened_by_swap2() {
    let opening = |stones: &[&str]| {
        let config = Config { trees: 2, playouts: 8, memory: Some(8 << 20), ..Config::paper() };
        let brain = Brain::new(Engine::cpu(), config.into(), Budget::steps(60));
        asked(brain, &[&["START 9", "SWAP2BOARD"][..], stones, &["DONE", "TURN 8,7"]].concat())
    };
    let placed = opening(&[]);
    let cells: Vec<&str> = placed[1].split(' ').collect();
    assert!(cells.len() == 3 && cells.iter().all(|cell| is_cell(cell, 9)), "{placed:?}");
    assert!(cells[0] == "4,4" && is_cell(&placed[2], 9), "{placed:?}");
    // Black has three in the middle, and White two in corners.
    let swapped = opening(&["3,4", "0,0", "4,4", "8,8", "5,4"]);
    assert!(swapped[1] == "SWAP" && is_cell(&swapped[2], 9), "{swapped:?}");
    // The colours reversed.
    let stayed = opening(&["0,0", "3,4", "8,0", "4,4", "0,8"]);
    assert!(is_cell(&stayed[1], 9) && is_cell(&stayed[2], 9), "{stayed:?}");
}

/// With any seed: all moves on an empty board look alike to a search.
#[test]
fn the_first_move_is_the_middle() {
    let all = dialogue(&["START 15", "BEGIN", "START 20", "BEGIN", "RESTART", "BOARD", "DONE"]);
    assert_eq!(all, ["OK", "7,7", "OK", "10,10", "OK", "10,10"]);
    let rectangles = dialogue(&["RECTSTART 20,15", "BEGIN", "RECTSTART 7, 9", "BEGIN"]);
    assert_eq!(rectangles, ["OK", "10,7", "OK", "3,4"]);
}

#[test]
fn rules_differ_in_lines_of_six() {
    let six: Vec<String> =
        (0..6).flat_map(|x| [format!("{x},0,2"), format!("{},{},1", 2 * (x % 3), 2 + 2 * (x / 3))]).collect();
    for (rule, over) in [("0", true), ("1", false)] {
        let mut lines = vec!["START 15", "INFO rule"];
        let rule = format!("INFO rule {rule}");
        lines[1] = &rule;
        lines.push("BOARD");
        // The fourth of six comes last, so that there are never five.
        lines.extend(six.iter().filter(|line| !line.starts_with("3,0,")).map(String::as_str));
        lines.extend(["3,0,2", "DONE"]);
        let all = dialogue(&lines);
        assert_eq!(all[1].starts_with("ERROR the game is over: "), over, "{rule}: {all:?}");
        assert_eq!(is_cell(&all[1], 15), !over, "{rule}: {all:?}");
    }
}

#[test]
fn unknown_commands_are_answered() {
    for (lines, answer) in [
        (&["BEGIN"][..], "ERROR there is no game yet: send START first"),
        (&["TURN 1,1"], "ERROR there is no game yet: send START first"),
        (&["RESTART"], "ERROR there is no game yet: send START first"),
        (&["START"], "ERROR  is not a size"),
        (&["START 4"], "ERROR no Gomoku on 4 x 4: take a size from 5 to 22"),
        (&["START 99999999999999999999"], "ERROR 99999999999999999999 is not a size"),
        (&["RECTSTART 15,4"], "ERROR no Gomoku on 4 x 15: take a size from 5 to 22"),
        (&["RECTSTART 15"], "ERROR 15 is not a size"),
        (&["RECTSTART 15,x"], "ERROR x is not a size"),
        (&["RECTSTART 7,9", "TURN 7,0"], "ERROR 7,0 is not a cell of the board"),
        (&["RECTSTART 9, 9"], "OK"),
        (
            &["START 9", "INFO rule 4", "BEGIN"],
            "ERROR rule 4 (renju, with forbidden moves of Black) is not supported: send 0 (freestyle) or 1 \
             (exactly five)",
        ),
        (
            &["INFO rule 8", "START 9"],
            "ERROR rule 8 is not supported: send 0 (freestyle) or 1 (exactly five)",
        ),
        (&["START 9", "TURN 9,0"], "ERROR 9,0 is not a cell of the board"),
        (&["START 9", "TURN x"], "ERROR x is not a cell of the board"),
        (
            &["START 9", "SWAP2BOARD", "1,1", "DONE"],
            "ERROR swap2 needs 0, 3 or 5 stones on the board: there are 1",
        ),
        (&["START 9", "SWAP2BOARD", "1,1,1", "DONE"], "ERROR 1,1,1 is not a cell of the board"),
        (&["SWAP2BOARD", "DONE"], "ERROR there is no game yet: send START first"),
        (&["\u{1}\u{2}"], "UNKNOWN   "),
        (&["DONE"], "UNKNOWN DONE"),
    ] {
        assert_eq!(dialogue(lines).last().map(|line| line.trim_end()), Some(answer.trim_end()), "{lines:?}");
    }
    assert_eq!(dialogue(&["", "INFO", "INFO x y", "INFO timeout_turn x", "INFO time_left -5"]), [""; 0]);
    let all = dialogue(&["START 9", "TURN 1,1", "TURN 1,1"]);
    assert_eq!(all[2], "ERROR there is a stone at 1,1 already");
}

#[test]
fn limits_are_kept_however_small() {
    let all = dialogue(&list(
        "START 9; INFO timeout_turn 0; BEGIN; RESTART; INFO timeout_turn 1; INFO timeout_match 1; \
        INFO time_left 0; INFO max_memory 1; BEGIN",
    ));
    assert!(is_cell(&all[1], 9) && is_cell(&all[3], 9), "{all:?}");
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => one_of(
            "START 5|START 9|RECTSTART 6,9|START x|RESTART|BEGIN|TURN|TURN 1,1|TURN 2,2|TURN 9,9|BOARD|\
            SWAP2BOARD|DONE|1,1,1|3,3,2|2,2,2|TAKEBACK 1,1|INFO rule 0|INFO rule 1|INFO rule 2|\
            INFO time_left 0|ABOUT|INFO max_memory 99999999999999999999|INFO max_memory 1||PLAY 1,1",
        ),
        1 => "(TURN|START|INFO|TAKEBACK|END)?[^\\n\\r]{1,12}",
    ]
}

proptest! {
    #![proptest_config(cases(80))]

    /// One answer to each command, except those that the protocol leaves unanswered.
    #[test]
    fn every_command_has_one_answer(lines in prop::collection::vec(line(), 0..16)) {
        let given: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut expected = 0;
        let mut in_board = false;
        for line in given.iter().map(|line| line.trim().to_uppercase()) {
            let word = line.split_whitespace().next().unwrap_or_default().to_owned();
            if line == "END" {
                break;
            }
            match word.as_str() {
                _ if in_board => {
                    in_board = line != "DONE";
                    expected += usize::from(!in_board);
                }
                "BOARD" | "SWAP2BOARD" => in_board = true,
                "" | "INFO" => {}
                _ => expected += 1,
            }
        }
        let answers = dialogue(&given);
        prop_assert_eq!(answers.len(), expected, "{:?}", answers);
        prop_assert!(answers.iter().all(|answer| !answer.is_empty()), "{:?}", answers);
    }
}
