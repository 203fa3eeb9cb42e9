//! The modules of rollouts: their files, their kernels, and the widths of their workgroups.

use super::{Mapping, RolloutConfig};
use crate::{
    device::{
        compose::{Composed, Source, compose, constants, files, flags, halved_until_it_fits},
        rules::PlayoutMemory,
    },
    error::Result,
    rules::{Game, GameShader, is_scored},
};

/// The greatest number of lanes of a workgroup, without workgroup memory of the game.
const WIDEST: u32 = 128;
/// The same in lockstep: with more lanes, more wait for the slowest.
const WIDEST_IN_STEP: u32 = 64;
/// The same with playouts in workgroup memory: narrow workgroups leave room for more lanes on a multiprocessor.
const WIDEST_IN_MEMORY: u32 = 32;
/// The same on software adapters, where a workgroup runs on one core: a few vectors, so that all cores have work.
const WIDEST_ON_SOFTWARE: u32 = 16;
/// Lanes of a dispatch, or workgroups where one plays a game: more than any device runs at a time. The last ones to
/// start find no game left.
pub(super) const MOST_LANES: u32 = 1 << 19;
const MOST_GROUPS: u32 = 1 << 14;
/// Playouts in storage: the words of all of them (WebGPU's smallest limit for a binding), and the lanes on software
/// adapters, which run few at a time.
const MOST_STORED_WORDS: u32 = 1 << 25;
const MOST_SOFTWARE_LANES: u32 = 1 << 12;
/// The binding of `game_tables`.
const TABLES_BINDING: u32 = 5;
/// The binding of `sh_playout` in storage.
const MEMORY_BINDING: u32 = 6;

/// A kernel of rollouts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    mapping: Mapping,
    /// Lanes of a workgroup.
    lanes: u32,
    /// Words of storage of a lane for its playouts.
    pub words: u32,
    pub ply_iterations: u32,
    /// Points whose owners are counted.
    owned_points: u32,
}

impl Kind {
    /// The kernel of a mapping, if the game has it, with the widest workgroups.
    fn of(mapping: Mapping, shader: &GameShader, owned_points: u32, software: bool) -> Self {
        if let (Mapping::Group, Some(group)) = (mapping, &shader.group) {
            return Self {
                mapping,
                lanes: group.lanes,
                words: 0,
                ply_iterations: group.ply_iterations,
                owned_points,
            };
        }
        let lanes = match shader {
            _ if software => WIDEST_ON_SOFTWARE,
            GameShader { in_step: true, .. } => WIDEST_IN_STEP,
            GameShader { playout_words: 1.., .. } => WIDEST_IN_MEMORY,
            _ => WIDEST,
        };
        let words = if shader.stores_playouts { shader.playout_words } else { 0 };
        Self { mapping: Mapping::Thread, lanes, words, ply_iterations: shader.ply_iterations, owned_points }
    }

    pub fn entry(self) -> &'static str {
        match self.mapping {
            Mapping::Thread => "rollout",
            Mapping::Group => "rollout_group",
        }
    }

    /// Games that a workgroup plays at a time.
    pub fn players(self) -> u32 {
        match self.mapping {
            Mapping::Thread => self.lanes,
            Mapping::Group => 1,
        }
    }

    /// The greatest number of games that a dispatch plays at a time.
    pub fn most_players(self, software: bool) -> u32 {
        match self {
            Self { mapping: Mapping::Group, .. } => MOST_GROUPS,
            Self { words: 0, .. } => MOST_LANES,
            Self { lanes, words, .. } => {
                let most = if software { MOST_SOFTWARE_LANES } else { MOST_LANES };
                most.min(MOST_STORED_WORDS / (words * lanes) * lanes)
            }
        }
    }
}

