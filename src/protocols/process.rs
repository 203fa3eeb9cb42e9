//! Another program, spoken with through its standard input and output.

use super::{
    group::Group,
    lines::{Line, Lines, Missing},
};
use crate::{
    contest::Stop,
    error::{Error, Result},
};
use std::{
    io::{self, Read, Write},
    process::{ChildStderr, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    thread::{self, Builder, JoinHandle},
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
/// How often whoever waits for an answer looks whether the game is to end.
const LOOK: Duration = Duration::from_millis(20);
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

/// Why no answer is waited for.
const STOPPED: &str = "the game is to end";

/// A program that is running.
#[derive(Debug)]
pub struct Process {
    /// What it is called in messages.
    name: String,
    group: Group,
    /// None once it has been told to end.
    input: Option<Sender<String>>,
    lines: Lines,
    last_words: Arc<Mutex<Vec<u8>>>,
    /// Reads them.
    listener: JoinHandle<()>,
    /// What to say for farewell.
    farewell: &'static str,
    /// Ends the wait for an answer.
    stop: Stop,
}

impl Process {
    /// Starts a command: a program and its arguments, parted by spaces as a shell does it, with its quotes, but without
    /// a shell. Told to end, the program is told so by `farewell`.
    pub fn start(command: &str, farewell: &'static str, stop: &Stop) -> Result<Self> {
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
        let last_words = Arc::default();
        let threads =
            || Ok((keep_last(errors, Arc::clone(&last_words))?, Some(writer(input)?), Lines::of(output)?));
        let (listener, input, lines) =
            threads().map_err(Error::no_thread).inspect_err(|_| _ = group.end())?;
        let (name, stop) = (program.clone(), stop.clone());
        Ok(Self { name, group, input, lines, last_words, listener, farewell, stop })
    }

    /// Writes a line. It does not wait until the program reads it: one that never does is found by its silence.
    pub fn say(&mut self, line: &str) {
        if let Some(input) = &self.input {
            input.send(format!("{line}\n")).ok();
        }
    }

    /// The next line that it writes, which is to come before the deadline; `asked` is what it answers.
    pub fn hear(&mut self, asked: &str, deadline: Instant) -> Result<String> {
        let mut line = Err(Missing::Late);
        while line == Err(Missing::Late) && Instant::now() < deadline {
            if self.stop.is_set() {
                return Err(self.fault(format!("was not waited for: {STOPPED}")));
            }
            line = self.lines.next_until(deadline.min(Instant::now() + LOOK));
        }
        match line {
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

    /// How it ended, if it does so in time. Whatever it has started ends as well then.
    fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + time;
        while !self.group.has_ended() {
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(A_MOMENT);
        }
        self.group.end().ok()
    }
}

/// Tells it to end, and ends it where it does not.
impl Drop for Process {
    fn drop(&mut self) {
        let farewell = self.farewell;
        self.say(farewell);
        self.input = None;
        if self.wait(FAREWELL).is_none() {
            self.group.end().ok();
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

/// Reads standard error to its end, so that the program never waits for it.
fn keep_last(mut errors: ChildStderr, last: Arc<Mutex<Vec<u8>>>) -> io::Result<JoinHandle<()>> {
    Builder::new().spawn(move || {
        let mut bytes = [0; 1024];
        while let Ok(read @ 1..) = errors.read(&mut bytes) {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            last.extend_from_slice(&bytes[..read]);
            let surplus = last.len().saturating_sub(LAST_WORDS);
            last.drain(..surplus);
        }
    })
}
