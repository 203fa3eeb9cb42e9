//! A game of a person against the engine.

use super::{
    order::{HELP, Order},
    record::Record,
    saved,
};
use crate::{
    cli::{
        board::draw_in_colours,
        failure::{Failure, Result},
        output::{notice, print_in_colours as show},
        progress::Progress,
        signals,
    },
    contest::{DeadStones, FirstSight, ending::only_move},
    input::{Line, next_line},
    rules::{Game, Player, Position, names_of},
    search::{ActionReport, Budget, Report, Search},
};
use std::{
    io::BufRead,
    path::{Path, PathBuf},
    time::Instant,
};

/// The greatest length of a line of input in bytes.
const LONGEST_LINE: u64 = 4096;
/// Columns of a list of moves.
const LIST_WIDTH: usize = 76;

pub struct Session<G: Game> {
    pub search: Search<G>,
    /// Finds dead stones at the end of a game.
    pub dead: DeadStones<G>,
    /// The budget of the engine's moves.
    pub budget: Budget,
    /// The person's side.
    pub side: Player,
    /// The first position of a new game.
    pub start: Position<G>,
    pub record: Record<G>,
    /// The last file of the game.
    pub file: Option<PathBuf>,
}

/// The next step after a command.
enum Next {
    /// Read another command: the game is unchanged.
    Order,
    /// Continue with the side to move.
    Game,
    Leave,
}

impl<G: Game> Session<G> {
    /// Plays until the person leaves or the input ends.
    pub fn play(mut self, input: &mut impl BufRead) -> Result<()> {
        self.greet()?;
        loop {
            self.show_board()?;
            if self.now().outcome().is_some() {
                self.end()?;
            } else if let Err(error) = self.now().check_goes_on() {
                show(&format!("The game ends here: {error}.\n"))?;
            } else if let Some(pass) = forced_pass(self.now()) {
                show(&format!("{} has to pass.\n", self.now().turn().symbol()))?;
                self.record.play(pass, None)?;
                continue;
            } else if self.now().turn() != self.side {
                self.reply()?;
                continue;
            }
            if !self.ask(input)? {
                return show("Good bye.\n");
            }
        }
    }

    fn now(&self) -> &Position<G> {
        self.record.now()
    }

    fn greet(&self) -> Result<()> {
        let legal = self.now().legal_actions();
        let example = legal.get(legal.len() / 2).map(|&action| self.now().game().action_name(action));
        let example = example.map_or(String::new(), |name| format!(" such as {name}"));
        show(&format!("You are {}. Type a move{example}, or help.\n", self.side.symbol()))
    }

    fn show_board(&self) -> Result<()> {
        let marked = self.now().turn() == self.side;
        show(&format!("\n{}", draw_in_colours(self.now(), self.record.before(), marked)))
    }

    /// Scores the game without dead stones, and shows the outcome.
    fn end(&mut self) -> Result<()> {
        let end = self.dead.settled(self.record.now())?;
        self.record.score_as(end);
        let (now, end) = (self.record.now(), self.record.end());
        let off = stones_off(now, end);
        if !off.is_empty() {
            show(&format!("Dead stones are removed: {off}.\n"))?;
        }
        let score = now.game().score_text(end.state());
        let score = if score.is_empty() { score } else { format!(" {score}.") };
        let outcome = end.outcome().map_or_else(String::new, |outcome| outcome.to_string());
        show(&format!("The game is over: {outcome}.{score}\n"))
    }

    /// The engine moves.
    fn reply(&mut self) -> Result<()> {
        let (begin, symbol) = (Instant::now(), self.now().turn().symbol());
        let prunes = self.search.config().pruning;
        let searched = match self.dead.at_first_sight(self.record.now(), prunes)? {
            FirstSight::Search(searched) => searched,
            FirstSight::Move(action) => {
                let (name, is_only) =
                    (self.now().game().action_name(action), only_move(self.now()).is_some());
                show(&format!("{symbol} plays {name}{}\n", if is_only { ", the only move" } else { "" }))?;
                return Ok(self.record.play(action, Some(begin.elapsed()))?);
            }
        };
        let report = self.search_position(&searched)?;
        let chosen = self.dead.choice(self.record.now(), &report)?.map_or_else(|| best(&report), Ok)?;
        show(&format!("{symbol} plays {chosen}\n"))?;
        Ok(self.record.play(chosen.index, Some(begin.elapsed()))?)
    }

    /// Runs commands until the game changes; returns false if the person leaves.
    fn ask(&mut self, input: &mut impl BufRead) -> Result<bool> {
        let begin = Instant::now();
        loop {
            let prompt = match self.now().outcome() {
                None => format!("{} to move> ", self.side.symbol()),
                Some(_) => "new, undo, save or quit> ".into(),
            };
            show(&prompt)?;
            let Some(line) = read_line(input)? else {
                show("\n")?;
                return Ok(false);
            };
            let order = line.and_then(|line| Order::parse(&line)).map_err(Failure::message);
            match order.and_then(|order| self.obey(order, begin)) {
                Ok(Next::Order) => {}
                Ok(Next::Game) => return Ok(true),
                Ok(Next::Leave) => return Ok(false),
                Err(Failure::Message(message)) => show(&format!("{message}\n"))?,
                Err(closed) => return Err(closed),
            }
        }
    }

