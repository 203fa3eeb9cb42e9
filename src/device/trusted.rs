//! Shader modules without the run-time checks that wgpu would add: the crate's one use of `unsafe`.
//!
//! Measured on an NVIDIA H200 through Vulkan, fused schedule, 8 trees x 128 playouts of Connect 4: 28,300 to 41,000
//! steps/s (OCP) and 14,000 to 17,900 (ACP); 5.9 to 6.9 G playouts/s inside a search of 512 x 512.
#![allow(unsafe_code)]

use crate::{
    device::{Device, compose::Composed},
    games::{Connect4, Go, Gomoku, Othello},
    rules::{Game, GameShader},
};
use std::{any::TypeId, sync::OnceLock};

/// Leave to run a module without checks.
///
/// It follows from the type of the game, and nothing else: rules, sizes, packing and positions of the crate's own games
/// are the crate's own code, of which the points of `shader_module` hold. A game that wraps one of them is another
/// type, whatever it hands on, and runs with the checks. No code outside of the crate can name this type, let alone
/// make one.
///
/// Of a game file it is known that its loops end, since the crate has seen to it: it runs with all checks but those
/// that count the turns of every loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trust {
    in_loops_alone: bool,
}

/// The type of game files, which stands above this module.
static GAME_FILE: OnceLock<TypeId> = OnceLock::new();

/// Says of the type of game files that the loops of all its shaders end.
pub(crate) fn declare_loops_end<G: Game>() {
    GAME_FILE.get_or_init(TypeId::of::<G>);
}

impl Trust {
    /// Trust in a game, if it is one of the crate's own. The module must then be composed of that game's shader and
    /// sizes, and its buffers must be written by the crate alone.
    pub(crate) fn of<G: Game>() -> Option<Self> {
        let own =
            [TypeId::of::<Connect4>(), TypeId::of::<Go>(), TypeId::of::<Gomoku>(), TypeId::of::<Othello>()];
        let in_loops_alone = GAME_FILE.get() == Some(&TypeId::of::<G>());
        (in_loops_alone || own.contains(&TypeId::of::<G>())).then_some(Self { in_loops_alone })
    }

    fn is_whole(self) -> bool {
        !self.in_loops_alone
    }
}

/// Do searches and rollouts of this game run without wgpu's run-time checks? Those of the crate's own games do, and no
/// others.
pub fn is_unchecked<G: Game>() -> bool {
    Trust::of::<G>().is_some_and(Trust::is_whole)
}

/// The shader of a game for its searches: the rules of the crate's own games are known to end.
pub(crate) fn shader_of<G: Game>(game: &G) -> GameShader {
    GameShader { is_known_to_end: is_unchecked::<G>(), ..game.shader() }
}

/// Creates a module whose index and loop checks are left out, or its loop checks alone.
///
/// The modules of game files have loops of the crate's own, of which the points below hold, and loops of the file's.
/// Those are taken from the module that naga parsed, not from the text (`src/game_file/loops.rs`): a loop either begins
/// every turn by comparing a variable with a constant, where one addition of a constant in its `continuing` block is
/// all that changes the variable and can't overflow, or it counts its turns and leaves (`src/game_file/guard.rs`). The
/// module with the guards is parsed and looked at once more: a loop that needs a guard and has none, or not at the
/// beginning of every turn, is refused, so that no text can hide one. Measured on an NVIDIA H200, rollouts/s with and
/// without the loop checks: Connect 4 written the plain way 0.65 and 1.10 G, Hex 11x11 27 and 154 M, tic-tac-toe 7.1
/// and 17.9 G.
///
/// The shaders this is used for are the crate's own, with the sizes of the crate's own games, and hold to this without
/// the checks:
/// - Every index into a buffer is built from a tree below `params.n_trees`, a node below `params.capacity` (an
///   expansion that does not fit appends nothing), a depth below `PATH_CAPACITY` (the game's greatest number of plies,
///   plus one: nodes deeper than that are never appended), a lane, or an ordinal below a count that was itself bounded
///   so, the best child's among them, which is noted with the children; the buffers are allocated for those bounds.
/// - Tables of a game are indexed by numbers that are below the table's length: the pattern indexes of Go are two masks
///   of K bits, its tables have 2^2K words.
/// - Positions are such as the game can have ([`Game::check_state`]), and of the game that the module was composed for.
/// - Every loop ends: over lanes, words, nodes and children by its bound; over the levels of a tree, down or up,
///   because children have greater indexes than their parents; over the plies of a playout because the games end.
/// - Every divisor is a constant other than zero.
///
/// The parity suite runs the same shaders with the checks on (kernels one by one) and off (searches).
pub(super) fn shader_module(device: &Device, composed: &Composed, trust: Trust) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some("mcts-wgpu"),
        source: wgpu::ShaderSource::Wgsl(composed.text.as_str().into()),
    };
    let checks = match trust.is_whole() {
        true => wgpu::ShaderRuntimeChecks::unchecked(),
        false => {
            wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() }
        }
    };
    // SAFETY: the points above, which `Trust` stands for. Memory is only ever read after it was written or cleared:
    // wgpu clears buffers on their first use whatever the shader's checks are.
    unsafe { device.wgpu().create_shader_module_trusted(descriptor, checks) }
}
