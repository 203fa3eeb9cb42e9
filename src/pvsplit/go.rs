//! Go for alpha-beta: chains, their liberties and the evaluation are updated with every stone that is placed or
//! removed.
//!
//! Rules of movement: captures, simple ko, no suicide; all legal points, and the pass only if there is none. Cells and
//! edges are those of `src/games/go/chains.rs`. A playout there only goes forwards and needs the stones of whole chains
//! as sets; here moves are undone, and a chain is a circular list of its stones, in both directions.

mod chains;
mod keys;

use super::board::{Board, BoardShader, DEVICE_PASS, DeviceBoard, Move, for_each_bit};
use crate::{
    error::{Error, Result},
    games::{
        Go, GoState,
        go::chains::{Content, Edges, neighbours},
    },
    rules::{Game, Player, Position, packed},
};
use Content::{Black, Empty, Wall, White};
use keys::{SIDE_KEY, ko_key, pass_key};
use std::ops::ControlFlow;

/// Cells of the largest board, walls included.
const CELLS: usize = 20 * 21;
const WORDS: usize = CELLS.div_ceil(64);
/// A wall.
const NO_KO: u16 = 0;
/// The factor of points at the end of a game, so that no number of liberties outweighs the result.
const AREA_UNIT: i32 = 1000;

/// A position of Go on N x N points, N from 2 to 19.
///
/// The score of a leaf is the number of edges between the mover's stones and empty points, less the opponent's; that of
/// a game that is over is 1,000 times the mover's area less the opponent's, without komi.
#[derive(Debug, Clone)]
pub struct GoBoard {
    game: Go,
    stride: usize,
    side: Content,
    now: Now,
    /// The empty cells, as bits.
    empty: [u64; WORDS],
    contents: [Content; CELLS],
    /// Neighbours on the board.
    degree: [u8; CELLS],
    /// Neighbouring stones of each player.
    stones: [[u8; CELLS]; 2],
    links: [Link; CELLS],
}

/// The data that every move changes, and undoing restores.
#[derive(Debug, Clone, Copy, Default)]
struct Now {
    hash: u64,
    /// Edges of Black's stones less those of White's.
    balance: i32,
    /// The cell that may not be played at once, or [`NO_KO`].
    ko: u16,
    passes: u8,
}

/// The data of a stone's cell.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    /// The chain: the cell of the stone whose link has its edges and size.
    chain: u16,
    /// The next stone of the chain, in a circle.
    next: u16,
    size: u16,
    edges: Edges,
}

/// The changes of a move of Go besides its own stone.
#[derive(Debug)]
pub struct GoUndo {
    now: Now,
    link: Link,
    /// [neighbour]: its chain was captured.
    captured: [bool; 4],
    /// By neighbour: the chain that ended by the join, else 0.
    merged: [u16; 4],
}

impl GoBoard {
    /// The usual start of measurements, as in the paper: Black has played the centre, White is to move.
    ///
    /// # Errors
    /// Bad input if `size` is not 2 to 19.
    pub fn centre(size: u32) -> Result<Self> {
        let mut board = Self::from_position(&Position::start(&Go::new(size, 0.0)?))?;
        board.make((size / 2 * size + size / 2) as Move);
        Ok(board)
    }

    /// The position, with no moves but its passes.
    pub fn state(&self) -> GoState {
        let mut words = vec![0; self.game.state_words() as usize];
        let plane = words.len() / 2;
        for (bit, &content) in self.contents[self.stride..self.stride * self.stride].iter().enumerate() {
            if content == Black || content == White {
                words[content as usize * plane + bit / 32] |= 1 << (bit % 32);
            }
        }
        let ko = if self.now.ko == NO_KO { 0 } else { u32::from(self.now.ko) - self.stride as u32 + 1 };
        words[2 * plane] = ko | u32::from(self.now.passes) << 9 | u32::from(self.now.passes) << 11;
        self.game.unpack(&words)
    }

    /// Rows and columns.
    fn width(&self) -> usize {
        self.stride - 1
    }

    fn pass(&self) -> Move {
        (self.width() * self.width()) as Move
    }

    fn cell(&self, mv: Move) -> usize {
        (mv as usize / self.width() + 1) * self.stride + mv as usize % self.width()
    }

    fn move_to(&self, cell: usize) -> Move {
        ((cell / self.stride - 1) * self.width() + cell % self.stride) as Move
    }

    /// Words of one bit a cell.
    fn plane_words(&self) -> usize {
        (self.stride * (self.stride + 1)).div_ceil(32)
    }

    fn near(&self, cell: usize) -> [usize; 4] {
        neighbours(cell, self.stride)
    }

