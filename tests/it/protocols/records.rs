//! Game records that a controller has the server load.

use super::{NOTICES, answers, go, last};
use crate::support::prelude::*;

/// The stones after some commands, and who is to move: `XE5 OC7, O`.
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
    format!("{}, {}", stones.collect::<Vec<_>>().join(" "), turn.trim_end_matches(" to move"))
}

/// The board of a record, whole or up to a move.
fn loaded(name: &str, text: impl AsRef<[u8]>, number: &str) -> String {
    let file = write_file(&format!("protocols-{name}.sgf"), text);
    board(go(9), &[&format!("loadsgf {file} {number}")])
}

#[test]
fn numbers_count_the_moves_of_the_record() {
    let twice = "(;SZ[9];B[ee];B[cc];W[gg])";
    for (number, stones) in
        [("1", ", X"), ("2", "XE5, X"), ("3", "XC7 XE5, O"), ("4", "XC7 XE5 OG3, X"), ("", "XC7 XE5 OG3, X")]
    {
        assert_eq!(loaded("twice", twice, number), stones, "{number}");
    }
    let file = write_file("protocols-twice-undo.sgf", twice);
    assert_eq!(board(go(9), &[&format!("loadsgf {file}"), "undo", "undo"]), "XE5, O");
    assert_eq!(last(go(9), &[&format!("loadsgf {file}"), "undo", "undo", "undo", "undo"]), "? cannot undo");
}

/// An inserted pass ends no game, nor do two passes in the record that moves follow.
#[test]
fn moves_follow_passes() {
    assert_eq!(loaded("passes", "(;SZ[9];B[];W[];B[ee])", ""), "XE5, O");
    assert_eq!(loaded("passes-to-3", "(;SZ[9];B[];W[];B[ee])", "3"), ", X");
    assert_eq!(loaded("passed", "(;SZ[9];B[ee];W[];W[cc])", ""), "OC7 XE5, X");
    assert_eq!(loaded("ended", "(;SZ[9];B[ee];W[];B[])", ""), "XE5, X wins");
    // Either player may fill a ko.
    let ko = "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];B[bb])";
    assert!(loaded("ko", ko, "").contains("XB8 XC8 OD8"));
}

#[test]
fn stones_and_turns_are_set_up_anywhere() {
    for (name, text, number, stones) in [
        ("turn", "(;SZ[9];B[ee];W[cc]PL[B];PL[W])", "", "OC7 XE5, O"),
        ("root", "(;SZ[9]AB[cc]AW[gg]PL[W])", "", "XC7 OG3, O"),
        ("later", "(;SZ[9]AB[cc]AW[gg];PL[W])", "", "XC7 OG3, O"),
        ("taken", "(;SZ[9];B[ee];W[cc];AE[cc])", "", "XE5, X"),
        ("before", "(;SZ[9];B[ee];W[cc];AE[cc])", "2", "XE5, O"),
        ("between", "(;SZ[9];B[ee];AW[cc]PL[B];B[gg])", "", "OC7 XE5 XG3, O"),
        ("at", "(;SZ[9];B[ee];AW[cc];W[gg])", "2", "OC7 XE5, O"),
    ] {
        assert_eq!(loaded(name, text, number), stones, "{text}");
    }
    let file = write_file("protocols-taken-undo.sgf", "(;SZ[9];B[ee];W[cc];AE[cc])");
    assert_eq!(board(go(9), &[&format!("loadsgf {file}"), "undo"]), "XE5, O");
}

/// A byte of a name may be that of `\` or `]`.
#[test]
fn text_has_the_encoding_of_the_record() {
    for text in [
        &b"(;CA[Shift_JIS]SZ[9]PB[\x95\x5c];B[ee];W[cc])"[..],
        b"(;SZ[9]PB[\x95\x5c]PW[\xfe\x5d]CA[GBK];B[ee]C[\x95\x5d];W[cc])",
        b"(;CA[ISO-8859-1]SZ[9]PB[Ren\xe9];B[ee];W[cc])",
        "(;CA[gb2312]SZ[9]PB[\u{4e2d}];B[ee];W[cc])".as_bytes(),
    ] {
        assert_eq!(loaded("encoded", text, ""), "OC7 XE5, X", "{}", text.escape_ascii());
    }
    assert_eq!(NOTICES.take(), [""; 0]);
}

