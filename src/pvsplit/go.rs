//! Go for alpha-beta: chains, their liberties and the evaluation follow every stone that is put or taken back.
//!
//! Rules of movement: captures, simple ko, no suicide; all legal points, and the pass only where there is none.
//! Points lie in rows of `size + 1`, the last column and a row above and below being wall, so that the four
//! neighbours of a point are always at the same four distances.
//!
//! A chain's liberties are kept as the number, the sum and the sum of squares of its *edges* to empty points (one
//! edge a stone and empty neighbour): all edges lead to the same point p, and the chain is in atari, exactly where
//! sum = edges * p and squares = edges * p².

use super::gpu::{BoardShader, DEVICE_PASS, DeviceBoard};
use super::{Board, Move};
use crate::error::{Error, Result};
use crate::game::Player;

const MAX_SIZE: usize = 19;
/// Points with the walls around them.
const CELLS: usize = (MAX_SIZE + 1) * (MAX_SIZE + 2);
const WORDS: usize = CELLS.div_ceil(64);
const NO_KO: u16 = 0;
/// What the points of a game's end are multiplied by, so that no count of liberties outweighs the result.
const AREA_UNIT: i32 = 1000;

const FIRST: u8 = 0;
const EMPTY: u8 = 2;
const WALL: u8 = 3;

/// The edges of a chain to empty points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Edges {
    count: u32,
    sum: u32,
    squares: u32,
}

impl Edges {
    fn add(&mut self, point: usize) {
        let point = point as u32;
        self.count += 1;
        self.sum += point;
        self.squares += point * point;
    }

    fn remove(&mut self, point: usize) {
        let point = point as u32;
        self.count -= 1;
        self.sum -= point;
        self.squares -= point * point;
    }

    fn join(&mut self, other: Edges) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn part(&mut self, other: Edges) {
        self.count -= other.count;
        self.sum -= other.sum;
        self.squares -= other.squares;
    }

    fn all_lead_to(&self, point: usize) -> bool {
        let point = point as u32;
        self.sum == self.count * point && self.squares == self.count * point * point
    }
}

/// A position of Go on N x N points, N from 2 to 19.
#[derive(Debug, Clone)]
pub struct Go {
    size: usize,
    stride: usize,
    side: u8,
    passes: u8,
    /// The point that may not be played at once, or [`NO_KO`] (a wall).
    ko: u16,
    /// Liberties of the first player's stones minus those of the second's.
    balance: i32,
    hash: u64,
    empty: [u64; WORDS],
    cells: [u8; CELLS],
    /// Neighbours on the board.
    degree: [u8; CELLS],
    /// Neighbouring stones of each player.
    stones: [[u8; CELLS]; 2],
    /// Of a stone: the point that its chain's edges and size are kept at.
    head: [u16; CELLS],
    /// Of a stone: the next one of its chain, in a circle.
    next: [u16; CELLS],
    edges: [Edges; CELLS],
    chain_size: [u16; CELLS],
}

/// What a move of Go has changed beyond its own stone.
#[derive(Debug)]
pub struct GoUndo {
    hash: u64,
    balance: i32,
    ko: u16,
    passes: u8,
    captured_len: u8,
    merged_len: u8,
    captured: [u16; 4],
    /// The head that lost its chain, and the neighbour it was joined through.
    merged: [(u16, u16); 4],
    head: u16,
    next: u16,
    edges: Edges,
    chain_size: u16,
}

impl Go {
    /// The empty board; the first player (Black) is to move.
    ///
    /// # Errors
    /// Bad input where `size` is not 2 to 19.
    pub fn new(size: usize) -> Result<Self> {
        if !(2..=MAX_SIZE).contains(&size) {
            return Err(Error::bad_input(format!(
                "a Go board of size {size}: give a size from 2 to {MAX_SIZE}"
            )));
        }
        let mut board = Self {
            size,
            stride: size + 1,
            side: FIRST,
            passes: 0,
            ko: NO_KO,
            balance: 0,
            hash: 0,
            empty: [0; WORDS],
            cells: [WALL; CELLS],
            degree: [0; CELLS],
            stones: [[0; CELLS]; 2],
            head: [0; CELLS],
            next: [0; CELLS],
            edges: [Edges::default(); CELLS],
            chain_size: [0; CELLS],
        };
        for action in 0..size * size {
            let point = board.point(action);
            board.cells[point] = EMPTY;
            board.empty[point / 64] |= 1 << (point % 64);
            for near in board.neighbours(point) {
                board.degree[near] += 1;
            }
        }
        Ok(board)
    }

