//! The course of a game: both sides' values and depths.

use super::{Axis, Curve, Panel, Panels, Point};
use crate::{contest::LoggedGame, rules::Outcome, search::ProvenValue};
use serde_json::Value;

/// Values and depths, move by move.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The number of the game in the log.
    pub number: u64,
    game: String,
    players: [String; 2],
    result: String,
    moves: u32,
    /// [side]: value of the best action with its interval, mean depth, greatest depth.
    curves: [[Vec<Point>; 3]; 2],
}

impl Course {
    pub fn new(game: &LoggedGame) -> Self {
        let mut curves: [[Vec<Point>; 3]; 2] = Default::default();
        for (ply, report) in game.reports.iter().enumerate() {
            let Some(report) = report else { continue };
            let number = |path: &str| report.pointer(path).and_then(Value::as_f64);
            let [values, means, greatest] = &mut curves[ply % 2];
            let x = ply as f64 + 1.0;
            values.extend(value(report).map(|(y, interval)| Point { x, y, interval }));
            means.extend(number("/trees_info/mean_depth").map(|y| Point::new(x, y)));
            greatest.extend(number("/trees_info/max_depth").map(|y| Point::new(x, y)));
        }
        Self {
            number: game.game_number,
            game: game.described(),
            players: [game.first.clone(), game.second.clone()],
            result: result_text(game),
            moves: game.moves.len() as u32,
            curves,
        }
    }

    /// Whether the players report neither values nor depths.
    pub fn is_empty(&self) -> bool {
        self.curves.iter().flatten().all(Vec::is_empty)
    }

    pub fn figure(&self) -> Panels {
        Panels {
            title: format!("{}, game {}: {} after {} moves", self.game, self.number, self.result, self.moves),
            note: "Each value is from the side of the player who moves. Bars reach as far up as the UCB, and as far \
                   down; they are cut off at 0 and 1. Values that are proven have none."
                .into(),
            panels: [self.values(), self.depths()].into_iter().flatten().collect(),
            columns: 1,
            panel_size: (900, 320),
        }
    }

    fn name(&self, side: usize) -> String {
        format!("{}: {}", ["first", "second"][side], self.players[side])
    }

    fn values(&self) -> Option<Panel> {
        let curve = |side: usize| {
            let points = self.curves[side][0].clone();
            Curve { name: self.name(side), colour: side, dashed: false, points }
        };
        self.panel("Value of the best action (q)", "q", Some(1.0), [0, 1].map(curve).into())
    }

    fn depths(&self) -> Option<Panel> {
        let curve = |(side, what): (usize, usize)| {
            let name = format!("{}, {}", ["first", "second"][side], ["mean", "greatest"][what]);
            let points = self.curves[side][1 + what].clone();
            Curve { name, colour: side, dashed: what == 1, points }
        };
        let curves = [(0, 0), (0, 1), (1, 0), (1, 1)].map(curve).into();
        self.panel("Depth of the trees' nodes", "plies", None, curves)
    }

    /// `None` without data.
    fn panel(&self, title: &str, unit: &str, top: Option<f64>, curves: Vec<Curve>) -> Option<Panel> {
        let curves: Vec<_> = curves.into_iter().filter(|curve| !curve.points.is_empty()).collect();
        let greatest = curves.iter().flat_map(|curve| &curve.points).map(|point| point.y).fold(1.0, f64::max);
        let panel = Panel {
            title: title.into(),
            x: Axis::counted("move", self.moves),
            y: Axis::even(unit, 0.0..=top.unwrap_or(1.05 * greatest)),
            curves,
        };
        Some(panel).filter(|panel| !panel.curves.is_empty())
    }
}

/// The value of the best action with its interval; a proven value has no interval.
fn value(report: &Value) -> Option<(f64, Option<[f64; 2]>)> {
    let best = report.get("best")?;
    let number = |name: &str| best.get(name).and_then(Value::as_f64);
    let wins = best.get("win_flag").and_then(Value::as_bool) == Some(true);
    let proven = best.get("proven").and_then(Value::as_str).and_then(|name| name.parse::<ProvenValue>().ok());
    match proven.map(ProvenValue::points).or(wins.then_some(1.0)) {
        Some(points) => Some((points, None)),
        None if number("n") == Some(0.0) => None,
        None => number("q").map(|q| (q, number("ucb").map(|ucb| [2.0 * q - ucb, ucb]))),
    }
}

fn result_text(game: &LoggedGame) -> String {
    let result = match game.result {
        Outcome::FirstWins => "the first player won",
        Outcome::SecondWins => "the second player won",
        Outcome::Draw => "a draw",
    };
    let how = match (&game.fault, &game.resigned) {
        (Some(_), _) => " by a fault of the opponent",
        (None, Some(_)) => " by resignation",
        (None, None) => "",
    };
    format!("{result}{how}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_those_of_the_best_action() {
        let value = |n: u64, wins: bool, ucb: Value| {
            value(&json!({"best": {"n": n, "q": 0.25, "ucb": ucb, "win_flag": wins}}))
        };
        assert_eq!(value(8, false, json!(0.75)), Some((0.25, Some([-0.25, 0.75]))));
        assert_eq!(value(8, true, json!(0.75)), Some((1.0, None)));
        assert_eq!(value(0, true, Value::Null), Some((1.0, None)));
        assert_eq!(value(0, false, Value::Null), None);
        let drawn = json!({"best": {"n": 0, "q": 0, "win_flag": false, "proven": "draw"}});
        assert_eq!(super::value(&drawn), Some((0.5, None)));
        let lost = json!({"best": {"n": 9, "q": 0.25, "ucb": 0.75, "win_flag": false, "proven": "loss"}});
        assert_eq!(super::value(&lost), Some((0.0, None)));
        assert_eq!(super::value(&json!({"best": null})), None);
    }
}
