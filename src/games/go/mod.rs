//! Go on 1 x 1 to 19 x 19: the twin of `games/go/rules.wgsl`.
//!
//! Area scoring with komi, no suicide, simple ko, or positional superko on request ([`Go::with_superko`]). A pass is
//! always legal; the game ends after two passes in a row, or after [`Go::max_moves`] moves, including passes: the board
//! is scored as it stands. Black is [`Player::First`].
//!
//! Points are numbered `row * columns + column` with row 0 at the bottom: action 0 is A1. The last action passes.
//! Names are GTP's (letters without I, rows from 1 at the bottom); the first of a board's rows is the top one.
//!
//! # Representation
//! A set of points is a plane of bits with one unused column to the right of each row: bit
//! `row * (columns + 1) + column`. With the unused column, four shifts give the neighbours of all points of a set,
//! without wrapping around the edge. Besides the stones, a playout updates the plane of all stones in atari (groups
//! with one liberty). With it the legal points of a position need no search: an empty point is playable if a neighbour
//! is empty, or belongs to an own group with another liberty, or to an opposing group in atari.
//!
//! On the CPU a playout updates the chains of stones from move to move instead of tracing groups
//! (`src/games/go/chains.rs`): the same games, 1.2 times as fast on 9 x 9 and 1.6 times on 19 x 19.
//!
//! # Searches
//! Trees leave out moves into the mover's own one-point eyes ([`Settings::pruning`](crate::Settings::pruning)), which
//! are always mistakes. A pass is never left out.
//!
//! # Playouts
//! Candidates are the legal points that are not the mover's own one-point eyes, by ascending action; the pass alone if
//! there is none. An eye: all neighbours are own stones or off the board, and at most one diagonal neighbour is an
//! opposing stone, none at the edge.
//!
//! The policy `random` draws all candidates with equal probability. `pattern3x3` and `m2` draw a candidate in
//! proportion to the rating that a [`PatternTable`] gives to its pattern, from the mover's view: of 64 random bits r
//! and the sum S of all candidates' ratings, the first candidate whose rating and those before it sum up to more than
//! floor(r S / 2^64) (Iwakawa, Narumi and Muramatsu, "GPGPU for parallel processing of simulation of Monte-Carlo Go",
//! section 4.2.1, with the legality of a point known before it is drawn).
//!
//! `tactical` has the ratings of `pattern3x3`, whose sum over the candidates is S. Candidates next to the playout's
//! last stone, or diagonal to it, count 5 times their ratings. After the entries of all candidates, each urgent one has
//! 2 S further entries, by ascending action: it captures stones; or it is a liberty of own stones in atari, and has two
//! empty neighbours, or an own neighbour that is not in atari.

mod board;
pub(crate) mod chains;
pub mod patterns;
mod plane;
mod planes;
mod playout;
mod policy;
mod prior;
mod shader;
mod state;
mod tactics;
mod text;
mod width;

pub use playout::GoPlayout;
pub use state::GoState;

use crate::error::{Error, Result};
use crate::games::size_rules;
use crate::rules::{Game, GameShader, Outcome, Planes, Player, RuleValue, SearchDefaults, Vouch};
use board::{Board, Grid, grid};
use chains::Chains;
use patterns::PatternTable;
use plane::{Counted, Plane};
use playout::{Firsts, Lane, stones_of};
use policy::{Geometry, Policy, Ratings, Weights};
use state::{board_of, state_of};
use std::{array::from_fn, path::Path, sync::Arc};
use width::{Width, any_width};

/// 64-bit words of the largest plane: 19 rows of 20 bits.
const MAX_WORDS: usize = 6;

/// Bits of the last packed word: the ko mark, the passes, and from here on the moves.
const MOVES_SHIFT: u32 = 11;

