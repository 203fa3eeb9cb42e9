//! Connect 4: the twin of `games/connect4.wgsl`.

mod plies;
mod solved;
mod tactics;

use super::{STONE_PLANES, format_rows, parse_stones, stone_planes};
use crate::error::{Error, Result};
use crate::rules::{
    ACTION_WORDS, ActionBits, Game, GameShader, Outcome, Planes, Player, RANDOM_POLICY, RuleValue,
    SearchDefaults, SideBySide, Vouch,
};
use tactics::Chances;

/// The policy that wins at once, else blocks a line, and else avoids cells below one that completes a line.
const TACTICAL_POLICY: &str = "tactical";

/// Connect 4 on a stand of any size that fits 64 bits ([specification](crate::documentation::specification), "Games of
/// the original").
///
/// An action is a column. Four or more in line win; a full stand without a line is a draw. In playouts the legal
/// actions are the columns that are not full, ascending; the policy `tactical` wins at once if it can, else blocks a
/// line, and else avoids cells below one that completes a line ([specification](crate::documentation::specification),
/// "Policies of playouts").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect4 {
    rows: u32,
    columns: u32,
    /// The lowest row.
    bottom: u64,
    is_tactical: bool,
}

/// The discs of a Connect 4 position: bit `column * (rows + 1) + row`, row 0 at the bottom; bit `rows` of a column is
/// never set, so that no line runs on into the next column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connect4State {
    first: u64,
    filled: u64,
}

/// A Connect 4 playout: boards by role instead of by player, and the columns that are not full.
#[derive(Debug, Clone)]
pub struct Connect4Playout {
    mover: u64,
    filled: u64,
    /// The open columns, ascending, four bits each; in tactical playouts the candidate cells, one bit each, once the
    /// list is up to date.
    open: u64,
    /// The number of columns or cells in the list.
    count: u32,
    turn: Player,
}

impl Connect4 {
    /// A stand of `rows` x `columns` (6 x 7 is [`Connect4::default`]).
    ///
    /// # Errors
    /// Bad input unless 1 <= rows <= 31, 1 <= columns <= 16, (rows + 1) * columns <= 64, and one of the two is at
    /// least 4.
    pub fn new(rows: u32, columns: u32) -> Result<Self> {
        let in_range = (1..=31).contains(&rows) && (1..=16).contains(&columns);
        if !in_range || (rows + 1) * columns > 64 {
            return Err(Error::invalid(format!(
                "no Connect 4 on {rows} rows x {columns} columns: take 1 to 31 rows and 1 to 16 columns with \
                 (rows + 1) * columns at most 64"
            )));
        }
        if rows < 4 && columns < 4 {
            return Err(Error::invalid(format!(
                "Connect 4 on {rows} rows x {columns} columns has no line of four: take at least 4 rows or 4 columns"
            )));
        }
        Ok(Self::of_size(rows, columns))
    }

    /// A stand of a valid size.
    fn of_size(rows: u32, columns: u32) -> Self {
        let bottom = (0..columns).map(|column| 1 << (column * (rows + 1))).sum();
        Self { rows, columns, bottom, is_tactical: false }
    }

