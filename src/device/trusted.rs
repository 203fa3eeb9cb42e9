//! Shader modules without the run-time checks that wgpu would add: the crate's one use of `unsafe`.
//!
//! Measured on an NVIDIA H200 through Vulkan, fused schedule, 8 trees x 128 playouts of Connect 4: 28,300 to 41,000
//! steps/s (OCP) and 14,000 to 17,900 (ACP); 5.9 to 6.9 G playouts/s inside a search of 512 x 512.
#![allow(unsafe_code)]

use crate::{
    device::{Checks, Device, compose::Composed},
    rules::Origin,
};

/// The origin that decides a module's checks; that of any text, if the device makes all checks.
pub(super) fn origin(device: &Device, composed: &Composed) -> Origin {
    if device.checks() == Some(Checks::All) { Origin::Foreign } else { composed.origin() }
}

/// Creates a module. A module of the crate's own files has neither index checks nor loop checks, one with the rules of
/// a game file has no loop checks, and any other has all checks.
///
/// The origin of a module follows from its sources, each of which has an origin that no user can change
/// ([`Source`](super::compose::Source)): files of the crate, and the rules and sizes of games for which the crate
/// vouches by their type ([`Vouch`](crate::rules::Vouch)). One source of any other origin makes the module untrusted.
///
/// The modules of game files have loops of the crate's own, for which the points below hold, and loops of the file's.
/// The latter are taken from the module that naga parsed, not from the text (`src/game_file/loops.rs`): a loop either
/// begins every iteration by comparing a variable with a constant, where a single addition of a constant in its
/// `continuing` block changes the variable and can't overflow, or it counts its iterations and leaves
/// (`src/game_file/guard.rs`). The module with the guards is parsed and checked again: a loop that needs a guard and
/// has none, or not at the beginning of every iteration, is refused, so that no text can hide one. Measured on an
/// NVIDIA H200, rollouts/s with and without the loop checks: Connect 4 by a plain game file 0.65 and 1.10 G, Hex 11x11
/// 27 and 154 M, tic-tac-toe 7.1 and 17.9 G.
///
/// The crate's own shaders, with the sizes of its own games, satisfy these points without the checks:
/// - Every index into a buffer is built from a tree below `params.n_trees`, a node below `params.capacity` (an
///   expansion that does not fit appends nothing), a depth below `PATH_CAPACITY` (the game's greatest number of plies,
///   plus one: nodes deeper than that are never appended), a lane, or an ordinal below a count that was itself bounded
///   so, the best child's among them, which is noted with the children; the buffers are allocated for those bounds.
/// - Tables of a game are indexed by numbers that are below the table's length: the pattern indexes of Go are two masks
///   of K bits, its tables have 2^2K words.
/// - Positions are valid ones of the game ([`Game::check_state`](crate::rules::Game::check_state)), and of the game
///   that the module was composed for.
/// - Every loop ends: over lanes, words, nodes and children by its bound; over the levels of a tree, down or up,
///   because children have greater indexes than their parents; over the plies of a playout because the games end.
/// - Every divisor is a constant other than zero.
///
/// The parity suite runs the same shaders with the checks on (kernels one by one) and off (searches).
pub(super) fn shader_module(device: &Device, composed: &Composed) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some("mcts-wgpu"),
        source: wgpu::ShaderSource::Wgsl(composed.text().into()),
    };
    let checks = match origin(device, composed) {
        Origin::Foreign => return device.wgpu().create_shader_module(descriptor),
        Origin::LoopsEnd => {
            wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() }
        }
        Origin::Own => wgpu::ShaderRuntimeChecks::unchecked(),
    };
    // SAFETY: the points above. Memory is only ever read after it was written or cleared: wgpu clears buffers on their
    // first use whatever the shader's checks are.
    unsafe { device.wgpu().create_shader_module_trusted(descriptor, checks) }
}

/// The token that wgpu requires to open a device with these features, where some of them are experimental.
pub(super) fn experimental(features: wgpu::Features) -> wgpu::ExperimentalFeatures {
    if features.is_empty() {
        return wgpu::ExperimentalFeatures::disabled();
    }
    // SAFETY: cooperative matrices are experimental in wgpu (wgpu 30). The crate requests no other experimental
    // feature, and this one only where the adapter offers the sizes and types that it uses. One kernel uses them, whose
    // indexes are bounded by the sizes of its arrays (`shaders/net/evaluate_by_matrices.wgsl`); a driver that
    // refuses it gets another kernel. Its outputs are compared with the CPU's before it is used.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}
