//! Game records that a controller has the server load.

use super::{NOTICES, answers, last};
use mcts_wgpu::games::{Go, Othello};
use std::{fs, path::PathBuf};

fn record(name: &str, text: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the directory for temporary files can be written");
    path.to_str().expect("its name is text").to_owned()
}

fn go() -> Go {
    Go::new(9, 7.5).expect("a board")
}

/// The stones after some commands, and who is to move: `XE5 OC7, O to move`.
fn board(game: Go, commands: &[&str]) -> String {
    let all = answers(game, &[commands, &["showboard"]].concat());
    assert!(all.iter().all(|answer| answer.starts_with('=')), "{commands:?}: {all:?}");
    let lines: Vec<&str> = all.last().expect("a board").lines().collect();
    let [_, rows @ .., _, turn] = &lines[..] else { panic!("{lines:?}") };
    let stones = rows.iter().flat_map(|row| {
        let mut cells = row.split_whitespace();
        let number = cells.next().unwrap_or_default();
        let named = cells.zip("ABCDEFGHJ".chars());
        named.filter(|&(cell, _)| cell != ".").map(move |(cell, letter)| format!("{cell}{letter}{number}"))
    });
    format!("{}, {turn}", stones.collect::<Vec<_>>().join(" "))
}

/// What is on the board of a record, up to a move or whole.
fn loaded(name: &str, text: impl AsRef<[u8]>, number: &str) -> String {
    let file = record(&format!("protocols-{name}.sgf"), text);
    board(go(), &[&format!("loadsgf {file} {number}")])
}

#[test]
fn numbers_count_the_moves_of_the_record() {
    let twice = "(;SZ[9];B[ee];B[cc];W[gg])";
    for (number, stones) in [
        ("1", ", X to move"),
        ("2", "XE5, X to move"),
        ("3", "XC7 XE5, O to move"),
        ("4", "XC7 XE5 OG3, X to move"),
        ("", "XC7 XE5 OG3, X to move"),
    ] {
        assert_eq!(loaded("twice", twice, number), stones, "{number}");
    }
    let file = record("protocols-twice-undo.sgf", twice);
    assert_eq!(board(go(), &[&format!("loadsgf {file}"), "undo", "undo"]), "XE5, O to move");
    assert_eq!(last(go(), &[&format!("loadsgf {file}"), "undo", "undo", "undo", "undo"]), "? cannot undo");
}

/// A pass that nobody has made ends no game, and neither do two that were made where moves follow.
#[test]
fn moves_follow_passes() {
    assert_eq!(loaded("passes", "(;SZ[9];B[];W[];B[ee])", ""), "XE5, O to move");
    assert_eq!(loaded("passes-to-3", "(;SZ[9];B[];W[];B[ee])", "3"), ", X to move");
    assert_eq!(loaded("passed", "(;SZ[9];B[ee];W[];W[cc])", ""), "OC7 XE5, X to move");
    assert_eq!(loaded("ended", "(;SZ[9];B[ee];W[];B[])", ""), "XE5, X wins");
    // Whoever took a ko may fill it.
    let ko = "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];B[bb])";
    assert!(loaded("ko", ko, "").contains("XB8 XC8 OD8"));
}

#[test]
fn stones_and_turns_are_set_up_anywhere() {
    for (name, text, number, stones) in [
        ("turn", "(;SZ[9];B[ee];W[cc]PL[B];PL[W])", "", "OC7 XE5, O to move"),
        ("root", "(;SZ[9]AB[cc]AW[gg]PL[W])", "", "XC7 OG3, O to move"),
        ("later", "(;SZ[9]AB[cc]AW[gg];PL[W])", "", "XC7 OG3, O to move"),
        ("taken", "(;SZ[9];B[ee];W[cc];AE[cc])", "", "XE5, X to move"),
        ("before", "(;SZ[9];B[ee];W[cc];AE[cc])", "2", "XE5, O to move"),
        ("between", "(;SZ[9];B[ee];AW[cc]PL[B];B[gg])", "", "OC7 XE5 XG3, O to move"),
        ("at", "(;SZ[9];B[ee];AW[cc];W[gg])", "2", "OC7 XE5, O to move"),
    ] {
        assert_eq!(loaded(name, text, number), stones, "{text}");
    }
    let file = record("protocols-taken-undo.sgf", "(;SZ[9];B[ee];W[cc];AE[cc])");
    assert_eq!(board(go(), &[&format!("loadsgf {file}"), "undo"]), "XE5, O to move");
}

