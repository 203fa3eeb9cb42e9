//! The adapters of this machine.

use mcts_wgpu::{
    Engine, Schedule,
    engine::{Adapter, Backend, Device, adapters},
};
use std::{
    ptr,
    sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
};

/// Some drivers fail if several threads open them at a time.
static OPENING: Mutex<()> = Mutex::new(());

fn opening() -> MutexGuard<'static, ()> {
    OPENING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All adapters, as the program lists them.
pub fn listed() -> Vec<Adapter> {
    let _opening = opening();
    adapters(None)
}

/// All adapters (of the backend in the environment variable MCTS_WGPU_BACKEND, if it is set), each with a device that
/// tests share: its compiled kernels are cached for the next test.
type Found = Vec<(Adapter, Device)>;

/// Tests that use adapters run in two lanes: compiling, which takes most of their time, keeps one core busy. Each has
/// devices of its own, since a GL device is for one thread at a time.
static LANES: [OnceLock<Found>; 2] = [const { OnceLock::new() }; 2];
/// Whether each lane is free.
static FREE: Mutex<[bool; 2]> = Mutex::new([true; 2]);
/// Notified when a lane becomes free.
static LEFT: Condvar = Condvar::new();

fn find() -> Found {
    let _opening = opening();
    let backend = std::env::var("MCTS_WGPU_BACKEND").ok();
    let found = adapters(backend.map(|name| name.parse().expect("a backend")));
    assert!(!found.is_empty(), "no adapter: install a Vulkan or GL driver (Mesa has both)");
    let opened = |adapter: Adapter| (adapter.clone(), adapter.open().expect("the adapter opens"));
    found.into_iter().map(opened).collect()
}

/// The right to use a lane until this is dropped.
struct Turn(usize);

impl Turn {
    fn take() -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free =
            LEFT.wait_while(free, |free| *free == [false; 2]).unwrap_or_else(PoisonError::into_inner);
        let lane = usize::from(!free[0]);
        free[lane] = false;
        Self(lane)
    }

    fn found(&self) -> &'static Found {
        LANES[self.0].get_or_init(find)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        FREE.lock().unwrap_or_else(PoisonError::into_inner)[self.0] = true;
        LEFT.notify_one();
    }
}

/// The shared device of an adapter. A test that destroys a device opens one of its own.
pub fn device(adapter: &Adapter) -> Device {
    let mut all = LANES.iter().filter_map(OnceLock::get).flatten();
    all.find(|(other, _)| ptr::eq(other, adapter)).expect("an adapter of a lane").1.clone()
}

/// Another device of an adapter, which has compiled nothing yet.
pub fn own_device(adapter: &Adapter) -> Device {
    let _opening = opening();
    adapter.open().expect("the adapter opens")
}

/// Several devices of an adapter, of which the first is the shared one.
pub fn devices(adapter: &Adapter, count: usize) -> Vec<Device> {
    let others = (1..count).map(|_| own_device(adapter));
    [device(adapter)].into_iter().chain(others).collect()
}

/// Calls `check` for every adapter, each in its own thread; a panic in one of them fails the test.
pub fn each_adapter(check: impl Fn(&Adapter) + Sync) {
    let (turn, check) = (Turn::take(), &check);
    let name = thread::current().name().unwrap_or_default().to_owned();
    thread::scope(|scope| {
        for (adapter, _) in turn.found() {
            let thread = thread::Builder::new().name(name.clone());
            thread.spawn_scoped(scope, move || check(adapter)).expect("a thread");
        }
    });
}

/// Both schedules; the one with the smaller kernels first.
pub const SCHEDULES: [Schedule; 2] = [Schedule::Staged, Schedule::Fused];

/// Does it take seconds to compile a kernel, and minutes for one with large states or playouts, as llvmpipe does
/// through GL?
pub fn compiles_slowly(adapter: &Adapter) -> bool {
    adapter.info().backend == Backend::Gl
}

/// The cases for an adapter: only the first one if it compiles slowly.
pub fn cases<'a, T>(adapter: &Adapter, all: &'a [T]) -> &'a [T] {
    if compiles_slowly(adapter) { &all[..1] } else { all }
}

/// The schedules whose kernels are compiled for [`cases`] of [`SCHEDULES`].
pub fn compiled(adapter: &Adapter) -> Schedule {
    if compiles_slowly(adapter) { SCHEDULES[0] } else { Schedule::Auto }
}

/// Calls `check` with the CPU engine and with every adapter of this machine.
pub fn each_engine(check: impl Fn(&Engine) + Sync) {
    check(&Engine::cpu());
    each_adapter(|adapter| check(&opened(adapter)));
}

/// An engine of this adapter, by its shared device.
pub fn opened(adapter: &Adapter) -> Engine {
    Engine::devices_of(vec![device(adapter)])
}

/// The shared device of every adapter, and the right to use them until this is dropped.
pub struct Devices {
    /// The best one first.
    pub all: Vec<Device>,
    /// One each.
    pub engines: Vec<Engine>,
    _turn: Turn,
}

impl Devices {
    pub fn open() -> Self {
        let turn = Turn::take();
        let all: Vec<_> = turn.found().iter().map(|(_, device)| device.clone()).collect();
        let engines = all.iter().map(|device| Engine::devices_of(vec![device.clone()])).collect();
        Self { all, engines, _turn: turn }
    }

    /// One engine of all of them.
    pub fn together(&self) -> Engine {
        Engine::devices_of(self.all.clone())
    }
}
