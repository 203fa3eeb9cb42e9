//! Reports of searches on all engines: the same on the CPU, on every adapter and schedule, with the lowest limits, in
//! several bindings, on several devices, in batches.

use super::{found, search};
use crate::support::{positions::RandomGames, prelude::*};

fn config(variant: Variant) -> Config {
    Config {
        variant,
        trees: 3,
        playouts: 32,
        ucb_c: 1.25,
        seed: 2024,
        node_limit: Some(2500),
        ..Config::paper()
    }
}

fn positions() -> Vec<Position<Connect4>> {
    let game = Connect4::default();
    let mut player = RandomGames::new(&game, 77);
    vec![
        Position::start(&game),
        player.before_a_win(1),
        player.finished(),
        player.midgame(),
        player.forced_draw(4),
    ]
}

#[track_caller]
fn assert_same(ours: &[Report], theirs: &[Report], what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert_eq!(found(ours), found(theirs), "{what}, position {index}");
    }
}

/// Batches of changing sizes on one object, whose streams continue from one to the next.
fn batches(engine: &Engine, config: &Config) -> Vec<Report> {
    let positions = positions();
    let mut search = search(engine, config);
    let sizes = [1..2, 0..3, 2..5, 0..1, 1..5, 0..4];
    let batches = sizes.into_iter().map(|range| search.batch(&positions[range], 40));
    batches.flatten().collect()
}

#[test]
fn batches_are_the_same_on_every_engine() {
    let expected = Variant::ALL.map(|variant| batches(&Engine::cpu(), &config(variant)));
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let all: Vec<_> = Variant::ALL.into_iter().zip(&expected).collect();
        for (&(variant, expected), schedule) in scheduled(adapter, &all) {
            let config = Config { schedule, ..config(variant) };
            let what = format!("{:?} {} {}", adapter.info(), variant.name(), schedule.name());
            assert_same(&batches(&engine, &config), expected, &what);
        }
    });
}

#[test]
fn a_position_of_a_batch_is_searched_as_if_alone() {
    let positions = positions();
    let run = |indexes: &[usize]| {
        let mut search = search(&Engine::cpu(), &config(Variant::OCP_THRIFTY));
        let batch: Vec<_> = indexes.iter().map(|&index| positions[index].clone()).collect();
        let reports = search.batch(&batch, 60);
        let again = search.batch(&batch, 60);
        [reports, again].concat()
    };
    let (one, other) = (run(&[0, 3, 1]), run(&[4, 3, 2]));
    for place in [1, 4] {
        assert_eq!(found(&one[place]), found(&other[place]));
    }
    let alone = run(&[0]);
    assert_eq!([0, 1].map(|i| found(&alone[i])), [0, 3].map(|i| found(&one[i])));
    assert_ne!(found(&one[0]), found(&one[3]), "the second run goes on with the streams");
}

#[test]
fn streams_rest_while_batches_are_smaller() {
    let positions = positions();
    let search_of = |sizes: &[usize]| {
        let mut search = search(&Engine::cpu(), &config(Variant::ACP_PRODIGAL));
        let run = |&size: &usize| search.batch(&positions[..size], 20);
        sizes.iter().map(run).collect::<Vec<_>>()
    };
    let (steady, changing) = (search_of(&[4, 4, 4]), search_of(&[4, 2, 4]));
    for (run, place) in [(0, 3), (1, 1), (2, 1)] {
        assert_eq!(found(&steady[run][place]), found(&changing[run][place]));
    }
    // The streams that the second run did not use are in the third where the others were in the second.
    assert_eq!(found(&steady[1][3]), found(&changing[2][3]));
}

/// Unused streams, too, are unchanged.
#[test]
fn a_batch_that_does_not_fit_harms_nothing() {
    let positions = positions();
    let small = Config { memory: Some(1 << 20), node_limit: None, ..config(Variant::ACP_PRODIGAL) };
    let run = |engine: &Engine, too_many: bool| {
        let mut search = search(engine, &Config { schedule: Schedule::Staged, ..small });
        let mut batch = |size| {
            let batch: Vec<_> = positions.iter().cycle().take(size).cloned().collect();
            search.run_batch(&batch, Budget::steps(10))
        };
        let first = [batch(5), batch(1)].map(|reports| reports.expect("the search runs"));
        if too_many {
            assert!(batch(40_000).expect_err("there is no room").is_bad_input());
        }
        let last = batch(5).expect("the search runs");
        [&first[..], &[last]].concat().concat()
    };
    let expected = run(&Engine::cpu(), false);
    assert_same(&run(&Engine::cpu(), true), &expected, "CPU");
    each_adapter(|adapter| {
        assert_same(&run(&opened(adapter), true), &expected, &adapter.info().name);
    });
}

#[test]
fn several_devices_are_one() {
    let positions = positions();
    let run = |engine: &Engine, config: &Config| {
        let mut search = search(engine, config);
        let one = search.steps(&positions[0], 50);
        let many = search.batch(&positions, 30);
        [vec![one], many].concat()
    };
    let config = Config { trees: 5, ..config(Variant::OCP_PRODIGAL) };
    let expected = run(&Engine::cpu(), &config);
    each_adapter(|adapter| {
        for &(count, schedule) in cases(adapter, &[(2, Schedule::Staged), (3, Schedule::Fused)]) {
            let config = Config { schedule, ..config };
            let got = run(&Engine::devices_of(devices(adapter, count)), &config);
            assert_same(&got, &expected, &format!("{count} devices, {}", schedule.name()));
        }
    });
}

/// With the WebGPU default limits workgroups are smaller, and memory comes in bindings of 128 MiB.
#[test]
fn default_limits_and_several_bindings_change_nothing() {
    let config = |variant| Config { node_limit: None, memory: Some(300 << 20), trees: 4, ..config(variant) };
    let run = |engine: &Engine, config: &Config| {
        let mut search = search(engine, config);
        search.grow_from(u32::MAX, u64::MAX);
        let report = search.steps(&positions()[0], 50);
        (report, search.capacity(), search.room())
    };
    let variants = [Variant::ACP_PRODIGAL, Variant::OCP_THRIFTY];
    let expected = variants.map(|variant| run(&Engine::cpu(), &config(variant)).0);
    each_adapter(|adapter| {
        let device = adapter.open_with_default_limits().expect("the adapter opens");
        let binding = device.limits().max_storage_buffer_binding_size;
        let engine = engine_of(&device);
        let all: Vec<_> = variants.into_iter().zip(&expected).collect();
        for (&(variant, expected), schedule) in scheduled(adapter, &all) {
            let (report, capacity, room) = run(&engine, &Config { schedule, ..config(variant) });
            assert!(4 * u64::from(capacity) * 16 > binding, "all trees fit one binding");
            assert!(room.len() > 1 && room.iter().all(|&nodes| nodes == capacity), "{room:?}");
            assert_same(&[report], std::slice::from_ref(expected), schedule.name());
        }
    });
}
