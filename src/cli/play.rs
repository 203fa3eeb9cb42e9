//! `mcts-wgpu play`: a person against the engine, in the terminal.

use super::{
    board::draw,
    failure::{Failure, Result},
    games::{GameOptions, Job},
    options::{EngineOptions, PolicyOptions, SearchOptions},
    output::{notice, print},
    position::{PositionOptions, parse_player},
    summary::{engine_line, outcome_name, value},
    watch::{Watch, listen_to_ctrl_c},
};
use clap::Args;
use mcts_wgpu::{Budget, Config, Game, Player, Position, Search, search::ActionReport};
use std::io::{BufRead, stdin};

/// Play against the engine
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    game: GameOptions,
    /// The side you play: X begins
    #[arg(long, value_name = "X|O", default_value = "X", value_parser = parse_player)]
    side: Player,
    #[command(flatten)]
    position: PositionOptions,
    /// Keep what is known of the position reached: the engine goes on with the subtree below the moves played
    #[arg(long)]
    reuse: bool,
    #[command(flatten)]
    policy: PolicyOptions,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

const HELP: &str = "Type a move by its name or index, or one of: hint (the engine's advice), undo (take your last move \
                    back), help, quit.\n";

/// Plays a game.
pub fn run(arguments: Arguments) -> Result<()> {
    let game = &arguments.game;
    game.apply(PlayGame(&arguments))
}

struct PlayGame<'a>(&'a Arguments);

impl Job for PlayGame<'_> {
    fn run<G: Game>(self, game: G) -> Result<()> {
        let arguments = self.0;
        let game = arguments.policy.apply(game)?;
        let start = arguments.position.position(&game)?;
        let budget = arguments.search.budget()?;
        let config = arguments.config(&game)?;
        Search::check(&game, &config, 1)?;
        let engine = arguments.engine.open()?;
        let search = Search::new(&engine, game, config)?;
        listen_to_ctrl_c();
        print(&format!("{}You are {}. {HELP}", engine_line(&engine.info()), arguments.side.symbol()))?;
        Match { search, budget, side: arguments.side, positions: vec![start] }.play(&mut stdin().lock())
    }
}

impl Arguments {
    /// Reused trees outgrow the nodes of one search's steps.
    fn config(&self, game: &impl Game) -> Result<Config> {
        let config = self.search.config(game)?;
        let node_limit = config.node_limit.filter(|_| !self.reuse);
        Ok(Config { reuse: self.reuse, node_limit, ..config })
    }
}

/// A game under way.
struct Match<G: Game> {
    search: Search<G>,
    budget: Budget,
    /// The person's.
    side: Player,
    /// From the start to the present one.
    positions: Vec<Position<G>>,
}

/// What a person typed.
enum Order {
    Move(u32),
    Hint,
    Undo,
    Help,
    Quit,
}

impl<G: Game> Match<G> {
    fn play(mut self, input: &mut impl BufRead) -> Result<()> {
        loop {
            print(&format!("\n{}", draw(self.now())))?;
            if let Some(outcome) = self.now().outcome() {
                return print(&format!("The game is over: {}.\n", outcome_name(outcome)));
            }
            if self.now().turn() != self.side {
                self.reply()?;
            } else if self.obey(input)?.is_none() {
                return print("Good bye.\n");
            }
        }
    }

    fn now(&self) -> &Position<G> {
        &self.positions[self.positions.len() - 1]
    }

    /// The engine moves.
    fn reply(&mut self) -> Result<()> {
        let best = self.advice()?;
        print(&format!("{} plays {}\n", self.side.opponent().symbol(), value(&best)))?;
        self.go_on(best.index)
    }

    /// Carries out orders until the board has changed; none where the person leaves.
    fn obey(&mut self, input: &mut impl BufRead) -> Result<Option<()>> {
        loop {
            print(&format!("{} to move> ", self.side.symbol()))?;
            let Some(line) = read_line(input)? else {
                print("\n")?;
                return Ok(None);
            };
            let done = match self.understand(line.trim()) {
                Ok(Order::Quit) => return Ok(None),
                Ok(Order::Help) => print(HELP),
                Ok(Order::Hint) => self.advice().and_then(|best| print(&format!("Try {}\n", value(&best)))),
                Ok(Order::Undo) if self.undo() => return Ok(Some(())),
                Ok(Order::Undo) => print("There is no move of yours to take back.\n"),
                Ok(Order::Move(action)) => match self.go_on(action) {
                    Ok(()) => return Ok(Some(())),
                    Err(failure) => explain(failure),
                },
                Err(failure) => explain(failure),
            };
            done?;
        }
    }

    fn understand(&self, line: &str) -> Result<Order> {
        Ok(match line.to_lowercase().as_str() {
            "quit" | "q" | "exit" => Order::Quit,
            "help" | "?" | "" => Order::Help,
            "hint" => Order::Hint,
            "undo" => Order::Undo,
            _ => Order::Move(self.now().parse_action(line)?),
        })
    }

    fn go_on(&mut self, action: u32) -> Result<()> {
        let mut next = self.now().clone();
        next.play(action)?;
        self.positions.push(next);
        Ok(())
    }

    /// Goes back to the person's last turn, if there was one.
    fn undo(&mut self) -> bool {
        let before = self.positions.len() - 1;
        let mine = self.positions[..before].iter().rposition(|position| position.turn() == self.side);
        if let Some(mine) = mine {
            self.positions.truncate(mine + 1);
        }
        mine.is_some()
    }

    /// What the engine would play now. Ctrl-C makes it answer at once.
    fn advice(&mut self) -> Result<ActionReport> {
        let watch = Watch::begin(true);
        let now = self.positions[self.positions.len() - 1].clone();
        let report = self.search.run_with(&now, self.budget, |progress| watch.tell(progress))?;
        drop(watch);
        if self.search.config().reuse {
            let kept = report.trees_info.reused_playouts;
            print(&format!("{kept} playouts kept, {} new\n", report.performance.playouts))?;
        }
        if report.trees_info.full {
            notice("warning: the trees are full; with more --memory the engine would see further");
        }
        report.best.ok_or_else(|| Failure::message("the engine found no move"))
    }
}

/// Wrong input is no reason to end the game.
fn explain(failure: Failure) -> Result<()> {
    match failure {
        Failure::Message(message) => print(&format!("{message}\n")),
        closed => Err(closed),
    }
}

/// A line of input; none at its end. Bytes that are no text make a line that is no move.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line);
    let read = read.map_err(|error| Failure::message(format!("standard input can't be read: {error}")))?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