/// Composes the module of a config, which the game has, for adapters of these limits.
///
/// # Errors
/// Shader, naming the author's file and line.
pub(crate) fn module_of<G: Game>(
    game: &G,
    config: &RolloutConfig,
    limits: &wgpu::Limits,
    software: bool,
) -> Result<Composed> {
    Ok(fitted(game, &game.shader(), config, limits, software)?.1)
}

/// The kernel of a config, as wide as fits adapters of these limits, and its module.
pub(super) fn fitted<G: Game>(
    game: &G,
    shader: &GameShader,
    config: &RolloutConfig,
    limits: &wgpu::Limits,
    software: bool,
) -> Result<(Kind, Composed)> {
    let kind = Kind::of(config.mapping, shader, config.owned_points(game), software);
    if kind.mapping == Mapping::Group {
        return Ok((kind, compose(&sources(game, shader, kind))?));
    }
    let words = if shader.stores_playouts { 0 } else { shader.playout_words };
    let module = |lanes| compose(&sources(game, shader, Kind { lanes, ..kind }));
    let (lanes, module) = halved_until_it_fits(kind.lanes, words, kind.entry(), limits, module)?;
    Ok((Kind { lanes, ..kind }, module))
}

/// The sources of a module, in the order of composition: those of a search are not among them, except for the common
/// library.
fn sources<G: Game>(game: &G, shader: &GameShader, kind: Kind) -> Vec<Source> {
    let generated = Source::of(shader, "(generated constants)", declarations(game, shader, kind));
    let lib = files!["lib/game.wgsl", "lib/faults.wgsl", "lib/u64.wgsl", "lib/rng.wgsl", "lib/draw.wgsl"];
    let shared = files!["rollout/shared.wgsl"];
    match (kind.mapping, &shader.group) {
        (Mapping::Group, Some(group)) => {
            let rules = shader.sources_with(&group.parts);
            [vec![generated], lib, rules, shared, files!["rollout/group.wgsl"]].concat()
        }
        _ => [vec![generated], lib, shader.sources(), shared, thread(game, shader, kind)].concat(),
    }
}

/// The kernel whose lanes play a game each, and the files for the game.
fn thread<G: Game>(game: &G, shader: &GameShader, kind: Kind) -> Vec<Source> {
    let copied = shader.stores_playouts || shader.playout_run.is_some();
    [
        files!["rollout/thread.wgsl", "rollout/apart.wgsl", "rollout/in_step.wgsl"],
        match is_scored(game) {
            true => files!["rollout/slots/scored.wgsl"],
            false => files!["rollout/slots/unscored.wgsl"],
        },
        match copied {
            true => files!["slots/begun.wgsl", "rollout/slots/begin_copied.wgsl"],
            false => files!["rollout/slots/begin_anew.wgsl"],
        },
        match plays_in_runs(game, shader) {
            true => files!["rollout/slots/in_runs.wgsl"],
            false => files!["rollout/slots/by_ply.wgsl"],
        },
        match kind.owned_points {
            0 => files!["rollout/slots/no_ownership.wgsl"],
            _ => files!["rollout/slots/ownership.wgsl"],
        },
    ]
    .concat()
}

/// Whether a call plays many plies.
fn plays_in_runs<G: Game>(game: &G, shader: &GameShader) -> bool {
    shader.playout_run.is_some() && !is_scored(game)
}

fn declarations<G: Game>(game: &G, shader: &GameShader, kind: Kind) -> String {
    let numbers = constants([
        ("MAX_ACTIONS", game.max_actions()),
        ("STATE_WORDS", game.state_words()),
        ("MAX_PLIES", game.max_plies()),
        (if kind.mapping == Mapping::Group { "GROUP_LANES" } else { "PLAYOUT_LANES" }, kind.lanes),
        ("PLAYOUT_WORDS", shader.playout_words),
        ("STORED_WORDS", kind.words),
        ("OWNED_POINTS", kind.owned_points),
    ]);
    let flags = flags([("IN_STEP", shader.in_step && !plays_in_runs(game, shader))]);
    let memory = match kind.words {
        0 => PlayoutMemory::Workgroup { lanes: kind.lanes },
        _ => PlayoutMemory::Storage { binding: MEMORY_BINDING },
    };
    numbers + &flags + &shader.declarations(memory, TABLES_BINDING, false)
}

