//! Rollouts on one device.

use super::{
    RolloutConfig,
    layout::{RolloutParams, tally, totals},
    shaders::{MOST_LANES, fitted},
};
use crate::{
    device::{
        Device, Submission,
        kernels::{Bound, Kernels},
    },
    error::Result,
    exact::rng::Stream,
    forest::{fault::PLANNED_ITERATIONS, layout::split},
    reference::rollout::{Rules, Tally},
    rules::{Game, GameShader, packed},
};
use glam::UVec2;
use std::{collections::HashMap, ops::Range};
use wgpu::BufferUsages;

/// Workgroup memory of a multiprocessor (as drivers report it): for playouts in workgroup memory, it and a number of
/// multiprocessors beyond any device's give the lanes that run at a time.
const GROUP_MEMORY: u32 = 48 << 10;
const MULTIPROCESSORS: u32 = 256;
/// The least number of batches of a lane, so that lanes end together.
const BATCHES_A_LANE: u32 = 16;
/// The greatest batch: larger ones would not make claiming games any cheaper.
const MOST_BATCH: u32 = 16;
/// The greatest sum of a lane, in a word: of plies, and of scores of up to 2^15 half points.
const MOST_LANE_SUM: u32 = 1 << 30;
const MOST_SCORE: u32 = 1 << 15;

/// Plays games on a device.
#[derive(Debug)]
pub(super) struct Player {
    device: Device,
    kernel: Bound,
    params: wgpu::Buffer,
    root: wgpu::Buffer,
    next: wgpu::Buffer,
    totals: wgpu::Buffer,
    /// Games that a workgroup plays at a time, and the greatest number that a dispatch does.
    width: u32,
    most_players: u32,
    /// Games that a lane, or a workgroup that plays one game, may play in a dispatch.
    lane_games: u32,
    /// Lanes of a dispatch that run at a time on a large device.
    lanes_at_a_time: u32,
    owned_points: u32,
    /// The common parameters of a run's dispatches.
    run: RolloutParams,
    round: u32,
    software: bool,
}

impl Player {
    pub async fn new<G: Game>(device: &Device, game: &G, config: &RolloutConfig) -> Result<Self> {
        let device = &device.live().await?;
        let shader = GameShader::of(game);
        let software = device.info().is_software();
        let (kind, module) = fitted(game, &shader, config, device.limits(), software)?;
        let kernels = Kernels::compile(device, &module, &[kind.entry()]).await?;
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let params = device.buffer("rollout_params", size_of::<RolloutParams>() as u64, uniform).await?;
        let root = device.buffer("rollout_root", 4 * u64::from(game.state_words()), storage).await?;
        let next = device.buffer("rollout_next", 4, storage).await?;
        let owned_points = config.owned_points(game);
        let bytes = (totals(owned_points) * size_of::<UVec2>()) as u64;
        let totals = device.buffer("rollout_totals", bytes, storage | BufferUsages::COPY_SRC).await?;
        let mut buffers = HashMap::from([
            ("rollout_params", params.clone()),
            ("rollout_root", root.clone()),
            ("rollout_next", next.clone()),
            ("rollout_totals", totals.clone()),
        ]);
        if let Some(tables) = device.tables(&shader.tables).await? {
            buffers.insert("game_tables", tables);
        }
        let most_players = kind.most_players(software);
        if kind.words > 0 {
            let bytes = 4 * u64::from(kind.words) * u64::from(most_players);
            buffers.insert("sh_playout", device.buffer("sh_playout", bytes, BufferUsages::STORAGE).await?);
        }
        Ok(Self {
            kernel: kernels.bind(device, kind.entry(), &buffers)?,
            device: device.clone(),
            params,
            root,
            next,
            totals,
            lanes_at_a_time: (MULTIPROCESSORS * GROUP_MEMORY)
                .checked_div(if shader.stores_playouts { 0 } else { 4 * shader.playout_words })
                .map_or(most_players, |lanes| lanes.clamp(1, MOST_LANES)),
            owned_points,
            width: kind.players(),
            most_players,
            lane_games: lane_games(
                game.max_plies(),
                config.max_moves,
                software.then_some([kind.ply_iterations, owned_points]),
            ),
            run: RolloutParams::default(),
            round: config.round.unwrap_or(game.rollout_round()).min(game.max_plies()),
            software,
        })
    }

