//! Faulty programs: scripts that write nothing, too much, or wrong answers. Each of them results in a specific error.

use crate::support::prelude::*;
use mcts_wgpu::protocols::{ExternalGomocup, ExternalGtp, Patience};
use std::thread::sleep;

fn script(name: &str, body: &str) -> String {
    format!("sh '{}'", write_file(&format!("fake-{name}.sh"), body))
}

const fn patience(time: Duration) -> Patience {
    Patience { start: time, answer: time, unlimited: time }
}

/// For engines that do not answer.
const SHORT: Patience = patience(Duration::from_millis(300));
/// For engines that answer.
const LONG: Patience = patience(Duration::from_secs(60));
/// For engines that answer until they have to move.
const UNTIL_A_MOVE: Patience = Patience { unlimited: SHORT.unlimited, ..LONG };

/// A GTP engine with correct answers, except for `cases`.
fn gtp_script(name: &str, cases: &str) -> String {
    script(&format!("gtp-{name}"), &gtp_body(cases))
}

fn gtp_body(cases: &str) -> String {
    let body = "say() { printf '%s\\n\\n' \"$1\"; }\n\
                while read -r word rest; do case \"$word\" in\n\
                CASES\n\
                protocol_version) say '= 2';; list_commands) say '= boardsize';; genmove) say '= C3';; *) say '=';;\n\
                esac; done\n";
    body.replace("CASES", cases)
}

/// The error of a player's first move as Black on an empty board, or as White after C3.
fn gtp_error(command: &str, patience: Patience, moves: &[&str]) -> Error {
    let mut player = ExternalGtp::new(command, None).with_patience(patience);
    let position = position_after(&go_of(5, 7.5), moves);
    let failed = player.begin(&position).and_then(|()| player.choose(&position));
    failed.expect_err("it does not play")
}

#[track_caller]
fn assert_says(error: &Error, part: &str) {
    assert!(error.is_peer() && error.to_string().contains(part), "'{part}' is missed in: {error}");
}

/// A name for files that no other test has.
fn of_this_test() -> String {
    std::thread::current().name().unwrap_or_default().replace(':', "-")
}

/// Engines that fail in place of the first move on an empty board say so: their texts and the errors.
#[track_caller]
fn assert_scripts_fail(patience: Patience, engines: &[(&str, &str)]) {
    for (body, said) in engines {
        assert_says(&gtp_error(&script(&format!("gtp-{}", of_this_test()), body), patience, &[]), said);
    }
}

/// The same for engines with correct answers, except for some cases, after some moves.
#[track_caller]
fn assert_cases_fail(patience: Patience, moves: &[&str], engines: &[(&str, &str)]) {
    for (cases, said) in engines {
        assert_says(&gtp_error(&gtp_script(&of_this_test(), cases), patience, moves), said);
    }
}

#[test]
fn a_fake_engine_plays() {
    let go = go_of(5, 7.5);
    let start = Position::start(&go);
    let mut player =
        ExternalGtp::new(gtp_script("fine", ""), Some(Duration::from_millis(1500))).with_patience(LONG);
    player.begin(&start).expect("the game begins");
    assert_eq!(player.choose(&start).expect("a move").action, 12);
    let said = "answered 'genmove white' with an illegal move: move 2 (C3) is illegal in this position";
    assert_says(&gtp_error(&gtp_script("fine", ""), LONG, &["C3"]), said);
}

/// As GoGui and Sabaki accept them: greetings, comments, and text behind a move.
#[test]
fn text_around_an_answer_is_ignored() {
    let cases = "genmove) printf 'info move C3\\n\\n'; say '= c3 (in the middle)';;";
    let talks = script("gtp-talks", &format!("echo Welcome\necho\n{}", gtp_body(cases)));
    let mut player = ExternalGtp::new(talks, None).with_patience(LONG);
    let start = Position::start(&go_of(5, 7.5));
    player.begin(&start).expect("the game begins");
    assert_eq!(player.choose(&start).expect("a move").action, 12);
}

#[test]
fn engines_that_end_are_found() {
    let dead = "ended (exit status: 3) and did not answer 'protocol_version'; on standard error: no licence";
    let deaf = "closed its output and did not answer 'protocol_version'";
    assert_scripts_fail(LONG, &[("echo 'no licence' >&2\nexit 3\n", dead)]);
    assert_scripts_fail(LONG, &[("exec <&- >&-\nsleep 5\n", deaf)]);
    let later = "ended (exit status: 0) and did not answer 'genmove black'";
    assert_cases_fail(LONG, &[], &[("genmove) exit 0;;", later)]);
}