/// Go. `Go::new` states the ranges.
///
/// ```
/// use mcts_wgpu::{Game, Position, games::Go};
///
/// let game = Go::new(9, 7.5)?.with_superko(true).with_policy("pattern3x3")?;
/// let mut position = Position::from_moves(&game, &["E5", "G3"])?;
/// position.play(position.parse_action("C3")?)?;
/// assert_eq!(position.legal_actions().len(), 81 - 3 + 1); // the pass is one, too
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Go {
    rows: u32,
    columns: u32,
    twice_komi: i32,
    max_moves: u32,
    superko: bool,
    grid: Grid<MAX_WORDS, 0>,
    /// The ratings of the playouts' policy; `None` for uniform draws.
    patterns: Option<Arc<Geometry>>,
}

impl Go {
    /// The most rows, and columns.
    pub const MAX_SIZE: u32 = 19;

    /// The greatest absolute komi.
    pub const MAX_KOMI: f32 = 1000.0;

    /// The greatest move limit.
    pub const MAX_MOVES: u32 = (1 << (32 - MOVES_SHIFT)) - 1;

    /// Go on `size` x `size` with the [default](Self::default_max_moves) limit on moves.
    ///
    /// # Errors
    /// Bad input where `size` is not 1 to 19, or `komi` not a multiple of 0.5 from -1000 to 1000.
    pub fn new(size: u32, komi: f32) -> Result<Self> {
        Self::rectangular(size, size, komi)
    }

    /// Go on `rows` x `columns` with the [default](Self::default_max_moves) limit on moves.
    ///
    /// # Errors
    /// Bad input where `rows` or `columns` is not 1 to 19, or `komi` not a multiple of 0.5 from -1000 to 1000.
    pub fn rectangular(rows: u32, columns: u32, komi: f32) -> Result<Self> {
        let sizes = 1..=Self::MAX_SIZE;
        if !sizes.contains(&rows) || !sizes.contains(&columns) {
            let what = format!("a Go board of {rows} x {columns}: give a size from 1 to 19");
            return Err(Error::invalid(what));
        }
        if !(-Self::MAX_KOMI..=Self::MAX_KOMI).contains(&komi) || (2.0 * komi).fract() != 0.0 {
            let what = format!("a komi of {komi}: give a multiple of 0.5 from -1000 to 1000, such as 7.5");
            return Err(Error::invalid(what));
        }
        let max_moves = Self::default_max_moves(rows * columns);
        let (twice_komi, grid) = ((2.0 * komi) as i32, grid(rows, columns));
        Ok(Self { rows, columns, twice_komi, max_moves, superko: false, grid, patterns: None })
    }

    /// 3 moves a point, which 5 million random games on 9 x 9 did not reach, but at least 200: under simple ko, random
    /// games on the smallest boards have long repetitions.
    pub fn default_max_moves(points: u32) -> u32 {
        (3 * points).max(200)
    }

    /// The same game with another limit on its moves, including passes.
    ///
    /// # Errors
    /// Bad input if the limit is not 1 to 2^21 - 1.
    pub fn with_max_moves(self, max_moves: u32) -> Result<Self> {
        if !(1..=Self::MAX_MOVES).contains(&max_moves) {
            let what = format!("a limit of {max_moves} moves: give one from 1 to {}", Self::MAX_MOVES);
            return Err(Error::invalid(what));
        }
        Ok(Self { max_moves, ..self })
    }

    /// The same game with playouts that draw points in proportion to the ratings of a table.
    pub fn with_patterns(self, table: &PatternTable) -> Self {
        self.rated(Policy::of_ratings(Ratings::of_table(table)))
    }

    /// The same game on another board, with its [default](Self::default_max_moves) limit on moves.
    ///
    /// # Errors
    /// Bad input where `rows` or `columns` is not 1 to 19.
    pub fn with_sides(self, rows: u32, columns: u32) -> Result<Self> {
        let other = Self::rectangular(rows, columns, self.komi())?.with_superko(self.superko);
        Ok(match self.patterns {
            Some(patterns) => other.rated(patterns.policy().clone()),
            None => other,
        })
    }

