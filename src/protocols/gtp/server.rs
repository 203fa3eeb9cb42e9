//! Answers to a controller.

use super::{
    analysis::{Style, Wish},
    command::{Command, colour, player},
};
use crate::{
    contest::ending::Resignation,
    protocols::{
        Brain, board,
        brain::Thought,
        clock::{Clock, Left, Limits},
        lines::{Line, Lines},
        process::quoted,
    },
    rules::{Game, Outcome, Player, Position},
};
use std::{
    io::{self, Read, Write},
    time::{Duration, Instant},
};

/// What it understands.
const COMMANDS: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "reg_genmove",
    "undo",
    "final_score",
    "showboard",
    "time_settings",
    "time_left",
    #[cfg(feature = "patterns")]
    "loadsgf",
    "list_games",
    "set_game",
    LZ_ANALYZE,
    KATA_ANALYZE,
];
const LZ_ANALYZE: &str = "lz-analyze";
const KATA_ANALYZE: &str = "kata-analyze";

/// Text of an answer, or of a refusal.
pub(super) type Answer = Result<String, String>;

/// A GTP 2 engine: it keeps a game, and chooses moves by a [`Brain`].
///
/// Points are named as in Go in Gomoku and Othello, too; other games have their own names of actions. A side may move
/// twice in a row: the position is taken as it stands then, without what ko and superko know of. A game of Go is scored
/// as its board stands, and goes on after two passes if moves follow. It passes where that wins, and answers `resign`
/// where nothing is to be won ([`ending`](crate::contest::ending)).
#[derive(Debug)]
pub struct GtpServer<G: Game> {
    /// The game as size and komi were set last.
    pub(super) game: G,
    /// The position after each command that has changed it; the last one is now.
    pub(super) positions: Vec<Position<G>>,
    brain: Brain<G>,
    clock: Clock,
    resignation: Resignation,
    /// Takes what is to be said of a game record that was not taken as it stands.
    #[cfg(feature = "patterns")]
    pub(super) notice: fn(&str),
}

impl<G: Game> GtpServer<G> {
    /// Begins at the start of a game.
    pub fn new(game: G, brain: Brain<G>) -> Self {
        let (positions, clock) = (vec![Position::start(&game)], Clock::default());
        Self {
            positions,
            brain,
            clock,
            resignation: Resignation::usual(&game),
            #[cfg(feature = "patterns")]
            notice: |_| {},
            game,
        }
    }

    /// The same engine, which gives up otherwise than is usual in the game.
    #[must_use]
    pub fn with_resignation(self, resignation: Resignation) -> Self {
        Self { resignation, ..self }
    }

    /// The same engine, which tells what it took otherwise than it stands in a game record (`loadsgf`).
    #[cfg(feature = "patterns")]
    #[must_use]
    pub fn with_notice(self, notice: fn(&str)) -> Self {
        Self { notice, ..self }
    }

