//! The modules of a search: their files, and the widths of their workgroups.

use crate::{
    device::{
        Machine,
        compose::{Composed, Source, compose, constants, files, flags, halved_until_it_fits},
        rules::{PlayoutMemory, stand_ins},
    },
    error::Result,
    exact::root_noise::share,
    forest::{
        Config, DrawValue, fault::PLANNED_ITERATIONS, layout::DIGEST_SLICES, shape::Shape, variant::Variant,
    },
    rules::GameShader,
};

/// Neighbouring streams that one invocation seeds: the first takes a jump for every set bit of its index, each further
/// one a single jump.
pub const SEED_RUN: u32 = 16;
/// Workgroups in a row of a dispatch: `GROUP_ROW` of `shaders/lib/layout.wgsl`.
pub const GROUP_ROW: u32 = 32768;

/// The greatest number of children that counts as few.
const MOST_FEW: u32 = 16;
/// Lanes of a fused step in a group of update lanes; two groups where children are few
/// (`shaders/search/fused/fused.wgsl`).
const UPDATE_GROUP: u32 = 32;
/// Lanes of a workgroup that makes steps of several trees (`shaders/search/fused/packed.wgsl`).
const PACKED_LANES: u32 = 32;
/// The least number of trees that are packed. On an NVIDIA H100 (Connect 4, OCP, one playout) packing makes 256 trees
/// slower, 27 M instead of 36 M steps/s, and 512 trees faster, 54 M instead of 38 M.
const PACKED_TREES: u32 = 512;
/// The least number of packed trees for each playout of a step, where children are few, and where they are many.
/// Packing makes 512 trees with 64 playouts faster in Connect 4 (41 M instead of 38 M), but slower in Othello (7.0 M
/// instead of 7.8 M).
const TREES_A_PLAYOUT: u32 = 8;
const TREES_A_PLAYOUT_OF_MANY: u32 = 16;
/// The least number of trees that are packed if one workgroup's playouts have more memory than `LARGE_PLAYOUTS`: a
/// multiprocessor holds few such workgroups. Gomoku 15x15: 1,024 trees are as fast either way, 8,192 make 16 M instead
/// of 10 M steps/s.
const PACKED_LARGE_TREES: u32 = 4096;
const LARGE_PLAYOUTS: u32 = 8 << 10;
/// Games that a lane plays in turn, at most.
const MOST_LANE_GAMES: u32 = 16;
/// Waves of games on a device below which a lane plays one game: with fewer, the last workgroups of a step would leave
/// the device idle. Gomoku 15x15 on an NVIDIA H200, 8 x 128 (ACP): 2,084 steps/s with one game a lane, 1,887 with four;
/// 64 x 512: 551 M games/s with one, 611 M with four, 691 M with 16.
const WAVES: u32 = 24;
/// Lanes that play at a time, about, where playouts are in workgroup memory: on a large device, on a software adapter.
const LARGE_DEVICE_LANES: u32 = 1 << 14;
const SOFTWARE_LANES: u32 = 1 << 5;
/// The number of workgroups up to which those whose playouts are in workgroup memory have fewer than 32 lanes. Go 9x9,
/// tactical, on an NVIDIA H100: 8,192 games take 820 us in workgroups of 32 lanes, 724 of 16 and 847 of 8. Playouts in
/// registers gain nothing: Othello's 16,384 games take 38, 51 and 83 us.
const NARROW_GROUPS: u32 = 512;
/// The greatest number of lanes that send selections on, where children are few. Connect 4 on an NVIDIA H100: with 64
/// leaves the select takes 125, 118 and 116 us with 32, 64 and 128 lanes, and with 256 leaves 399, 326 and 287 us (the
/// last with waves of 16 instead of 8).
const MOST_SHARING_LANES: u32 = 128;
/// The greatest number of lanes of a workgroup whose steps are relayed, one for each level of a path.
const MOST_RELAYED_LEVELS: u32 = 128;
/// The binding of `game_tables`.
const TABLES_BINDING: u32 = 22;

