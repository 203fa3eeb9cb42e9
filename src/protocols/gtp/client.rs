//! A player that is another program, by GTP.

use super::command::colour;
use crate::{
    contest::{Choice, Contestant, Stop},
    error::{Error, Result},
    protocols::{
        board,
        process::{Patience, Process, Program, quoted},
    },
    rules::{Game, Player, Position},
};
use std::time::{Duration, Instant};

/// The greatest number of lines of an answer, and before it.
const MOST_LINES: usize = 4096;

/// A [`Program`] that speaks GTP.
///
/// It has to support `clear_board`, `play` and `genmove`; size, komi and time are sent if it supports their commands,
/// the time limit of a move in whole seconds, at least 1.
pub type ExternalGtp = Program<Engine>;

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    commands: Vec<String>,
    /// The moves from the start that it was sent or has made; `None` if it is not in a game.
    sent: Option<Vec<u32>>,
}

impl ExternalGtp {
    fn set_up<G: Game>(&mut self, position: &Position<G>) -> Result<()> {
        board::check_moves(position)?;
        let engine = match self.running.take() {
            Some(engine) => engine,
            None => Engine::start(&self.command, &self.patience, &self.stop)?,
        };
        let (engine, patience, game) = (self.running.insert(engine), self.patience.answer, position.game());
        if engine.supports("set_game") && board::komi(game).is_none() {
            engine.order(&format!("set_game {}", board::title(game)), patience)?;
        }
        engine.set_sides(game, patience)?;
        engine.order("clear_board", patience)?;
        if let Some(komi) = board::komi(game).filter(|_| engine.supports("komi")) {
            engine.order(&format!("komi {komi}"), patience)?;
        }
        if let Some(limit) = self.limit.filter(|_| engine.supports("time_settings")) {
            engine.order(&format!("time_settings 0 {} 1", limit.as_secs().max(1)), patience)?;
        }
        engine.sent = Some(Vec::new());
        engine.send_moves(position, patience)
    }

    fn ask<G: Game>(&mut self, position: &Position<G>) -> Result<u32> {
        let sent = self.running.as_ref().and_then(|engine| engine.sent.as_deref());
        if sent.is_none_or(|sent| !position.moves().starts_with(sent)) {
            self.set_up(position)?;
        }
        // Some engines do not support passes.
        if let Some(pass) = forced_pass(position) {
            return Ok(pass);
        }
        let deadline = self.patience.for_move(self.limit);
        let Some(engine) = &mut self.running else { return Err(Error::invalid("there is no engine")) };
        engine.send_moves(position, self.patience.answer)?;
        let asked = format!("genmove {}", colour(position.turn()));
        let answer = engine.question(&asked, deadline)?;
        // Some engines write more after the move.
        let answer = answer.split_whitespace().next().unwrap_or_default();
        if answer.eq_ignore_ascii_case("resign") {
            engine.sent = None;
            return Err(Error::resigned(format!("gtp:{} resigns", self.command)));
        }
        let action = board::action(position.game(), &answer.to_ascii_lowercase()).ok_or_else(|| {
            engine.process.fault(format!("answered '{asked}' with '{}', which is not a move", quoted(answer)))
        })?;
        position
            .after(&[action])
            .map_err(|why| engine.process.fault(format!("answered '{asked}' with an illegal move: {why}")))?;
        engine.sent.get_or_insert_default().push(action);
        Ok(action)
    }
}

impl<G: Game> Contestant<G> for ExternalGtp {
    fn limit(&mut self, move_limit: Option<Duration>) {
        self.limit = move_limit.or(self.limit);
    }

    /// # Errors
    /// Bad input for a position that is not given by its moves, or a command that can't be started;
    /// [peer](crate::ErrorKind::Peer).
    fn begin(&mut self, position: &Position<G>) -> Result<()> {
        let begun = self.set_up(position);
        self.or_end(begun)
    }

    /// # Errors
    /// [Resigned](crate::ErrorKind::Resigned); [peer](crate::ErrorKind::Peer); those of [`begin`](Self::begin), if the
    /// engine has to be started again.
    fn choose(&mut self, position: &Position<G>) -> Result<Choice> {
        let chosen = self.ask(position);
        Ok(Choice::new(self.or_end(chosen)?))
    }
}

