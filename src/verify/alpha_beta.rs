//! Alpha-beta: scores against those of the CPU engine.

use super::{
    desk::{Desk, Found, Stop, Weight},
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

/// As many workers as a small GPU keeps busy, which do all that the host could do.
const SIZES: SplitSizes = SplitSizes { workers: Some(64), host_nodes: Some(0), table: None };

/// Scores by alpha-beta, which are those of the whole tree.
pub(super) async fn check(desk: &mut Desk<'_>) -> Result<(), Stop> {
    let Some(device) = desk.need_device() else { return Ok(()) };
    let connect4 = Connect4Board::from_position(&midgame(&Connect4::default()));
    score(desk, device, "connect4", Weight::Light, &connect4, 7).await?;
    let othello = OthelloBoard::from_position(&midgame(&Othello));
    score(desk, device, "othello", Weight::Heavy, &othello, 4).await?;
    score(desk, device, "go 5x5", Weight::Heavy, &GoBoard::centre(5), 3).await
}

async fn score<B: DeviceBoard>(
    desk: &mut Desk<'_>,
    device: &Device,
    name: &str,
    weight: Weight,
    board: &Result<B>,
    depth: u32,
) -> Result<(), Stop> {
    desk.case(&format!("{name} to depth {depth}"), weight, async || {
        let board = board.clone()?;
        let expected = sequential(&board, SplitLimit::depth(depth))?;
        let mut split = PvSplit::sized(device, &board, depth, SIZES).await?;
        let found = split.run_async(&board, SplitLimit::depth(depth), |_| ControlFlow::Continue(())).await?;
        let mut all = Found::default();
        for (expected, found) in expected.per_depth.iter().zip(&found.per_depth) {
            let (wanted, score) = (expected.score, found.score);
            let first = || (1, format!("depth {}: score {score}, expected {wanted}", expected.depth));
            all.and(Found { things: 1, differing: (wanted != score).then(first) });
        }
        Ok(all)
    })
    .await
}
