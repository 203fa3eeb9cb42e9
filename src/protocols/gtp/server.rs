//! A GTP engine for front ends.

use super::command::{self, Command, side};
use crate::{
    contest::ending::Resignation,
    error,
    protocols::{
        Brain, board,
        brain::Chosen,
        clock::Clock,
        lines::{Line, Lines},
        process::quoted,
    },
    rules::{Game, Outcome, Player, Position},
};
use std::{
    io::{self, Read, Write},
    time::{Duration, Instant},
};

/// The commands that it supports.
fn commands() -> impl Iterator<Item = &'static str> {
    let first = "protocol_version name version known_command list_commands quit boardsize \
        rectangular_boardsize query_boardsize clear_board komi get_komi fixed_handicap place_free_handicap \
        set_free_handicap set_position play genmove reg_genmove kgs-genmove_cleanup undo final_score \
        final_status_list list_stones showboard time_settings kgs-time_settings time_left kgs-rules \
        kata-set-rules kata-get-rules";
    let of_records = if cfg!(feature = "patterns") { "loadsgf printsgf" } else { "" };
    let last = "list_games set_game lz-analyze kata-analyze lz-genmove_analyze kata-genmove_analyze \
        gogui-analyze_commands mcts-values mcts-visits mcts-principal_variation mcts-ownership";
    [first, of_records, last].into_iter().flat_map(str::split_whitespace)
}

/// The text of an answer or of a refusal.
pub(super) type Answer = Result<String, String>;

/// A GTP 2 engine: it holds the state of a game, and chooses moves by a [`Brain`].
///
/// Points have the names of Go in Gomoku and Othello, too; in other games actions have the game's names. A side may
/// move twice in a row; the history, on which ko and superko depend, is dropped then. After two passes, moves continue
/// a game of Go. Its score leaves out [dead stones](crate::contest::DeadStones), unless [`Brain::with_dead_stones`] is
/// off. The engine passes and resigns by the rules of [`ending`](crate::contest::ending).
#[derive(Debug)]
pub struct GtpServer<G: Game> {
    /// The game with the size and komi set last.
    pub(super) game: G,
    /// The positions after the commands that changed it; the last one is the current one.
    pub(super) positions: Vec<Position<G>>,
    pub(super) brain: Brain<G>,
    pub(super) clock: Clock,
    /// `time_left` counts periods of one stone instead of stones.
    pub(super) counts_periods: bool,
    resignation: Resignation,
    /// Receives notices on faults of game records, and on parts of commands that have no effect.
    pub(super) notice: fn(&str),
}

impl<G: Game> GtpServer<G> {
    /// A server at the start of a game.
    pub fn new(game: G, brain: Brain<G>) -> Self {
        let (positions, clock) = (vec![Position::start(&game)], Clock::default());
        Self {
            positions,
            brain,
            clock,
            counts_periods: false,
            resignation: Resignation::usual(&game),
            notice: |_| {},
            game,
        }
    }

    /// The same engine with another rule of resignation than the game's default.
    #[must_use]
    pub fn with_resignation(self, resignation: Resignation) -> Self {
        Self { resignation, ..self }
    }

    /// The same engine with a receiver of notices on faults of game records (`loadsgf`), and on parts of commands that
    /// have no effect (`avoid` and `allow` of analyses).
    #[must_use]
    pub fn with_notice(self, notice: fn(&str)) -> Self {
        Self { notice, ..self }
    }

