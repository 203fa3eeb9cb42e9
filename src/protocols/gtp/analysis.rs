//! What front ends show while a position is being looked at.

use crate::{
    protocols::board,
    rules::{Game, Player},
    search::{ActionReport, Report},
};
use std::{fmt::Write, time::Duration};

/// Between two lines, where a front end does not say it.
const INTERVAL: Duration = Duration::from_secs(1);
/// Lines do not come faster, nor slower: the end of an analysis is looked for between them as well.
const INTERVALS: (u64, u64) = (5, 100_000);
/// Two sides of a 95 % interval, in standard deviations.
const DEVIATIONS: f64 = 1.96;

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
    /// Moves to tell of.
    pub most: usize,
}

impl Wish {
    /// Reads `[colour] [centiseconds] [key value]...`. Other keys than `interval` and `maxmoves` are passed over, as
    /// not every engine knows each.
    pub fn parse(style: Style, arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self { style, player: None, interval: INTERVAL, most: usize::MAX };
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
            match key {
                "avoid" | "allow" => {
                    return Err(format!("'{key}' is not known here: all moves are looked at"));
                }
                "interval" => {
                    wish.interval = interval(value)
                        .ok_or_else(|| format!("syntax error: '{value}' is no number of centiseconds"))?;
                }
                "maxmoves" => {
                    wish.most = value.parse().map_err(|_| format!("syntax error: '{value}' is no number"))?;
                }
                _ => {}
            }
        }
        Ok(wish)
    }

    /// The line that tells of a report; empty where nothing is known yet.
    pub fn line<G: Game>(&self, game: &G, report: &Report) -> String {
        let mut actions: Vec<&ActionReport> = report.actions.iter().filter(|action| action.n > 0).collect();
        let best = report.best.as_ref().map(|best| best.index);
        actions.sort_by_key(|action| (Some(action.index) != best, std::cmp::Reverse(action.n)));
        let share = 1.0 / report.actions.len().max(1) as f64;
        let mut line = String::new();
        for (order, action) in actions.into_iter().take(self.most).enumerate() {
            let space = if order > 0 { " " } else { "" };
            let name = board::vertex(game, action.index);
            let bound = lower_bound(action);
            let [rate, prior, bound] = [action.q, share, bound].map(|share| self.written(share));
            write!(
                line,
                "{space}info move {name} visits {} winrate {rate} prior {prior} lcb {bound} order {order} pv {name}",
                action.n
            )
            .ok();
            if Some(action.index) == best {
                for next in report.principal_variation.iter().skip(1) {
                    write!(line, " {}", board::vertex(game, next.index)).ok();
                }
            }
        }
        line
    }

    fn written(&self, share: f64) -> String {
        match self.style {
            Style::Lz => format!("{:.0}", 1e4 * share),
            Style::Kata => format!("{share:.6}"),
        }
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
        assert!(wish("W 50 avoid b D4 20").is_err());
        let all = wish("white 50 ownership true maxmoves 2").expect("a wish");
        let half = Duration::from_millis(500);
        assert_eq!((all.player, all.interval, all.most), (Some(Player::Second), half, 2));
        assert_eq!(wish("b interval 20").expect("a wish").interval, Duration::from_millis(200));
        assert_eq!(wish("0").expect("a wish").interval, Duration::from_millis(50));
        assert_eq!(wish("1e300").expect("a wish").interval, Duration::from_secs(1000));
        assert!(wish("interval x").is_err() && wish("maxmoves -1").is_err() && wish("interval").is_err());
    }

    #[test]
    fn the_best_move_comes_first_with_its_line() {
        let go = Go::new(5, 7.5).expect("a board");
        let config = Config { trees: 1, playouts: 16, ..Config::paper() };
        let mut search = Search::with_config(&Engine::cpu(), go.clone(), config).expect("the search starts");
        let report = search.run(&Position::start(&go), Budget::steps(100)).expect("the search runs");
        let best = report.best.clone().expect("the game goes on");
        let lz = wish("maxmoves 2").expect("a wish");
        let line = lz.line(&go, &report);
        let begin = format!("info move {} visits {} winrate {:.0} ", best.name, best.n, 1e4 * best.q);
        assert!(line.starts_with(&begin), "{line}");
        assert_eq!(line.matches("info ").count(), 2, "{line}");
        let names: Vec<_> = report.principal_variation.iter().map(|action| action.name.as_str()).collect();
        assert!(
            names.len() > 1 && line.contains(&format!(" order 0 pv {} info ", names.join(" "))),
            "{line}"
        );
        let kata = Wish { style: Style::Kata, ..lz }.line(&go, &report);
        assert!(kata.contains(&format!(" winrate {:.6} prior 0.038462 lcb 0.", best.q)), "{kata}");
    }
}