/// Entry points before and after the loop of steps, in every schedule.
pub const FRAME: [&str; 5] = ["seed", "reset", "reduce_over_trees", "reduce_over_actions", "fingerprint"];
/// The kernel that undoes a step. It has a buffer of its own, which only searches with long steps have.
pub const WITHDRAW: &str = "withdraw";

/// Entry points of a staged step.
pub const STAGED: [&str; 7] =
    ["select_leaf", "expand_1", "count_jobs", "expand_2", "playout", "backup_1", "backup_2"];

/// Entry points of a staged step that has several leaves a tree.
pub const LEAVES: [&str; 10] = [
    "select_leaves",
    "list_leaves",
    "allot_leaves",
    "append_leaves",
    "count_jobs",
    "playout",
    "back_up_leaves",
    "prove_leaves",
    "choose_leaves",
    "settle_leaves",
];
/// Entry points instead of `playout` and `count_jobs`, where a network evaluates the leaves. `evaluate` is in another
/// module ([`network`](super::network)).
pub const NET: [&str; 2] = ["write_planes", "enter_evaluations"];
/// The kernel between its `playout` and `back_up_leaves`, where there are rapid action values.
pub const CREDIT: &str = "credit_leaves";
/// The kernel instead of [`WITHDRAW`] there.
pub const WITHDRAW_LEAVES: &str = "withdraw_leaves";

/// The entry point of the fused module whose workgroups play all games of a tree's step.
pub const FUSED: [&str; 1] = ["fused"];
/// The entry point of the fused module whose workgroups make whole steps of several trees.
pub const PACKED: [&str; 1] = ["packed"];
/// The entry points of the fused module that spreads a step's playouts over workgroups.
pub const FUSED_APART: [&str; 4] = ["descend", "playout", "advance", "backup"];
/// The entry points of the fused module that makes a step in one dispatch, with its playouts spread.
pub const RELAY: [&str; 3] = ["relay_begin", "relay", "relay_end"];

/// Entry points of tree reuse, a module of its own, in the order of their dispatches.
pub const REUSE: [&str; 6] =
    ["reuse_parents", "reuse_mark", "reuse_offsets", "reuse_gather", "reuse_place", "reuse_finish"];
/// Nodes of a block of tree reuse: `REUSE_BLOCK` of `shaders/search/run/reuse.wgsl`.
pub const REUSE_BLOCK: u32 = 1024;

