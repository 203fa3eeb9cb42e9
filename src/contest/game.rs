//! One game between two players.

use super::{Contestant, Stop};
use crate::{
    error::Result,
    names::named,
    rules::{Game, Outcome, Player, Position},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, Instant};

named! {
    /// How a game ended.
    pub enum GameResult: "result" {
        /// The first player has won.
        First = "first",
        /// The second player has won.
        Second = "second",
        /// Nobody has won.
        Draw = "draw",
    }
}

impl GameResult {
    /// Points of a player: 1 for a win, 1/2 for a draw.
    pub fn points(self, player: Player) -> f64 {
        match (self, player) {
            (Self::Draw, _) => 0.5,
            (Self::First, Player::First) | (Self::Second, Player::Second) => 1.0,
            _ => 0.0,
        }
    }

    pub(crate) fn won_by(player: Player) -> Self {
        if player == Player::First { Self::First } else { Self::Second }
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::FirstWins => Self::First,
            Outcome::SecondWins => Self::Second,
            Outcome::Draw => Self::Draw,
        }
    }
}

/// What a player has lost a game by, other than by the rules of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Who is at fault: X moves first.
    pub by: Player,
    /// What was wrong.
    pub what: String,
}

/// A player that gave a game up, which it has lost by that: no fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resigned {
    /// Who gave up, to move in the position reached: X moves first.
    pub by: Player,
    /// Seconds that it thought about that.
    pub seconds: f64,
    /// What it tells of the position, as JSON.
    pub report: Option<Value>,
}

/// A game that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The moves after the position that it began with.
    pub moves: Vec<u32>,
    /// How it ended.
    pub result: GameResult,
    /// Set where a fault ended it: the result is then a loss of the one at fault.
    pub fault: Option<Fault>,
    /// Set where a player gave up: the result is then its loss.
    pub resigned: Option<Resigned>,
    /// Seconds that each of the moves took.
    pub seconds: Vec<f64>,
    /// What the players tell of each of the moves, as JSON.
    pub reports: Vec<Option<Value>>,
}

/// A move may take this much longer than its limit: a look at the clock, a start of a thread.
const GRACE: Duration = Duration::from_millis(20);
/// ... and this share of it.
const GRACE_SHARE: f64 = 0.04;

/// Plays a game from a position to its end. A player that errs, makes an illegal move, or takes longer than
/// `move_limit` (and a little grace) loses the game by that. None where the game was stopped.
///
/// # Errors
/// Where the game itself is in trouble: a device that its rules live on is, or it goes on and has no legal action.
pub fn play_game<G: Game>(
    start: &Position<G>,
    [first, second]: [&mut dyn Contestant<G>; 2],
    move_limit: Option<Duration>,
    stop: &Stop,
) -> Result<Option<Played>> {
    let mut table = Table { position: start.clone(), played: Vec::new(), move_limit };
    let mut players = [first, second];
    players.iter_mut().for_each(|player| player.limit(move_limit));
    let mut end = table.seat(&mut players, start);
    while end.is_none() && !stop.is_set() {
        end = match table.position.outcome() {
            Some(outcome) => Some(End { result: outcome.into(), fault: None, resigned: None }),
            None => table.make_move(&mut *players[table.position.turn().index()]),
        };
    }
    players.iter_mut().for_each(|player| player.end());
    if let Some(error) = start.game().trouble() {
        return Err(error);
    }
    if end.as_ref().is_some_and(|end| end.fault.is_some()) {
        // No player is at fault where there is no move to make.
        table.position.check_goes_on()?;
    }
    Ok(end.filter(|_| !stop.is_set()).map(|end| table.finish(start, end)))
}

/// How a game ends, and by what if not by the rules.
struct End {
    result: GameResult,
    fault: Option<Fault>,
    resigned: Option<Resigned>,
}

struct Table<G: Game> {
    position: Position<G>,
    played: Vec<(f64, Option<Value>)>,
    move_limit: Option<Duration>,
}

impl<G: Game> Table<G> {
    /// Has the players begin.
    fn seat(&mut self, players: &mut [&mut dyn Contestant<G>; 2], start: &Position<G>) -> Option<End> {
        let sides = [Player::First, Player::Second].into_iter();
        sides.zip(players).find_map(|(side, player)| {
            let error = player.begin(start).err()?;
            Some(loss(side, format!("could not begin: {error}")))
        })
    }

    fn make_move(&mut self, player: &mut dyn Contestant<G>) -> Option<End> {
        let turn = self.position.turn();
        let began = Instant::now();
        let chosen = player.choose(&self.position);
        let time = began.elapsed();
        let choice = match chosen {
            Ok(choice) => choice,
            Err(error) if error.is_resigned() => return Some(resignation(turn, time, None)),
            Err(error) => return Some(loss(turn, format!("gave no move: {error}"))),
        };
        if let Some(limit) = self.move_limit
            && time > limit.mul_f64(1.0 + GRACE_SHARE) + GRACE
        {
            let (time, limit) = (time.as_secs_f64(), limit.as_secs_f64());
            return Some(loss(turn, format!("took {time:.3} s for a move, of {limit} s")));
        }
        let report = choice.report.and_then(|report| serde_json::to_value(report).ok());
        if choice.resigns {
            return Some(resignation(turn, time, report));
        }
        if let Err(error) = self.position.play(choice.action) {
            return Some(loss(turn, format!("made an illegal move: {error}")));
        }
        self.played.push((time.as_secs_f64(), report));
        None
    }

    fn finish(self, start: &Position<G>, End { result, fault, resigned }: End) -> Played {
        let (seconds, reports) = self.played.into_iter().unzip();
        let moves = self.position.moves()[start.moves().len()..].to_vec();
        Played { moves, result, fault, resigned, seconds, reports }
    }
}

fn loss(by: Player, what: String) -> End {
    End { result: GameResult::won_by(by.opponent()), fault: Some(Fault { by, what }), resigned: None }
}

fn resignation(by: Player, time: Duration, report: Option<Value>) -> End {
    let resigned = Resigned { by, seconds: time.as_secs_f64(), report };
    End { result: GameResult::won_by(by.opponent()), fault: None, resigned: Some(resigned) }
}
