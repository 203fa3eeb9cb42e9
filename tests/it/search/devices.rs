//! Searches and their devices, for all games: several devices with the lowest limits have the CPU's results, and a lost
//! device is an error.

use super::start;
use crate::support::prelude::*;
use mcts_wgpu::{
    internals::device::Backend,
    pvsplit::{Board, Connect4Board, PvSplit},
};

// --- several devices, default limits -----------------------------------------------------------------------------

/// Two devices of an adapter, one with the lowest limits.
fn unlike_devices(adapter: &Adapter) -> Engine {
    let defaults = adapter.open_with_default_limits().expect("the adapter opens");
    Engine::devices_of(vec![defaults, device(adapter)])
}

/// Two runs on one object: a position, then two of them, whose trees the devices share.
fn found<G: Game>(
    engine: &Engine,
    roots: &[Position<G>; 2],
    variant: Variant,
    schedule: Schedule,
) -> Vec<impl PartialEq + std::fmt::Debug + use<G>> {
    let sizes = Config { trees: 3, playouts: 16, node_limit: Some(3000), ..Config::paper() };
    let config = Config { variant, schedule, seed: 5, ucb_c: 1.0, ..sizes };
    let mut search = search_on(engine, roots[0].game().clone(), config);
    let mut reports = vec![search.steps(&roots[0], 12)];
    reports.extend(search.batch(roots, 8));
    let of_report = |report: Report| (report.best, report.actions, report.trees_info, report.fingerprint);
    reports.into_iter().map(of_report).collect()
}

fn check<G: Game>(adapter: &Adapter, game: &G, variant: Variant, schedule: Schedule) {
    let start = Position::start(game);
    let mut later = start.clone();
    for _ in 0..4 {
        let legal = later.legal_actions();
        later.play(legal[legal.len() / 2]).expect("a legal action");
    }
    let roots = [start, later];
    let expected = found(&Engine::cpu(), &roots, variant, schedule);
    let got = found(&unlike_devices(adapter), &roots, variant, schedule);
    assert_eq!(
        got,
        expected,
        "{} {} {} on {:?}",
        game.name(),
        variant.name(),
        schedule.name(),
        adapter.info()
    );
}

/// GL compiles these kernels slowly.
#[test]
fn unlike_devices_search_every_game_as_the_cpu_does() {
    let go = |size| go_of(size, 2.5);
    let patterns = go(5).with_policy("pattern3x3").expect("Go has every policy");
    each_adapter(|adapter| {
        check(adapter, &gomoku_of(6), Variant::ACP_THRIFTY, Schedule::Staged);
        if adapter.info().backend == Backend::Gl {
            return;
        }
        check(adapter, &Othello, Variant::OCP_THRIFTY, Schedule::Fused);
        check(adapter, &patterns, Variant::ACP_THRIFTY, Schedule::Staged);
        if is_thorough() {
            check(adapter, &Gomoku::default(), Variant::OCP_PRODIGAL, Schedule::Fused);
            check(adapter, &Othello, Variant::ACP_PRODIGAL, Schedule::Staged);
            check(adapter, &go(3).with_superko(true), Variant::OCP_PRODIGAL, Schedule::Staged);
            let wide = Go::rectangular(3, 6, 2.5).expect("the board exists").with_superko(true);
            check(adapter, &wide, Variant::ACP_PRODIGAL, Schedule::Fused);
        }
    });
}

#[test]
fn limits_that_an_adapter_does_not_have_are_refused() {
    each_adapter(|adapter| {
        let mut limits = device(adapter).limits().clone();
        limits.max_compute_invocations_per_workgroup += 1;
        let error = adapter.open_with_limits(limits).expect_err("nobody has so many");
        let message = error.to_string();
        assert!(error.is_no_adapter() && message.contains(&adapter.info().name), "{message}");
        assert!(
            message.contains("max_compute_invocations_per_workgroup") && message.contains("another adapter"),
            "{message}"
        );
        own_device(adapter);
    });
}

// --- device loss -----------------------------------------------------------------------------------------------

fn search(device: &Device, schedule: Schedule) -> Search<Connect4> {
    let config = Config { schedule, trees: 2, playouts: 32, node_limit: Some(20_000), ..Config::paper() };
    let engine = engine_of(device);
    search_on(&engine, Connect4::default(), Config { reuse: true, ..config })
}

/// Destroys a device after so many calls.
fn lose(device: &Device, after: u32) -> impl FnMut() -> ControlFlow<()> {
    let mut asked = 0;
    move || {
        asked += 1;
        if asked == after {
            device.wgpu().destroy();
        }
        ControlFlow::Continue(())
    }
}

