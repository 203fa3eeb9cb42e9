//! The modules of a search: generated constants, `shaders/common/*`, one game, the stages.

use crate::{
    error::Result,
    game::{GameShader, PlayoutMemory},
    gpu::{
        SOFTWARE_TURNS,
        compose::{Composed, Source, compose},
    },
    reference::Shape,
    search::Variant,
};

/// Slices of a tree that are hashed side by side.
pub const DIGEST_SLICES: u32 = 32;
/// Neighbouring streams that one invocation seeds: the first costs a jump for every set bit of its index, each further one
/// a single jump.
pub const SEED_RUN: u32 = 16;
/// Workgroups in a row of a dispatch: `GROUP_ROW` of `shaders/common/layout.wgsl`.
pub const GROUP_ROW: u32 = 32768;

/// So many children at most are few.
const MOST_FEW: u32 = 16;
/// Workgroup memory of what the lanes of a path hand to one another where children are few (`shaders/choose.wgsl`).
const HANDED_BYTES: u32 = 33 * 20;
/// Workgroup memory of a choice among more of them, at most (`shaders/many_children.wgsl`): 128 lanes, 4 levels.
const CHOICE_BYTES: u32 = 128 * 28 + 16;
/// Lanes that keep the books of a fused step: `DESK` of `shaders/fused.wgsl`, of which there are two where children are
/// few.
const DESK: u32 = 32;
/// Nodes of a path in workgroup memory: `NEAR_PATH` of `shaders/select.wgsl`.
const NEAR_PATH: u32 = 256;
/// Games that a lane plays in turn, at most.
const MOST_LANE_GAMES: u32 = 16;
/// Games that a lane has to itself before it plays several in turn: with fewer, the last workgroups of a step would keep
/// a device waiting. Gomoku 15x15 on an NVIDIA H200, 8 x 128 (ACP): 2,084 steps/s with one game a lane, 1,887 with four;
/// 64 x 512: 551 M games/s with one, 611 M with four, 691 M with 16.
const WAVES: u32 = 24;
/// Lanes that play at a time, about, where playouts live in workgroup memory: on a large device, on a software adapter.
const LARGE_DEVICE_LANES: u32 = 1 << 14;
const SOFTWARE_LANES: u32 = 1 << 5;
/// Bytes that are reserved for the registers with which a playout begins.
const BEGUN_REGISTERS: u32 = 256;
/// Where `game_tables` is bound.
const TABLES_BINDING: u32 = 20;

/// Entry points around the loop, whatever the schedule.
pub const FRAME: [&str; 6] =
    ["seed", "reset", WITHDRAW, "reduce_over_trees", "reduce_over_actions", "fingerprint"];
/// The one of them that has a buffer of its own, which only searches with long steps have.
pub const WITHDRAW: &str = "withdraw";

/// Entry points of a staged step.
pub const STAGED: [&str; 7] =
    ["select_leaf", "expand_1", "plan", "expand_2", "playout", "backup_1", "backup_2"];

/// The entry point of the fused module where one workgroup plays all games of a tree's step.
pub const FUSED: [&str; 1] = ["fused"];
/// Its entry points where the playouts of a step are spread over workgroups.
pub const FUSED_APART: [&str; 4] = ["descend", "playout", "advance", "backup"];

/// Entry points of tree reuse, a module of its own, in the order of their dispatches.
pub const REUSE: [&str; 6] =
    ["reuse_parents", "reuse_mark", "reuse_offsets", "reuse_gather", "reuse_place", "reuse_finish"];
/// Nodes of a block of tree reuse: `REUSE_BLOCK` of `shaders/reuse.wgsl`.
pub const REUSE_BLOCK: u32 = 1024;

macro_rules! shader {
    ($name:literal) => {
        ($name, include_str!(concat!("../../", $name)))
    };
}

/// In the order of composition; a game comes after the second piece.
const COMMON: [(&str, &str); 9] = [
    shader!("shaders/common/layout.wgsl"),
    shader!("shaders/common/game.wgsl"),
    shader!("shaders/common/faults.wgsl"),
    shader!("shaders/common/u64.wgsl"),
    shader!("shaders/common/rng.wgsl"),
    shader!("shaders/common/draw.wgsl"),
    shader!("shaders/common/ucb.wgsl"),
    shader!("shaders/common/reduce.wgsl"),
    shader!("shaders/common/jobs.wgsl"),
];

/// How playouts are played: ply by ply, or in runs where the game offers them.
const BY_PLY: [(&str, &str); 1] = [shader!("shaders/play_by_ply.wgsl")];
const IN_RUNS: [(&str, &str); 2] =
    [shader!("shaders/common/begun.wgsl"), shader!("shaders/play_in_runs.wgsl")];

