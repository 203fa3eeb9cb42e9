//! The shaders of PV-Split: limits, translations, and their agreement with `src/pvsplit/layout.rs`.

use super::{
    layout::{assert_layout, constant, elements, named, structure},
    portability::{assert_translates, assert_translates_to_glsl_es, limits},
};
use crate::support::prelude::*;
use mcts_wgpu::{
    internals::{device::compose::Composed, modules::modules as all_modules},
    pvsplit::{
        DEVICE_PASS, DeviceBoard, GoBoard,
        layout::{
            ALL_MOVES, ENTRY_WORDS, LANES, MAX_PATH, SAVED_SCALARS, SplitCounters, SplitNode, SplitOutcome,
            SplitParams,
        },
    },
};
use std::{mem::offset_of, sync::LazyLock};

/// All tests share these: for each one, every module of its game is composed.
static SPLITS: LazyLock<Vec<Composed>> = LazyLock::new(|| {
    fn split<G: Game>(game: &G) -> Composed {
        let modules = all_modules(game, &Config::paper()).expect("the modules are valid");
        let split = modules.into_iter().find(|module| module.name == "pvsplit");
        split.expect("there is a board").composed
    }
    let go = [2, 19].map(|size| split(&go_of(size, 7.5)));
    go.into_iter().chain([split(&Othello), split(&Connect4::default())]).collect()
});

#[test]
fn pv_split_is_within_the_default_limits_and_translates() {
    let [defaults, _] = limits();
    for composed in SPLITS.iter() {
        let (lanes, bytes) = composed.workgroup("pvsplit");
        assert!(lanes == LANES && bytes <= defaults.max_compute_workgroup_storage_size, "{bytes} bytes");
        assert_eq!(composed.bindings("pvsplit").len(), 9);
        assert_translates("pvsplit", &["pvsplit"], composed);
        assert_translates_to_glsl_es("pvsplit", &["pvsplit"], composed);
    }
}

#[test]
fn structures_of_pv_split_lie_the_same_way() {
    for composed in SPLITS.iter() {
        let module = composed.module();
        assert_layout!(
            module,
            SplitParams: subtrees work path depth alpha beta side score workers resumed aux spread fan copies
            search
        );
        assert_layout!(module, SplitNode: parent move_in value pending);
        assert_layout!(module, SplitCounters: next done nodes work longest open);
        assert_layout!(module, SplitOutcome: value best exact);
        let expected = [
            ("params", size_of::<SplitParams>()),
            ("base", 4),
            ("order", 4),
            ("subtrees", 4),
            ("nodes", size_of::<SplitNode>()),
            ("results", size_of::<SplitOutcome>()),
            ("queue", size_of::<SplitCounters>() + 4),
            ("saved", 4),
            ("table", 4 * ENTRY_WORDS as usize),
        ];
        assert_eq!(elements(module), named(&expected));
    }
}

#[test]
fn constants_of_pv_split_have_the_same_values() {
    let board = GoBoard::centre(19).expect("a board");
    let (shader, module) = (board.shader(), SPLITS[1].module());
    let expected = [
        ("LANES", LANES),
        ("MAX_PATH", MAX_PATH),
        ("NO_MOVE", ALL_MOVES),
        ("PASS", DEVICE_PASS),
        ("SAVED_SCALARS", SAVED_SCALARS),
        ("ORDER_LENGTH", 19 * 19),
        ("BOARD_WORDS", shader.board_words),
        ("KEPT_WORDS", shader.kept_words),
        ("UNDO_WORDS", shader.undo_words),
        ("GLANCE_PLIES", shader.glance_plies),
    ];
    for (name, value) in expected {
        assert_eq!(constant(module, name), value, "{name}");
    }
}
