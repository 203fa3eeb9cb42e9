//! A terminal that reports a smaller width, so that ^C, which the terminal writes, has room after a progress bar.

use console::Term;
use indicatif::TermLike;
use std::io;

/// Columns that stay free: the width of ^C twice.
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
    /// The width of a bar. If a bar filled the whole line, ^C would begin a new line, and only that one would be
    /// cleared.
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
