//! `mcts-wgpu learn-patterns`: ratings of Go patterns from game records.

use super::{
    failure::{Failure, Result},
    output::{OutFile, notice, print_result},
    progress::Progress,
};
use crate::{
    input,
    patterns::{
        LearnOptions, LearnReport, Learnt, PatternShape, learn,
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
    #[command(flatten)]
    options: LearnOptions,
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
    let learnt = learn(&games, &LearnOptions { shape: arguments.shape, ..arguments.options })?;
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
