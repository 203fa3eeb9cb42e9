//! Othello on 8 x 8: the twin of `games/othello.wgsl`.
//!
//! Squares are numbered `row * 8 + column`. Row 0 is the diagrams' row 1, drawn on top, so a1 is square 0 (top left),
//! h1 square 7 and h8 square 63 (bottom right). Black is [`Player::First`] and moves first. Actions 0 to 63 place a
//! disc; action [`Othello::PASS`] passes and is legal only without a placement. The game is over as soon as neither
//! player can place a disc, and most discs win.

mod plies;

use super::{STONE_PLANES, stone_planes};
use crate::error::{Error, Result};
use crate::rules::{
    ACTION_WORDS, ActionBits, Game, GameShader, Outcome, Planes, Player, SearchDefaults, SideBySide, Vouch,
};

/// The files a to h without the outer two. Discs bracketed along a row or a diagonal lie on these files, so a
/// fill confined to them never wraps around the edge.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// d4, e4, d5 and e5: occupied from the start, and discs never leave the board.
const CENTRE: u64 = 0x0000_0018_1800_0000;

/// Othello, 8 x 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Othello;

/// The discs of both players, bit `row * 8 + column` each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OthelloState {
    /// Discs of [`Player::First`].
    pub black: u64,
    /// Discs of [`Player::Second`].
    pub white: u64,
}

/// A playout: the board from the view of the player to move, and that player's placements.
#[derive(Debug, Clone)]
pub struct OthelloPlayout {
    mine: u64,
    theirs: u64,
    placements: u64,
    turn: Player,
}

impl Othello {
    /// The pass.
    pub const PASS: u32 = 64;

    /// The squares on which `turn` may place a disc, as bits.
    pub fn placements(state: &OthelloState, turn: Player) -> u64 {
        let (mine, theirs) = state.seen_by(turn);
        placements(mine, theirs)
    }
}

impl OthelloState {
    /// The player's own discs and the opponent's.
    pub(crate) fn seen_by(&self, turn: Player) -> (u64, u64) {
        match turn {
            Player::First => (self.black, self.white),
            Player::Second => (self.white, self.black),
        }
    }

    /// The inverse of [`seen_by`](Self::seen_by).
    fn from_seen(mine: u64, theirs: u64, turn: Player) -> Self {
        match turn {
            Player::First => Self { black: mine, white: theirs },
            Player::Second => Self { black: theirs, white: mine },
        }
    }

    /// The owner of the disc on a square.
    fn owner(&self, square: u32) -> Option<Player> {
        match ((self.black >> square) & 1, (self.white >> square) & 1) {
            (0, 0) => None,
            (0, _) => Some(Player::Second),
            _ => Some(Player::First),
        }
    }

    /// Black's discs less White's, as they lie.
    pub fn disc_difference(&self) -> i32 {
        self.black.count_ones() as i32 - self.white.count_ones() as i32
    }

    /// The same at the end of a game, where the winner has the squares that are empty, as in tournaments.
    pub fn tournament_score(&self) -> i32 {
        tournament_score(self.black, self.white)
    }

    /// The score for Black, by discs.
    fn half_points(&self) -> i32 {
        2 * self.disc_difference()
    }

    /// The winner by discs.
    fn most_discs(&self) -> Outcome {
        self.black.count_ones().cmp(&self.white.count_ones()).into()
    }
}

/// The four directions of ascending squares, as distances, with the discs that may be bracketed along each.
#[inline(always)]
fn directions(theirs: u64) -> [(u64, u32); 4] {
    [(theirs & INNER_FILES, 1), (theirs & INNER_FILES, 7), (theirs, 8), (theirs & INNER_FILES, 9)]
}

/// The runs of `through` that touch `start`, in both senses of one direction: Kogge-Stone fills of up to 7 steps in 3
/// doublings. Each result includes `start`.
#[inline(always)]
fn fill(start: u64, through: u64, step: u32) -> (u64, u64) {
    let (mut up, mut down) = (start, start);
    let mut pairs = through;
    let mut distance = step;
    for _ in 0..3 {
        up |= pairs & (up << distance);
        down |= (pairs >> (distance - step)) & (down >> distance);
        pairs &= pairs << distance;
        distance *= 2;
    }
    (up, down)
}

/// The empty squares from which `mine` would bracket some of `theirs`.
pub(crate) fn placements(mine: u64, theirs: u64) -> u64 {
    let mut reached = 0;
    for (through, step) in directions(theirs) {
        let (up, down) = fill(mine, through, step);
        reached |= ((up & through) << step) | ((down & through) >> step);
    }
    reached & !(mine | theirs)
}

