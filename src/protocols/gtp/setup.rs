//! Commands that set up boards, rules and clocks.

use super::{
    command::{parsed, side},
    server::{Answer, GtpServer, text},
};
use crate::{
    protocols::{
        board,
        clock::{Left, Limits},
        process::quoted,
    },
    rules::{Game, Player, Position},
};
use std::time::Duration;

/// KataGo's names of supported rules, and whether they have positional superko instead of simple ko. All have area
/// scoring and no suicide.
const RULES: [(&str, bool); 3] = [("chinese", false), ("chinese-ogs", true), ("chinese-kgs", true)];

/// The greatest number of handicap stones that the engine places.
const MOST_FREE: u32 = 9;

impl<G: Game> GtpServer<G> {
    pub(super) fn set_up(&mut self, name: &str, arguments: &[&str]) -> Option<Answer> {
        Some(match (name, arguments) {
            ("boardsize", [size]) => self.resize(size),
            ("rectangular_boardsize", [columns, rows]) => self.reshape(columns, rows),
            ("query_boardsize", []) => Ok(match board::sides(self.now().game()) {
                (rows, columns) if rows == columns => rows.to_string(),
                (rows, columns) => format!("{columns}:{rows}"),
            }),
            ("clear_board", []) => self.clear(),
            ("komi", [komi]) => self.set_komi(komi),
            ("get_komi", []) => {
                board::komi(&self.game).map(|komi| komi.to_string()).ok_or_else(|| self.is_no_go())
            }
            ("fixed_handicap", [count]) => self.fixed_handicap(count),
            ("place_free_handicap", [count]) => self.place_free_handicap(count),
            ("set_free_handicap", [..]) => self.set_free_handicap(arguments),
            ("set_position", [..]) => self.set_position(arguments),
            #[cfg(feature = "patterns")]
            ("loadsgf", [file]) => self.load(file, None),
            #[cfg(feature = "patterns")]
            ("loadsgf", [file, place]) => self.load(file, Some(place)),
            ("kgs-rules", ["chinese"]) => self.set_rules("chinese-kgs"),
            ("kgs-rules" | "kata-set-rules", [rules]) => self.set_rules(rules),
            ("kata-get-rules", []) => self.rules(),
            ("time_settings", [main, period, stones]) => self.set_limits(main, period, stones),
            ("kgs-time_settings", [system, times @ ..]) => self.set_kgs_limits(system, times),
            ("time_left", [player, time, stones]) => self.show_clock(player, time, stones),
            _ => return None,
        })
    }

    fn resize(&mut self, size: &str) -> Answer {
        self.begin_on(board::with_size(self.now().game(), parse_size(size)?))
    }

    fn reshape(&mut self, columns: &str, rows: &str) -> Answer {
        let sides = (parse_size(rows)?, parse_size(columns)?);
        self.begin_on(board::with_sides(self.now().game(), sides))
    }

    fn begin_on(&mut self, game: crate::error::Result<G>) -> Answer {
        let game = game.map_err(|why| format!("unacceptable size: {why}"))?;
        self.begin(Position::start(&game))
    }

    pub(super) fn clear(&mut self) -> Answer {
        self.begin(Position::start(self.now().game()))
    }

    /// Sets the komi; the position stays the same.
    fn set_komi(&mut self, komi: &str) -> Answer {
        let komi: f32 = parsed(komi, "not a komi")?;
        let game =
            board::with_komi(self.now().game(), komi).map_err(|why| format!("unacceptable komi: {why}"))?;
        self.change_rules(game)
    }

    fn change_rules(&mut self, game: G) -> Answer {
        self.game = game;
        self.renew()?;
        self.prepare()
    }

    fn is_no_go(&self) -> String {
        format!("this is {}, which has no such rule", board::title(&self.game))
    }

    fn set_rules(&mut self, name: &str) -> Answer {
        let known = RULES.iter().find(|rules| rules.0.eq_ignore_ascii_case(name));
        let &(_, superko) = known.ok_or_else(|| {
            let names = RULES.map(|rules| rules.0).join(", ");
            format!("{} is not supported: choose one of {names} (area scoring, no suicide)", quoted(name))
        })?;
        let game = board::with_superko(&self.game, superko).ok_or_else(|| self.is_no_go())?.map_err(text)?;
        self.change_rules(game)
    }

