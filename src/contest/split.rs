//! A player by alpha-beta.

use super::{
    Choice, Contestant, Stop,
    ending::only_move,
    reports::{MoveReport, SplitMove},
};
use crate::{
    engine::{Device, Engine},
    error::{Error, Result},
    games::{Connect4, Go, Othello},
    pvsplit::{
        Connect4Board, DeviceBoard, GoBoard, OthelloBoard, PvSplit, SplitLimit, SplitReport, sequential_with,
    },
    rules::{Game, Position},
};
use std::time::Duration;

/// A player by alpha-beta: PV-Split on a device; without a device, principal variation search on one core.
#[derive(Debug)]
pub struct SplitPlayer<B> {
    limit: SplitLimit,
    move_limit: Option<Duration>,
    device: Option<Device>,
    stop: Stop,
    split: Option<PvSplit<B>>,
}

/// A player by alpha-beta, for a game with a [`DeviceBoard`].
///
/// # Errors
/// Bad input for a limit out of range, a game without a board, or an engine of several devices.
pub fn split_player<G: Game>(
    (engine, game): (&Engine, &G),
    limit: SplitLimit,
    stop: Stop,
) -> Result<Box<dyn Contestant<G>>> {
    limit.validate()?;
    let name = game.name();
    if engine.has_several_devices() {
        return Err(Error::invalid("alpha-beta runs on one adapter: name only one"));
    }
    let device = engine.first_device().cloned();
    let game = game.as_any();
    if game.is::<Connect4>() {
        return Ok(Box::new(SplitPlayer::<Connect4Board>::new(limit, device, stop)));
    }
    if game.is::<Othello>() {
        return Ok(Box::new(SplitPlayer::<OthelloBoard>::new(limit, device, stop)));
    }
    if game.is::<Go>() {
        return Ok(Box::new(SplitPlayer::<GoBoard>::new(limit, device, stop)));
    }
    Err(no_board(name))
}

fn no_board(game: &str) -> Error {
    Error::invalid(format!("alpha-beta does not play {game}: it plays connect4, othello and go"))
}

/// The board of a position.
fn board_of<B: DeviceBoard, G: Game>(position: &Position<G>) -> Result<B> {
    B::from_position(&position.of_type().ok_or_else(|| no_board(position.game().name()))?)
}

impl<B: DeviceBoard + 'static> SplitPlayer<B> {
    fn new(limit: SplitLimit, device: Option<Device>, stop: Stop) -> Self {
        Self { limit, move_limit: None, device, stop, split: None }
    }

    fn search(&mut self, board: &B) -> Result<SplitReport> {
        let Self { limit, move_limit, stop, split, .. } = self;
        let limit = SplitLimit { time: limit.time.into_iter().chain(*move_limit).min(), ..*limit };
        match split {
            Some(split) => split.run_with(board, limit, |_| stop.flow()),
            None => sequential_with(board, limit, |_| stop.flow()),
        }
    }
}

impl<G: Game, B: DeviceBoard + 'static> Contestant<G> for SplitPlayer<B> {
    fn limit(&mut self, move_limit: Option<Duration>) {
        self.move_limit = move_limit;
    }

    fn begin(&mut self, position: &Position<G>) -> Result<()> {
        let board: B = board_of(position)?;
        if let (None, Some(device)) = (&self.split, &self.device) {
            self.split = Some(PvSplit::new(device, &board, self.limit.depth, None)?);
        }
        Ok(())
    }

    fn choose(&mut self, position: &Position<G>) -> Result<Choice> {
        if let Some(only) = only_move(position) {
            return Ok(Choice::new(only));
        }
        let report = self.search(&board_of(position)?)?;
        let best = report.best().ok_or_else(|| Error::invalid("alpha-beta has found no move"))?;
        let last = report.last();
        let name = |&mv: &u16| position.game().action_name(mv.into());
        let found = SplitMove {
            depth: last.depth,
            score: last.score,
            exact: last.exact,
            principal_variation: last.principal_variation.iter().map(name).collect(),
            nodes: report.nodes(),
            seconds: report.seconds(),
        };
        Ok(Choice { report: Some(MoveReport::Split(found.into())), ..Choice::new(best.into()) })
    }
}