/// A byte of a name may be that of `\` or `]`.
#[test]
fn text_is_of_the_encoding_that_the_record_says() {
    for text in [
        &b"(;CA[Shift_JIS]SZ[9]PB[\x95\x5c];B[ee];W[cc])"[..],
        b"(;SZ[9]PB[\x95\x5c]PW[\xfe\x5d]CA[GBK];B[ee]C[\x95\x5d];W[cc])",
        b"(;CA[ISO-8859-1]SZ[9]PB[Ren\xe9];B[ee];W[cc])",
        "(;CA[gb2312]SZ[9]PB[\u{4e2d}];B[ee];W[cc])".as_bytes(),
    ] {
        assert_eq!(loaded("encoded", text, ""), "OC7 XE5, X to move", "{}", text.escape_ascii());
    }
    assert_eq!(NOTICES.take(), [""; 0]);
}

#[test]
fn what_is_not_as_it_should_be_is_loaded_with_a_note() {
    for (text, notice) in [
        ("Hello (c)\n(;SZ[9];B[ee])", "game 1 (line 2): text before the game is passed over"),
        ("(;SZ[9];B[ee]))", "text after the game is passed over"),
        ("(;GM[1]GM[1]SZ[9];B[ee])", "GM stands twice"),
        ("(;SZ[9]KM[];B[ee])", "'KM[]' is passed over"),
        ("(;SZ[9]KM[ 6.5 ];B[ee])", "'KM[ 6.5 ]' is taken for 6.5"),
        ("(;SZ[9]KM[6,5];B[ee])", "'KM[6,5]' is taken for 6.5"),
        ("(;SZ[ 9];B[ee])", "'SZ[ 9]' is taken for 9"),
        ("(;SZ[9];B[ee]", "its end, a ')', is missing"),
        ("(;SZ[9];B[ee](;W[ee]", "its end, a ')', is missing"),
        ("(;SZ[9];B[ee];W[ee])", "move 2 (E5) is illegal"),
    ] {
        assert_eq!(loaded("lenient", text, "").split(',').next(), Some("XE5"), "{text}");
        let notices = NOTICES.take();
        assert!(notices.iter().any(|said| said.contains(notice)), "{text}: {notices:?}");
        assert!(notices.iter().all(|said| said.starts_with("notice: ")), "{notices:?}");
    }
}

#[test]
fn a_record_is_set_up() {
    let file = record("protocols-game.sgf", "(;SZ[5]KM[3.5];B[cc];W[dd];B[];W[aa])");
    let load = format!("loadsgf {file}");
    let all = answers(go(), &[&load, "showboard", "final_score", "undo", "undo", "undo", "undo", "undo"]);
    assert!(
        all[1].ends_with(
            "\n 5 O . . . .\n 4 . . . . .\n 3 . . X . .\n 2 . . . O .\n 1 . . . . .\n   A B C D E\nX to move"
        ),
        "{}",
        all[1]
    );
    assert_eq!(all[2], "= W+4.5");
    assert_eq!(all[6..], ["=", "? cannot undo"]);
    let before = answers(go(), &[&format!("{load} 2"), "showboard", "genmove w"]);
    assert_eq!((before[1].matches('X').count(), before[1].matches('O').count()), (1, 1), "{before:?}");
    assert!(before[1].ends_with("O to move"), "{before:?}");
    assert_eq!(last(go(), &[&format!("{load} 99")]), "=");
}

#[test]
fn a_handicap_is_set_up() {
    let file = record("protocols-handicap.sgf", "(;SZ[5]HA[2]AB[bb][dd];W[cc])");
    let all = answers(go(), &[&format!("loadsgf {file}"), "showboard", "genmove b"]);
    assert_eq!((all[1].matches('X').count(), all[1].matches('O').count()), (3, 1), "{all:?}");
}

#[test]
fn what_cannot_be_loaded_leaves_the_game_as_it_was() {
    let broken = record("protocols-broken.sgf", "(;SZ[5];B[cc];W[cc];B[dd])");
    let lost = record("protocols-lost.sgf", "(;SZ[5]XX;B[cc];W[dd])");
    let malformed = record("protocols-malformed.sgf", "(;SZ[");
    let large = record("protocols-large.sgf", "(;SZ[25];B[cc])");
    let folder = env!("CARGO_TARGET_TMPDIR");
    for (file, why) in [
        ("no-such.sgf", "there is no such file"),
        (folder, "there is no such file"),
        ("/dev/zero", "there is no such file"),
        (&broken, "move 2 (C3) is illegal"),
        (&malformed, "malformed SGF"),
        (&lost, "line 1: 'XX' is no property"),
        (&large, "only square boards"),
    ] {
        let all = answers(go(), &["play b D4", &format!("loadsgf {file}"), "showboard"]);
        assert!(all[1].starts_with("? cannot load file: ") && all[1].contains(why), "{file}: {all:?}");
        assert_eq!(all[2].matches('X').count(), 1, "{file}: {all:?}");
    }
    let file = record("protocols-fine.sgf", "(;SZ[5];B[cc])");
    assert_eq!(last(go(), &[&format!("loadsgf {file} 0")]), "? syntax error: 0 is no number of a move");
    assert!(last(Othello, &[&format!("loadsgf {file}")]).starts_with("? "));
}
