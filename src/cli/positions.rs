//! A file of positions, one a line.

use super::{
    failure::{Failure, Result},
    position::parse_moves,
    ranks,
};
use mcts_wgpu::{Game, Position};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, stdin},
    path::Path,
};

/// The lines of a file, or of standard input, read as they are needed.
pub struct Lines {
    name: String,
    /// With their numbers, from 1 on.
    lines: Box<dyn Iterator<Item = (usize, io::Result<String>)>>,
}

impl Lines {
    /// Opens a file; `-` is standard input. Of many ranks the first one reads it for all.
    pub fn open(path: &Path) -> Result<Self> {
        if ranks::of_job().rank() > 0 {
            return Ok(Self { name: path.display().to_string(), lines: Box::new(std::iter::empty()) });
        }
        if path.as_os_str() == "-" {
            return Ok(Self { name: "standard input".into(), lines: Box::new((1..).zip(stdin().lines())) });
        }
        let name = path.display().to_string();
        let file = File::open(path)
            .map_err(|error| Failure::message(format!("--positions {name} can't be read: {error}")))?;
        Ok(Self { name, lines: Box::new((1..).zip(BufReader::new(file).lines())) })
    }

    /// The first positions, at least one and at most so many.
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

    /// The next positions, at most so many; none at the end.
    pub fn more<G: Game>(&mut self, game: &G, most: usize) -> Result<Vec<Position<G>>> {
        let name = &self.name;
        let read = |(number, line): (usize, io::Result<String>)| {
            let line = line.map_err(|error| {
                Failure::message(format!("line {number} of {name} can't be read: {error}"))
            })?;
            Ok((number, line))
        };
        let lines = self.lines.by_ref().take(most).map(read).collect::<Result<Vec<_>>>()?;
        let parse = |(number, line): (usize, String)| {
            parse_moves(game, &line).map_err(|failure| failure.of(format!("line {number} of {name}")))
        };
        ranks::from_first(lines)?.into_iter().map(parse).collect()
    }
}
