//! Files of openings.

use crate::{
    cli::{
        failure::{Failure, Result},
        position::parse_moves,
    },
    input::read_text,
    rules::{Game, Position},
};
use std::path::Path;

/// The greatest size of a file of openings in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// The greatest number of openings, which are all kept as positions.
const MOST: usize = 1 << 18;

/// The positions after the openings of a file, one a line, as for --moves; none without a file. Empty lines, and lines
/// that begin with #, are skipped.
pub fn read<G: Game>(path: Option<&Path>, game: &G) -> Result<Vec<Position<G>>> {
    let Some(path) = path else { return Ok(Vec::new()) };
    let name = path.display();
    let text = read_text(path, MOST_BYTES)
        .map_err(|error| Failure::message(format!("the openings {name} can't be read: {error}")))?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let openings = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let openings: Vec<_> = openings
        .take(MOST + 1)
        .map(|(number, line)| {
            let of_line = |failure: Failure| failure.of(format!("line {number} of {name}"));
            let position = parse_moves(game, line).map_err(of_line)?;
            match position.outcome() {
                None => Ok(position),
                Some(outcome) => Err(of_line(Failure::message(format!(
                    "the game is over after this opening ({outcome}): leave it out"
                )))),
            }
        })
        .collect::<Result<_>>()?;
    if openings.is_empty() {
        return Err(Failure::message(format!("{name} has no openings: write one a line, such as 3,2,3")));
    }
    if openings.len() > MOST {
        return Err(Failure::message(format!("{name} has more than {MOST} openings: leave some out")));
    }
    Ok(openings)
}
