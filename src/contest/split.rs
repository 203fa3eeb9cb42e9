//! A player by alpha-beta.

use super::{Choice, Contestant, Stop, ending::only_move, reports::SplitMove};
use crate::{
    engine::{Device, Engine},
    error::{Error, Result},
    pvsplit::{
        Connect4Board, DeviceBoard, GoBoard, OthelloBoard, PvSplit, SplitLimit, SplitReport, sequential_with,
    },
    rules::{Game, Position},
};
use std::{any::Any, time::Duration};

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
    if engine.has_several_devices() {
        return Err(Error::invalid("alpha-beta runs on one adapter: name only one"));
    }
    let device = engine.first_device();
    /// The player of a board, if that is one of the game.
    fn of<B: DeviceBoard + 'static, G: Game>(
        limit: SplitLimit,
        device: Option<&Device>,
        stop: &Stop,
    ) -> Option<Box<dyn Contestant<G>>> {
        let (device, stop) = (device.cloned(), stop.clone());
        let player = SplitPlayer::<B> { limit, move_limit: None, device, stop, split: None };
        let player: Box<dyn Contestant<B::Game>> = Box::new(player);
        let player: Box<dyn Any> = Box::new(player);
        player.downcast::<Box<dyn Contestant<G>>>().ok().map(|player| *player)
    }
    let connect4 = of::<Connect4Board, G>(limit, device, &stop);
    let othello = || of::<OthelloBoard, G>(limit, device, &stop);
    let player = connect4.or_else(othello).or_else(|| of::<GoBoard, G>(limit, device, &stop));
    player.ok_or_else(|| {
        Error::invalid(format!("alpha-beta does not play {}: it plays connect4, othello and go", game.name()))
    })
}

impl<B: DeviceBoard + 'static> SplitPlayer<B> {
    fn search(&mut self, board: &B) -> Result<SplitReport> {
        let Self { limit, move_limit, stop, split, .. } = self;
        let limit = SplitLimit { time: limit.time.into_iter().chain(*move_limit).min(), ..*limit };
        match split {
            Some(split) => split.run_with(board, limit, |_| stop.flow()),
            None => sequential_with(board, limit, |_| stop.flow()),
        }
    }
}

impl<B: DeviceBoard + 'static> Contestant<B::Game> for SplitPlayer<B> {
    fn limit(&mut self, move_limit: Option<Duration>) {
        self.move_limit = move_limit;
    }

    fn begin(&mut self, position: &Position<B::Game>) -> Result<()> {
        let board = B::from_position(position)?;
        if let (None, Some(device)) = (&self.split, &self.device) {
            self.split = Some(PvSplit::new(device, &board, self.limit.depth, None)?);
        }
        Ok(())
    }

    fn choose(&mut self, position: &Position<B::Game>) -> Result<Choice> {
        if let Some(only) = only_move(position) {
            return Ok(Choice::new(only, 0.0));
        }
        let report = self.search(&B::from_position(position)?)?;
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
        let seconds = found.seconds;
        Ok(Choice { report: Some(found.into()), ..Choice::new(best.into(), seconds) })
    }
}
