//! Game records in SGF (Smart Game Format, <https://www.red-bean.com/sgf/>), and the choices that their players made.

use super::{
    Neighbour, PatternShape,
    sgf::{Node, Property, Tree, read_trees},
};
use crate::{
    error::{Error, Result},
    games::{Go, GoState},
    rules::{Game, Player, Position},
};
use std::fmt::{Display, Write};

/// The main line of a game.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord {
    /// The number of the game in its file, from 1.
    pub number: usize,
    /// The line of the file on which it begins.
    pub line: usize,
    /// Rows of the board, 1 to 19.
    pub rows: u32,
    /// Columns of the board, 1 to 19.
    pub columns: u32,
    /// The komi, if the record has it.
    pub komi: Option<f64>,
    /// The names of Black and White, if the record has them (SGF's PB and PW).
    pub players: [Option<String>; 2],
    /// The result, if the record has it (SGF's RE): `B+3.5`.
    pub result: Option<String>,
    /// Stones set up and moves made, in their order.
    pub events: Vec<RecordEvent>,
    /// Deviations of the text from SGF, and their interpretation, with the number of the game and its line.
    pub notes: Vec<String>,
}

/// A change of the board in a record. Actions are those of [`Go`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordEvent {
    /// A change other than a move.
    Setup {
        /// Stones placed on the board, or removed from it.
        stones: Vec<(u32, Option<Player>)>,
        /// The player to move afterwards, if the record has it (SGF's PL).
        turn: Option<Player>,
    },
    /// A move or a pass.
    Move(Player, u32),
}

/// A move, and its candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveChoice {
    /// The M2 codes of the candidates of a playout: legal points that are no own eyes.
    pub candidates: Vec<u32>,
    /// The index of the chosen point.
    pub chosen: usize,
}

/// The choices of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoveChoices {
    /// One for every move that is not left out, in their order.
    pub choices: Vec<MoveChoice>,
    /// Moves into own eyes, which no playout makes. Passes are not counted.
    pub left_out: usize,
}

/// Reads the games of an SGF collection, each by itself: variations but the first are skipped.
///
/// The text is UTF-8 or in the encoding of the game's CA; only ASCII characters matter. An error has the number of the
/// game and the line on which it begins. Without any game, an error is the only item.
pub fn read_games(text: impl AsRef<[u8]>) -> Vec<Result<GameRecord>> {
    let mut games: Vec<Result<GameRecord>> = Vec::new();
    for (number, (line, tree)) in (1..).zip(read_trees(text.as_ref())) {
        let game = tree.and_then(|tree| read_game(tree, number, line));
        games.push(game.map_err(|why| of_game(number, line, why)));
    }
    if games.is_empty() {
        games.push(Err(Error::invalid("this is not SGF: it has no game '(;...)'")));
    }
    games
}

fn of_game(number: usize, line: usize, why: impl Display) -> Error {
    Error::invalid(format!("game {number} (line {line}): {why}"))
}

fn read_game(tree: Tree, number: usize, line: usize) -> Result<GameRecord> {
    let Tree { nodes, mut notes } = tree;
    let root = nodes.first().ok_or_else(|| Error::invalid("the game has no node"))?;
    if let Some((property, game)) = number_of(root, "GM", &mut notes)
        && game != "1"
    {
        return Err(Error::invalid(format!("not a game of Go: {} is not GM[1]", quoted(property))));
    }
    let (rows, columns) = sides_of(root, &mut notes)?;
    let komi = komi_of(root, &mut notes)?;
    let text = |name: &str| {
        let property = root.iter().find(|property| property.name == name)?;
        Some(property.values[0].clone())
    };
    let (players, result) = (["PB", "PW"].map(text), text("RE"));
    let mut events = Vec::new();
    for (number, node) in (1..).zip(&nodes) {
        read_node(node, (rows, columns), &mut events, &mut notes)
            .map_err(|why| Error::invalid(format!("node {number}: {why}")))?;
    }
    let notes = notes.iter().map(|note| of_game(number, line, note).to_string()).collect();
    Ok(GameRecord { number, line, rows, columns, komi, players, result, events, notes })
}

