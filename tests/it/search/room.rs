//! Trees begin small and grow: they equal trees with all memory from the start, on every engine and schedule.

use crate::support::{positions::RandomGames, prelude::*};
use mcts_wgpu::Progress;

/// Nodes that trees begin with.
const FIRST: u32 = 64;

fn config(variant: Variant) -> Config {
    Config { variant, trees: 5, playouts: 8, seed: 12, node_limit: Some(3000), ..Config::paper() }
}

fn found(reports: &[Report]) -> impl PartialEq + std::fmt::Debug + use<> {
    let of = |report: &Report| (super::found(report), report.principal_variation.clone());
    reports.iter().map(of).collect::<Vec<_>>()
}

fn new<G: Game>(engine: &Engine, game: &G, config: &Config) -> Search<G> {
    begun(engine, game, config, FIRST)
}

/// Five trees that begin with so many nodes fit one binding.
fn begun<G: Game>(engine: &Engine, game: &G, config: &Config, first: u32) -> Search<G> {
    let mut search = search_on(engine, game.clone(), *config);
    search.grow_from(first, 5 * 16 * u64::from(first));
    search
}

/// Trees that exceed a binding are in several chunks, or may be in one if the device has arrays of bindings.
fn assert_grown(room: &[u32], device: Option<&Device>, what: &str) {
    assert!(room[0] > FIRST, "{what}: {room:?}");
    if let Some(device) = device {
        assert!(room.len() > 1 || device.array_bindings() > 0, "{what}: {room:?}");
    }
}

/// Three runs, each on trees that begin small, the second one of several positions, the third until all trees are full.
fn runs(engine: &Engine, device: Option<&Device>, config: &Config) -> Vec<Report> {
    let game = Connect4::default();
    let mut search = new(engine, &game, config);
    let mut player = RandomGames::new(&game, 5);
    let positions = [Position::start(&game), player.midgame(), player.before_a_win(1), player.midgame()];
    let mut reports = Vec::new();
    for (positions, steps) in [(&positions[..1], 90), (&positions[..], 40), (&positions[..1], 1200)] {
        reports.extend(search.batch(positions, steps));
        let room = search.room();
        let used = reports.last().expect("a report").trees_info.max_size;
        assert!(room.iter().all(|&room| room >= used), "{room:?}");
        if positions.len() == 1 {
            assert_grown(&room, device, &format!("{steps} steps"));
        }
    }
    assert!(reports.last().expect("a report").trees_info.full, "no tree is full");
    reports
}

/// Memory grows within a run's time. A run without time makes its first step in the existing memory.
#[test]
fn trees_do_not_grow_where_there_is_no_time_for_it() {
    let game = Connect4::default();
    let config = Config { leaf_batch: 4, memory: Some(1 << 24), ..config(Variant::OCP_PRODIGAL) };
    each_fast_adapter(|adapter| {
        let mut search = begun(&opened(adapter), &game, &config, 8);
        let mut room_after = |budget| {
            let report = search.run(&Position::start(&game), budget).expect("the search runs");
            assert!(report.performance.steps > 0 && report.best.is_some(), "{adapter:?}: {budget}");
            search.room()
        };
        assert!(room_after(Budget::time(Duration::ZERO)).iter().all(|&room| room == 8), "{adapter:?}");
        assert!(room_after(Budget::steps(2)).iter().all(|&room| room > 8), "{adapter:?}");
    });
}

#[test]
fn trees_that_grow_are_those_that_had_their_room_at_once() {
    let several = Config { leaf_batch: 6, ..config(Variant::OCP_PRODIGAL) };
    let configs: Vec<_> = Variant::ALL.map(config).into_iter().chain([several]).collect();
    let expected: Vec<_> = configs.iter().map(|config| found(&runs(&Engine::cpu(), None, config))).collect();
    each_adapter(|adapter| {
        let (engine, device) = (opened(adapter), device(adapter));
        let all: Vec<_> = configs.iter().zip(&expected).collect();
        for &(config, expected) in cases(adapter, &all) {
            // Several leaves are staged.
            let schedules = if config.leaf_batch > 1 { &[Schedule::Staged][..] } else { &SCHEDULES };
            for &schedule in cases(adapter, schedules) {
                let what = format!("{} {} {}", adapter.info().name, config.variant.name(), schedule.name());
                let got = runs(&engine, Some(&device), &Config { schedule, ..*config });
                assert_eq!(&found(&got), expected, "{what}, {} leaves", config.leaf_batch);
            }
        }
    });
}

