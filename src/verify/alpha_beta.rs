//! Alpha-beta: scores against those of the CPU engine.

use super::{
    checker::{Checker, Compared, Stop, Weight},
    kernels::midgame,
};
use crate::{
    device::Device,
    error::Result,
    games::{Connect4, Othello},
    pvsplit::{
        Board, Connect4Board, DeviceBoard, GoBoard, OthelloBoard, PvSplit, SplitLimit, SplitSizes, sequential,
    },
};
use std::ops::ControlFlow;

/// As many workers as a small GPU keeps busy, with no nodes left for the host.
const SIZES: SplitSizes = SplitSizes { workers: Some(64), host_nodes: Some(0), table: None };

/// Alpha-beta scores, which equal those of the whole tree.
pub(super) async fn check(checker: &mut Checker<'_>, device: &Device) -> Result<(), Stop> {
    let connect4 = Connect4Board::from_position(&midgame(&Connect4::default()));
    score(checker, device, "connect4", Weight::Light, &connect4, 7).await?;
    let othello = OthelloBoard::from_position(&midgame(&Othello));
    score(checker, device, "othello", Weight::Heavy, &othello, 4).await?;
    score(checker, device, "go 5x5", Weight::Heavy, &GoBoard::centre(5), 3).await
}

async fn score<B: DeviceBoard>(
    checker: &mut Checker<'_>,
    device: &Device,
    name: &str,
    weight: Weight,
    board: &Result<B>,
    depth: u32,
) -> Result<(), Stop> {
    checker
        .run_case(&format!("{name} to depth {depth}"), weight, async || {
            let board = board.clone()?;
            let expected = sequential(&board, SplitLimit::depth(depth))?;
            let mut split = PvSplit::sized(device, &board, depth, SIZES).await?;
            let found =
                split.run_async(&board, SplitLimit::depth(depth), |_| ControlFlow::Continue(())).await?;
            let mut all = Compared::default();
            for (expected, found) in expected.per_depth.iter().zip(&found.per_depth) {
                let (wanted, score) = (expected.score, found.score);
                all.and(Compared::of(1, (wanted != score).then_some(expected.depth), |depth| {
                    format!("depth {depth}: score {score}, expected {wanted}")
                }));
            }
            Ok(all)
        })
        .await
}