    /// Sets the position of the games, and clears the sums.
    pub fn begin<G: Game>(&mut self, rules: &Rules<G>) -> Result<()> {
        let words = packed(&rules.game, &rules.state);
        let queue = self.device.queue();
        queue.write_buffer(&self.root, 0, bytemuck::cast_slice(&words));
        queue.write_buffer(
            &self.totals,
            0,
            bytemuck::cast_slice(&vec![UVec2::ZERO; totals(self.owned_points)]),
        );
        // The device adds rounds and limits to plies: no sum may exceed a word.
        self.run = RolloutParams {
            stream_zero: split(Stream::seeded(rules.seed).s0),
            max_moves: rules.max_moves.min(i32::MAX as u32),
            round: self.round.min(i32::MAX as u32),
            turn: rules.turn as u32,
            ..RolloutParams::default()
        };
        self.device.check()
    }

    /// The greatest number of games of one submission.
    pub fn most_games(&self) -> u64 {
        u64::from(self.most_players) * u64::from(self.lane_games)
    }

    /// Submits the games with these numbers.
    pub fn submit(&mut self, games: Range<u64>) -> Result<Submission> {
        let count = (games.end - games.start) as u32;
        let lanes = self.lanes(count);
        let batch = (count / lanes.min(self.lanes_at_a_time) / BATCHES_A_LANE).clamp(1, MOST_BATCH);
        let params = RolloutParams {
            first_game: split(games.start),
            games: count,
            batch,
            lane_batches: self.lane_games.div_ceil(batch),
            ..self.run
        };
        self.device.queue().write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
        let mut encoder = self.device.encoder();
        self.device.clear(&self.next, &mut encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        self.kernel.dispatch(&mut pass, [lanes / self.width, 1, 1]);
        drop(pass);
        let submission = self.device.submit(encoder);
        self.device.check()?;
        Ok(submission)
    }

    pub async fn wait(&self, submission: Submission) -> Result<()> {
        self.device.wait(submission).await
    }

    /// The sums of the games since [`begin`](Self::begin).
    pub async fn tally(&self) -> Result<Tally> {
        let totals = self.device.read::<UVec2>(&self.totals, totals(self.owned_points)).await?;
        self.device.check_guards().await?;
        Ok(tally(&totals))
    }

    /// Lanes in whole workgroups: a lane a game on hardware, on software adapters as many as run at a time.
    fn lanes(&self, games: u32) -> u32 {
        let fewest = games.div_ceil(self.lane_games);
        let lanes = if self.software { fewest } else { fewest.max(games.min(self.most_players)) };
        lanes.next_multiple_of(self.width)
    }
}

/// Games that a lane may play in one dispatch. `iterations`: the loop iterations of a ply and of the end of a game, on
/// adapters that limit them.
fn lane_games(max_plies: u32, max_moves: Option<u32>, iterations: Option<[u32; 2]>) -> u32 {
    let longest = max_plies.min(max_moves.unwrap_or(max_plies));
    let most = MOST_LANE_SUM / longest.max(MOST_SCORE);
    iterations.map_or(most, |[of_ply, of_end]| {
        (PLANNED_ITERATIONS / of_ply.saturating_mul(longest).saturating_add(of_end)).clamp(1, most)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_ends_within_the_iterations_of_software_adapters() {
        assert_eq!(lane_games(42, None, Some([32, 0])), 36);
        assert_eq!(lane_games(17, None, Some([300, 0])), 9, "a reserve of a quarter");
        assert_eq!(lane_games(1083, None, Some([32, 0])), 1);
        assert_eq!(lane_games(1 << 20, None, Some([32, 0])), 1);
        assert_eq!(lane_games(1 << 20, Some(20), Some([32, 0])), 76);
        assert_eq!(lane_games(1 << 20, Some(1), Some([32, 361])), 125);
        assert_eq!(lane_games(42, None, None), 1 << 15);
        assert_eq!(lane_games(u32::MAX, Some(1 << 21), None), 1 << 9);
    }
}