    /// Answers commands until `quit` or the end of the input.
    ///
    /// # Errors
    /// Where the output can't be written, or the system gives no thread that reads the input.
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
            if let Some(style) = analysis_style(&command.name) {
                self.analyse(style, &command, &mut lines, output)?;
                continue;
            }
            let answer = match line {
                Line::Text(_) => self.answer(&command),
                Line::TooLong => Err("syntax error: the line is too long".into()),
            };
            write!(output, "{}", command.answer(&answer))?;
            output.flush()?;
            if command.name == "quit" && answer.is_ok() {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn now(&self) -> &Position<G> {
        &self.positions[self.positions.len() - 1]
    }

    fn answer(&mut self, command: &Command) -> Answer {
        let Command { name, arguments, .. } = command;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match (name.as_str(), &arguments[..]) {
            ("protocol_version", []) => Ok("2".into()),
            ("name", []) => Ok(env!("CARGO_PKG_NAME").into()),
            ("version", []) => Ok(env!("CARGO_PKG_VERSION").into()),
            ("known_command", [name]) => Ok(COMMANDS.contains(name).to_string()),
            ("list_commands", []) => Ok(COMMANDS.join("\n")),
            ("quit", []) => Ok(String::new()),
            ("boardsize", [size]) => self.resize(size),
            ("clear_board", []) => self.clear(),
            ("komi", [komi]) => self.set_komi(komi),
            ("play", [player, vertex]) => self.play(player, vertex),
            ("genmove", [player]) => self.generate(player, true),
            ("reg_genmove", [player]) => self.generate(player, false),
            ("undo", []) => self.undo(),
            ("final_score", []) => self.score(),
            ("showboard", []) => Ok(format!("\n{}", board::drawn(self.now()))),
            ("time_settings", [main, period, stones]) => self.set_limits(main, period, stones),
            ("time_left", [player, time, stones]) => self.show_clock(player, time, stones),
            #[cfg(feature = "patterns")]
            ("loadsgf", [file]) => self.load(file, None),
            #[cfg(feature = "patterns")]
            ("loadsgf", [file, number]) => self.load(file, Some(number)),
            ("list_games", []) => Ok(board::title(&self.game)),
            ("set_game", [game]) if game.eq_ignore_ascii_case(self.game.name()) => self.clear(),
            ("set_game", [game]) => {
                Err(format!("unsupported game: this is {}, not {}", board::title(&self.game), quoted(game)))
            }
            (name, _) if COMMANDS.contains(&name) => Err("syntax error: wrong number of arguments".into()),
            _ => Err("unknown command".into()),
        }
    }

    /// Begins a game anew, and compiles what it needs while no clock runs.
    pub(super) fn begin(&mut self, position: Position<G>) -> Answer {
        self.game = position.game().clone();
        self.positions = vec![position];
        self.resignation.restart();
        self.clock.restart();
        self.prepare()
    }

    fn prepare(&mut self) -> Answer {
        self.brain.prepare(&self.game).map_err(text)?;
        Ok(String::new())
    }

    fn resize(&mut self, size: &str) -> Answer {
        let size: u32 = size.parse().map_err(|_| format!("syntax error: {} is no size", quoted(size)))?;
        let game = board::with_size(self.now().game(), size);
        let game = game.map_err(|why| format!("unacceptable size: {why}"))?;
        self.begin(Position::start(&game))
    }

    fn clear(&mut self) -> Answer {
        self.begin(Position::start(self.now().game()))
    }

    /// The stones stay where they are.
    fn set_komi(&mut self, komi: &str) -> Answer {
        let komi: f32 = komi.parse().map_err(|_| format!("syntax error: {} is no komi", quoted(komi)))?;
        let game =
            board::with_komi(self.now().game(), komi).map_err(|why| format!("unacceptable komi: {why}"))?;
        self.game = game;
        self.renew()?;
        self.prepare()
    }

    /// Brings the position to the rules of now.
    fn renew(&mut self) -> Answer {
        if self.now().game().rules() != self.game.rules() {
            let renewed = self.now().with_game(&self.game).map_err(text)?;
            self.positions.pop();
            self.positions.push(renewed);
        }
        Ok(String::new())
    }

    /// The position with a player to move, though it were the other one's turn.
    fn to_move(&self, player: &str) -> Result<Position<G>, String> {
        let player = self::player(player).ok_or("syntax error: a colour is b or w")?;
        board::with_turn(self.now(), player).map_err(text)
    }

    fn play(&mut self, player: &str, vertex: &str) -> Answer {
        let mut position = self.to_move(player)?;
        let action = board::action(position.game(), vertex)
            .ok_or_else(|| format!("invalid vertex: {} is none here", quoted(vertex)))?;
        position.play(action).map_err(|why| format!("illegal move: {why}"))?;
        self.positions.push(position);
        Ok(String::new())
    }

    /// Chooses a move, and makes it if it is `playing`, unless it gives up.
    fn generate(&mut self, player: &str, playing: bool) -> Answer {
        let begin = Instant::now();
        let side = self::player(player).ok_or("syntax error: a colour is b or w")?;
        if let Some(answer) = self.after_the_end(side) {
            if playing && answer.as_deref() == Ok("pass") {
                self.positions.push(self.now().clone());
            }
            return answer;
        }
        let mut position = self.to_move(player)?;
        let time = self.clock.allot(side, board::moves_to_come(&position));
        let Thought { action, best } = self.brain.choose(&position, time).map_err(text)?;
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

    /// What a player who is asked for a move says after the end of a game, which a pass leaves ended.
    fn after_the_end(&self, side: Player) -> Option<Answer> {
        let outcome = self.now().outcome()?;
        if board::pass(self.now().game()).is_some() {
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

    fn score(&self) -> Answer {
        let score = board::score(self.now()).ok_or("cannot score: the game goes on")?;
        Ok(match score {
            0.0 => "0".into(),
            ahead if ahead > 0.0 => format!("B+{ahead}"),
            behind => format!("W+{}", -behind),
        })
    }

    fn set_limits(&mut self, main: &str, period: &str, stones: &str) -> Answer {
        let (main, period, stones) = (seconds(main)?, seconds(period)?, count(stones)?);
        // As GTP has it, a period for no stones means no limit; and no game can be played in no time.
        let unlimited = stones == 0 && (!period.is_zero() || main.is_zero());
        self.clock.set((!unlimited).then_some(Limits { main, period, stones }));
        self.prepare()
    }

    fn show_clock(&mut self, player: &str, time: &str, stones: &str) -> Answer {
        let player = self::player(player).ok_or("syntax error: a colour is b or w")?;
        self.clock.show(player, Left { time: seconds(time)?, stones: count(stones)? });
        Ok(String::new())
    }

    /// Tells what is known of a position until the next line comes.
    fn analyse(
        &mut self,
        style: Style,
        command: &Command,
        lines: &mut Lines,
        output: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let mut begin = Instant::now();
        let begun = Wish::parse(style, &command.arguments).and_then(|wish| {
            let side = wish.player.unwrap_or(self.now().turn());
            let position = self.to_move(colour(side))?;
            let line = self.look(&wish, &position, lines)?;
            Ok((wish, position, line))
        });
        let (wish, position, mut line) = match begun {
            Ok(begun) => begun,
            Err(why) => {
                write!(output, "{}", command.answer(&Err(why)))?;
                return output.flush();
            }
        };
        writeln!(output, "={}", command.id)?;
        loop {
            if !line.is_empty() {
                writeln!(output, "{line}")?;
            }
            output.flush()?;
            // A search ends at once where its root is proven: the next line comes no earlier for that.
            if lines.is_ready_by(begin + wish.interval) {
                break;
            }
            begin = Instant::now();
            match self.look(&wish, &position, lines) {
                Ok(next) => line = next,
                Err(_) => break,
            }
        }
        writeln!(output)?;
        output.flush()
    }

    fn look(&mut self, wish: &Wish, position: &Position<G>, lines: &mut Lines) -> Answer {
        let report = self.brain.analyse(position, wish.interval, || lines.is_ready()).map_err(text)?;
        Ok(wish.line(position.game(), &report))
    }
}

fn analysis_style(name: &str) -> Option<Style> {
    match name {
        LZ_ANALYZE => Some(Style::Lz),
        KATA_ANALYZE => Some(Style::Kata),
        _ => None,
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("syntax error: {} is no time", quoted(text)))?;
    // A referee's clock may be below zero.
    let time = Duration::try_from_secs_f64(number.max(0.0));
    time.map_err(|_| format!("syntax error: {} is no time", quoted(text)))
}

fn count(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("syntax error: {} is no number of stones", quoted(text)))
}

pub(super) fn text(why: impl ToString) -> String {
    why.to_string()
}
