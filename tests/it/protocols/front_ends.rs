//! Sessions of front ends: their commands in their order, sent at the same times, with answers read in the same way.

use super::{brain, list};
use crate::support::prelude::*;
use mcts_wgpu::protocols::GtpServer;
use std::{
    io::{BufRead, PipeReader, PipeWriter, Write, pipe},
    thread::{JoinHandle, spawn},
};

struct FrontEnd {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: Option<JoinHandle<()>>,
}

impl FrontEnd {
    fn new() -> Self {
        let (commands, input) = pipe().expect("a pipe");
        let (output, mut answers) = pipe().expect("a pipe");
        let server = spawn(move || {
            let mut server = GtpServer::new(go_of(9, 7.5), brain());
            server.serve(commands, &mut answers).expect("the front end listens");
        });
        Self { input: Some(input), output: BufReader::new(output), server: Some(server) }
    }

    fn say(&mut self, command: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(format!("{command}\n").as_bytes()).expect("the server listens");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server answers in text");
        assert!(line.ends_with('\n'), "the server has ended: {line:?}");
        line.trim_end().to_owned()
    }

    /// An answer to its end.
    fn ask(&mut self, command: &str) -> String {
        self.say(command);
        self.rest()
    }

    /// All lines to the next empty one.
    fn rest(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            match self.line() {
                line if line.is_empty() => return lines.join("\n"),
                line => lines.push(line),
            }
        }
    }

    /// The first line of the answer, and the next line of the analysis.
    fn watch(&mut self, command: &str) -> (String, String) {
        self.say(command);
        let first = self.line();
        assert!(first.starts_with('='), "{command}: {first}");
        (first, self.line())
    }

    /// Ends an analysis; returns its answer.
    fn interrupt(&mut self, command: &str) -> String {
        self.say(command);
        self.rest();
        self.rest()
    }

    fn quit(mut self, command: &str) {
        assert!(self.ask(command).starts_with('='));
        self.input = None;
        self.server.take().expect("it runs").join().expect("it ends");
    }
}

/// The moves of a line: values by keys up to the line of moves, and that line.
fn moves(line: &str) -> Vec<(HashMap<String, String>, Vec<String>)> {
    assert!(line.starts_with("info move "), "{line}");
    let parts = line.strip_prefix("info ").into_iter().flat_map(|rest| rest.split(" info "));
    let read = |part: &str| {
        let (pairs, line) = part.split_once(" pv ").expect("a line of moves comes last");
        let words: Vec<&str> = pairs.split(' ').collect();
        let pairs = words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect();
        (pairs, line.split(' ').map(str::to_owned).collect())
    };
    parts.map(read).collect()
}

fn is_vertex(text: &str) -> bool {
    let mut chars = text.chars();
    let has_column = chars.next().is_some_and(|column| "ABCDEFGHJ".contains(column));
    text == "pass" || has_column && chars.as_str().parse().is_ok_and(|row| (1..=9).contains(&row))
}

/// The last line of an answer is a move.
fn plays(answer: &str) -> bool {
    answer.lines().last().and_then(|line| line.strip_prefix("play ")).is_some_and(is_vertex)
}