#[test]
fn defective_records_are_loaded_with_a_notice() {
    for (text, notice) in [
        ("Hello (c)\n(;SZ[9];B[ee])", "game 1 (line 2): text before the game is ignored"),
        ("(;SZ[9];B[ee]))", "text after the game is ignored"),
        ("(;GM[1]GM[1]SZ[9];B[ee])", "GM is twice"),
        ("(;SZ[9]KM[];B[ee])", "'KM[]' is ignored"),
        ("(;SZ[9]KM[ 6.5 ];B[ee])", "'KM[ 6.5 ]' is read as 6.5"),
        ("(;SZ[9]KM[6,5];B[ee])", "'KM[6,5]' is read as 6.5"),
        ("(;SZ[ 9];B[ee])", "'SZ[ 9]' is read as 9"),
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
    let file = write_file("protocols-game.sgf", "(;SZ[5]KM[3.5];B[cc];W[dd];B[];W[aa])");
    let load = format!("loadsgf {file}");
    let all = answers(go(9), &[&load, "showboard", "final_score", "undo", "undo", "undo", "undo", "undo"]);
    let rows =
        "\n 5 O . . . .\n 4 . . . . .\n 3 . . X . .\n 2 . . . O .\n 1 . . . . .\n   A B C D E\nX to move";
    assert!(all[1].ends_with(rows), "{all:?}");
    assert_eq!(all[2], "= W+4.5");
    assert_eq!(all[6..], ["=", "? cannot undo"]);
    let before = answers(go(9), &[&format!("{load} 2"), "showboard", "genmove w"]);
    assert_eq!((before[1].matches('X').count(), before[1].matches('O').count()), (1, 1), "{before:?}");
    assert!(before[1].ends_with("O to move"), "{before:?}");
    assert_eq!(last(go(9), &[&format!("{load} 99")]), "=");
}

#[test]
fn a_handicap_is_set_up() {
    let file = write_file("protocols-handicap.sgf", "(;SZ[5]HA[2]AB[bb][dd];W[cc])");
    let all = answers(go(9), &[&format!("loadsgf {file}"), "showboard", "genmove b"]);
    assert_eq!((all[1].matches('X').count(), all[1].matches('O').count()), (3, 1), "{all:?}");
}

#[test]
fn a_failed_load_leaves_the_game_unchanged() {
    let written = |text: &str| write_file(&format!("protocols-{}.sgf", text.replace(['(', ';'], "")), text);
    for (file, why) in [
        ("no-such.sgf".into(), "there is no such file"),
        (env!("CARGO_TARGET_TMPDIR").into(), "there is no such file"),
        ("/dev/zero".into(), "there is no such file"),
        (written("(;SZ[5];B[cc];W[cc];B[dd])"), "move 2 (C3) is illegal"),
        (written("(;SZ["), "malformed SGF"),
        (written("(;SZ[5]XX;B[cc];W[dd])"), "line 1: 'XX' is not a property"),
        (written("(;SZ[25];B[cc])"), "a Go board of 25 x 25: give a size from 1 to 19"),
    ] {
        let all = answers(go(9), &["play b D4", &format!("loadsgf {file}"), "showboard"]);
        assert!(all[1].starts_with("? cannot load file: ") && all[1].contains(why), "{file}: {all:?}");
        assert_eq!(all[2].matches('X').count(), 1, "{file}: {all:?}");
    }
    let file = write_file("protocols-fine.sgf", "(;SZ[5];B[cc])");
    assert_eq!(last(go(9), &[&format!("loadsgf {file} 0")]), "? syntax error: 0 is not the number of a move");
    assert!(last(Othello, &[&format!("loadsgf {file}")]).starts_with("? "));
}

/// Kinds of files that GNU Go's and GoGui's collections have, besides those above.
#[test]
fn kinds_of_public_collections_are_loaded() {
    for (kind, text, stones) in [
        ("variations: the first one counts", "(;SZ[9];B[ee](;W[cc];B[gg])(;W[gc]))", "OC7 XE5 XG3, O"),
        ("a variation at the root", "(;SZ[9](;B[ee])(;B[cc]))", "XE5, O"),
        ("a record in a variation of nothing", "(;SZ[9]C[x];(;B[ee]))", "XE5, O"),
        ("several games", "(;SZ[9];B[ee])(;SZ[9];B[cc])", "XE5, O"),
        ("names of the older format", "(;GaMe[1]SiZe[9]Komi[5.5];Black[ee];White[cc])", "OC7 XE5, X"),
        ("a pass as tt", "(;SZ[9];B[ee];W[tt];B[cc])", "XC7 XE5, O"),
        ("escaped brackets in a comment", "(;SZ[9]C[a \\] b [c];B[ee]C[\\\\];W[cc])", "OC7 XE5, X"),
        ("a comment over lines", "(;SZ[9];B[ee]C[one\\\ntwo\n;W(x)];W[cc])", "OC7 XE5, X"),
        ("a semicolon and parentheses in a value", "(;SZ[9]GC[(;B[aa\\])];B[ee])", "XE5, O"),
        ("line ends of DOS", "(;SZ[9]\r\n;B[ee]\r\n;W[cc]\r\n)\r\n", "OC7 XE5, X"),
        ("space between all parts", "( ; SZ [9] ; B\n[ee] ; W [ cc ] )", "OC7 XE5, X"),
        ("a byte order mark", "\u{feff}(;SZ[9];B[ee])", "XE5, O"),
        ("moves in the root", "(;SZ[9]B[ee];W[cc])", "OC7 XE5, X"),
        ("empty nodes", "(;SZ[9];;B[ee];;;W[cc];)", "OC7 XE5, X"),
        (
            "markup",
            "(;SZ[9];B[ee]TR[cc][dd]LB[aa:1][bb:A]MA[ee]SQ[ff]CR[gg]AR[aa:bb]LN[cc:dd];W[cc])",
            "OC7 XE5, X",
        ),
        (
            "times and values",
            "(;SZ[9]TM[600]OT[5x30];B[ee]BL[599.1]OB[5];W[cc]WL[600]V[1.5]BM[1])",
            "OC7 XE5, X",
        ),
        ("properties of one's own", "(;SZ[9]MULTIGOGM[1]XX[a][b];B[ee]ZZZ[]KGSDE[];W[cc])", "OC7 XE5, X"),
        ("figures and move numbers", "(;SZ[9]FG[257:a];B[ee]MN[50]VW[aa:ii]PM[1];W[cc])", "OC7 XE5, X"),
        ("a handicap by stones", "(;SZ[9]HA[2]AB[cg][gc];W[ee])", "XG7 OE5 XC3, X"),
        ("a handicap by Black's moves", "(;SZ[9]HA[2];B[cg];B[gc];W[ee])", "XG7 OE5 XC3, X"),
        ("White begins", "(;SZ[9];W[ee];B[cc])", "XC7 OE5, O"),
        (
            "a problem",
            "(;SZ[9]AB[ab][bb][cb]AW[ac][bc][cc]PL[W]C[White to kill])",
            "XA8 XB8 XC8 OA7 OB7 OC7, O",
        ),
        ("a problem with an answer", "(;SZ[9]AB[ab]AW[ac];W[aa](;B[ba])(;B[ca]))", "XB9 XA8 OA7, O"),
        ("stones set up twice", "(;SZ[9]AB[ee][ee]AW[cc];B[gg])", "OC7 XE5 XG3, O"),
        ("a stone set up in another's place", "(;SZ[9]AB[ee];AW[ee];B[cc])", "XC7 OE5, O"),
        ("a capture", "(;SZ[9];B[ba];W[aa];B[ab])", "XB9 XA8, O"),
        ("a result and no moves", "(;SZ[9]RE[B+R])", ", X"),
        ("both sizes", "(;SZ[9:9];B[ee])", "XE5, O"),
        ("a rectangle", "(;SZ[7:3];B[ga];W[ac])", "XG3 OA1, X"),
        ("a turn by its number", "(;SZ[9]AB[ee]PL[1])", "XE5, X"),
    ] {
        assert_eq!(loaded("kind", text, ""), stones, "{kind}: {text}");
    }
    NOTICES.take();
    let file = write_file("protocols-kind-19.sgf", "(;GM[1]FF[3];B[pd];W[tt];B[dp])");
    let showed = last(go(9), &[&format!("loadsgf {file}"), "list_stones b"]);
    assert_eq!(showed, "= D4 Q16", "19 x 19 where no size is said");
    for (kind, text, why) in [
        ("another game", "(;GM[11]SZ[9];B[a1])", "not a game of Go"),
        ("no game", "", "it has no game"),
        ("two moves in a node", "(;SZ[9];B[ee]W[cc])", "two moves in one node"),
        ("a move off the board", "(;SZ[9];B[jj])", "not on the board"),
    ] {
        let file = write_file("protocols-kind.sgf", text);
        let refused = last(go(9), &[&format!("loadsgf {file}")]);
        assert!(refused.starts_with("? cannot load file: ") && refused.contains(why), "{kind}: {refused}");
    }
}

/// As in GNU Go: the position before the move at a vertex.
#[test]
fn records_are_loaded_to_a_vertex() {
    let text = "(;SZ[9]AB[gg];W[ee];B[cc];W[];B[dd])";
    for (vertex, stones) in
        [("E5", "XG3, O"), ("c7", "OE5 XG3, X"), ("pass", "XC7 OE5 XG3, O"), ("D6", "XC7 OE5 XG3, X")]
    {
        assert_eq!(loaded("vertex", text, vertex), stones, "{vertex}");
    }
    let file = write_file("protocols-vertex.sgf", text);
    for (vertex, why) in [
        ("G3", "? cannot load file: the game has no move at G3"),
        ("Z9", "? syntax error: Z9 is neither the number of a move nor a vertex"),
    ] {
        assert_eq!(last(go(9), &[&format!("loadsgf {file} {vertex}")]), why);
    }
}
