//! A child process, driven through its standard input and output.

use super::{
    group::Group,
    lines::{LONGEST_LINE, Line, Lines},
};
use crate::{
    contest::Stop,
    error::{Error, Result},
    host::locked,
};
use std::{
    io::{self, Read, Write},
    process::{ChildStderr, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::{self, Builder, JoinHandle},
    time::{Duration, Instant},
};

/// Bytes at the end of standard error that are kept for messages.
const ERRORS_KEPT: usize = 300;
/// Time for a program to exit after its quit command, before it is killed.
const EXIT_WAIT: Duration = Duration::from_millis(500);
/// Maximum wait for the remaining output of a program that has ended.
const OUTPUT_WAIT: Duration = Duration::from_millis(200);
/// Interval of polls for the program's exit.
const EXIT_POLL: Duration = Duration::from_millis(5);
/// Interval of polls of the stop flag while waiting for an answer.
const STOP_POLL: Duration = Duration::from_millis(20);
/// Maximum number of characters quoted from an answer's line.
const QUOTED: usize = 80;

/// Timeouts of a program's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// First answer, which may include loading or compiling.
    pub start: Duration,
    /// Other answers, and the time that a move may exceed its limit by.
    pub answer: Duration,
    /// Moves without a time limit.
    pub unlimited: Duration,
}

impl Default for Patience {
    /// A minute to start, five seconds per answer, ten minutes per move without a limit.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            answer: Duration::from_secs(5),
            unlimited: Duration::from_secs(600),
        }
    }
}

impl Patience {
    /// The deadline of a move.
    pub(super) fn for_move(&self, limit: Option<Duration>) -> Instant {
        Instant::now() + limit.map_or(self.unlimited, |limit| limit.saturating_add(self.answer).min(MAX_WAIT))
    }
}

/// A player that starts a program, sends it the opponent's moves and requests its own.
///
/// If the program breaks the protocol, does not answer in time or ends, the player returns an error; the next game
/// starts the program again.
#[derive(Debug)]
pub struct Program<R> {
    pub(super) command: String,
    /// The time limit of a move.
    pub(super) limit: Option<Duration>,
    pub(super) patience: Patience,
    pub(super) stop: Stop,
    pub(super) running: Option<R>,
}

impl<R> Program<R> {
    /// `command` is a program and its arguments, with quotes as in a shell; `limit` is the time limit of a move.
    pub fn new(command: impl Into<String>, limit: Option<Duration>) -> Self {
        let (patience, stop) = (Patience::default(), Stop::default());
        Self { command: command.into(), limit, patience, stop, running: None }
    }

    /// The same player with other timeouts.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The same player with a flag that ends every wait for an answer.
    #[must_use]
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// Ends the program after an error other than a resignation.
    pub(super) fn or_end<T>(&mut self, result: Result<T>) -> Result<T> {
        if result.as_ref().is_err_and(|error| !error.is_resigned()) {
            self.running = None;
        }
        result
    }
}

/// Maximum wait, for deadlines that would overflow.
const MAX_WAIT: Duration = Duration::from_secs(365 * 24 * 3600);

/// The error text when the wait for an answer was stopped.
const STOPPED: &str = "the game was stopped";

/// A running program.
#[derive(Debug)]
pub struct Process {
    /// The program's name in messages.
    name: String,
    group: Group,
    /// Lines to write; none once the quit command was sent.
    input: Option<Sender<String>>,
    lines: Lines,
    last_errors: Arc<Mutex<Vec<u8>>>,
    /// The thread that reads standard error.
    error_reader: JoinHandle<()>,
    quit_command: &'static str,
    /// The flag that ends the wait for an answer.
    stop: Stop,
}

impl Process {
    /// Starts a command: a program and its arguments, split at spaces and quoted as in a shell, but run without one.
    /// `quit_command` is the program's quit command.
    pub fn start(command: &str, quit_command: &'static str, stop: &Stop) -> Result<Self> {
        let words = shlex::split(command)
            .ok_or_else(|| Error::invalid(format!("'{command}': a quote of this command has no end")))?;
        let [program, arguments @ ..] = &words[..] else {
            return Err(Error::invalid("no command: give a program and its arguments"));
        };
        if stop.is_set() {
            return Err(Error::peer(format!("{program} is not started: {STOPPED}")));
        }
        let mut spawned = Command::new(program);
        spawned.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::start(&mut spawned).map_err(|why| {
            Error::invalid(format!("'{program}' can't be started: {why}: is it installed, and on the path?"))
        })?;
        let leader = &mut group.leader;
        let (input, output, errors) = (leader.stdin.take(), leader.stdout.take(), leader.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(Error::invalid(format!("'{program}': its input and output can't be reached")));
        };
        let last_errors = Arc::default();
        let threads =
            || Ok((keep_last(errors, Arc::clone(&last_errors))?, Some(writer(input)?), Lines::of(output)?));
        let (error_reader, input, lines) =
            threads().map_err(Error::no_thread).inspect_err(|_| _ = group.end())?;
        let (name, stop) = (program.clone(), stop.clone());
        Ok(Self { name, group, input, lines, last_errors, error_reader, quit_command, stop })
    }

