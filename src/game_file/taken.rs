//! Names of the kernels, which rules composed with them must not use.

use super::tokens::{items, tokens};
use crate::device::compose::{Source, files};
use std::{collections::HashSet, sync::LazyLock};

const GENERATED: [&str; 44] = [
    "AHEAD",
    "ALL_CHILDREN",
    "BOARD_COLUMNS",
    "BOARD_ROWS",
    "DIGEST_SLICES",
    "DRAWS_COUNT",
    "EXPANSION_STRIDE",
    "FEW",
    "FIRST_WORDS",
    "GROUP_GAMES",
    "GROUP_LANES",
    "HISTORY_WORDS",
    "IN_STEP",
    "KEYED",
    "PRIOR_VISITS",
    "LEAVES",
    "LOGGED_PLIES",
    "MAX_ACTIONS",
    "MAX_PLIES",
    "MOST_RULES_ITERATIONS",
    "NET",
    "NET_CELLS",
    "NOTES_FIRSTS",
    "OWNED_POINTS",
    "PATH_CAPACITY",
    "PLANE_CELLS",
    "PLAYOUTS",
    "PLAYOUT_LANES",
    "PLAYOUT_LIMIT",
    "PLAYOUT_RUN",
    "PLAYOUT_WORDS",
    "PRUNING",
    "RAVE",
    "REFEREE_LANES",
    "REFEREE_PLACES",
    "SCORED",
    "SEED_RUN",
    "STATE_WORDS",
    "STORED_WORDS",
    "STREAM_SETS",
    "SUBGROUP",
    "TEAM",
    "THRIFTY",
    "UPDATE_GROUP",
];

/// The prefix of names derived from those of the rules.
pub(super) const OWN_PREFIX: &str = "rules_";

/// Whether a name is taken: used by kernels, or predeclared in WGSL.
pub(super) fn is_taken(name: &str) -> bool {
    TAKEN.contains(name) || name.starts_with(OWN_PREFIX) || is_predeclared(name)
}

/// Whether a name is predeclared in WGSL, by naga, as a function, a type, an address space or an access mode: a
/// declaration of a file would replace it in kernels.
fn is_predeclared(name: &str) -> bool {
    let is_known = |text: String, unknown: &str| match naga::front::wgsl::parse_str(&text) {
        Ok(_) => true,
        Err(error) => !error.message().contains(unknown) && !error.message().contains("reserved"),
    };
    is_known(format!("fn rules_probe() {{ {name}(); }}"), "no definition in scope")
        || is_known(format!("alias RulesProbe = ptr<{name}, u32>;"), "unknown address space")
        || is_known(format!("alias RulesProbe = ptr<storage, u32, {name}>;"), "unknown access")
}

/// Names of the kernels' own functions, constants, types and variables.
static TAKEN: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let files = sources();
    let names = files.iter().flat_map(|source| {
        let tokens = tokens(source.text());
        items(&tokens).into_iter().map(|item| item.name.to_owned()).collect::<Vec<_>>()
    });
    let more = ["action_prior", "TREE_LANES", "WEIGHTED_PLAYOUTS", "ucb_c_bits", "sh_playout", "game_tables"];
    names.chain(GENERATED.iter().chain(&more).map(|name| (*name).to_owned())).collect()
});

