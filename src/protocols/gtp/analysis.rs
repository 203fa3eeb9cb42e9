//! What front ends show while a position is being looked at.

use crate::{
    protocols::{board, process::quoted},
    rollout::RolloutReport,
    rules::{Game, Player, Position, is_scored},
    search::{ActionReport, Report},
};
use std::{fmt::Write, time::Duration};

/// Between two lines, where a front end does not say it.
const INTERVAL: Duration = Duration::from_secs(1);
/// Lines do not come faster, nor slower: the end of an analysis is looked for between them as well.
const INTERVALS: (u64, u64) = (5, 100_000);
/// Two sides of a 95 % interval, in standard deviations.
const DEVIATIONS: f64 = 1.96;

/// Playouts that tell whose points are.
pub const OWNER_GAMES: u64 = 1024;

/// How its lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Leela Zero's: shares of 10,000.
    Lz,
    /// KataGo's: shares of 1.
    Kata,
}

/// What is to be looked at, and how often to tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    pub style: Style,
    /// None: whoever is to move.
    pub player: Option<Player>,
    pub interval: Duration,
    /// Moves to tell of at the least, searched or not, and at the most.
    pub least: usize,
    pub most: usize,
    root_info: bool,
    ownership: bool,
    pv_visits: bool,
}

impl Wish {
    /// Reads `[colour] [centiseconds] [key value]...`. What is not told of is refused, so that a front end knows.
    pub fn parse(style: Style, arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self {
            style,
            player: None,
            interval: INTERVAL,
            least: 0,
            most: usize::MAX,
            root_info: false,
            ownership: false,
            pv_visits: false,
        };
        let mut words = arguments.iter().map(String::as_str).peekable();
        if let Some(player) = words.peek().and_then(|word| super::command::player(word)) {
            wish.player = Some(player);
            words.next();
        }
        if let Some(interval) = words.peek().and_then(|word| interval(word)) {
            wish.interval = interval;
            words.next();
        }
        while let Some(key) = words.next() {
            let value = words.next().ok_or_else(|| format!("syntax error: '{key}' has no value"))?;
            wish.read(key, value)?;
        }
        Ok(wish)
    }

    fn read(&mut self, key: &str, value: &str) -> Result<(), String> {
        let count = || value.parse().map_err(|_| format!("syntax error: {} is no number", quoted(value)));
        let flag = || {
            value.parse().map_err(|_| format!("syntax error: {} is neither true nor false", quoted(value)))
        };
        match key {
            "interval" => {
                let centiseconds = || format!("syntax error: {} is no number of centiseconds", quoted(value));
                self.interval = interval(value).ok_or_else(centiseconds)?;
            }
            "minmoves" => self.least = count()?,
            "maxmoves" => self.most = count()?,
            "rootInfo" => self.root_info = flag()?,
            "ownership" => self.ownership = flag()?,
            "pvVisits" => self.pv_visits = flag()?,
            "avoid" | "allow" => {
                return Err(format!(
                    "'{key}' is not known here: a search looks at all moves of its position"
                ));
            }
            _ => {
                let known = "interval, minmoves, maxmoves, rootInfo, ownership and pvVisits are";
                return Err(format!("{} is not known here: {known}", quoted(key)));
            }
        }
        Ok(())
    }

    /// Are playouts needed that tell whose points are, or what the score is?
    pub fn wants_playouts<G: Game>(&self, game: &G) -> Result<bool, String> {
        if self.ownership && game.owned_points() == 0 {
            return Err("ownership is told of go alone".into());
        }
        Ok(self.ownership || self.root_info && is_scored(game))
    }

