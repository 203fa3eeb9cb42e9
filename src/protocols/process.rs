//! Another program, spoken with through its standard input and output.

use super::lines::{Line, Lines, Missing};
use crate::error::{Error, Result};
use std::{
    io::{Read, Write},
    process::{Child, ChildStderr, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Of what a program writes to its standard error, the last bytes are kept for messages.
const LAST_WORDS: usize = 300;
/// A program that has been told to end is given so long for it.
const FAREWELL: Duration = Duration::from_millis(500);
/// What a program said before it ended is there at the latest after so long.
const LISTENING: Duration = Duration::from_millis(200);
/// Between two looks.
const A_MOMENT: Duration = Duration::from_millis(5);
/// An answer's line is quoted up to so many characters.
const QUOTED: usize = 80;

/// How long a program may take before it counts as one that does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For its first answer: it may have to load or compile.
    pub start: Duration,
    /// For every other one, and for a move above the time that it has for that.
    pub answer: Duration,
    /// For a move where it has no limit of time.
    pub unlimited: Duration,
}

impl Default for Patience {
    /// A minute to start, five seconds for an answer, ten minutes for a move without a limit.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            answer: Duration::from_secs(5),
            unlimited: Duration::from_secs(600),
        }
    }
}

impl Patience {
    /// When a move is to be there at the latest.
    pub(super) fn for_move(&self, limit: Option<Duration>) -> Instant {
        Instant::now() + limit.map_or(self.unlimited, |limit| limit.saturating_add(self.answer).min(A_YEAR))
    }
}

/// Nobody waits longer.
const A_YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// A program that is running.
#[derive(Debug)]
pub struct Process {
    /// What it is called in messages.
    name: String,
    child: Child,
    /// None once it has been told to end.
    input: Option<Sender<String>>,
    lines: Lines,
    last_words: Arc<Mutex<Vec<u8>>>,
    /// Reads them.
    listener: JoinHandle<()>,
    /// What to say for farewell.
    farewell: &'static str,
}

impl Process {
    /// Starts a command: a program and its arguments, parted by spaces as a shell does it, with its quotes, but without
    /// a shell. Told to end, the program is told so by `farewell`.
    pub fn start(command: &str, farewell: &'static str) -> Result<Self> {
        let words = shlex::split(command)
            .ok_or_else(|| Error::invalid(format!("'{command}': a quote of this command has no end")))?;
        let [program, arguments @ ..] = &words[..] else {
            return Err(Error::invalid("no command: give a program and its arguments"));
        };
        let mut spawned = Command::new(program);
        spawned.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawned.spawn().map_err(|why| {
            Error::invalid(format!("'{program}' can't be started: {why}: is it installed, and on the path?"))
        })?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(Error::invalid(format!("'{program}': its input and output can't be reached")));
        };
        let last_words = Arc::default();
        let listener = keep_last(errors, Arc::clone(&last_words));
        let (input, lines) = (Some(writer(input)), Lines::of(output));
        Ok(Self { name: program.clone(), child, input, lines, last_words, listener, farewell })
    }

    /// Writes a line. It does not wait until the program reads it: one that never does is found by its silence.
    pub fn say(&mut self, line: &str) {
        if let Some(input) = &self.input {
            input.send(format!("{line}\n")).ok();
        }
    }

    /// The next line that it writes, which is to come before the deadline; `asked` is what it answers.
    pub fn hear(&mut self, asked: &str, deadline: Instant) -> Result<String> {
        match self.lines.next_until(deadline) {
            Ok(Line::Text(line)) => Ok(line),
            Ok(Line::TooLong) => Err(self.fault(format!("answered '{asked}' with a line without an end"))),
            Err(Missing::Late) => Err(self.fault(format!("did not answer '{asked}' in time"))),
            Err(Missing::Closed) => Err(self.ended(asked)),
        }
    }

    /// Something that the program has done wrong.
    pub fn fault(&self, what: impl AsRef<str>) -> Error {
        Error::peer(format!("{} {}{}", self.name, what.as_ref(), self.last_words()))
    }

    fn ended(&mut self, asked: &str) -> Error {
        let status = self.wait(FAREWELL);
        let deadline = Instant::now() + LISTENING;
        while !self.listener.is_finished() && Instant::now() < deadline {
            thread::sleep(A_MOMENT);
        }
        let how = status.map_or_else(|| "closed its output".into(), |status| format!("ended ({status})"));
        self.fault(format!("{how} and did not answer '{asked}'"))
    }

    /// What it wrote to standard error last, for messages.
    fn last_words(&self) -> String {
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&words);
        let text = text.trim();
        if text.is_empty() { String::new() } else { format!("; on standard error: {}", quoted(text)) }
    }

    /// How it ended, if it does so in time.
    fn wait(&mut self, time: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + time;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(A_MOMENT),
                _ => return None,
            }
        }
    }
}

/// Tells it to end, and ends it where it does not.
impl Drop for Process {
    fn drop(&mut self) {
        let farewell = self.farewell;
        self.say(farewell);
        self.input = None;
        if self.wait(FAREWELL).is_none() {
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}

/// A text as messages have it: on one line, without control characters, and not too long.
pub fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut shown: String = plain.chars().take(QUOTED).collect();
    if shown.len() < plain.len() {
        shown += "...";
    }
    shown
}

/// Writes what it is sent. A program that reads nothing keeps only this thread waiting.
fn writer(mut input: ChildStdin) -> Sender<String> {
    let (sender, receiver) = channel::<String>();
    thread::spawn(move || {
        for text in receiver {
            if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Reads standard error to its end, so that the program never waits for it.
fn keep_last(mut errors: ChildStderr, last: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut bytes = [0; 1024];
        while let Ok(read @ 1..) = errors.read(&mut bytes) {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            last.extend_from_slice(&bytes[..read]);
            let surplus = last.len().saturating_sub(LAST_WORDS);
            last.drain(..surplus);
        }
    })
}
