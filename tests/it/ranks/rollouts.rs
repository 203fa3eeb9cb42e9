//! Rollouts over ranks.

use super::assert_failed;
use crate::support::{prelude::*, ranks::on_ranks};
use mcts_wgpu::Ranks;

fn rollouts(engine: &Engine) -> Rollouts<Othello> {
    Rollouts::new(engine, Othello, RolloutConfig { seed: 9, ..RolloutConfig::default() }).expect("they start")
}

fn over(ranks: &Ranks) -> Rollouts<Othello> {
    rollouts(&Engine::cpu().over(ranks))
}

fn counts(report: &RolloutReport) -> ([u64; 4], f64, Option<f64>) {
    let RolloutReport { games, first_wins, second_wins, draws, .. } = *report;
    ([games, first_wins, second_wins, draws], report.mean_length, report.mean_score)
}

/// The results of 1, 2000 and 5 games, whose numbers go on from run to run.
fn played(mut rollouts: Rollouts<Othello>) -> Vec<([u64; 4], f64, Option<f64>)> {
    let run = |games| counts(&rollouts.run(&Position::start(&Othello), games).expect("the games are played"));
    [1, 2000, 5].map(run).into()
}

#[test]
fn ranks_equal_one_machine() {
    let expected = played(rollouts(&Engine::cpu()));
    for size in [1, 2, 3] {
        assert_eq!(on_ranks(size, |ranks| played(over(ranks))), vec![expected.clone(); size]);
    }
    each_adapter(|adapter| {
        let got = on_ranks(2, |ranks| match ranks.rank() {
            0 => played(over(ranks)),
            _ => played(rollouts(&opened(adapter).over(ranks))),
        });
        assert_eq!(got, [&expected[..], &expected[..]], "{:?}", adapter.info());
    });
}

/// Whatever their number, they are the first ones.
#[test]
fn games_played_until_a_time_or_a_break_are_the_first_ones() {
    let start = Position::start(&Othello);
    for (time, rank) in [(Some(Duration::from_millis(30)), usize::MAX), (None, 0), (None, 1)] {
        let reports = on_ranks(2, |ranks| {
            let stop =
                |_| if ranks.rank() == rank { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            let report = over(ranks).run_with(&start, u64::MAX, time, stop);
            counts(&report.expect("the games are played"))
        });
        let games = reports[0].0[0];
        let expected = rollouts(&Engine::cpu()).run(&start, games).expect("the games are played");
        assert_eq!(reports, [counts(&expected), counts(&expected)]);
    }
}

#[test]
fn an_error_of_one_rank_is_one_of_all() {
    let run = |games: [u64; 2]| {
        on_ranks(2, |ranks| over(ranks).run(&Position::start(&Othello), games[ranks.rank()]).map(drop))
    };
    assert_failed(&run([10, 0]), 1, ErrorKind::BadInput);
    assert_failed(&run([0, 10]), 0, ErrorKind::BadInput);
    assert_failed(&run([10, 11]), 1, ErrorKind::BadInput);
    let made = on_ranks(2, |ranks| {
        let config = RolloutConfig { seed: ranks.rank() as u64, ..RolloutConfig::default() };
        Rollouts::new(&Engine::cpu().over(ranks), Othello, config).map(drop)
    });
    assert_failed(&made, 1, ErrorKind::BadInput);
}
