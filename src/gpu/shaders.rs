//! The modules of a search: generated constants, `shaders/common/*`, one game, the stages.

use crate::{
    error::Result,
    game::{GameShader, PlayoutMemory},
    gpu::compose::{Composed, Source, compose},
    reference::Shape,
};

/// Slices of a tree that are hashed side by side.
pub const DIGEST_SLICES: u32 = 32;
/// Workgroups in a row of a dispatch: `GROUP_ROW` of `shaders/common/layout.wgsl`.
pub const GROUP_ROW: u32 = 32768;

/// Where `game_tables` is bound.
const TABLES_BINDING: u32 = 15;

/// Entry points around the loop, whatever the schedule.
pub const FRAME: [&str; 5] = ["seed", "reset", "reduce_over_trees", "reduce_over_actions", "fingerprint"];

/// Entry points of a staged step.
pub const STAGED: [&str; 7] =
    ["select_leaf", "expand_1", "plan", "expand_2", "playout", "backup_1", "backup_2"];

/// The entry point of the fused module where one workgroup plays all games of a tree's step.
pub const FUSED: [&str; 1] = ["fused"];
/// Its entry points where the playouts of a step are spread over workgroups.
pub const FUSED_APART: [&str; 4] = ["descend", "playout", "advance", "backup"];

macro_rules! shader {
    ($name:literal) => {
        ($name, include_str!(concat!("../../", $name)))
    };
}

/// In the order of composition; a game comes after the second piece.
const COMMON: [(&str, &str); 8] = [
    shader!("shaders/common/layout.wgsl"),
    shader!("shaders/common/game.wgsl"),
    shader!("shaders/common/u64.wgsl"),
    shader!("shaders/common/rng.wgsl"),
    shader!("shaders/common/draw.wgsl"),
    shader!("shaders/common/ucb.wgsl"),
    shader!("shaders/common/reduce.wgsl"),
    shader!("shaders/common/jobs.wgsl"),
];

/// What goes before the stages where the game forbids repetition, and where it does not.
const HISTORY: (&str, &str) = shader!("shaders/history.wgsl");
const NO_HISTORY: (&str, &str) = shader!("shaders/no_history.wgsl");

const STAGES: [(&str, &str); 14] = [
    shader!("shaders/seed.wgsl"),
    shader!("shaders/reset.wgsl"),
    shader!("shaders/select.wgsl"),
    shader!("shaders/expand_1.wgsl"),
    shader!("shaders/plan.wgsl"),
    shader!("shaders/expand_2.wgsl"),
    shader!("shaders/playout.wgsl"),
    shader!("shaders/backup_1.wgsl"),
    shader!("shaders/backup_2.wgsl"),
    shader!("shaders/reduce_over_trees.wgsl"),
    shader!("shaders/reduce_over_actions.wgsl"),
    shader!("shaders/fingerprint.wgsl"),
    shader!("shaders/fused.wgsl"),
    shader!("shaders/advance.wgsl"),
];

/// Lanes of the workgroups of a module, powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Of the stages that give a workgroup to a tree.
    pub tree: u32,
    /// Of the playouts.
    pub playout: u32,
}

impl Widths {
    /// Widths of the staged module: a lane an action, a lane a game, within the adapter's limits.
    pub fn staged(shape: &Shape, game: &GameShader, limits: &wgpu::Limits) -> Self {
        let widest = limits.max_compute_invocations_per_workgroup.min(256);
        let tree = shape.max_actions.next_power_of_two().clamp(32, widest);
        // Where playouts live in workgroup memory, narrow workgroups leave more lanes room on a multiprocessor: Gomoku
        // 15x15 on an NVIDIA H200 plays 348 M games/s with 32 lanes, 239 M with 64, 327 M with 16.
        let most = if game.playout_words > 0 { 32 } else { 128 };
        let playout = shape.playouts.clamp(32, widest.min(most));
        let bytes = |lanes: u32| lanes * playout_bytes(game);
        Self { tree, playout: widest_within(limits.max_compute_workgroup_storage_size, playout, bytes) }
    }