    /// The usual start of the paper's measurements: Black has played the centre, White is to move.
    ///
    /// # Errors
    /// Bad input where `size` is not 2 to 19.
    pub fn centre(size: usize) -> Result<Self> {
        let mut board = Self::new(size)?;
        board.make((size / 2 * size + size / 2) as Move);
        Ok(board)
    }

    /// A board from its rows, top row first: `.` empty, `X` Black, `O` White. There is no ko, and no pass before.
    ///
    /// # Errors
    /// Bad input where the rows are not a square of such letters, or a chain has no liberty.
    pub fn from_rows(rows: &[&str], side: Player) -> Result<Self> {
        let mut board = Self::new(rows.len())?;
        for (y, row) in rows.iter().rev().enumerate() {
            if row.chars().count() != rows.len() {
                return Err(Error::bad_input(format!(
                    "row '{row}' needs {} points, as there are rows",
                    rows.len()
                )));
            }
            for (x, letter) in row.chars().enumerate() {
                let point = board.point(y * board.size + x);
                match letter {
                    '.' => {}
                    'X' => board.put(point, 0),
                    'O' => board.put(point, 1),
                    other => {
                        let what = "'.' for empty, 'X' for Black, 'O' for White";
                        return Err(Error::bad_input(format!("'{other}' is no point: {what}")));
                    }
                }
            }
        }
        board.check_liberties()?;
        if side == Player::Second {
            board.pass_turn();
        }
        Ok(board)
    }

    fn check_liberties(&self) -> Result<()> {
        for action in 0..self.size * self.size {
            let point = self.point(action);
            if self.cells[point] < EMPTY && self.edges[self.head[point] as usize].count == 0 {
                let name = self.move_name(action as Move);
                return Err(Error::bad_input(format!(
                    "the stone at {name} has no liberty: it cannot be on the board"
                )));
            }
        }
        Ok(())
    }

    /// The board's width.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The pass.
    pub fn pass(&self) -> Move {
        (self.size * self.size) as Move
    }

    /// Plays a move by the side to move. The pass may be played at any time: a game record may hold it.
    ///
    /// # Errors
    /// Bad input where the move is illegal or the game is over.
    pub fn play(&mut self, mv: Move) -> Result<()> {
        let what = |problem: &str| Err(Error::bad_input(format!("{}: {problem}", self.move_name(mv))));
        if self.passes == 2 {
            return what("the game is over after two passes");
        }
        if mv > self.pass() || mv < self.pass() && !self.is_legal(mv) {
            return what("not a legal move here");
        }
        self.make(mv);
        Ok(())
    }

    /// The move of a name: a point such as D4 (column I skipped, row 1 at the bottom), or `pass`.
    pub fn parse_move(&self, name: &str) -> Option<Move> {
        if name.eq_ignore_ascii_case("pass") {
            return Some(self.pass());
        }
        let letter = name.chars().next()?.to_ascii_uppercase();
        let x = COLUMN_LETTERS.find(letter).filter(|&x| x < self.size)?;
        let row: usize = name[letter.len_utf8()..].parse().ok()?;
        (1..=self.size).contains(&row).then(|| ((row - 1) * self.size + x) as Move)
    }

    /// The stone at a point, by action index.
    pub fn stone(&self, action: usize) -> Option<Player> {
        match self.cells[self.point(action)] {
            FIRST => Some(Player::First),
            1 => Some(Player::Second),
            _ => None,
        }
    }

