//! A Gomocup program for tournament managers.

use super::{action, cell};
use crate::{
    any_game::AnyGame,
    error::{Error, Result},
    games::Gomoku,
    protocols::{
        Brain, board,
        brain::Chosen,
        clock::{but_the_reserve, share},
        lines::{Line, Lines},
        process::quoted,
    },
    rules::{Game, Player, Position},
};
use std::{
    io::{self, Read, Write},
    time::{Duration, Instant},
};

/// The time of a move that is requested as fast as possible.
const QUICK: Duration = Duration::from_millis(50);
/// Trees get this part of the program's memory limit (1/2), but at least `LEAST_MEMORY` bytes.
const PART_OF_MEMORY: u64 = 2;
const LEAST_MEMORY: u64 = 32 << 20;
/// The bit of the rule by which only exactly five in line win.
const EXACTLY_FIVE: u32 = 1;
/// The rule by which Black must not make double threes, double fours or six in line.
const RENJU: &str = "4";

/// A Gomocup program: it holds the state of a game, and chooses moves by a [`Brain`].
///
/// It plays freestyle (rule 0) and exactly five (rule 1) on boards of 5 x 5 to 22 x 22, with swap2 openings
/// (`SWAP2BOARD`). Other rules are answered with an error.
#[derive(Debug)]
pub struct GomocupServer {
    brain: Brain<AnyGame>,
    /// `None` before the first game.
    game: Option<Gomoku>,
    freestyle: bool,
    /// A requested rule that is not supported.
    unsupported_rule: Option<String>,
    /// In the order of the moves.
    pub(super) stones: Vec<Stone>,
    /// A board whose lines have not all arrived.
    incoming: Option<Incoming>,
    time: Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stone {
    pub action: u32,
    /// The program's own.
    pub own: bool,
}

/// A board that arrives line by line.
#[derive(Debug)]
struct Incoming {
    /// The request is an opening by swap2; otherwise a move.
    is_opening: bool,
    /// Its stones, or the error of one.
    stones: Result<Vec<Stone>>,
}

/// Time limits; `None` for no limit.
#[derive(Debug, Clone, Copy, Default)]
struct Time {
    turn: Option<Duration>,
    game: Option<Duration>,
    left: Option<Duration>,
}

impl GomocupServer {
    /// A server before its first game.
    pub fn new(brain: Brain<AnyGame>) -> Self {
        Self {
            brain,
            game: None,
            freestyle: true,
            unsupported_rule: None,
            stones: Vec::new(),
            incoming: None,
            time: Time::default(),
        }
    }

    /// Answers commands until `END` or the end of the input.
    ///
    /// # Errors
    /// The output can't be written, or no thread can be created for the input.
    pub fn serve(
        &mut self,
        input: impl Read + Send + 'static,
        output: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let mut lines = Lines::of(input)?;
        while let Some(line) = lines.next() {
            let answer = match line {
                Line::Text(line) if line.trim().eq_ignore_ascii_case("END") => break,
                Line::Text(line) => self.answer(line.trim()),
                Line::TooLong => Some("ERROR the line is too long".into()),
            };
            if let Some(answer) = answer {
                writeln!(output, "{answer}")?;
                output.flush()?;
            }
        }
        Ok(())
    }

    /// The answer to a line; `None` if the protocol has none.
    fn answer(&mut self, line: &str) -> Option<String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (word, rest) = (word.to_ascii_uppercase(), rest.trim());
        if self.incoming.is_some() {
            return self.take_of_board(line);
        }
        let answer = match word.as_str() {
            "" => return None,
            "INFO" => {
                self.note(rest);
                return None;
            }
            "BOARD" | "SWAP2BOARD" => {
                self.incoming = Some(Incoming { is_opening: word == "SWAP2BOARD", stones: Ok(Vec::new()) });
                return None;
            }
            "START" => size(rest).and_then(Gomoku::new).and_then(|game| self.start(game)),
            "RESTART" => self.restart(),
            "RECTSTART" => self.start_rectangle(rest),
            "BEGIN" => self.begin(),
            "TURN" => self.turn(rest),
            "TAKEBACK" => self.take_back(rest),
            "ABOUT" => {
                let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
                Ok(format!("name=\"{name}\", version=\"{version}\""))
            }
            _ => return Some(format!("UNKNOWN {}", quoted(&word))),
        };
        Some(answer.unwrap_or_else(|why| format!("ERROR {why}")))
    }

