//! Logs are read as they were written, and an incomplete line is cut off.

use super::{match_of, played};
use crate::support::prelude::*;
use mcts_wgpu::{
    Result,
    contest::{Log, read_log},
};
use std::io::Write;

fn games_of(path: &Path) -> Result<(Vec<LoggedGame>, u64)> {
    let mut games = Vec::new();
    let torn = read_log(path, |game| {
        games.push(game);
        Ok(())
    })?;
    Ok((games, torn))
}

/// A log of so many games, and the games.
fn logged(name: &str, count: u64) -> (std::path::PathBuf, Vec<LoggedGame>) {
    let path = fresh_file(name);
    let (mut log, torn) = Log::open(&path, |_| panic!("there are no games")).expect("a log");
    assert_eq!(torn, 0);
    let schedule = match_of(&Connect4::default(), ["vanilla:steps=20", "random"], count);
    (path, played(&schedule, Default::default(), Some(&mut log)))
}

#[test]
fn games_are_read_as_they_were_written() {
    let (path, games) = logged("whole.jsonl", 4);
    assert_eq!(games_of(&path), Ok((games, 0)));
    let go = go_of(3, 0.5).with_superko(true);
    let games = played(&match_of(&go, ["vanilla:steps=5", "random"], 1), Default::default(), None);
    let text = serde_json::to_string(&games[0]).expect("JSON");
    assert_eq!(serde_json::from_str::<LoggedGame>(&text).expect("JSON"), games[0]);
}

/// A player's text may name settings that have no effect in its game.
#[test]
fn a_log_reports_settings_without_effect() {
    let idle = "default:rave=9,steps=1";
    let game = &played(&match_of(&Connect4::default(), [idle, "random"], 1), Default::default(), None)[0];
    assert_eq!((&game.first_idle[..], game.second_idle.len()), (&["rave".to_owned()][..], 0));
    let text = serde_json::to_string(game).expect("JSON");
    assert!(text.contains(r#""first_idle":["rave"]"#) && !text.contains("second_idle"), "{text}");
    assert_eq!(serde_json::from_str::<LoggedGame>(&text).expect("JSON"), *game);
}

#[test]
fn a_torn_line_is_cut_off() {
    let (path, games) = logged("torn.jsonl", 3);
    let whole = fs::read(&path).expect("the log");
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("three lines") + 1;
    for cut in [last + 1, last + 200, whole.len() - 2] {
        fs::write(&path, &whole[..cut]).expect("the log is written");
        let torn = (cut - last) as u64;
        assert_eq!(games_of(&path), Ok((games[..2].to_vec(), torn)), "{cut}");
        let mut found = Vec::new();
        let (mut log, cut_off) = Log::open(&path, |game| {
            found.push(game);
            Ok(())
        })
        .expect("a log");
        assert_eq!((cut_off, &found[..]), (torn, &games[..2]));
        log.add(&games[2]).expect("the log is written");
        assert_eq!(fs::read(&path).expect("the log"), whole, "{cut}");
    }
}

/// Only the end of the line is missing.
#[test]
fn a_game_without_its_line_end_counts() {
    let (path, games) = logged("ends.jsonl", 3);
    let whole = fs::read(&path).expect("the log");
    fs::write(&path, &whole[..whole.len() - 1]).expect("the log is written");
    assert_eq!(games_of(&path), Ok((games.clone(), 0)));
    let mut count = 0;
    let opened = Log::open(&path, |_| {
        count += 1;
        Ok(())
    });
    assert!(opened.is_ok() && count == 3);
    assert_eq!(fs::read(&path).expect("the log"), whole);
}

#[test]
fn other_files_than_logs_stay_unchanged() {
    let path = fresh_file("letter.txt");
    let letter = "Dear reader,\nthis is no log.\n";
    fs::write(&path, letter).expect("the file is written");
    let error = Log::open(&path, |_| Ok(())).expect_err("no log").to_string();
    assert!(error.contains("line 1 of the log") && error.contains("is not a game"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("the file"), letter);
    let (path, _) = logged("middle.jsonl", 2);
    let mut lines = fs::read_to_string(&path).expect("the log");
    lines.insert_str(lines.find('\n').expect("two lines") + 1, "{\"game\":1}\n");
    fs::write(&path, &lines).expect("the log is written");
    let error = games_of(&path).expect_err("no log").to_string();
    assert!(error.contains("line 2 of the log"), "{error}");
    assert!(read_log(Path::new("/no/such/log"), |_| Ok(())).is_err());
}

#[test]
fn empty_lines_do_not_count() {
    let (path, games) = logged("empty.jsonl", 1);
    let mut file = fs::OpenOptions::new().append(true).open(&path).expect("the log");
    file.write_all(b"\n  \n").expect("the log is written");
    assert_eq!(games_of(&path), Ok((games, 0)));
}

/// The second writer does not look for an incomplete line, which the first one may be writing.
#[test]
fn a_log_has_one_writer() {
    let (path, games) = logged("one-writer.jsonl", 1);
    let (mut log, _) = Log::open(&path, |_| Ok(())).expect("a log");
    assert_bad(Log::open(&path, |_| panic!("it was read")), "is in use by another program");
    log.add(&games[0]).expect("the log is written");
    assert_eq!(games_of(&path), Ok(([&games[..], &games[..]].concat(), 0)));
    drop(log);
    assert!(Log::open(&path, |_| Ok(())).is_ok());
}

#[test]
fn only_files_are_logs() {
    for path in ["/dev/zero", "/dev/null", env!("CARGO_TARGET_TMPDIR")] {
        assert!(Log::open(Path::new(path), |_| panic!("it was read")).is_err(), "{path}");
    }
}