    /// Rows of the stand.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Columns of the stand.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    fn step(&self) -> u32 {
        self.rows + 1
    }

    /// The cells of one row; row `rows` is the lid above the stand.
    fn row_mask(&self, row: u32) -> u64 {
        self.bottom << row
    }

    fn is_full(&self, filled: u64) -> bool {
        filled & self.row_mask(self.rows - 1) == self.row_mask(self.rows - 1)
    }

    fn is_open(&self, filled: u64, column: u32) -> bool {
        filled >> (column * self.step() + self.rows - 1) & 1 == 0
    }

    /// The cell that the next disc in an open column falls to.
    fn landing(&self, filled: u64, column: u32) -> u64 {
        (filled + (1 << (column * self.step()))) & !filled
    }

    /// Whether there is a line of four or more. Shifts find pairs of discs, then pairs of pairs.
    fn has_line(&self, discs: u64) -> bool {
        [1, self.step() - 1, self.step(), self.step() + 1].into_iter().any(|step| {
            let pairs = discs & (discs >> step);
            pairs & pairs.checked_shr(2 * step).unwrap_or(0) != 0
        })
    }

    /// The owner of the disc in a cell, whose row is counted from the top.
    fn owner(&self, state: &Connect4State, from_top: u32, column: u32) -> Option<Player> {
        let cell = 1 << (column * self.step() + self.rows - 1 - from_top);
        [Player::First, Player::Second].into_iter().find(|&player| state.discs(player) & cell != 0)
    }

    /// A column with a disc above an empty cell.
    fn hanging(&self, filled: u64) -> Option<u32> {
        (0..self.columns).find(|column| {
            let cells = filled >> (column * self.step()) & (u64::MAX >> (64 - self.rows));
            cells & (cells + 1) != 0
        })
    }

    /// The cells that matter for tactics, given the discs of the player to move and of both.
    fn chances(&self, mover: u64, filled: u64) -> Chances {
        let [mine, theirs] = [mover, mover ^ filled].map(|discs| self.completions(discs));
        Chances { open: self.landings(filled), mine, theirs }
    }

    /// The height marks: one bit above the discs of each column.
    fn marks(&self, filled: u64) -> u64 {
        filled + self.row_mask(0)
    }
}

impl Default for Connect4 {
    fn default() -> Self {
        Self::of_size(6, 7)
    }
}

impl Connect4State {
    fn discs(&self, player: Player) -> u64 {
        match player {
            Player::First => self.first,
            Player::Second => self.filled ^ self.first,
        }
    }

    fn put(&mut self, cell: u64, player: Player) {
        self.filled |= cell;
        if player == Player::First {
            self.first |= cell;
        }
    }
}

impl Game for Connect4 {
    type State = Connect4State;
    type Playout = Connect4Playout;

    fn name(&self) -> &str {
        "connect4"
    }

    fn rules(&self) -> Vec<(&'static str, RuleValue)> {
        vec![("rows", RuleValue::Count(self.rows)), ("columns", RuleValue::Count(self.columns))]
    }

    fn max_actions(&self) -> u32 {
        self.columns
    }

    fn max_plies(&self) -> u32 {
        self.rows * self.columns
    }

    fn search_defaults(&self) -> SearchDefaults {
        SearchDefaults {
            ucb_c: 0.7,
            policy: TACTICAL_POLICY,
            policy_suits_all_sizes: true,
            net: ((self.rows, self.columns) == (6, 7)).then_some("connect4"),
            // Values of the included network depend on the length of the game, and are nearer to one another.
            net_ucb_c: 0.5,
            ..SearchDefaults::default()
        }
    }

    fn state_words(&self) -> u32 {
        2
    }

    fn expansion_stride(&self) -> u32 {
        (self.rows * self.columns).next_power_of_two().min(512)
    }

    fn vouch(&self) -> Vouch<Self> {
        Vouch::own()
    }

    fn shader(&self) -> GameShader {
        let (bottom, top, lid) = (self.row_mask(0), self.row_mask(self.rows - 1), self.row_mask(self.rows));
        let high = |board: u64| (board >> 32) as u32;
        let rules = GameShader::new(
            "games/connect4.wgsl",
            include_str!("../../games/connect4.wgsl"),
            vec![
                ("CONNECT4_ROWS", self.rows),
                ("CONNECT4_COLUMNS", self.columns),
                ("CONNECT4_BOTTOM_LOW", bottom as u32),
                ("CONNECT4_BOTTOM_HIGH", high(bottom)),
                ("CONNECT4_TOP_LOW", top as u32),
                ("CONNECT4_TOP_HIGH", high(top)),
                ("CONNECT4_LID_LOW", lid as u32),
                ("CONNECT4_LID_HIGH", high(lid)),
                ("CONNECT4_CELLS_LOW", self.cells() as u32),
                ("CONNECT4_CELLS_HIGH", high(self.cells())),
                ("CONNECT4_UPPER_LOW", self.upper_cells() as u32),
                ("CONNECT4_UPPER_HIGH", high(self.upper_cells())),
                ("CONNECT4_TACTICAL", self.is_tactical.into()),
            ],
            0,
        );
        GameShader {
            has_urgency: true,
            solves: true,
            has_planes: true,
            ..rules.with_run_playout(self.rollout_round())
        }
    }