    fn rules(&self) -> Answer {
        let superko = board::superko(&self.game).ok_or_else(|| self.is_no_go())?;
        let ko = if superko { "POSITIONAL" } else { "SIMPLE" };
        let rest = r#""scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"0""#;
        Ok(format!(r#"{{"hasButton":false,"ko":"{ko}",{rest}}}"#))
    }

    /// The board with Black's stones alone.
    fn with_handicap(&self, points: &[u32], turn: Player) -> Result<Position<G>, String> {
        let stones: Vec<(u32, Player)> = points.iter().map(|&point| (point, Player::First)).collect();
        board::of_stones(self.now().game(), &stones, turn).map_err(text)
    }

    /// Places Black's stones on an empty board, with White to move. One `undo` removes them.
    fn place(&mut self, points: &[u32]) -> Answer {
        self.positions.push(self.with_handicap(points, Player::Second)?);
        let game = self.now().game();
        Ok(points.iter().map(|&point| board::vertex(game, point)).collect::<Vec<_>>().join(" "))
    }

    /// The number of handicap stones, if the board is empty.
    fn handicap(&self, count: &str) -> Result<u32, String> {
        if board::komi(&self.game).is_none() {
            return Err(self.is_no_go());
        }
        if board::stones(self.now()).is_some_and(|stones| !stones.is_empty()) {
            return Err("board not empty".into());
        }
        let count = count.parse().ok().filter(|&count: &u32| count > 1);
        count.ok_or_else(|| "invalid number of stones: give two or more".into())
    }

    fn fixed_handicap(&mut self, count: &str) -> Answer {
        let count = self.handicap(count)?;
        let (rows, columns) = board::sides(self.now().game());
        let most = most_fixed((rows, columns));
        if count > most {
            let most = if most == 0 { "no fixed handicap".into() } else { format!("at most {most}") };
            return Err(format!("invalid number of stones: a board of {rows} x {columns} has {most}"));
        }
        self.place(&fixed_points((rows, columns), count))
    }

    /// Places handicap stones on fixed points, then on the points that searches choose. At most [`MOST_FREE`]: GTP
    /// allows fewer stones than requested.
    fn place_free_handicap(&mut self, count: &str) -> Answer {
        let count = self.handicap(count)?;
        let sides = board::sides(self.now().game());
        let mut points = match count.min(most_fixed(sides)) {
            fixed @ 2.. => fixed_points(sides, fixed),
            _ => Vec::new(),
        };
        while (points.len() as u32) < count.min(MOST_FREE).min(sides.0 * sides.1 - 1) {
            let board = self.with_handicap(&points, Player::First)?;
            let point = self.brain.choose_no_pass(&board, None).map_err(text)?;
            if Some(point) == board::pass(board.game()) {
                break;
            }
            points.push(point);
        }
        self.place(&points)
    }

    fn set_free_handicap(&mut self, vertices: &[&str]) -> Answer {
        let count = self.handicap(&vertices.len().to_string()).map_err(|why| match why.as_str() {
            "board not empty" => why,
            _ => format!("bad vertex list: {why}"),
        })?;
        let game = self.now().game();
        let mut points = Vec::new();
        for vertex in vertices {
            let point = board::point(game, vertex)
                .ok_or_else(|| format!("bad vertex list: {} is not a point", quoted(vertex)))?;
            if points.contains(&point) {
                return Err(format!("bad vertex list: {} is given twice", quoted(vertex)));
            }
            points.push(point);
        }
        if u64::from(count) >= u64::from(game.owned_points()) {
            return Err("bad vertex list: no point is left".into());
        }
        self.place(&points).map(|_| String::new())
    }

    /// Begins a game with these stones, `[colour vertex]...`, and Black to move.
    fn set_position(&mut self, arguments: &[&str]) -> Answer {
        let game = self.now().game().clone();
        let mut stones: Vec<(u32, Player)> = Vec::new();
        for pair in arguments.chunks(2) {
            let &[colour, vertex] = pair else {
                return Err("syntax error: the last colour has no vertex".into());
            };
            let owner = side(colour)?;
            let point = board::point(&game, vertex)
                .ok_or_else(|| format!("invalid vertex: {} is not a point of this board", quoted(vertex)))?;
            if stones.iter().any(|stone| stone.0 == point) {
                return Err(format!("invalid position: {} is given twice", quoted(vertex)));
            }
            stones.push((point, owner));
        }
        if stones.is_empty() {
            return self.clear();
        }
        board::stones(self.now()).ok_or_else(|| format!("{} has no names of points", board::title(&game)))?;
        let position = board::of_stones(&game, &stones, Player::First);
        self.begin(position.map_err(|why| format!("invalid position: {why}"))?)
    }

    fn set_limits(&mut self, main: &str, period: &str, stones: &str) -> Answer {
        let (main, period, stones) = (seconds(main)?, seconds(period)?, count(stones)?);
        self.counts_periods = false;
        // In GTP, a period of no stones means no limit. So does no time at all, in which no game can be played.
        let unlimited = stones == 0 && (!period.is_zero() || main.is_zero());
        self.clock.set((!unlimited).then_some(Limits { main, period, stones }));
        self.prepare()
    }

    /// Periods of `byoyomi` have one stone each; `time_left` then counts periods instead of stones.
    fn set_kgs_limits(&mut self, system: &str, times: &[&str]) -> Answer {
        let answer = match (system, times) {
            ("none", _) => self.set_limits("0", "0", "0"),
            ("absolute", [main]) => self.set_limits(main, "0", "0"),
            ("canadian", [main, period, stones]) => self.set_limits(main, period, stones),
            ("byoyomi", [main, period, periods]) => match count(periods)? {
                0 => self.set_limits(main, "0", "0"),
                _ => self.set_limits(main, period, "1"),
            },
            _ => {
                Err("syntax error: give none, absolute TIME, byoyomi TIME TIME N or canadian TIME TIME N"
                    .into())
            }
        }?;
        self.counts_periods = system == "byoyomi";
        Ok(answer)
    }

    fn show_clock(&mut self, colour: &str, time: &str, stones: &str) -> Answer {
        let side = side(colour)?;
        let (time, stones) = (seconds(time)?, count(stones)?);
        let stones = if self.counts_periods { stones.min(1) } else { stones };
        self.clock.show(side, Left { time, stones });
        Ok(String::new())
    }
}

/// The greatest fixed handicap of a board, in stones.
fn most_fixed((rows, columns): (u32, u32)) -> u32 {
    match rows.min(columns) {
        0..=6 => 0,
        7 => 4,
        _ if rows.is_multiple_of(2) || columns.is_multiple_of(2) => 4,
        _ => 9,
    }
}

/// The points of a fixed handicap of two stones or more: on the third lines along sides below 13, on the fourth along
/// others, and on middle lines.
fn fixed_points((rows, columns): (u32, u32), count: u32) -> Vec<u32> {
    let lines = |size: u32| {
        let low = if size < 13 { 2 } else { 3 };
        [low, size / 2, size - 1 - low]
    };
    let at = |(column, row): (usize, usize)| lines(rows)[row] * columns + lines(columns)[column];
    // By the lines of columns and rows: 0 the low one, 1 the middle one, 2 the high one.
    let around = [(0, 0), (2, 2), (0, 2), (2, 0), (0, 1), (2, 1), (1, 0), (1, 2)];
    let has_middle = count > 4 && count % 2 == 1;
    let on_lines = around.into_iter().take((count - u32::from(has_middle)) as usize);
    on_lines.chain(has_middle.then_some((1, 1))).map(at).collect()
}

fn parse_size(text: &str) -> Result<u32, String> {
    parsed(text, "not a size")
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = parsed(text, "not a time")?;
    // The clock of a referee can be negative.
    let time = Duration::try_from_secs_f64(number.max(0.0));
    time.map_err(|_| format!("syntax error: {} is not a time", quoted(text)))
}

fn count(text: &str) -> Result<u32, String> {
    parsed(text, "not a number of stones")
}