    /// The point, by action index, that the side to move may not take back at once.
    pub fn ko(&self) -> Option<Move> {
        (self.ko != NO_KO).then(|| self.action(self.ko as usize))
    }

    /// Passes just played, 0 to 2; two end the game.
    pub fn passes(&self) -> u32 {
        self.passes as u32
    }

    /// Points of the first player minus points of the second: stones, and empty regions that touch one colour only.
    pub fn area(&self) -> i32 {
        let mut area = 0;
        let mut seen = [false; CELLS];
        let mut region = Vec::new();
        for point in (0..self.size * self.size).map(|a| self.point(a)) {
            match self.cells[point] {
                FIRST => area += 1,
                1 => area -= 1,
                _ if seen[point] => {}
                _ => {
                    let touched = self.flood_empty(point, &mut seen, &mut region);
                    area += [0, 1, -1, 0][touched] * region.len() as i32;
                }
            }
        }
        area
    }

    /// Collects an empty region and tells which colours it touches: bit 0 the first player, bit 1 the second.
    fn flood_empty(&self, start: usize, seen: &mut [bool; CELLS], region: &mut Vec<usize>) -> usize {
        region.clear();
        region.push(start);
        seen[start] = true;
        let (mut touched, mut at) = (0, 0);
        while let Some(&point) = region.get(at) {
            at += 1;
            for near in self.neighbours(point) {
                match self.cells[near] {
                    EMPTY if !seen[near] => {
                        seen[near] = true;
                        region.push(near);
                    }
                    colour @ 0..=1 => touched |= 1 << colour,
                    _ => {}
                }
            }
        }
        touched
    }

    fn point(&self, action: usize) -> usize {
        (action / self.size + 1) * self.stride + action % self.size
    }

    /// Words of one bit a point, walls included.
    fn plane_words(&self) -> usize {
        (self.stride * (self.size + 2)).div_ceil(32)
    }

    fn action(&self, point: usize) -> Move {
        ((point / self.stride - 1) * self.size + point % self.stride) as Move
    }

    fn neighbours(&self, point: usize) -> [usize; 4] {
        [point - self.stride, point - 1, point + 1, point + self.stride]
    }

    fn head_of(&self, point: usize) -> usize {
        self.head[point] as usize
    }

    fn pass_turn(&mut self) {
        self.side ^= 1;
        self.hash ^= SIDE_KEY;
    }

    /// Puts a stone on an empty point and joins its chain with the neighbours of its colour; captures nothing.
    fn put(&mut self, point: usize, colour: u8) {
        self.set_stone(point, colour);
        for near in self.neighbours(point) {
            if self.cells[near] == colour && self.head[near] != self.head[point] {
                self.join(point, near);
            }
        }
    }

    fn set_stone(&mut self, point: usize, colour: u8) {
        self.cells[point] = colour;
        self.empty[point / 64] &= !(1 << (point % 64));
        self.hash ^= STONE_KEYS[colour as usize][point];
        self.balance += self.quiet_gain(point, colour) * sign(colour);
        let mut edges = Edges::default();
        for near in self.neighbours(point) {
            self.stones[colour as usize][near] += 1;
            match self.cells[near] {
                EMPTY => edges.add(near),
                WALL => {}
                _ => self.edges[self.head[near] as usize].remove(point),
            }
        }
        self.head[point] = point as u16;
        self.next[point] = point as u16;
        self.edges[point] = edges;
        self.chain_size[point] = 1;
    }

    /// Joins the chains of two neighbours; returns the head that lost its chain.
    fn join(&mut self, point: usize, near: usize) -> u16 {
        let (a, b) = (self.head[point], self.head[near]);
        let (kept, lost) =
            if self.chain_size[a as usize] >= self.chain_size[b as usize] { (a, b) } else { (b, a) };
        self.relabel(lost as usize, kept);
        self.next.swap(point, near);
        let edges = self.edges[lost as usize];
        self.edges[kept as usize].join(edges);
        self.chain_size[kept as usize] += self.chain_size[lost as usize];
        lost
    }