/// The first property of a name with its value, without white space and with a decimal point.
fn number_of<'a>(root: &'a Node, name: &str, notes: &mut Vec<String>) -> Option<(&'a Property, String)> {
    let property = root.iter().find(|property| property.name == name)?;
    let text = property.values[0].trim().replace(',', ".");
    if text.is_empty() {
        notes.push(format!("{} is ignored", quoted(property)));
        return None;
    }
    if property.values != [text.as_str()] {
        notes.push(format!("{} is read as {}", quoted(property), text.escape_debug()));
    }
    Some((property, text))
}

/// Rows and columns: 19 if the record does not have them (SGF's SZ).
fn sides_of(root: &Node, notes: &mut Vec<String>) -> Result<(u32, u32)> {
    let Some((property, text)) = number_of(root, "SZ", notes) else {
        return Ok((Go::MAX_SIZE, Go::MAX_SIZE));
    };
    let (columns, rows) = text.split_once(':').unwrap_or((&text, &text));
    let (Ok(columns), Ok(rows)) = (columns.parse::<u8>(), rows.parse::<u8>()) else {
        return Err(Error::invalid(format!("{} is not a board size", quoted(property))));
    };
    let sides = (u32::from(rows), u32::from(columns));
    Go::rectangular(sides.0, sides.1, 0.0).map(|_| sides)
}

fn komi_of(root: &Node, notes: &mut Vec<String>) -> Result<Option<f64>> {
    let Some((property, text)) = number_of(root, "KM", notes) else { return Ok(None) };
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    let number =
        number.ok_or_else(|| Error::invalid(format!("{}: the komi is not a number", quoted(property))))?;
    let points = points_of_komi(number);
    if points != number {
        notes.push(format!("{} is read as a komi of {points} points", quoted(property)));
    }
    Ok(Some(points))
}

/// Komi in points: Fox writes hundredths (375); Chinese records count stones, half of the points (3.75), which no other
/// komi in quarters does.
fn points_of_komi(number: f64) -> f64 {
    let is_hundredths = number.abs() > 100.0 && number % 100.0 != 0.0 && number % 25.0 == 0.0;
    let komi = if is_hundredths { number / 100.0 } else { number };
    let is_stones = (4.0 * komi) % 2.0 != 0.0 && (4.0 * komi).fract() == 0.0;
    if is_stones { 2.0 * komi } else { komi }
}

