//! Files of openings.

use crate::cli::{
    failure::{Failure, Result},
    position::parse_moves,
};
use mcts_wgpu::{Game, Position};
use std::{fs, path::Path};

/// The positions after the openings of a file: a line each, written as for --moves. Empty lines, and lines that begin
/// with #, are left out.
pub fn read<G: Game>(path: &Path, game: &G) -> Result<Vec<Position<G>>> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::message(format!("the openings {name} can't be read: {error}")))?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let openings = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let openings: Vec<_> = openings
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
    Ok(openings)
}
