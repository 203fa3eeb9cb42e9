//! Checks and measures the cases of an engine.

use super::{
    BenchSettings, Case, CaseCheck, Figures, Work,
    known::{Known, known},
    plays::{pvsplit, rollouts},
    report::{Ended, are_steady, have_settled},
    roofline::roofline,
    searches::{Workload, check_memory},
    seeding::{seeding, trial},
    task::{Task, game_of},
};
use crate::{
    any_game::AnyGame,
    device::AdapterKind,
    engine::Engine,
    error::{Error, Result},
    host::give_way,
};
use std::{collections::HashMap, ops::ControlFlow};

/// The greatest estimated time of a step in seconds: steps can't be interrupted, so that cases with longer ones are
/// skipped.
const LONGEST_STEP: f64 = 5.0;

/// The greatest number of warm-up runs of a case, in which drivers compile, clock rates rise, and trees allocate their
/// memory.
const MOST_WARM_UPS: usize = 5;

/// Called during a case with the number of counted runs that have ended, `None` before the first one begins; breaks to
/// end the benchmark.
pub(super) type Tick<'a> = &'a mut dyn FnMut(Option<u32>) -> ControlFlow<()>;

/// The cases of one engine.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    settings: &'a BenchSettings,
    /// By [kind of work](Work::kind): the best rate so far, per second, to predict the time of steps.
    rates: HashMap<String, f64>,
}

impl<'a> Bench<'a> {
    pub fn new(settings: &'a BenchSettings) -> Self {
        Self { settings, rates: HashMap::new() }
    }

    /// Checks and measures a case. A case that fails is skipped, with the error as the reason.
    pub async fn case(&mut self, engine: &Engine, case: &Case, tick: Tick<'_>) -> Ended {
        if tick(None).is_break() {
            return Ended::Interrupted;
        }
        let kind = engine.kind();
        let known = known(case, kind);
        let ended = match self.task(engine, case.work, kind).await {
            Ok(mut task) => self.measure(&mut *task, case.work, known, tick).await,
            Err(error) => Err(error),
        };
        ended.unwrap_or_else(|error| Ended::Skipped(error.to_string()))
    }

    /// The task of a case; `kind` determines the settings of a default search.
    async fn task(&mut self, engine: &Engine, work: Work, kind: AdapterKind) -> Result<Box<dyn Task>> {
        match work {
            Work::Search { game, .. }
            | Work::Default { game, .. }
            | Work::Network { game, .. }
            | Work::Rollout { game, .. } => {
                let file = self.settings.game_file.as_deref();
                self.task_of(game_of(game, file, engine)?, engine, work, kind).await
            }
            Work::Seeding { streams } => {
                let rate = trial(engine, streams).await?;
                self.note_rate(work, rate);
                self.check_step(work, u64::from(streams))?;
                seeding(engine, streams).await
            }
            Work::PvSplit { size, depth } => pvsplit(engine, size, depth).await,
            Work::Roofline(roof) => roofline(engine, roof).await,
        }
    }

    /// Checks a task, and measures it if it has the known result.
    async fn measure(
        &mut self,
        task: &mut dyn Task,
        work: Work,
        known: Option<&Known>,
        tick: Tick<'_>,
    ) -> Result<Ended> {
        let mut evidence = None;
        if let Some(known) = known {
            let Some(found) = task.check(known.amount, &mut || tick(None)).await? else {
                return Ok(Ended::Interrupted);
            };
            let checked = evidence.insert(known.evidence(&work, found));
            if checked.check() == CaseCheck::Fail {
                return Ok(Ended::Measured(evidence, Box::default()));
            }
        }
        let Some(figures) = self.figures(task, tick).await? else { return Ok(Ended::Interrupted) };
        // The rate of default searches, with few playouts a step, does not predict the rate of large steps.
        if let (Work::Search { .. }, Some(rate)) = (work, figures.playouts_per_second) {
            self.note_rate(work, rate.max);
        }
        Ok(Ended::Measured(evidence, Box::new(figures)))
    }

    /// The figures of the counted runs: as many as the settings require, and further ones while the rates differ; those
    /// so far if it is interrupted. `None` if there is none.
    async fn figures(&self, task: &mut dyn Task, tick: Tick<'_>) -> Result<Option<Figures>> {
        let BenchSettings { seconds, repeats, more_repeats, .. } = *self.settings;
        let (mut warm_up, mut runs) = (Vec::new(), Vec::new());
        while warm_up.len() < MOST_WARM_UPS && !have_settled(&warm_up) {
            let Some(run) = task.run(seconds, &mut || tick(None)).await? else { return Ok(None) };
            warm_up.push(run);
            give_way().await;
        }
        let (least, most) = (repeats as usize, (repeats + more_repeats) as usize);
        while runs.len() < least || (runs.len() < most && are_steady(&runs) != Some(true)) {
            match task.run(seconds, &mut || tick(Some(runs.len() as u32))).await? {
                Some(run) => runs.push(run),
                None => break,
            }
            give_way().await;
        }
        Ok(Figures::over(&warm_up, &runs))
    }

