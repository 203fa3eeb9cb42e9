//! The game that is played on the page: its position and its search.

use super::Listener;
use crate::{
    any_game::AnyGame,
    engine::Engine,
    error::{Error, Result},
    forest::Settings,
    host::Instant,
    rules::{Game, Player, Position},
    search::{Budget, Report, Search},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Seconds of a search before its first report, and between further ones.
const FIRST_REPORT: f64 = 0.1;
const REPORT_INTERVAL: f64 = 0.4;
/// The least number of steps between reports, about: each time limit abandons a step.
const STEPS: f64 = 4.0;
/// Bytes of the trees by default: a page shares the machine with others.
const MEMORY: u64 = 192 << 20;

/// The limits of a search.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Limit {
    /// Greatest number of seconds.
    pub seconds: Option<f64>,
    /// Greatest number of steps.
    pub steps: Option<u64>,
}

/// The state of the board.
#[derive(Debug, Serialize)]
pub struct Board {
    game: String,
    /// The top row first: `.` empty, `X` first player, `O` second.
    rows: Vec<String>,
    turn: Player,
    /// `X wins` and the like, once the game is over.
    outcome: Option<String>,
    /// The score in words, of a game that has one.
    score: String,
    legal: Vec<Move>,
    moves: Vec<Move>,
}

/// A legal action, or one that was taken.
#[derive(Debug, Serialize)]
pub struct Move {
    index: u32,
    name: String,
}

/// The results of a search so far.
#[derive(Debug, Serialize)]
pub struct Progress {
    /// The report of the last run, with the counts of all.
    report: Report,
    steps: u64,
    playouts: u64,
    seconds: f64,
}

/// A position and its search.
pub struct LiveGame {
    position: Position<AnyGame>,
    search: Search<AnyGame>,
}

impl LiveGame {
    /// Opens a search for the start of a game.
    ///
    /// # Errors
    /// As [`Search::new_async`].
    pub async fn open(engine: &Engine, game: AnyGame, settings: Settings) -> Result<Self> {
        // Trees are reused from move to move.
        let usual = Settings { memory: Some(MEMORY), reuse: Some(true), ..Settings::default() };
        let search = Search::new_async(engine, game.clone(), settings.or(usual)).await?;
        Ok(Self { position: Position::start(&game), search })
    }

    /// The state of the board.
    pub fn board(&self) -> Board {
        let (position, game) = (&self.position, self.position.game());
        let named = |&index: &u32| Move { index, name: game.action_name(index) };
        Board {
            game: game.name().into(),
            rows: game.board_rows(position.state()),
            turn: position.turn(),
            outcome: position.outcome().map(|outcome| outcome.to_string()),
            score: game.score_text(position.state()),
            legal: position.legal_actions().iter().map(named).collect(),
            moves: position.moves().iter().map(named).collect(),
        }
    }

    /// Takes an action for the player to move.
    ///
    /// # Errors
    /// Bad input if it is illegal.
    pub fn play(&mut self, action: u32) -> Result<()> {
        self.position.play(action)
    }

    /// Takes the last action back.
    ///
    /// # Errors
    /// Bad input if there is none.
    pub fn undo(&mut self) -> Result<()> {
        self.position.undo().map(drop).ok_or_else(|| Error::invalid("no move to take back"))
    }

    /// Searches the position, and reports its results from time to time.
    ///
    /// # Errors
    /// Bad input for a game that is over, and errors of the search.
    pub async fn search(&mut self, limit: Limit, listener: Listener<'_>) -> Result<Progress> {
        run(&mut self.search, &self.position, limit, listener).await
    }
}

/// Consecutive runs on the same trees; each ends with a report.
async fn run(
    search: &mut Search<AnyGame>,
    position: &Position<AnyGame>,
    limit: Limit,
    listener: Listener<'_>,
) -> Result<Progress> {
    if position.outcome().is_some() {
        return Err(Error::invalid("the game is over: start a new one, or take a move back"));
    }
    let most_time = seconds(limit.seconds)?;
    let (start, mut steps, mut playouts, mut stopped) = (Instant::now(), 0, 0, false);
    // At least one step, as without it there are no statistics.
    let mut budget = Budget::steps(limit.steps.unwrap_or(1).min(1));
    let mut interval = FIRST_REPORT;
    loop {
        let progress = |_| {
            let wanted = listener(None);
            stopped |= wanted.is_break();
            wanted
        };
        let report = search.run_async(std::slice::from_ref(position), budget, progress).await?.remove(0);
        steps += report.performance.steps;
        playouts += report.performance.playouts;
        let ended = stopped
            || report.proven.is_some()
            || start.elapsed() >= most_time
            || limit.steps.is_some_and(|most| steps >= most);
        let found = Progress { report, steps, playouts, seconds: start.elapsed().as_secs_f64() };
        if ended || listener(serde_json::to_string(&found).ok()).is_break() {
            return Ok(found);
        }
        let time = seconds(Some(interval.max(STEPS * found.seconds / steps.max(1) as f64)))?;
        let left = most_time.saturating_sub(start.elapsed());
        budget = Budget::steps(limit.steps.map_or(u64::MAX, |most| most - steps)).within(time.min(left));
        interval = REPORT_INTERVAL;
    }
}

/// A time from seconds; unlimited without a number.
fn seconds(seconds: Option<f64>) -> Result<Duration> {
    let Some(seconds) = seconds else { return Ok(Duration::MAX) };
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| Error::invalid(format!("{seconds} seconds: give a number from 0 on")))
}
