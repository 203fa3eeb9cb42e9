//! Searches over ranks.

use super::assert_failed;
use crate::support::{prelude::*, ranks::on_ranks};
use mcts_wgpu::{Ranks, Result};

fn config(trees: u32) -> Config {
    Config { trees, playouts: 8, seed: 3, ..Config::paper() }
}

fn connect4(moves: &[&str]) -> Position<Connect4> {
    position_after(&Connect4::default(), moves)
}

fn search(ranks: &Ranks, config: Config) -> Search<Connect4> {
    let engine = Engine::cpu().over(ranks);
    search_on(&engine, Connect4::default(), config)
}

/// A report without times and engine.
fn found(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    let Report { position, best, n_root, actions, principal_variation, trees_info, fingerprint, .. } =
        report.clone();
    let made = (report.performance.steps, report.performance.playouts);
    (position, best, n_root, actions, principal_variation, trees_info, fingerprint, made)
}

/// Every rank has the results of one machine.
fn assert_same<T: Send + PartialEq + std::fmt::Debug>(sizes: &[usize], work: impl Fn(&Ranks) -> T + Sync) {
    let expected = work(&Ranks::default());
    for &size in sizes {
        for (rank, got) in on_ranks(size, &work).into_iter().enumerate() {
            assert_eq!(got, expected, "rank {rank} of {size}");
        }
    }
}

#[test]
fn trees_of_a_position_are_spread() {
    for variant in Variant::ALL {
        for (trees, sizes) in [(7, [1, 2, 3]), (2, [2, 3, 4])] {
            assert_same(&sizes, |ranks| {
                let mut search = search(ranks, Config { variant, ..config(trees) });
                let moves = connect4(&["3", "2", "3", "3"]);
                let first = search.run(&moves, Budget::steps(60)).expect("it runs");
                // The streams continue.
                let second = search.run(&connect4(&[]), Budget::steps(80)).expect("it runs");
                [found(&first), found(&second)]
            });
        }
    }
}

#[test]
fn ranks_without_trees_cut_steps_with_the_others() {
    for variant in Variant::ALL {
        assert_same(&[2, 3], |ranks| {
            let mut search = search(ranks, Config { variant, ..config(1) });
            search.cut_steps(Some(2));
            found(&search.run(&connect4(&[]), Budget::steps(9)).expect("it runs"))
        });
    }
}

#[test]
fn positions_of_a_batch_are_spread() {
    assert_same(&[2, 3, 4], |ranks| {
        let mut search = search(ranks, config(3));
        let all: Vec<_> = ["0", "1", "2", "3", "4"].map(|action| connect4(&[action])).into();
        let mut reports = Vec::new();
        // Trees move to other ranks in between, with their streams.
        for count in [3, 5, 1, 2] {
            reports.extend(search.run_batch(&all[..count], Budget::steps(25)).expect("it runs"));
        }
        reports.iter().map(found).collect::<Vec<_>>()
    });
}

#[test]
fn trees_are_reused() {
    assert_same(&[2, 3], |ranks| {
        let mut search = search(ranks, Config { reuse: true, node_limit: Some(5000), ..config(4) });
        let mut position = connect4(&[]);
        let first = search.run(&position, Budget::steps(120)).expect("it runs");
        let best = first.best.as_ref().expect("a best action").index;
        position.play(best).expect("a legal action");
        position.play(3).expect("a legal action");
        let second = search.run(&position, Budget::steps(50)).expect("it runs");
        assert!(second.trees_info.reused_nodes > 0);
        [found(&first), found(&second)]
    });
}

#[test]
fn a_network_evaluates_on_every_rank() {
    let game = Connect4::default();
    let net = network(&game, Trunk::Dense, 1, 16);
    assert_same(&[2, 3], |ranks| {
        let engine = Engine::cpu().over(ranks).with_network(Some(net.clone()));
        let settings = Settings { trees: Some(3), leaf_batch: Some(5), ..Settings::default() };
        let mut search = search_by(&engine, game.clone(), settings);
        let batch = [connect4(&[]), connect4(&["3"])];
        let reports = search.run_batch(&batch, Budget::steps(12)).expect("it runs");
        reports.iter().map(found).collect::<Vec<_>>()
    });
}

#[test]
fn a_game_that_is_over_and_one_that_is_won_at_once() {
    assert_same(&[2], |ranks| {
        let mut search = search(ranks, config(3));
        let won = connect4(&["3", "2", "3", "2", "3", "2"]);
        let first = search.run(&won, Budget::steps(20)).expect("it runs");
        assert!(first.best.as_ref().is_some_and(|best| best.win_flag));
        let over = connect4(&["3", "2", "3", "2", "3", "2", "3"]);
        [found(&first), found(&search.run(&over, Budget::steps(5)).expect("it runs"))]
    });
}

/// All ranks make the same number of steps, and their trees are those of so many steps.
#[test]
fn ranks_end_by_the_clock_after_the_same_steps() {
    let timed = on_ranks(3, |ranks| {
        let budget = Budget::time(Duration::from_millis(150));
        search(ranks, config(5)).run(&connect4(&[]), budget).expect("it runs")
    });
    let steps = timed[0].performance.steps;
    assert!(steps > 0);
    let expected = search(&Ranks::default(), Config { memory: Some(2 << 30), ..config(5) })
        .run(&connect4(&[]), Budget::steps(steps))
        .expect("it runs");
    for report in timed {
        assert_eq!(report.performance.steps, steps);
        assert_eq!((report.fingerprint, report.best), (expected.fingerprint.clone(), expected.best.clone()));
    }
}