    /// The same game with another komi.
    ///
    /// # Errors
    /// Bad input where `komi` is not a multiple of 0.5 from -1000 to 1000.
    pub fn with_komi(self, komi: f32) -> Result<Self> {
        let Self { twice_komi, .. } = Self::rectangular(self.rows, self.columns, komi)?;
        Ok(Self { twice_komi, ..self })
    }

    fn rated(self, policy: Policy) -> Self {
        let patterns = Some(Arc::new(Geometry::new(self.rows, self.columns, policy)));
        Self { patterns, ..self }
    }

    /// The policy of the playouts; `None` for uniform draws.
    fn policy_of_patterns(&self) -> Option<&Policy> {
        self.patterns.as_ref().map(|patterns| patterns.policy())
    }

    /// The same game with positional superko or without: a stone is illegal if it repeats the stones of an earlier
    /// position of the game. A position that was given as a board has no earlier ones. Playouts have simple ko.
    #[must_use]
    pub fn with_superko(self, superko: bool) -> Self {
        Self { superko, ..self }
    }

    /// Whether positional superko is on.
    pub fn superko(&self) -> bool {
        self.superko
    }

    /// Rows of the board.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Columns of the board.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Points that White gets for moving second.
    pub fn komi(&self) -> f32 {
        self.twice_komi as f32 / 2.0
    }

    /// The number of moves after which a game ends.
    pub fn max_moves(&self) -> u32 {
        self.max_moves
    }

    /// The pass, after all points.
    pub fn pass(&self) -> u32 {
        self.rows * self.columns
    }

    /// Black's area less White's, without komi: stones, and empty regions that touch one colour only.
    pub fn area_score(&self, state: &GoState) -> i32 {
        board_of(state, Player::First).area(&self.grid)
    }

    /// The candidates of a playout of `turn`, in its order.
    #[cfg(feature = "patterns")]
    pub(crate) fn playout_points(&self, state: &GoState, turn: Player) -> Vec<u32> {
        let lane = self.lane(self.grid, state, turn);
        let points = lane.board.placements(&self.grid);
        (0..self.pass()).filter(|&action| points.and(Plane::bit(self.bit_of(action))).any()).collect()
    }

    /// The position of a playout.
    pub fn playout_state(&self, playout: &GoPlayout) -> GoState {
        any_width!(&playout.lane, lane => lane.state())
    }

    fn outcome_of(&self, area_score: i32) -> Outcome {
        (2 * area_score).cmp(&self.twice_komi).into()
    }

    /// The grid in as few words as the board needs.
    fn narrowed(&self) -> Width<Grid<2, 10>, Grid<2, 0>, Grid<4, 0>, Grid<6, 20>, Grid<6, 0>> {
        fn resized<const W: usize, const S: u32>(grid: &Grid<MAX_WORDS, 0>) -> Grid<W, S> {
            Grid { board: grid.board.resized(), edge: grid.edge.resized(), stride: grid.stride }
        }
        match (self.rows, self.columns, self.plane_words()) {
            (9, 9, _) => Width::Nine(resized(&self.grid)),
            (19, 19, _) => Width::Nineteen(resized(&self.grid)),
            (.., 0..=4) => Width::Two(resized(&self.grid)),
            (.., 5..=8) => Width::Four(resized(&self.grid)),
            _ => Width::Six(resized(&self.grid)),
        }
    }

    fn lane<const W: usize, const S: u32>(
        &self,
        grid: Grid<W, S>,
        state: &GoState,
        turn: Player,
    ) -> Lane<W, S> {
        let mut board = board_of(state, turn);
        let chains = Chains::new(&grid, &mut board, stones_of(turn));
        let (passes, moves) = (state.passes, state.moves);
        let (placements, urgent, last) = (Counted::new(Plane::EMPTY), Plane::EMPTY, Plane::EMPTY);
        let firsts = Firsts::NONE;
        Lane { grid, board, chains, placements, urgent, last, turn, passes, moves, firsts }
    }