    /// Runs a command. After a failure the game is unchanged.
    fn obey(&mut self, order: Order, begin: Instant) -> Result<Next> {
        match order {
            Order::Quit => return Ok(Next::Leave),
            Order::Move(name) => {
                let action = self.now().parse_action(&name)?;
                self.record.play(action, Some(begin.elapsed()))?;
                return Ok(Next::Game);
            }
            Order::Undo => return self.undo(),
            Order::New => {
                self.record = Record::new(&self.start)?;
                self.file = None;
                return Ok(Next::Game);
            }
            Order::Swap => {
                self.side = self.side.opponent();
                show(&format!("You are {} now.\n", self.side.symbol()))?;
                return Ok(Next::Game);
            }
            Order::Load(path) => return self.load(path),
            Order::Help => show(&(self.now().game().description() + HELP))?,
            Order::Board => self.show_board()?,
            Order::Moves => show(&self.moves())?,
            Order::Hint => self.hint()?,
            Order::Level(budget) => self.level(budget)?,
            Order::Save(path) => self.save(path)?,
        }
        Ok(Next::Order)
    }

    /// Goes back to the person's last choice.
    fn undo(&mut self) -> Result<Next> {
        let side = self.side;
        if self.record.go_back(|position| position.turn() == side && forced_pass(position).is_none()) {
            return Ok(Next::Game);
        }
        Err(Failure::message("You have no move to take back."))
    }

    fn moves(&self) -> String {
        let names =
            self.now().legal_actions().into_iter().map(|action| self.now().game().action_name(action));
        let lines = names.fold(vec![String::new()], |mut lines, name| {
            let last = lines.len() - 1;
            if lines[last].len() + name.len() > LIST_WIDTH {
                lines.push(name);
            } else {
                let space = if lines[last].is_empty() { "" } else { " " };
                lines[last] += &format!("{space}{name}");
            }
            lines
        });
        if self.now().outcome().is_some() { "The game is over.\n".into() } else { lines.join("\n") + "\n" }
    }

    fn hint(&mut self) -> Result<()> {
        if self.now().outcome().is_some() {
            return Err(Failure::message("The game is over."));
        }
        let report = self.search_position(&self.record.now().clone())?;
        show(&format!("Try {}\n", best(&report)?))
    }

    fn load(&mut self, path: PathBuf) -> Result<Next> {
        let (record, side) = saved::load(&path, None, self.now().game())?;
        self.side = side.unwrap_or(self.side);
        self.record = record;
        let moves = self.now().moves().len();
        show(&format!("{}: {moves} moves. You are {}.\n", path.display(), self.side.symbol()))?;
        self.file = Some(path);
        Ok(Next::Game)
    }

    fn save(&mut self, path: Option<PathBuf>) -> Result<()> {
        let path = path.or_else(|| self.file.clone());
        let path = path.ok_or_else(|| Failure::message("save needs a file: save FILE"))?;
        let again = self.file.as_deref() == Some(Path::new(&path));
        saved::save(&path, &self.record, self.side, again)?;
        show(&format!("The game is in {}.\n", path.display()))?;
        self.file = Some(path);
        Ok(())
    }

    /// Sets the level, if given, and shows it.
    fn level(&mut self, budget: Option<Budget>) -> Result<()> {
        self.budget = budget.unwrap_or(self.budget);
        show(&format!("The engine searches for {} per move.\n", self.budget))
    }

    /// Searches a position. Ctrl-C ends the search.
    fn search_position(&mut self, position: &Position<G>) -> Result<Report> {
        let progress = Progress::spinner("searching");
        // Before the first report of the progress, a Ctrl-C would end the program.
        signals::hold();
        show(&format!("Searching ({})...\n", self.budget))?;
        let report = self.search.run_with(position, self.budget, |now| progress.search(now));
        drop(progress);
        // Also after an error: a Ctrl-C at the prompt ends the program.
        signals::release_and_go_on();
        let report = report?;
        if self.search.config().reuse {
            let kept = report.trees_info.reused_playouts;
            show(&format!("{kept} playouts kept, {} new\n", report.performance.playouts))?;
        }
        if report.trees_info.full {
            notice("warning: the trees are full; give more --memory for a stronger search");
        }
        Ok(report)
    }
}

/// The stones of one position that another one does not have, by name.
fn stones_off<G: Game>(now: &Position<G>, end: &Position<G>) -> String {
    let stones =
        |position: &Position<G>| position.game().chains(position.state()).into_iter().flat_map(|it| it.1);
    let left: Vec<u32> = stones(end).collect();
    let off = stones(now).filter(|stone| !left.contains(stone));
    names_of(now.game(), &off.collect::<Vec<_>>()).join(" ")
}

fn best(report: &Report) -> Result<&ActionReport> {
    report.best.as_ref().or(report.actions.first()).ok_or_else(|| {
        Failure::message("the engine completed no step: give it more time, or fewer --trees or --playouts")
    })
}

/// The pass, if it is the only legal action.
fn forced_pass<G: Game>(position: &Position<G>) -> Option<u32> {
    only_move(position).filter(|&only| position.game().action_name(only) == "pass")
}

/// A line of input; `None` at its end. Invalid UTF-8 becomes an unknown command, too long a line an error.
fn read_line(input: &mut impl BufRead) -> Result<Option<std::result::Result<String, String>>> {
    let unread = |error| Failure::message(format!("standard input can't be read: {error}"));
    Ok(next_line(input, LONGEST_LINE).map_err(unread)?.map(|line| match line {
        Line::Text(text) => Ok(text),
        Line::TooLong => Err(format!("a line of more than {LONGEST_LINE} bytes is not a command")),
    }))
}
