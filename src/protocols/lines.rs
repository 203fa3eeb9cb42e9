//! Lines of a stream, read by a thread of their own, so that waiting for one can end.

pub use crate::input::Line;
use crate::input::next_line;
use std::{
    io::{self, BufRead, BufReader, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::Builder,
    time::Instant,
};

/// No line that means anything has so many bytes.
const LONGEST_LINE: u64 = 1 << 14;
/// Lines that are read before anybody asks for them.
const LINES_AHEAD: usize = 64;

/// Why there is no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// None has come in time.
    Late,
    /// The stream has ended.
    Closed,
}

/// The lines of a stream.
#[derive(Debug)]
pub struct Lines {
    receiver: Receiver<Line>,
    /// One that was looked at, but not asked for.
    ahead: Option<Line>,
}

impl Lines {
    /// Starts to read. The thread ends with the stream, or with the first line that nobody waits for any more.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn of(stream: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(LINES_AHEAD);
        Builder::new().spawn(move || read_all(BufReader::new(stream), &sender))?;
        Ok(Self { receiver, ahead: None })
    }

    /// Waits for the next line; none where the stream has ended.
    pub fn next(&mut self) -> Option<Line> {
        self.ahead.take().or_else(|| self.receiver.recv().ok())
    }

    /// The next line, if it comes in time.
    pub fn next_until(&mut self, deadline: Instant) -> Result<Line, Missing> {
        if let Some(line) = self.ahead.take() {
            return Ok(line);
        }
        let time = deadline.saturating_duration_since(Instant::now());
        self.receiver.recv_timeout(time).map_err(|error| match error {
            RecvTimeoutError::Timeout => Missing::Late,
            RecvTimeoutError::Disconnected => Missing::Closed,
        })
    }

    /// Has the next line come, or the end?
    pub fn is_ready(&mut self) -> bool {
        self.is_ready_by(Instant::now())
    }

    /// Waits for the next line, or the end. Has it come in time?
    pub fn is_ready_by(&mut self, deadline: Instant) -> bool {
        match self.next_until(deadline) {
            Ok(line) => {
                self.ahead = Some(line);
                true
            }
            Err(missing) => missing == Missing::Closed,
        }
    }
}

/// To the end, or where nothing can be read.
fn read_all(mut input: impl BufRead, lines: &SyncSender<Line>) {
    while let Ok(Some(line)) = next_line(&mut input, LONGEST_LINE) {
        if lines.send(line).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn waiting_ends() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let text = |text: &str| Line::Text(text.into());
        let mut lines = Lines::of(reader).expect("there are threads");
        assert!(!lines.is_ready());
        assert_eq!(lines.next_until(Instant::now() + Duration::from_millis(10)), Err(Missing::Late));
        std::io::Write::write_all(&mut writer, b"one\n").expect("the pipe is open");
        assert_eq!(lines.next_until(Instant::now() + Duration::from_secs(60)), Ok(text("one")));
        drop(writer);
        assert_eq!(lines.next_until(Instant::now() + Duration::from_secs(60)), Err(Missing::Closed));
        assert!(lines.is_ready());
        assert_eq!(lines.next(), None);
    }
}
