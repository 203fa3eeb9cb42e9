//! Ctrl-C and SIGTERM: every command ends with its results so far and the exit code of the signal.

use crate::support::prelude::*;
use std::{
    io::{BufRead, Write},
    process::Child,
    thread::sleep,
};

const CTRL_C: (&str, i32) = ("-INT", 130);
const TERM: (&str, i32) = ("-TERM", 143);
/// Delays before the signal, each tried with a new program: the slowest machine has results by the last of them.
const SECONDS: [u64; 4] = [1, 5, 25, 125];
/// Longer than the program takes to end.
const PATIENCE: Duration = Duration::from_secs(120);

fn send(signal: &str, child: &Child) {
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.expect("there is a program kill").success());
}

/// Waits for the end of a program; one that goes on for longer is ended.
#[track_caller]
fn wait_for_end(child: &mut Child, patience: Duration, what: &str) {
    let began = Instant::now();
    while child.try_wait().expect("the program can be waited for").is_none() {
        if began.elapsed() > patience {
            child.kill().ok();
            panic!("{what}");
        }
        sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to a command that would not end by itself. A signal before the first results ends it without a
/// result: the next one gets the signal later.
fn result_after(arguments: &str, (signal, code): (&str, i32)) -> Done {
    for seconds in SECONDS {
        let child = start(arguments);
        sleep(Duration::from_secs(seconds));
        send(signal, &child);
        let done = Done::new(arguments, child.wait_with_output().expect("the program ends"));
        assert_eq!(done.code, Some(code), "{done}");
        if !done.out.is_empty() {
            assert!(done.err.starts_with("notice: interrupted"), "{done}");
            assert_eq!(done.err.lines().count(), 1, "{done}");
            return done;
        }
    }
    panic!("{arguments} never ended with a result");
}

/// A command, the signal that ends it, and the check of its results so far.
type Ended<'a> = (&'a str, (&'a str, i32), fn(&Done) -> bool);

fn assert_all_end(commands: &[Ended]) {
    for (arguments, signal, is_right) in commands {
        let done = result_after(arguments, *signal);
        assert!(is_right(&done), "{done}");
    }
}

fn has_games(done: &Done) -> bool {
    done.json()["games"].as_u64() > Some(0)
}

/// A search has its report, batches have those of the one under way, and others have their finished games.
#[test]
fn searches_and_games_end_with_their_results() {
    let file = write_file("many.txt", "3,3\n".repeat(50));
    let search = "search connect4 --time 36000 --memory 0.1 --adapter cpu";
    let batches = format!("{search} --positions {file} --batch 2");
    assert_all_end(&[
        (&format!("{search} --json"), TERM, |done| done.json()["performance"]["steps"].as_u64() > Some(0)),
        (&format!("{batches} --jsonl"), CTRL_C, |done| done.out.lines().count() == 2),
        (&format!("{batches} --json"), TERM, |done| done.json().as_array().map(Vec::len) == Some(2)),
        ("rollout connect4 --time 36000 --adapter cpu --json", CTRL_C, has_games),
        ("match vanilla:steps=100 random --game connect4 --games 1000000000 --json", TERM, has_games),
    ]);
}

/// Alpha-beta has its last whole depth; a signal ends all of a comparison, and a benchmark writes what it has.
#[test]
fn alpha_beta_and_benchmarks_end_with_their_results() {
    let pvsplit = |engine: &str| format!("pvsplit --size 9 --depth 60 --engine {engine} --adapter 0 --json");
    let is_less_deep = |done: &Done| done.json()["depth"].as_u64() < Some(60);
    assert_all_end(&[
        (&pvsplit("cpu"), CTRL_C, is_less_deep),
        (&pvsplit("minimax"), TERM, is_less_deep),
        (&pvsplit("gpu"), CTRL_C, is_less_deep),
        ("pvsplit --compare 9:60,9:60,9:60 --adapter 0 --json", TERM, |done| {
            done.json().as_array().map(Vec::len) == Some(1)
        }),
    ]);
    let out = write_file("interrupted_bench.json", "");
    let bench =
        format!("bench --adapter cpu --case rollout --seconds 3600 --repeats 1000 --json --out {out}");
    let done = result_after(&bench, CTRL_C);
    assert_eq!(done.json()["interrupted"], true);
    let written = fs::read_to_string(&out).expect("the file was written");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("it is JSON"), done.json());
}

/// Without results, the first signal ends the program at once.
#[test]
fn waiting_for_input_is_ended() {
    for (signal, code) in [CTRL_C, TERM] {
        let mut child = start("play connect4 --steps 1 --adapter cpu");
        // Waiting for a child closes its standard input, which ends the game, too.
        let input = child.stdin.take().expect("standard input is piped");
        let mut said = BufReader::new(child.stdout.take().expect("standard output is piped"));
        let (mut line, mut prompted) = (String::new(), Vec::new());
        said.read_line(&mut line).expect("play says who plays");
        said.read_until(b'>', &mut prompted).expect("play asks for a move");
        send(signal, &child);
        assert_eq!(child.wait().expect("the program ends").code(), Some(code));
        drop(input);
    }
    let mut child = start("search connect4 --positions - --jsonl --batch 1 --steps 1 --adapter cpu");
    let mut input = child.stdin.take().expect("standard input is piped");
    writeln!(input, "3").expect("the program reads");
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().expect("standard output is piped"));
    said.read_line(&mut line).expect("the first report");
    // The program may be at the end of its search or at the beginning of its wait.
    send("-INT", &child);
    assert_eq!(child.wait().expect("the program ends").code(), Some(130));
    assert!(serde_json::from_str::<Value>(&line).is_ok(), "{line}");
    drop(input);
}

/// Nothing reads the program's output, so that it can't end by itself after the first signal.
#[test]
fn a_second_signal_ends_the_program_at_once() {
    let file = write_file("long.txt", "\n".repeat(64));
    let search =
        format!("search gomoku --positions {file} --trees 1 --playouts 1 --time 36000 --adapter cpu --json");
    for seconds in SECONDS {
        let mut child = start(&search);
        sleep(Duration::from_secs(seconds));
        send("-INT", &child);
        let mut notice = String::new();
        let mut printed = BufReader::new(child.stderr.take().expect("standard error is piped"));
        if printed.read_line(&mut notice).expect("standard error can be read") == 0 {
            assert_eq!(child.wait().expect("the program ends").code(), Some(130));
            continue;
        }
        send("-TERM", &child);
        wait_for_end(&mut child, PATIENCE, "the second signal was not heard");
        // The exit code is that of either signal: both were sent.
        let done = Done::new(&search, child.wait_with_output().expect("it has ended"));
        assert!([Some(130), Some(143)].contains(&done.code), "{done}");
        assert!(serde_json::from_str::<Value>(&done.out).is_err(), "it has written everything");
        return;
    }
    panic!("the search never reported");
}

/// Neither a thinking nor a starting engine delays the end of a match, and the processes that engines have started end
/// with them.
#[test]
fn a_signal_ends_engines() {
    for (when, code) in [("protocol_version", CTRL_C), ("genmove", TERM)] {
        let (signal, code) = code;
        let beats = write_file(&format!("beats-{when}"), "");
        let engine = format!(
            "while read -r word rest; do\n\
             if [ \"$word\" = {when} ]; then (while :; do echo x >>'{beats}'; sleep 0.02; done) & wait; fi\n\
             case \"$word\" in protocol_version) echo '= 2';; *) echo =;; esac; echo; done\n"
        );
        let engine = write_file(&format!("engine-{when}.sh"), &engine);
        let length = || fs::metadata(&beats).map_or(0, |file| file.len());
        let mut arguments = command("match");
        arguments.arg(format!("gtp:sh {engine}")).args(["random", "--game", "gomoku", "--games", "1"]);
        let mut child =
            arguments.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let began = Instant::now();
        while length() == 0 {
            assert!(began.elapsed() < PATIENCE, "the engine was not asked");
            sleep(Duration::from_millis(5));
        }
        send(signal, &child);
        let began = Instant::now();
        wait_for_end(&mut child, PATIENCE / 4, "the match waits for its engine");
        let done = Done::new("match gtp", child.wait_with_output().expect("it has ended"));
        assert_eq!(done.code, Some(code), "{done}");
        loop {
            let before = length();
            sleep(Duration::from_millis(300));
            if length() == before {
                break;
            }
            assert!(began.elapsed() < PATIENCE / 4, "what the engine has started goes on");
        }
    }
}
