//! A terminal that looks narrower than it is, so that what the terminal itself writes has room behind a bar: ^C.

use console::Term;
use indicatif::TermLike;
use std::io;

/// Columns that stay free: for two of them.
const MARGIN: u16 = 4;

/// Standard error.
#[derive(Debug)]
pub struct Margin(Term);

impl Margin {
    pub fn stderr() -> Self {
        Self(Term::buffered_stderr())
    }
}

impl TermLike for Margin {
    /// A bar fills the line up to here. If that were all of the line, the ^C would begin a new one, and only that one
    /// would be cleared.
    fn width(&self) -> u16 {
        TermLike::width(&self.0).saturating_sub(MARGIN)
    }

    fn height(&self) -> u16 {
        TermLike::height(&self.0)
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_up(lines)
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_down(lines)
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_right(columns)
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_left(columns)
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.0.write_line(line)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}