/// What goes before the stages where the game forbids repetition, and where it does not.
const HISTORY: (&str, &str) = shader!("shaders/history.wgsl");
const NO_HISTORY: (&str, &str) = shader!("shaders/no_history.wgsl");

const STAGES: [(&str, &str); 19] = [
    shader!("shaders/seed.wgsl"),
    shader!("shaders/reset.wgsl"),
    shader!("shaders/withdraw.wgsl"),
    shader!("shaders/select.wgsl"),
    shader!("shaders/expand_1.wgsl"),
    shader!("shaders/plan.wgsl"),
    shader!("shaders/expand_2.wgsl"),
    shader!("shaders/playout.wgsl"),
    shader!("shaders/backup_1.wgsl"),
    shader!("shaders/few_children.wgsl"),
    shader!("shaders/many_children.wgsl"),
    shader!("shaders/choose.wgsl"),
    shader!("shaders/backup_2.wgsl"),
    shader!("shaders/reduce_over_trees.wgsl"),
    shader!("shaders/reduce_over_actions.wgsl"),
    shader!("shaders/fingerprint.wgsl"),
    shader!("shaders/fused.wgsl"),
    shader!("shaders/ahead.wgsl"),
    shader!("shaders/advance.wgsl"),
];

/// Lanes of the workgroups of a module, powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Of the stages that give a workgroup to a tree.
    pub tree: u32,
    /// Of the playouts.
    pub playout: u32,
    /// Games that such a workgroup plays: as many as its lanes, or a multiple.
    pub games: u32,
    /// Levels of a path that fused steps look ahead from: as many as fit (`shaders/ahead.wgsl`).
    pub ahead: u32,
}

impl Widths {
    /// Widths of the staged module: a lane an action, within the adapter's limits; games by the number of trees of the
    /// shape, and by whether the adapter is a software one.
    pub fn staged(shape: &Shape, game: &GameShader, limits: &wgpu::Limits, software: bool) -> Self {
        let widest = limits.max_compute_invocations_per_workgroup.min(256);
        let tree = shape.max_actions.next_power_of_two().clamp(32, widest);
        // Where playouts live in workgroup memory, narrow workgroups leave more lanes room on a multiprocessor: its 48 KiB
        // hold three of Gomoku 15x15 of 32 lanes, but one of 64.
        let most = if game.playout_words > 0 { 32 } else { 128 };
        let playout = shape.playouts.clamp(32, widest.min(most));
        let bytes = |lanes: u32| lanes * playout_bytes(game) + begun_bytes(game);
        let playout = widest_within(limits.max_compute_workgroup_storage_size, playout, bytes);
        Self { tree, playout, games: group_games(shape, game, playout, software), ahead: 1 }
    }

    /// Widths of the module that makes whole steps: a lane a game, to a multiple of 32, and where they fit 32 more, the
    /// clerks of `shaders/fused.wgsl`. None where that does not fit one workgroup, or where a step plays out more than one
    /// child.
    pub fn fused(shape: &Shape, game: &GameShader, limits: &wgpu::Limits) -> Option<Self> {
        if shape.variant.all_children {
            return None;
        }
        let lanes = shape.playouts.next_multiple_of(32);
        let clerks = if is_few(shape) { 2 * DESK } else { DESK };
        let trees = [lanes + clerks, lanes.max(clerks)];
        let ahead: &[u32] = if is_few(shape) { &[DESK, 24, 16, 1] } else { &[1] };
        let widths =
            |tree| ahead.iter().map(move |&ahead| Self { tree, playout: lanes, games: lanes, ahead });
        trees.into_iter().flat_map(widths).find(|widths| {
            widths.tree <= limits.max_compute_invocations_per_workgroup
                && fused_bytes(shape, game, *widths) <= limits.max_compute_workgroup_storage_size
        })
    }

    /// Parts that the playouts of a node are tallied in.
    pub fn parts(self, playouts: u32) -> u32 {
        playouts / playouts.min(self.games)
    }
}

/// Games of a workgroup of the playouts. Where a step has many of them, lanes that go on to a next game need not wait for
/// the longest one next to them, and copy its beginning.
fn group_games(shape: &Shape, game: &GameShader, lanes: u32, software: bool) -> u32 {
    if game.playout_run.is_none() {
        return lanes;
    }
    let nodes = u64::from(shape.n_trees) * u64::from(shape.stream_sets());
    let at_a_time = if software { SOFTWARE_LANES } else { LARGE_DEVICE_LANES };
    let a_lane = nodes * u64::from(shape.playouts) / u64::from(WAVES * at_a_time);
    let most = if software { MOST_LANE_GAMES.min(games_within_turns(shape, game)) } else { MOST_LANE_GAMES };
    let lane_games = prev_power_of_two(a_lane.min(most.into()) as u32);
    lanes.max(shape.playouts.min(lane_games * lanes))
}

