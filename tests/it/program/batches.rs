//! Files of positions in batches, from standard input, and a line of JSON each.

use super::{json_of, without_times};
use crate::support::prelude::*;
use std::{
    io::{BufRead, Write},
    sync::mpsc,
    thread,
};

/// The game of the fourth one is over.
const LINES: &str = "3,3\r\n\n6\n0,1,0,1,0,1,0\n2,2,2\n";
const SEARCH: &str = "search connect4 --steps 7 --trees 2 --adapter cpu";

/// The library's results for the positions, `side_by_side` at a time, on one object's streams.
fn expected(side_by_side: usize) -> Vec<Value> {
    let game = Connect4::default().with_policy("tactical").expect("a policy of Connect 4");
    let moves: [&[&str]; 5] =
        [&["3", "3"], &[], &["6"], &["0", "1", "0", "1", "0", "1", "0"], &["2", "2", "2"]];
    let positions = moves.map(|moves| position_after(&game, moves));
    let config = Config { trees: 2, ucb_c: 0.7, ..Config::paper() };
    let mut search = search_on(&Engine::cpu(), game, config);
    let batches = positions.chunks(side_by_side);
    let reports = batches.flat_map(|batch| search.batch(batch, 7));
    let reports = (1..).zip(reports).map(|(line, mut report)| {
        report.position.line = Some(line);
        without_times(json_of(&report))
    });
    reports.collect()
}

fn lines(done: &Done) -> Vec<Value> {
    let parse = |line| without_times(serde_json::from_str(line).expect("each line is JSON"));
    done.out.lines().map(parse).collect()
}

#[test]
fn batches_follow_one_another_on_their_streams() {
    let file = write_file("five.txt", LINES);
    for side_by_side in [1, 2, 5] {
        let search = format!("{SEARCH} --positions {file} --batch {side_by_side}");
        assert_eq!(lines(&run(&format!("{search} --jsonl")).succeeded()), expected(side_by_side));
        let array = run(&format!("{search} --json")).succeeded().json();
        let array: Vec<_> = array.as_array().expect("a list").iter().cloned().map(without_times).collect();
        assert_eq!(array, expected(side_by_side));
    }
    let all = run(&format!("{SEARCH} --positions {file} --jsonl")).succeeded();
    assert_eq!(lines(&all), expected(5));
    assert_ne!(expected(1), expected(5), "the streams of a batch do not depend on the place");
    let table = run(&format!("{SEARCH} --positions {file}")).succeeded().out;
    assert_has(&table, &["\n3,3: ", "\n(start): ", "\n0,1,0,1,0,1,0: over, X wins\n"]);
}

#[test]
fn reuse_without_an_earlier_search_is_reported() {
    let file = write_file("two.txt", "3\n3,3,2\n");
    let printed =
        |rest: &str| run(&format!("{SEARCH} --reuse {rest}")).succeeded().err.contains("reuse has no effect");
    assert!(printed("") && printed(&format!("--positions {file}")));
    assert!(!printed(&format!("--positions {file} --batch 1")));
}

#[test]
fn standard_input_is_a_file() {
    let done = run_with_input(&format!("{SEARCH} --positions - --jsonl"), LINES.as_bytes()).succeeded();
    assert_eq!(lines(&done), expected(5));
    let array = run_with_input(&format!("{SEARCH} --positions - --json"), LINES.as_bytes()).succeeded();
    assert_eq!(array.json().as_array().map(Vec::len), Some(5));
    let search = format!("{SEARCH} --positions -");
    run_with_input(&search, b"").refused(&["standard input has no positions"]);
    run_with_input(&search, b"3\n9\n").refused(&["line 2 of standard input", "'9'"]);
    run_with_input(&search, b"3\n\xff\n").refused(&["line 2 of standard input can't be read"]);
}

/// A bad line is reported after the results of the lines before it.
#[test]
fn a_bad_line_ends_the_lines() {
    let search = format!("{SEARCH} --positions - --jsonl --batch 1");
    let done = run_with_input(&search, b"3\n4\nx\n5\n");
    assert_eq!((done.code, done.out.lines().count()), (Some(2), 2), "{done}");
    assert!(done.err.starts_with("error: line 3 of standard input: move 1: 'x'"), "{done}");
}

/// Two lines have results before the third one is sent.
#[test]
fn lines_come_as_soon_as_they_are_there() {
    let mut child = start(&format!("{SEARCH} --positions - --jsonl --batch 1"));
    let mut input = child.stdin.take().expect("standard input is piped");
    let output = BufReader::new(child.stdout.take().expect("standard output is piped"));
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || output.lines().for_each(|line| sender.send(line).unwrap_or(())));
    for (line, moves) in ["3", "3,3", ""].into_iter().enumerate() {
        writeln!(input, "{moves}").expect("the program reads");
        let answer =
            answers.recv_timeout(Duration::from_secs(120)).expect("an answer comes before the next line");
        let answer: Value = serde_json::from_str(&answer.expect("it is text")).expect("it is JSON");
        assert_eq!(answer["position"]["line"], line + 1);
        assert_eq!(answer["position"]["moves"].as_array().map(Vec::len), Some(moves.len().div_ceil(2)));
    }
    drop(input);
    assert!(child.wait().expect("the program ends").success());
}

#[test]
fn options_of_files_need_a_file() {
    run("search connect4 --jsonl").refused(&["--positions"]);
    run("search connect4 --batch 3").refused(&["--positions"]);
    run("search connect4 --positions - --batch 0").refused(&["'0'", "--batch"]);
}
