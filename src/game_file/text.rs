//! The text of a game file, and errors that point into it.

use crate::error::Error;
use std::ops::Range;

/// Greatest number of characters of a line in an error.
const MOST_COLUMNS: usize = 160;

/// A file's name and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub file: String,
    pub text: String,
}

impl Text {
    /// An error about the whole file.
    pub fn error(&self, what: &str) -> Error {
        Error::shader(format!("{}: {what}", self.file))
    }

    /// The start of the character of a byte.
    fn boundary(&self, byte: usize) -> usize {
        let most = byte.min(self.text.len());
        (0..=most).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }

    /// The line and the column of a byte; both begin at 1.
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..self.boundary(byte)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (1 + before.matches('\n').count(), 1 + before[line_start..].chars().count())
    }

    /// An error that shows a line, with carets under the place, `label` beside them, and `help` below.
    pub fn error_at(&self, place: Range<usize>, what: &str, label: &str, help: &str) -> Error {
        let start = self.boundary(place.start);
        let before = &self.text[..start];
        let (number, column) = self.line_and_column(start);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let end = self.boundary(place.end).clamp(start, line_start + line.len().max(start - line_start));
        // A very long line is cut to the width of a terminal.
        let left_out = column.saturating_sub(MOST_COLUMNS / 2) * usize::from(column > MOST_COLUMNS);
        let seen = |c: char| if c == '\t' || !(c.is_control() || is_format(c)) { c } else { '\u{fffd}' };
        let shown: String = line.chars().skip(left_out).take(MOST_COLUMNS).map(seen).collect();
        // Tabs are kept, so that the carets are below their characters.
        let indent = before[line_start..].chars().skip(left_out).map(|c| if c == '\t' { c } else { ' ' });
        let indent: String = indent.collect();
        let marked = self.text[start..end].chars().count().min(MOST_COLUMNS - indent.chars().count());
        let carets = "^".repeat(marked.max(1));
        let margin = " ".repeat(number.to_string().len());
        let mut message = format!(
            "{}:{number}:{column}: {what}\n{margin} |\n{number} | {shown}\n{margin} | {indent}{carets}",
            self.file
        );
        if !label.is_empty() {
            message += &format!(" {label}");
        }
        if !help.is_empty() {
            message += &format!("\n{margin} = {help}");
        }
        Error::shader(message)
    }
}

/// Whether it is a character of line ends or of text direction, which would change the text beside it.
pub(super) fn is_format(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shown_in_part() {
        let text =
            Text { file: "a.wgsl".into(), text: format!("{}here{}", "-".repeat(1000), "+".repeat(1000)) };
        let error = text.error_at(1000..2004, "unknown", "", "").to_string();
        let lines: Vec<_> = error.lines().collect();
        assert_eq!((lines[0], lines[2].len(), lines[3].len()), ("a.wgsl:1:1001: unknown", 164, 164));
        assert_eq!(lines[2].find('h'), lines[3].find('^'));
        let error = text.error_at(100..105, "unknown", "", "").to_string();
        assert!(error.ends_with(&format!("| {}^^^^^", " ".repeat(100))), "{error}");
    }

    #[test]
    fn carets_stand_below_what_they_mean() {
        let text = Text { file: "a.wgsl".into(), text: "one\n\tlet é = två;\nthree".into() };
        let at = text.text.find("två").unwrap();
        let error = text.error_at(at..at + 4, "unknown", "this", "write two").to_string();
        assert_eq!(
            error,
            "a.wgsl:2:10: unknown\n  |\n2 | \tlet é = två;\n  | \t        ^^^ this\n  = write two"
        );
        for start in 0..text.text.len() + 3 {
            for end in start..text.text.len() + 5 {
                text.error_at(start..end, "", "", "");
            }
        }
    }
}
