//! Game records in SGF (Smart Game Format, <https://www.red-bean.com/sgf/>), and the choices that their players made.

use super::{Neighbour, PatternShape};
use crate::{
    error::{Error, Result},
    games::{Go, GoState},
    rules::{Game, Player, Position},
};
use sgf_parse::{
    Color, SgfNode, SgfParseError, SimpleText,
    go::{Move, Point, Prop},
};
use std::{collections::HashSet, fmt::Write, ops::Range};

/// Nodes in a row that a game may have: more than the longest games of Go, few enough for any stack.
const MAX_NODES: usize = 4000;

/// The main line of a game.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord {
    /// The number of the game in its file, from 1.
    pub number: usize,
    /// The line of the file that it begins on.
    pub line: usize,
    /// The board has N x N points, 1 to 19.
    pub size: u32,
    /// What White gets for moving second, where the record says it.
    pub komi: Option<f64>,
    /// How the game ended, where the record says it (SGF's RE): `B+3.5`.
    pub result: Option<String>,
    /// Stones set up and moves made, in their order.
    pub events: Vec<RecordEvent>,
}

/// What a record tells about a board. Actions are those of [`Go`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordEvent {
    /// Other than by a move.
    Setup {
        /// Stones put on the board, or taken off it.
        stones: Vec<(u32, Option<Player>)>,
        /// Who is to move then, where the record says it (SGF's PL).
        turn: Option<Player>,
    },
    /// A move or a pass.
    Move(Player, u32),
}

/// A move, and the points that it was chosen from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveChoice {
    /// The M2 codes of the points that a playout could have taken: legal, and no own eyes.
    pub candidates: Vec<u32>,
    /// The place of the point that was taken.
    pub chosen: usize,
}

/// The choices of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoveChoices {
    /// One for every move but those left out, in their order.
    pub choices: Vec<MoveChoice>,
    /// Moves into own eyes, which no playout makes. Passes are not counted.
    pub left_out: usize,
}

/// Reads the games of an SGF collection, each by itself: variations but the first are passed over.
///
/// An error says the number of the game and the line that it begins on. Where the text is so malformed that it can't
/// be told where the next game begins, an error is the last item.
pub fn read_games(text: &str) -> Vec<Result<GameRecord>> {
    let text = text.trim_start_matches('\u{feff}');
    let mut games: Vec<Result<GameRecord>> = Vec::new();
    for (number, part) in (1..).zip(split(text)) {
        games.push(part.and_then(|(line, range)| {
            read_game(&text[range], number, line).map_err(|why| of_game(number, line, &why))
        }));
    }
    if games.is_empty() {
        games.push(Err(Error::invalid("there is no game in it: an SGF game is '(;...)'")));
    }
    games
}

/// The line that each game begins on, and its text. What cannot be split ends the list with an error.
fn split(text: &str) -> Vec<Result<(usize, Range<usize>)>> {
    let mut splitter = Splitter { line: 1, ..Splitter::default() };
    let mut games = Vec::new();
    for (place, byte) in text.bytes().enumerate() {
        match splitter.take(place, byte) {
            Ok(None) => {}
            Ok(Some(game)) => games.push(Ok(game)),
            Err(error) => {
                games.push(Err(error));
                return games;
            }
        }
    }
    games.extend(splitter.end().err().map(Err));
    games
}

/// Finds the ends of games. It leaves all but parentheses, nodes and values to the parser.
#[derive(Default)]
struct Splitter {
    /// The line of the last byte.
    line: usize,
    /// The line and the place where the game began.
    begin: (usize, usize),
    /// Nodes in a row above each open parenthesis.
    open: Vec<usize>,
    nodes: usize,
    in_value: bool,
    escaped: bool,
}

impl Splitter {
    /// Returns the game that ends with this byte.
    fn take(&mut self, place: usize, byte: u8) -> Result<Option<(usize, Range<usize>)>> {
        self.line += usize::from(byte == b'\n');
        if self.in_value {
            self.take_of_value(byte);
            return Ok(None);
        }
        match byte {
            b'(' => {
                if self.open.is_empty() {
                    (self.begin, self.nodes) = ((self.line, place), 0);
                }
                self.open.push(self.nodes);
            }
            _ if byte.is_ascii_whitespace() => {}
            _ if self.open.is_empty() => {
                return self.fail("this is not SGF: a game is '(;...)', and nothing stands between games");
            }
            b')' => {
                self.nodes = self.open.pop().unwrap_or(0);
                let (line, begin) = self.begin;
                return Ok(self.open.is_empty().then_some((line, begin..place + 1)));
            }
            b'[' => self.in_value = true,
            b';' if self.nodes == MAX_NODES => {
                return self.fail(&format!("a game of more than {MAX_NODES} nodes in a row is not read"));
            }
            b';' => self.nodes += 1,
            _ => {}
        }
        Ok(None)
    }

