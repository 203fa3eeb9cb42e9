//! Names of the kernels, which rules composed with them must not use.

use super::tokens::{items, tokens};
use crate::device::compose::Source;
use std::{collections::HashSet, sync::LazyLock};

/// Names that are declared with the kernels of a game, or by some games.
const GENERATED: &str = "\
    AHEAD ALL_CHILDREN BOARD_COLUMNS BOARD_ROWS DIGEST_SLICES DRAWS_COUNT EXPANSION_STRIDE FEW FIRST_WORDS \
    GROUP_GAMES GROUP_LANES HISTORY_WORDS IN_STEP KEYED PRIOR_VISITS LEAVES LOGGED_PLIES MAX_ACTIONS \
    MAX_PLIES MOST_RULES_ITERATIONS NET NET_CELLS NOTES_FIRSTS OWNED_POINTS PATH_CAPACITY PLANE_CELLS \
    PLAYOUTS PLAYOUT_LANES PLAYOUT_LIMIT PLAYOUT_RUN PLAYOUT_WORDS PRUNING RAVE REFEREE_LANES \
    REFEREE_PLACES SCORED SEED_RUN SELECT_LANES STATE_WORDS STORED_WORDS STREAM_SETS SUBGROUP TEAM THRIFTY \
    UPDATE_GROUP action_prior TREE_LANES WEIGHTED_PLAYOUTS ucb_c_bits sh_playout game_tables";

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
    names.chain(GENERATED.split(' ').map(str::to_owned)).collect()
});

/// Pieces of WGSL by their names in folders below `shaders/`.
macro_rules! folders {
    ($($folder:literal: $($name:ident)*;)*) => {
        vec![$($(Source::own(
            concat!("shaders/", $folder, stringify!($name), ".wgsl"),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $folder, stringify!($name), ".wgsl")),
        ),)*)*]
    };
}

/// All sources that rules may be composed with.
fn sources() -> Vec<Source> {
    folders! {
        "": conformance referee;
        "lib/": draw faults game jobs jumps layout halving puct reduce rng rules u64 ucb;
        "rollout/": apart group in_step shared thread;
        "rollout/slots/": begin_anew begin_copied by_ply in_runs no_ownership ownership scored unscored;
        "search/best_child/": choose enter_at_once few_children many_children prove;
        "search/fused/": advance packed ahead fused relay relay_notes relay_settle;
        "search/leaves/":
            allot_leaves append_leaves back_up_leaves choose_by_bounds choose_by_ranks choose_leaves credit_leaves
            enter_later list_leaves lists_in_storage lists_in_workgroup prove_leaves select_leaves settle_leaves
            share_by_lanes share_by_subgroups share_few share_many withdraw_leaves;
        "search/net/": enter_evaluations root_noise softmax write_planes;
        "search/run/": fingerprint reduce_over_actions reduce_over_trees reset reuse seed withdraw;
        "search/staged/": backup_1 backup_2 expand_1 expand_2 count_jobs playout select;
        "slots/": begun firsts history no_firsts no_history play_by_ply play_in_runs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wgsl_knows_is_taken() {
        let taken = "firstTrailingBit log sqrt max any select bitcast arrayLength dpdx atomicAdd \
            workgroupBarrier workgroupUniformLoad textureLoad subgroupAdd subgroupBallot pack4x8snorm u32 \
            f16 vec2u vec4 array atomic ptr mat2x2f sampler function workgroup read_write rng_next \
            rules_any NO_ACTION";
        for name in taken.split(' ') {
            assert!(is_taken(name), "{name}");
        }
        for name in ["heap", "Playout", "cell", "take_action", "self", "é", "maximum"] {
            assert!(!is_taken(name), "{name}");
        }
    }
    use std::path::Path;

    /// Files that are never composed with rules, or that rules may replace.
    const OTHERS: &str = "bench net/ slots/by_the_rules.wgsl slots/by_weight.wgsl slots/score_by_the_rules.wgsl \
        slots/take_by_the_rules.wgsl pvsplit verify.wgsl";

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
            let other = OTHERS.split(' ').any(|other| name.starts_with(other));
            assert!(other || listed.contains(&format!("shaders/{name}")), "{name}");
        }
    }
}
