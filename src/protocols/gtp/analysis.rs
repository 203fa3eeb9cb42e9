//! Analysis commands of front ends: their arguments, and the lines with results.

use super::command::{self, Command};
use crate::{
    protocols::{board, gtp::server::text, process::quoted},
    rollout::RolloutReport,
    rules::{Game, Player, Position, is_scored},
    search::{ActionReport, Report},
};
use std::{fmt::Write, time::Duration};

/// Default interval of lines.
const INTERVAL: Duration = Duration::from_secs(1);
/// Least and greatest interval of lines in centiseconds. The end of an analysis is also checked once an interval.
const INTERVALS: (u64, u64) = (5, 100_000);
/// Half the width of a 95 % interval, in standard deviations.
const DEVIATIONS: f64 = 1.96;

/// Number of playouts from which owners of points are computed.
pub const OWNER_GAMES: u64 = 1024;

/// The format of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Leela Zero's: rates in units of 1/10,000.
    Lz,
    /// KataGo's: rates from 0 to 1.
    Kata,
}

/// The arguments of an analysis command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    style: Style,
    /// `None` for the player to move.
    pub player: Option<Player>,
    pub interval: Duration,
    /// The least number of moves in a line, including unvisited ones.
    pub least: usize,
    /// The greatest number of moves in a line.
    pub most: usize,
    root_info: bool,
    ownership: bool,
    pv_visits: bool,
    restrictions: Vec<Restriction>,
}

/// `avoid` or `allow` with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Restriction {
    key: String,
    player: Player,
    vertices: Vec<String>,
    /// The number of moves from the position on that it is meant for.
    depth: u32,
}

impl Restriction {
    fn parse(key: &str, values: [Option<&str>; 3]) -> Result<Self, String> {
        let [Some(colour), Some(vertices), Some(depth)] = values else {
            return Err(format!("syntax error: '{key}' needs a colour, vertices such as D4,E5, and a depth"));
        };
        let player = command::side(colour)?;
        let number = depth.parse().ok().filter(|&depth| depth > 0);
        let depth =
            number.ok_or_else(|| format!("syntax error: {} is not a depth from 1 on", quoted(depth)))?;
        let vertices = vertices.split(',').filter(|vertex| !vertex.is_empty()).map(str::to_owned).collect();
        Ok(Self { key: key.into(), player, vertices, depth })
    }

    /// The actions that it names. A resignation is none, and is never analysed.
    fn actions<G: Game>(&self, game: &G) -> Result<Vec<u32>, String> {
        let moves = self.vertices.iter().filter(|vertex| !vertex.eq_ignore_ascii_case("resign"));
        moves.map(|vertex| command::action(game, vertex)).collect()
    }
}

impl Request {
    /// The request of a command, whose name begins with `lz` or `kata`.
    pub fn of(command: &Command) -> Result<Self, String> {
        let style = if command.name.starts_with("lz") { Style::Lz } else { Style::Kata };
        Self::parse(style, &command.arguments)
    }

    /// Parses `[colour] [centiseconds] [key values]...`. Unsupported keys are errors, so that front ends can adapt.
    fn parse(style: Style, arguments: &[String]) -> Result<Self, String> {
        let mut request = Self {
            style,
            player: None,
            interval: INTERVAL,
            least: 0,
            most: usize::MAX,
            root_info: false,
            ownership: false,
            pv_visits: false,
            restrictions: Vec::new(),
        };
        let mut words = arguments.iter().map(String::as_str).peekable();
        if let Some(player) = words.peek().and_then(|word| command::player(word)) {
            request.player = Some(player);
            words.next();
        }
        if let Some(interval) = words.peek().and_then(|word| interval(word)) {
            request.interval = interval;
            words.next();
        }
        while let Some(key) = words.next() {
            if ["avoid", "allow"].contains(&key) {
                let values = [(); 3].map(|()| words.next());
                request.restrictions.push(Restriction::parse(key, values)?);
                continue;
            }
            let value = words.next().ok_or_else(|| format!("syntax error: '{key}' has no value"))?;
            request.read(key, value)?;
        }
        Ok(request)
    }

    fn read(&mut self, key: &str, value: &str) -> Result<(), String> {
        let count = || command::parsed(value, "not a number");
        let flag = || command::parsed(value, "neither true nor false");
        match key {
            "interval" => {
                let centiseconds =
                    || format!("syntax error: {} is not a number of centiseconds", quoted(value));
                self.interval = interval(value).ok_or_else(centiseconds)?;
            }
            "minmoves" => self.least = count()?,
            "maxmoves" => self.most = count()?,
            "rootInfo" => self.root_info = flag()?,
            "ownership" => self.ownership = flag()?,
            "pvVisits" => self.pv_visits = flag()?,
            _ => {
                let known = "interval, minmoves, maxmoves, rootInfo, ownership, pvVisits, avoid, allow";
                return Err(format!("{} is not supported: choose one of {known}", quoted(key)));
            }
        }
        Ok(())
    }