    fn start(&mut self, game: Gomoku) -> Result<String> {
        self.game = Some(game);
        self.restart()
    }

    /// A board of the width and height of `RECTSTART`.
    fn start_rectangle(&mut self, sizes: &str) -> Result<String> {
        let (columns, rows) = sizes.split_once(',').ok_or_else(|| no_size(sizes))?;
        self.start(Gomoku::rectangular(size(rows)?, size(columns)?)?)
    }

    fn restart(&mut self) -> Result<String> {
        self.stones.clear();
        self.time.left = None;
        let game = self.game()?;
        self.brain.prepare(&game.into())?;
        Ok("OK".into())
    }

    fn begin(&mut self) -> Result<String> {
        if !self.stones.is_empty() {
            return Err(Error::invalid("the game has begun: send RESTART first"));
        }
        self.reply()
    }

    fn turn(&mut self, text: &str) -> Result<String> {
        let action = self.free_cell(text, &self.stones)?;
        self.stones.push(Stone { action, own: false });
        let answer = self.reply();
        if answer.is_err() {
            self.stones.pop();
        }
        answer
    }

    fn take_back(&mut self, text: &str) -> Result<String> {
        let game = self.game()?;
        let place = action(&game, text)
            .and_then(|action| self.stones.iter().rposition(|stone| stone.action == action))
            .ok_or_else(|| Error::invalid(format!("there is no stone at {}", quoted(text))))?;
        self.stones.remove(place);
        Ok("OK".into())
    }

    /// Handles a line between `BOARD` or `SWAP2BOARD` and `DONE`.
    fn take_of_board(&mut self, line: &str) -> Option<String> {
        let Incoming { is_opening, stones } = self.incoming.take()?;
        if !line.eq_ignore_ascii_case("DONE") {
            let more =
                |stones| if line.is_empty() { Ok(stones) } else { self.with_stone(stones, line, is_opening) };
            self.incoming = Some(Incoming { is_opening, stones: stones.and_then(more) });
            return None;
        }
        let answer = stones.and_then(|stones| {
            let before = std::mem::replace(&mut self.stones, stones);
            let answer = if is_opening { self.open_by_swap2() } else { self.reply() };
            answer.inspect_err(|_| self.stones = before)
        });
        Some(answer.unwrap_or_else(|why| format!("ERROR {why}")))
    }

    /// Adds a stone. Those of an opening are in turn Black's and White's: which player has which colour is decided
    /// later.
    fn with_stone(&self, mut stones: Vec<Stone>, line: &str, is_opening: bool) -> Result<Vec<Stone>> {
        let (cell, owner) = match is_opening {
            true => (line, "2"),
            false => line.rsplit_once(',').unwrap_or((line, "")),
        };
        let own = match owner.trim() {
            "1" => true,
            "2" => false,
            _ => {
                return Err(Error::invalid(format!("{} is not a stone: write X,Y,1 or X,Y,2", quoted(line))));
            }
        };
        let action = self.free_cell(cell, &stones)?;
        stones.push(Stone { action, own });
        Ok(stones)
    }

    /// The action of an empty cell.
    fn free_cell(&self, text: &str, stones: &[Stone]) -> Result<u32> {
        let action = action(&self.game()?, text)
            .ok_or_else(|| Error::invalid(format!("{} is not a cell of the board", quoted(text))))?;
        if stones.iter().any(|stone| stone.action == action) {
            return Err(Error::invalid(format!("there is a stone at {} already", quoted(text))));
        }
        Ok(action)
    }

    /// Chooses a move and plays it.
    fn reply(&mut self) -> Result<String> {
        let game = self.game()?;
        let position = self.position(&game)?;
        let action = self.search(&position, 1)?.action;
        self.stones.push(Stone { action, own: true });
        Ok(cell(&game, action))
    }

    /// Chooses a move within the time for a move, divided by `parts`.
    pub(super) fn search(&mut self, position: &Position<Gomoku>, parts: u32) -> Result<Chosen> {
        let begin = Instant::now();
        if let Some(outcome) = position.outcome() {
            return Err(Error::invalid(format!("the game is over: {outcome}")));
        }
        let time = self.time.allot(board::moves_to_come(position)).map(|time| time / parts);
        let game = position.game().clone().into();
        let chosen = self.brain.choose(&position.translated(&game), time)?;
        self.time.left = self.time.left.or(self.time.game).map(|left| left.saturating_sub(begin.elapsed()));
        Ok(chosen)
    }

