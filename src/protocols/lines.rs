//! Lines of a stream, read by a thread of their own, so that waiting for one can end.

use std::{
    io::{BufRead, BufReader, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel},
    thread,
    time::Instant,
};

/// No line that means anything has so many bytes.
const LONGEST_LINE: u64 = 1 << 14;
/// Lines that are read before anybody asks for them.
const LINES_AHEAD: usize = 64;

/// A line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Bytes that are no UTF-8 are replaced.
    Text(String),
    /// It was so long that it was passed over.
    TooLong,
}

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
    pub fn of(stream: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = sync_channel(LINES_AHEAD);
        thread::spawn(move || read_all(BufReader::new(stream), &sender));
        Self { receiver, ahead: None }
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
        if self.ahead.is_none() {
            match self.receiver.try_recv() {
                Ok(line) => self.ahead = Some(line),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => {}
            }
        }
        true
    }
}

fn read_all(mut input: impl BufRead, lines: &SyncSender<Line>) {
    while let Some(line) = read_line(&mut input) {
        if lines.send(line).is_err() {
            return;
        }
    }
}

/// A line; none at the end, and where nothing can be read.
fn read_line(input: &mut impl BufRead) -> Option<Line> {
    let mut bytes = Vec::new();
    let mut read = |bytes: &mut Vec<u8>| input.by_ref().take(LONGEST_LINE).read_until(b'\n', bytes).ok();
    read(&mut bytes).filter(|&length| length > 0)?;
    let mut is_long = false;
    while bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
        is_long = true;
        bytes.clear();
        read(&mut bytes)?;
    }
    if is_long {
        return Some(Line::TooLong);
    }
    let text = String::from_utf8_lossy(&bytes);
    Some(Line::Text(text.trim_end_matches(['\r', '\n']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Cursor, time::Duration};

    fn lines_of(text: &[u8]) -> Vec<Line> {
        let mut lines = Lines::of(Cursor::new(text.to_vec()));
        std::iter::from_fn(|| lines.next()).collect()
    }

    fn text(text: &str) -> Line {
        Line::Text(text.into())
    }

    #[test]
    fn ends_of_lines_are_left_out() {
        assert_eq!(lines_of(b"a\r\n\n b\tc\nlast"), [text("a"), text(""), text(" b\tc"), text("last")]);
        assert_eq!(lines_of(b""), []);
        assert_eq!(lines_of(b"\xff!"), [text("\u{fffd}!")]);
    }

    #[test]
    fn long_lines_are_passed_over() {
        let longest = LONGEST_LINE as usize;
        for length in [longest - 1, longest, longest + 1, 2 * longest - 1, 2 * longest, 10 * longest] {
            let line = "x".repeat(length);
            let expected = if length < longest { text(&line) } else { Line::TooLong };
            let all = format!("{line}\nnext\n");
            assert_eq!(lines_of(all.as_bytes()), [expected, text("next")], "{length}");
        }
        assert_eq!(lines_of("x".repeat(longest + 1).as_bytes()), [Line::TooLong]);
    }

    #[test]
    fn waiting_ends() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut lines = Lines::of(reader);
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
