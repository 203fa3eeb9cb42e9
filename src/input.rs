//! Bounded reading of users' files and streams, some of which have no end.

use std::{
    fs::File,
    io::{self, BufRead, ErrorKind, Read},
    path::Path,
};

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// As of reading; [`FileTooLarge`](ErrorKind::FileTooLarge) if the file has more.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long("it is larger", most)) } else { Ok(bytes) }
}

/// [`read_file`] for a text in UTF-8.
///
/// # Errors
/// As of [`read_file`]; [`InvalidData`](ErrorKind::InvalidData) if the file is no such text.
#[cfg(feature = "cli")]
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read_file(path, most)?);
    text.map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not text in UTF-8"))
}

/// Replaces the last line by the next one, with its end; returns false at the end of the stream.
///
/// # Errors
/// As of reading; [`FileTooLarge`](ErrorKind::FileTooLarge) if the line has more than `most` bytes.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, most: u64) -> io::Result<bool> {
    line.clear();
    let read = input.take(most + 1).read_until(b'\n', line)?;
    if read as u64 > most { Err(too_long("a line is longer", most)) } else { Ok(read > 0) }
}

/// A line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Invalid UTF-8 is replaced.
    Text(String),
    /// A line that was skipped because of its length.
    TooLong,
}

/// The next line; `None` at the end of the stream. Lines of more than `most` bytes are skipped.
///
/// # Errors
/// As of reading.
pub fn next_line(input: &mut impl BufRead, most: u64) -> io::Result<Option<Line>> {
    let line = begin_line(input, most)?;
    if line == Some(Line::TooLong) {
        input.skip_until(b'\n')?;
    }
    Ok(line)
}

/// [`next_line`] that leaves the rest of a line that is too long: such a line may have no end.
///
/// # Errors
/// As of reading.
pub fn begin_line(input: &mut impl BufRead, most: u64) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    (&mut *input).take(most).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") && has_more(input)? {
        return Ok(Some(Line::TooLong));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(Line::Text(text.trim_end_matches(['\r', '\n']).to_owned())))
}

fn has_more(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            filled => return filled.map(|bytes| !bytes.is_empty()),
        }
    }
}

/// The error of an input of more than `most` bytes.
pub fn too_long(what: &str, most: u64) -> io::Error {
    let size = match most {
        _ if most >= 1 << 20 => format!("{} MiB", most >> 20),
        _ if most >= 1 << 10 => format!("{} KiB", most >> 10),
        _ => format!("{most} bytes"),
    };
    io::Error::new(ErrorKind::FileTooLarge, format!("{what} than {size}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor, repeat};

    fn lines_of(text: &[u8], most: u64) -> Vec<Line> {
        let mut input = Cursor::new(text);
        std::iter::from_fn(|| next_line(&mut input, most).expect("a slice can be read")).collect()
    }

    fn text(text: &str) -> Line {
        Line::Text(text.into())
    }

    #[test]
    fn ends_of_lines_are_left_out() {
        assert_eq!(lines_of(b"a\r\n\n b\tc\nlast", 9), [text("a"), text(""), text(" b\tc"), text("last")]);
        assert_eq!(lines_of(b"", 9), []);
        assert_eq!(lines_of(b"\xff!", 9), [text("\u{fffd}!")]);
    }

    #[test]
    fn long_lines_are_passed_over() {
        for length in [7, 8, 9, 15, 16, 17, 80] {
            let line = "x".repeat(length);
            // The end of the line counts.
            let expected = if length < 8 { text(&line) } else { Line::TooLong };
            assert_eq!(
                lines_of(format!("{line}\nnext\n").as_bytes(), 8),
                [expected, text("next")],
                "{length}"
            );
        }
        assert_eq!(lines_of("x".repeat(9).as_bytes(), 8), [Line::TooLong]);
    }

    #[test]
    fn lines_without_an_end_are_errors() {
        let mut line = Vec::new();
        let error =
            read_line(&mut BufReader::new(repeat(b'x')), &mut line, 1 << 20).expect_err("it has no end");
        assert_eq!(error.to_string(), "a line is longer than 1 MiB");
        assert!(line.len() <= (1 << 20) + 1);
        let mut two = Cursor::new("a\nb");
        let mut read = || (read_line(&mut two, &mut line, 2).expect("short lines"), line.clone());
        assert_eq!([read(), read(), read()], [(true, b"a\n".into()), (true, b"b".into()), (false, vec![])]);
    }

    #[cfg(unix)]
    #[test]
    fn files_without_an_end_are_errors() {
        let error = read_file(Path::new("/dev/zero"), 1 << 12).expect_err("it has no end");
        assert_eq!(error.to_string(), "it is larger than 4 KiB");
    }
}
