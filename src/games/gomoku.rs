//! Gomoku: the twin of `games/gomoku.wgsl`.

use super::{STONE_PLANES, format_rows, parse_stones, size_rules, stone_planes};
use crate::error::{Error, Result};
use crate::rules::{Game, GameShader, Outcome, Planes, Player, RuleValue, SearchDefaults, Vouch};

/// Rows, and columns: the largest board has 22 x 22 cells, since a game has at most 512 actions.
const MAX_SIZE: usize = 22;

/// The bit of a cell itself in its windows.
const CENTRE: u32 = 1 << 5;
/// The cells at distance 1 and 2 of a cell, on its lines: by row, from two rows below to two above, the column two to
/// the left in bit 0.
const NEAR: [u32; 5] = [0b10101, 0b01110, 0b11011, 0b01110, 0b10101];

/// Gomoku: exactly five in line win, six or more do not count; a full board without five is a draw
/// ([specification](crate::documentation::specification), "Games of the original"). In the freestyle game five or more
/// in line win ([`Gomoku::with_freestyle`]).
///
/// An action is a cell, `row * columns + column`; A1 is row 0, column 0. In playouts the list of legal actions starts
/// as the empty cells, ascending, and the last entry replaces the one that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gomoku {
    rows: u32,
    columns: u32,
    freestyle: bool,
}

/// The stones of a Gomoku position: for each player one bit mask a row, bit = column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GomokuState {
    rows: [[u32; MAX_SIZE]; 2],
}

/// A Gomoku playout: the list of empty cells, and bit masks of all lines.
#[derive(Debug, Clone)]
pub struct GomokuPlayout {
    empty: Vec<u16>,
    lines: Lines,
    turn: Player,
}

/// For each player: rows and columns, then the diagonals, by row + column and by row - column.
///
/// Diagonals whose indexes differ by a multiple of the rows and one more have their cells in different columns, with an
/// empty one between: they share a mask.
#[derive(Debug, Clone)]
struct Lines {
    masks: [[[u32; MAX_SIZE + 1]; 4]; 2],
}

impl Gomoku {
    /// A board of `size` x `size` (15 is [`Gomoku::default`]).
    ///
    /// # Errors
    /// Bad input unless 5 <= size <= 22.
    pub fn new(size: u32) -> Result<Self> {
        Self::rectangular(size, size)
    }

    /// A board of `rows` x `columns` cells.
    ///
    /// # Errors
    /// Bad input unless both are from 5 to 22.
    pub fn rectangular(rows: u32, columns: u32) -> Result<Self> {
        let sizes = 5..=MAX_SIZE as u32;
        if !sizes.contains(&rows) || !sizes.contains(&columns) {
            return Err(Error::invalid(format!(
                "no Gomoku on {rows} x {columns}: take a size from 5 to {MAX_SIZE}"
            )));
        }
        Ok(Self { rows, columns, freestyle: false })
    }

    /// The same game in which lines of more than five also win, or in which they do not.
    #[must_use]
    pub fn with_freestyle(self, freestyle: bool) -> Self {
        Self { freestyle, ..self }
    }

    /// Whether lines of more than five win, too.
    pub fn freestyle(&self) -> bool {
        self.freestyle
    }

    /// Rows of the board.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Columns of the board.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Up to 15 rows and columns the masks of both players share a word, with an empty bit after each.
    fn is_narrow(&self) -> bool {
        self.rows.max(self.columns) < 16
    }

    fn cell(&self, action: u32) -> (u32, u32) {
        (action / self.columns, action % self.columns)
    }

    fn is_full(&self, state: &GomokuState) -> bool {
        (0..self.rows).all(|row| state.stones(row) == (1 << self.columns) - 1)
    }

    /// Up to five cells in both directions from a cell, along its four lines, for both halves of `rows`, which has a
    /// row of the board in each half of a word.
    fn windows(&self, action: u32, rows: impl Fn(usize) -> u64) -> [[u32; 4]; 2] {
        let (row, column) = self.cell(action);
        // Five empty cells before the row keep the positions of the falling line from becoming negative.
        let cells = |row: u32| rows(row as usize) << 5;
        let one_each = |cells: u64, place: u32| cells >> place & 0x1_0000_0001;
        let mut windows = [cells(row) >> column & 0x07ff_0000_07ff, 0, 0, 0];
        for i in 5 - row.min(5)..(5 + self.rows - row).min(11) {
            let cells = cells(row + i - 5);
            windows[1] |= one_each(cells, column + 5) << i;
            windows[2] |= one_each(cells, column + i) << i;
            windows[3] |= one_each(cells, column + 10 - i) << i;
        }
        [windows.map(|pair| pair as u32), windows.map(|pair| (pair >> 32) as u32)]
    }