    /// Sends a line without waiting for the program to read it: a program that reads nothing runs into the timeout of
    /// its answer.
    pub fn write_line(&mut self, line: &str) {
        if let Some(input) = &self.input {
            input.send(format!("{line}\n")).ok();
        }
    }

    /// The next line of output, before the deadline; `asked` is the command it answers, for messages.
    pub fn read_line(&mut self, asked: &str, deadline: Instant) -> Result<String> {
        let mut line = Err(RecvTimeoutError::Timeout);
        while line == Err(RecvTimeoutError::Timeout) && Instant::now() < deadline {
            if self.stop.is_set() {
                return Err(self.fault(format!("was not waited for: {STOPPED}")));
            }
            line = self.lines.next_until(deadline.min(Instant::now() + STOP_POLL));
        }
        match line {
            Ok(Line::Text(line)) => Ok(line),
            Ok(Line::TooLong) => {
                let most = LONGEST_LINE >> 10;
                Err(self.fault(format!("answered '{asked}' with a line of more than {most} KiB")))
            }
            Err(RecvTimeoutError::Timeout) => Err(self.fault(format!("did not answer '{asked}' in time"))),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended(asked)),
        }
    }

    /// An error by the program.
    pub fn fault(&self, what: impl AsRef<str>) -> Error {
        Error::peer(format!("{} {}{}", self.name, what.as_ref(), self.last_errors()))
    }

    fn ended(&mut self, asked: &str) -> Error {
        let status = self.wait(EXIT_WAIT);
        let deadline = Instant::now() + OUTPUT_WAIT;
        while !self.error_reader.is_finished() && Instant::now() < deadline {
            thread::sleep(EXIT_POLL);
        }
        let how = status.map_or_else(|| "closed its output".into(), |status| format!("ended ({status})"));
        self.fault(format!("{how} and did not answer '{asked}'"))
    }

    /// The end of the program's standard error, for messages.
    fn last_errors(&self) -> String {
        let words = locked(&self.last_errors);
        let text = String::from_utf8_lossy(&words);
        let text = text.trim();
        if text.is_empty() { String::new() } else { format!("; on standard error: {}", quoted(text)) }
    }

    /// The program's exit status, if it exits in time; then ends its process group.
    fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + time;
        while !self.group.has_ended() {
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(EXIT_POLL);
        }
        self.group.end().ok()
    }
}

/// Sends the quit command, and kills the program if it does not exit in time.
impl Drop for Process {
    fn drop(&mut self) {
        let quit_command = self.quit_command;
        self.write_line(quit_command);
        self.input = None;
        if self.wait(EXIT_WAIT).is_none() {
            self.group.end().ok();
        }
    }
}

/// A text as quoted in messages: one line, without control characters, truncated.
pub fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut shown: String = plain.chars().take(QUOTED).collect();
    if shown.len() < plain.len() {
        shown += "...";
    }
    shown
}

/// Starts the thread that writes to the program. A program that reads nothing blocks only this thread.
fn writer(mut input: ChildStdin) -> io::Result<Sender<String>> {
    let (sender, receiver) = channel::<String>();
    Builder::new().spawn(move || {
        for text in receiver {
            if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// Reads standard error to its end, so that the program never blocks on it.
fn keep_last(mut errors: ChildStderr, last: Arc<Mutex<Vec<u8>>>) -> io::Result<JoinHandle<()>> {
    Builder::new().spawn(move || {
        let mut bytes = [0; 1024];
        while let Ok(read @ 1..) = errors.read(&mut bytes) {
            let mut last = locked(&last);
            last.extend_from_slice(&bytes[..read]);
            let surplus = last.len().saturating_sub(ERRORS_KEPT);
            last.drain(..surplus);
        }
    })
}
