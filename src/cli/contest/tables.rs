//! Standings as text: tables of at most 80 columns.

use crate::{
    cli::{
        failure::Result,
        figure::{rounded, shortened},
        output::OutFile,
        ranks,
    },
    contest::{PairStanding, PlayerStanding, Standings, letter, percent, stats::Tally},
    names::{counted, visible},
};
use clap::Args;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

/// Columns of a terminal.
const WIDTH: usize = 80;
/// Columns of a name in a table.
const NAME: usize = 26;
/// Columns of a score in a cross table.
const CELL: usize = 8;

/// Options of tables.
#[derive(Debug, Args)]
pub struct TableOptions {
    /// Also write the results to this file, as a table in Markdown
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl TableOptions {
    /// Opens the file, if one is given; in an MPI job on the first rank only.
    pub fn open(&self) -> Result<Option<OutFile>> {
        let first = || ranks::of_job().rank() == 0;
        self.out.as_deref().filter(|_| first()).map(|path: &Path| OutFile::open("--out", path)).transpose()
    }
}

/// The score of a match from A's side, and means over the searches.
pub fn of_match(standings: &Standings) -> String {
    let pair = standings.pair(0, 1);
    let (players, _) = standings.players();
    let mut text = String::new();
    for (letter, player) in "AB".chars().zip(&players) {
        _ = writeln!(text, "{letter}: {}", visible(&player.name));
    }
    text += "\nA                 won   drawn    lost    score\n";
    let all = Tally { wins: pair.a_wins, draws: pair.draws, losses: pair.b_wins };
    for (name, tally) in [("moves first", pair.a_first), ("moves second", pair.a_second), ("in all", all)] {
        let Tally { wins, draws, losses } = tally;
        _ = writeln!(text, "{name:12} {wins:>8}{draws:>8}{losses:>8} {:>8}", score_text(tally.score()));
    }
    if let Some(score) = pair.a_score {
        let [low, high] = pair.interval;
        let [score, low, high] = [score, low, high].map(percent);
        _ = writeln!(text, "\nscore of A: {score}, 95 % interval {low} to {high}");
        _ = writeln!(text, "Elo of A over B: {}", elo(&pair));
    }
    for (letter, player) in "AB".chars().zip(&players).filter(|(_, player)| player.faults > 0) {
        _ = writeln!(text, "{letter} has lost {} by fault", counted(player.faults, "game"));
    }
    text + &work(&players)
}

/// The Elo of a match; a bound if A has won or lost every game.
fn elo(pair: &PairStanding) -> String {
    match (pair.elo, pair.elo_interval) {
        (Some(elo), [Some(low), Some(high)]) => format!("{elo:+.0}, 95 % interval {low:+.0} to {high:+.0}"),
        (_, [Some(low), _]) => format!("more than {low:+.0} (95 %): A has won every game"),
        (_, [_, Some(high)]) => format!("less than {high:+.0} (95 %): A has lost every game"),
        _ => "not known".into(),
    }
}

/// The ranking of a tournament, the players' scores against these opponents, and means over their searches.
pub fn of_tournament(standings: &Standings, opponents: &[usize]) -> String {
    let (players, with_prior) = standings.players();
    let mut text = ranking(&players);
    if with_prior {
        text += "\nA player has won or lost every game: for Elo, a draw was added to each pair's games.\n";
    }
    text += "\nscore of the row against the column\n";
    for block in opponents.chunks((WIDTH - 4) / CELL) {
        text += &cross(standings, players.len(), block);
    }
    text + &work(&players)
}

/// The best player first.
fn ranking(players: &[PlayerStanding]) -> String {
    let mut ranked: Vec<_> = players.iter().enumerate().collect();
    let strength = |player: &PlayerStanding| match player.rating {
        Some(rating) => rating.elo,
        None => player.score.unwrap_or(0.0),
    };
    ranked.sort_by(|(_, a), (_, b)| strength(b).total_cmp(&strength(a)));
    let mut text = format!("    {:NAME$}{:>6}{:>8}{:>17}{:>13}\n", "player", "games", "score", "95 %", "Elo");
    for (place, player) in ranked {
        let score = score_text(player.score);
        let [low, high] = player.interval.map(percent);
        let range = player.score.map_or(String::new(), |_| format!("{low} to {high}"));
        let rating = player.rating.map_or("-".into(), |it| format!("{:+.0} ± {:.0}", it.elo, it.error));
        let (letter, name) = (letter(place), shortened(&player.name, NAME - 1));
        _ = writeln!(text, "{letter:<4}{name:NAME$}{:>6}{score:>8}{range:>17}{rating:>13}", player.games);
    }
    for (place, player) in players.iter().enumerate() {
        let name = visible(&player.name);
        if name.chars().count() >= NAME {
            _ = writeln!(text, "{}: {name}", letter(place));
        }
        if player.faults > 0 {
            _ = writeln!(text, "{} has lost {} by fault", letter(place), counted(player.faults, "game"));
        }
    }
    text
}

fn cross(standings: &Standings, players: usize, opponents: &[usize]) -> String {
    let mut text = " ".repeat(4);
    opponents.iter().for_each(|&place| _ = write!(text, "{:>CELL$}", letter(place)));
    text.push('\n');
    for place in 0..players {
        let cell = |&other: &usize| match other == place {
            true => String::new(),
            false => score_text(standings.pair(place, other).a_score),
        };
        let cells: String = opponents.iter().map(|other| format!("{:>CELL$}", cell(other))).collect();
        _ = writeln!(text, "{}", format!("{:<4}{cells}", letter(place)).trim_end());
    }
    text
}

/// Means over the players' searches; empty if no player reports them.
fn work(players: &[PlayerStanding]) -> String {
    let mut text = String::new();
    for (place, player) in players.iter().enumerate() {
        let Some(means) = player.averages else { continue };
        if text.is_empty() {
            text = format!(
                "\na move of{:>16}{:>12}{:>16}{:>18}\n",
                "playouts", "steps", "mean depth", "greatest depth"
            );
        }
        let (playouts, steps) = (rounded(means.playouts), rounded(means.steps));
        let (mean, greatest) = (means.mean_depth, means.max_depth);
        _ = writeln!(text, "{:<9}{playouts:>16}{steps:>12}{mean:>16.1}{greatest:>18.1}", letter(place));
    }
    text
}

fn score_text(score: Option<f64>) -> String {
    score.map_or("-".into(), percent)
}