/// The sources of a search module, in the order of composition: the list of `shaders/README.md`.
pub fn sources(game: &GameShader, shape: &Shape, widths: Widths) -> Vec<Source> {
    [
        library(game, shape, widths),
        game.sources(),
        match game.playout_run {
            Some(_) => files!["slots/begun.wgsl", "slots/play_in_runs.wgsl"],
            None => files!["slots/play_by_ply.wgsl"],
        },
        match shape.evaluation {
            None => Vec::new(),
            Some(_) => files![
                "search/net/softmax.wgsl",
                "search/net/root_noise.wgsl",
                "search/net/write_planes.wgsl",
                "search/net/enter_evaluations.wgsl",
            ],
        },
        match shape.config.rave {
            0 => files!["slots/no_firsts.wgsl"],
            _ => files!["slots/firsts.wgsl"],
        },
        stand_ins(|name| match name {
            "action_urgency" => !game.has_urgency,
            "action_prior" => !game.has_priors,
            "solved_outcome" => !game.solves,
            "planes" => !game.has_planes,
            _ => false,
        }),
        match shape.history_words {
            0 => files!["slots/no_history.wgsl"],
            _ => files!["slots/history.wgsl"],
        },
        files![
            "search/best_child/few_children.wgsl",
            "search/best_child/many_children.wgsl",
            "search/best_child/choose.wgsl",
            "search/best_child/prove.wgsl",
            "search/staged/select.wgsl",
            "search/staged/expand_1.wgsl",
            "search/staged/count_jobs.wgsl",
            "search/staged/expand_2.wgsl",
            "search/staged/playout.wgsl",
            "search/staged/backup_1.wgsl",
            "search/staged/backup_2.wgsl",
        ],
        match shape.has_leaves() {
            true => files![
                "search/leaves/enter_later.wgsl",
                "search/leaves/share_few.wgsl",
                "search/leaves/share_many.wgsl",
                "search/leaves/select_leaves.wgsl",
                "search/leaves/list_leaves.wgsl",
                "search/leaves/allot_leaves.wgsl",
                "search/leaves/append_leaves.wgsl",
                "search/leaves/back_up_leaves.wgsl",
                "search/leaves/prove_leaves.wgsl",
                "search/leaves/choose_leaves.wgsl",
                "search/leaves/settle_leaves.wgsl",
            ],
            false => files![
                "search/best_child/enter_at_once.wgsl",
                "search/fused/fused.wgsl",
                "search/fused/ahead.wgsl",
                "search/fused/advance.wgsl",
                "search/fused/packed.wgsl",
            ],
        },
        match (shape.has_leaves(), shape.lists_per_leaf()) {
            (false, _) => Vec::new(),
            (true, 0) => files!["search/leaves/lists_in_workgroup.wgsl"],
            (true, _) => files!["search/leaves/lists_in_storage.wgsl"],
        },
        match (shape.has_leaves(), widths.subgroup) {
            (false, _) => Vec::new(),
            (true, 0) => files!["search/leaves/share_by_lanes.wgsl"],
            (true, _) => files!["search/leaves/share_by_subgroups.wgsl"],
        },
        match (&shape.evaluation, widths.subgroup) {
            (_, 0) => Vec::new(),
            (None, _) => files!["search/leaves/choose_by_bounds.wgsl"],
            (Some(_), _) => files!["search/leaves/choose_by_ranks.wgsl"],
        },
        match shape.config.rave {
            0 => Vec::new(),
            _ => files!["search/leaves/credit_leaves.wgsl"],
        },
        match can_be_relayed(shape) {
            true => files![
                "search/fused/relay_notes.wgsl",
                "search/fused/relay_settle.wgsl",
                "search/fused/relay.wgsl",
            ],
            false => Vec::new(),
        },
        files![
            "search/run/seed.wgsl",
            "search/run/reset.wgsl",
            "search/run/withdraw.wgsl",
            "search/run/reduce_over_trees.wgsl",
            "search/run/reduce_over_actions.wgsl",
            "search/run/fingerprint.wgsl",
        ],
        match shape.has_leaves() {
            true => files!["search/leaves/withdraw_leaves.wgsl"],
            false => Vec::new(),
        },
    ]
    .concat()
}

/// The beginning of every module of a search.
pub(super) fn library(game: &GameShader, shape: &Shape, widths: Widths) -> Vec<Source> {
    let generated = Source::of(game, "(generated constants)", declarations(game, shape, widths));
    let lib = files![
        "lib/layout.wgsl",
        "lib/game.wgsl",
        "lib/faults.wgsl",
        "lib/u64.wgsl",
        "lib/rng.wgsl",
        "lib/jumps.wgsl",
        "lib/draw.wgsl",
        "lib/reduce.wgsl",
        "lib/jobs.wgsl",
    ];
    let bounds = match shape.evaluation {
        Some(_) => files!["lib/halving.wgsl", "lib/puct.wgsl"],
        None => files!["lib/ucb.wgsl"],
    };
    [vec![generated], lib, bounds].concat()
}

