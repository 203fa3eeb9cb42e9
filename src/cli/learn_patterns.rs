//! `mcts-wgpu learn-patterns`: ratings of Go patterns from game records.

use super::{
    failure::{Failure, Result},
    output::{OutFile, notice, print_result},
    progress::Progress,
};
use crate::{
    input,
    patterns::{
        LearnOptions, LearnReport, Learnt, PatternShape,
        bradley_terry::FitOptions,
        learn,
        records::{MoveChoices, read_games},
    },
};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// The greatest size of a file of game records in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// Learn ratings of Go's patterns of neighbours from game records
///
/// Reads SGF files of square boards up to 19x19, with one or many games, and writes a table of ratings for `--policy
/// FILE` of search, play and rollout. The ratings are those of a Bradley-Terry model, in which each move has won
/// against all other candidates of a playout (Coulom, Computing Elo Ratings of Move Patterns in the Game of Go, 2007).
#[derive(Debug, Args)]
pub struct Arguments {
    /// Game records in SGF
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Pattern: 3x3 (the eight neighbours) or m2 (the twelve points within Manhattan distance 2)
    #[arg(long, default_value = "3x3")]
    shape: PatternShape,
    /// File for the table; an existing file is replaced [default: patterns-3x3.txt or patterns-m2.txt, if it does not
    /// exist]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Share of the games that is held out, to measure the prediction of their moves
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    hold_out: f64,
    /// Least number of candidates of a pattern with a rating of its own; rarer patterns share a rating
    #[arg(long, value_name = "N", default_value_t = LearnOptions::new(PatternShape::Square).min_seen)]
    min_seen: u32,
    /// Prior wins and losses of each pattern, against a pattern of average strength
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().prior)]
    prior: f64,
    /// Greatest number of sweeps of the fit
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().max_sweeps)]
    max_sweeps: u32,
    /// Skip games that can't be read, with a notice, instead of ending at the first one
    #[arg(long)]
    skip_bad: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Learns the ratings, writes the table, and prints how well it predicts moves.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (path, file) = target(arguments)?;
    let reading = Progress::spinner("reading game records");
    let games = read_all(arguments)?;
    drop(reading);
    let learning = Progress::spinner("learning patterns");
    let learnt = learn(&games, &arguments.options())?;
    drop(learning);
    file.write(table_text(&learnt))?;
    let table = path.display().to_string();
    print_result(arguments.json, &Account { report: &learnt.report, table: &table }, || {
        format!("{}\ntable: {table} (to use it: --policy {table})\n", text(&learnt.report))
    })
}

/// The JSON output.
#[derive(Serialize)]
struct Account<'a> {
    #[serde(flatten)]
    report: &'a LearnReport,
    table: &'a str,
}

impl Arguments {
    fn options(&self) -> LearnOptions {
        let &Self { shape, hold_out, min_seen, prior, max_sweeps, .. } = self;
        let fit = FitOptions { prior, max_sweeps, ..FitOptions::default() };
        LearnOptions { shape, hold_out, min_seen, fit }
    }
}

/// The choices of moves in all games, in the order of the files.
fn read_all(arguments: &Arguments) -> Result<Vec<MoveChoices>> {
    let mut games = Vec::new();
    for path in &arguments.files {
        for game in read_file(path)? {
            match game {
                Ok(choices) => games.push(choices),
                Err(error) if arguments.skip_bad => {
                    notice(&format!("notice: {}: {error}; left out", path.display()))
                }
                Err(error) => return Err(Failure::from(error).of(path.display())),
            }
        }
    }
    Ok(games)
}

fn read_file(path: &Path) -> Result<Vec<crate::error::Result<MoveChoices>>> {
    let bytes = input::read_file(path, MOST_BYTES).map_err(|why| Failure::message(why).of(path.display()))?;
    let records = read_games(bytes);
    for note in records.iter().flatten().flat_map(|record| &record.notes) {
        notice(&format!("notice: {}: {note}", path.display()));
    }
    Ok(records.into_par_iter().map(|record| record?.choices()).collect())
}

/// The file for the table. Only a file named by the user is replaced.
fn target(arguments: &Arguments) -> Result<(PathBuf, OutFile)> {
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("patterns-{}.txt", arguments.shape.name())),
    };
    if arguments.out.is_none() && path.exists() {
        return Err(Failure::message(format!(
            "{0} exists already: give --out {0} to replace it, or another name",
            path.display()
        )));
    }
    let file = OutFile::open("--out", &path)?;
    Ok((path, file))
}

/// The table's text, after a comment on its games.
fn table_text(learnt: &Learnt) -> String {
    let LearnReport { shape, games, moves, .. } = &learnt.report;
    format!("# {shape} patterns learnt from {games} games, {moves} moves\n") + &learnt.table.to_text()
}

fn text(report: &LearnReport) -> String {
    let LearnReport { shape, games, held_out_games, moves, held_out_moves, .. } = report;
    let mut text = format!("{shape} patterns from {games} games ({moves} moves); ");
    writeln!(text, "{held_out_games} games ({held_out_moves} moves) held out").ok();
    if report.moves_left_out > 0 {
        let count = report.moves_left_out;
        writeln!(text, "{count} moves into own eyes ignored: playouts don't make them").ok();
    }
    let LearnReport {
        candidates, patterns_seen, patterns_rated, sweeps, scale, clipped: [above, below], ..
    } = report;
    let patterns = format!("{patterns_seen} different patterns; {patterns_rated} are rated");
    writeln!(text, "{candidates} candidates had {patterns}").ok();
    let converged = if report.converged { "converged" } else { "not converged: allow more by --max-sweeps" };
    writeln!(text, "{sweeps} sweeps, {converged}").ok();
    let cut = format!("{above} ratings cut at the upper end, {below} at the lower");
    writeln!(text, "strength 1 is rating {scale:.1}; {cut}").ok();
    writeln!(text, "\n  mean ln(probability)    uniform     fitted      table").ok();
    let rows = [
        ("moves learnt from", Some(report.log_likelihood)),
        ("moves held out", report.held_out_log_likelihood),
    ];
    for (name, of) in rows {
        if let Some(of) = of {
            writeln!(text, "  {name:20} {:10.4} {:10.4} {:10.4}", of.uniform, of.fitted, of.table).ok();
        }
    }
    text
}