    /// Answers commands until `quit` or the end of the input.
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
            let command = match &line {
                Line::Text(text) => Command::parse(text),
                Line::TooLong => Some(Command { id: String::new(), name: "...".into(), arguments: vec![] }),
            };
            let Some(command) = command else { continue };
            match command.name.as_str() {
                "lz-analyze" | "kata-analyze" => self.analyse(&command, &mut lines, output)?,
                "lz-genmove_analyze" | "kata-genmove_analyze" => {
                    self.generate_with_reports(&command, &mut lines, output)?
                }
                _ if self.answers(&line, &command, output)? => {}
                _ => break,
            }
        }
        Ok(())
    }

    /// Writes the answer to a command; returns false after `quit`.
    fn answers(
        &mut self,
        line: &Line,
        command: &Command,
        output: &mut (impl Write + ?Sized),
    ) -> io::Result<bool> {
        let answer = match line {
            Line::Text(_) => self.answer(command),
            Line::TooLong => Err("syntax error: the line is too long".into()),
        };
        write!(output, "{}", command.answer(&answer))?;
        output.flush()?;
        Ok(command.name != "quit" || answer.is_err())
    }

    pub(super) fn now(&self) -> &Position<G> {
        &self.positions[self.positions.len() - 1]
    }

    fn answer(&mut self, command: &Command) -> Answer {
        let arguments: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        let name = command.name.as_str();
        let answer = self.administer(name, &arguments).or_else(|| self.set_up(name, &arguments));
        let answer =
            answer.or_else(|| self.play_on(name, &arguments)).or_else(|| self.query(name, &arguments));
        answer.unwrap_or_else(|| match commands().any(|command| command == name) {
            true => Err("syntax error: wrong number of arguments".into()),
            false => Err("unknown command".into()),
        })
    }

    fn administer(&mut self, name: &str, arguments: &[&str]) -> Option<Answer> {
        Some(match (name, arguments) {
            ("protocol_version", []) => Ok("2".into()),
            ("name", []) => Ok(env!("CARGO_PKG_NAME").into()),
            ("version", []) => Ok(env!("CARGO_PKG_VERSION").into()),
            ("known_command", [name]) => Ok(commands().any(|command| command == *name).to_string()),
            ("list_commands", []) => Ok(commands().collect::<Vec<_>>().join("\n")),
            ("quit", []) => Ok(String::new()),
            ("list_games", []) => Ok(board::title(&self.game)),
            ("set_game", [game]) if game.eq_ignore_ascii_case(self.game.name()) => self.clear(),
            ("set_game", [game]) => {
                Err(format!("unsupported game: this is {}, not {}", board::title(&self.game), quoted(game)))
            }
            _ => return None,
        })
    }

    fn play_on(&mut self, name: &str, arguments: &[&str]) -> Option<Answer> {
        Some(match (name, arguments) {
            ("play", [player, vertex]) => self.play(player, vertex),
            ("genmove", [player]) => self.choose(player, true),
            ("reg_genmove", [player]) => self.choose(player, false),
            ("kgs-genmove_cleanup", [player]) => self.clean_up(player),
            ("undo", []) => self.undo(),
            _ => return None,
        })
    }

    /// Begins a game at a position, and compiles its search before the clock runs.
    pub(super) fn begin(&mut self, position: Position<G>) -> Answer {
        self.game = position.game().clone();
        self.positions = vec![position];
        self.resignation.restart();
        self.clock.restart();
        self.prepare()
    }

    pub(super) fn prepare(&mut self) -> Answer {
        self.brain.prepare(&self.game).map_err(text)?;
        Ok(String::new())
    }

    /// Applies changed rules to the current position.
    pub(super) fn renew(&mut self) -> Answer {
        if self.now().game().rules() != self.game.rules() {
            let renewed = self.now().with_game(&self.game).map_err(text)?;
            self.positions.pop();
            self.positions.push(renewed);
        }
        Ok(String::new())
    }

    /// The current position with this player to move, even if it is the other player's turn.
    pub(super) fn to_move(&self, side: Player) -> Result<Position<G>, String> {
        board::with_turn(self.now(), side).map_err(text)
    }

    fn play(&mut self, player: &str, vertex: &str) -> Answer {
        let mut position = self.to_move(side(player)?)?;
        let action = command::action(position.game(), vertex)?;
        position.play(action).map_err(|why| format!("illegal move: {why}"))?;
        self.positions.push(position);
        Ok(String::new())
    }

    fn choose(&mut self, player: &str, playing: bool) -> Answer {
        let side = side(player)?;
        match self.after_the_end(side, playing) {
            Some(answer) => answer,
            None => self.generate(side, playing, Brain::choose),
        }
    }

    /// Chooses a move; not a pass while dead stones of the opponent are on the board.
    fn clean_up(&mut self, player: &str) -> Answer {
        let side = side(player)?;
        let stands = self.now().clone();
        let dead = self.brain.dead.chains(&stands).map_err(text)?.concat();
        let stones = board::stones(&stands).unwrap_or_default();
        if !stones.iter().any(|(point, owner)| *owner != side && dead.contains(point)) {
            return self.choose(player, true);
        }
        self.generate(side, true, |brain, position, time| {
            Ok(Chosen { action: brain.choose_no_pass(position, time)?, best: None })
        })
    }

    /// Chooses a move or resigns. The move is played if `playing`.
    pub(super) fn generate(
        &mut self,
        side: Player,
        playing: bool,
        choose: impl FnOnce(&mut Brain<G>, &Position<G>, Option<Duration>) -> error::Result<Chosen>,
    ) -> Answer {
        let begin = Instant::now();
        let mut position = self.to_move(side)?;
        let time = self.clock.allot(side, board::moves_to_come(&position));
        let Chosen { action, best } = choose(&mut self.brain, &position, time).map_err(text)?;
        let vertex = board::vertex(position.game(), action);
        if !playing {
            return Ok(vertex);
        }
        self.clock.spend(side, begin.elapsed());
        if best.is_some_and(|best| self.resignation.gives_up(side, &best)) {
            return Ok("resign".into());
        }
        position.play(action).map_err(text)?;
        self.positions.push(position);
        Ok(vertex)
    }

    /// The answer to a request for a move after the end of the game: a pass, if the game has one.
    pub(super) fn after_the_end(&mut self, side: Player, playing: bool) -> Option<Answer> {
        let outcome = self.now().outcome()?;
        if board::pass(self.now().game()).is_some() {
            if playing {
                self.positions.push(self.now().clone());
            }
            return Some(Ok("pass".into()));
        }
        if outcome != Outcome::Draw && outcome != side.wins() {
            return Some(Ok("resign".into()));
        }
        Some(Err(format!("the game is over: {outcome}")))
    }

    fn undo(&mut self) -> Answer {
        if self.positions.len() == 1 {
            return Err("cannot undo".into());
        }
        self.positions.pop();
        self.resignation.restart();
        self.renew()
    }
}

pub(super) fn text(why: impl ToString) -> String {
    why.to_string()
}