fn declarations(game: &GameShader, shape: &Shape, widths: Widths) -> String {
    let numbers = constants([
        ("MAX_ACTIONS", shape.max_actions),
        ("STATE_WORDS", shape.state_words),
        ("HISTORY_WORDS", shape.history_words),
        ("PLAYOUTS", shape.config.playouts),
        ("LEAVES", shape.config.leaf_batch),
        ("PRIOR_VISITS", shape.config.prior_visits),
        ("RAVE", shape.config.rave),
        ("FIRST_WORDS", shape.first_words),
        ("STREAM_SETS", shape.stream_sets()),
        ("PATH_CAPACITY", shape.path_capacity),
        ("MAX_PLIES", shape.max_plies()),
        ("PLAYOUT_LIMIT", if game.is_known_to_end() { u32::MAX } else { shape.max_plies() }),
        ("EXPANSION_STRIDE", shape.expansion_stride),
        ("WIN_POINTS", shape.win_points()),
        ("TREE_LANES", widths.tree),
        ("TEAM", widths.team),
        ("PLAYOUT_LANES", widths.playout),
        ("PLAYOUT_WORDS", game.playout_words),
        ("PLAYOUT_RUN", game.playout_run.unwrap_or(u32::MAX)),
        ("GROUP_GAMES", widths.games),
        ("UPDATE_GROUP", UPDATE_GROUP),
        ("AHEAD", widths.ahead),
        ("DIGEST_SLICES", DIGEST_SLICES),
        ("SEED_RUN", SEED_RUN),
        ("SUBGROUP", widths.subgroup),
        ("SELECT_LANES", widths.select),
        ("GUMBEL", shape.config.gumbel),
        ("GUMBEL_VISITS", shape.config.gumbel_visits),
        ("ROOT_NOISE", share(shape.config.root_noise)),
        ("PLAYOUT_WEIGHT", share(shape.config.playout_weight)),
        ("NET_CELLS", shape.evaluation.as_ref().map_or(0, |evaluation| evaluation.cells() as u32)),
    ]);
    let Variant { all_children, thrifty, .. } = shape.config.variant;
    let flags = flags([
        ("ALL_CHILDREN", all_children),
        ("THRIFTY", thrifty),
        ("FEW", is_few(shape)),
        ("PROVES", shape.config.solver),
        ("PRUNING", shape.config.pruning && game.has_urgency),
        ("SOLVES", shape.config.solver && game.solves),
        ("NET", shape.evaluation.is_some()),
        ("DRAWS_COUNT", shape.config.draw_value == DrawValue::Half),
    ]);
    let memory = PlayoutMemory::Workgroup { lanes: widths.playout };
    let rules = game.declarations(memory, TABLES_BINDING, shape.config.rave > 0);
    [&numbers, &flags, &rules, "fn ucb_c_bits() -> u32 { return params.ucb_c; }\n"].concat()
}

/// Composes and validates a search module.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn search_module(game: &GameShader, shape: &Shape, widths: Widths) -> Result<Composed> {
    compose(&sources(game, shape, widths))
}

/// The module of the staged schedule, which also has the kernels before and after the loop, and its widths: a lane an
/// action, within the adapter's limits; games by the shape's number of trees, and by whether the adapter is a software
/// one.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn staged_module(game: &GameShader, shape: &Shape, machine: Machine<'_>) -> Result<(Widths, Composed)> {
    let Machine { limits, software, .. } = machine;
    let lanes = playout_lanes(game, shape, software).min(limits.max_compute_invocations_per_workgroup);
    let tree = if software { tree_lanes(shape, limits) } else { stage_lanes(shape, limits) };
    let widths = |playout| Widths {
        playout,
        games: group_games(game, shape, playout, software),
        subgroup: sharing_subgroup(shape, machine),
        select: select_lanes(shape, machine, tree),
        ..Widths::of(tree)
    };
    let module = |playout| search_module(game, shape, widths(playout));
    let (playout, module) = halved_until_it_fits(lanes, game.playout_words + 1, "playout", limits, module)?;
    Ok((widths(playout), module))
}

/// The module of the fused schedule that has a kernel for the playouts: the staged one, but with prodigal launches and
/// early exits, so that `count_jobs` does not run between two dispatches.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn apart_module(game: &GameShader, shape: &Shape, machine: Machine<'_>) -> Result<(Widths, Composed)> {
    let variant = Variant { thrifty: false, ..shape.config.variant };
    staged_module(game, &shape.with(Config { variant, ..shape.config }), machine)
}