    /// The position, restricted to the moves that `avoid` and `allow` leave to the player to move; unrestricted if they
    /// leave all. `note` receives the parts of the request that have no effect.
    pub fn restricted<G: Game>(
        &self,
        position: Position<G>,
        note: impl Fn(&str),
    ) -> Result<Position<G>, String> {
        let (legal, game) = (position.legal_actions(), position.game());
        let (mut allowed, mut avoided) = (None, Vec::new());
        for restriction in &self.restrictions {
            let (actions, key) = (restriction.actions(game)?, &restriction.key);
            if restriction.player != position.turn() {
                let colour = command::colour(restriction.player);
                note(&format!("notice: '{key}' has no effect: it is not the turn of {colour}"));
                continue;
            }
            match key.as_str() {
                "avoid" => avoided.extend(actions),
                _ => allowed.get_or_insert_with(Vec::new).extend(actions),
            }
            if restriction.depth > 1 {
                note(&format!(
                    "notice: '{key}' restricts the next move only, not {} moves",
                    restriction.depth
                ));
            }
        }
        let is_left = |action: &u32| {
            !avoided.contains(action) && allowed.as_ref().is_none_or(|allowed| allowed.contains(action))
        };
        let left: Vec<u32> = legal.iter().copied().filter(is_left).collect();
        match left.len() {
            count if count == legal.len() => Ok(position),
            0 => Err("no move to analyse: 'avoid' and 'allow' leave no legal move".into()),
            _ => position.restricted_to(&left).map_err(text),
        }
    }

    /// Whether playouts are needed for owners of points, or for the score.
    pub fn needs_playouts<G: Game>(&self, game: &G) -> Result<bool, String> {
        if self.ownership && game.owned_points() == 0 {
            return Err("ownership is available in go only".into());
        }
        Ok(self.ownership || self.root_info && is_scored(game))
    }

    /// The line for a report, and for playouts of the position if they were made; empty if there is no result yet.
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
        let share = 1.0 / report.actions.len().max(1) as f64;
        let mut line = String::new();
        let listed = (0..).zip(actions).filter(|(order, action)| action.n > 0 || *order < self.least);
        for (order, action) in listed.take(self.most) {
            let space = if order > 0 { " " } else { "" };
            let (name, n) = (board::vertex(game, action.index), visits(action.n, report));
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
                let counts = rest.map(|next| visits(next.n, report).to_string());
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

    /// The part of the line on the position itself, from the view of the player to move.
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
            write!(text, " rootInfo visits {} winrate {rate}", visits(report.n_root, report)).ok();
            if let Some(score) = playouts.and_then(|playouts| playouts.mean_score) {
                write!(text, " scoreMean {0:.3} scoreLead {0:.3}", sign * score).ok();
            }
        }
        if let Some(playouts) = playouts.filter(|_| self.ownership)
            && let Some(owners) = &playouts.owners
        {
            text += " ownership";
            for &sum in board::rows_from_top(position.game(), owners).flatten() {
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

/// Visits as front ends get them: exact if they fit 31 bits, else divided by the least number by which all fit.
fn visits(n: u64, report: &Report) -> u64 {
    n / report.n_root.div_ceil(i32::MAX as u64).max(1)
}

fn interval(centiseconds: &str) -> Option<Duration> {
    let number: f64 = centiseconds.parse().ok().filter(|number: &f64| number.is_finite())?;
    let (least, most) = INTERVALS;
    Some(Duration::from_millis(10 * (number as u64).clamp(least, most)))
}

/// Lower bound of the win rate with a confidence of 97.5 %, if playouts were independent.
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

    fn request(arguments: &str) -> Result<Request, String> {
        Request::parse(Style::Lz, &arguments.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_parsed() {
        let plain = request("").expect("nothing is asked");
        assert_eq!((plain.player, plain.interval, plain.most), (None, INTERVAL, usize::MAX));
        let refused = request("movesOwnership true").expect_err("it is not supported");
        assert!(
            refused.starts_with("movesOwnership is not supported: choose one of interval, "),
            "{refused}"
        );
        let all = request("white 50 ownership true minmoves 1 maxmoves 2 rootInfo false").expect("a request");
        let half = Duration::from_millis(500);
        assert_eq!((all.player, all.interval, all.least, all.most), (Some(Player::Second), half, 1, 2));
        assert!(all.ownership && !all.root_info && !all.pv_visits);
        assert_eq!(request("b interval 20").expect("a request").interval, Duration::from_millis(200));
        assert_eq!(request("0").expect("a request").interval, Duration::from_millis(50));
        assert_eq!(request("1e300").expect("a request").interval, Duration::from_secs(1000));
        assert!(
            request("interval x").is_err() && request("maxmoves -1").is_err() && request("interval").is_err()
        );
        assert!(request("pvVisits 1").is_err() && request("minmoves x").is_err());
    }

    #[test]
    fn the_best_move_comes_first_with_its_line() {
        let go = Go::new(5, 7.5).expect("a board");
        let config = Config { trees: 1, playouts: 16, ..Config::paper() };
        let mut search = Search::with_config(&Engine::cpu(), go.clone(), config).expect("the search starts");
        let mut report = search.run(&Position::start(&go), Budget::steps(100)).expect("the search runs");
        let best = report.best.clone().expect("the game goes on");
        let lz = request("maxmoves 2").expect("a request");
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
        let kata = Request { style: Style::Kata, ..lz.clone() }.line(&start, &report, None);
        assert!(kata.contains(&format!(" winrate {:.6} prior 0.038462 lcb 0.", best.q)), "{kata}");
        let many = request("pvVisits true rootInfo true").expect("a request");
        report.n_root <<= 24;
        report.actions.iter_mut().for_each(|action| action.n <<= 24);
        report.principal_variation.iter_mut().for_each(|action| action.n <<= 24);
        let line = many.line(&start, &report, None);
        let numbers = line.split(' ').filter_map(|word| word.parse::<u64>().ok());
        let greatest = numbers.max().expect("there are counts");
        assert!(((1 << 30)..1 << 31).contains(&greatest) && line.contains(" pvVisits "), "{line}");
    }
}
