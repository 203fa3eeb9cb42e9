//! Devices against the CPU twin.

use super::*;
use crate::support::prelude::*;

/// Consecutive runs of several sizes: small ones, and one longer than the first submission, all of new games.
fn assert_agreement<G: Game>(
    devices: &Devices,
    positions: &[Position<G>],
    sizes: &[u64],
    config: &RolloutConfig,
) {
    let game = positions[0].game();
    let all = |engine: &Engine| {
        let mut rollouts = rollouts(engine, game, config);
        let runs = positions.iter().flat_map(|position| sizes.iter().map(move |&games| (position, games)));
        runs.map(|(position, games)| counts(&rollouts.run(position, games).expect("the games are played")))
            .collect::<Vec<_>>()
    };
    let expected = all(&Engine::cpu());
    for engine in &devices.engines {
        assert_eq!(all(engine), expected, "{} on {:?}", game.name(), engine.info());
    }
    let several = devices.together();
    assert_eq!(all(&several), expected, "{} on all devices together", game.name());
}

fn positions<G: Game>(game: &G) -> Vec<Position<G>> {
    let mut games = RandomGames::new(game, 1);
    let late = [1, 2, 7].map(|plies| games.before_the_end(plies));
    [Position::start(game)].into_iter().chain(late).collect()
}

#[test]
fn devices_play_connect4_as_the_cpu_does() {
    let devices = Devices::open();
    assert_agreement(&devices, &positions(&Connect4::default()), &[1, 2, 1001, 70_003], &seeded(1));
    let wide = connect4_of(3, 16);
    assert_agreement(&devices, &positions(&wide), &[3001], &seeded(2));
}

#[test]
fn devices_play_tactical_connect4_as_the_cpu_does() {
    let devices = Devices::open();
    let tactical = |game: Connect4| game.with_policy("tactical").expect("a policy of Connect 4");
    let usual = tactical(Connect4::default());
    assert_agreement(&devices, &positions(&usual), &[1, 2, 1001, 20_003], &seeded(11));
    for (rows, columns) in [(3, 16), (31, 2), (5, 10), (7, 8)] {
        let game = tactical(connect4_of(rows, columns));
        assert_agreement(&devices, &positions(&game), &[1001], &seeded(12));
    }
    for max_moves in [1, 8, 21] {
        let config = RolloutConfig { max_moves: Some(max_moves), ..seeded(13) };
        assert_agreement(&devices, &[Position::start(&usual)], &[2001], &config);
    }
}

#[test]
fn devices_play_gomoku_as_the_cpu_does() {
    let devices = Devices::open();
    assert_agreement(&devices, &positions(&Gomoku::default()), &[1, 17, 1501], &seeded(3));
    assert_agreement(&devices, &positions(&gomoku_of(19)), &[301], &seeded(4));
}

#[test]
fn devices_play_othello_as_the_cpu_does() {
    let devices = Devices::open();
    assert_agreement(&devices, &positions(&Othello), &[1, 33, 3001], &seeded(5));
}

#[test]
fn devices_play_go_as_the_cpu_does() {
    let devices = Devices::open();
    assert_agreement(&devices, &positions(&go_of(9, 7.5)), &[1, 1001], &seeded(6));
    assert_agreement(&devices, &positions(&go_of(19, 0.5)), &[65], &seeded(7));
    assert_agreement(&devices, &positions(&go_of(5, -3.0)), &[2001], &seeded(8));
    for (rows, columns, games) in [(3, 5, 501), (5, 3, 501), (7, 9, 65), (9, 7, 65), (13, 9, 33), (19, 9, 17)]
    {
        let wide = Go::rectangular(rows, columns, 0.5).expect("a board");
        assert_agreement(&devices, &positions(&wide), &[games], &seeded(15));
    }
}

/// The sums of all points add up to the area score, which the counts have.
#[test]
fn devices_count_owners_as_the_cpu_does() {
    let devices = Devices::open();
    for (rows, columns, policy, max_moves, games) in [
        (5, 5, "random", None, 501),
        (9, 9, "tactical", None, 65),
        (11, 11, "m2", Some(30), 33),
        (19, 19, "pattern3x3", None, 5),
        (4, 8, "random", None, 101),
        (8, 3, "tactical", None, 65),
    ] {
        let game = Go::rectangular(rows, columns, 7.5).and_then(|go| go.with_policy(policy));
        let game = game.expect("a policy of Go");
        let config = RolloutConfig { owners: true, max_moves, ..seeded(14) };
        for position in positions(&game) {
            let expected = rolled_out(&Engine::cpu(), &position, games, &config);
            let owners = expected.owners.as_ref().expect("they are asked for");
            let area = expected.mean_score.expect("go has scores") + 7.5;
            assert_eq!(owners.len(), (rows * columns) as usize);
            assert_eq!(owners.iter().sum::<i64>(), (area * games as f64).round() as i64);
            for engine in devices.engines.iter().chain([&devices.together()]) {
                let report = rolled_out(engine, &position, games, &config);
                let on = engine.info();
                assert_eq!(report.owners, expected.owners, "{rows} x {columns} {policy} on {on:?}");
                assert_eq!(counts(&report), counts(&expected));
            }
        }
    }
    assert_eq!(rolled_out(&Engine::cpu(), &Position::start(&go_of(5, 7.5)), 1, &seeded(0)).owners, None);
}