    /// Whether `player` has won in one of the lines through a cell.
    fn has_five_through(&self, state: &GomokuState, player: Player, action: u32) -> bool {
        let [lines, _] = self.windows(action, |row| state.rows[player.index()][row].into());
        lines.into_iter().any(|line| self.has_five_in(line))
    }

    /// Whether a stone is at distance 1 or 2 of a cell, on a line.
    fn has_stone_near(&self, state: &GomokuState, action: u32) -> bool {
        let (row, column) = self.cell(action);
        let stones = |i: u32| (row + i).checked_sub(2).map_or(0, |row| state.stones(row) << 2 >> column);
        (0..5).zip(NEAR).any(|(i, near)| stones(i) & near != 0)
    }

    /// The empty cells in a window where one more stone makes a five that includes the centre.
    fn next_fives(&self, stones: u32, empty: u32) -> u32 {
        let next = (1..6).map(|first| {
            let missing = (31 << first) & !stones;
            let is_longer = !self.freestyle && stones & (0x41 << (first - 1)) != 0;
            if missing.count_ones() == 1 && missing & empty == missing && !is_longer { missing } else { 0 }
        });
        next.fold(0, |places, place| places | place)
    }

    /// Whether there is a run of ones of a winning length.
    fn has_five_in(&self, line: u32) -> bool {
        let pairs = line & line << 1;
        let fours = pairs & pairs << 2;
        let fives = fours & line << 4;
        if self.freestyle { fives != 0 } else { fives & !(line << 5) & !(line >> 1) != 0 }
    }

    /// Whether `player` has won in any line.
    fn has_five(&self, state: &GomokuState, player: Player) -> bool {
        let mut lines = Lines::new();
        let stones = (0..self.max_actions()).filter(|&action| {
            let (row, column) = self.cell(action);
            state.rows[player.index()][row as usize] >> column & 1 != 0
        });
        stones.for_each(|action| {
            lines.place(self, action, player);
        });
        lines.masks[player.index()].iter().flatten().any(|&line| self.has_five_in(line))
    }

    /// Words of workgroup memory of a playout in `games/gomoku.wgsl`: the list of cells and the lines of each player.
    fn playout_words(&self) -> u32 {
        let (entries_a_word, line_words) =
            if self.is_narrow() { (4, 32) } else { (3, 3 * self.rows + self.columns + 2) };
        self.max_actions().div_ceil(entries_a_word) + 2 * line_words
    }
}

impl Default for Gomoku {
    fn default() -> Self {
        Self { rows: 15, columns: 15, freestyle: false }
    }
}

impl GomokuState {
    /// All stones in a row, of both players.
    fn stones(&self, row: u32) -> u32 {
        self.rows.iter().filter_map(|rows| rows.get(row as usize)).fold(0, |all, row| all | row)
    }

    fn owner(&self, row: u32, column: u32) -> Option<Player> {
        let owned = |&player: &Player| self.rows[player.index()][row as usize] >> column & 1 != 0;
        [Player::First, Player::Second].into_iter().find(owned)
    }
}

impl Lines {
    fn new() -> Self {
        Self { masks: [[[0; MAX_SIZE + 1]; 4]; 2] }
    }

    /// Places a stone on the four lines through a cell; returns whether one of them wins now.
    fn place(&mut self, game: &Gomoku, action: u32, player: Player) -> bool {
        let (row, column) = game.cell(action);
        let diagonals = game.rows + 1;
        let lines = [
            (row, column),
            (column, row),
            ((row + column) % diagonals, column),
            ((row + game.columns * diagonals - column) % diagonals, column),
        ];
        let mut five = false;
        for (masks, (line, place)) in self.masks[player.index()].iter_mut().zip(lines) {
            masks[line as usize] |= 1 << place;
            five |= game.has_five_in(masks[line as usize]);
        }
        five
    }
}

impl Game for Gomoku {
    type State = GomokuState;
    type Playout = GomokuPlayout;

    fn name(&self) -> &str {
        "gomoku"
    }

    fn rules(&self) -> Vec<(&'static str, RuleValue)> {
        let mut rules = size_rules(self.rows, self.columns);
        rules.push(("freestyle", RuleValue::Flag(self.freestyle)));
        rules
    }