#[test]
fn silent_engines_are_not_waited_for() {
    let late = "did not answer 'protocol_version' in time";
    assert_scripts_fail(SHORT, &[("sleep 20\n", late), ("printf '= 2'\nsleep 20\n", late)]);
    let endless = "printf '= 2\\n'; while :; do printf 'x\\n'; done\n";
    assert_scripts_fail(LONG, &[(endless, "answered 'protocol_version' with too many lines")]);
    assert_scripts_fail(LONG, &[("while :; do echo; done\n", "answered 'protocol_version' with ''")]);
    let late = "did not answer 'genmove black' in time";
    assert_cases_fail(UNTIL_A_MOVE, &[], &[("genmove) sleep 20;;", late)]);
}

#[test]
fn garbage_is_quoted() {
    let welcome = "answered 'protocol_version' with 'Welcome to the engine'";
    assert_scripts_fail(SHORT, &[("echo Welcome to the engine\nsleep 20\n", welcome)]);
    let line = "while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n";
    assert_scripts_fail(LONG, &[(line, "sh answered 'protocol_version' with a line of more than 16 KiB")]);
    let long = "sh answered 'genmove black' with a line of more than 16 KiB";
    for (cases, said) in [
        ("genmove) while :; do printf xxxxxxxxxxxxxxxx; done;;", long),
        ("protocol_version) say '= 1';;", "speaks version '1' of GTP instead of 2"),
        ("genmove) say '= Z9';;", "with 'Z9', which is not a move"),
        ("genmove) say '=';;", "with '', which is not a move"),
        ("genmove) say '= C3C4 C3';;", "with 'C3C4', which is not a move"),
        ("genmove) say '= \u{e9}5';;", "which is not a move"),
        ("genmove) say '? out of memory';;", "answered 'genmove black' with '? out of memory'"),
        ("boardsize) say '? unacceptable size';;", "answered 'boardsize 5' with '? unacceptable size'"),
    ] {
        assert_cases_fail(LONG, &[], &[(cases, said)]);
    }
    let bare = "answered 'genmove black' with 'C3', but without a line that";
    assert_cases_fail(UNTIL_A_MOVE, &[], &[("genmove) say C3;;", bare)]);
    let refuses = "answered 'play black C3' with '? illegal move'";
    assert_cases_fail(LONG, &["C3"], &[("play) say '? illegal move';;", refuses)]);
}

#[test]
fn an_engine_can_resign_and_one_that_failed_is_started_anew() {
    let resigns = gtp_error(&gtp_script("resigns", "genmove) say '= Resign';;"), LONG, &[]);
    assert!(resigns.is_resigned() && resigns.to_string().ends_with("resigns"), "{resigns}");
    // This engine ends after its first move.
    let once = gtp_script("once", "genmove) say '= C3'; exit;;");
    let mut player = ExternalGtp::new(once, None).with_patience(LONG);
    let go = go_of(5, 7.5);
    let mut position = Position::start(&go);
    for _ in 0..3 {
        player.begin(&position).expect("it is started anew");
        assert_eq!(player.choose(&position).expect("a move").action, 12);
        assert_says(&player.begin(&position).expect_err("it has ended"), "ended (exit status: 0)");
    }
    player.begin(&position).expect("the game begins");
    position.play(0).expect("a legal move");
    position.play(1).expect("a legal move");
    assert_eq!(player.choose(&position).expect("a move").action, 12);
}

/// A position of Othello in which the player has to pass.
fn before_a_pass() -> Position<Othello> {
    for step in 1..1000 {
        let mut position = Position::start(&Othello);
        while position.outcome().is_none() {
            let legal = position.legal_actions();
            if legal == [Othello::PASS] {
                return position;
            }
            let place = step * (position.moves().len() + 1) % legal.len();
            position.play(legal[place]).expect("a legal move");
        }
    }
    panic!("no such position was found");
}

/// As gtp-rhino, which plays forced passes itself.
#[test]
fn forced_passes_are_played_for_engines() {
    let engine =
        gtp_script("passes", "play) case $rest in *pass) say '? syntax error';; *) say '=';; esac;;");
    let mut player = ExternalGtp::new(engine.clone(), None).with_patience(LONG);
    let mut position = before_a_pass();
    player.begin(&position).expect("the game begins");
    assert_eq!(player.choose(&position).expect("it is not asked").action, Othello::PASS);
    position.play(Othello::PASS).expect("a legal move");
    player.begin(&position).expect("the pass need not be sent");
    assert_says(&gtp_error(&engine, LONG, &["pass"]), "answered 'play black pass' with '? syntax error'");
}

/// A shell command that starts a program which writes to a file forever.
fn heartbeat(name: &str) -> (String, PathBuf) {
    let file = fresh_file(&format!("heartbeat-{name}"));
    (format!("(while :; do echo x >>'{}'; sleep 0.02; done) &", file.display()), file)
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |file| file.len())
}