    pub(super) fn game(&self) -> Result<Gomoku> {
        if let Some(rule) = &self.unsupported_rule {
            let name = if rule == RENJU { " (renju, with forbidden moves of Black)" } else { "" };
            return Err(Error::invalid(format!(
                "rule {rule}{name} is not supported: send 0 (freestyle) or 1 (exactly five)"
            )));
        }
        let game =
            self.game.clone().ok_or_else(|| Error::invalid("there is no game yet: send START first"))?;
        Ok(game.with_freestyle(self.freestyle))
    }

    /// The position, with the program to move. If the colours alternate, it is given by its moves, so that trees can be
    /// reused.
    fn position(&self, game: &Gomoku) -> Result<Position<Gomoku>> {
        let own_begins = self.stones.first().is_none_or(|stone| stone.own);
        let is_own = |place: usize| place.is_multiple_of(2) == own_begins;
        let alternate = self.stones.iter().enumerate().all(|(place, stone)| stone.own == is_own(place));
        if alternate && is_own(self.stones.len()) {
            let actions: Vec<u32> = self.stones.iter().map(|stone| stone.action).collect();
            if let Ok(played) = Position::start(game).after(&actions) {
                return Ok(played);
            }
        }
        let own = self.stones.iter().filter(|stone| stone.own).count();
        let player = if 2 * own < self.stones.len() { Player::Second } else { Player::First };
        let mut state = game.start();
        for stone in &self.stones {
            game.take_action(&mut state, if stone.own { player } else { player.opponent() }, stone.action);
        }
        Position::from_state(game, state, player)
    }

    /// Handles `INFO`. Unknown keys are ignored, as the protocol demands.
    fn note(&mut self, text: &str) {
        let (key, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        let number = value.parse::<i64>().ok().map(|number| number.max(0) as u64);
        match (key.to_ascii_lowercase().as_str(), number) {
            ("timeout_turn", Some(time)) => self.time.turn = Some(Duration::from_millis(time)),
            ("timeout_match", Some(time)) => {
                self.time.game = Some(Duration::from_millis(time)).filter(|time| !time.is_zero());
            }
            ("time_left", Some(time)) => {
                let unlimited = self.time.game.is_none() && time == 0;
                self.time.left = (!unlimited).then_some(Duration::from_millis(time));
            }
            ("max_memory", Some(bytes @ 1..)) => {
                self.brain.limit_memory((bytes / PART_OF_MEMORY).max(LEAST_MEMORY));
            }
            ("rule", _) => self.set_rule(value),
            _ => {}
        }
    }

    fn set_rule(&mut self, rule: &str) {
        let known = rule.parse().ok().filter(|&rule: &u32| rule <= EXACTLY_FIVE);
        self.unsupported_rule = known.is_none().then(|| quoted(rule));
        self.freestyle = known.map_or(self.freestyle, |rule| rule & EXACTLY_FIVE == 0);
    }
}

fn size(text: &str) -> Result<u32> {
    text.trim().parse().map_err(|_| no_size(text))
}

fn no_size(text: &str) -> Error {
    Error::invalid(format!("{} is not a size", quoted(text)))
}

impl Time {
    /// Time for the next move, if `moves` moves remain; `None` if time is unlimited.
    fn allot(&self, moves: u32) -> Option<Duration> {
        let turn = self.turn.map(|turn| if turn.is_zero() { QUICK } else { but_the_reserve(turn) });
        let game = self.left.or(self.game).map(|left| share(left, moves).min(but_the_reserve(left)));
        [turn, game].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(turn: Option<u64>, game: Option<u64>, left: Option<u64>) -> Option<u64> {
        let [turn, game, left] = [turn, game, left].map(|time| time.map(Duration::from_millis));
        Time { turn, game, left }.allot(40).map(|time| time.as_millis() as u64)
    }

    #[test]
    fn the_nearest_limit_counts() {
        assert_eq!(time(None, None, None), None);
        assert_eq!(time(Some(0), None, None), Some(50));
        assert_eq!(time(Some(100), None, None), Some(0));
        assert_eq!(time(Some(33_000), None, None), Some(31_700));
        assert_eq!(time(Some(33_000), Some(400_000), None), Some(10_000));
        assert_eq!(time(Some(33_000), Some(400_000), Some(40_000)), Some(1000));
        assert_eq!(time(Some(1000), Some(400_000), Some(200)), Some(0));
        assert_eq!(time(None, None, Some(u64::MAX)).map(|time| time > 1 << 50), Some(true));
    }
}
