//! Runs of the program, as by a person or a script.

use mcts_wgpu::Error;
use serde_json::Value;
use std::{
    fmt,
    io::Write,
    process::{Child, Command, Output, Stdio},
};

/// The result of a run.
pub struct Done {
    arguments: String,
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Done {
    pub fn new(arguments: &str, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        let (out, err) = (text(output.stdout), text(output.stderr));
        Self { arguments: arguments.to_owned(), code: output.status.code(), out, err }
    }

    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self}");
        self
    }

    /// Exit code 2, and nothing but one line on standard error, which has all of `parts`.
    #[track_caller]
    pub fn refused(&self, parts: &[&str]) {
        assert_eq!(self.out, "", "{self}");
        self.refused_after_work(parts);
    }

    /// [`refused`](Self::refused), except that something may be on standard output.
    #[track_caller]
    pub fn refused_after_work(&self, parts: &[&str]) {
        assert_eq!(self.code, Some(2), "{self}");
        assert!(self.err.starts_with("error: ") && self.err.ends_with('\n'), "{self}");
        assert_eq!(self.err.lines().count(), 1, "{self}");
        assert_has(&self.err, parts);
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect("standard output is one JSON document")
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { arguments, code, out, err } = self;
        write!(
            f,
            "mcts-wgpu {arguments}\nexit code {code:?}\n--- standard error\n{err}--- standard output\n{out}"
        )
    }
}

/// Bad input, with this part in its message.
#[track_caller]
pub fn assert_bad<T>(result: Result<T, Error>, part: &str) {
    let error = result.err().unwrap_or_else(|| panic!("no error with '{part}'"));
    assert!(error.is_bad_input() && error.to_string().contains(part), "'{part}' is missed in {error}");
}

/// The values of an object's fields, as a list.
pub fn fields(object: &Value, names: &str) -> Value {
    names.split(' ').map(|name| object[name].clone()).collect()
}

#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' is missed in {text}");
    }
}

/// The program with arguments separated by spaces.
pub fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcts-wgpu"));
    command.args(arguments.split_whitespace());
    // As on a server, where Mesa writes to standard error, which the program suppresses.
    command.env_remove("XDG_RUNTIME_DIR");
    command
}

/// Runs the program to its end.
pub fn run(arguments: &str) -> Done {
    finish(arguments, command(arguments).stdin(Stdio::null()))
}

/// Runs the program without drivers.
#[cfg(target_os = "linux")]
pub fn without_adapters(arguments: &str) -> Done {
    let mut command = command(arguments);
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES"] {
        command.env(variable, "/nonexistent");
    }
    finish(arguments, command.stdin(Stdio::null()))
}

pub fn finish(arguments: &str, command: &mut Command) -> Done {
    Done::new(arguments, command.output().expect("the program starts"))
}

/// Starts the program with all three streams piped.
pub fn start(arguments: &str) -> Child {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Runs the program with bytes on standard input.
pub fn run_with_input(arguments: &str, input: &[u8]) -> Done {
    let mut child = start(arguments);
    // The program may end before it has read everything: that is no error here.
    child.stdin.take().expect("standard input is piped").write_all(input).ok();
    Done::new(arguments, child.wait_with_output().expect("the program ends"))
}
