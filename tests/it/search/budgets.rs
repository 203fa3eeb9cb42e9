//! Budgets, progress and cancellation, on every engine.

use super::start;
use crate::support::prelude::*;
use mcts_wgpu::Progress;

/// Calls `check` for the CPU and every adapter, with both schedules.
fn each_search(check: impl Fn(&mut Search<Connect4>, &str) + Sync) {
    let config = Config { trees: 2, playouts: 32, node_limit: Some(200_000), ..Config::paper() };
    each_engine(|engine| {
        for schedule in SCHEDULES {
            let mut search = search_on(engine, Connect4::default(), Config { schedule, ..config });
            check(&mut search, &format!("{} {}", engine.info().adapter, schedule.name()));
        }
    });
}

#[test]
fn progress_grows_and_ends_at_the_budget() {
    each_search(|search, name| {
        let mut seen: Vec<Progress> = Vec::new();
        let report = search.run_with(&start(), Budget::steps(777), |progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        });
        assert_eq!(report.expect("the search runs").performance.steps, 777, "{name}");
        assert!(seen.is_sorted_by(|a, b| a.steps <= b.steps && a.elapsed <= b.elapsed), "{name}");
        assert!(seen.iter().all(|progress| progress.of_steps == 777 && progress.of_time.is_none()), "{name}");
        assert_eq!(seen.last().map(|progress| progress.steps), Some(777), "{name}");
    });
}

#[test]
fn a_break_ends_the_search_with_a_whole_report() {
    each_search(|search, name| {
        let report = search.run_with(&start(), Budget::steps(1 << 40), |progress| {
            if progress.steps < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let report = report.expect("the search runs");
        let steps = report.performance.steps;
        assert!((3..1 << 40).contains(&steps), "{name}: {steps}");
        // The steps made are those of a search that was asked for as many.
        let expected = super::search(&Engine::cpu(), search.config()).steps(&start(), steps);
        assert_eq!(report.fingerprint, expected.fingerprint, "{name}");
    });
}

/// A search that did not look at the clock would go on for days.
#[test]
fn time_ends_a_search() {
    each_search(|search, name| {
        let budget = Budget::steps(1 << 40).within(Duration::from_millis(300));
        let report = search.run(&start(), budget).expect("the search runs");
        assert!((1..1 << 40).contains(&report.performance.steps), "{name}");
    });
}

#[test]
fn an_empty_budget_is_refused_and_harms_nothing() {
    each_search(|search, name| {
        assert!(search.run(&start(), Budget::steps(0)).expect_err("nothing to do").is_bad_input(), "{name}");
        assert!(search.run_batch(&[], Budget::steps(1)).expect_err("nothing to do").is_bad_input(), "{name}");
        let report = search.steps(&start(), 2);
        assert_eq!(report.performance.steps, 2, "{name}");
    });
}
