//! Many searches take no more memory than one, of the host and of the device.

use crate::support::prelude::*;
use std::env;

/// Searches before memory is measured, and after it.
const WARM_UP: u32 = 40;
const SEARCHES: u32 = 200;
const ENGINES: u32 = 10;
/// The memory that allocators of the host and of a driver may keep, in bytes: a search that kept its trees would need
/// 2.7 MB of each, all of them 540 MB.
const SLACK: u64 = 48 << 20;

/// Resident bytes of this process, if the system reports them.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    pages.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| 4096 * pages)
}

/// Bytes that wgpu has allocated on the devices, if it counts them.
fn on_devices(engine: &Engine) -> u64 {
    let devices = engine.devices().unwrap_or_default().iter();
    let reports = devices.filter_map(|device| device.wgpu().generate_allocator_report());
    reports.map(|report| report.total_reserved_bytes).sum()
}

fn search(engine: &Engine, number: u32) {
    let game = Connect4::default();
    let variant = Variant::ALL[number as usize % 2];
    let config = Config {
        variant,
        trees: 4,
        playouts: 4,
        seed: number.into(),
        node_limit: Some(28_000),
        memory: Some(64 << 20),
        ..Config::paper()
    };
    let report = search_on(engine, game.clone(), config).steps(&Position::start(&game), 3);
    assert!(report.n_root > 0);
}

/// The growth of memory from the end of the warm-up to the end of the work.
#[track_caller]
fn assert_no_growth(engine: &Engine, work: impl Fn(u32)) {
    (0..WARM_UP).for_each(&work);
    let before = (resident(), on_devices(engine));
    (WARM_UP..WARM_UP + SEARCHES).for_each(&work);
    let after = (resident(), on_devices(engine));
    let grown = after.0.zip(before.0).map_or(0, |(after, before)| after.saturating_sub(before));
    let name = engine.info().adapter;
    assert!(grown < SLACK, "{name}: {grown} bytes more of the host's memory: {before:?}, {after:?}");
    assert!(after.1 <= before.1, "{name}: more of the device's memory: {before:?}, {after:?}");
}

/// Other tests allocate in the same process.
#[test]
fn memory_does_not_grow() {
    let mut alone = Command::new(env::current_exe().expect("this program"));
    alone.args(["--exact", "search::growth::alone", "--ignored", "--test-threads=1", "--nocapture"]);
    let done = alone.output().expect("it starts");
    let message = [done.stdout, done.stderr].concat();
    let message = String::from_utf8_lossy(&message);
    assert!(done.status.success() && message.contains("1 passed"), "{message}");
}

#[test]
#[ignore = "memory_does_not_grow runs it, in a process of its own"]
fn alone() {
    assert_no_growth(&Engine::cpu(), |number| search(&Engine::cpu(), number));
    each_adapter(|adapter| {
        let engine = opened(adapter);
        assert_no_growth(&engine, |number| search(&engine, number));
        if compiles_slowly(adapter) {
            return;
        }
        // Engines themselves: their memory is freed with them.
        let one = |number| search(&opened(adapter), number);
        (0..2).for_each(one);
        let before = resident();
        (2..2 + ENGINES).for_each(one);
        let grown = resident().zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
        assert!(grown < 2 * SLACK, "{ENGINES} engines leave {grown} bytes behind");
    });
}

/// Searches of changing sizes: on the CPU engine, and on each adapter, which compiles kernels for many of them.
const MANY: u32 = 2000;
const MANY_ON_ADAPTERS: u32 = 200;

/// A search of one of four games, by its number: its own variant, trees, playouts, leaf batch, memory and steps.
fn search_of_any_size(engine: &Engine, number: u32) {
    fn search<G: Game>(engine: &Engine, game: &G, config: Config, steps: u64) {
        search_on(engine, game.clone(), config).steps(&Position::start(game), steps);
    }
    let of = |numbers: &[u32], factor: u32| numbers[(number * factor / 7) as usize % numbers.len()];
    let config = Config {
        variant: Variant::ALL[number as usize % 4],
        trees: of(&[1, 3, 8], 5),
        playouts: of(&[1, 4, 16], 3),
        leaf_batch: of(&[1, 1, 6], 2),
        seed: number.into(),
        memory: Some(u64::from(of(&[8, 64, 256], 11)) << 20),
        ..Config::paper()
    };
    let steps = of(&[1, 3, 10], 13).into();
    match number / 4 % 4 {
        0 => search(engine, &Connect4::default(), config, steps),
        1 => search(engine, &Othello, config, steps),
        2 => search(engine, &gomoku_of(9), config, steps),
        _ => search(engine, &go_of(7, 7.5), config, steps),
    }
}

/// Prints the memory after each tenth of the searches. The second half may take no more than the first one, in which a
/// device reaches its greatest number of cached kernels.
#[track_caller]
fn assert_flat(engine: &Engine, searches: u32) {
    let mut message = Vec::new();
    for number in 0..searches {
        search_of_any_size(engine, number);
        if (number + 1) % (searches / 10) == 0 {
            message.push((resident().unwrap_or_default(), on_devices(engine)));
        }
    }
    let mib = |bytes: u64| bytes >> 20;
    for (number, (host, devices)) in (1..).zip(&message) {
        let (made, name) = (number * searches / 10, engine.info().adapter);
        println!(
            "{name}: {made} searches, {} MiB of the host's memory, {} MiB of the device's",
            mib(*host),
            mib(*devices)
        );
    }
    let most = |message: &[(u64, u64)]| message.iter().map(|(host, _)| *host).max().unwrap_or_default();
    let (first, last) = message.split_at(message.len() / 2);
    assert!(most(last) < most(first) + SLACK, "{message:?}");
}

#[test]
#[ignore = "takes minutes: benches/results/verify.md has the way to repeat it"]
fn memory_is_flat_over_many_sizes() {
    assert_flat(&Engine::cpu(), MANY);
    each_fast_adapter(|adapter| {
        assert_flat(&opened(adapter), MANY_ON_ADAPTERS);
    });
}