    fn start(&self) -> Connect4State {
        Connect4State { first: 0, filled: 0 }
    }

    fn check_state(&self, state: &Connect4State) -> Result<()> {
        if state.filled & !self.cells() != 0 {
            let [rows, columns] = [self.rows, self.columns];
            let what =
                format!("a disc outside of {rows} rows x {columns} columns: take the state of such a stand");
            return Err(Error::invalid(what));
        }
        if state.first & !state.filled != 0 {
            return Err(Error::invalid("a disc of the first player on an empty cell: fill the cell"));
        }
        match self.hanging(state.filled) {
            Some(column) => Err(Error::invalid(format!(
                "a disc in column {column} hangs above an empty cell: fill the column from the bottom"
            ))),
            None => Ok(()),
        }
    }

    /// One board of 64 bits, low word first: the first player's discs and the height marks.
    fn pack(&self, state: &Connect4State, words: &mut [u32]) {
        let key = state.first | self.marks(state.filled);
        words[0] = key as u32;
        words[1] = (key >> 32) as u32;
    }

    fn unpack(&self, words: &[u32]) -> Connect4State {
        let key = u64::from(words[0]) | u64::from(words[1]) << 32;
        let field = u64::MAX >> (64 - self.step());
        let filled = (0..self.columns)
            .map(|column| {
                let place = column * self.step();
                let height = (key >> place & field).checked_ilog2().unwrap_or(0);
                ((1 << height) - 1) << place
            })
            .sum();
        Connect4State { first: key & filled, filled }
    }

    fn legal_actions(&self, state: &Connect4State, _turn: Player) -> ActionBits {
        let mut actions = [0; ACTION_WORDS];
        let open = (0..self.columns).filter(|&column| self.is_open(state.filled, column));
        actions[0] = open.fold(0, |bits, column| bits | 1 << column);
        actions
    }

    fn is_action_legal(&self, state: &Connect4State, _turn: Player, action: u32) -> bool {
        self.is_open(state.filled, action)
    }

