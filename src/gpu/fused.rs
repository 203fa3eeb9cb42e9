//! The kernels of the fused schedule, for a game and a shape on a device.

use crate::{
    device::{Device, compose::Composed, kernels::Kernels, loads::Loads},
    error::Result,
    forest::{Shape, fault::PLANNED_ITERATIONS},
    gpu::shaders::{
        FUSED, FUSED_APART, PACKED, RELAY, Widths, apart_module, packed_module, packed_team, relay_groups,
        relay_module, whole_module,
    },
    host::both,
    rules::GameShader,
};

/// Dispatches of whole steps make 1, 2, 4, ... steps; this is the number of different ones.
const FUSED_LEVELS: u32 = 12;

/// Games of a step at which the playouts of all trees keep a device busy by themselves.
const MANY_GAMES: u64 = 1 << 18;
/// Limit in bytes for a buffer of the notes of all trees, together with their lookahead paths.
const MOST_NOTES: u64 = 16 << 20;

/// The kernels of the fused schedule.
#[derive(Debug)]
pub(super) enum Fused {
    /// One kernel makes whole steps; its dispatches make 1, 2, 4, ... steps, one for each level.
    Whole { kernels: Kernels, kernel: &'static str, trees_a_group: u32, levels: u32 },
    /// The playouts have a kernel of their own; steps that are not cut into slices may be relayed.
    Apart { kernels: Kernels, relay: Option<Relay> },
}

/// The kernels that make a step in one dispatch (`shaders/search/fused/relay.wgsl`).
#[derive(Debug)]
pub(super) struct Relay {
    pub kernels: Kernels,
    widths: Widths,
    /// Bytes of a tree's notes, and of its lookahead paths.
    notes: u64,
    lookahead_paths: u64,
}

impl Relay {
    /// The kernels for a shape whose steps are short.
    async fn compile(device: &Device, game: &GameShader, shape: &Shape) -> Result<Option<Self>> {
        let module = relay_module(game, shape, device.limits())?;
        let Some((widths, module)) = module else { return Ok(None) };
        let kernels = Kernels::compile(device, &module, &RELAY).await?;
        let bytes = |buffer| module.element_bytes(buffer).into();
        Ok(Some(Self { kernels, widths, notes: bytes("notes"), lookahead_paths: bytes("lookahead_paths") }))
    }

    /// Bytes of one of the two buffers of notes, for all trees of a shape.
    pub fn notes_bytes(&self, shape: &Shape) -> u64 {
        self.notes * u64::from(shape.n_trees)
    }

    /// Bytes of the lookahead paths of all trees of a shape.
    pub fn lookahead_path_bytes(&self, shape: &Shape) -> u64 {
        self.lookahead_paths * u64::from(shape.n_trees)
    }

    /// Workgroups of a step.
    pub fn groups(&self, shape: &Shape) -> u32 {
        relay_groups(shape, self.widths)
    }

    /// Whether it suits a shape's trees. It requires that the number of wins alone orders children with equal visits
    /// (`wins_decide` in `shaders/search/fused/advance.wgsl`).
    pub fn suits(&self, shape: &Shape) -> bool {
        let wins_decide = shape.config.playouts <= 1 << 16 && shape.scaled_c() <= 4096.0;
        let games = u64::from(shape.n_trees) * shape.streams_per_tree() as u64;
        let notes = self.notes_bytes(shape) + self.lookahead_path_bytes(shape);
        wins_decide && games < MANY_GAMES && notes <= MOST_NOTES
    }
}

/// Properties of a shape that its kernels depend on, besides the game, the device and the sizes of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fit {
    /// Whether its steps are short.
    short: bool,
    /// The lanes of a tree where several share a workgroup.
    team: Option<u32>,
}

impl Fit {
    pub fn of(device: &Device, game: &GameShader, shape: &Shape) -> Self {
        let info = device.info();
        let short = Loads::of(info.kind).is_short(shape);
        Self { short, team: packed_team(game, shape, info.is_software()) }
    }
}

impl Fused {
    pub async fn compile(device: &Device, game: &GameShader, shape: &Shape, fit: Fit) -> Result<Self> {
        if let Some((kernel, widths, module)) = whole_short_steps(device, game, shape, fit)?
            && let Some(levels) = levels(device, game, shape, widths)
        {
            let kernels = Kernels::compile(device, &module, &[kernel]).await?;
            let trees_a_group = widths.tree / widths.team;
            return Ok(Self::Whole { kernels, kernel, trees_a_group, levels });
        }
        let (_, module) = apart_module(game, shape, device.machine())?;
        let kernels = Kernels::compile(device, &module, &FUSED_APART);
        let relay = async || match fit.short {
            true => Relay::compile(device, game, shape).await,
            false => Ok(None),
        };
        let (kernels, relay) = both(async || kernels.await, relay).await;
        Ok(Self::Apart { kernels: kernels?, relay: relay? })
    }
}

/// The kernel that makes whole steps; `None` where one workgroup can't play a tree's games, or where such a step, which
/// can't be cut into slices, might keep a device busy for long.
fn whole_short_steps(
    device: &Device,
    game: &GameShader,
    shape: &Shape,
    fit: Fit,
) -> Result<Option<(&'static str, Widths, Composed)>> {
    if !fit.short {
        return Ok(None);
    }
    if let Some(team) = fit.team
        && let Some((widths, module)) = packed_module(game, shape, device.limits(), team)?
    {
        return Ok(Some((PACKED[0], widths, module)));
    }
    let whole = whole_module(game, shape, device.limits())?;
    Ok(whole.map(|(widths, module)| (FUSED[0], widths, module)))
}

/// The number of powers of two of steps that a dispatch may make; `None` where the driver would end the loops of one.
fn levels(device: &Device, game: &GameShader, shape: &Shape, widths: Widths) -> Option<u32> {
    if !device.info().is_software() {
        return Some(FUSED_LEVELS);
    }
    // Loop iterations of a lane: plies of its games and the loops inside them, scans along a path, tallies; with
    // superko, its actions against all positions of a game.
    let games = shape.config.playouts.div_ceil(widths.team);
    let plies = game.ply_iterations.saturating_mul(shape.path_capacity).saturating_mul(games);
    let history = shape.max_actions.div_ceil(widths.tree).saturating_mul(shape.history_words);
    let iterations = plies.saturating_add(shape.path_capacity + 4096).saturating_add(history);
    let level = (PLANNED_ITERATIONS / iterations).checked_ilog2()?;
    Some(FUSED_LEVELS.min(level + 1))
}
