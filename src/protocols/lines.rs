//! Lines of a stream, read by a separate thread, so that waiting for a line can time out.

pub use crate::input::Line;
use crate::input::begin_line;
use std::{
    io::{self, BufRead, BufReader, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::Builder,
    time::Instant,
};

/// Maximum length of a line in bytes.
pub const LONGEST_LINE: u64 = 1 << 14;
/// Lines buffered ahead of the reader.
const LINES_AHEAD: usize = 64;

/// The lines of a stream.
#[derive(Debug)]
pub struct Lines {
    receiver: Receiver<Line>,
    /// A line that `is_ready` received, but was not returned yet.
    ahead: Option<Line>,
}

impl Lines {
    /// Starts the thread. It ends with the stream, or at the first line after the reader was dropped.
    ///
    /// # Errors
    /// The thread can't be started.
    pub fn of(stream: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(LINES_AHEAD);
        Builder::new().spawn(move || read_all(BufReader::new(stream), &sender))?;
        Ok(Self { receiver, ahead: None })
    }

    /// Waits for the next line; none at the end of the stream.
    pub fn next(&mut self) -> Option<Line> {
        self.ahead.take().or_else(|| self.receiver.recv().ok())
    }

    /// The next line, if it arrives before the deadline.
    pub fn next_until(&mut self, deadline: Instant) -> Result<Line, RecvTimeoutError> {
        let time = deadline.saturating_duration_since(Instant::now());
        self.ahead.take().map_or_else(|| self.receiver.recv_timeout(time), Ok)
    }

    /// Whether the next line or the end of the stream has arrived.
    pub fn is_ready(&mut self) -> bool {
        self.is_ready_by(Instant::now())
    }

    /// Waits for the next line or the end of the stream; returns whether it arrived before the deadline.
    pub fn is_ready_by(&mut self, deadline: Instant) -> bool {
        match self.next_until(deadline) {
            Ok(line) => {
                self.ahead = Some(line);
                true
            }
            Err(missing) => missing == RecvTimeoutError::Disconnected,
        }
    }
}

/// Sends lines until the end of the stream or a read error; one that is too long at once, as it may have no end.
fn read_all(mut input: impl BufRead, lines: &SyncSender<Line>) {
    while let Ok(Some(line)) = begin_line(&mut input, LONGEST_LINE) {
        let is_long = line == Line::TooLong;
        if lines.send(line).is_err() || is_long && input.skip_until(b'\n').is_err() {
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
        assert_eq!(
            lines.next_until(Instant::now() + Duration::from_millis(10)),
            Err(RecvTimeoutError::Timeout)
        );
        std::io::Write::write_all(&mut writer, b"one\n").expect("the pipe is open");
        assert_eq!(lines.next_until(Instant::now() + Duration::from_secs(60)), Ok(text("one")));
        drop(writer);
        assert_eq!(
            lines.next_until(Instant::now() + Duration::from_secs(60)),
            Err(RecvTimeoutError::Disconnected)
        );
        assert!(lines.is_ready());
        assert_eq!(lines.next(), None);
    }
}