impl Engine {
    fn start(command: &str, patience: &Patience, stop: &Stop) -> Result<Self> {
        let process = Process::start(command, "quit", stop)?;
        let mut engine = Self { process, commands: Vec::new(), sent: None };
        let version = engine.question("protocol_version", Instant::now() + patience.start)?;
        if version != "2" {
            let what = format!("speaks version '{}' of GTP instead of 2", quoted(&version));
            return Err(engine.process.fault(what));
        }
        let commands = engine.question("list_commands", Instant::now() + patience.answer)?;
        engine.commands = commands.split_whitespace().map(str::to_owned).collect();
        Ok(engine)
    }

    fn supports(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Sets the size of the board; the game alone determines a board of one size.
    fn set_sides<G: Game>(&mut self, game: &G, patience: Duration) -> Result<()> {
        let (rows, columns) = board::sides(game);
        let is_square = rows == columns;
        let command = if is_square { "boardsize" } else { "rectangular_boardsize" };
        if self.supports(command) {
            let sides = if is_square { rows.to_string() } else { format!("{columns} {rows}") };
            return self.order(&format!("{command} {sides}"), patience);
        }
        if is_square || !board::has_points(game) {
            return Ok(());
        }
        let what = format!("has no {command}, and the board has {columns} columns and {rows} rows");
        Err(self.process.fault(what))
    }

    /// Sends the moves that were not sent yet. Some engines pass by themselves where a player has to, and refuse that
    /// move.
    fn send_moves<G: Game>(&mut self, position: &Position<G>, patience: Duration) -> Result<()> {
        let sent = self.sent.get_or_insert_default().len();
        for (place, &action) in position.moves().iter().enumerate().skip(sent) {
            let player = [Player::First, Player::Second][place % 2];
            let order = format!("play {} {}", colour(player), board::vertex(position.game(), action));
            match self.ask(&order, Instant::now() + patience)? {
                Err(refusal) if !is_forced_pass(position, place) => {
                    return Err(self.refused(&order, &refusal));
                }
                _ => self.sent.get_or_insert_default().push(action),
            }
        }
        Ok(())
    }

    /// Sends a command and expects success.
    fn order(&mut self, command: &str, patience: Duration) -> Result<()> {
        self.question(command, Instant::now() + patience).map(|_| ())
    }

    /// The answer to a command.
    fn question(&mut self, command: &str, deadline: Instant) -> Result<String> {
        let answer = self.ask(command, deadline)?;
        answer.map_err(|refusal| self.refused(command, &refusal))
    }

    fn refused(&self, command: &str, refusal: &str) -> Error {
        self.process.fault(format!("answered '{command}' with '? {}'", quoted(refusal)))
    }

    fn no_answer(&self, command: &str, line: &str) -> Error {
        let what = "but without a line that begins with '=' or '?'";
        self.process.fault(format!("answered '{command}' with '{}', {what}", quoted(line)))
    }

    /// The answer to a command, or the text of a refusal. Lines before it, such as a greeting, are skipped.
    fn ask(&mut self, command: &str, deadline: Instant) -> Result<Result<String, String>> {
        self.process.write_line(command);
        let (mut first, mut skipped) = (String::new(), String::new());
        for _ in 0..MOST_LINES {
            first = self.process.read_line(command, deadline).map_err(|error| {
                let is_late = Instant::now() >= deadline && !skipped.is_empty();
                if is_late { self.no_answer(command, &skipped) } else { error }
            })?;
            if first.starts_with(['=', '?']) {
                break;
            }
            if skipped.is_empty() {
                skipped = first.trim().to_owned();
            }
        }
        if !first.starts_with(['=', '?']) {
            return Err(self.no_answer(command, &skipped));
        }
        let mut answer = first.get(1..).unwrap_or_default().to_owned();
        for _ in 0..MOST_LINES {
            let line = self.process.read_line(command, deadline)?;
            if line.trim().is_empty() {
                let answer = answer.trim().to_owned();
                return Ok(if first.starts_with('=') { Ok(answer) } else { Err(answer) });
            }
            answer += "\n";
            answer += &line;
        }
        Err(self.process.fault(format!("answered '{command}' with too many lines")))
    }
}

/// The pass, if it is the only legal action.
fn forced_pass<G: Game>(position: &Position<G>) -> Option<u32> {
    let pass = board::pass(position.game())?;
    (position.legal_actions() == [pass]).then_some(pass)
}

/// Whether the move with this index was a forced pass.
fn is_forced_pass<G: Game>(position: &Position<G>, place: usize) -> bool {
    let before = Position::start(position.game()).after(&position.moves()[..place]);
    before.is_ok_and(|before| forced_pass(&before) == position.moves().get(place).copied())
}
