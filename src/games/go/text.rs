//! Names of points, and boards as text.

use super::{
    Go, MAX_WORDS,
    plane::Plane,
    state::{GoState, board_of},
};
use crate::{
    error::{Error, Result},
    rules::{Game, Player},
};

impl Go {
    pub(super) fn name_of(&self, action: u32) -> String {
        if action >= self.pass() {
            return "pass".into();
        }
        let column = (action % self.columns) as u8;
        // GTP has no column I.
        let letter = char::from(b'A' + column + u8::from(column >= 8));
        format!("{letter}{}", action / self.columns + 1)
    }

    pub(super) fn action_of(&self, name: &str) -> Option<u32> {
        let name = name.to_ascii_uppercase();
        if name == "PASS" {
            return Some(self.pass());
        }
        let letter = *name.as_bytes().first()?;
        let column = match letter {
            b'A'..=b'H' => letter - b'A',
            b'J'..=b'T' => letter - b'A' - 1,
            _ => return None,
        };
        let row = &name[1..];
        let plain = !row.starts_with('0') && row.bytes().all(|digit| digit.is_ascii_digit());
        let row: u32 = row.parse().ok().filter(|_| plain)?;
        let column = u32::from(column);
        (row <= self.rows && column < self.columns).then(|| (row - 1) * self.columns + column)
    }

    pub(super) fn rows_of(&self, state: &GoState) -> Vec<String> {
        let symbol = |action: u32| {
            let point = Plane::bit(self.bit_of(action));
            match (point.and(state.black).any(), point.and(state.white).any()) {
                (true, _) => Player::First.symbol(),
                (_, true) => Player::Second.symbol(),
                _ => '.',
            }
        };
        let row = |row: u32| (0..self.columns).map(|column| symbol(row * self.columns + column)).collect();
        (0..self.rows).rev().map(row).collect()
    }

    pub(super) fn score_of(&self, state: &GoState) -> String {
        let [black, white] = board_of(state, Player::First).areas(&self.grid);
        let (komi, points) = (self.komi(), if black == 1 { "point" } else { "points" });
        if komi == 0.0 {
            return format!("X has {black} {points}, O {white}");
        }
        format!(
            "X has {black} {points}, O {white} and a komi of {komi}: {}",
            f64::from(white) + f64::from(komi)
        )
    }

    /// Moves played are 0 then, and there is no ko.
    pub(super) fn state_from_rows(&self, rows: &[&str]) -> Result<GoState> {
        let (height, width) = (self.rows as usize, self.columns as usize);
        if rows.len() != height {
            let given = rows.len();
            let what =
                format!("{given} rows: this Go board has {height} rows of {width} points, top row first");
            return Err(Error::invalid(what));
        }
        if let Some(row) = rows.iter().find(|row| row.chars().count() != width) {
            let points = row.chars().count();
            let what = format!("the row '{row}' has {points} points: give {width} on this Go board");
            return Err(Error::invalid(what));
        }
        let mut state = self.start();
        for (action, symbol) in (0..).zip(rows.iter().rev().flat_map(|row| row.chars())) {
            let point = Plane::bit(self.bit_of(action));
            match symbol {
                'X' => state.black = state.black.or(point),
                'O' => state.white = state.white.or(point),
                '.' => {}
                other => {
                    let at = self.name_of(action);
                    let what =
                        format!("'{other}' on {at}: write '.' for empty, 'X' for Black, 'O' for White");
                    return Err(Error::invalid(what));
                }
            }
        }
        self.check_stones(&state)?;
        Ok(state)
    }

    /// Checks that these stones can be on the board.
    pub(super) fn check_stones(&self, state: &GoState) -> Result<()> {
        let Self { rows, columns, .. } = *self;
        if state.black.or(state.white).without(self.grid.board).any() {
            let what =
                format!("a stone outside of {rows} x {columns} points: take the state of such a Go board");
            return Err(Error::invalid(what));
        }
        let both = state.black.and(state.white);
        if both.any() {
            let at = self.name_at(both.lowest());
            return Err(Error::invalid(format!("stones of both colours on {at}: remove one of them")));
        }
        if let Some(stone) = board_of(state, Player::First).find_without_liberties(&self.grid) {
            let at = self.name_at(stone);
            let what = format!("the group of {at} on this Go board has no liberty: remove its stones");
            return Err(Error::invalid(what));
        }
        Ok(())
    }

    /// Checks that a game with these stones can have this ko, these passes and these moves.
    pub(super) fn check_history(&self, state: &GoState) -> Result<()> {
        let GoState { ko_mark, passes, moves, .. } = *state;
        let most = self.max_moves;
        if moves > most || passes > moves.min(2) {
            let what =
                format!("{moves} moves, the last {passes} of them passes: at most {most} moves and 2 passes");
            return Err(Error::invalid(what));
        }
        let empty = board_of(state, Player::First).empty(&self.grid);
        let is_ko = ko_mark > 0 && Plane::bit(ko_mark - 1).and(empty).any() && passes == 0;
        if ko_mark > 0 && !is_ko {
            return Err(Error::invalid(
                "an impossible ko: it has to be an empty point, without a pass after it",
            ));
        }
        Ok(())
    }

    /// The name of the only point of a set.
    fn name_at(&self, point: Plane<MAX_WORDS>) -> String {
        let action = (0..self.pass()).find(|&action| Plane::bit(self.bit_of(action)).is(point));
        action.map(|action| self.name_of(action)).unwrap_or_default()
    }
}
