//! The protocol of Gomocup and Piskvork (<https://plastovicka.github.io/protocl2en.htm>).

mod client;
mod server;
mod swap2;

pub use client::ExternalGomocup;
pub use server::GomocupServer;

use crate::games::Gomoku;

/// A cell in the protocol's notation: column and row from 0.
fn cell(game: &Gomoku, action: u32) -> String {
    format!("{},{}", action % game.columns(), action / game.columns())
}

/// The action of a cell; `None` if it is not on the board.
fn action(game: &Gomoku, cell: &str) -> Option<u32> {
    let (column, row) = cell.split_once(',')?;
    let number = |text: &str, end: u32| {
        let text = text.trim();
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|&number: &u32| plain && number < end)
    };
    Some(number(row, game.rows())? * game.columns() + number(column, game.columns())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    #[test]
    fn cells_return() {
        for (rows, columns) in [(5, 5), (15, 15), (22, 22), (7, 12), (20, 6)] {
            let game = Gomoku::rectangular(rows, columns).expect("a board");
            for wanted in 0..game.max_actions() {
                assert_eq!(action(&game, &cell(&game, wanted)), Some(wanted));
            }
        }
        let game = Gomoku::default();
        assert_eq!((cell(&game, 31), action(&game, " 14 , 0 ")), ("1,2".into(), Some(14)));
        for wrong in
            ["", ",", "1", "1,", ",1", "15,0", "0,15", "-1,0", "+1,0", "1,2,3", "a,b", "1 2", "99999999999,0"]
        {
            assert_eq!(action(&game, wrong), None, "{wrong}");
        }
    }
}
