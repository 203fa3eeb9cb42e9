//! Game records that a controller has the server load.

use super::{answers, last};
use mcts_wgpu::games::{Go, Othello};
use std::{fs, path::PathBuf};

fn record(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the directory for temporary files can be written");
    path.to_str().expect("its name is text").to_owned()
}

fn go() -> Go {
    Go::new(9, 7.5).expect("a board")
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
    let broken = record("protocols-broken.sgf", "(;SZ[5];B[cc];W[cc])");
    let malformed = record("protocols-malformed.sgf", "(;SZ[");
    let large = record("protocols-large.sgf", "(;SZ[25];B[cc])");
    let folder = env!("CARGO_TARGET_TMPDIR");
    for (file, why) in [
        ("no-such.sgf", "there is no such file"),
        (folder, "there is no such file"),
        ("/dev/zero", "there is no such file"),
        (&broken, "move 2 (C3) is illegal"),
        (&malformed, ""),
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