    /// Widths of the module that makes whole steps: a lane a game, to a multiple of 32. None where that does not fit
    /// one workgroup, or where a step plays out more than one child.
    pub fn fused(shape: &Shape, game: &GameShader, limits: &wgpu::Limits) -> Option<Self> {
        let lanes = shape.playouts.next_multiple_of(32);
        // sh_choice of select.wgsl or its arrays for few children, sh_legal of expand_1.wgsl, sh_part_won of fused.wgsl.
        let children = child_lanes(shape, lanes);
        let selection = if children <= 16 { 76 * children } else { 16 * children };
        let others = selection + 4 * (shape.max_actions / 32 + shape.playouts + 2);
        let bytes = lanes * playout_bytes(game) + others;
        let fits = lanes <= limits.max_compute_invocations_per_workgroup
            && bytes <= limits.max_compute_workgroup_storage_size;
        (fits && !shape.variant.all_children).then_some(Self { tree: lanes, playout: lanes })
    }

    /// Parts that the playouts of a node are tallied in.
    pub fn parts(self, playouts: u32) -> u32 {
        playouts / playouts.min(self.playout)
    }
}

/// Workgroup memory of a lane that plays: the game's words and one for the tally.
fn playout_bytes(game: &GameShader) -> u32 {
    4 * (game.playout_words + 1)
}

/// Lanes that take part in the selection: `CHILD_LANES` of `shaders/select.wgsl`.
fn child_lanes(shape: &Shape, lanes: u32) -> u32 {
    shape.max_actions.next_power_of_two().clamp(4, prev_power_of_two(lanes))
}

/// `lanes`, or the greatest power of two below whose workgroup memory is within `limit` bytes.
fn widest_within(limit: u32, lanes: u32, bytes: impl Fn(u32) -> u32) -> u32 {
    let mut lanes = lanes;
    while lanes > 1 && bytes(lanes) > limit {
        lanes = prev_power_of_two(lanes - 1);
    }
    lanes
}

fn prev_power_of_two(n: u32) -> u32 {
    1 << n.max(1).ilog2()
}

/// The sources of a search module, in the order of composition.
pub fn sources(game: &GameShader, shape: &Shape, widths: Widths) -> Vec<Source> {
    let source = |(file, text): &(&str, &str)| Source::new(*file, *text);
    let mut sources = vec![Source::new("(generated constants)", constants(game, shape, widths))];
    sources.extend(COMMON[..2].iter().map(source));
    sources.extend(game.sources());
    let history = if shape.history_words > 0 { &HISTORY } else { &NO_HISTORY };
    sources.extend(COMMON[2..].iter().chain([history]).chain(&STAGES).map(source));
    sources
}

/// Composes and validates a search module.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn search_module(game: &GameShader, shape: &Shape, widths: Widths) -> Result<Composed> {
    compose(&sources(game, shape, widths))
}

fn constants(game: &GameShader, shape: &Shape, widths: Widths) -> String {
    let ours = [
        ("MAX_ACTIONS", shape.max_actions),
        ("STATE_WORDS", shape.state_words),
        ("HISTORY_WORDS", shape.history_words),
        ("PLAYOUTS", shape.playouts),
        ("STREAM_SETS", shape.stream_sets()),
        ("PATH_CAPACITY", shape.path_capacity),
        ("EXPANSION_STRIDE", shape.expansion_stride),
        ("TREE_LANES", widths.tree),
        ("PLAYOUT_LANES", widths.playout),
        ("CHILD_LANES_LIMIT", prev_power_of_two(widths.tree)),
        ("DIGEST_SLICES", DIGEST_SLICES),
    ];
    let mut text: String =
        ours.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect();
    let memory = PlayoutMemory::Workgroup { lanes: widths.playout };
    text += &game.declarations(memory, TABLES_BINDING);
    let variant = shape.variant;
    text += &format!(
        "const ALL_CHILDREN: bool = {};\nconst THRIFTY: bool = {};\n",
        variant.all_children, variant.thrifty
    );
    text += "fn ucb_c_bits() -> u32 { return params.ucb_c; }\n";
    text
}
