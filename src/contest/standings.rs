//! Results of players against each other, as JSON and as a table.

use super::{
    log::LoggedGame,
    stats::{Rating, Tally, elo_of, interval, ratings},
};
use crate::{names::visible, rules::Player};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

/// Results of players against each other, counted game by game.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    names: Vec<(String, String)>,
    /// [first player, second player]: results of the first player.
    met: Vec<Vec<Tally>>,
    moves: Vec<Averages>,
    faults: Vec<u64>,
}

/// Means over the moves of a player that have a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Averages {
    /// Moves with a report.
    pub moves: u64,
    /// Playouts per move.
    pub playouts: f64,
    /// Steps per move.
    pub steps: f64,
    /// Mean depth of the trees' nodes.
    pub mean_depth: f64,
    /// Greatest depth of a node.
    pub max_depth: f64,
    /// Playouts per second.
    pub playouts_per_second: f64,
}

/// The result of a player against all opponents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlayerStanding {
    /// Its name.
    pub name: String,
    /// Its [`Spec`](super::Spec), as text.
    pub player: String,
    /// Games.
    pub games: u64,
    /// Points: 1 for a win, 1/2 for a draw.
    pub points: f64,
    /// Points per game.
    pub score: Option<f64>,
    /// The 95 % interval of the score.
    pub interval: [f64; 2],
    /// Elo; the mean of all players is 0.
    pub rating: Option<Rating>,
    /// Games that it lost by faults.
    pub faults: u64,
    /// Means over its searches; `None` if it makes no reports.
    pub averages: Option<Averages>,
}

/// The result of two players against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairStanding {
    /// The first one's name.
    pub a: String,
    /// The second one's name.
    pub b: String,
    /// Games.
    pub games: u64,
    /// Wins of a.
    pub a_wins: u64,
    /// Wins of b.
    pub b_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// a's points per game: 1 for a win, 1/2 for a draw.
    pub a_score: Option<f64>,
    /// The 95 % interval of a's score.
    pub interval: [f64; 2],
    /// The difference in Elo that a's score corresponds to; `None` for a score of 0 or 1.
    pub elo: Option<f64>,
    /// The 95 % interval of `elo`.
    pub elo_interval: [Option<f64>; 2],
    /// a's games in which it moved first.
    pub a_first: Tally,
    /// a's games in which it moved second.
    pub a_second: Tally,
}

impl Averages {
    fn add(&mut self, report: &Value) {
        let number = |path: &str| report.pointer(path).and_then(Value::as_f64);
        let [Some(playouts), Some(steps), Some(mean_depth), Some(max_depth), Some(rate)] = [
            number("/performance/playouts"),
            number("/performance/steps"),
            number("/trees_info/mean_depth"),
            number("/trees_info/max_depth"),
            number("/performance/playouts_per_second"),
        ] else {
            return;
        };
        self.moves += 1;
        let n = self.moves as f64;
        let means = [
            (&mut self.playouts, playouts),
            (&mut self.steps, steps),
            (&mut self.mean_depth, mean_depth),
            (&mut self.max_depth, max_depth),
            (&mut self.playouts_per_second, rate),
        ];
        means.into_iter().for_each(|(mean, value)| *mean += (value - *mean) / n);
    }
}

impl Standings {
    /// Standings before the first game, of players by name and text.
    pub fn new(players: impl IntoIterator<Item = (String, String)>) -> Self {
        let names: Vec<_> = players.into_iter().collect();
        let n = names.len();
        Self {
            names,
            met: vec![vec![Tally::default(); n]; n],
            moves: vec![Averages::default(); n],
            faults: vec![0; n],
        }
    }

    /// Counts a game. Players without earlier games are added.
    pub fn add(&mut self, game: &LoggedGame) {
        let sides = [(&game.first, &game.first_player), (&game.second, &game.second_player)];
        let [first, second] = sides.map(|(name, player)| self.place(name, player));
        self.met[first][second].count(game.result, Player::First);
        if let Some(fault) = &game.fault {
            self.faults[[first, second][fault.by.index()]] += 1;
        }
        for (ply, report) in game.reports.iter().enumerate() {
            if let Some(report) = report {
                self.moves[[first, second][ply % 2]].add(report);
            }
        }
    }

    fn place(&mut self, name: &str, player: &str) -> usize {
        if let Some(place) = self.names.iter().position(|(known, _)| known == name) {
            return place;
        }
        self.names.push((name.into(), player.into()));
        self.met.iter_mut().for_each(|row| row.push(Tally::default()));
        self.met.push(vec![Tally::default(); self.names.len()]);
        self.moves.push(Averages::default());
        self.faults.push(0);
        self.names.len() - 1
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.met.iter().flatten().map(|tally| tally.games()).sum()
    }

    /// The number of games that ended by a fault.
    pub fn faults(&self) -> u64 {
        self.faults.iter().sum()
    }

    /// Results of `a` against `b`, from a's side: of the games in which a moved first, and of the others.
    pub fn of_pair(&self, a: usize, b: usize) -> [Tally; 2] {
        [self.met[a][b], self.met[b][a].of_opponent()]
    }

