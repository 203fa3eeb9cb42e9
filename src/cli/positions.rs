//! Files of positions, one a line.

use super::{
    failure::{Failure, Result},
    position::parse_moves,
    ranks,
};
use crate::{
    input::read_line,
    rules::{Game, Position},
};
use std::{
    fs::File,
    io::{BufRead, BufReader, empty, stdin},
    path::Path,
};

/// The greatest length of a line in bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// The greatest number of positions in memory, and of MiB of their lines.
const MOST: usize = 1 << 20;
const MOST_BYTES: usize = 256 << 20;

/// The lines of a file or of standard input, read on demand.
pub struct Lines {
    name: String,
    input: Box<dyn BufRead>,
    /// Number of lines that were read.
    read: usize,
}

impl Lines {
    /// Opens a file; `-` is standard input. In an MPI job, the first rank reads it for all.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if ranks::of_job().rank() > 0 {
            return Ok(Self { name, input: Box::new(empty()), read: 0 });
        }
        if path.as_os_str() == "-" {
            return Ok(Self { name: "standard input".into(), input: Box::new(stdin().lock()), read: 0 });
        }
        let file = File::open(path)
            .map_err(|error| Failure::message(format!("--positions {name} can't be read: {error}")))?;
        Ok(Self { name, input: Box::new(BufReader::new(file)), read: 0 })
    }

    /// The first positions: at least one, at most `most`.
    pub fn positions<G: Game>(&mut self, game: &G, most: usize) -> Result<Vec<Position<G>>> {
        let positions = self.more(game, most)?;
        if positions.is_empty() {
            let name = &self.name;
            return Err(Failure::message(format!(
                "{name} has no positions: write one a line, such as 3,2,3"
            )));
        }
        Ok(positions)
    }

    /// The next positions, at most `most`; empty at the end.
    pub fn more<G: Game>(&mut self, game: &G, most: usize) -> Result<Vec<Position<G>>> {
        let lines = self.lines(most)?;
        let name = &self.name;
        let parse = |(number, line): (usize, String)| {
            parse_moves(game, &line).map_err(|failure| failure.of(format!("line {number} of {name}")))
        };
        ranks::from_first(lines)?.into_iter().map(parse).collect()
    }

    /// The next lines with their numbers, from 1.
    fn lines(&mut self, most: usize) -> Result<Vec<(usize, String)>> {
        let Self { name, input, read: number } = self;
        let (mut lines, mut bytes, mut line) = (Vec::new(), 0, Vec::new());
        while lines.len() < most {
            *number += 1;
            let unread = |why: &dyn std::fmt::Display| {
                Failure::message(format!("line {number} of {name} can't be read: {why}"))
            };
            if !read_line(input, &mut line, LONGEST_LINE).map_err(|why| unread(&why))? {
                break;
            }
            bytes += line.len();
            if lines.len() == MOST || bytes > MOST_BYTES {
                return Err(Failure::message(format!(
                    "{name} has more than {MOST} positions, or {} MiB of them: search them a batch at a time, with \
                     --jsonl and a smaller --batch",
                    MOST_BYTES >> 20
                )));
            }
            let text = str::from_utf8(&line).map_err(|_| unread(&"it is not UTF-8"))?;
            lines.push((*number, text.trim_end_matches(['\r', '\n']).into()));
        }
        Ok(lines)
    }
}