    fn chain_at(&self, cell: usize) -> usize {
        self.links[cell].chain as usize
    }

    /// The edges of the chain of a stone.
    fn edges_at(&self, cell: usize) -> Edges {
        self.links[self.chain_at(cell)].edges
    }

    fn is_stone(&self, cell: usize) -> bool {
        matches!(self.contents[cell], Black | White)
    }

    /// Black's area less White's, from the view of the side to move, at the end of a game.
    fn area_score(&self) -> i32 {
        AREA_UNIT * self.game.area_score(&self.state()) * sign(self.side)
    }

    fn turn_over(&mut self) {
        self.side = other(self.side);
        self.now.hash ^= SIDE_KEY;
    }

    fn fill(&mut self, cell: usize, colour: Content) {
        self.contents[cell] = colour;
        self.empty[cell / 64] &= !(1 << (cell % 64));
    }

    fn clear(&mut self, cell: usize) {
        self.contents[cell] = Empty;
        self.empty[cell / 64] |= 1 << (cell % 64);
    }

    /// Whether the side to move may play on this empty cell.
    fn is_open(&self, cell: usize) -> bool {
        if cell == self.now.ko as usize {
            return false;
        }
        if self.stones[0][cell] + self.stones[1][cell] < self.degree[cell] {
            return true;
        }
        self.near(cell).into_iter().any(|near| {
            self.is_stone(near) && self.edges_at(near).lead_to(cell) == (self.contents[near] != self.side)
        })
    }

    fn saved(&self, cell: usize) -> GoUndo {
        GoUndo { now: self.now, link: self.links[cell], captured: [false; 4], merged: [0; 4] }
    }

    fn set_ko(&mut self, cell: u16) {
        if cell != self.now.ko {
            self.now.hash ^= ko_key(self.now.ko) ^ ko_key(cell);
            self.now.ko = cell;
        }
    }

    fn set_passes(&mut self, passes: u8) {
        self.now.hash ^= pass_key(self.now.passes) ^ pass_key(passes);
        self.now.passes = passes;
    }

    /// Calls `each` with the cells where the side to move may play, until it breaks.
    #[inline(always)]
    fn for_each_open(&self, mut each: impl FnMut(usize) -> ControlFlow<()>) {
        _ = for_each_bit(&self.empty, |cell| {
            if self.is_open(cell) { each(cell) } else { ControlFlow::Continue(()) }
        });
    }

    /// The empty board, Black to move.
    fn empty(game: &Go) -> Self {
        let mut board = Self {
            game: game.clone(),
            stride: game.columns() as usize + 1,
            side: Black,
            now: Now::default(),
            empty: [0; WORDS],
            contents: [Wall; CELLS],
            degree: [0; CELLS],
            stones: [[0; CELLS]; 2],
            links: [Link::default(); CELLS],
        };
        for cell in (0..board.pass()).map(|mv| board.cell(mv)).collect::<Vec<_>>() {
            board.clear(cell);
            for near in board.near(cell) {
                board.degree[near] += 1;
            }
        }
        board
    }
}

impl Board for GoBoard {
    type Game = Go;
    type Undo = GoUndo;

    /// Without the limit on moves and superko.
    ///
    /// # Errors
    /// Bad input on 1 x 1, and on a board that is no square.
    fn from_position(position: &Position<Go>) -> Result<Self> {
        let game = position.game();
        let (rows, columns) = (game.rows(), game.columns());
        if rows < 2 || rows != columns {
            let what = format!("a Go board of {rows} x {columns}: alpha-beta takes squares of 2 to 19 rows");
            return Err(Error::invalid(what));
        }
        let words = packed(game, position.state());
        let mut board = Self::empty(game);
        let plane = words.len() / 2;
        for (colour, words) in [Black, White].into_iter().zip(words.chunks_exact(plane)) {
            for bit in (0..32 * plane).filter(|bit| words[bit / 32] >> (bit % 32) & 1 == 1) {
                let mut undo = board.saved(0);
                board.put(bit + board.stride, colour, &mut undo);
            }
        }
        let (ko, passes) = (words[2 * plane] & 0x1ff, words[2 * plane] >> 9 & 3);
        board.set_ko(if ko == 0 { NO_KO } else { (ko as usize - 1 + board.stride) as u16 });
        board.set_passes(passes as u8);
        if position.turn() == Player::Second {
            board.turn_over();
        }
        Ok(board)
    }

    fn move_limit(&self) -> usize {
        self.pass() as usize + 1
    }

