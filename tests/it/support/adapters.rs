//! The adapters of this machine.

use super::corrupted::is_thorough;
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

/// Calls `check` for the adapters of most tests, each in its own thread; a panic in one of them fails the test. Outside of
/// `.ci/run thorough`, adapters that compile slowly have only the tests by [`every_adapter`], if there are others.
pub fn each_adapter(check: impl Fn(&Adapter) + Sync) {
    on_adapters(is_usual, check);
}

/// [`each_adapter`] without those that compile slowly.
pub fn each_fast_adapter(check: impl Fn(&Adapter) + Sync) {
    on_adapters(|adapter, _| !compiles_slowly(adapter), check);
}

/// On one adapter: GL compiles so many kernels slowly.
pub fn on_the_first_adapter(check: impl Fn(&Adapter) + Sync) {
    on_adapters(|adapter, found| adapter.info().index == 0 && is_usual(adapter, found), check);
}

/// [`each_adapter`], with those that compile slowly.
pub fn every_adapter(check: impl Fn(&Adapter) + Sync) {
    on_adapters(|_, _| true, check);
}

fn is_usual(adapter: &Adapter, found: &Found) -> bool {
    is_thorough() || !compiles_slowly(adapter) || found.iter().all(|(other, _)| compiles_slowly(other))
}

fn on_adapters(chosen: fn(&Adapter, &Found) -> bool, check: impl Fn(&Adapter) + Sync) {
    let (turn, check) = (Turn::take(), &check);
    let name = thread::current().name().unwrap_or_default().to_owned();
    thread::scope(|scope| {
        for (adapter, _) in turn.found().iter().filter(|(adapter, _)| chosen(adapter, turn.found())) {
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

/// The cases for an adapter: all of them in `.ci/run thorough`, else the first and the last of every four; only the first
/// one if it compiles slowly. Lists of up to three are whole. Of pairs of a variant and one of two schedules this leaves
/// both schedules.
pub fn cases<'a, T>(adapter: &Adapter, all: &'a [T]) -> impl Iterator<Item = &'a T> {
    let most = if compiles_slowly(adapter) { 1 } else { all.len() };
    let are_whole = is_thorough() || all.len() < 4;
    (0..).zip(all).filter(move |(at, _)| are_whole || at % 4 % 3 == 0).map(|(_, case)| case).take(most)
}

/// [`cases`], [`in_turn`] by the schedules of an adapter.
pub fn scheduled<'a, T>(adapter: &Adapter, all: &'a [T]) -> Vec<(&'a T, Schedule)> {
    in_turn(cases(adapter, all), if compiles_slowly(adapter) { &SCHEDULES[..1] } else { &SCHEDULES })
}

/// Each item with all of `others` in `.ci/run thorough`, else with one of them in turn.
pub fn in_turn<T: Copy, U: Copy>(items: impl IntoIterator<Item = T>, others: &[U]) -> Vec<(T, U)> {
    let pairs = |(number, item)| {
        let chosen = if is_thorough() { others } else { &others[number % others.len()..][..1] };
        chosen.iter().map(move |&other| (item, other))
    };
    items.into_iter().enumerate().flat_map(pairs).collect()
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

/// Calls `check` for the CPU, and for [`cases`] of the schedules on every adapter, with a name for messages.
pub fn each_schedule(schedules: &[Schedule], check: impl Fn(&Engine, Schedule, &str) + Sync) {
    check(&Engine::cpu(), Schedule::Auto, "CPU");
    each_adapter(|adapter| {
        for &schedule in cases(adapter, schedules) {
            let name = format!("{} {}", adapter.info().backend.name(), schedule.name());
            check(&opened(adapter), schedule, &name);
        }
    });
}

/// An engine of this adapter, by its shared device.
pub fn opened(adapter: &Adapter) -> Engine {
    Engine::devices_of(vec![device(adapter)])
}

/// The shared devices of adapters, and the right to use them until this is dropped.
pub struct Devices {
    /// The best one first.
    pub all: Vec<Device>,
    /// One each.
    pub engines: Vec<Engine>,
    _turn: Turn,
}

impl Devices {
    /// Those of [`each_adapter`].
    pub fn open() -> Self {
        Self::of(is_usual)
    }

    /// Those of [`every_adapter`].
    pub fn open_every() -> Self {
        Self::of(|_, _| true)
    }

    fn of(chosen: fn(&Adapter, &Found) -> bool) -> Self {
        let turn = Turn::take();
        let found = turn.found().iter().filter(|(adapter, _)| chosen(adapter, turn.found()));
        let all: Vec<_> = found.map(|(_, device)| device.clone()).collect();
        let engines = all.iter().map(|device| Engine::devices_of(vec![device.clone()])).collect();
        Self { all, engines, _turn: turn }
    }

    /// One engine of all of them.
    pub fn together(&self) -> Engine {
        Engine::devices_of(self.all.clone())
    }
}