    fn max_actions(&self) -> u32 {
        self.rows * self.columns
    }

    fn max_plies(&self) -> u32 {
        self.rows * self.columns
    }

    fn search_defaults(&self) -> SearchDefaults {
        let has_net = (self.rows, self.columns) == (15, 15);
        SearchDefaults {
            ucb_c: 0.3,
            cpu_playouts: 8,
            net: has_net.then_some("gomoku"),
            ..SearchDefaults::default()
        }
    }

    /// The middle of the board: the more room, the more lines.
    fn opening_action(&self) -> Option<u32> {
        Some(self.rows / 2 * self.columns + self.columns / 2)
    }

    fn state_words(&self) -> u32 {
        if self.is_narrow() { self.rows } else { 2 * self.rows }
    }

    fn vouch(&self) -> Vouch<Self> {
        Vouch::own()
    }

    fn shader(&self) -> GameShader {
        let rules = GameShader::new(
            "games/gomoku.wgsl",
            include_str!("../../games/gomoku.wgsl"),
            vec![
                ("GOMOKU_ROWS", self.rows),
                ("GOMOKU_COLUMNS", self.columns),
                ("GOMOKU_FREESTYLE", self.freestyle.into()),
            ],
            self.playout_words(),
        );
        // An iteration makes two plies, but the start of a playout has the iterations of some hundred plies.
        let rules = rules.with_run_playout(self.rollout_round()).with_ply_iterations(16);
        GameShader { has_urgency: true, has_planes: true, ..rules }
    }

    fn start(&self) -> GomokuState {
        GomokuState { rows: [[0; MAX_SIZE]; 2] }
    }

    fn check_state(&self, state: &GomokuState) -> Result<()> {
        let [first, second] = &state.rows;
        let Self { rows, columns, .. } = *self;
        let inside = |row| if row < rows { (1 << columns) - 1 } else { 0 };
        let mut pairs = (0..).zip(first.iter().zip(second));
        if pairs.clone().any(|(row, (first, second))| (first | second) & !inside(row) != 0) {
            let what = format!("a stone outside of {rows} x {columns} cells: take the state of such a board");
            return Err(Error::invalid(what));
        }
        if pairs.any(|(_, (first, second))| first & second != 0) {
            return Err(Error::invalid("stones of both players on one cell: remove one of them"));
        }
        Ok(())
    }

    /// A word a row, the first player's stones in the low half; from 16 rows or columns on all rows of the first
    /// player, then all rows of the second.
    fn pack(&self, state: &GomokuState, words: &mut [u32]) {
        let rows = self.rows as usize;
        let [first, second] = &state.rows;
        if self.is_narrow() {
            let pairs = first.iter().zip(second).map(|(first, second)| first | second << 16);
            words.iter_mut().zip(pairs).for_each(|(word, pair)| *word = pair);
        } else {
            words[..rows].copy_from_slice(&first[..rows]);
            words[rows..].copy_from_slice(&second[..rows]);
        }
    }

    fn unpack(&self, words: &[u32]) -> GomokuState {
        let rows = self.rows as usize;
        let mut state = self.start();
        let [first, second] = &mut state.rows;
        if self.is_narrow() {
            for (row, word) in words.iter().enumerate() {
                (first[row], second[row]) = (word & 0xffff, word >> 16);
            }
        } else {
            first[..rows].copy_from_slice(&words[..rows]);
            second[..rows].copy_from_slice(&words[rows..]);
        }
        state
    }

    fn is_action_legal(&self, state: &GomokuState, _turn: Player, action: u32) -> bool {
        let (row, column) = self.cell(action);
        state.stones(row) >> column & 1 == 0
    }