#[test]
fn mistakes_in_owners_show() {
    let devices = Devices::open();
    let start = Position::start(&Go::rectangular(4, 5, 0.5).expect("a board"));
    // Games that are cut off have empty points next to both colours.
    let config = RolloutConfig { owners: true, max_moves: Some(9), ..seeded(14) };
    let owners =
        |engine: &Engine| rolled_out(engine, &start, 65, &config).owners.expect("they are asked for");
    for &(from, to) in tried(&[
        ("go_select(others, own, is_black)", "go_select(others, own, true)"),
        ("let own = go_without(reached, reached_by_them);", "let own = reached;"),
        ("let bit = action + action / GO_COLUMNS;", "let bit = action;"),
        ("bitcast<u32>(owner >> 31u)", "0u"),
    ]) {
        let engine = Engine::devices_of(vec![devices.all[0].with_mistake(from, to)]);
        assert_ne!(owners(&engine), owners(&Engine::cpu()), "{from} -> {to}");
    }
}

#[test]
fn devices_cut_games_off_as_the_cpu_does() {
    let devices = Devices::open();
    for max_moves in [1, 8, 21] {
        let config = RolloutConfig { max_moves: Some(max_moves), ..seeded(9) };
        assert_agreement(&devices, &[Position::start(&Connect4::default())], &[2001], &config);
        assert_agreement(&devices, &[Position::start(&Othello)], &[201], &config);
        let report = rolled_out(&Engine::cpu(), &Position::start(&Othello), 500, &config);
        assert!(report.mean_length <= f64::from(max_moves) && report.unfinished >= 499);
    }
}

/// Under simple ko, one random game of 200 on 3 x 3 never ends.
#[test]
fn endless_games_of_go_are_cut_off() {
    let devices = Devices::open();
    for max_moves in [200, 999] {
        let game = Go::new(3, 0.0).and_then(|go| go.with_max_moves(max_moves)).expect("a board");
        assert_agreement(&devices, &[Position::start(&game)], &[4001], &seeded(10));
        let report = rolled_out(&Engine::cpu(), &Position::start(&game), 4001, &seeded(10));
        assert!((1..100).contains(&report.unfinished), "{report:?}");
        let cut_off = f64::from(max_moves) * report.unfinished as f64 / report.games as f64;
        assert!(report.mean_length > cut_off, "{report:?}");
    }
}

/// Some software adapters end every loop after 65,535 iterations, and with it a game that would be cut off later:
/// counts may be refused then, but never be wrong.
#[test]
fn games_that_an_adapter_ends_are_noticed() {
    let devices = Devices::open();
    let game = Go::new(3, 0.0).and_then(|go| go.with_max_moves(60_000)).expect("a board");
    let start = Position::start(&game);
    let expected = rolled_out(&Engine::cpu(), &start, 1001, &seeded(13));
    assert!(expected.unfinished > 0);
    for engine in &devices.engines {
        match rollouts(engine, &game, &seeded(13)).run(&start, 1001) {
            Ok(report) => assert_eq!(counts(&report), counts(&expected)),
            Err(error) => assert!(error.is_cut_short(), "{error}"),
        }
    }
}

#[test]
fn results_depend_on_the_seed_and_not_on_how_the_work_is_split() {
    let devices = Devices::open();
    let start = Position::start(&Connect4::default());
    let whole = rolled_out(&Engine::cpu(), &start, 30_001, &seeded(11));
    for engine in devices.engines.iter().chain([&Engine::cpu()]) {
        for round in [1, 3, 1000] {
            let config = RolloutConfig { round: Some(round), ..seeded(11) };
            assert_eq!(counts(&rolled_out(engine, &start, 30_001, &config)), counts(&whole));
        }
        let mut parts = rollouts(engine, start.game(), &seeded(11));
        let parts = [1, 29_000, 1000].map(|games| parts.run(&start, games).expect("the games are played"));
        let sum = |count: fn(&RolloutReport) -> u64| parts.iter().map(count).sum::<u64>();
        assert_eq!(sum(|part| part.first_wins), whole.first_wins);
        assert_eq!(sum(|part| part.draws), whole.draws);
        let others = rolled_out(engine, &start, 29_000, &seeded(11));
        assert_ne!(counts(&parts[1]), counts(&others), "other games");
    }
    assert_ne!(counts(&rolled_out(&Engine::cpu(), &start, 30_001, &seeded(12))), counts(&whole));
}
