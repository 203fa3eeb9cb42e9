//! Rollouts on one device.

use super::{
    Mapping, RolloutConfig, is_scored,
    layout::{RolloutParams, SUMS, TOTALS, tally},
};
use crate::{
    error::Result,
    game::{Game, GameShader, PlayoutMemory},
    gpu::{
        Device, SOFTWARE_TURNS,
        compose::{Composed, Source, compose},
        kernels::{Bound, Kernels},
        shaders::begun_bytes,
        trusted::Trust,
    },
    layout::split,
    reference::rollout::{Rules, Tally},
    rng::Stream,
};
use glam::UVec2;
use std::{collections::HashMap, ops::Range};
use wgpu::BufferUsages;

/// Lanes of a workgroup, where the game needs no workgroup memory or there is enough of it.
const GROUP_LANES: u32 = 128;
/// Where they go in step: with more of them, more wait for the slowest.
const IN_STEP_LANES: u32 = 64;
/// On software adapters, where a workgroup runs on one core: a few vectors, so that all cores have work.
const SOFTWARE_GROUP_LANES: u32 = 16;
/// Lanes of a dispatch, or workgroups where one plays a game: more than any device has at a time. Those that start last
/// find no game left.
const MOST_LANES: u32 = 1 << 19;
/// Where playouts live in workgroup memory, that of a multiprocessor (what drivers give) and more multiprocessors than
/// any device has tell how many lanes there are at a time.
const GROUP_MEMORY: u32 = 48 << 10;
const MULTIPROCESSORS: u32 = 256;
const MOST_GROUPS: u32 = 1 << 14;
/// Where playouts are in storage: the words of all of them (WebGPU's smallest limit for a binding), and lanes on software
/// adapters, which have few at a time.
const MOST_STORED_WORDS: u32 = 1 << 25;
const MOST_SOFTWARE_LANES: u32 = 1 << 12;
/// Games that a lane plays at a time are at most a fraction of all it plays, so that lanes end together.
const BATCHES_A_LANE: u32 = 16;
/// More at a time would not make taking them any cheaper.
const MOST_BATCH: u32 = 16;
/// A lane's sums are words: of plies, and of scores of up to 2^15 half points.
const MOST_LANE_SUM: u32 = 1 << 30;
const MOST_SCORE: u32 = 1 << 15;
/// Where `game_tables` is bound.
const TABLES_BINDING: u32 = 5;
/// Where `sh_playout` is bound, if it is in storage.
const MEMORY_BINDING: u32 = 6;

/// Plays games on a device.
#[derive(Debug)]
pub(super) struct Player {
    device: Device,
    kernel: Bound,
    params: wgpu::Buffer,
    root: wgpu::Buffer,
    next: wgpu::Buffer,
    totals: wgpu::Buffer,
    /// Games that a workgroup plays at a time, and those that a dispatch does at the most.
    width: u32,
    most_players: u32,
    /// Games that a lane, or a workgroup that plays one at a time, may play in a dispatch.
    lane_games: u32,
    /// Lanes of a dispatch that a large device has at a time.
    lanes_at_a_time: u32,
    /// What all dispatches of a run share.
    run: RolloutParams,
    round: u32,
    software: bool,
}