    fn take_of_value(&mut self, byte: u8) {
        self.in_value = self.escaped || byte != b']';
        self.escaped = !self.escaped && byte == b'\\';
    }

    fn end(mut self) -> Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let missing = if self.in_value { ']' } else { ')' };
        self.line = self.begin.0;
        self.fail(&format!("malformed SGF: the game that begins here has no end, a '{missing}' is missing"))
    }

    fn fail<T>(&self, what: &str) -> Result<T> {
        Err(Error::invalid(format!("line {}: {what}", self.line)))
    }
}

fn of_game(number: usize, line: usize, why: &Error) -> Error {
    Error::invalid(format!("game {number} (line {line}): {why}"))
}

fn read_game(text: &str, number: usize, line: usize) -> Result<GameRecord> {
    let malformed = |why| match why {
        SgfParseError::UnexpectedGameType => Error::invalid("not a game of Go: its GM is not 1"),
        why => Error::invalid(format!("malformed SGF: {why}")),
    };
    let trees = sgf_parse::go::parse(text).map_err(malformed)?;
    let root = trees.first().ok_or_else(|| Error::invalid("there is no node in it"))?;
    let size = size_of(root)?;
    let komi = komi_of(root)?;
    let mut events = Vec::new();
    for (number, node) in root.main_variation().enumerate() {
        read_node(node, size, &mut events)
            .map_err(|why| Error::invalid(format!("node {}: {why}", number + 1)))?;
    }
    let result = match root.get_property("RE") {
        Some(Prop::RE(result)) => Some(result.to_string()),
        _ => None,
    };
    Ok(GameRecord { number, line, size, komi, result, events })
}

/// 19 where the record does not say it (SGF's SZ).
fn size_of(root: &SgfNode<Prop>) -> Result<u32> {
    let (columns, rows) = match root.get_property("SZ") {
        None => (19, 19),
        Some(Prop::SZ(size)) => *size,
        Some(other) => return Err(Error::invalid(format!("{} is no board size", said(other)))),
    };
    if columns != rows || !(1..=Go::MAX_SIZE).contains(&u32::from(rows)) {
        let what = format!("a board of {columns} x {rows}: only square boards of 1 x 1 to 19 x 19 are read");
        return Err(Error::invalid(what));
    }
    Ok(u32::from(rows))
}

fn komi_of(root: &SgfNode<Prop>) -> Result<Option<f64>> {
    match root.get_property("KM") {
        None => Ok(None),
        Some(&Prop::KM(komi)) if komi.is_finite() => Ok(Some(komi)),
        Some(other) => Err(Error::invalid(format!("{}: the komi is no number", said(other)))),
    }
}

fn read_node(node: &SgfNode<Prop>, size: u32, events: &mut Vec<RecordEvent>) -> Result<()> {
    let (mut stones, mut turn) = (Vec::new(), None);
    let mut moves = Vec::new();
    for property in node.properties() {
        match property {
            Prop::PL(Color::Black) => turn = Some(Player::First),
            Prop::PL(Color::White) => turn = Some(Player::Second),
            Prop::AB(points) => add_stones(points, Some(Player::First), size, &mut stones)?,
            Prop::AW(points) => add_stones(points, Some(Player::Second), size, &mut stones)?,
            Prop::AE(points) => add_stones(points, None, size, &mut stones)?,
            Prop::B(to) => moves.push(RecordEvent::Move(Player::First, action_of_move(to, size)?)),
            Prop::W(to) => moves.push(RecordEvent::Move(Player::Second, action_of_move(to, size)?)),
            Prop::Invalid(name, _) if ["AB", "AW", "AE", "B", "W"].contains(&name.as_str()) => {
                return Err(Error::invalid(format!("{} is no point", said(property))));
            }
            _ => {}
        }
    }
    if moves.len() > 1 {
        return Err(Error::invalid("two moves in one node"));
    }
    if !stones.is_empty() || turn.is_some() {
        events.push(RecordEvent::Setup { stones, turn });
    }
    events.append(&mut moves);
    Ok(())
}

/// In ascending order: the reader of the format keeps points in sets without one.
fn add_stones(
    points: &HashSet<Point>,
    owner: Option<Player>,
    size: u32,
    stones: &mut Vec<(u32, Option<Player>)>,
) -> Result<()> {
    let actions: Result<Vec<u32>> = points.iter().map(|point| action_of(point, size)).collect();
    let mut actions = actions?;
    actions.sort_unstable();
    stones.extend(actions.into_iter().map(|action| (action, owner)));
    Ok(())
}

fn action_of_move(to: &Move, size: u32) -> Result<u32> {
    match to {
        Move::Pass | Move::Move(Point { x: 19, y: 19 }) => Ok(size * size),
        Move::Move(point) => action_of(point, size),
    }
}