#[cfg(test)]
mod tests {
    use super::{
        super::layout::{COUNTS, RolloutParams},
        *,
    };
    use crate::games::{Go, Othello};
    use std::mem::offset_of;

    #[test]
    fn the_shader_has_the_same_layout() {
        let defaults = wgpu::Limits::defaults();
        let composed =
            module_of(&Othello, &RolloutConfig::default(), &defaults, false).expect("the module is valid");
        let params = composed.module().types.iter().find(|(_, t)| t.name.as_deref() == Some("RolloutParams"));
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
        // The sums, and the word and the bool of the lockstep.
        assert_eq!(composed.workgroup("rollout"), (WIDEST, 8 * COUNTS as u32 + 4 + 1));
    }

    /// Go's modules for every policy and mapping, for adapters of the smallest limits.
    fn modules_of_go() -> Vec<(Kind, Composed)> {
        let defaults = wgpu::Limits::defaults();
        let mut modules = Vec::new();
        let plain = RolloutConfig::default();
        let owners = RolloutConfig { owners: true, ..plain.clone() };
        let group = RolloutConfig { mapping: Mapping::Group, ..plain.clone() };
        let configs = [plain, owners, group];
        let policies = [(9, "random"), (9, "pattern3x3"), (19, "m2"), (19, "tactical")];
        for (size, policy) in policies {
            let game = Go::new(size, 7.5).and_then(|go| go.with_policy(policy)).expect("a board");
            let is_grouped = game.shader().group.is_some();
            for config in configs.iter().take(if is_grouped { 3 } else { 2 }) {
                let fitted = fitted(&game, &game.shader(), config, &defaults, false);
                modules.push(fitted.expect("the module is valid"));
            }
        }
        modules
    }

    #[test]
    fn modules_stay_within_the_smallest_limits() {
        let defaults = wgpu::Limits::defaults();
        for (kind, composed) in modules_of_go() {
            let (lanes, bytes) = composed.workgroup(kind.entry());
            assert!(lanes <= defaults.max_compute_invocations_per_workgroup, "{kind:?}");
            assert!(bytes <= defaults.max_compute_workgroup_storage_size, "{kind:?}: {bytes} bytes");
            let buffers = composed.bindings(kind.entry()).len() as u32;
            assert!(
                buffers <= defaults.max_storage_buffers_per_shader_stage + 1,
                "{kind:?}: {buffers} buffers"
            );
        }
    }

    #[test]
    fn modules_translate_to_every_backend() {
        use naga::back::{glsl, hlsl, msl, spv};
        let version = glsl::Version::Embedded { version: 310, is_webgl: false };
        for (kind, composed) in modules_of_go() {
            let (module, info) = (composed.module(), composed.info());
            spv::write_vec(module, info, &spv::Options::default(), None).expect("SPIR-V");
            let options = msl::Options { lang_version: (2, 1), ..Default::default() };
            msl::write_string(module, info, &options, &Default::default()).expect("MSL");
            let (mut text, options, pipeline) = (String::new(), hlsl::Options::default(), Default::default());
            hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None).expect("HLSL");
            let pipeline = glsl::PipelineOptions {
                shader_stage: naga::ShaderStage::Compute,
                entry_point: kind.entry().into(),
                multiview: None,
            };
            let options = glsl::Options { version, ..Default::default() };
            let policies = naga::proc::BoundsCheckPolicies::default();
            let mut text = String::new();
            glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
                .and_then(|mut writer| writer.write())
                .unwrap_or_else(|error| panic!("{kind:?}: {error}"));
        }
    }
}
