//! A player that is another program, by the Gomocup protocol.

use super::{action, cell};
use crate::{
    contest::{Choice, Contestant, Stop},
    error::{Error, Result},
    games::Gomoku,
    protocols::{
        board,
        process::{Process, Program, quoted},
    },
    rules::{Game, Position},
};
use std::time::{Duration, Instant};

/// The greatest number of `MESSAGE` and `DEBUG` lines before an answer.
const MOST_MESSAGES: usize = 4096;
/// The protocol's value for no limit, in milliseconds.
const NO_LIMIT: u32 = i32::MAX as u32;

/// A [`Program`] that speaks the Gomocup protocol.
pub type ExternalGomocup = Program<Running>;

/// A running program.
#[derive(Debug)]
pub struct Running {
    process: Process,
    game: Gomoku,
    /// The moves from the start that it was sent or has made.
    sent: Vec<u32>,
}

impl ExternalGomocup {
    /// Begins a game. A program that does not support `RESTART` is started again.
    fn set_up(&mut self, game: &Gomoku) -> Result<()> {
        let patience = self.patience;
        let again = self.running.take().filter(|brain| brain.game == *game);
        let again = again.and_then(|mut brain| brain.restart(patience.answer).ok().map(|()| brain));
        let mut brain = match again {
            Some(brain) => brain,
            None => Running::start(&self.command, game, patience.start, &self.stop)?,
        };
        brain.send_info(self.limit.unwrap_or(patience.unlimited));
        self.running = Some(brain);
        Ok(())
    }

    fn ask<G: Game>(&mut self, game: &Gomoku, position: &Position<G>) -> Result<u32> {
        let moves = position.moves();
        let goes_on = |brain: &Running| brain.game == *game && moves.starts_with(&brain.sent);
        if !self.running.as_ref().is_some_and(goes_on) {
            self.set_up(game)?;
        }
        let deadline = self.patience.for_move(self.limit);
        let Some(brain) = &mut self.running else { return Err(Error::invalid("there is no brain")) };
        let action = brain.choose(moves, deadline)?;
        let legal = position.after(&[action]);
        legal.map(|_| action).map_err(|why| brain.process.fault(format!("made an illegal move: {why}")))
    }
}

impl<G: Game> Contestant<G> for ExternalGomocup {
    fn limit(&mut self, move_limit: Option<Duration>) {
        self.limit = move_limit.or(self.limit);
    }

    /// # Errors
    /// Bad input for a game other than Gomoku, a position that is not given by its moves, or a command that can't be
    /// started; [peer](crate::ErrorKind::Peer).
    fn begin(&mut self, position: &Position<G>) -> Result<()> {
        board::check_moves(position)?;
        let gomoku = gomoku(position)?;
        let begun = self.set_up(gomoku);
        self.or_end(begun)
    }

    /// # Errors
    /// See [`begin`](Self::begin).
    fn choose(&mut self, position: &Position<G>) -> Result<Choice> {
        let gomoku = gomoku(position)?;
        let chosen = self.ask(gomoku, position);
        Ok(Choice::new(self.or_end(chosen)?))
    }
}

/// The game of a position, if it is Gomoku.
fn gomoku<G: Game>(position: &Position<G>) -> Result<&Gomoku> {
    let game = position.game();
    board::as_gomoku(game)
        .ok_or_else(|| Error::invalid(format!("Gomocup programs play gomoku only, not {}", game.name())))
}

impl Running {
    fn start(command: &str, game: &Gomoku, patience: Duration, stop: &Stop) -> Result<Self> {
        let process = Process::start(command, "END", stop)?;
        let mut brain = Self { process, game: game.clone(), sent: Vec::new() };
        let (rows, columns) = (game.rows(), game.columns());
        let start =
            if rows == columns { format!("START {rows}") } else { format!("RECTSTART {columns},{rows}") };
        brain.order(&start, patience)?;
        Ok(brain)
    }

    fn restart(&mut self, patience: Duration) -> Result<()> {
        self.sent.clear();
        self.order("RESTART", patience)
    }

    /// Sends the limits and the rule.
    fn send_info(&mut self, limit: Duration) {
        let turn = limit.as_millis().min(NO_LIMIT.into());
        let rule = u32::from(!self.game.freestyle());
        let info = [
            ("timeout_turn", turn.to_string()),
            ("timeout_match", "0".into()),
            ("time_left", NO_LIMIT.to_string()),
            ("max_memory", "0".into()),
            ("game_type", "1".into()),
            ("rule", rule.to_string()),
        ];
        for (key, value) in info {
            self.process.write_line(&format!("INFO {key} {value}"));
        }
    }

    fn choose(&mut self, moves: &[u32], deadline: Instant) -> Result<u32> {
        let asked = match moves {
            [] => "BEGIN".into(),
            [before @ .., last] if before == self.sent => format!("TURN {}", cell(&self.game, *last)),
            _ => self.send_board(moves),
        };
        self.process.write_line(&asked);
        let answer = self.answer(&asked, deadline)?;
        let action = action(&self.game, &answer).ok_or_else(|| {
            self.process.fault(format!("answered '{asked}' with '{}', which is not a move", quoted(&answer)))
        })?;
        self.sent = moves.to_vec();
        self.sent.push(action);
        Ok(action)
    }

    /// Sends all stones. Returns the line that ends the board and requests a move.
    fn send_board(&mut self, moves: &[u32]) -> String {
        self.process.write_line("BOARD");
        for (place, &action) in moves.iter().enumerate() {
            let owner = if (moves.len() - place).is_multiple_of(2) { 1 } else { 2 };
            self.process.write_line(&format!("{},{owner}", cell(&self.game, action)));
        }
        "DONE".into()
    }

    /// Sends a command and expects `OK`.
    fn order(&mut self, command: &str, patience: Duration) -> Result<()> {
        self.process.write_line(command);
        let answer = self.answer(command, Instant::now() + patience)?;
        if answer.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("OK")) {
            return Ok(());
        }
        Err(self.process.fault(format!("answered '{command}' with '{}'", quoted(&answer))))
    }

    /// The next line that is not a message.
    fn answer(&mut self, asked: &str, deadline: Instant) -> Result<String> {
        for _ in 0..MOST_MESSAGES {
            let line = self.process.read_line(asked, deadline)?;
            let word = line.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
            if !["", "MESSAGE", "DEBUG"].contains(&word.as_str()) {
                return Ok(line.trim().to_owned());
            }
        }
        Err(self.process.fault(format!("answered '{asked}' with messages only")))
    }
}