    fn why_illegal(&self, _state: &GomokuState, _turn: Player, _action: u32) -> &'static str {
        "there is a stone already"
    }

    /// 4: makes five. 3: blocks a five of the opponent. 2: threatens two fives, of which the opponent can block one. 1:
    /// any other cell with a stone at distance 1 or 2 on a line. 0: the rest.
    fn action_urgency(&self, state: &GomokuState, turn: Player, action: u32) -> u32 {
        // Every five that a stone makes or threatens has another stone near it.
        if !self.has_stone_near(state, action) {
            return 0;
        }
        let of = |player: Player, row: usize| u64::from(state.rows[player.index()][row]);
        let [mine, theirs] = self.windows(action, |row| of(turn, row) | of(turn.opponent(), row) << 32);
        if mine.iter().any(|line| self.has_five_in(line | CENTRE)) {
            return 4;
        }
        if theirs.iter().any(|line| self.has_five_in(line | CENTRE)) {
            return 3;
        }
        if mine.iter().all(|line| line.count_ones() < 3) {
            return 1;
        }
        let [board, _] = self.windows(action, |_| (1 << self.columns) - 1);
        let empty = |line: usize| board[line] & !(mine[line] | theirs[line]);
        let fives = |line: usize| self.next_fives(mine[line] | CENTRE, empty(line)).count_ones();
        if (0..4).map(fives).sum::<u32>() > 1 { 2 } else { 1 }
    }

    fn planes(&self) -> Option<Planes> {
        Some(Planes { rows: self.rows, columns: self.columns, count: STONE_PLANES })
    }

    fn cell_planes(&self, state: &GomokuState, turn: Player, cell: u32) -> u32 {
        let (from_top, column) = self.cell(cell);
        stone_planes(state.owner(self.rows - 1 - from_top, column), turn)
    }

    fn take_action(&self, state: &mut GomokuState, turn: Player, action: u32) {
        let (row, column) = self.cell(action);
        state.rows[turn.index()][row as usize] |= 1 << column;
    }

    fn compute_outcome(
        &self,
        state: &GomokuState,
        turn: Player,
        last_action: Option<u32>,
    ) -> Option<Outcome> {
        let last_mover = turn.opponent();
        let (last_mover_wins, mover_wins) = match last_action {
            Some(action) => (self.has_five_through(state, last_mover, action), false),
            None => (self.has_five(state, last_mover), self.has_five(state, turn)),
        };
        if last_mover_wins {
            Some(last_mover.wins())
        } else if mover_wins {
            Some(turn.wins())
        } else {
            self.is_full(state).then_some(Outcome::Draw)
        }
    }

    fn playout_begin(&self, state: &GomokuState, turn: Player) -> GomokuPlayout {
        let mut playout = GomokuPlayout {
            empty: Vec::with_capacity(self.max_actions() as usize),
            lines: Lines::new(),
            turn,
        };
        for action in 0..self.max_actions() {
            let (row, column) = self.cell(action);
            match state.owner(row, column) {
                Some(player) => {
                    playout.lines.place(self, action, player);
                }
                None => playout.empty.push(action as u16),
            }
        }
        playout
    }

    fn legal_actions_playout(&self, playout: &mut GomokuPlayout) -> u32 {
        playout.empty.len() as u32
    }

    fn take_action_playout(&self, playout: &mut GomokuPlayout, ordinal: u32) -> Option<Outcome> {
        let action = playout.empty.swap_remove(ordinal as usize);
        let player = playout.turn;
        playout.turn = player.opponent();
        if playout.lines.place(self, action.into(), player) {
            return Some(player.wins());
        }
        playout.empty.is_empty().then_some(Outcome::Draw)
    }

    /// A game has about 113 plies. The fastest of 12 to 300 on an NVIDIA H200; searches refill their lanes after as
    /// many plies.
    fn rollout_round(&self) -> u32 {
        40
    }

    fn action_name(&self, action: u32) -> String {
        let (row, column) = self.cell(action);
        let letter = char::from_u32('A' as u32 + column).unwrap_or('?');
        format!("{letter}{}", row + 1)
    }

    fn parse_action(&self, name: &str) -> Option<u32> {
        let letter = name.chars().next()?.to_ascii_uppercase();
        let column = u32::from(letter).checked_sub('A' as u32).filter(|&column| column < self.columns)?;
        let digits = &name[1..];
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
        let number = digits.parse::<u32>().ok().filter(|_| is_number)?;
        (number <= self.rows).then(|| (number - 1) * self.columns + column)
    }

    fn board_rows(&self, state: &GomokuState) -> Vec<String> {
        format_rows((self.rows, self.columns), |from_top, column| {
            state.owner(self.rows - 1 - from_top, column)
        })
    }

    /// The top row has the highest number, so that A1 is at the bottom left. Any number of stones of either player is
    /// valid, since the player to move is given separately, and so are boards with five in line (finished games).
    ///
    /// # Errors
    /// Bad input if the size or a character is wrong.
    fn parse_board(&self, rows: &[&str]) -> Result<GomokuState> {
        let mut state = self.start();
        parse_stones(rows, (self.rows, self.columns), |from_top, column, player| {
            state.rows[player.index()][(self.rows - 1 - from_top) as usize] |= 1 << column;
        })?;
        Ok(state)
    }
}