/// Whether steps of this shape can be made in one dispatch each, by a workgroup with a lane for each level of a path.
/// That suits ACP with few children.
pub fn can_be_relayed(shape: &Shape) -> bool {
    let is_plain = !shape.has_leaves() && shape.history_words == 0 && shape.config.prior_visits == 0;
    is_plain
        && shape.config.variant.all_children
        && is_few(shape)
        && shape.path_capacity <= MOST_RELAYED_LEVELS
}

/// The module of the fused schedule that makes a step in one dispatch, and its widths: those of the playouts of
/// [`apart_module`], or more, as all its kernels have a lane for each level of a path. `None` where the shape has no
/// such module, or it does not fit.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn relay_module(
    game: &GameShader,
    shape: &Shape,
    limits: &wgpu::Limits,
) -> Result<Option<(Widths, Composed)>> {
    if !can_be_relayed(shape) {
        return Ok(None);
    }
    let levels = shape.path_capacity.next_power_of_two();
    let lanes = shape.config.playouts.clamp(32, MOST_RELAYED_LEVELS).max(levels);
    let widths = Widths::of(lanes);
    let variant = Variant { thrifty: false, ..shape.config.variant };
    let module = search_module(game, &shape.with(Config { variant, ..shape.config }), widths)?;
    let fits = RELAY.iter().all(|entry| module.fits(entry, limits));
    Ok(fits.then_some((widths, module)))
}

/// Workgroups of a dispatch of `relay`: the update workgroup of each tree, and those that play.
pub fn relay_groups(shape: &Shape, widths: Widths) -> u32 {
    shape.n_trees * (1 + (shape.stream_sets() * shape.config.playouts).div_ceil(widths.games))
}

/// The module of the fused schedule that makes whole steps, and its widths: a lane a game, to a multiple of 32, and the
/// update lanes of `shaders/search/fused/fused.wgsl` where they fit. `None` where that does not fit one workgroup, or
/// where a step plays out more than one child.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn whole_module(
    game: &GameShader,
    shape: &Shape,
    limits: &wgpu::Limits,
) -> Result<Option<(Widths, Composed)>> {
    let lanes = shape.config.playouts.next_multiple_of(32);
    if shape.config.variant.all_children
        || 4 * game.playout_words * lanes > limits.max_compute_workgroup_storage_size
    {
        return Ok(None);
    }
    let (updates, levels): (_, &[u32]) =
        if is_few(shape) { (2 * UPDATE_GROUP, &[UPDATE_GROUP, 24, 16, 1]) } else { (UPDATE_GROUP, &[1]) };
    for tree in [lanes + updates, lanes.max(updates)] {
        for &ahead in levels.iter().filter(|_| tree <= limits.max_compute_invocations_per_workgroup) {
            let widths = Widths { playout: lanes, games: lanes, ahead, ..Widths::of(tree) };
            let module = search_module(game, shape, widths)?;
            if module.fits(FUSED[0], limits) {
                return Ok(Some((widths, module)));
            }
        }
    }
    Ok(None)
}

/// The lanes of each tree of a shape where several trees share a workgroup; `None` where a tree should have a workgroup
/// to itself: where trees are few, or their steps large. The number keeps a large device busy, by measurements on an
/// NVIDIA H100. A software adapter runs lanes one after another: teams have one lane there, and trees with many
/// children are not packed, as steps of one lane would have long loops.
pub fn packed_team(game: &GameShader, shape: &Shape, software: bool) -> Option<u32> {
    let (trees, playouts) = (shape.n_trees, shape.config.playouts);
    let is_large = 4 * game.playout_words * PACKED_LANES > LARGE_PLAYOUTS;
    let least = if is_large { PACKED_LARGE_TREES } else { PACKED_TREES };
    let a_playout = if is_few(shape) { TREES_A_PLAYOUT } else { TREES_A_PLAYOUT_OF_MANY };
    let many = trees >= least && trees / a_playout >= playouts;
    if !many || !can_be_packed(shape) || (software && !is_few(shape)) {
        return None;
    }
    let lanes = if playouts < 16 { LARGE_DEVICE_LANES } else { 2 * LARGE_DEVICE_LANES };
    let suited =
        prev_power_of_two(lanes / trees).clamp(prev_power_of_two(playouts.clamp(4, 8)), PACKED_LANES);
    Some(if software { 1 } else { suited })
}

