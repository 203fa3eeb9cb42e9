//! Runs that end early, refused input, and the program.

use super::*;
use crate::support::prelude::*;

#[test]
fn a_run_can_be_ended_early() {
    let devices = Devices::open();
    let start = Position::start(&Connect4::default());
    for engine in devices.engines.iter().chain([&Engine::cpu()]) {
        let mut stopped = rollouts(engine, start.game(), &seeded(40));
        let mut message = 0;
        let report = stopped.run_with(&start, u64::MAX, None, |progress| {
            assert!(progress.games > message && progress.of_games == u64::MAX);
            message = progress.games;
            if message > 5000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let report = report.expect("the games are played");
        assert!(report.games >= message && message > 5000);
        assert_eq!(counts(&report), counts(&rolled_out(&Engine::cpu(), &start, report.games, &seeded(40))));
        let next = stopped.run_with(&start, 1 << 60, Some(Duration::ZERO), |_| ControlFlow::Continue(()));
        let games = next.expect("the games are played").games;
        assert!((1..1 << 40).contains(&games), "{games} games in no time");
    }
}

#[test]
fn bad_input_is_refused() {
    let start = Position::start(&Connect4::default());
    let mut rollouts = rollouts(&Engine::cpu(), start.game(), &seeded(0));
    assert!(rollouts.run(&start, 0).expect_err("no games").is_bad_input());
    let over = RandomGames::new(start.game(), 1).finished();
    assert_bad(rollouts.run(&over, 10), "over");
    for config in [
        RolloutConfig { max_moves: Some(0), ..seeded(0) },
        RolloutConfig { max_moves: Some(1 << 22), ..seeded(0) },
        RolloutConfig { round: Some(0), ..seeded(0) },
    ] {
        let error = Rollouts::new(&Engine::cpu(), Othello, config).expect_err("a config out of range");
        assert!(error.is_bad_input(), "{error}");
    }
}

#[test]
fn the_program_prints_the_librarys_report() {
    let done = run(
        "rollout go --size 5 --komi 2.5 --games 700 --seed 3 --max-moves 40 --owners --adapter cpu --json",
    )
    .succeeded();
    assert_eq!(done.err, "");
    let config = RolloutConfig { max_moves: Some(40), owners: true, ..seeded(3) };
    let start = Position::start(&go_of(5, 2.5));
    let report = rolled_out(&Engine::cpu(), &start, 700, &config);
    let mut expected = serde_json::to_value(&report).expect("a report is JSON");
    let mut printed = done.json();
    for report in [&mut expected, &mut printed] {
        for field in ["seconds", "games_per_second"] {
            assert!(report.as_object_mut().and_then(|fields| fields.remove(field)).is_some());
        }
    }
    assert_eq!(printed, expected);
    assert!(report.unfinished > 0 && report.mean_score.is_some());
    let wide = run("rollout go --rows 2 --columns 3 --games 9 --owners --adapter cpu").succeeded();
    let rows = wide.out.split("always O)").nth(1).expect("owners").lines().filter(|row| !row.is_empty());
    let owners: Vec<usize> = rows.map(|row| row.split_whitespace().count()).collect();
    assert_eq!(owners, [3, 3], "{}", wide.out);
}

#[test]
fn the_program_refuses_bad_input() {
    for (arguments, part) in [
        ("connect4 --moves 0,1,0,1,0,1,0", "the game is over in this position (X wins)"),
        ("othello --games 0", "--games 0"),
        ("othello --games -1", "'-1'"),
        ("othello --max-moves 0", "0 moves"),
        ("othello --policy greedy", "othello has random"),
        ("othello --mapping none", "choose one of thread"),
        ("othello --owners", "go alone has"),
        ("go --owners --mapping group", "the mapping thread alone"),
        ("othello --time 0", "--time 0"),
        ("go --size 20", "20"),
    ] {
        run(&format!("rollout {arguments}")).refused(&[part]);
    }
}