/// A stop during the wait for an answer ends the program at once, with all processes that it has started.
#[test]
fn a_stop_ends_the_wait_and_all_programs() {
    let go = go_of(5, 7.5);
    let start = Position::start(&go);
    let (beat, file) = heartbeat("stop");
    let thinking = gtp_script("stopped", &format!("genmove) {beat} wait;;"));
    let began = file.clone();
    let mut player = ExternalGtp::new(thinking, None).with_stop(Stop::when(move || length(&began) > 0));
    player.begin(&start).expect("the game begins");
    assert_says(&player.choose(&start).expect_err("it thinks"), "was not waited for: the game was stopped");
    assert_ends(&file);
    let error = player.begin(&start).expect_err("the game was stopped");
    assert!(error.to_string().contains("is not started"), "{error}");
}

#[test]
fn child_processes_end_with_their_engine() {
    let go = go_of(5, 7.5);
    // The engine ends, and its child does not.
    for (name, ending) in [("leaves", "exit 0"), ("dies", "kill -9 $$"), ("stays", "wait")] {
        let (beat, file) = heartbeat(name);
        let engine = gtp_script(name, &format!("quit) {ending};; clear_board) {beat} say '=';;"));
        let mut player = ExternalGtp::new(engine, None).with_patience(LONG);
        player.begin(&Position::start(&go)).expect("the game begins");
        while length(&file) == 0 {
            sleep(Duration::from_millis(5));
        }
        drop(player);
        assert_ends(&file);
    }
}

/// No process writes to the file any more.
#[track_caller]
fn assert_ends(file: &Path) {
    let began = Instant::now();
    loop {
        let before = length(file);
        sleep(Duration::from_millis(300));
        if length(file) == before {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(5), "a program goes on");
    }
}

/// A brain with correct answers, except for `cases`.
fn brain_script(name: &str, cases: &str) -> String {
    let body = "while read -r word rest; do case \"$word\" in\n\
                CASES\n\
                START|RESTART) echo 'MESSAGE hello'; echo OK;; TURN|DONE) echo 'DEBUG x'; echo; echo 2,1;;\n\
                BEGIN) echo 4,4;; END) exit;;\n\
                esac; done\n";
    script(&format!("gomocup-{name}"), &body.replace("CASES", cases))
}

fn brain_error(command: &str, patience: Patience, moves: &[&str]) -> Error {
    let mut player = ExternalGomocup::new(command, None).with_patience(patience);
    let position = position_after(&gomoku_of(9), moves);
    let failed = player.begin(&position).and_then(|()| player.choose(&position));
    failed.expect_err("it does not play")
}

#[test]
fn a_fake_brain_plays() {
    let gomoku = gomoku_of(9);
    let mut player = ExternalGomocup::new(brain_script("fine", ""), None).with_patience(LONG);
    for _ in 0..2 {
        let mut position = Position::start(&gomoku);
        player.begin(&position).expect("the game begins");
        let cell = |name| gomoku.parse_action(name).expect("a cell");
        assert_eq!(player.choose(&position).expect("a move").action, cell("E5"));
        for name in ["E5", "A1"] {
            position.play(cell(name)).expect("a legal move");
        }
        assert_eq!(player.choose(&position).expect("a move").action, cell("C2"));
    }
}

#[test]
fn brains_that_fail_are_found() {
    let says = |body: &str, patience, part: &str| {
        assert_says(&brain_error(&script("gomocup-any", body), patience, &[]), part);
    };
    let ended = "ended (exit status: 1) and did not answer 'START 9'; on standard";
    says("echo broken >&2; exit 1\n", LONG, ended);
    says("sleep 20\n", SHORT, "did not answer 'START 9' in time");
    says("while :; do echo MESSAGE; done\n", LONG, "answered 'START 9' with messages only");
    says("echo 3,3; sleep 20\n", LONG, "answered 'START 9' with '3,3'");
    says("while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n", SHORT, "'START 9'");
    for (cases, moves, part) in [
        ("START) echo 'ERROR size';;", &[][..], "answered 'START 9' with 'ERROR size'"),
        ("BEGIN) exit 7;;", &[], "ended (exit status: 7) and did not answer 'BEGIN'"),
        ("BEGIN) echo 9,0;;", &[], "answered 'BEGIN' with '9,0', which is not a move"),
        ("BEGIN) echo UNKNOWN;;", &[], "answered 'BEGIN' with 'UNKNOWN', which is not a move"),
        ("TURN) echo 0,0;;", &["A1"], "made an illegal move: move 2 (A1) is illegal in this position"),
        ("DONE) echo 1,1;;", &["A1", "B2", "C3"], "made an illegal move: move 4 (B2)"),
    ] {
        assert_says(&brain_error(&brain_script("wrong", cases), LONG, moves), part);
    }
}

/// A brain that can't begin a second game in the same process gets a new process.
#[test]
fn brains_without_restart_are_started_anew() {
    let gomoku = gomoku_of(9);
    let start = Position::start(&gomoku);
    let once = brain_script("once", "RESTART) echo UNKNOWN;;");
    let mut player = ExternalGomocup::new(once, None).with_patience(LONG);
    for _ in 0..3 {
        player.begin(&start).expect("the game begins");
        assert_eq!(player.choose(&start).expect("a move").action, 40);
    }
}