    /// The inverse of [`join`](Self::join).
    fn part(&mut self, point: usize, near: usize, lost: u16) {
        let kept = self.head_of(point);
        self.next.swap(point, near);
        self.relabel(lost as usize, lost);
        let edges = self.edges[lost as usize];
        self.edges[kept].part(edges);
        self.chain_size[kept] -= self.chain_size[lost as usize];
    }

    fn relabel(&mut self, start: usize, head: u16) {
        let mut stone = start;
        loop {
            self.head[stone] = head;
            stone = self.next[stone] as usize;
            if stone == start {
                return;
            }
        }
    }

    /// What a stone adds to its player's score, captures aside: its own empty neighbours, less the edges it takes
    /// from its own side, and more those it takes from the other.
    fn quiet_gain(&self, point: usize, colour: u8) -> i32 {
        self.degree[point] as i32 - 2 * self.stones[colour as usize][point] as i32
    }

    /// Takes a chain without liberties off the board. Its links stay, for [`restore`](Self::restore).
    fn remove(&mut self, start: usize, colour: u8) {
        self.for_chain(start, |board, stone| {
            board.cells[stone] = EMPTY;
            board.empty[stone / 64] |= 1 << (stone % 64);
            board.hash ^= STONE_KEYS[colour as usize][stone];
        });
        self.for_chain(start, |board, stone| {
            for near in board.neighbours(stone) {
                board.stones[colour as usize][near] -= 1;
                if board.cells[near] < EMPTY {
                    board.edges[board.head_of(near)].add(stone);
                    board.balance -= sign(colour);
                }
            }
        });
    }

    /// The inverse of [`remove`](Self::remove).
    fn restore(&mut self, start: usize, colour: u8) {
        self.for_chain(start, |board, stone| {
            for near in board.neighbours(stone) {
                board.stones[colour as usize][near] += 1;
                if board.cells[near] < EMPTY {
                    board.edges[board.head_of(near)].remove(stone);
                }
            }
        });
        self.for_chain(start, |board, stone| {
            board.cells[stone] = colour;
            board.empty[stone / 64] &= !(1 << (stone % 64));
        });
    }

    fn for_chain(&mut self, start: usize, mut each: impl FnMut(&mut Self, usize)) {
        let mut stone = start;
        loop {
            each(self, stone);
            stone = self.next[stone] as usize;
            if stone == start {
                return;
            }
        }
    }

    fn is_point_legal(&self, point: usize) -> bool {
        if point == self.ko as usize {
            return false;
        }
        let colour = self.side;
        if self.stones[0][point] + self.stones[1][point] < self.degree[point] {
            return true;
        }
        self.neighbours(point).into_iter().any(|near| {
            self.cells[near] < EMPTY
                && self.edges[self.head_of(near)].all_lead_to(point) == (self.cells[near] != colour)
        })
    }

    /// What a legal stone of the side to move adds to its score.
    fn gain(&self, point: usize) -> i32 {
        let quiet = self.quiet_gain(point, self.side);
        if self.stones[(self.side ^ 1) as usize][point] == 0 {
            quiet
        } else {
            quiet + self.capture_gain(point)
        }
    }

    /// The liberties that the mover's stones get where the captured ones stood.
    fn capture_gain(&self, point: usize) -> i32 {
        let mut gain = 0;
        let mut counted = [NO_KO; 4];
        for (k, near) in self.neighbours(point).into_iter().enumerate() {
            let captured = self.cells[near] == self.side ^ 1
                && self.edges[self.head_of(near)].all_lead_to(point)
                && !counted.contains(&self.head[near]);
            if !captured {
                continue;
            }
            let head = self.head[near];
            counted[k] = head;
            gain += self.edges[head as usize].count as i32;
            let mut stone = head;
            loop {
                gain += self.stones[self.side as usize][stone as usize] as i32;
                stone = self.next[stone as usize];
                if stone == head {
                    break;
                }
            }
        }
        gain
    }