/// The longest games that an invocation can play in turn on a software adapter, one at least.
fn games_within_turns(shape: &Shape, game: &GameShader) -> u32 {
    (SOFTWARE_TURNS / game.ply_turns.saturating_mul(shape.max_plies()).max(1)).max(1)
}

/// Are children few: `FEW` of `shaders/few_children.wgsl`?
fn is_few(shape: &Shape) -> bool {
    shape.max_actions <= MOST_FEW
}

/// Workgroup memory of a lane that plays: the game's words and one for the tally.
fn playout_bytes(game: &GameShader) -> u32 {
    4 * (game.playout_words + 1)
}

/// Workgroup memory of the fused kernel, at most.
fn fused_bytes(shape: &Shape, game: &GameShader, widths: Widths) -> u32 {
    let path = 4 * shape.path_capacity.min(NEAR_PATH);
    // sh_leaves_at, sh_ahead and sh_ahead_path of ahead.wgsl.
    let ahead = 4 * (1 + widths.ahead + widths.ahead * widths.ahead * (3 + shape.state_words));
    // sh_actions of select.wgsl takes as much as the path; sh_handed_counts and sh_handed_info of choose.wgsl.
    let choice = if is_few(shape) { path + HANDED_BYTES } else { CHOICE_BYTES };
    // sh_legal of expand_1.wgsl, sh_part_won and sh_lane_won of fused.wgsl, sh_length of choose.wgsl, sh_faults of layout.wgsl.
    let words = shape.max_actions / 32 + shape.playouts + 4 + widths.tree;
    widths.playout * 4 * game.playout_words + choice + ahead + path + 4 * words
}

/// Workgroup memory for what all games of a workgroup begin with (`shaders/common/begun.wgsl`), with room for registers.
pub fn begun_bytes(game: &GameShader) -> u32 {
    if game.playout_run.is_some() { 4 * game.playout_words + BEGUN_REGISTERS } else { 0 }
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
    sources.extend(COMMON[2..].iter().map(source));
    sources.extend(if game.playout_run.is_some() { IN_RUNS.iter() } else { BY_PLY.iter() }.map(source));
    let history = if shape.history_words > 0 { &HISTORY } else { &NO_HISTORY };
    sources.extend([history].into_iter().chain(&STAGES).map(source));
    sources
}

/// Composes and validates a search module.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn search_module(game: &GameShader, shape: &Shape, widths: Widths) -> Result<Composed> {
    compose(&sources(game, shape, widths))
}

/// Composes and validates the module of the fused schedule where the playouts have a kernel of their own. Its launches are
/// prodigal, with early exits: no plan has to be made between two dispatches.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn apart_module(game: &GameShader, shape: &Shape, widths: Widths) -> Result<Composed> {
    let variant = Variant { thrifty: false, ..shape.variant };
    search_module(game, &Shape { variant, ..shape.clone() }, widths)
}

/// Composes and validates the module of tree reuse, which needs no rules.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn reuse_module(game: &GameShader, shape: &Shape, widths: Widths) -> Result<Composed> {
    let mut sources = vec![Source::new("(generated constants)", constants(game, shape, widths))];
    let reuse = shader!("shaders/reuse.wgsl");
    sources.extend(COMMON.iter().chain([&reuse]).map(|(file, text)| Source::new(*file, *text)));
    compose(&sources)
}

fn constants(game: &GameShader, shape: &Shape, widths: Widths) -> String {
    let ours = [
        ("MAX_ACTIONS", shape.max_actions),
        ("STATE_WORDS", shape.state_words),
        ("HISTORY_WORDS", shape.history_words),
        ("PLAYOUTS", shape.playouts),
        ("STREAM_SETS", shape.stream_sets()),
        ("PATH_CAPACITY", shape.path_capacity),
        ("MAX_PLIES", shape.max_plies()),
        ("PLAYOUT_LIMIT", if game.is_known_to_end { u32::MAX } else { shape.max_plies() }),
        ("EXPANSION_STRIDE", shape.expansion_stride),
        ("TREE_LANES", widths.tree),
        ("PLAYOUT_LANES", widths.playout),
        ("PLAYOUT_WORDS", game.playout_words),
        ("PLAYOUT_RUN", game.playout_run.unwrap_or(u32::MAX)),
        ("GROUP_GAMES", widths.games),
        ("AHEAD", widths.ahead),
        ("DIGEST_SLICES", DIGEST_SLICES),
        ("SEED_RUN", SEED_RUN),
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
