//! Contests as a library: players, games, logs, schedules, statistics, replay.

mod dead_stones;
mod endings;
mod games;
mod logs;
mod players;
mod replays;
mod schedules;
mod specs;
mod stats;
mod strange;

use crate::support::prelude::*;
use mcts_wgpu::{
    Result,
    contest::{Choice, Conduct, Entrant, Event, External, Host, Log, Replayed, play_all, replay_game},
};

/// One engine for all players.
struct OneEngine {
    engine: Engine,
    stop: Stop,
    /// Whether there are external programs, which pass.
    passes: bool,
}

impl OneEngine {
    fn new(engine: &Engine) -> Self {
        Self { engine: engine.clone(), stop: Stop::default(), passes: false }
    }

    fn cpu() -> Self {
        Self::new(&Engine::cpu())
    }
}

impl Host for OneEngine {
    fn engine(&self, _adapter: Option<&str>) -> Result<Engine> {
        Ok(self.engine.clone())
    }

    fn external<G: Game>(&self, external: &External, _game: &G) -> Result<Box<dyn Contestant<G>>> {
        if self.passes {
            Ok(Box::new(Passes))
        } else {
            Err(Error::invalid(format!("no {}", external.command)))
        }
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

struct Passes;

impl<G: Game> Contestant<G> for Passes {
    fn begin(&mut self, _: &Position<G>) -> Result<()> {
        Ok(())
    }

    fn choose(&mut self, position: &Position<G>) -> Result<Choice> {
        Ok(Choice::new(position.game().ending_pass().expect("a game with passes")))
    }
}

/// Entrants whose names are their texts.
pub fn entrants(texts: &[&str]) -> Vec<Entrant> {
    let entrant =
        |text: &&str| Entrant { name: (*text).into(), spec: text.parse().expect("the text of a player") };
    texts.iter().map(entrant).collect()
}

fn match_of<G: Game>(game: &G, texts: [&str; 2], games: u64) -> GameSchedule<G> {
    GameSchedule::new(game, entrants(&texts), games, Vec::new()).expect("a schedule")
}

/// All games of a schedule, by their numbers. External players pass.
fn played<G: Game>(schedule: &GameSchedule<G>, conduct: Conduct, log: Option<&mut Log>) -> Vec<LoggedGame> {
    let (host, mut games) = (OneEngine { passes: true, ..OneEngine::cpu() }, Vec::new());
    let pending = schedule.pending(Default::default());
    let observe = |event: Event<'_>| {
        if let Event::Game(game) = event {
            games.push(game.clone());
        }
        ControlFlow::Continue(())
    };
    play_all(schedule, pending, (&host, conduct), log, observe).expect("the games are played");
    games.sort_by_key(|game| game.game_number);
    games
}

fn replay<G: Game>(game: &G, logged: &LoggedGame, engine: &Engine) -> Result<Replayed> {
    replay_game(game, logged, &OneEngine::new(engine), |_| ControlFlow::Continue(()))
}
