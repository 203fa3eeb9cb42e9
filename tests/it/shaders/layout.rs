//! Both sides of src/forest/layout.rs: the structures and constants of shader and Rust.

use super::portability::*;
use crate::support::prelude::*;
use mcts_wgpu::internals::{
    forest::layout::{self, Best, DIGEST_SLICES, Params, RootSum, Slab, Tree},
    gpu::shaders::{GROUP_ROW, REUSE_BLOCK},
};
use std::mem::offset_of;

fn any_module() -> Module {
    let [floor, _] = limits();
    modules_of(&Gomoku::default(), Variant::ACP_THRIFTY, 128, &floor).swap_remove(0)
}

fn reuse() -> Module {
    let [floor, _] = limits();
    let mut modules = modules_of(&Gomoku::default(), Variant::ACP_THRIFTY, 128, &floor);
    modules.pop().expect("the last one is that of tree reuse")
}

/// Names and offsets of a structure's members, and its size.
pub(super) fn structure(module: &naga::Module, name: &str) -> (Vec<(String, u32)>, u32) {
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let (_, ty) = found.unwrap_or_else(|| panic!("there is no struct {name}"));
    let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    let member = |m: &naga::StructMember| (m.name.clone().expect("members have names"), m.offset);
    (members.iter().map(member).collect(), *span)
}

macro_rules! assert_layout {
    ($module:expr, $type:ident: $($field:ident)*) => {
        let fields = vec![$((stringify!($field).to_owned(), offset_of!($type, $field) as u32)),*];
        assert_eq!(structure($module, stringify!($type)), (fields, size_of::<$type>() as u32));
    };
}
pub(super) use assert_layout;

#[test]
fn structures_lie_the_same_way() {
    let composed = any_module().composed;
    let module = composed.module();
    assert_layout!(
        module,
        Params: n_trees first_tree capacity trees_per_position stream_zero ucb_c steps first_group padding
    );
    assert_layout!(
        module,
        Tree: size flags selected path_length first_child expanded drawn max_depth depth_sum tally
        expansion_stream
    );
    let reuse = reuse().composed;
    let reuse = reuse.module();
    assert_layout!(reuse, Slab: first_tree trees first_block blocks moves spans root_words first_marked);
    assert_layout!(module, RootSum: stats info present proof half_proofs);
    assert_layout!(module, Best: ordinal action);
}

/// The bytes of a buffer's element.
fn element_bytes(module: &naga::Module, variable: &naga::GlobalVariable) -> u32 {
    match &module.types[variable.ty].inner {
        naga::TypeInner::Array { stride, .. } => *stride,
        other => other.size(module.to_ctx()),
    }
}

#[test]
fn elements_have_the_sizes_of_their_rust_types() {
    let expected = vec![
        ("params", size_of::<Params>()),
        ("roots", 4),
        ("trees", size_of::<Tree>()),
        ("paths", 4),
        ("stats", size_of::<layout::Stats>()),
        ("links", size_of::<layout::Link>()),
        ("states", 4),
        ("streams", 16),
        ("tallies", 8),
        ("jobs", 4),
        ("dispatches", 4),
        ("root_sums", size_of::<RootSum>()),
        ("best", size_of::<Best>()),
        ("digests", 8),
        ("jumps", 16),
    ];
    let of_searches = [&expected[..], &[("saved_trees", size_of::<Tree>())]].concat();
    assert_eq!(elements(any_module().composed.module()), named(&of_searches));
    let reuse_alone = [
        ("slab", size_of::<Slab>()),
        ("moves", 4),
        ("spans", 16),
        ("slab_stats", 16),
        ("slab_links", 8),
        ("marks", 8),
    ];
    assert_eq!(elements(reuse().composed.module()), named(&[&expected[..], &reuse_alone].concat()));
}

pub(super) fn named(elements: &[(&str, usize)]) -> Vec<(String, usize)> {
    elements.iter().map(|&(name, bytes)| (name.to_owned(), bytes)).collect()
}

/// Names of the buffers and bytes of their elements.
pub(super) fn elements(module: &naga::Module) -> Vec<(String, usize)> {
    let variables = module.global_variables.iter().filter(|(_, v)| v.binding.is_some());
    variables.map(|(_, v)| (v.name.clone().unwrap_or_default(), element_bytes(module, v) as usize)).collect()
}

/// The value of a `const NAME: u32`.
pub(super) fn constant(module: &naga::Module, name: &str) -> u32 {
    let found = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(name));
    let (_, constant) = found.unwrap_or_else(|| panic!("there is no constant {name}"));
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => value,
        ref other => panic!("{name} is {other:?}"),
    }
}

macro_rules! of_layout {
    ($($name:ident)*) => { [$((stringify!($name), layout::$name)),*] };
}

#[test]
fn constants_have_the_same_values() {
    let Module { composed, shape, widths, .. } = any_module();
    let of_layout = of_layout!(
        ROOT NO_CHILDREN ACTION_BITS COUNT_BITS OUTCOME_SHIFT TREE_FULL TREE_SECOND_MOVES FAULT_TOO_LONG
        FAULT_LOOP_ENDED FAULT_OUTCOME FAULT_LEFT FAULT_ENDLESS FAULT_STUCK FAULT_MISREAD FAULT_WEIGHTS
        FAULTS AMAF_SHIFT AMAF_POINTS_SHIFT MOST_AMAF ROOT_HEADER NO_ACTION
    );
    let expected = [
        ("NO_ORDINAL", layout::NO_ACTION),
        ("GROUP_ROW", GROUP_ROW),
        ("DIGEST_SLICES", DIGEST_SLICES),
        ("MAX_ACTIONS", shape.max_actions),
        ("STATE_WORDS", shape.state_words),
        ("HISTORY_WORDS", shape.history_words),
        ("PLAYOUTS", shape.config.playouts),
        ("STREAM_SETS", shape.stream_sets()),
        ("PATH_CAPACITY", shape.path_capacity),
        ("MAX_PLIES", shape.max_plies()),
        ("EXPANSION_STRIDE", shape.expansion_stride),
        ("TREE_LANES", widths.tree),
        ("PLAYOUT_LANES", widths.playout),
        ("GROUP_GAMES", widths.games),
        ("PARTS", widths.parts(shape.config.playouts)),
        ("FIRST", Player::First as u32),
        ("SECOND", Player::Second as u32),
        ("ONGOING", Outcome::code(None)),
        ("SECOND_WINS", Outcome::SecondWins as u32),
        ("DRAW", Outcome::Draw as u32),
        ("FIRST_WINS", Outcome::FirstWins as u32),
    ];
    for (name, value) in of_layout.into_iter().chain(expected) {
        assert_eq!(constant(composed.module(), name), value, "{name}");
    }
    assert_eq!(constant(reuse().composed.module(), "REUSE_BLOCK"), REUSE_BLOCK);
    assert_eq!(REUSE_BLOCK % widths.tree, 0);
    // The ranges of the fields of a link's info word.
    const { assert!(512 < 1 << layout::COUNT_BITS && 512 <= 1 << layout::ACTION_BITS) };
}