impl Player {
    pub fn new<G: Game>(device: &Device, game: &G, config: &RolloutConfig) -> Result<Self> {
        let shader = game.shader();
        let software = device.info().r#type == "software";
        let kind = Kind::of(config.mapping, &shader, device.limits(), software);
        let module = module(game, &shader, kind)?;
        let kernels = Kernels::compile(device, &module, &[kind.entry()], Trust::of::<G>())?;
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let params = device.buffer("rollout_params", size_of::<RolloutParams>() as u64, uniform)?;
        let root = device.buffer("rollout_root", 4 * u64::from(game.state_words()), storage)?;
        let next = device.buffer("rollout_next", 4, storage)?;
        let bytes = (TOTALS * size_of::<UVec2>()) as u64;
        let totals = device.buffer("rollout_totals", bytes, storage | BufferUsages::COPY_SRC)?;
        let mut buffers = HashMap::from([
            ("rollout_params", params.clone()),
            ("rollout_root", root.clone()),
            ("rollout_next", next.clone()),
            ("rollout_totals", totals.clone()),
        ]);
        if let Some(tables) = device.tables(&shader.tables)? {
            buffers.insert("game_tables", tables);
        }
        let most_players = kind.most_players(software);
        if let Kind::Thread { words: words @ 1.., .. } = kind {
            let bytes = 4 * u64::from(words) * u64::from(most_players);
            buffers.insert("sh_playout", device.buffer("sh_playout", bytes, BufferUsages::STORAGE)?);
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
            width: kind.players(),
            most_players,
            lane_games: lane_games(game.max_plies(), config.max_moves, software.then_some(kind.ply_turns())),
            run: RolloutParams::default(),
            round: config.round.unwrap_or(game.rollout_round()).min(game.max_plies()),
            software,
        })
    }

    /// Takes over a position, with no game played.
    pub fn begin<G: Game>(&mut self, rules: &Rules<G>) -> Result<()> {
        let mut words = vec![0; rules.game.state_words() as usize];
        rules.game.pack(&rules.state, &mut words);
        let queue = self.device.queue();
        queue.write_buffer(&self.root, 0, bytemuck::cast_slice(&words));
        queue.write_buffer(&self.totals, 0, bytemuck::bytes_of(&[UVec2::ZERO; TOTALS]));
        // Rounds and limits are added to plies on the device: neither may make a word wrap.
        self.run = RolloutParams {
            stream_zero: split(Stream::seeded(rules.seed).s0),
            max_moves: rules.max_moves.min(i32::MAX as u32),
            round: self.round.min(i32::MAX as u32),
            turn: rules.turn as u32,
            ..RolloutParams::default()
        };
        self.device.check()
    }

    /// Games that one submission can hold.
    pub fn most_games(&self) -> u64 {
        u64::from(self.most_players) * u64::from(self.lane_games)
    }

    /// Hands the games of these numbers over.
    pub fn submit(&mut self, games: Range<u64>) -> Result<wgpu::SubmissionIndex> {
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
        encoder.clear_buffer(&self.next, 0, None);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.kernel.pipeline);
        pass.set_bind_group(0, &self.kernel.group, &[]);
        pass.dispatch_workgroups(lanes / self.width, 1, 1);
        drop(pass);
        let submission = self.device.submit(encoder);
        self.device.check()?;
        Ok(submission)
    }

    pub fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        self.device.wait(submission)
    }

    /// The games played since the run began.
    pub fn tally(&self) -> Result<Tally> {
        Ok(tally(&self.device.read::<UVec2>(&self.totals, TOTALS)?))
    }

    /// Whole workgroups: lanes for all games on hardware, on software adapters no more than can play them.
    fn lanes(&self, games: u32) -> u32 {
        let fewest = games.div_ceil(self.lane_games);
        let lanes = if self.software { fewest } else { fewest.max(games.min(self.most_players)) };
        lanes.next_multiple_of(self.width)
    }
}

/// Which kernel plays.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// With this many words of storage a lane.
    Thread {
        lanes: u32,
        words: u32,
        ply_turns: u32,
    },
    Group {
        lanes: u32,
        ply_turns: u32,
    },
}

impl Kind {
    fn of(mapping: Mapping, shader: &GameShader, limits: &wgpu::Limits, software: bool) -> Self {
        match (mapping, &shader.group) {
            (Mapping::Group, Some(group)) => Self::Group { lanes: group.lanes, ply_turns: group.ply_turns },
            _ => {
                let ply_turns = shader.ply_turns;
                let lanes = group_width(shader, limits, software);
                let words = if shader.stores_playouts { shader.playout_words } else { 0 };
                Self::Thread { lanes, words, ply_turns }
            }
        }
    }

    fn entry(self) -> &'static str {
        match self {
            Self::Thread { .. } => "rollout",
            Self::Group { .. } => "rollout_group",
        }
    }

    /// Games that a workgroup plays at a time.
    fn players(self) -> u32 {
        match self {
            Self::Thread { lanes, .. } => lanes,
            Self::Group { .. } => 1,
        }
    }

    /// Games that a dispatch plays at a time, at the most.
    fn most_players(self, software: bool) -> u32 {
        match self {
            Self::Thread { words: 0, .. } => MOST_LANES,
            Self::Thread { lanes, words, .. } => {
                let most = if software { MOST_SOFTWARE_LANES } else { MOST_LANES };
                most.min(MOST_STORED_WORDS / (words * lanes) * lanes)
            }
            Self::Group { .. } => MOST_GROUPS,
        }
    }

    fn memory(self) -> PlayoutMemory {
        match self {
            Self::Thread { words: 1.., .. } => PlayoutMemory::Storage { binding: MEMORY_BINDING },
            Self::Thread { lanes, .. } | Self::Group { lanes, .. } => PlayoutMemory::Workgroup { lanes },
        }
    }

    fn ply_turns(self) -> u32 {
        match self {
            Self::Thread { ply_turns, .. } | Self::Group { ply_turns, .. } => ply_turns,
        }
    }
}