/// The difference `mine` - `theirs` at the end of a game: the winner has the squares that are empty, as in tournaments.
pub(crate) fn tournament_score(mine: u64, theirs: u64) -> i32 {
    let ahead = mine.count_ones() as i32 - theirs.count_ones() as i32;
    ahead + ahead.signum() * (mine | theirs).count_zeros() as i32
}

/// The discs of `theirs` that a disc on `square` (one bit) brackets.
pub(crate) fn bracketed(square: u64, mine: u64, theirs: u64) -> u64 {
    let mut flips = 0;
    for (through, step) in directions(theirs) {
        let (up, down) = fill(square, through, step);
        if ((up & through) << step) & mine != 0 {
            flips |= up & through;
        }
        if ((down & through) >> step) & mine != 0 {
            flips |= down & through;
        }
    }
    flips
}

/// The index of the set bit with `ordinal` set bits below it.
fn nth_bit(mut bits: u64, ordinal: u32) -> u32 {
    for _ in 0..ordinal {
        bits &= bits - 1;
    }
    bits.trailing_zeros()
}

impl Game for Othello {
    type State = OthelloState;
    type Playout = OthelloPlayout;

    fn name(&self) -> &str {
        "othello"
    }

    fn max_actions(&self) -> u32 {
        Self::PASS + 1
    }

    /// 60 placements, and no two passes in a row.
    fn max_plies(&self) -> u32 {
        120
    }

    fn search_defaults(&self) -> SearchDefaults {
        SearchDefaults {
            ucb_c: 0.3,
            playouts: 64,
            leaf_batch: 16,
            cpu_playouts: 16,
            net: Some("othello"),
            ..SearchDefaults::default()
        }
    }

    /// Two words a player, the low one (rows 1 to 4) first; Black's, then White's.
    fn state_words(&self) -> u32 {
        4
    }

    fn vouch(&self) -> Vouch<Self> {
        Vouch::own()
    }

    fn shader(&self) -> GameShader {
        let source = include_str!("../../games/othello.wgsl");
        GameShader { has_planes: true, ..GameShader::new("games/othello.wgsl", source, Vec::new(), 0) }
    }

    fn start(&self) -> OthelloState {
        OthelloState { black: (1 << 28) | (1 << 35), white: (1 << 27) | (1 << 36) }
    }

    fn check_state(&self, state: &OthelloState) -> Result<()> {
        let both = state.black & state.white;
        if both != 0 {
            let square = self.action_name(both.trailing_zeros());
            return Err(Error::invalid(format!("discs of both players on {square}: remove one of them")));
        }
        if (state.black | state.white) & CENTRE != CENTRE {
            return Err(Error::invalid(
                "d4, e4, d5 or e5 is empty, which no game allows: give discs for all four",
            ));
        }
        Ok(())
    }

    fn pack(&self, state: &OthelloState, words: &mut [u32]) {
        for (pair, discs) in words.chunks_exact_mut(2).zip([state.black, state.white]) {
            pair[0] = discs as u32;
            pair[1] = (discs >> 32) as u32;
        }
    }

    fn unpack(&self, words: &[u32]) -> OthelloState {
        let discs = |at: usize| u64::from(words[at]) | (u64::from(words[at + 1]) << 32);
        OthelloState { black: discs(0), white: discs(2) }
    }

    fn legal_actions(&self, state: &OthelloState, turn: Player) -> ActionBits {
        let placements = Self::placements(state, turn);
        let mut actions = [0; ACTION_WORDS];
        (actions[0], actions[1]) = (placements, u64::from(placements == 0));
        actions
    }

    fn is_action_legal(&self, state: &OthelloState, turn: Player, action: u32) -> bool {
        let placements = Self::placements(state, turn);
        match action {
            Self::PASS => placements == 0,
            square => square < Self::PASS && (placements >> square) & 1 == 1,
        }
    }