/// Numbered commands; every answer has its number. Lizzie reads counts and shares as Java's int.
#[test]
fn lizzie_analyses_and_plays() {
    let mut lizzie = FrontEnd::new();
    assert_eq!(lizzie.ask("1 name"), "=1 mcts-wgpu");
    assert!(lizzie.ask("2 version").starts_with("=2 "));
    assert_eq!(lizzie.ask("3 boardsize 9"), "=3");
    assert_eq!(lizzie.ask("4 komi 7.5"), "=4");
    let (begin, line) = lizzie.watch("5 lz-analyze 10");
    assert_eq!(begin, "=5");
    for (values, line) in moves(&line) {
        for key in ["visits", "winrate", "prior", "lcb", "order"] {
            values[key].parse::<i32>().unwrap_or_else(|_| panic!("{key} of {values:?}"));
        }
        assert!(is_vertex(&values["move"]) && line.iter().all(|name| is_vertex(name)), "{values:?} {line:?}");
    }
    assert_eq!(lizzie.interrupt("6 play B D4"), "=6");
    assert_eq!(lizzie.watch("7 lz-analyze 10").0, "=7");
    assert_eq!(lizzie.interrupt("8 undo"), "=8");
    assert_eq!(lizzie.watch("9 lz-analyze 10").0, "=9");
    assert_eq!(lizzie.interrupt("10 name"), "=10 mcts-wgpu");
    // A move that is to be avoided, and the moves of an area.
    let avoid = |line: &str| moves(line).iter().all(|(values, _)| values["move"] != "D4");
    assert!(avoid(&lizzie.watch("11 lz-analyze 10 avoid b D4 50").1));
    assert_eq!(lizzie.interrupt("11 name"), "=11 mcts-wgpu");
    let allow = lizzie.watch("11 lz-analyze 10 allow b A1,B1,C1 50 avoid b C1 50 minmoves 30").1;
    let mut allowed: Vec<_> = moves(&allow).into_iter().map(|(values, _)| values["move"].clone()).collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["A1", "B1"]);
    assert_eq!(lizzie.interrupt("11 name"), "=11 mcts-wgpu");
    // A new game with a handicap, against the engine.
    assert_eq!(lizzie.ask("12 clear_board"), "=12");
    assert_eq!(lizzie.ask("13 time_settings 0 1 1"), "=13");
    assert_eq!(lizzie.ask("14 fixed_handicap 2"), "=14 C3 G7");
    let answer = lizzie.ask("15 genmove W");
    assert!(is_vertex(answer.strip_prefix("=15 ").expect("a number")), "{answer}");
    assert_eq!(lizzie.ask("16 play B J1"), "=16");
    let answer = lizzie.ask("17 lz-genmove_analyze W 10");
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines[0], "=17");
    lines[1..lines.len() - 1].iter().for_each(|line| assert!(!moves(line).is_empty()));
    let played = lines[lines.len() - 1].strip_prefix("play ").expect("the move comes last");
    assert!(is_vertex(played), "{answer}");
    assert_eq!(lizzie.ask("18 list_stones w").split(' ').count(), 3);
    lizzie.quit("19 quit");
}

/// Sabaki takes the end of a move's part for the line of moves. While an engine is busy, each of its commands begins
/// with `protocol_version`.
#[test]
fn sabaki_synchronizes_analyses_and_plays() {
    let mut sabaki = FrontEnd::new();
    assert_eq!(sabaki.ask("name"), "= mcts-wgpu");
    assert!(sabaki.ask("version").starts_with("= "));
    assert_eq!(sabaki.ask("protocol_version"), "= 2");
    let listed = sabaki.ask("list_commands");
    let chosen = ["genmove_analyze", "kata-genmove_analyze", "lz-genmove_analyze"];
    let chosen = chosen.into_iter().find(|name| listed.lines().any(|line| line == *name));
    assert_eq!(chosen, Some("kata-genmove_analyze"));
    for command in
        ["komi 0", "boardsize 9", "clear_board", "set_free_handicap C3 G7", "play W E5", "play B pass"]
    {
        assert_eq!(sabaki.ask(command), "=", "{command}");
    }
    let (_, line) = sabaki.watch("kata-analyze W 50");
    for (values, line) in moves(&line) {
        let rate: f64 = values["winrate"].parse().expect("a number");
        assert!((0.0..=1.0).contains(&rate), "{values:?}");
        assert!(line.iter().all(|name| is_vertex(name)), "{line:?}");
    }
    assert_eq!(sabaki.interrupt("protocol_version"), "= 2");
    // Back to the handicap, which one undo removes, and forward again.
    for command in ["undo", "undo", "play W C7"] {
        assert_eq!(sabaki.ask(command), "=", "{command}");
    }
    let answer = sabaki.ask("kata-genmove_analyze B 50");
    assert!(plays(&answer), "{answer}");
    for command in ["undo", "undo", "undo", "set_free_handicap G3 C7 E5"] {
        assert_eq!(sabaki.ask(command), "=", "{command}");
    }
    assert_eq!(sabaki.ask("undo"), "=");
    assert_eq!(sabaki.ask("undo"), "? cannot undo");
    sabaki.quit("quit");
}