    /// The bit of a point in a plane.
    fn bit_of(&self, action: u32) -> u32 {
        action + action / self.columns
    }

    /// 32-bit words of a packed plane.
    fn plane_words(&self) -> usize {
        (self.rows * (self.columns + 1)).div_ceil(32) as usize
    }
}

fn word_of<const W: usize>(plane: &Plane<W>, index: usize) -> u32 {
    (plane.0[index / 2] >> (32 * (index % 2))) as u32
}

impl Game for Go {
    type State = GoState;
    type Playout = GoPlayout;

    fn name(&self) -> &str {
        "go"
    }

    fn rules(&self) -> Vec<(&'static str, RuleValue)> {
        let mut rules = size_rules(self.rows, self.columns);
        rules.extend([
            ("komi", RuleValue::Number(self.komi())),
            ("superko", RuleValue::Flag(self.superko)),
            ("max_moves", RuleValue::Count(self.max_moves)),
        ]);
        rules
    }

    fn max_actions(&self) -> u32 {
        self.pass() + 1
    }

    fn max_plies(&self) -> u32 {
        self.max_moves
    }

    fn search_defaults(&self) -> SearchDefaults {
        // The network was trained with a komi of 7.5.
        let has_net = (self.rows, self.columns) == (9, 9) && (11..=19).contains(&self.twice_komi);
        SearchDefaults {
            net: has_net.then_some("go"),
            ucb_c: 0.15,
            prior_visits: 96,
            cpu_prior_visits: 48,
            rave: 1000,
            policy: policy::TACTICAL_POLICY,
            ..SearchDefaults::default()
        }
    }

    /// Black's plane, White's plane, each in ceil(rows (columns + 1) / 32) words, lowest first, and one more word: 9
    /// bits 0 or 1 + the bit of the ko point, 2 bits consecutive passes, 21 bits moves played.
    fn state_words(&self) -> u32 {
        2 * self.plane_words() as u32 + 1
    }

    fn forbids_repetition(&self) -> bool {
        self.superko
    }

    /// Two hashes of the stones, each a chain of steps that are one-to-one in each word.
    fn position_key(&self, state: &GoState) -> u64 {
        let planes = [state.black, state.white];
        let words = planes.iter().flat_map(|plane| (0..self.plane_words()).map(|i| word_of(plane, i)));
        let step = |[a, b]: [u32; 2], word: u32| {
            let a = (a ^ word).wrapping_mul(0x9e37_79b1);
            let b = (b ^ word.rotate_left(16)).wrapping_mul(0x85eb_ca77);
            [a ^ (a >> 15), b ^ (b >> 13)]
        };
        let [a, b] = words.fold([0x243f_6a88, 0x85a3_08d3], step);
        u64::from(a) | (u64::from(b) << 32)
    }

    fn may_repeat(&self, action: u32) -> bool {
        action >= self.pass()
    }

    fn vouch(&self) -> Vouch<Self> {
        Vouch::own()
    }

    fn shader(&self) -> GameShader {
        self.composed_shader()
    }

    fn start(&self) -> GoState {
        GoState { black: Plane::EMPTY, white: Plane::EMPTY, ko_mark: 0, passes: 0, moves: 0 }
    }

    fn check_state(&self, state: &GoState) -> Result<()> {
        self.check_stones(state)?;
        self.check_history(state)
    }

    fn pack(&self, state: &GoState, words: &mut [u32]) {
        let planes = self.plane_words();
        for i in 0..planes {
            words[i] = word_of(&state.black, i);
            words[planes + i] = word_of(&state.white, i);
        }
        words[2 * planes] = state.ko_mark | (state.passes << 9) | (state.moves << MOVES_SHIFT);
    }