    fn saved(&self, point: usize) -> GoUndo {
        GoUndo {
            hash: self.hash,
            balance: self.balance,
            ko: self.ko,
            passes: self.passes,
            captured_len: 0,
            merged_len: 0,
            captured: [0; 4],
            merged: [(0, 0); 4],
            head: self.head[point],
            next: self.next[point],
            edges: self.edges[point],
            chain_size: self.chain_size[point],
        }
    }

    /// Takes the chains off that the stone just put has left without liberties, and sets the ko.
    fn capture_around(&mut self, point: usize, undo: &mut GoUndo) {
        let other = self.side ^ 1;
        let mut stones = 0;
        for near in self.neighbours(point) {
            if self.cells[near] == other && self.edges[self.head_of(near)].count == 0 {
                undo.captured[undo.captured_len as usize] = near as u16;
                undo.captured_len += 1;
                stones += self.chain_size[self.head_of(near)];
                self.remove(near, other);
            }
        }
        // One stone taken by a lone stone whose only liberty is the point taken: taking back would repeat.
        let lone = self.chain_size[self.head_of(point)] == 1 && self.edges[self.head_of(point)].count == 1;
        if stones == 1 && lone {
            self.set_ko(undo.captured[0]);
        }
    }

    fn set_ko(&mut self, point: u16) {
        self.hash ^= KO_KEYS[self.ko as usize] ^ KO_KEYS[point as usize];
        self.ko = point;
    }

    fn set_passes(&mut self, passes: u8) {
        self.hash ^= PASS_KEYS[self.passes as usize] ^ PASS_KEYS[passes as usize];
        self.passes = passes;
    }
}

impl Board for Go {
    type Undo = GoUndo;

    fn move_limit(&self) -> usize {
        self.size * self.size + 1
    }

    fn side(&self) -> Player {
        if self.side == FIRST { Player::First } else { Player::Second }
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.passes == 2 {
            return;
        }
        for (word, &bits) in self.empty.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let point = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if self.is_point_legal(point) {
                    moves.push(self.action(point));
                }
            }
        }
        if moves.is_empty() {
            moves.push(self.pass());
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        mv < self.pass() && {
            let point = self.point(mv as usize);
            self.cells[point] == EMPTY && self.is_point_legal(point)
        }
    }

    fn make(&mut self, mv: Move) -> GoUndo {
        if mv == self.pass() {
            let undo = self.saved(0);
            self.set_ko(NO_KO);
            self.set_passes(self.passes + 1);
            self.pass_turn();
            return undo;
        }
        let point = self.point(mv as usize);
        let colour = self.side;
        let mut undo = self.saved(point);
        self.set_ko(NO_KO);
        self.set_passes(0);
        self.set_stone(point, colour);
        for near in self.neighbours(point) {
            if self.cells[near] == colour && self.head[near] != self.head[point] {
                let lost = self.join(point, near);
                undo.merged[undo.merged_len as usize] = (lost, near as u16);
                undo.merged_len += 1;
            }
        }
        if self.stones[(colour ^ 1) as usize][point] > 0 {
            self.capture_around(point, &mut undo);
        }
        self.pass_turn();
        undo
    }

    fn unmake(&mut self, mv: Move, undo: GoUndo) {
        self.side ^= 1;
        self.hash = undo.hash;
        self.balance = undo.balance;
        self.ko = undo.ko;
        self.passes = undo.passes;
        if mv == self.pass() {
            return;
        }
        let point = self.point(mv as usize);
        for &near in undo.captured[..undo.captured_len as usize].iter().rev() {
            self.restore(near as usize, self.side ^ 1);
        }
        for &(lost, near) in undo.merged[..undo.merged_len as usize].iter().rev() {
            self.part(point, near as usize, lost);
        }
        self.cells[point] = EMPTY;
        self.empty[point / 64] |= 1 << (point % 64);
        for near in self.neighbours(point) {
            self.stones[self.side as usize][near] -= 1;
            if self.cells[near] < EMPTY {
                self.edges[self.head_of(near)].add(point);
            }
        }
        self.head[point] = undo.head;
        self.next[point] = undo.next;
        self.edges[point] = undo.edges;
        self.chain_size[point] = undo.chain_size;
    }

    fn finished(&self) -> Option<i32> {
        (self.passes == 2).then(|| AREA_UNIT * self.area() * sign(self.side))
    }

    fn evaluate(&self) -> i32 {
        self.balance * sign(self.side)
    }

    fn key(&self) -> u64 {
        self.hash
    }

    fn promise(&self, mv: Move) -> i32 {
        if mv == self.pass() { 0 } else { self.gain(self.point(mv as usize)) }
    }

    fn move_name(&self, mv: Move) -> String {
        if mv >= self.pass() {
            return "pass".into();
        }
        let (row, column) = (mv as usize / self.size, mv as usize % self.size);
        format!("{}{}", &COLUMN_LETTERS[column..=column], row + 1)
    }

    fn value_after(&mut self, mv: Move) -> i32 {
        if mv < self.pass() {
            return self.evaluate() + self.gain(self.point(mv as usize));
        }
        let undo = self.make(mv);
        let value = -self.finished().unwrap_or_else(|| self.evaluate());
        self.unmake(mv, undo);
        value
    }

    fn value_if_over(&mut self, mv: Move) -> Option<i32> {
        let over = mv == self.pass() && self.passes == 1;
        over.then(|| -AREA_UNIT * self.area() * sign(self.side ^ 1))
    }

    fn best_leaf(&mut self, beta: i32, _: &mut Vec<Move>) -> (Move, i32, u64) {
        let score = self.evaluate();
        let (mut best, mut best_gain, mut leaves) = (NO_KO, i32::MIN, 0);
        'board: for word in 0..WORDS {
            let mut bits = self.empty[word];
            while bits != 0 {
                let point = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if !self.is_point_legal(point) {
                    continue;
                }
                leaves += 1;
                let gain = self.gain(point);
                if gain > best_gain {
                    (best, best_gain) = (point as u16, gain);
                    if score + gain >= beta {
                        break 'board;
                    }
                }
            }
        }
        if leaves == 0 {
            let pass = self.pass();
            return (pass, self.value_after(pass), 1);
        }
        (self.action(best as usize), score + best_gain, leaves)
    }
}