    /// The line that tells of a report, and of playouts of the position where there were some; empty where nothing is
    /// known yet.
    pub fn line<G: Game>(
        &self,
        position: &Position<G>,
        report: &Report,
        playouts: Option<&RolloutReport>,
    ) -> String {
        let game = position.game();
        let best = report.best.as_ref().map(|best| best.index);
        let mut actions: Vec<&ActionReport> = report.actions.iter().collect();
        actions.sort_by_key(|action| (Some(action.index) != best, std::cmp::Reverse(action.n)));
        let visits = Visits::of(report);
        let share = 1.0 / report.actions.len().max(1) as f64;
        let mut line = String::new();
        let told = (0..).zip(actions).filter(|(order, action)| action.n > 0 || *order < self.least);
        for (order, action) in told.take(self.most) {
            let space = if order > 0 { " " } else { "" };
            let (name, n) = (board::vertex(game, action.index), visits.told(action.n));
            let (prior, bound) = (action.prior.unwrap_or(share), lower_bound(action));
            let [rate, prior, bound] = [action.q, prior, bound].map(|share| self.written(share));
            write!(
                line,
                "{space}info move {name} visits {n} winrate {rate} prior {prior} lcb {bound} order {order}"
            )
            .ok();
            let rest = if Some(action.index) == best { &report.principal_variation[..] } else { &[] };
            let rest = rest.iter().skip(1);
            let names = rest.clone().map(|next| board::vertex(game, next.index));
            line += &format!(" pv {}", [name].into_iter().chain(names).collect::<Vec<_>>().join(" "));
            if self.pv_visits {
                let counts = rest.map(|next| visits.told(next.n).to_string());
                line += &format!(
                    " pvVisits {}",
                    [n.to_string()].into_iter().chain(counts).collect::<Vec<_>>().join(" ")
                );
            }
        }
        if !line.is_empty() {
            line += &self.of_the_root(position, report, playouts);
        }
        line
    }

    /// What the line tells of the position itself, as the player to move sees it.
    fn of_the_root<G: Game>(
        &self,
        position: &Position<G>,
        report: &Report,
        playouts: Option<&RolloutReport>,
    ) -> String {
        let mut text = String::new();
        let sign = if position.turn() == Player::First { 1.0 } else { -1.0 };
        if self.root_info {
            let (n, wins) = report.actions.iter().fold((0, 0.0), |(n, wins), a| (n + a.n, wins + a.n_wins));
            let rate = self.written(wins / n.max(1) as f64);
            write!(text, " rootInfo visits {} winrate {rate}", Visits::of(report).told(report.n_root)).ok();
            if let Some(score) = playouts.and_then(|playouts| playouts.mean_score) {
                write!(text, " scoreMean {0:.3} scoreLead {0:.3}", sign * score).ok();
            }
        }
        if let Some(playouts) = playouts.filter(|_| self.ownership)
            && let Some(owners) = &playouts.owners
        {
            text += " ownership";
            for &sum in by_rows_from_the_top(position, owners) {
                write!(text, " {:.3}", sign * sum as f64 / playouts.games as f64).ok();
            }
        }
        text
    }

    fn written(&self, share: f64) -> String {
        match self.style {
            Style::Lz => format!("{:.0}", 1e4 * share),
            Style::Kata => format!("{share:.6}"),
        }
    }
}

/// What stands for each point, in the order of front ends.
fn by_rows_from_the_top<'a, G: Game, T>(
    position: &Position<G>,
    points: &'a [T],
) -> impl Iterator<Item = &'a T> {
    let rows = position.game().board_rows(position.state()).len().max(1);
    points.chunks(points.len().div_ceil(rows).max(1)).rev().flatten()
}

/// Counts as front ends are told them: whole where they fit 31 bits, else in the smallest unit in which all do.
#[derive(Debug, Clone, Copy)]
struct Visits {
    unit: u64,
}

impl Visits {
    fn of(report: &Report) -> Self {
        Self { unit: report.n_root.div_ceil(i32::MAX as u64).max(1) }
    }

    fn told(self, n: u64) -> u64 {
        n / self.unit
    }
}