/// SGF counts rows from the top.
fn action_of(point: &Point, size: u32) -> Result<u32> {
    let (column, from_top) = (u32::from(point.x), u32::from(point.y));
    if column >= size || from_top >= size {
        let what = format!("column {}, row {} from the top is not on the board", column + 1, from_top + 1);
        return Err(Error::invalid(what));
    }
    Ok((size - 1 - from_top) * size + column)
}

/// A property as it stands in the file, but short and on one line.
fn said(property: &Prop) -> String {
    let Prop::Invalid(name, values) = property else { return format!("'{property}'") };
    let values: String = values.iter().map(|value| format!("[{}]", value.escape_debug())).collect();
    let shown: String = values.chars().take(40).collect();
    let rest = if shown == values { "" } else { "..." };
    format!("'{name}{shown}{rest}'")
}

impl GameRecord {
    /// The position before the first move: the stones set up there. The player to move is the one who makes the first
    /// move, else the one that the record names, else White where Black alone has stones (a handicap), else Black.
    ///
    /// # Errors
    /// Bad input where the board is not that of `go`, or a group has no liberty.
    pub fn opening(&self, go: &Go) -> Result<Position<Go>> {
        let size = go.size();
        if self.size != size {
            let what = format!("the game is on {0} x {0}, and not on {size} x {size}", self.size);
            return Err(Error::invalid(what));
        }
        let mut stones = vec![None; (size * size) as usize];
        let mut said = None;
        for event in &self.events {
            match event {
                RecordEvent::Setup { stones: changed, turn } => {
                    changed.iter().for_each(|&(action, owner)| stones[action as usize] = owner);
                    said = turn.or(said);
                }
                &RecordEvent::Move(player, _) => {
                    said = Some(player);
                    break;
                }
            }
        }
        let has = |player| stones.contains(&Some(player));
        let handicap = has(Player::First) && !has(Player::Second);
        let usual = if handicap { Player::Second } else { Player::First };
        let rows = rows_of(go, &stones);
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        Position::from_board(go, &rows, said.unwrap_or(usual))
    }

    /// The moves from the opening on, with a pass between two moves of one player. They may be illegal.
    ///
    /// # Errors
    /// Bad input where stones are set up after a move: no game of Go goes so.
    pub fn moves(&self) -> Result<Vec<u32>> {
        let (mut actions, mut last) = (Vec::new(), None);
        for event in &self.events {
            let (turn, action) = match *event {
                RecordEvent::Setup { ref stones, .. } if last.is_some() && !stones.is_empty() => {
                    let what = format!("stones are set up after move {}, which no game has", actions.len());
                    return Err(Error::invalid(what));
                }
                RecordEvent::Setup { turn, .. } => (turn, None),
                RecordEvent::Move(player, action) => (Some(player), Some(action)),
            };
            if last.is_some() && last == turn {
                actions.push(self.size * self.size);
                last = last.map(Player::opponent);
            }
            if action.is_some() {
                last = turn;
                actions.extend(action);
            }
        }
        Ok(actions)
    }

    /// The record as SGF, which [`read_games`] reads.
    pub fn to_sgf(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let mut text = format!("(;GM[1]FF[4]CA[UTF-8]AP[mcts-wgpu:{version}]SZ[{}]", self.size);
        let komi = self.komi.map(|komi| format!("KM[{komi}]"));
        let result = self.result.as_deref().map(|result| Prop::RE(SimpleText::from(result)).to_string());
        text.extend([komi, result].into_iter().flatten());
        let mut is_root = true;
        for event in &self.events {
            match event {
                RecordEvent::Setup { stones, turn } => {
                    text += if is_root { "" } else { "\n;" };
                    text += &self.setup_to_sgf(stones);
                    text.extend(turn.map(|player| format!("PL[{}]", letter(player))));
                }
                &RecordEvent::Move(player, action) => {
                    write!(text, "\n;{}[{}]", letter(player), self.point_to_sgf(action)).ok();
                }
            }
            is_root = false;
        }
        text + ")\n"
    }

    fn setup_to_sgf(&self, stones: &[(u32, Option<Player>)]) -> String {
        let owners = [("AB", Some(Player::First)), ("AW", Some(Player::Second)), ("AE", None)];
        let list = |(name, owner): (&str, Option<Player>)| {
            let points = stones.iter().filter(|stone| stone.1 == owner);
            let points: String = points.map(|stone| format!("[{}]", self.point_to_sgf(stone.0))).collect();
            if points.is_empty() { points } else { format!("{name}{points}") }
        };
        owners.map(list).concat()
    }

    /// SGF counts rows from the top; a pass is nothing.
    fn point_to_sgf(&self, action: u32) -> String {
        let (row, column) = (action / self.size, action % self.size);
        let letter = |place: u32| char::from(b'a' + place as u8);
        if row < self.size {
            [letter(column), letter(self.size - 1 - row)].iter().collect()
        } else {
            String::new()
        }
    }