/// Whether a module exists that makes steps of several trees of this shape per workgroup.
pub fn can_be_packed(shape: &Shape) -> bool {
    !shape.config.variant.all_children && shape.history_words == 0
}

/// The module of the fused schedule that makes whole steps of several trees a workgroup, with `team` lanes each, and
/// its widths. `None` where it does not fit.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn packed_module(
    game: &GameShader,
    shape: &Shape,
    limits: &wgpu::Limits,
    team: u32,
) -> Result<Option<(Widths, Composed)>> {
    let lanes = PACKED_LANES;
    let widths = Widths { team, ..Widths::of(lanes) };
    let module = search_module(game, shape, widths)?;
    Ok(module.fits(PACKED[0], limits).then_some((widths, module)))
}

/// The module of tree reuse, which has no rules and no playouts, and the lanes of its workgroups.
///
/// # Errors
/// Shader, naming the author's file and line.
pub fn reuse_module(game: &GameShader, shape: &Shape, limits: &wgpu::Limits) -> Result<(u32, Composed)> {
    let tree = tree_lanes(shape, limits);
    let widths = Widths { playout: 1, games: 1, ..Widths::of(tree) };
    let sources = [library(game, shape, widths), files!["search/run/reuse.wgsl"]].concat();
    Ok((tree, compose(&sources)?))
}

/// Lanes of the workgroups of a module, powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Lanes of the stages that give a workgroup to a tree, or to several.
    pub tree: u32,
    /// Lanes of a tree there: all of them, unless trees are packed.
    pub team: u32,
    /// Lanes of the playouts.
    pub playout: u32,
    /// Games of a workgroup of the playouts: as many as its lanes, or a multiple.
    pub games: u32,
    /// Levels of a path that fused steps look ahead from: the greatest number that fits
    /// (`shaders/search/fused/ahead.wgsl`).
    pub ahead: u32,
    /// Lanes of a subgroup, where kernels use subgroup operations; else 0.
    pub subgroup: u32,
    /// Lanes of the selection of several leaves.
    pub select: u32,
    /// Leaves of a workgroup that evaluates a network.
    pub boards: u32,
}

impl Widths {
    /// The same number of lanes everywhere, without subgroups.
    pub fn of(lanes: u32) -> Self {
        Self {
            tree: lanes,
            team: lanes,
            playout: lanes,
            games: lanes,
            ahead: 1,
            subgroup: 0,
            select: lanes,
            boards: 1,
        }
    }

    /// The number of tallies of a node's playouts.
    pub fn parts(self, playouts: u32) -> u32 {
        playouts / playouts.min(self.games)
    }
}

/// Lanes of the stages that give a workgroup to a tree: one an action, within the adapter's limits.
fn tree_lanes(shape: &Shape, limits: &wgpu::Limits) -> u32 {
    shape
        .max_actions
        .next_power_of_two()
        .clamp(32, limits.max_compute_invocations_per_workgroup.min(FLOOR_LANES))
}

/// The same for steps with several leaves: a lane for each node with selections, where children are few
/// (`shaders/search/leaves/share_few.wgsl`).
fn stage_lanes(shape: &Shape, limits: &wgpu::Limits) -> u32 {
    let lanes = tree_lanes(shape, limits);
    if !is_few(shape) {
        lanes
    } else {
        lanes.max(shape.config.leaf_batch.next_power_of_two().min(MOST_SHARING_LANES))
    }
}