    fn unpack(&self, words: &[u32]) -> GoState {
        let (black, rest) = words.split_at(self.plane_words());
        let (white, rest) = rest.split_at(self.plane_words());
        let plane = |words: &[u32]| {
            let word = |i: usize| u64::from(words.get(i).copied().unwrap_or(0));
            Plane(from_fn(|i| word(2 * i) | (word(2 * i + 1) << 32)))
        };
        GoState {
            black: plane(black),
            white: plane(white),
            ko_mark: rest[0] & 511,
            passes: (rest[0] >> 9) & 3,
            moves: rest[0] >> MOVES_SHIFT,
        }
    }

    fn is_action_legal(&self, state: &GoState, turn: Player, action: u32) -> bool {
        if action >= self.pass() {
            return action == self.pass();
        }
        let stone = self.bit_of(action);
        any_width!(self.narrowed(), grid => board_of(state, turn).is_legal(&grid, Plane::bit(stone)))
    }

    /// 0 for moves into the mover's own eyes, which playouts leave out, too; 1 for all others.
    fn action_urgency(&self, state: &GoState, turn: Player, action: u32) -> u32 {
        if action >= self.pass() {
            return 1;
        }
        let point = self.bit_of(action);
        any_width!(self.narrowed(), grid => {
            u32::from(!board_of(state, turn).is_own_eye(&grid, Plane::bit(point)))
        })
    }

    fn action_prior(&self, state: &GoState, turn: Player, action: u32, last: Option<u32>) -> u32 {
        self.prior(state, turn, action, last)
    }

    fn planes(&self) -> Option<Planes> {
        Some(Planes { rows: self.rows, columns: self.columns, count: planes::COUNT })
    }

    fn cell_planes(&self, state: &GoState, turn: Player, cell: u32) -> u32 {
        self.planes_at(state, turn, cell)
    }

    /// A bit for each point, as in a packed plane.
    fn first_words(&self) -> u32 {
        self.plane_words() as u32
    }

    fn first_place(&self, action: u32) -> Option<u32> {
        (action < self.pass()).then(|| self.bit_of(action))
    }

    fn write_firsts(&self, playout: &GoPlayout, words: &mut [u32]) {
        any_width!(&playout.lane, lane => {
            for (plane, words) in lane.firsts.planes().iter().zip(words.chunks_mut(self.plane_words())) {
                (0..).zip(words).for_each(|(index, word)| *word = word_of(plane, index));
            }
        });
    }

    fn owned_points(&self) -> u32 {
        self.pass()
    }

    fn count_owners(&self, playout: &GoPlayout, sums: &mut [i64]) {
        any_width!(&playout.lane, lane => {
            let [black, white] = lane.owned();
            for (action, sum) in (0..).zip(sums) {
                let point = Plane::bit(self.bit_of(action));
                *sum += i64::from(point.and(black).any()) - i64::from(point.and(white).any());
            }
        });
    }

    fn chains(&self, state: &GoState) -> Vec<(Player, Vec<u32>)> {
        let points = |chain: Plane<MAX_WORDS>| {
            (0..self.pass()).filter(move |&action| chain.and(Plane::bit(self.bit_of(action))).any()).collect()
        };
        let chains = board_of(state, Player::First).chains(&self.grid);
        chains.map(|chain| (chain.0, points(chain.1))).collect()
    }

