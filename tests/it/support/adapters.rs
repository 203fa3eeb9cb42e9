//! The adapters of this machine, as the library opens them.

use mcts_wgpu::{
    Engine, Schedule,
    engine::{Adapter, Backend, Device, adapters},
};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

/// Software adapters use every core, and some drivers dislike being opened from several threads at a time: tests take
/// turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All adapters, as the program lists them.
pub fn listed() -> Vec<Adapter> {
    let _turn = turn();
    adapters(None)
}

/// The adapters (of the backend that the environment variable MCTS_WGPU_BACKEND names, where it is set), and the right
/// to use them for as long as that lives.
fn found() -> (Vec<Adapter>, MutexGuard<'static, ()>) {
    let turn = turn();
    let backend = std::env::var("MCTS_WGPU_BACKEND").ok();
    let found = adapters(backend.map(|name| name.parse().expect("a backend")));
    assert!(!found.is_empty(), "no adapter: install a Vulkan or GL driver (Mesa has both)");
    (found, turn)
}

/// Calls `check` for every adapter, each in its own thread; a panic in one of them fails the test.
pub fn each_adapter(check: impl Fn(&Adapter) + Sync) {
    let (found, _turn) = found();
    thread::scope(|scope| {
        for adapter in &found {
            scope.spawn(|| check(adapter));
        }
    });
}

/// Both ways of making a step; the one whose kernels are smaller first.
pub const SCHEDULES: [Schedule; 2] = [Schedule::Staged, Schedule::Fused];

/// Does it take seconds to compile a kernel, and minutes for one with large states or playouts, as llvmpipe does
/// through GL?
pub fn compiles_slowly(adapter: &Adapter) -> bool {
    adapter.info().backend == Backend::Gl
}

/// Of cases that an adapter is to be tried with, the first one alone where it compiles slowly.
pub fn cases<'a, T>(adapter: &Adapter, all: &'a [T]) -> &'a [T] {
    if compiles_slowly(adapter) { &all[..1] } else { all }
}

/// Calls `check` with the CPU engine and with every adapter of this machine.
pub fn each_engine(check: impl Fn(&Engine) + Sync) {
    check(&Engine::cpu());
    each_adapter(|adapter| check(&opened(adapter)));
}

/// An engine of this adapter.
pub fn opened(adapter: &Adapter) -> Engine {
    Engine::devices_of(vec![adapter.open().expect("the adapter opens")])
}

/// Every adapter, opened, and the right to use them while it lives.
pub struct Devices {
    /// The best one first.
    pub all: Vec<Device>,
    /// One each.
    pub engines: Vec<Engine>,
    _turn: MutexGuard<'static, ()>,
}

impl Devices {
    pub fn open() -> Self {
        let (found, turn) = found();
        let all: Vec<_> = found.iter().map(|adapter| adapter.open().expect("the adapter opens")).collect();
        let engines = all.iter().map(|device| Engine::devices_of(vec![device.clone()])).collect();
        Self { all, engines, _turn: turn }
    }

    /// One engine of all of them.
    pub fn together(&self) -> Engine {
        Engine::devices_of(self.all.clone())
    }
}