fn read_node(
    node: &Node,
    sides: (u32, u32),
    events: &mut Vec<RecordEvent>,
    notes: &mut Vec<String>,
) -> Result<()> {
    let (mut stones, mut turn) = (Vec::new(), None);
    let mut moves = Vec::new();
    for property in node {
        match property.name.as_str() {
            "PL" => {
                turn = turn.or(player_of(&property.values[0]));
                if turn.is_none() {
                    notes.push(format!("{} is ignored", quoted(property)));
                }
            }
            "AB" => add_stones(property, Some(Player::First), sides, &mut stones)?,
            "AW" => add_stones(property, Some(Player::Second), sides, &mut stones)?,
            "AE" => add_stones(property, None, sides, &mut stones)?,
            "B" => moves.push(RecordEvent::Move(Player::First, action_of_move(property, sides)?)),
            "W" => moves.push(RecordEvent::Move(Player::Second, action_of_move(property, sides)?)),
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

/// Older records have 1 and 2.
fn player_of(value: &str) -> Option<Player> {
    match value.trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Some(Player::First),
        "w" | "white" | "2" => Some(Player::Second),
        _ => None,
    }
}

/// In ascending order.
fn add_stones(
    property: &Property,
    owner: Option<Player>,
    sides: (u32, u32),
    stones: &mut Vec<(u32, Option<Player>)>,
) -> Result<()> {
    let mut actions = Vec::new();
    for value in &property.values {
        let (from, to) = value.split_once(':').unwrap_or((value, value));
        let [from, to] = [from, to].map(|corner| point_of(corner).ok_or_else(|| no_point(property)));
        let ((left, top), (right, bottom)) = (from?, to?);
        for row in top.min(bottom)..=top.max(bottom) {
            for column in left.min(right)..=left.max(right) {
                actions.push(action_of((column, row), sides)?);
            }
        }
    }
    actions.sort_unstable();
    actions.dedup();
    stones.extend(actions.into_iter().map(|action| (action, owner)));
    Ok(())
}

fn action_of_move(property: &Property, sides: (u32, u32)) -> Result<u32> {
    match property.values.iter().map(|value| value.trim()).collect::<Vec<_>>()[..] {
        ["" | "tt"] => Ok(sides.0 * sides.1),
        [point] => action_of(point_of(point).ok_or_else(|| no_point(property))?, sides),
        _ => Err(no_point(property)),
    }
}

/// The column and the row from the top, from 0.
fn point_of(text: &str) -> Option<(u32, u32)> {
    let place = |letter: u8| match letter {
        b'a'..=b'z' => Some(u32::from(letter - b'a')),
        b'A'..=b'Z' => Some(u32::from(letter - b'A') + 26),
        _ => None,
    };
    match *text.trim().as_bytes() {
        [column, row] => Some((place(column)?, place(row)?)),
        _ => None,
    }
}

fn no_point(property: &Property) -> Error {
    Error::invalid(format!("{} is not a point", quoted(property)))
}

/// The action of the point (column, row from the top) on a board of (rows, columns).
fn action_of((column, from_top): (u32, u32), (rows, columns): (u32, u32)) -> Result<u32> {
    if column >= columns || from_top >= rows {
        let what = format!("column {}, row {} from the top is not on the board", column + 1, from_top + 1);
        return Err(Error::invalid(what));
    }
    Ok((rows - 1 - from_top) * columns + column)
}

/// A property of the file, shortened to one line.
fn quoted(property: &Property) -> String {
    let values: String = property.values.iter().map(|value| format!("[{}]", value.escape_debug())).collect();
    let shown: String = values.chars().take(40).collect();
    let rest = if shown == values { "" } else { "..." };
    format!("'{}{shown}{rest}'", property.name)
}

impl GameRecord {
    /// The record that leads through the positions by moves and by stones that are set up, without players and result.
    pub(crate) fn of(positions: &[Position<Go>]) -> Self {
        let go = positions[positions.len() - 1].game();
        let (mut events, mut before) = (Vec::new(), vec![None; go.pass() as usize]);
        for (place, position) in positions.iter().enumerate() {
            let (stones, turn) = (stones_of(go, position.state()), position.turn());
            let ended = |last: &Position<Go>| last.outcome().is_some() && last.moves() == position.moves();
            events.push(match position.moves().last() {
                // A pass after the end of the game.
                Some(&pass) if place > 0 && ended(&positions[place - 1]) => RecordEvent::Move(turn, pass),
                Some(&action) if place > 0 => RecordEvent::Move(turn.opponent(), action),
                _ => {
                    let points = (0..).zip(stones.iter().copied()).zip(&before);
                    let changed = points.filter(|((_, now), before)| now != *before).map(|(now, _)| now);
                    let turn = stones.iter().any(Option::is_some).then_some(turn);
                    RecordEvent::Setup { stones: changed.collect(), turn }
                }
            });
            before = stones;
        }
        Self {
            number: 1,
            line: 1,
            rows: go.rows(),
            columns: go.columns(),
            komi: Some(f64::from(go.komi())),
            players: [None, None],
            result: None,
            events,
            notes: Vec::new(),
        }
    }

    /// The position before the first move: the stones set up there. The player to move is the one who makes the first
    /// move, else the one that the record names, else White where Black alone has stones (a handicap), else Black.
    ///
    /// # Errors
    /// Bad input where the board is not that of `go`, or a group has no liberty.
    pub fn opening(&self, go: &Go) -> Result<Position<Go>> {
        let (own, of_go) = ((self.rows, self.columns), (go.rows(), go.columns()));
        if own != of_go {
            let what = format!("the board has {} x {} points, not {} x {}", own.0, own.1, of_go.0, of_go.1);
            return Err(Error::invalid(what));
        }
        let mut stones = vec![None; go.pass() as usize];
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
        Position::from_board(go, &rows_of(go, &stones), said.unwrap_or(usual))
    }

    /// The moves from the opening on, with a pass between two moves of one player. They may be illegal.
    ///
    /// # Errors
    /// Bad input if stones are set up after a move, which is no move of Go.
    pub fn moves(&self) -> Result<Vec<u32>> {
        let (mut actions, mut last) = (Vec::new(), None);
        for event in &self.events {
            let (turn, action) = match *event {
                RecordEvent::Setup { ref stones, .. } if last.is_some() && !stones.is_empty() => {
                    let what = format!(
                        "stones are set up after move {}, but a game of Go sets stones up only before its first move",
                        actions.len()
                    );
                    return Err(Error::invalid(what));
                }
                RecordEvent::Setup { turn, .. } => (turn, None),
                RecordEvent::Move(player, action) => (Some(player), Some(action)),
            };
            if last.is_some() && last == turn {
                actions.push(self.rows * self.columns);
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
        let size = match (self.rows, self.columns) {
            (rows, columns) if rows == columns => rows.to_string(),
            (rows, columns) => format!("{columns}:{rows}"),
        };
        let mut text = format!("(;GM[1]FF[4]CA[UTF-8]AP[mcts-wgpu:{version}]SZ[{size}]");
        let komi = self.komi.map(|komi| format!("KM[{komi}]"));
        let escaped = |text: &str| text.replace('\\', "\\\\").replace(']', "\\]");
        let property = |(name, value): (&str, &Option<String>)| {
            value.as_deref().map(|value| format!("{name}[{}]", escaped(value)))
        };
        let [black, white] = &self.players;
        let properties = [("PB", black), ("PW", white), ("RE", &self.result)].map(property);
        text.extend(komi.into_iter().chain(properties.into_iter().flatten()));
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

    /// SGF counts rows from the top; a pass is an empty value.
    fn point_to_sgf(&self, action: u32) -> String {
        let (row, column) = (action / self.columns, action % self.columns);
        let letter = |place: u32| char::from(b'a' + place as u8);
        if row < self.rows {
            [letter(column), letter(self.rows - 1 - row)].iter().collect()
        } else {
            String::new()
        }
    }

    /// Plays the game by the rules of [`Go`], and collects the choices of its players.
    ///
    /// If a player moves twice in a row, the other one passed.
    ///
    /// # Errors
    /// Bad input, with the number of the move, if a move is illegal, or stones set up leave a group without liberty.
    pub fn choices(&self) -> Result<MoveChoices> {
        self.play().map_err(|why| of_game(self.number, self.line, why))
    }

    fn play(&self) -> Result<MoveChoices> {
        let go = Go::rectangular(self.rows, self.columns, 0.0)?;
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
        let candidates = points.into_iter().map(|point| code_at(&stones, go, turn, point)).collect();
        self.choices.push(MoveChoice { candidates, chosen });
    }
}

/// The owner of the stone on each point.
fn stones_of(go: &Go, state: &GoState) -> Vec<Option<Player>> {
    let rows = go.board_rows(state);
    rows.iter().rev().flat_map(|row| row.chars()).map(Player::of_symbol).collect()
}

fn code_at(stones: &[Option<Player>], go: &Go, turn: Player, point: u32) -> u32 {
    let (rows, columns) = (go.rows() as i32, go.columns() as i32);
    let (row, column) = (point as i32 / columns, point as i32 % columns);
    PatternShape::Diamond.code(|up, right| {
        let (row, column) = (row + up, column + right);
        if !(0..rows).contains(&row) || !(0..columns).contains(&column) {
            return Neighbour::Off;
        }
        match stones[(row * columns + column) as usize] {
            None => Neighbour::Empty,
            Some(owner) if owner == turn => Neighbour::Own,
            Some(_) => Neighbour::Opponent,
        }
    })
}

/// The position after stones were placed on the board or removed, with a player to move, if the record has one.
///
/// # Errors
/// Bad input if a group has no liberty.
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
    stones.chunks(go.columns() as usize).rev().map(row).collect()
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