/// Steps that add few nodes leave time to allocate the next capacity beside them.
#[test]
fn trees_move_to_memory_that_was_allocated_beside_steps() {
    let game = Connect4::default();
    let (first, sizes) =
        (10_000, Config { trees: 2, playouts: 1, leaf_batch: 8, ..config(Variant::OCP_PRODIGAL) });
    let config = Config { node_limit: Some(20 * first), ..sizes };
    let run = |engine: &Engine| {
        let mut search = begun(engine, &game, &config, first);
        let report = search.steps(&Position::start(&game), 1500);
        assert!(search.room().iter().all(|&room| room > first && room >= report.trees_info.max_size));
        found(&[report])
    };
    let expected = run(&Engine::cpu());
    each_fast_adapter(|adapter| assert_eq!(run(&opened(adapter)), expected, "{adapter:?}"));
}

/// Histories of positions move with the trees.
#[test]
fn trees_of_a_game_with_superko_grow() {
    let game = go_of(4, 7.5).with_superko(true);
    let config = config(Variant::ACP_PRODIGAL);
    let run = |engine: &Engine, config: &Config| {
        let mut search = new(engine, &game, config);
        let report = search.steps(&Position::start(&game), 60);
        assert_grown(&search.room(), None, "superko");
        found(&[report])
    };
    let expected = run(&Engine::cpu(), &config);
    each_adapter(|adapter| {
        for &schedule in cases(adapter, &SCHEDULES) {
            let config = Config { schedule, ..config };
            assert_eq!(run(&opened(adapter), &config), expected, "{}", schedule.name());
        }
    });
}

/// A tree that has lost most of its nodes shrinks to its first size.
#[test]
fn trees_that_are_reused_grow_and_shrink() {
    let game = Connect4::default();
    let first = 400;
    for leaves in [1, 4] {
        let config = Config { reuse: true, leaf_batch: leaves, ..config(Variant::OCP_PRODIGAL) };
        let play = |engine: &Engine| {
            let mut search = begun(engine, &game, &config, first);
            let mut position = Position::start(&game);
            let (mut reports, mut rooms) = (Vec::new(), Vec::new());
            for steps in [150, 5, 5, 120, 40] {
                reports.push(search.steps(&position, steps));
                rooms.push(search.room()[0]);
                // The least visited move, so that little of the tree is left.
                let actions = &reports.last().expect("a report").actions;
                let least = actions.iter().min_by_key(|action| action.n).expect("an action");
                position.play(least.index).expect("it is legal");
            }
            assert!(reports[1].trees_info.reused_nodes > 0);
            (found(&reports), rooms)
        };
        let (expected, _) = play(&Engine::cpu());
        each_adapter(|adapter| {
            let (got, rooms) = play(&opened(adapter));
            assert_eq!(got, expected, "{} leaves", leaves);
            assert!(rooms[0] > first && rooms.contains(&first), "{rooms:?}");
        });
    }
}

/// Cut steps, and an abandoned one, on trees that grow at the next step.
#[test]
fn steps_that_are_cut_find_room() {
    let game = Connect4::default();
    let start = Position::start(&game);
    // With requested memory, the number of nodes does not depend on the budget.
    let memory = Some(64 << 20);
    let config = Config { schedule: Schedule::Staged, memory, ..config(Variant::ACP_THRIFTY) };
    let run = |engine: &Engine| {
        let mut search = new(engine, &game, &config);
        search.cut_steps(Some(3));
        let mut calls = 0;
        let leave = |_: Progress| {
            calls += 1;
            if calls == 200 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let left = search.run_with(&start, Budget::steps(500), leave).expect("the search runs");
        let steps = left.performance.steps;
        let whole = search.steps(&start, 40);
        (steps, found(&[left, whole]), search.room())
    };
    each_adapter(|adapter| {
        let (steps, got, room) = run(&opened(adapter));
        assert_grown(&room, Some(&device(adapter)), "cut");
        let mut search = new(&Engine::cpu(), &game, &config);
        let expected = [steps, 40].map(|steps| search.steps(&start, steps));
        assert_eq!(got, found(&expected), "left after {steps} steps");
    });
}

#[test]
fn devices_grow_their_own_trees() {
    let game = Connect4::default();
    let config = config(Variant::ACP_PRODIGAL);
    let run = |engine: &Engine| {
        let mut search = new(engine, &game, &config);
        let report = search.steps(&Position::start(&game), 200);
        (found(&[report]), search.room())
    };
    let (expected, _) = run(&Engine::cpu());
    each_adapter(|adapter| {
        let (got, room) = run(&Engine::devices_of(devices(adapter, 2)));
        assert_eq!(got, expected);
        assert!(room.len() > 1 && room.iter().all(|&room| room > FIRST), "{room:?}");
    });
}