    fn why_illegal(&self, state: &OthelloState, turn: Player, action: u32) -> &'static str {
        if action == Self::PASS {
            return "a disc can be placed";
        }
        if ((state.black | state.white) >> action) & 1 == 1 {
            return "there is a disc already";
        }
        if Self::placements(state, turn) == 0 {
            return "no disc can be placed: pass";
        }
        "it would turn no disc over"
    }

    fn planes(&self) -> Option<Planes> {
        Some(Planes { rows: 8, columns: 8, count: STONE_PLANES + 1 })
    }

    /// Plane 4: the squares on which the mover may place a disc.
    fn cell_planes(&self, state: &OthelloState, turn: Player, cell: u32) -> u32 {
        let may_place = Self::placements(state, turn) >> cell & 1;
        stone_planes(state.owner(cell), turn) | (may_place as u32) << STONE_PLANES
    }

    fn take_action(&self, state: &mut OthelloState, turn: Player, action: u32) {
        if action >= Self::PASS {
            return;
        }
        let (mine, theirs) = state.seen_by(turn);
        let square = 1 << action;
        let flips = bracketed(square, mine, theirs);
        *state = OthelloState::from_seen(mine | flips | square, theirs & !flips, turn);
    }

    fn compute_outcome(&self, state: &OthelloState, turn: Player, _: Option<u32>) -> Option<Outcome> {
        let (mine, theirs) = state.seen_by(turn);
        let over = placements(mine, theirs) == 0 && placements(theirs, mine) == 0;
        over.then(|| state.most_discs())
    }

    fn playout_begin(&self, state: &OthelloState, turn: Player) -> OthelloPlayout {
        let (mine, theirs) = state.seen_by(turn);
        OthelloPlayout { mine, theirs, placements: placements(mine, theirs), turn }
    }

    /// Order: the placements by ascending square; the pass alone if there is none.
    fn legal_actions_playout(&self, playout: &mut OthelloPlayout) -> u32 {
        playout.placements.count_ones().max(1)
    }

    fn playouts_by<V: SideBySide<OthelloState>>(&self, visitor: V) -> V::Output {
        visitor.side_by_side(&plies::Board)
    }

    fn take_action_playout(&self, playout: &mut OthelloPlayout, ordinal: u32) -> Option<Outcome> {
        let OthelloPlayout { mut mine, mut theirs, .. } = *playout;
        if playout.placements != 0 {
            let square = 1 << nth_bit(playout.placements, ordinal);
            let flips = bracketed(square, mine, theirs);
            mine |= flips | square;
            theirs &= !flips;
        }
        let next = placements(theirs, mine);
        *playout =
            OthelloPlayout { mine: theirs, theirs: mine, placements: next, turn: playout.turn.opponent() };
        let over = next == 0 && placements(mine, theirs) == 0;
        over.then(|| OthelloState::from_seen(theirs, mine, playout.turn).most_discs())
    }

    /// Discs, of two half points each.
    fn playout_score(&self, playout: &OthelloPlayout) -> Option<i32> {
        Some(OthelloState::from_seen(playout.mine, playout.theirs, playout.turn).half_points())
    }

    /// The discs as they lie; where the game is over, also with the empty squares for the winner.
    fn score_text(&self, state: &OthelloState) -> String {
        let (black, white) = (state.black.count_ones(), state.white.count_ones());
        let discs = format!("X has {black} disc{}, O {white}", if black == 1 { "" } else { "s" });
        let ahead = state.tournament_score();
        let is_over = self.compute_outcome(state, Player::First, None).is_some();
        if !is_over || ahead == state.disc_difference() {
            return discs;
        }
        format!("{discs}; with the empty squares for the winner {} to {}", (64 + ahead) / 2, (64 - ahead) / 2)
    }

    fn action_name(&self, action: u32) -> String {
        if action == Self::PASS {
            return "pass".into();
        }
        format!("{}{}", char::from(b'a' + (action % 8) as u8), action / 8 + 1)
    }

    fn parse_action(&self, name: &str) -> Option<u32> {
        let name = name.to_ascii_lowercase();
        match *name.as_bytes() {
            [file @ b'a'..=b'h', row @ b'1'..=b'8'] => {
                Some(u32::from(row - b'1') * 8 + u32::from(file - b'a'))
            }
            _ => (name == "pass").then_some(Self::PASS),
        }
    }

    /// Row 1 is the first.
    fn board_rows(&self, state: &OthelloState) -> Vec<String> {
        let symbol = |square: u32| state.owner(square).map_or('.', Player::symbol);
        (0..8).map(|row| (0..8).map(|column| symbol(row * 8 + column)).collect()).collect()
    }

    fn parse_board(&self, rows: &[&str]) -> Result<OthelloState> {
        if rows.len() != 8 || rows.iter().any(|row| row.chars().count() != 8) {
            return Err(Error::invalid("an Othello board has 8 rows of 8 squares each, row 1 first"));
        }
        let mut state = OthelloState { black: 0, white: 0 };
        for (square, symbol) in rows.iter().flat_map(|row| row.chars()).enumerate() {
            match symbol {
                'X' => state.black |= 1 << square,
                'O' => state.white |= 1 << square,
                '.' => {}
                other => {
                    let name = self.action_name(square as u32);
                    let what =
                        format!("'{other}' on {name}: write '.' for empty, 'X' for Black, 'O' for White");
                    return Err(Error::invalid(what));
                }
            }
        }
        self.check_state(&state)?;
        Ok(state)
    }
}