    /// Notes a rate for predictions.
    fn note_rate(&mut self, of: Work, per_second: f64) {
        let best = self.rates.entry(of.kind()).or_default();
        *best = best.max(per_second);
    }

    /// The task of a case with a game.
    async fn task_of(
        &self,
        game: AnyGame,
        engine: &Engine,
        work: Work,
        kind: AdapterKind,
    ) -> Result<Box<dyn Task>> {
        if let Work::Rollout { policy, .. } = work {
            return rollouts(engine, game, policy).await;
        }
        check_memory(engine, work)?;
        let workload = Workload::new(game, work, kind, self.settings.memory)?;
        self.check_step(work, workload.playouts())?;
        workload.task(engine).await
    }

    /// Checks the predicted time of a step of this many playouts or streams.
    ///
    /// # Errors
    /// Bad input if it exceeds [`LONGEST_STEP`].
    fn check_step(&self, of: Work, count: u64) -> Result<()> {
        let Some(rate) = self.rates.get(&of.kind()) else { return Ok(()) };
        let seconds = count as f64 / rate;
        if seconds <= LONGEST_STEP {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "too slow here: {count} at once, at {rate:.0} per second, would take about {seconds:.0} s"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bench::{cases, known::table, roofline::twin},
        host::block_on,
    };

    #[test]
    fn steps_of_too_long_a_predicted_time_are_refused() {
        let settings = BenchSettings::quick();
        let mut bench = Bench::new(&settings);
        let [gomoku, connect4] =
            [cases::GOMOKU, cases::CONNECT4].map(|game| Work::Default { game, by_playouts: true });
        assert!(bench.check_step(gomoku, u64::MAX).is_ok());
        bench.note_rate(gomoku, 1e4);
        bench.note_rate(gomoku, 1e3);
        assert!(bench.check_step(gomoku, 50_000).is_ok());
        assert!(bench.check_step(gomoku, 51_000).unwrap_err().is_bad_input());
        assert!(bench.check_step(connect4, 51_000).is_ok());
    }

    /// Cases that take the CPU engine too long for a test.
    const LONG: [&str; 3] = ["connect4 acp 512x512", "gomoku acp 64x512", "go 19 pvsplit 6"];

    /// The table computed again, without the lines that are left out.
    fn recomputed(left_out: impl Fn(&str) -> bool) -> Vec<Known> {
        let (engine, settings) = (Engine::cpu(), BenchSettings::default());
        let cases = cases::all(false).into_iter().chain(cases::all(true)).collect::<Vec<_>>();
        let mut bench = Bench::new(&settings);
        let again = table().iter().map(|known| {
            let case = cases.iter().find(|case| case.name == known.case).expect("there is such a case");
            if left_out(&case.name) {
                return known.clone();
            }
            let kind = known.kind.unwrap_or(AdapterKind::Cpu);
            if let Work::Roofline(roof) = case.work {
                return Known { result: twin(roof, known.amount), ..known.clone() };
            }
            let mut work = case.work;
            // Memory for GPUs alone does not change the result.
            if let Work::Search { memory, .. } = &mut work {
                *memory = None;
            }
            let mut task = block_on(async {
                match work {
                    // Also where it takes longer than a case may.
                    Work::Seeding { streams } => seeding(&engine, streams).await,
                    _ => bench.task(&engine, work, kind).await,
                }
            })
            .expect("it can be done");
            let found =
                block_on(task.check(known.amount, &mut || ControlFlow::Continue(()))).expect("it is done");
            Known { result: found.expect("nobody interrupts it"), ..known.clone() }
        });
        again.collect()
    }

    fn assert_is_table(again: &[Known]) {
        let lines: Vec<_> = again.iter().map(|known| serde_json::to_string(known).expect("JSON")).collect();
        assert!(again == table(), "write this to src/bench/fingerprints.json:\n[\n{}\n]", lines.join(",\n"));
    }

    #[test]
    fn the_cpu_engine_has_the_known_results() {
        assert_is_table(&recomputed(|name| LONG.contains(&name)));
    }

    #[test]
    #[ignore = "takes a minute of two cores: run it if the table changes"]
    fn the_cpu_engine_has_the_known_results_of_long_cases() {
        assert_is_table(&recomputed(|name| !LONG.contains(&name)));
    }

    #[test]
    fn every_case_of_the_built_in_games_has_its_lines() {
        for case in cases::all(false).iter().chain(&cases::all(true)) {
            let [gpu, cpu, software] = [AdapterKind::Discrete, AdapterKind::Cpu, AdapterKind::Software]
                .map(|kind| known(case, kind));
            assert!(gpu.is_some() && cpu.is_some() && software.is_some(), "{case:?}");
            let is_default = matches!(case.work, Work::Default { .. });
            assert_eq!(gpu != cpu && cpu != software, is_default, "{case:?}");
        }
    }
}