    fn why_illegal(&self, state: &GoState, turn: Player, action: u32) -> &'static str {
        let board: Board<MAX_WORDS> = board_of(state, turn);
        let stone = Plane::bit(self.bit_of(action));
        if !stone.and(board.empty(&self.grid)).any() {
            return "there is a stone already";
        }
        if stone.is(board.ko) { "it would retake a ko at once" } else { "it would be suicide" }
    }

    fn take_action(&self, state: &mut GoState, turn: Player, action: u32) {
        let moves = state.moves + 1;
        if action >= self.pass() {
            *state = GoState { ko_mark: 0, passes: state.passes + 1, moves, ..*state };
            return;
        }
        let stone = self.bit_of(action);
        any_width!(self.narrowed(), grid => {
            let board = board_of(state, turn).play(&grid, Plane::bit(stone));
            *state = GoState { moves, ..state_of(&board, turn.opponent()) };
        });
    }

    fn compute_outcome(&self, state: &GoState, _: Player, _: Option<u32>) -> Option<Outcome> {
        let over = state.passes >= 2 || state.moves >= self.max_moves;
        over.then(|| self.outcome_of(self.area_score(state)))
    }

    fn playout_begin(&self, state: &GoState, turn: Player) -> GoPlayout {
        let lane = match self.narrowed() {
            Width::Nine(grid) => Width::Nine(self.lane(grid, state, turn)),
            Width::Two(grid) => Width::Two(self.lane(grid, state, turn)),
            Width::Four(grid) => Width::Four(self.lane(grid, state, turn)),
            Width::Nineteen(grid) => Width::Nineteen(self.lane(grid, state, turn)),
            Width::Six(grid) => Width::Six(self.lane(grid, state, turn)),
        };
        let weights = |patterns| Box::new(Weights::new(patterns, [state.black, state.white]));
        GoPlayout { lane, weights: self.patterns.as_ref().map(weights) }
    }

    /// Order: the candidates of the playout policy (see the module) by ascending action; the pass alone if there is
    /// none.
    fn legal_actions_playout(&self, playout: &mut GoPlayout) -> u32 {
        playout.legal_actions()
    }

    fn take_action_playout(&self, playout: &mut GoPlayout, ordinal: u32) -> Option<Outcome> {
        playout.take_action(ordinal, self.max_moves).map(|score| self.outcome_of(score))
    }

    fn has_weighted_playouts(&self) -> bool {
        self.patterns.is_some()
    }

    fn playouts_look_back(&self) -> bool {
        self.policy_of_patterns().is_some_and(|policy| policy.is_tactical)
    }

    fn policies(&self) -> &'static [&'static str] {
        policy::POLICIES
    }

    fn policy(&self) -> String {
        policy::name_of(self.policy_of_patterns())
    }

    /// With the tables of the crate.
    fn with_policy(self, name: &str) -> Result<Self> {
        Ok(match Policy::named(name)? {
            Some(policy) => self.rated(policy),
            None => Self { patterns: None, ..self },
        })
    }

    /// With a table of one's own ([`PatternTable::load`]).
    fn with_policy_file(self, path: &Path) -> Result<Self> {
        Ok(self.with_patterns(&PatternTable::load(path)?))
    }

    fn playout_score(&self, playout: &GoPlayout) -> Option<i32> {
        Some(2 * any_width!(&playout.lane, lane => lane.area()) - self.twice_komi)
    }

    fn score_text(&self, state: &GoState) -> String {
        self.score_of(state)
    }

    fn is_playout_cut_off(&self, playout: &GoPlayout) -> bool {
        any_width!(&playout.lane, lane => lane.passes < 2)
    }

    fn ending_pass(&self) -> Option<u32> {
        Some(self.pass())
    }

    /// A game has about 1.4 plies a point.
    fn rollout_round(&self) -> u32 {
        (3 * (self.rows + self.columns) / 4).max(8)
    }

    fn action_name(&self, action: u32) -> String {
        self.name_of(action)
    }

    fn parse_action(&self, name: &str) -> Option<u32> {
        self.action_of(name)
    }

    fn board_rows(&self, state: &GoState) -> Vec<String> {
        self.rows_of(state)
    }

    /// Moves played are 0 then, and there is no ko.
    fn parse_board(&self, rows: &[&str]) -> Result<GoState> {
        self.state_from_rows(rows)
    }
}