/// LizGoban tries commands: a refusal means that the engine lacks them.
#[test]
fn lizgoban_tries_analyses_and_plays() {
    let mut lizgoban = FrontEnd::new();
    assert_eq!(lizgoban.ask("0 name"), "=0 mcts-wgpu");
    // The beginning of each answer, and its command.
    let tried = list(
        "? lz-setoption name visits value 0; = kata-analyze interval 1; = kata-set-rules chinese; \
        ? set_free_handicap A1; = set_position; = name; = lz-analyze interval 1 minmoves 30; \
        ? kata-raw-nn 0; = kata-analyze 1 pvVisits true; ? kata-analyze 1 pvEdgeVisits true; \
        ? kata-analyze 1 ownershipStdev true; ? kata-analyze 1 movesOwnership true; \
        = kata-analyze 1 rootInfo true; = lz-analyze 1 allow B D4 1; ? clear_cache; \
        ? kata-search_analyze_cancellable B; ? kata-get-param humanSLProfile; ? kata-get-models; = name; \
        = clear_board; = komi 7.5; = boardsize 9; = play b D4",
    );
    for (id, tried) in (1..).zip(tried) {
        let (beginning, command) = tried.split_once(' ').expect("an answer and a command");
        lizgoban.say(&format!("{id} {command}"));
        // The next command is sent after the first line of the answer: it ends the analysis.
        let first = loop {
            let line = lizgoban.line();
            if line.starts_with(['=', '?']) {
                break line;
            }
        };
        assert!(first.starts_with(&format!("{beginning}{id}")), "{command}: {first}");
    }
    assert_eq!(lizgoban.rest(), "");
    let asked = "kata-analyze w interval 10 ownership true minmoves 3 pvVisits true rootInfo true";
    let (_, line) = lizgoban.watch(&format!("24 {asked}"));
    let (of_moves, rest) = line.split_once(" rootInfo ").expect("it is asked for");
    let (of_root, ownership) = rest.split_once(" ownership ").expect("it is asked for");
    let moves = moves(of_moves);
    assert!(moves.len() >= 3);
    for (_, line) in &moves {
        let visits = line.iter().position(|word| word == "pvVisits").expect("it is asked for");
        assert_eq!(line.len(), 2 * visits + 1, "{line:?}");
        assert!(line[visits + 1..].iter().all(|count| count.parse::<i32>().is_ok()), "{line:?}");
    }
    let of_root: Vec<&str> = of_root.split(' ').collect();
    let keys: Vec<&str> = of_root.chunks(2).map(|pair| pair[0]).collect();
    assert_eq!(keys, ["visits", "winrate", "scoreMean", "scoreLead"]);
    let owners: Vec<f64> = ownership.split(' ').map(|share| share.parse().expect("a number")).collect();
    assert!(owners.len() == 81 && owners.iter().all(|share| share.abs() <= 1.0), "{owners:?}");
    // White is to move: D4, in the sixth row from the top, is the opponent's most often.
    let most = owners.iter().copied().fold(f64::MAX, f64::min);
    assert_eq!(owners[5 * 9 + 3], most, "{owners:?}");
    assert_eq!(lizgoban.interrupt("25 time_settings 0 1 1"), "=25");
    let moved = lizgoban.ask("26 kata-genmove_analyze w interval 10 minmoves 3 pvVisits true rootInfo true");
    assert!(plays(&moved), "{moved}");
    // A board from an image.
    assert_eq!(lizgoban.ask("27 set_position b D4 w E5 b C3"), "=27");
    assert_eq!(lizgoban.ask("28 list_stones b"), "=28 C3 D4");
    lizgoban.quit("29 quit");
}