/// During a search, between two, and before the first.
#[test]
fn a_search_on_a_lost_device_is_an_error() {
    each_adapter(|adapter| {
        let open = || own_device(adapter);
        let expected = search(&open(), Schedule::Staged).run(&start(), Budget::steps(30)).expect("it runs");
        for &schedule in cases(adapter, &SCHEDULES) {
            for after in [1, 3] {
                let device = open();
                let mut lose = lose(&device, after);
                let mut search = search(&device, schedule);
                let lost = search.run_with(&start(), Budget::steps(1 << 40), |_| lose());
                assert_lost(lost.expect_err("the device is lost"));
                assert_lost(search.run(&start(), Budget::steps(3)).expect_err("and stays so"));
            }
            let device = open();
            let mut lost = search(&device, schedule);
            lost.steps(&start(), 30);
            device.wgpu().destroy();
            let next = position_after(&Connect4::default(), &["3"]);
            assert_lost(lost.run(&next, Budget::steps(3)).expect_err("the device is lost"));
            let device = open();
            let mut lost = search(&device, schedule);
            device.wgpu().destroy();
            assert_lost(lost.run(&start(), Budget::steps(3)).expect_err("the device is lost"));
            // The adapter itself still works.
            let report = search(&open(), schedule).steps(&start(), 30);
            assert_eq!(report.fingerprint, expected.fingerprint);
        }
    });
}

#[track_caller]
fn assert_lost(error: mcts_wgpu::Error) {
    assert!(error.is_device_lost(), "{error}");
}

#[test]
fn a_search_that_is_made_for_a_lost_device_is_an_error() {
    each_adapter(|adapter| {
        let device = own_device(adapter);
        device.wgpu().destroy();
        let engine = engine_of(&device);
        assert!(Search::with_config(&engine, Connect4::default(), Config::paper()).is_err());
        let rollouts = Rollouts::new(&engine, Connect4::default(), RolloutConfig::default());
        assert!(rollouts.and_then(|mut rollouts| rollouts.run(&start(), 10)).is_err());
        let board = Connect4Board::from_position(&start()).expect("a board");
        assert!(PvSplit::new(&device, &board, 8, None).is_err());
    });
}

#[test]
fn rollouts_on_a_lost_device_are_an_error() {
    each_adapter(|adapter| {
        let device = own_device(adapter);
        let mut lose = lose(&device, 2);
        let engine = engine_of(&device);
        let rollouts = Rollouts::new(&engine, Connect4::default(), RolloutConfig::default());
        let mut rollouts = rollouts.expect("the rollouts start");
        let lost = rollouts.run_with(&start(), u64::MAX, None, |_| lose());
        assert_lost(lost.expect_err("the device is lost"));
        assert_lost(rollouts.run(&start(), 10).expect_err("and stays so"));
    });
}

#[test]
fn alpha_beta_on_a_lost_device_is_an_error() {
    each_adapter(|adapter| {
        let device = own_device(adapter);
        let board = Connect4Board::from_position(&start()).expect("a board");
        let mut split = PvSplit::new(&device, &board, 30, Some(64)).expect("it compiles");
        let mut lose = lose(&device, 2);
        let lost = split.run_with(&board, SplitLimit::depth(30), |_| lose());
        assert_lost(lost.expect_err("the device is lost"));
    });
}

/// Devices of one adapter are lost one by one: another one continues, and a new one replaces the lost one.
#[test]
fn other_devices_of_the_adapter_go_on() {
    let board = Connect4Board::from_position(&start()).expect("a board");
    let rolled_out = |device: &Device| {
        let engine = engine_of(device);
        let mut rollouts = Rollouts::new(&engine, Connect4::default(), RolloutConfig::default())?;
        rollouts.run(&start(), 500).map(|report| (report.first_wins, report.draws, report.mean_length))
    };
    let score = |device: &Device| {
        PvSplit::new(device, &board, 5, Some(32))?
            .run(&board, SplitLimit::depth(5))
            .map(|report| report.score())
    };
    each_adapter(|adapter| {
        let open = || own_device(adapter);
        let (lost, other) = (open(), open());
        let mut search_on_other = search(&other, Schedule::Staged);
        let first = search_on_other.steps(&start(), 20);
        let expected = (rolled_out(&other), (!compiles_slowly(adapter)).then(|| score(&other)));
        let (mut lost_search, mut lose) = (search(&lost, Schedule::Staged), lose(&lost, 2));
        let error = lost_search.run_with(&start(), Budget::steps(1 << 40), |_| lose());
        assert_lost(error.expect_err("the device is lost"));
        assert!(rolled_out(&lost).is_err() && score(&lost).is_err());
        let fresh = open();
        for device in [&other, &fresh] {
            let found = (rolled_out(device), (!compiles_slowly(adapter)).then(|| score(device)));
            assert!(found == expected && found.0.is_ok(), "{found:?} {expected:?}");
        }
        let mut search_on_fresh = search(&fresh, Schedule::Staged);
        let again = search_on_fresh.steps(&start(), 20);
        assert_eq!(again.fingerprint, first.fingerprint);
        let next = position_after(&Connect4::default(), &["3"]);
        let [on_other, on_fresh] =
            [search_on_other, search_on_fresh].map(|mut search| search.steps(&next, 10).fingerprint);
        assert_eq!(on_other, on_fresh);
    });
}

#[test]
fn threads_share_a_device() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let run = || {
            let config = Config { trees: 1, playouts: 1, node_limit: Some(2000), ..Config::paper() };
            let mut search = search_on(&engine, Connect4::default(), config);
            let start = Position::start(&Connect4::default());
            let runs = (0..60).map(|_| search.steps(&start, 2).fingerprint);
            runs.collect::<Vec<_>>()
        };
        let expected = run();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().expect("no panic"), expected));
        });
    });
}
