//! Drivers that refuse kernels: a search changes to kernels that they accept, finds the same trees, and reports what it
//! left out; a device that is lost with a refusal is opened again.

use crate::support::prelude::*;
use mcts_wgpu::engine::{Extra, StepSchedule};

/// Kernels that join stages; every fused search has one of them.
const FUSED: [&str; 3] = ["fused", "packed", "descend"];

fn run<G: Game>(engine: &Engine, game: &G, config: &Config) -> mcts_wgpu::Result<Report> {
    Search::with_config(engine, game.clone(), *config)?.run(&Position::start(game), Budget::steps(9))
}

/// Two searches have the CPU's results, without `extra`; the second one does not request refused kernels again.
fn goes_without(device: &Device, extra: Extra, run: impl Fn(&Engine) -> mcts_wgpu::Result<Report>) -> Report {
    let expected = run(&Engine::cpu()).expect("the CPU searches");
    let engine = engine_of(device);
    let [first, second] = [(); 2].map(|()| run(&engine).expect("it is searched another way"));
    for report in [&first, &second] {
        assert_eq!(super::found(report), super::found(&expected), "without {extra}");
        assert_eq!(report.engine.adapters[0].left_out, [extra]);
    }
    let notices = engine.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains(&device.info().name) && notices[0].contains(extra.name()), "{notices:?}");
    first
}

#[test]
fn steps_are_staged_where_fused_kernels_are_refused() {
    let config = Config { schedule: Schedule::Fused, trees: 2, playouts: 32, seed: 3, ..Config::paper() };
    each_fast_adapter(|adapter| {
        for loses in [true, false] {
            let device = own_device(adapter).refusing(&FUSED, loses);
            let report =
                goes_without(&device, Extra::Fused, |engine| run(engine, &Connect4::default(), &config));
            assert_eq!(report.engine.schedule, StepSchedule::Staged);
        }
    });
}

#[test]
fn lanes_share_where_subgroup_operations_are_refused() {
    let (game, settings) = (gomoku_of(6), Settings { leaf_batch: Some(4), ..Settings::default() });
    let net = network(&game, Trunk::Dense, 0, 16);
    let run = |engine: &Engine| {
        let engine = engine.clone().with_network(Some(net.clone()));
        Search::new(&engine, game.clone(), settings.clone())?.run(&Position::start(&game), Budget::steps(9))
    };
    each_fast_adapter(|adapter| {
        let device = own_device(adapter);
        if device.subgroup() > 0 {
            goes_without(&device.refusing(&["subgroup_invocation_id"], true), Extra::Subgroups, run);
        }
    });
}

/// Existing trees are not lost with the device: kernels are tried on another one first.
#[test]
fn trees_are_cut_into_chunks_where_arrays_of_bindings_are_refused() {
    let game = Connect4::default();
    let config = Config {
        schedule: Schedule::Staged,
        trees: 5,
        playouts: 8,
        node_limit: Some(3000),
        memory: Some(64 << 20),
        ..Config::paper()
    };
    let runs = |engine: &Engine| {
        let mut search = search_on(engine, game.clone(), config);
        // A binding holds one whole tree, and all of them in the beginning.
        search.grow_from(700, 5 * 16 * 700);
        let run = |steps| search.steps(&Position::start(&game), steps);
        let found = [200, 20].map(run);
        (found, search.room())
    };
    let (expected, _) = runs(&Engine::cpu());
    each_fast_adapter(|adapter| {
        let device = own_device(adapter);
        if device.array_bindings() == 0 {
            return;
        }
        let engine = engine_of(&device.refusing(&["binding_array"], true));
        let (got, _) = runs(&engine);
        for (got, expected) in got.iter().zip(&expected) {
            assert_eq!(super::found(got), super::found(expected));
        }
        assert_eq!(got[0].engine.adapters[0].left_out, [Extra::Arrays]);
    });
}

/// Staged kernels have no simpler replacement: the engine's next search opens the device again.
#[test]
fn a_driver_that_refuses_the_plainest_kernels_is_an_error() {
    let config = Config { schedule: Schedule::Fused, trees: 1, playouts: 8, ..Config::paper() };
    let game = Connect4::default();
    each_fast_adapter(|adapter| {
        let engine = engine_of(&own_device(adapter).refusing(&["fingerprint"], true));
        let error = run(&engine, &game, &config).expect_err("its kernels are refused");
        assert!(error.is_refused() && error.to_string().contains("fingerprint"), "{error}");
        assert!(error.to_string().contains(&adapter.info().name), "{error}");
        let rollouts = Rollouts::new(&engine, game.clone(), RolloutConfig::default());
        let report = rollouts.and_then(|mut rollouts| rollouts.run(&Position::start(&game), 64));
        assert!(report.is_ok(), "{:?}", report.err());
    });
}
