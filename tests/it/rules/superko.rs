//! Positional superko against a simple program that stores whole boards.

use crate::support::prelude::*;

fn go_of(size: u32) -> Go {
    wide(size, size)
}

fn wide(rows: u32, columns: u32) -> Go {
    Go::rectangular(rows, columns, 0.5).expect("a board").with_superko(true)
}

/// Go by whole boards: 0 empty, 1 Black, 2 White; no ko but superko.
#[derive(Clone)]
struct Brute {
    rows: usize,
    columns: usize,
    board: Vec<u8>,
    earlier: Vec<Vec<u8>>,
    turn: u8,
    passes: u32,
    moves: u32,
}

impl Brute {
    fn new(rows: usize, columns: usize) -> Self {
        let board = vec![0; rows * columns];
        Self { rows, columns, earlier: vec![board.clone()], board, turn: 1, passes: 0, moves: 0 }
    }

    fn near(&self, point: usize) -> Vec<usize> {
        let (row, column) = (point / self.columns, point % self.columns);
        let mut near = Vec::new();
        if row > 0 {
            near.push(point - self.columns);
        }
        if row + 1 < self.rows {
            near.push(point + self.columns);
        }
        if column > 0 {
            near.push(point - 1);
        }
        if column + 1 < self.columns {
            near.push(point + 1);
        }
        near
    }

    /// The chain of a stone, and whether it has a liberty.
    fn chain(&self, board: &[u8], stone: usize) -> (Vec<usize>, bool) {
        let (mut chain, mut free, mut next) = (vec![stone], false, 0);
        while next < chain.len() {
            for near in self.near(chain[next]) {
                free |= board[near] == 0;
                if board[near] == board[stone] && !chain.contains(&near) {
                    chain.push(near);
                }
            }
            next += 1;
        }
        (chain, free)
    }

    /// The board after a stone; nothing where that is suicide or no empty point.
    fn after(&self, point: usize) -> Option<Vec<u8>> {
        if self.board[point] != 0 {
            return None;
        }
        let mut board = self.board.clone();
        board[point] = self.turn;
        for near in self.near(point) {
            if board[near] == 3 - self.turn {
                let (chain, free) = self.chain(&board, near);
                if !free {
                    chain.into_iter().for_each(|stone| board[stone] = 0);
                }
            }
        }
        self.chain(&board, point).1.then_some(board)
    }

    fn legal(&self) -> Vec<u32> {
        let points = self.board.len();
        let allowed = |&point: &usize| self.after(point).is_some_and(|board| !self.earlier.contains(&board));
        (0..points).filter(allowed).chain([points]).map(|action| action as u32).collect()
    }

    fn play(&mut self, action: u32) {
        match self.board.get(action as usize) {
            None => self.passes += 1,
            Some(_) => {
                self.board = self.after(action as usize).expect("a legal stone");
                self.earlier.push(self.board.clone());
                self.passes = 0;
            }
        }
        self.turn = 3 - self.turn;
        self.moves += 1;
    }

    fn is_over(&self) -> bool {
        self.passes >= 2 || self.moves >= Go::default_max_moves(self.board.len() as u32)
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.is_over() {
            return 0;
        }
        let below = |action| {
            let mut next = self.clone();
            next.play(action);
            next.perft(depth - 1)
        };
        self.legal().into_iter().map(below).sum()
    }
}

#[test]
fn perft_agrees_with_stored_boards() {
    for (rows, columns, depth) in [(1, 1, 4), (2, 2, 8), (3, 3, 5), (1, 3, 7), (4, 1, 6)] {
        let brute = Brute::new(rows, columns);
        for depth in 0..=depth {
            let game = wide(rows as u32, columns as u32);
            let leaves = perft(&Position::start(&game), depth).expect("a count");
            assert_eq!(leaves, brute.perft(depth), "{rows} x {columns}, depth {depth}");
        }
    }
    // Superko forbids moves from the depth on at which four captured stones can come back.
    let simple = perft(&Position::start(&go_of(2).with_superko(false)), 8).expect("a count");
    assert!(perft(&Position::start(&go_of(2)), 8).expect("a count") < simple);
}

/// Random games, with few passes so that they go on; the number of moves that superko alone forbids.
fn forbidden_in_random_games((rows, columns): (u32, u32), games: u64) -> u32 {
    let (game, simple) = (wide(rows, columns), wide(rows, columns).with_superko(false));
    let mut forbidden = 0;
    for seed in 0..games {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (mut brute, mut position) = (Brute::new(rows as usize, columns as usize), Position::start(&game));
        while position.outcome().is_none() {
            let legal = position.legal_actions();
            assert_eq!(legal, brute.legal(), "{rows} x {columns}, after {:?}", position.moves());
            let turn = position.turn();
            let candidates = (0..game.max_actions()).filter(|a| !legal.contains(a));
            let state = position.state();
            for action in candidates.filter(|&a| simple.is_action_legal(state, turn, a)) {
                forbidden += 1;
                let error = position.clone().play(action).expect_err("an earlier position");
                assert!(error.to_string().contains("earlier position"), "{error}");
            }
            let stones = legal.len() as u32 - 1;
            let passes = stones == 0 || rng.next_u32() % 8 == 0;
            let action = if passes { game.pass() } else { legal[(rng.next_u32() % stones) as usize] };
            position.play(action).expect("a legal move");
            brute.play(action);
        }
        assert!(brute.is_over());
    }
    forbidden
}

#[test]
fn legal_moves_of_random_games_are_those_by_stored_boards() {
    let squares = [(1, 10, 0), (2, 100, 20), (3, 60, 20), (4, 60, 1), (5, 10, 0)];
    let squares = squares.map(|(size, games, at_least)| ((size, size), games, at_least));
    let rectangles = [((3, 5), 20, 0), ((5, 3), 20, 0), ((2, 4), 60, 5), ((7, 1), 60, 5)];
    for (sides, games, at_least) in squares.into_iter().chain(rectangles) {
        let forbidden = forbidden_in_random_games(sides, games);
        assert!(forbidden >= at_least, "{forbidden} on {sides:?}");
    }
}

#[test]
fn two_games_with_the_same_board_differ_in_what_is_forbidden() {
    // Both colours pass in turn, so that each game has the board ".X/X." with Black to move.
    let game = go_of(2);
    let short = position_after(&game, &["A1", "pass", "B2", "pass"]);
    let board = position_of(&game, &[".X", "X."], Player::First);
    assert_eq!(short.legal_actions(), board.legal_actions());
    assert_eq!(board.keys().len(), 1);
    assert_eq!(short.keys().len(), 5);
}