    fn side(&self) -> Player {
        if self.side == Black { Player::First } else { Player::Second }
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.now.passes == 2 {
            return;
        }
        self.for_each_open(|cell| {
            moves.push(self.move_to(cell));
            ControlFlow::Continue(())
        });
        if moves.is_empty() {
            moves.push(self.pass());
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        mv < self.pass() && {
            let cell = self.cell(mv);
            self.contents[cell] == Empty && self.is_open(cell)
        }
    }

    fn make(&mut self, mv: Move) -> GoUndo {
        let is_pass = mv == self.pass();
        let cell = if is_pass { NO_KO as usize } else { self.cell(mv) };
        let mut undo = self.saved(cell);
        self.set_ko(NO_KO);
        self.set_passes(if is_pass { self.now.passes + 1 } else { 0 });
        if !is_pass {
            self.put(cell, self.side, &mut undo);
            if self.stones[other(self.side) as usize][cell] > 0 {
                self.capture_around(cell, &mut undo);
            }
        }
        self.turn_over();
        undo
    }

    fn unmake(&mut self, mv: Move, undo: GoUndo) {
        self.side = other(self.side);
        self.now = undo.now;
        if mv == self.pass() {
            return;
        }
        let cell = self.cell(mv);
        let near = self.near(cell);
        for k in (0..4).rev().filter(|&k| undo.captured[k]) {
            self.restore(near[k], other(self.side));
        }
        for k in (0..4).rev().filter(|&k| undo.merged[k] != 0) {
            self.part(cell, near[k], undo.merged[k]);
        }
        self.clear(cell);
        for near in self.near(cell) {
            self.stones[self.side as usize][near] -= 1;
            if self.is_stone(near) {
                *self.edges_at_mut(near) += Edges::to(cell);
            }
        }
        self.links[cell] = undo.link;
    }

    fn finished(&self) -> Option<i32> {
        (self.now.passes == 2).then(|| self.area_score())
    }

    fn evaluate(&self) -> i32 {
        self.now.balance * sign(self.side)
    }

    fn key(&self) -> u64 {
        self.now.hash
    }

    fn order_value(&self, mv: Move) -> i32 {
        if mv == self.pass() { 0 } else { self.gain(self.cell(mv)) }
    }

    fn value_after(&mut self, mv: Move) -> i32 {
        let value = self.value_if_over(mv);
        value.unwrap_or_else(|| self.evaluate() + self.order_value(mv))
    }

    fn value_if_over(&mut self, mv: Move) -> Option<i32> {
        (mv == self.pass() && self.now.passes == 1).then(|| self.area_score())
    }

    fn best_leaf(&mut self, beta: i32, _: &mut Vec<Move>) -> (Move, i32, u64) {
        let score = self.evaluate();
        let (mut best, mut best_gain, mut leaves) = (NO_KO as usize, i32::MIN, 0);
        self.for_each_open(|cell| {
            leaves += 1;
            let gain = self.gain(cell);
            if gain > best_gain {
                (best, best_gain) = (cell, gain);
                if score + gain >= beta {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        if leaves == 0 {
            let pass = self.pass();
            return (pass, self.value_after(pass), 1);
        }
        (self.move_to(best), score + best_gain, leaves)
    }
}

impl DeviceBoard for GoBoard {
    fn shader(&self) -> BoardShader {
        let plane = self.plane_words() as u32;
        BoardShader {
            file: "shaders/pvsplit/go.wgsl",
            source: include_str!("../../shaders/pvsplit/go.wgsl"),
            constants: vec![
                ("STRIDE", self.stride as i32),
                ("PLANE_WORDS", plane as i32),
                ("AREA_UNIT", AREA_UNIT),
            ],
            board_words: 3 * plane,
            kept_words: 2 * plane,
            undo_words: 1,
            glance_plies: 2,
        }
    }

    fn device_words(&self) -> Vec<u32> {
        let plane = self.plane_words();
        let mut words = vec![0; 2 * plane];
        for cell in 0..32 * plane {
            let content = self.contents.get(cell).copied().unwrap_or(Wall);
            for (at, colour) in [(0, Black), (plane, White)] {
                words[at + cell / 32] |= u32::from(content == colour || content == Wall) << (cell % 32);
            }
        }
        words
    }

    fn device_aux(&self) -> u32 {
        u32::from(self.now.ko) | u32::from(self.now.passes) << 10
    }

    fn device_move(&self, mv: Move) -> u32 {
        if mv == self.pass() { DEVICE_PASS } else { self.cell(mv) as u32 }
    }

    fn host_move(&self, device: u32) -> Move {
        if device == DEVICE_PASS { self.pass() } else { self.move_to(device as usize) }
    }
}

fn other(colour: Content) -> Content {
    if colour == Black { White } else { Black }
}

/// The sign of a player's score in Black's.
fn sign(colour: Content) -> i32 {
    if colour == Black { 1 } else { -1 }
}
