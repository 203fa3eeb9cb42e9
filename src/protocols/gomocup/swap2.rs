//! Openings by swap2: one player places two black stones and a white one. The other player then plays White, plays
//! Black, or places two more stones and lets the first player choose. The player of the next white stone has White.

use super::{
    cell,
    server::{GomocupServer, Stone},
};
use crate::{
    error::{Error, Result},
    games::Gomoku,
    rules::Position,
};

/// Offsets of White's stone and Black's second one from Black's first one, as (columns, rows). Near and distant ones,
/// so that some openings favour each side.
const OPENINGS: [[(i32, i32); 2]; 6] = [
    [(1, 0), (2, -1)],
    [(1, 1), (-2, 1)],
    [(0, 1), (2, 2)],
    [(1, 1), (2, -2)],
    [(1, 0), (-2, -2)],
    [(0, 1), (1, -2)],
];

impl GomocupServer {
    /// On an empty board, places three stones. Otherwise places a white stone, or answers `SWAP` to play Black, by the
    /// result of a search. It never places two more stones, since then the opponent chooses the colours.
    pub(super) fn open_by_swap2(&mut self) -> Result<String> {
        match self.stones.len() {
            0 => self.place_opening(),
            3 | 5 => self.choose_colour(),
            count => {
                Err(Error::invalid(format!("swap2 needs 0, 3 or 5 stones on the board: there are {count}")))
            }
        }
    }

    fn choose_colour(&mut self) -> Result<String> {
        let game = self.game()?;
        let actions: Vec<u32> = self.stones.iter().map(|stone| stone.action).collect();
        let position = Position::start(&game).after(&actions)?;
        let chosen = self.search(&position, 1)?;
        let takes_white = chosen.best.is_none_or(|best| best.q >= 0.5);
        // White has every second stone.
        for (place, stone) in self.stones.iter_mut().enumerate() {
            stone.own = takes_white == (place % 2 == 1);
        }
        if !takes_white {
            return Ok("SWAP".into());
        }
        self.stones.push(Stone { action: chosen.action, own: true });
        Ok(cell(&game, chosen.action))
    }

    /// Places the opening whose value is nearest to 1/2. Until the opponent has chosen, the program counts as Black.
    fn place_opening(&mut self) -> Result<String> {
        let game = self.game()?;
        let mut best: Option<(f64, [u32; 3])> = None;
        for opening in OPENINGS {
            let actions = placed(&game, opening);
            let position = Position::start(&game).after(&actions)?;
            let found = self.search(&position, OPENINGS.len() as u32)?.best;
            let unfair = found.map_or(f64::INFINITY, |found| (found.q - 0.5).abs());
            if best.is_none_or(|(least, _)| unfair < least) {
                best = Some((unfair, actions));
            }
        }
        let (_, actions) = best.ok_or_else(|| Error::invalid("there is no opening"))?;
        let own = [true, false, true];
        self.stones = actions.into_iter().zip(own).map(|(action, own)| Stone { action, own }).collect();
        Ok(actions.map(|action| cell(&game, action)).join(" "))
    }
}

/// The stones of an opening, the first one at the centre.
fn placed(game: &Gomoku, opening: [(i32, i32); 2]) -> [u32; 3] {
    let near_middle = |size: u32, offset: i32| (size / 2).saturating_add_signed(offset);
    let [white, black] = opening;
    [(0, 0), white, black].map(|(column, row)| {
        near_middle(game.rows(), row) * game.columns() + near_middle(game.columns(), column)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_on_every_board() {
        for (rows, columns) in [(5, 5), (6, 6), (15, 15), (22, 22), (5, 22), (9, 6)] {
            let game = Gomoku::rectangular(rows, columns).expect("a board");
            for opening in OPENINGS {
                Position::start(&game).after(&placed(&game, opening)).expect("three stones");
            }
        }
    }
}
