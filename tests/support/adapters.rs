//! The adapters of this machine, as the library opens them.

use mcts_wgpu::gpu::{self, adapters::Adapter};
use std::{
    sync::{Mutex, PoisonError},
    thread,
};

/// Software adapters use every core: the tests of one process take turns.
static TURN: Mutex<()> = Mutex::new(());

/// Calls `check` for every adapter (of the backend that the environment variable MCTS_WGPU_BACKEND names, where it is set),
/// each in its own thread; a panic in one of them fails the test.
pub fn each_adapter(check: impl Fn(&Adapter) + Sync) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let backend = std::env::var("MCTS_WGPU_BACKEND").ok();
    let adapters = gpu::adapters(backend.map(|name| name.parse().expect("a backend")));
    assert!(!adapters.is_empty(), "no adapter: install a Vulkan or GL driver (Mesa has both)");
    thread::scope(|scope| {
        for adapter in &adapters {
            scope.spawn(|| check(adapter));
        }
    });
}