fn interval(centiseconds: &str) -> Option<Duration> {
    let number: f64 = centiseconds.parse().ok().filter(|number: &f64| number.is_finite())?;
    let (least, most) = INTERVALS;
    Some(Duration::from_millis(10 * (number as u64).clamp(least, most)))
}

/// Where the share of wins is above with a chance of 97.5 %, as far as playouts are independent.
fn lower_bound(action: &ActionReport) -> f64 {
    let (q, n) = (action.q, action.n as f64);
    (q - DEVIATIONS * (q * (1.0 - q) / n).sqrt()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::Engine,
        games::Go,
        rules::Position,
        search::{Budget, Config, Search},
    };

    fn wish(arguments: &str) -> Result<Wish, String> {
        Wish::parse(Style::Lz, &arguments.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn wishes_are_read() {
        let plain = wish("").expect("nothing is asked");
        assert_eq!((plain.player, plain.interval, plain.most), (None, INTERVAL, usize::MAX));
        let refused = wish("W 50 avoid b D4 20").expect_err("no move is left out");
        assert_eq!(refused, "'avoid' is not known here: a search looks at all moves of its position");
        let refused = wish("movesOwnership true").expect_err("nobody tells that");
        assert!(refused.starts_with("movesOwnership is not known here: interval, "), "{refused}");
        let all = wish("white 50 ownership true minmoves 1 maxmoves 2 rootInfo false").expect("a wish");
        let half = Duration::from_millis(500);
        assert_eq!((all.player, all.interval, all.least, all.most), (Some(Player::Second), half, 1, 2));
        assert!(all.ownership && !all.root_info && !all.pv_visits);
        assert_eq!(wish("b interval 20").expect("a wish").interval, Duration::from_millis(200));
        assert_eq!(wish("0").expect("a wish").interval, Duration::from_millis(50));
        assert_eq!(wish("1e300").expect("a wish").interval, Duration::from_secs(1000));
        assert!(wish("interval x").is_err() && wish("maxmoves -1").is_err() && wish("interval").is_err());
        assert!(wish("pvVisits 1").is_err() && wish("minmoves x").is_err());
    }

    #[test]
    fn the_best_move_comes_first_with_its_line() {
        let go = Go::new(5, 7.5).expect("a board");
        let config = Config { trees: 1, playouts: 16, ..Config::paper() };
        let mut search = Search::with_config(&Engine::cpu(), go.clone(), config).expect("the search starts");
        let mut report = search.run(&Position::start(&go), Budget::steps(100)).expect("the search runs");
        let best = report.best.clone().expect("the game goes on");
        let lz = wish("maxmoves 2").expect("a wish");
        let start = Position::start(&go);
        let line = lz.line(&start, &report, None);
        let begin = format!("info move {} visits {} winrate {:.0} ", best.name, best.n, 1e4 * best.q);
        assert!(line.starts_with(&begin), "{line}");
        assert_eq!(line.matches("info ").count(), 2, "{line}");
        let names: Vec<_> = report.principal_variation.iter().map(|action| action.name.as_str()).collect();
        assert!(
            names.len() > 1 && line.contains(&format!(" order 0 pv {} info ", names.join(" "))),
            "{line}"
        );
        let kata = Wish { style: Style::Kata, ..lz }.line(&start, &report, None);
        assert!(kata.contains(&format!(" winrate {:.6} prior 0.038462 lcb 0.", best.q)), "{kata}");
        let many = wish("pvVisits true rootInfo true").expect("a wish");
        report.n_root <<= 24;
        report.actions.iter_mut().for_each(|action| action.n <<= 24);
        report.principal_variation.iter_mut().for_each(|action| action.n <<= 24);
        let line = many.line(&start, &report, None);
        let numbers = line.split(' ').filter_map(|word| word.parse::<u64>().ok());
        let greatest = numbers.max().expect("there are counts");
        assert!(((1 << 30)..1 << 31).contains(&greatest) && line.contains(" pvVisits "), "{line}");
    }
}
