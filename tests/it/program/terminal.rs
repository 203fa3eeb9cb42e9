//! On a terminal: no bar is left in the end, however the work ended, and the next prompt has a line of its own.

use crate::support::prelude::*;
use std::io::{Read, Write};

const COLUMNS: usize = 80;

/// The functions of a terminal that bars need: a new line begins when the last one is full.
#[derive(Debug)]
struct Screen {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    fn of(text: &str) -> Self {
        let mut screen = Self { rows: vec![Vec::new()], row: 0, column: 0 };
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '\r' => screen.column = 0,
                '\n' => screen.next_row(),
                '\x1b' => {
                    let order = rest.strip_prefix('[').expect("an order to the terminal");
                    let end = order.find(|c: char| c.is_ascii_alphabetic()).expect("its letter");
                    screen.obey(&order[..=end]);
                    rest = &order[end + 1..];
                }
                c => screen.put(c),
            }
        }
        screen
    }

    fn next_row(&mut self) {
        self.row += 1;
        self.rows.resize_with(self.rows.len().max(self.row + 1), Vec::new);
    }

    fn put(&mut self, c: char) {
        if self.column == COLUMNS {
            self.next_row();
            self.column = 0;
        }
        let row = &mut self.rows[self.row];
        row.resize(row.len().max(self.column + 1), ' ');
        row[self.column] = c;
        self.column += 1;
    }

    fn obey(&mut self, order: &str) {
        let (number, letter) = order.split_at(order.len() - 1);
        match letter {
            "K" => self.rows[self.row].clear(),
            "A" => self.row -= number.parse().unwrap_or(1),
            "m" => {}
            _ => panic!("{order} is new: teach it to this screen"),
        }
    }

    fn lines(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect()
    }
}

/// Runs the program on a terminal of its own, and types ^C after the output of `until`: all of the output, and the exit
/// code.
fn on_terminal(arguments: &str, until: Option<&str>) -> (String, Option<i32>) {
    let program = env!("CARGO_BIN_EXE_mcts-wgpu");
    let inside = format!("stty cols {COLUMNS} rows 24; exec '{program}' {arguments}");
    let mut script = Command::new("script");
    script.args(["-qec", &inside, "/dev/null"]).env("TERM", "xterm").stdin(Stdio::piped());
    let mut child = script.stdout(Stdio::piped()).spawn().expect("there is a program script (util-linux)");
    let (mut keys, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let (mut written, mut part, mut until) = (Vec::new(), [0; 4096], until);
    loop {
        match output.read(&mut part).expect("what the terminal shows") {
            0 => break,
            count => written.extend_from_slice(&part[..count]),
        }
        if until.take_if(|until| String::from_utf8_lossy(&written).contains(*until)).is_some() {
            keys.write_all(b"\x03").expect("a key");
        }
    }
    let text = String::from_utf8(written).expect("the program writes UTF-8");
    (text, child.wait().expect("the program ends").code())
}

#[test]
fn a_terminal_gets_a_bar_with_json_too() {
    for (arguments, shown) in [
        ("rollout connect4 --time 1 --adapter cpu", "games, "),
        ("search connect4 --time 1 --memory 0.1 --adapter cpu", "steps, "),
        ("pvsplit --size 9 --depth 60 --time 2 --engine cpu", " of 60, "),
        ("bench --adapter cpu --case ocp --quick --seconds 0.5", "1/2, run 1/3: connect4 ocp"),
    ] {
        let (text, code) = on_terminal(&format!("{arguments} --json"), None);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(shown), "{text}");
        assert!(text.contains("\"engine\"") || text.contains("\"machines\""), "{text}");
    }
}

#[test]
fn nothing_of_a_bar_is_left_after_ctrl_c() {
    for arguments in [
        "rollout connect4 --time 36000 --adapter cpu",
        "search connect4 --time 36000 --memory 0.1 --adapter cpu --json",
        "pvsplit --size 9 --depth 60 --engine cpu --json",
        "bench --adapter cpu --case rollout --seconds 3600 --json",
    ] {
        let (text, code) = on_terminal(arguments, Some("% "));
        let lines = Screen::of(&text).lines();
        assert_eq!(code, Some(130), "{arguments}: {lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("notice: interrupted")), "{arguments}: {lines:#?}");
        assert!(!lines.iter().any(|line| line.contains("[>")), "{arguments}: {lines:#?}");
    }
}

#[test]
fn ctrl_c_at_a_prompt_leaves_a_line_for_the_next_one() {
    let (text, code) = on_terminal("play connect4 --steps 1 --adapter cpu", Some("to move>"));
    let lines = Screen::of(&text).lines();
    assert_eq!(code, Some(130), "{lines:#?}");
    assert_eq!(lines[lines.len() - 2..], ["X to move> ^C", ""], "{lines:#?}");
}

#[test]
fn remains_of_a_bar_are_found() {
    let full = "=".repeat(COLUMNS);
    assert_eq!(Screen::of(&format!("{full}\r\x1b[2Kdone\r\n")).lines(), ["done", ""]);
    let screen = Screen::of(&format!("{full}^C\r\x1b[2Kdone\r\n"));
    assert_eq!(screen.lines(), [full, "done".into(), String::new()]);
}