    /// Plays the game by the rules of [`Go`], and tells between what its players chose.
    ///
    /// Where a player moves twice in a row, the other one passed.
    ///
    /// # Errors
    /// Bad input, with the number of the move, where a move is illegal, or stones set up leave a group without liberty.
    pub fn choices(&self) -> Result<MoveChoices> {
        self.play().map_err(|why| of_game(self.number, self.line, &why))
    }

    fn play(&self) -> Result<MoveChoices> {
        let go = Go::new(self.size, 0.0)?;
        let mut state = go.start();
        let mut choices = MoveChoices::default();
        let (mut moves, mut last) = (0, None);
        for event in &self.events {
            let (turn, action) = match event {
                RecordEvent::Setup { stones, .. } if stones.is_empty() => continue,
                RecordEvent::Setup { stones, .. } => {
                    let place = |why| Error::invalid(format!("stones set up after move {moves}: {why}"));
                    state = with_stones(&go, &state, stones).map_err(place)?;
                    continue;
                }
                &RecordEvent::Move(turn, action) => (turn, action),
            };
            moves += 1;
            if last == Some(turn) {
                go.take_action(&mut state, turn.opponent(), go.pass());
            }
            last = Some(turn);
            if !go.is_action_legal(&state, turn, action) {
                return Err(illegal(&go, &state, moves, turn, action));
            }
            if action != go.pass() {
                choices.note(&go, &state, turn, action);
            }
            go.take_action(&mut state, turn, action);
        }
        Ok(choices)
    }
}

impl MoveChoices {
    fn note(&mut self, go: &Go, state: &GoState, turn: Player, action: u32) {
        let points = go.playout_points(state, turn);
        let Ok(chosen) = points.binary_search(&action) else {
            self.left_out += 1;
            return;
        };
        let stones = stones_of(go, state);
        let candidates = points.into_iter().map(|point| code_at(&stones, go.size(), turn, point)).collect();
        self.choices.push(MoveChoice { candidates, chosen });
    }
}

/// Who has a stone on each point.
fn stones_of(go: &Go, state: &GoState) -> Vec<Option<Player>> {
    let rows = go.board_rows(state);
    let owner = |symbol| [Player::First, Player::Second].into_iter().find(|player| player.symbol() == symbol);
    rows.iter().rev().flat_map(|row| row.chars()).map(owner).collect()
}

/// The M2 code of a point.
fn code_at(stones: &[Option<Player>], size: u32, turn: Player, point: u32) -> u32 {
    let size = size as i32;
    let (row, column) = (point as i32 / size, point as i32 % size);
    PatternShape::Diamond.code(|up, right| {
        let (row, column) = (row + up, column + right);
        if !(0..size).contains(&row) || !(0..size).contains(&column) {
            return Neighbour::Off;
        }
        match stones[(row * size + column) as usize] {
            None => Neighbour::Empty,
            Some(owner) if owner == turn => Neighbour::Own,
            Some(_) => Neighbour::Opponent,
        }
    })
}

/// The position after stones were put on the board or taken off it, with a player to move, if that is told.
///
/// # Errors
/// Bad input where a group has no liberty.
pub(crate) fn set_up(
    position: &Position<Go>,
    stones: &[(u32, Option<Player>)],
    turn: Option<Player>,
) -> Result<Position<Go>> {
    let turn = turn.unwrap_or(position.turn());
    if stones.is_empty() && turn == position.turn() {
        return Ok(position.clone());
    }
    let go = position.game();
    Position::from_state(go, with_stones(go, position.state(), stones)?, turn)
}

fn with_stones(go: &Go, state: &GoState, set_up: &[(u32, Option<Player>)]) -> Result<GoState> {
    let mut stones = stones_of(go, state);
    for &(action, owner) in set_up {
        stones[action as usize] = owner;
    }
    let rows = rows_of(go, &stones);
    go.parse_board(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A board of stones, top row first.
fn rows_of(go: &Go, stones: &[Option<Player>]) -> Vec<String> {
    let row = |row: &[Option<Player>]| row.iter().map(|owner| owner.map_or('.', Player::symbol)).collect();
    stones.chunks(go.size() as usize).rev().map(row).collect()
}

/// A player in SGF.
fn letter(player: Player) -> char {
    ['B', 'W'][player.index()]
}

fn illegal(go: &Go, state: &GoState, number: usize, turn: Player, action: u32) -> Error {
    let why = go.why_illegal(state, turn, action);
    let player = if turn == Player::First { "Black" } else { "White" };
    let name = go.action_name(action);
    Error::invalid(format!("move {number}, {player} at {name}, is illegal: {why}"))
}