impl DeviceBoard for Go {
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
        }
    }

    fn device_words(&self) -> Vec<u32> {
        let plane = self.plane_words();
        let mut words = vec![0; 2 * plane];
        for point in 0..32 * plane {
            let cell = self.cells.get(point).copied().unwrap_or(WALL);
            words[point / 32] |= u32::from(cell == FIRST || cell == WALL) << (point % 32);
            words[plane + point / 32] |= u32::from(cell == 1 || cell == WALL) << (point % 32);
        }
        words
    }

    fn device_aux(&self) -> u32 {
        u32::from(self.ko) | u32::from(self.passes) << 10
    }

    fn device_move(&self, mv: Move) -> u32 {
        if mv == self.pass() { DEVICE_PASS } else { self.point(mv as usize) as u32 }
    }

    fn host_move(&self, device: u32) -> Move {
        if device == DEVICE_PASS { self.pass() } else { self.action(device as usize) }
    }
}

const COLUMN_LETTERS: &str = "ABCDEFGHJKLMNOPQRST";

/// Of a player's score in the first player's.
fn sign(colour: u8) -> i32 {
    1 - 2 * colour as i32
}

// Zobrist keys: the outputs of SplitMix64, one for every stone, ko and count of passes.
const SIDE_KEY: u64 = mix(1);
static STONE_KEYS: [[u64; CELLS]; 2] = [keys(1 << 10), keys(2 << 10)];
static KO_KEYS: [u64; CELLS] = keys(3 << 10);
static PASS_KEYS: [u64; 3] = [0, mix(2), mix(3)];

const fn keys(first: u64) -> [u64; CELLS] {
    let mut keys = [0; CELLS];
    let mut i = 0;
    while i < CELLS {
        keys[i] = mix(first + i as u64);
        i += 1;
    }
    keys
}

const fn mix(n: u64) -> u64 {
    let z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