/// All sources that rules may be composed with.
fn sources() -> Vec<Source> {
    files![
        "conformance.wgsl",
        "lib/draw.wgsl",
        "lib/faults.wgsl",
        "lib/game.wgsl",
        "lib/jobs.wgsl",
        "lib/jumps.wgsl",
        "lib/layout.wgsl",
        "lib/halving.wgsl",
        "lib/puct.wgsl",
        "lib/reduce.wgsl",
        "lib/rng.wgsl",
        "lib/rules.wgsl",
        "lib/u64.wgsl",
        "lib/ucb.wgsl",
        "referee.wgsl",
        "rollout/apart.wgsl",
        "rollout/group.wgsl",
        "rollout/in_step.wgsl",
        "rollout/shared.wgsl",
        "rollout/slots/begin_anew.wgsl",
        "rollout/slots/begin_copied.wgsl",
        "rollout/slots/by_ply.wgsl",
        "rollout/slots/in_runs.wgsl",
        "rollout/slots/no_ownership.wgsl",
        "rollout/slots/ownership.wgsl",
        "rollout/slots/scored.wgsl",
        "rollout/slots/unscored.wgsl",
        "rollout/thread.wgsl",
        "search/best_child/choose.wgsl",
        "search/best_child/enter_at_once.wgsl",
        "search/best_child/few_children.wgsl",
        "search/best_child/many_children.wgsl",
        "search/best_child/prove.wgsl",
        "search/fused/advance.wgsl",
        "search/fused/packed.wgsl",
        "search/fused/ahead.wgsl",
        "search/fused/fused.wgsl",
        "search/fused/relay.wgsl",
        "search/fused/relay_notes.wgsl",
        "search/fused/relay_settle.wgsl",
        "search/leaves/allot_leaves.wgsl",
        "search/leaves/append_leaves.wgsl",
        "search/leaves/back_up_leaves.wgsl",
        "search/leaves/choose_leaves.wgsl",
        "search/leaves/credit_leaves.wgsl",
        "search/leaves/enter_later.wgsl",
        "search/leaves/list_leaves.wgsl",
        "search/leaves/prove_leaves.wgsl",
        "search/leaves/select_leaves.wgsl",
        "search/leaves/settle_leaves.wgsl",
        "search/leaves/share_by_lanes.wgsl",
        "search/leaves/share_by_subgroups.wgsl",
        "search/leaves/share_few.wgsl",
        "search/leaves/share_many.wgsl",
        "search/leaves/withdraw_leaves.wgsl",
        "search/net/enter_evaluations.wgsl",
        "search/net/root_noise.wgsl",
        "search/net/softmax.wgsl",
        "search/net/write_planes.wgsl",
        "search/run/fingerprint.wgsl",
        "search/run/reduce_over_actions.wgsl",
        "search/run/reduce_over_trees.wgsl",
        "search/run/reset.wgsl",
        "search/run/reuse.wgsl",
        "search/run/seed.wgsl",
        "search/run/withdraw.wgsl",
        "search/staged/backup_1.wgsl",
        "search/staged/backup_2.wgsl",
        "search/staged/expand_1.wgsl",
        "search/staged/expand_2.wgsl",
        "search/staged/count_jobs.wgsl",
        "search/staged/playout.wgsl",
        "search/staged/select.wgsl",
        "slots/begun.wgsl",
        "slots/firsts.wgsl",
        "slots/history.wgsl",
        "slots/no_firsts.wgsl",
        "slots/no_history.wgsl",
        "slots/play_by_ply.wgsl",
        "slots/play_in_runs.wgsl",
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wgsl_knows_is_taken() {
        for name in [
            "firstTrailingBit",
            "log",
            "sqrt",
            "max",
            "any",
            "select",
            "bitcast",
            "arrayLength",
            "dpdx",
            "atomicAdd",
            "workgroupBarrier",
            "workgroupUniformLoad",
            "textureLoad",
            "subgroupAdd",
            "subgroupBallot",
            "pack4x8snorm",
            "u32",
            "f16",
            "vec2u",
            "vec4",
            "array",
            "atomic",
            "ptr",
            "mat2x2f",
            "sampler",
            "function",
            "workgroup",
            "read_write",
            "rng_next",
            "rules_any",
            "NO_ACTION",
        ] {
            assert!(is_taken(name), "{name}");
        }
        for name in ["heap", "Playout", "cell", "take_action", "self", "é", "maximum"] {
            assert!(!is_taken(name), "{name}");
        }
    }
    use std::path::Path;

    /// Files that are never composed with rules, or that rules may replace.
    const OTHERS: [&str; 8] = [
        "bench",
        "net/",
        "slots/by_the_rules.wgsl",
        "slots/by_weight.wgsl",
        "slots/score_by_the_rules.wgsl",
        "slots/take_by_the_rules.wgsl",
        "pvsplit",
        "verify.wgsl",
    ];

    fn files_below(folder: &Path, files: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => files_below(&path, files),
                false => files.push(path.to_str().expect("text").replace('\\', "/")),
            }
        }
    }

    #[test]
    fn every_shader_is_listed() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/");
        let mut found = Vec::new();
        files_below(Path::new(root), &mut found);
        let names = found.iter().map(|file| file.trim_start_matches(&root.replace('\\', "/")));
        let listed: Vec<_> = sources().into_iter().map(|source| source.file().to_owned()).collect();
        for name in names.filter(|name| name.ends_with(".wgsl")) {
            let other = OTHERS.iter().any(|other| name.starts_with(other));
            assert!(other || listed.contains(&format!("shaders/{name}")), "{name}");
        }
    }
}