fn group_width(shader: &GameShader, limits: &wgpu::Limits, software: bool) -> u32 {
    // Narrow where playouts live in workgroup memory: more lanes find room on a multiprocessor.
    let most = match shader {
        GameShader { in_step: true, .. } => IN_STEP_LANES,
        GameShader { playout_words: 1.., .. } => 32,
        _ => GROUP_LANES,
    };
    let widest = if software { SOFTWARE_GROUP_LANES } else { most };
    let others = 8 * SUMS as u32 + begun_bytes(shader);
    let room = limits.max_compute_workgroup_storage_size.saturating_sub(others);
    let mut width = widest.min(limits.max_compute_invocations_per_workgroup);
    while width > 1 && !shader.stores_playouts && 4 * width * shader.playout_words > room {
        width /= 2;
    }
    width
}

/// Games that a lane may play in one dispatch; where turns of loops are limited, a ply takes so many.
fn lane_games(max_plies: u32, max_moves: Option<u32>, ply_turns: Option<u32>) -> u32 {
    let longest = max_plies.min(max_moves.unwrap_or(max_plies));
    let most = MOST_LANE_SUM / longest.max(MOST_SCORE);
    ply_turns.map_or(most, |turns| (SOFTWARE_TURNS / turns / longest).clamp(1, most))
}

macro_rules! shader {
    ($name:literal) => {
        Source::new($name, include_str!(concat!("../../", $name)))
    };
}

/// Composes the module of a mapping, which the game has, for adapters of these limits.
///
/// # Errors
/// Shader, naming the author's file and line.
pub(crate) fn module_of<G: Game>(
    game: &G,
    mapping: Mapping,
    limits: &wgpu::Limits,
    software: bool,
) -> Result<Composed> {
    let shader = game.shader();
    module(game, &shader, Kind::of(mapping, &shader, limits, software))
}

/// Composes the rollouts' module: none of a search's sources but what they share.
fn module<G: Game>(game: &G, shader: &GameShader, kind: Kind) -> Result<Composed> {
    let mut sources = vec![
        Source::new("(generated constants)", constants(game, shader, kind)),
        shader!("shaders/common/game.wgsl"),
    ];
    sources.extend(match (kind, &shader.group) {
        (Kind::Group { .. }, Some(group)) => shader.sources_with(&group.parts),
        _ => shader.sources(),
    });
    sources.extend([
        shader!("shaders/common/u64.wgsl"),
        shader!("shaders/common/rng.wgsl"),
        shader!("shaders/common/draw.wgsl"),
        shader!("shaders/common/faults.wgsl"),
        shader!("shaders/common/rollout.wgsl"),
    ]);
    match kind {
        Kind::Group { .. } => sources.push(shader!("shaders/rollout_group.wgsl")),
        Kind::Thread { .. } => {
            let scored = is_scored(game);
            let in_runs = shader.playout_run.is_some() && !scored;
            sources.push(shader!("shaders/rollout.wgsl"));
            sources.push(if shader.in_step && !in_runs {
                shader!("shaders/rollout_in_step.wgsl")
            } else {
                shader!("shaders/rollout_apart.wgsl")
            });
            sources.push(if scored {
                shader!("shaders/rollout_scored.wgsl")
            } else {
                shader!("shaders/rollout_unscored.wgsl")
            });
            if shader.stores_playouts || shader.playout_run.is_some() {
                sources.push(shader!("shaders/common/begun.wgsl"));
                sources.push(shader!("shaders/rollout_begin_copied.wgsl"));
            } else {
                sources.push(shader!("shaders/rollout_begin_anew.wgsl"));
            }
            if in_runs {
                sources.push(shader!("shaders/rollout_in_runs.wgsl"));
            } else if !shader.in_step {
                sources.push(shader!("shaders/rollout_by_ply.wgsl"));
            }
        }
    }
    compose(&sources)
}

