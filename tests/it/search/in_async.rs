//! Searches, rollouts and alpha-beta in an async program: several at a time on one thread, and some that are dropped.

use crate::support::prelude::*;
use futures_util::future::{Either, join, select};
use mcts_wgpu::{
    Progress,
    pvsplit::{Board, Connect4Board, PvSplit, SplitReport, SplitSizes, sequential},
};
use std::{
    cell::Cell,
    future::{Future, ready},
    pin::pin,
    task::{Context, Poll, Waker},
};

fn search(engine: &Engine, variant: Variant) -> Search<Connect4> {
    let config = Config { variant, trees: 2, playouts: 32, ..Config::paper() };
    search_on(engine, Connect4::default(), config)
}

fn run(search: &mut Search<Connect4>) -> impl Future<Output = Report> {
    let positions = [Position::start(&Connect4::default())];
    async move {
        let ran = search.run_async(&positions, Budget::steps(40), |_| ControlFlow::Continue(())).await;
        ran.expect("the search runs").remove(0)
    }
}

#[test]
fn searches_and_rollouts_run_side_by_side_on_one_thread() {
    let expected = [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL]
        .map(|variant| block_on(run(&mut search(&Engine::cpu(), variant))).fingerprint);
    each_adapter(|adapter| {
        let engine = block_on(Engine::open_async(&adapter.info().index.to_string(), None)).expect("it opens");
        let [mut one, mut other] =
            [Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL].map(|variant| search(&engine, variant));
        let mut rollouts =
            Rollouts::new(&engine, Othello, RolloutConfig::default()).expect("the rollouts start");
        let games = async {
            let start = Position::start(&Othello);
            let ran = rollouts.run_async(&start, 500, None, |_| ControlFlow::Continue(())).await;
            ran.expect("the games are played").games
        };
        let (reports, games) = block_on(join(join(run(&mut one), run(&mut other)), games));
        let found = [reports.0.fingerprint, reports.1.fingerprint];
        assert_eq!((found, games), (expected.clone(), 500), "{:?}", adapter.info());
    });
}

/// Progress within one poll: each submission once. A poll ends after one submission and the end of a step, and the
/// submission of the next one, on any machine.
#[test]
fn polls_are_short() {
    each_engine(|engine| {
        let mut search = search(engine, Variant::ACP_PRODIGAL);
        let positions = [Position::start(&Connect4::default())];
        let message = Cell::new(0);
        let progress = |_| {
            message.set(message.get() + 1);
            ControlFlow::Continue(())
        };
        let mut run = pin!(search.run_async(&positions, Budget::steps(300), progress));
        let (mut most, mut in_all) = (0, 0);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let polled = run.as_mut().poll(&mut context);
            (most, in_all) = (most.max(message.get()), in_all + message.replace(0));
            if let Poll::Ready(reports) = polled {
                assert_eq!(reports.expect("the search runs")[0].performance.steps, 300);
                break;
            }
        }
        assert!(most <= 2 && in_all > 5, "{engine:?}: {most} of {in_all} submissions ended within one poll");
    });
}

/// A run that is dropped after some polls makes no more steps.
#[test]
fn dropping_a_run_ends_it() {
    each_engine(|engine| {
        let mut search = search(engine, Variant::ACP_PRODIGAL);
        let positions = [Position::start(&Connect4::default())];
        let steps = Cell::new(0);
        {
            let progress = |now: Progress| {
                steps.set(now.steps);
                ControlFlow::Continue(())
            };
            let mut run = pin!(search.run_async(&positions, Budget::steps(u64::MAX), progress));
            while steps.get() < 3 {
                let polled = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                assert!(polled.is_pending(), "{engine:?}: the budget has no end");
            }
        }
        let report = block_on(run(&mut search));
        assert_eq!(report.performance.steps, 40, "{engine:?}");
    });
}

/// After a run that is dropped at its first wait, the search runs again, with or without progress of its streams.
#[test]
fn a_run_that_is_dropped_leaves_a_search_that_runs() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let mut search = search(&engine, Variant::ACP_PRODIGAL);
        block_on(select(pin!(run(&mut search)), ready(())));
        let report = block_on(run(&mut search));
        assert_eq!((report.performance.steps, report.trees_info.full), (40, false));
    });
}

/// Alpha-beta of Connect 4's start, to a depth that takes some submissions.
fn split(search: &mut PvSplit<Connect4Board>) -> impl Future<Output = SplitReport> {
    let board = connect4();
    async move {
        let ran = search.run_async(&board, SplitLimit::depth(7), |_| ControlFlow::Continue(())).await;
        ran.expect("the search runs")
    }
}

fn connect4() -> Connect4Board {
    Connect4Board::from_position(&Position::start(&Connect4::default())).expect("a board")
}

/// Two searches on one device, which do not wait for each other; one of them has been dropped before.
#[test]
fn alpha_beta_gives_its_thread_back_and_can_be_given_up() {
    let board = connect4();
    let expected = sequential(&board, SplitLimit::depth(7)).expect("the search runs").score();
    each_fast_adapter(|adapter| {
        let device = device(adapter);
        let sizes = SplitSizes { workers: Some(64), host_nodes: Some(0), ..SplitSizes::default() };
        let new = || block_on(PvSplit::sized(&device, &board, 7, sizes)).expect("it compiles");
        let (mut one, mut other) = (new(), new());
        let waits = matches!(block_on(select(pin!(split(&mut one)), ready(()))), Either::Right(_));
        assert!(waits, "it ends before the first wait");
        let (one, other) = block_on(join(split(&mut one), split(&mut other)));
        assert_eq!([one.score(), other.score()], [expected; 2], "{:?}", adapter.info());
    });
}
