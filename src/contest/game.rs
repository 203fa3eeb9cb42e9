//! One game between two players.

use super::{Contestant, DeadStones, Stop, dead::ended_without};
use crate::{
    error::Result,
    names::named,
    rules::{Game, Outcome, Player, Position},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, Instant};

named! {
    /// How a game of Go that no player has resigned or lost by fault is scored.
    pub enum Scoring: "scoring" {
        /// As the board stands: all stones are alive.
        Area = "area",
        /// Without the [dead stones](DeadStones).
        DeadStones = "dead-stones",
    }
}

impl Scoring {
    /// As the board stands; none in games other than Go.
    pub(crate) fn usual<G: Game>(game: &G) -> Option<Self> {
        (game.owned_points() > 0).then_some(Self::Area)
    }
}

/// A fault by which a player has lost a game: an error, an illegal move, or a move over the time limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The player at fault; X moves first.
    pub by: Player,
    /// The fault, as text.
    pub what: String,
}

/// A resignation, which loses the game but is not a fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resigned {
    /// The player that resigned, to move in the last position; X moves first.
    pub by: Player,
    /// Time the player took to resign, in seconds.
    pub seconds: f64,
    /// The player's report on the last position, as JSON.
    pub report: Option<Value>,
}

/// A finished game.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The moves after the initial position.
    pub moves: Vec<u32>,
    /// The result.
    pub result: Outcome,
    /// The fault that ended the game, if any; `result` is then a loss of the player at fault.
    pub fault: Option<Fault>,
    /// The resignation that ended the game, if any; `result` is then a loss of that player.
    pub resigned: Option<Resigned>,
    /// The dead stones that were taken off the board before the game was scored, as the actions that place them.
    pub dead: Vec<u32>,
    /// Time of each move in seconds.
    pub seconds: Vec<f64>,
    /// The players' reports on each move, as JSON.
    pub reports: Vec<Option<Value>>,
}

impl Played {
    /// Scores a game that began at `start` without its dead stones, unless it ended by a fault or a resignation.
    pub(super) fn without_dead_stones<G: Game>(
        self,
        start: &Position<G>,
        referee: &mut DeadStones<G>,
    ) -> Result<Self> {
        if self.fault.is_some() || self.resigned.is_some() {
            return Ok(self);
        }
        let end = start.after(&self.moves)?;
        let dead = referee.chains(&end)?.concat();
        let result = ended_without(&end, &dead)?.outcome().unwrap_or(self.result);
        Ok(Self { result, dead, ..self })
    }
}

/// A move may exceed its limit by this much, for clock polling and thread start …
const GRACE: Duration = Duration::from_millis(20);
/// … plus this fraction of the limit.
const GRACE_SHARE: f64 = 0.04;

/// Plays a game from a position to its end. A player that fails, makes an illegal move, or exceeds `move_limit` by more
/// than the grace loses the game. Returns none if the game was stopped.
///
/// # Errors
/// The game itself fails: its device is lost, or a position is ongoing without a legal action.
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
            Some(outcome) => Some(End { result: outcome, fault: None, resigned: None }),
            None => table.make_move(&mut *players[table.position.turn().index()]),
        };
    }
    players.iter_mut().for_each(|player| player.end());
    if let Some(error) = start.game().rules_error() {
        return Err(error);
    }
    if end.as_ref().is_some_and(|end| end.fault.is_some()) {
        // Without legal actions no player is at fault.
        table.position.check_goes_on()?;
    }
    Ok(end.filter(|_| !stop.is_set()).map(|end| table.finish(start, end)))
}

/// The end of a game: its result, and the fault or resignation that caused it, if any.
struct End {
    result: Outcome,
    fault: Option<Fault>,
    resigned: Option<Resigned>,
}

struct Table<G: Game> {
    position: Position<G>,
    played: Vec<(f64, Option<Value>)>,
    move_limit: Option<Duration>,
}

impl<G: Game> Table<G> {
    /// Begins the game for both players; returns the end of the game if one of them fails.
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
        Played { moves, result, fault, resigned, dead: Vec::new(), seconds, reports }
    }
}

fn loss(by: Player, what: String) -> End {
    End { result: by.opponent().wins(), fault: Some(Fault { by, what }), resigned: None }
}

fn resignation(by: Player, time: Duration, report: Option<Value>) -> End {
    let resigned = Resigned { by, seconds: time.as_secs_f64(), report };
    End { result: by.opponent().wins(), fault: None, resigned: Some(resigned) }
}
