//! `gtp` and `gomocup`, driven through pipes.

use crate::support::prelude::*;
use std::{
    io::{BufRead, Write},
    process::{ChildStdin, ChildStdout},
};

const QUICK: &str = "--adapter cpu --trees 1 --playouts 1 --steps 2";

fn output_of(arguments: &str, input: &str) -> String {
    let done = run_with_input(arguments, input.as_bytes()).succeeded();
    assert_eq!(done.err, "");
    done.out
}

#[test]
fn games_and_boards_are_chosen() {
    for (game, last_row) in [
        ("", "   A B C D E F G H J\nX to move"),
        ("--game GO --size 5 --komi 0.5", " 1 . . . . .\n   A B C D E\nX to move"),
        ("--game gomoku --size 6 --freestyle", " 1 . . . . . .\n   A B C D E F\nX to move"),
        ("--game othello", " 8 . . . . . . . .\n   A B C D E F G H\nX to move"),
        ("--game connect4 --rows 5 --columns 6", "\n. . . . . .\nX to move"),
    ] {
        let out = output_of(&format!("gtp {game} {QUICK}"), "showboard\ngenmove b\n");
        let showed = out.split("\n\n").next().unwrap_or_default();
        assert!(showed.ends_with(last_row), "{out}");
        assert_eq!(out.matches("\n\n").count(), 2, "{out}");
    }
}

/// The rules run on an adapter, even a software one.
#[test]
fn a_game_of_a_file_is_played() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.wgsl");
    let arguments = format!("gtp --game-file {file} --trees 1 --playouts 1 --steps 2");
    let out = run_with_input(&arguments, b"play b b2\ngenmove w\nfinal_score\nplay b b2\nshowboard\n")
        .succeeded()
        .out;
    let answers: Vec<&str> = out.split("\n\n").collect();
    assert_eq!((answers[0], answers[2]), ("=", "? cannot score: the game has not ended"), "{out}");
    assert!(answers[1].starts_with("= ") && answers[1] != "= b2", "{out}");
    assert!(answers[3].starts_with("? illegal move") && answers[4].ends_with("X to move"), "{out}");
}

#[test]
fn defects_of_records_are_reported_on_standard_error() {
    let file = write_file("noted.sgf", "(;SZ[5]KM[6,5];B[cc];W[dd]");
    let loaded = run_with_input(&format!("gtp {QUICK}"), format!("loadsgf {file}\n").as_bytes()).succeeded();
    assert_eq!(loaded.out, "=\n\n");
    let played = run_with_input(&format!("play go --size 5 --komi 6.5 --load {file} {QUICK}"), b"quit\n");
    let learnt = run(&format!("learn-patterns {file} --out {file}.txt"));
    for said in [loaded.err, played.err, learnt.err] {
        assert_has(&said, &["notice: ", "game 1 (line 1): 'KM[6,5]' is read as 6.5\n"]);
        assert_has(&said, &["a ')', is missing\n"]);
    }
}

#[test]
fn every_search_option_is_taken() {
    let options = "--variant ocp-thrifty --ucb-c 1.5 --seed 3 --memory 0.01 --policy pattern3x3 \
                   --reuse --no-pruning --resign 0";
    let out =
        output_of(&format!("gtp --size 5 {options} {QUICK}"), "genmove b\ngenmove w\ngenmove b\nquit\n");
    assert_eq!(out.matches("= ").count(), 3, "{out}");
    let out =
        output_of(&format!("gomocup --reuse {QUICK}"), "START 9\nBEGIN\nTURN 0,0\nTURN 0,1\nEND\nABOUT\n");
    assert!(out.starts_with("OK\n") && out.lines().count() == 4, "{out}");
}

#[test]
fn bad_options_are_refused() {
    run("gtp --game chess").refused(&["unknown game 'chess'", "connect4, gomoku"]);
    run("gtp --game othello --size 8").refused(&["--size is no option of othello"]);
    run("gtp go").refused(&["'go'"]);
    run("gtp --size 20").refused(&["20 x 20", "1 to 19"]);
    run("gtp --playouts 100").refused(&["100 playouts"]);
    run("gtp --memory 0.00001 --adapter cpu").refused(&["too little memory"]);
    run("gtp --resign 0.51").refused(&["'0.51'", "0 (never) to 0.5"]);
    run("gomocup --size 15").refused(&["'--size'"]);
    run("gomocup --steps 0").refused(&["--steps 0"]);
    for command in ["gtp", "gomocup"] {
        assert!(run(&format!("{command} --help")).succeeded().out.contains("--playouts"));
    }
}

/// Bytes of any kind, and an end in the middle of a line.
#[test]
fn garbage_is_survived() {
    let bytes: Vec<u8> = (0..60_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for command in ["gtp --size 5", "gomocup"] {
        let done = run_with_input(&format!("{command} {QUICK}"), &bytes).succeeded();
        assert!(done.err.is_empty() && !done.out.is_empty(), "{done}");
    }
}

struct Dialogue {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Dialogue {
    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the program reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the program writes");
        line.trim_end().to_owned()
    }

    /// An answer of one line.
    fn answer(&mut self, command: &str) -> String {
        self.say(command);
        let answer = self.line();
        assert_eq!(self.line(), "");
        answer
    }
}

fn with_program(arguments: &str, talk: impl FnOnce(&mut Dialogue)) {
    let mut child = start(arguments);
    let input = child.stdin.take().expect("it is piped");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut dialogue = Dialogue { input, output };
    talk(&mut dialogue);
    drop(dialogue);
    assert!(child.wait().expect("the program ends").success());
}

/// As by front ends: lines come until the next command, whose answer follows.
#[test]
fn a_position_is_analysed_until_the_next_command() {
    with_program("gtp --size 5 --adapter cpu --trees 2 --playouts 8 --memory 0.05", |program| {
        for (command, sign) in [("7 lz-analyze b 5", "=7"), ("kata-analyze interval 5", "=")] {
            program.say(command);
            assert_eq!(program.line(), sign);
            let mut visits = 0;
            // On a busy machine, the first interval may have no results.
            for _ in 0..3 {
                let line = program.line();
                let words: Vec<&str> = line.split(' ').collect();
                assert_eq!([0, 1, 3, 5].map(|at| words[at]), ["info", "move", "visits", "winrate"], "{line}");
                let now: u64 = words[4].parse().expect("a number");
                assert!(now >= visits, "trees are gone on with: {line}");
                visits = now;
            }
            program.say("play b C3");
            while program.line() != "" {}
            assert_eq!((program.line().as_str(), program.line().as_str()), ("=", ""));
            assert_eq!(program.answer("undo"), "=");
        }
        program.say("quit");
    });
}

/// The controller's clock replaces --time.
#[test]
fn a_clock_takes_the_place_of_the_time_a_move() {
    with_program("gtp --size 5 --adapter cpu --playouts 2 --memory 0.05 --time 1000", |program| {
        assert_eq!(program.answer("time_settings 0 1 1"), "=");
        let begin = Instant::now();
        assert!(program.answer("genmove b").starts_with("= "));
        assert!(begin.elapsed() < Duration::from_secs(500));
        assert_eq!(program.answer("time_settings 10000 0 0"), "=");
        assert_eq!(program.answer("time_left w 1 0"), "=");
        assert!(program.answer("genmove w").starts_with("= "));
        assert!(begin.elapsed() < Duration::from_secs(500));
        program.say("quit");
    });
}