    /// The result of two players against each other.
    pub fn pair(&self, a: usize, b: usize) -> PairStanding {
        let [a_first, a_second] = self.of_pair(a, b);
        let all = a_first + a_second;
        let range = interval(all);
        PairStanding {
            a: self.names[a].0.clone(),
            b: self.names[b].0.clone(),
            games: all.games(),
            a_wins: all.wins,
            b_wins: all.losses,
            draws: all.draws,
            a_score: all.score(),
            interval: range,
            elo: all.score().and_then(elo_of),
            elo_interval: range.map(elo_of),
            a_first,
            a_second,
        }
    }

    /// The results of all pairs.
    pub fn pairs(&self) -> Vec<PairStanding> {
        let n = self.names.len();
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).map(|(a, b)| self.pair(a, b)).collect()
    }

    /// The results of all players, and whether drawn games were added for their ratings
    /// ([`Ratings::with_prior`](super::stats::Ratings::with_prior)).
    pub fn players(&self) -> (Vec<PlayerStanding>, bool) {
        let n = self.names.len();
        let against = |a: usize, b: usize| {
            let [first, second] = self.of_pair(a, b);
            first + second
        };
        let results: Vec<Vec<_>> = (0..n)
            .map(|a| (0..n).map(|b| if a == b { Tally::default() } else { against(a, b) }).collect())
            .collect();
        let rated = ratings(&results);
        let player = |place: usize| {
            let all = results[place].iter().fold(Tally::default(), |sum, &tally| sum + tally);
            let (name, player) = self.names[place].clone();
            PlayerStanding {
                name,
                player,
                games: all.games(),
                points: all.points(),
                score: all.score(),
                interval: interval(all),
                rating: rated.players[place],
                faults: self.faults[place],
                averages: Some(self.moves[place]).filter(|averages| averages.moves > 0),
            }
        };
        ((0..n).map(player).collect(), rated.with_prior)
    }

    /// A cross table in Markdown. A cell has the score of the row's player against the column's: of all games, then of
    /// those with the first and with the second move. A table of two players has no column of Elo; their
    /// [pair](PairStanding::elo) has it.
    pub fn markdown(&self) -> String {
        let all: Vec<_> = (0..self.names.len()).collect();
        self.markdown_against(&all)
    }

    /// The same table with columns for these opponents only, such as for one player that all others have played.
    pub fn markdown_against(&self, opponents: &[usize]) -> String {
        let (players, with_prior) = self.players();
        let mut text = self.head(opponents);
        for (place, player) in players.iter().enumerate() {
            _ = write!(text, "| {} | {} |", letter(place), visible(&player.name).replace('|', "\\|"));
            for &other in opponents {
                let cell = if other == place { String::new() } else { self.cell(place, other) };
                _ = write!(text, " {cell} |");
            }
            _ = writeln!(text, " {} |", closing(player, self.has_ratings()));
        }
        if with_prior && self.has_ratings() {
            text +=
                "\nElo: a player has won or lost all its games, so a drawn game of each pair was added.\n";
        }
        text
    }

    fn head(&self, opponents: &[usize]) -> String {
        let letters: Vec<_> = opponents.iter().copied().map(letter).collect();
        let columns = ["score", "Elo", "playouts / steps", "mean / max depth"];
        let columns: Vec<_> = columns.into_iter().filter(|it| *it != "Elo" || self.has_ratings()).collect();
        let mut text = format!("| | player | {} | {} |\n", letters.join(" | "), columns.join(" | "));
        text += "| --- | --- |";
        text += &" --- |".repeat(letters.len() + columns.len());
        text.push('\n');
        text
    }

    /// Whether a table has ratings.
    fn has_ratings(&self) -> bool {
        self.names.len() > 2
    }

    fn cell(&self, a: usize, b: usize) -> String {
        let [first, second] = self.of_pair(a, b);
        let Some(score) = (first + second).score() else { return "-".into() };
        let part = |tally: Tally| tally.score().map_or("-".into(), percent);
        format!("{} ({}, {})", percent(score), part(first), part(second))
    }
}

/// The columns after the cross table.
fn closing(player: &PlayerStanding, has_ratings: bool) -> String {
    let mut score = player.score.map_or("-".into(), percent);
    if has_ratings {
        let rating = player.rating.map_or("-".into(), |it| format!("{:+.0} ± {:.0}", it.elo, it.error));
        score += &format!(" | {rating}");
    }
    let (work, depth) = player.averages.map_or(("-".into(), "-".into()), |it| {
        (
            format!("{} / {}", rounded(it.playouts), rounded(it.steps)),
            format!("{:.2} / {:.2}", it.mean_depth, it.max_depth),
        )
    });
    format!("{score} | {work} | {depth}")
}

/// A to Z, then numbers.
pub(crate) fn letter(place: usize) -> String {
    match u8::try_from(place) {
        Ok(place @ 0..26) => char::from(b'A' + place).into(),
        _ => (place + 1).to_string(),
    }
}

/// `62.5%`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// `17.1 k`, `2.3 M`.
fn rounded(count: f64) -> String {
    match count {
        _ if count >= 1e9 => format!("{:.1} G", count / 1e9),
        _ if count >= 1e6 => format!("{:.1} M", count / 1e6),
        _ if count >= 1e3 => format!("{:.1} k", count / 1e3),
        _ => format!("{count:.0}"),
    }
}