/// Between steps, and within one, which all ranks then undo.
#[test]
fn one_rank_ends_the_search_of_all() {
    for units in [None, Some(2)] {
        let ended = on_ranks(3, |ranks| {
            let mut search = search(ranks, config(5));
            search.cut_steps(units);
            let mut calls = 0;
            let stops = |_| {
                calls += 1;
                if ranks.rank() == 1 && calls == 30 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            search
                .run_with(&connect4(&[]), Budget::steps(1 << 40).within(Duration::from_secs(600)), stops)
                .expect("it runs")
        });
        let steps = ended[0].performance.steps;
        let expected =
            search(&Ranks::default(), config(5)).run(&connect4(&[]), Budget::steps(steps)).expect("it runs");
        for report in ended {
            assert_eq!((report.performance.steps, report.fingerprint), (steps, expected.fingerprint.clone()));
        }
    }
}

#[test]
fn adapters_and_the_cpu_search_together() {
    let run = |engine: &Engine| {
        let game = gomoku_of(6);
        let sizes = Config { node_limit: Some(2000), variant: Variant::ACP_THRIFTY, ..config(5) };
        let mut search = search_on(engine, game.clone(), sizes);
        let start = Position::start(&game);
        let mut later = start.clone();
        later.play(14).expect("a legal action");
        let one = search.run(&start, Budget::steps(12)).expect("it runs");
        let mut reports = search.run_batch(&[start, later], Budget::steps(8)).expect("it runs");
        reports.push(one);
        reports.iter().map(found).collect::<Vec<_>>()
    };
    let expected = run(&Engine::cpu());
    each_adapter(|adapter| {
        // The adapter has the first trees, then the last ones.
        for on_adapter in [0, 1] {
            let got = on_ranks(2, |ranks| {
                let engine = if ranks.rank() == on_adapter { opened(adapter) } else { Engine::cpu() };
                run(&engine.over(ranks))
            });
            assert_eq!(got, [&expected[..], &expected[..]], "{:?}", adapter.info());
        }
    });
}

#[test]
fn a_report_has_its_ranks() {
    let reports =
        on_ranks(3, |ranks| search(ranks, config(7)).run(&connect4(&[]), Budget::steps(3)).expect("it runs"));
    let trees: Vec<_> = reports[2].engine.ranks.iter().map(|share| share.trees).collect();
    assert_eq!(trees, [Some(2), Some(2), Some(3)]);
    assert!(reports[0].engine.adapter.starts_with("3 ranks of CPU"), "{}", reports[0].engine.adapter);
    assert_eq!(reports[0].engine, reports[1].engine);
}

#[test]
fn an_error_of_one_rank_is_one_of_all() {
    let game = Connect4::default();
    let other = |ranks: &Ranks| u32::from(ranks.rank() == 1);
    let new =
        |ranks: &Ranks, config: Config| Search::with_config(&Engine::cpu().over(ranks), game.clone(), config);
    let made = on_ranks(3, |ranks| new(ranks, config(4 + other(ranks))).map(drop));
    assert_failed(&made, 1, ErrorKind::BadInput);
    let made = on_ranks(3, |ranks| new(ranks, config(4 * (1 - other(ranks)))).map(drop));
    assert_failed(&made, 1, ErrorKind::BadInput);
    let made = on_ranks(3, |ranks| {
        let net = network(&game, Trunk::Dense, other(ranks), 16);
        let engine = Engine::cpu().over(ranks).with_network(Some(net));
        Search::new(&engine, game.clone(), Settings::default()).map(drop)
    });
    assert_failed(&made, 1, ErrorKind::BadInput);
    let run = |of: &(dyn Fn(&mut Search<Connect4>, u32) -> Result<Report> + Sync)| {
        let run = on_ranks(3, |ranks| {
            let mut search = search(ranks, config(4));
            let first = of(&mut search, other(ranks));
            // The search is usable afterwards.
            search.run(&connect4(&[]), Budget::steps(2)).expect("it runs");
            first
        });
        assert_failed(&run, 1, ErrorKind::BadInput);
    };
    run(&|search, other| search.run(&connect4(&[]), Budget::steps(u64::from(7 + other))));
    run(&|search, other| search.run(&connect4(&[]), Budget::steps(u64::from(1 - other))));
    run(&|search, other| search.run(&connect4(if other > 0 { &["3"] } else { &["2"] }), Budget::steps(2)));
    run(&|search, other| {
        let batch = search.run_batch(&vec![connect4(&[]); 1 - other as usize], Budget::steps(2));
        batch.map(|mut reports| reports.remove(0))
    });
}

/// During a search, and before it.
#[test]
fn a_device_that_is_lost_on_one_rank_is_an_error_of_all() {
    each_adapter(|adapter| {
        for lost_at_once in [true, false] {
            let ended = on_ranks(2, |ranks| {
                let device = own_device(adapter);
                let engine = engine_of(&device);
                let engine = if ranks.rank() == 1 { engine } else { Engine::cpu() };
                let mut search = search_on(&engine.over(ranks), Connect4::default(), config(2));
                if lost_at_once {
                    device.wgpu().destroy();
                }
                let lose = |_| {
                    device.wgpu().destroy();
                    ControlFlow::Continue(())
                };
                search.run_with(&connect4(&[]), Budget::steps(1 << 40), lose).map(drop)
            });
            assert_failed(&ended, 1, ErrorKind::DeviceLost);
        }
    });
}

#[test]
fn a_rank_that_ends_early_is_an_error_of_the_others() {
    let ended = on_ranks(3, |ranks| {
        let mut search = search(ranks, config(3));
        if ranks.rank() == 2 {
            return None;
        }
        Some(search.run(&connect4(&[]), Budget::steps(2)).map(drop).map_err(|error| error.kind()))
    });
    assert_eq!(ended, [Some(Err(ErrorKind::Rank)), Some(Err(ErrorKind::Rank)), None]);
}
