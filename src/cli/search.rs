//! `mcts-wgpu search`: the best move of a position, or of many.

use super::{
    failure::{Failure, Result},
    games::GameOptions,
    help::OUTPUT,
    options::{EngineOptions, SearchOptions, print_idle},
    output::{notice, print_json_lines, print_result},
    position::PositionOptions,
    positions::Lines,
    progress::Progress,
    ranks, signals, summary,
};
use crate::{
    forest::Settings,
    rules::{Game, Position},
    search::{Budget, Report, Search},
};
use clap::Args;
use std::path::{Path, PathBuf};

/// Positions that --jsonl searches side by side: fixed, so that results do not depend on the machine.
const BATCH: usize = 1024;

/// Search a position for the best move
#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Arguments {
    #[command(flatten)]
    pub game: GameOptions,
    #[command(flatten)]
    position: PositionOptions,
    /// Search many positions side by side: a file with one a line, written as for --moves; - for standard input
    ///
    /// An empty line is the start of the game. For a finished game, the report's best action is null. The principal
    /// variation of a report has its best action only.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Positions searched side by side [default: all, or 1024 with --jsonl]
    ///
    /// The others follow in further batches, each with its own --steps or --time and all of --memory. A position has
    /// the random streams of its place in the batch, which continue from batch to batch: results depend on N and on the
    /// line, but with --steps not on the machine.
    #[arg(long, value_name = "N", requires = "positions", value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    pub engine: EngineOptions,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    /// Print a line of JSON for each of --positions, batch by batch; the file is read on demand
    #[arg(long, requires = "positions", help_heading = OUTPUT)]
    jsonl: bool,
}

/// Searches, and prints the results.
pub fn run(arguments: &Arguments) -> Result<()> {
    let game = arguments.game.open(&arguments.engine)?;
    let (budget, settings) = (arguments.search.budget()?, arguments.search.settings()?);
    let task = Task { arguments, budget, settings };
    task.settings.validate()?;
    match &arguments.positions {
        Some(path) => task.many(&game, path),
        None => task.one(game),
    }
}

/// A search of one position, or of batches.
struct Task<'a> {
    arguments: &'a Arguments,
    budget: Budget,
    settings: Settings,
}

impl Task<'_> {
    fn one<G: Game>(&self, game: G) -> Result<()> {
        let position = self.arguments.position.ongoing(&game, "no move to search for")?;
        let mut search = self.open(game, 1)?;
        let report = self.batch(&mut search, std::slice::from_ref(&position))?.pop();
        let report = report.ok_or_else(|| Failure::message("the search ended without a report"))?;
        warn_of_few_steps(&report);
        tell_end(usize::from(report.trees_info.full), 1);
        print_result(self.arguments.json, &report, || summary::one(&position, &report))
    }

    fn many<G: Game>(&self, game: &G, path: &Path) -> Result<()> {
        let Arguments { position, batch, json, jsonl, .. } = self.arguments;
        if !position.is_empty() {
            return Err(Failure::message(
                "--positions gives the positions: leave out --moves, --board and --turn",
            ));
        }
        let mut lines = Lines::open(path)?;
        let side_by_side =
            batch.map(|batch| batch as usize).unwrap_or(if *jsonl { BATCH } else { usize::MAX });
        if *jsonl {
            return self.line_by_line(game, &mut lines, side_by_side);
        }
        let positions = lines.positions(game, usize::MAX)?;
        let side_by_side = side_by_side.min(positions.len());
        let mut search = self.open(game.clone(), side_by_side)?;
        let mut reports = Vec::new();
        for (number, batch) in positions.chunks(side_by_side).enumerate() {
            let found = self.batch(&mut search, batch)?;
            reports.extend(numbered(found, number * side_by_side));
            if ranks::stopped()? {
                break;
            }
        }
        reports.first().into_iter().for_each(warn_of_few_steps);
        tell_end(full(&reports), reports.len());
        print_result(*json, &reports, || summary::many(&positions, &reports))
    }

    /// Searches batch by batch, with one batch in memory.
    fn line_by_line<G: Game>(&self, game: &G, lines: &mut Lines, side_by_side: usize) -> Result<()> {
        let mut positions = lines.positions(game, side_by_side)?;
        let mut search = self.open(game.clone(), positions.len())?;
        let (mut done, mut full_trees) = (0, 0);
        loop {
            let reports: Vec<_> = numbered(self.batch(&mut search, &positions)?, done).collect();
            if done == 0 {
                reports.first().into_iter().for_each(warn_of_few_steps);
            }
            done += reports.len();
            full_trees += full(&reports);
            print_json_lines(&reports)?;
            if ranks::stopped()? {
                break;
            }
            // Reading may take long: a signal ends the program meanwhile.
            signals::release();
            positions = lines.more(game, side_by_side)?;
            if positions.is_empty() {
                break;
            }
        }
        tell_end(full_trees, done);
        Ok(())
    }

    /// Checks the options before it opens a device.
    fn open<G: Game>(&self, game: G, positions: usize) -> Result<Search<G>> {
        let count = u32::try_from(positions).map_err(|_| Failure::message("more than 2^32 positions"))?;
        let mut settings = self.settings.clone();
        if count > 1 {
            // Many positions occupy a GPU with one leaf each.
            settings.leaf_batch.get_or_insert(1);
        }
        settings.check(&game, count)?;
        print_idle("", &settings.idle(&game), &game);
        if settings.reuse == Some(true) && (count > 1 || self.arguments.positions.is_none()) {
            notice(
                "notice: reuse has no effect here: only positions that are searched one after another reuse trees \
                 (--positions FILE --batch 1)",
            );
        }
        let engine = self.arguments.engine.open()?.over(ranks::of_job());
        let _compiling = Progress::begin(&engine);
        let mut search = Search::new(&engine, game, settings)?;
        search.prepare(positions, self.budget)?;
        Ok(search)
    }

    fn batch<G: Game>(&self, search: &mut Search<G>, positions: &[Position<G>]) -> Result<Vec<Report>> {
        let progress = Progress::spinner("searching");
        Ok(search.run_batch_with(positions, self.budget, |now| progress.search(now))?)
    }
}

/// Adds the number of its line to each report; `before` is the number of earlier lines.
fn numbered(reports: Vec<Report>, before: usize) -> impl Iterator<Item = Report> {
    (before as u64 + 1..).zip(reports).map(|(line, mut report)| {
        report.position.line = Some(line);
        report
    })
}

fn full(reports: &[Report]) -> usize {
    reports.iter().filter(|report| report.trees_info.full).count()
}

fn tell_end(full: usize, positions: usize) {
    signals::tell("this is the result so far");
    if full > 0 {
        let of = if positions > 1 { format!(" of {full} positions") } else { String::new() };
        notice(&format!(
            "warning: trees{of} are full: their leaves were played out but not expanded; give more --memory, if \
             the adapter has it, and the --time that trees need to move to it"
        ));
    }
}

/// Warns of searches with too few steps; all reports of a batch have the same number.
fn warn_of_few_steps(report: &Report) {
    let done = &report.performance;
    if !done.few_steps {
        return;
    }
    let made = match done.steps {
        0 => "no step was completed, so there is no result".into(),
        1 => "only one step was completed, so the result is mostly chance".into(),
        steps => format!("only {steps} steps were completed, so the result is mostly chance"),
    };
    notice(&format!("warning: {made}; give more --time, or fewer --trees or --playouts"));
}