/// Lanes of a workgroup that every adapter allows: WebGPU's default limit.
const FLOOR_LANES: u32 = 256;

/// Actions of a game whose children have ranks of one word (`ucb_rank`): 24 bits are the score's.
const RANKED_ACTIONS: u32 = 255;
/// Children that a lane of a subgroup holds: one bit of a word each.
const MOST_HELD: u32 = 32;

/// Lanes of the subgroups that send selections on (`shaders/search/leaves/share_by_subgroups.wgsl`); 0 for none.
pub(super) fn sharing_subgroup(shape: &Shape, machine: Machine<'_>) -> u32 {
    let can_compare = shape.evaluation.is_none() || shape.max_actions <= RANKED_ACTIONS;
    let can_hold = shape.max_actions <= MOST_HELD * machine.subgroup
        && machine.limits.max_compute_invocations_per_workgroup >= FLOOR_LANES;
    let is_faster = !is_few(shape) || shape.evaluation.is_some();
    if shape.has_leaves() && can_compare && is_faster && can_hold { machine.subgroup } else { 0 }
}

/// Lanes of the selection of several leaves: a subgroup for each of a round's nodes, within the adapter's limits. More
/// are faster with a network, by measurements on an NVIDIA H200, and slower without.
fn select_lanes(shape: &Shape, machine: Machine<'_>, tree: u32) -> u32 {
    let is_wide = shape.evaluation.is_some() && !machine.software;
    let most = if is_wide { 2 * FLOOR_LANES } else { FLOOR_LANES };
    let most = prev_power_of_two(most.min(machine.limits.max_compute_invocations_per_workgroup));
    tree.max(most.min(sharing_subgroup(shape, machine) * (shape.config.leaf_batch / 2)))
}

/// Lanes of a workgroup of the playouts. Where these are in workgroup memory, narrow workgroups leave room for more
/// lanes on a multiprocessor: its 48 KiB hold three of Gomoku 15x15 of 32 lanes, but one of 64. Neighbouring lanes also
/// wait for one another in every ply: a step with few games has workgroups with fewer lanes.
fn playout_lanes(game: &GameShader, shape: &Shape, software: bool) -> u32 {
    if game.playout_words == 0 {
        return shape.config.playouts.clamp(32, 128);
    }
    if software {
        return 32;
    }
    let games = shape.all_leaves().saturating_mul(shape.stream_sets()).saturating_mul(shape.config.playouts);
    prev_power_of_two(games / NARROW_GROUPS).clamp(4, 32)
}

/// Games of a workgroup of the playouts. In a step with many games, a lane that goes on to a next game need not wait
/// for the longest one beside it, and copies the start of its playout.
pub(super) fn group_games(game: &GameShader, shape: &Shape, lanes: u32, software: bool) -> u32 {
    if game.playout_run.is_none() {
        return lanes;
    }
    let nodes = u64::from(shape.all_leaves()) * u64::from(shape.stream_sets());
    let at_a_time = if software { SOFTWARE_LANES } else { LARGE_DEVICE_LANES };
    let a_lane = nodes * u64::from(shape.config.playouts) / u64::from(WAVES * at_a_time);
    let most = if software { MOST_LANE_GAMES.min(games_within_turns(shape, game)) } else { MOST_LANE_GAMES };
    let lane_games = prev_power_of_two(a_lane.min(most.into()) as u32);
    lanes.max(shape.config.playouts.min(lane_games * lanes))
}

/// The number of the longest games that an invocation can play in turn on a software adapter, at least one.
fn games_within_turns(shape: &Shape, game: &GameShader) -> u32 {
    (PLANNED_ITERATIONS / game.ply_iterations.saturating_mul(shape.max_plies()).max(1)).max(1)
}

/// Whether children are few, so that one lane chooses among them.
fn is_few(shape: &Shape) -> bool {
    shape.max_actions <= MOST_FEW
}

fn prev_power_of_two(n: u32) -> u32 {
    1 << n.max(1).ilog2()
}