    fn why_illegal(&self, _state: &Connect4State, _turn: Player, _action: u32) -> &'static str {
        "the column is full"
    }

    /// 4: makes a line. 3: blocks a line of the opponent. 1: lets the opponent make a line on top of it. 2: the rest.
    fn action_urgency(&self, state: &Connect4State, turn: Player, action: u32) -> u32 {
        let cell = self.landing(state.filled, action);
        let [mine, theirs] = [turn, turn.opponent()].map(|player| state.discs(player));
        if self.has_line(mine | cell) {
            return 4;
        }
        if self.has_line(theirs | cell) {
            return 3;
        }
        let filled = state.filled | cell;
        let is_answered =
            self.is_open(filled, action) && self.has_line(theirs | self.landing(filled, action));
        if is_answered { 1 } else { 2 }
    }

    fn solved_outcome(&self, state: &Connect4State, turn: Player) -> Option<(Outcome, u32)> {
        self.foresee(state, turn)
    }

    fn planes(&self) -> Option<Planes> {
        Some(Planes { rows: self.rows, columns: self.columns, count: STONE_PLANES })
    }

    fn cell_planes(&self, state: &Connect4State, turn: Player, cell: u32) -> u32 {
        stone_planes(self.owner(state, cell / self.columns, cell % self.columns), turn)
    }

    fn take_action(&self, state: &mut Connect4State, turn: Player, action: u32) {
        state.put(self.landing(state.filled, action), turn);
    }

    fn compute_outcome(
        &self,
        state: &Connect4State,
        turn: Player,
        last_action: Option<u32>,
    ) -> Option<Outcome> {
        let last_mover = turn.opponent();
        if self.has_line(state.discs(last_mover)) {
            return Some(last_mover.wins());
        }
        if last_action.is_none() && self.has_line(state.discs(turn)) {
            return Some(turn.wins());
        }
        self.is_full(state.filled).then_some(Outcome::Draw)
    }

    fn playout_begin(&self, state: &Connect4State, turn: Player) -> Connect4Playout {
        let mut playout =
            Connect4Playout { mover: state.discs(turn), filled: state.filled, open: 0, count: 0, turn };
        for column in (0..self.columns).filter(|&column| self.is_open(state.filled, column)) {
            playout.open |= u64::from(column) << (4 * playout.count);
            playout.count += 1;
        }
        playout
    }

    fn legal_actions_playout(&self, playout: &mut Connect4Playout) -> u32 {
        if self.is_tactical {
            playout.open = tactics::candidates(self.chances(playout.mover, playout.filled));
            playout.count = playout.open.count_ones();
        }
        playout.count
    }

    fn take_action_playout(&self, playout: &mut Connect4Playout, ordinal: u32) -> Option<Outcome> {
        let landed = if self.is_tactical {
            tactics::nth(playout.open, ordinal.into(), playout.count.into())
        } else {
            let column = playout.column(ordinal);
            let landed = self.landing(playout.filled, column);
            if !self.is_open(playout.filled | landed, column) {
                playout.close(ordinal);
            }
            landed
        };
        let discs = playout.mover | landed;
        let player = playout.turn;
        playout.mover ^= playout.filled;
        playout.filled |= landed;
        playout.turn = player.opponent();
        if self.has_line(discs) {
            return Some(player.wins());
        }
        self.is_full(playout.filled).then_some(Outcome::Draw)
    }

    fn playouts_by<V: SideBySide<Connect4State>>(&self, visitor: V) -> V::Output {
        match (self.step(), self.is_tactical) {
            (plies::USUAL_STEP, false) => {
                visitor.side_by_side(&plies::Stand::<{ plies::USUAL_STEP }>::new(self))
            }
            (_, false) => visitor.side_by_side(&plies::Stand::<0>::new(self)),
            (plies::USUAL_STEP, true) => visitor.side_by_side(&plies::Tactical::new(self)),
            (_, true) => visitor.one_by_one(),
        }
    }

    fn policies(&self) -> &'static [&'static str] {
        &[RANDOM_POLICY, TACTICAL_POLICY]
    }

    fn policy(&self) -> String {
        if self.is_tactical { TACTICAL_POLICY } else { RANDOM_POLICY }.into()
    }

    fn with_policy(self, name: &str) -> Result<Self> {
        if !self.policies().contains(&name) {
            let known = self.policies().join(", ");
            return Err(Error::invalid(format!("connect4 has no policy '{name}': choose {known}")));
        }
        Ok(Self { is_tactical: name == TACTICAL_POLICY, ..self })
    }

    /// A game has about 21 plies.
    fn rollout_round(&self) -> u32 {
        8
    }

    fn action_name(&self, action: u32) -> String {
        action.to_string()
    }

    fn parse_action(&self, name: &str) -> Option<u32> {
        name.parse().ok().filter(|&column| column < self.columns)
    }

    fn board_rows(&self, state: &Connect4State) -> Vec<String> {
        format_rows((self.rows, self.columns), |from_top, column| self.owner(state, from_top, column))
    }

    /// The top row of the stand comes first. Any number of discs of either player is valid, since the player to move is
    /// given separately, and so are boards with lines (finished games).
    ///
    /// # Errors
    /// Bad input if the size or a character is wrong, or a disc hangs above an empty cell.
    fn parse_board(&self, rows: &[&str]) -> Result<Connect4State> {
        let mut state = self.start();
        parse_stones(rows, (self.rows, self.columns), |from_top, column, player| {
            state.put(1 << (column * self.step() + self.rows - 1 - from_top), player);
        })?;
        self.check_state(&state)?;
        Ok(state)
    }
}

impl Connect4Playout {
    fn column(&self, ordinal: u32) -> u32 {
        (self.open >> (4 * ordinal) & 15) as u32
    }

    /// Removes the column at place `ordinal` from the list of open columns.
    fn close(&mut self, ordinal: u32) {
        let before = (1 << (4 * ordinal)) - 1;
        self.open = self.open & before | self.open >> 4 & !before;
        self.count -= 1;
    }
}