fn constants<G: Game>(game: &G, shader: &GameShader, kind: Kind) -> String {
    let (width_name, width) = match kind {
        Kind::Thread { lanes, .. } => ("PLAYOUT_LANES", lanes),
        Kind::Group { lanes, .. } => ("GROUP_LANES", lanes),
    };
    let ours = [
        ("MAX_ACTIONS", game.max_actions()),
        ("STATE_WORDS", game.state_words()),
        ("MAX_PLIES", game.max_plies()),
        (width_name, width),
    ];
    let mut text: String =
        ours.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect();
    if let Kind::Thread { words, .. } = kind {
        text += &format!("const STORED_WORDS: u32 = {words}u;\n");
        text += &format!("const PLAYOUT_WORDS: u32 = {}u;\n", shader.playout_words);
    }
    text += &shader.declarations(kind.memory(), TABLES_BINDING);
    // rng.wgsl names them; no game advances a stream.
    text += "@group(0) @binding(4) var<storage, read> jumps: array<vec4<u32>>;\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        game::Policy,
        games::{Go, Othello},
    };
    use std::mem::offset_of;

    #[test]
    fn the_shader_has_the_same_layout() {
        let composed =
            module(&Othello, &Othello.shader(), Kind::Thread { lanes: 64, words: 0, ply_turns: 32 })
                .expect("the module is valid");
        let params = composed.module.types.iter().find(|(_, t)| t.name.as_deref() == Some("RolloutParams"));
        let Some((_, naga::Type { inner: naga::TypeInner::Struct { members, span }, .. })) = params else {
            panic!("the shader has a struct RolloutParams");
        };
        let found: Vec<_> =
            members.iter().map(|m| (m.name.as_deref().unwrap_or(""), m.offset as usize)).collect();
        macro_rules! fields {
            ($($name:ident),*) => { vec![$((stringify!($name), offset_of!(RolloutParams, $name))),*] };
        }
        let ours =
            fields!(first_game, stream_zero, games, batch, lane_batches, max_moves, round, turn, padding);
        assert_eq!((found, *span as usize), (ours, size_of::<RolloutParams>()));
        assert_eq!(composed.workgroup("rollout"), (64, 8 * SUMS as u32));
    }

    /// Go's modules: every policy and mapping, as adapters of the smallest limits get them.
    fn modules_of_go() -> Vec<(Kind, Composed)> {
        let floor = wgpu::Limits::defaults();
        let mut modules = Vec::new();
        for (size, policy) in [(9, Policy::Random), (9, Policy::Pattern3x3), (19, Policy::M2)] {
            let game = Go::new(size, 7.5).and_then(|go| go.with_policy(policy)).expect("a board");
            for mapping in [Mapping::Thread, Mapping::Group] {
                let shader = game.shader();
                let kind = Kind::of(mapping, &shader, &floor, false);
                modules.push((kind, module(&game, &shader, kind).expect("the module is valid")));
            }
        }
        modules
    }

    #[test]
    fn modules_stay_within_the_smallest_limits() {
        let floor = wgpu::Limits::defaults();
        for (kind, composed) in modules_of_go() {
            let (lanes, bytes) = composed.workgroup(kind.entry());
            assert!(lanes <= floor.max_compute_invocations_per_workgroup, "{kind:?}");
            assert!(bytes <= floor.max_compute_workgroup_storage_size, "{kind:?}: {bytes} bytes");
            let buffers = composed.bindings(kind.entry()).len() as u32;
            assert!(buffers <= floor.max_storage_buffers_per_shader_stage + 1, "{kind:?}: {buffers} buffers");
        }
    }

    #[test]
    fn modules_translate_to_every_backend() {
        use naga::back::{glsl, hlsl, msl, spv};
        let version = glsl::Version::Embedded { version: 310, is_webgl: false };
        for (kind, Composed { module, info, .. }) in modules_of_go() {
            spv::write_vec(&module, &info, &spv::Options::default(), None).expect("SPIR-V");
            let options = msl::Options { lang_version: (2, 1), ..Default::default() };
            msl::write_string(&module, &info, &options, &Default::default()).expect("MSL");
            let (mut text, options, pipeline) = (String::new(), hlsl::Options::default(), Default::default());
            hlsl::Writer::new(&mut text, &options, &pipeline).write(&module, &info, None).expect("HLSL");
            let pipeline = glsl::PipelineOptions {
                shader_stage: naga::ShaderStage::Compute,
                entry_point: kind.entry().into(),
                multiview: None,
            };
            let options = glsl::Options { version, ..Default::default() };
            let policies = naga::proc::BoundsCheckPolicies::default();
            let mut text = String::new();
            glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies)
                .and_then(|mut writer| writer.write())
                .unwrap_or_else(|error| panic!("{kind:?}: {error}"));
        }
    }

    #[test]
    fn a_lane_ends_within_the_turns_of_software_adapters() {
        assert_eq!(lane_games(42, None, Some(32)), 48);
        assert_eq!(lane_games(1083, None, Some(32)), 1);
        assert_eq!(lane_games(1 << 20, None, Some(32)), 1);
        assert_eq!(lane_games(1 << 20, Some(20), Some(32)), 102);
        assert_eq!(lane_games(42, None, None), 1 << 15);
        assert_eq!(lane_games(u32::MAX, Some(1 << 21), None), 1 << 9);
    }
}
