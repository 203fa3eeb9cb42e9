//! Chains of Go, updated with every stone that is placed, captured or restored, and the change of the evaluation.

use super::{GoBoard, GoUndo, Link, keys::STONE_KEYS, other, sign};
use crate::games::go::chains::{
    Content::{self, Empty, Wall},
    Edges,
};
use std::iter::successors;

impl GoBoard {
    pub(super) fn edges_at_mut(&mut self, cell: usize) -> &mut Edges {
        &mut self.links[self.chain_at(cell)].edges
    }

    /// Places a stone on an empty cell and joins it to the neighbouring chains of its colour, noted in `undo`; without
    /// captures.
    pub(super) fn put(&mut self, cell: usize, colour: Content, undo: &mut GoUndo) {
        self.fill(cell, colour);
        self.now.hash ^= STONE_KEYS[colour as usize][cell];
        self.now.balance += self.quiet_gain(cell, colour) * sign(colour);
        let mut edges = Edges::NONE;
        for near in self.near(cell) {
            self.stones[colour as usize][near] += 1;
            match self.contents[near] {
                Empty => edges += Edges::to(near),
                Wall => {}
                _ => *self.edges_at_mut(near) -= Edges::to(cell),
            }
        }
        self.links[cell] = Link { chain: cell as u16, next: cell as u16, size: 1, edges };
        for (k, near) in self.near(cell).into_iter().enumerate() {
            if self.contents[near] == colour && self.chain_at(near) != self.chain_at(cell) {
                undo.merged[k] = self.join(cell, near);
            }
        }
    }

    /// Joins the chains of two neighbours; returns the one that ends.
    fn join(&mut self, cell: usize, near: usize) -> u16 {
        let (a, b) = (self.chain_at(cell), self.chain_at(near));
        let (kept, lost) = if self.links[a].size >= self.links[b].size { (a, b) } else { (b, a) };
        self.for_chain(lost, |board, stone| board.links[stone].chain = kept as u16);
        self.swap_next(cell, near);
        let Link { edges, size, .. } = self.links[lost];
        self.links[kept].edges += edges;
        self.links[kept].size += size;
        lost as u16
    }

    /// The inverse of [`join`](Self::join).
    pub(super) fn part(&mut self, cell: usize, near: usize, lost: u16) {
        let kept = self.chain_at(cell);
        self.swap_next(cell, near);
        self.for_chain(lost as usize, |board, stone| board.links[stone].chain = lost);
        let Link { edges, size, .. } = self.links[lost as usize];
        self.links[kept].edges -= edges;
        self.links[kept].size -= size;
    }

    /// Joins two circular lists, or splits one in two.
    fn swap_next(&mut self, a: usize, b: usize) {
        let next = self.links[a].next;
        self.links[a].next = self.links[b].next;
        self.links[b].next = next;
    }

    /// The gain of a stone for its player's score, without captures: its own empty neighbours, less the edges it takes
    /// from its own side, plus those it takes from the opponent.
    fn quiet_gain(&self, cell: usize, colour: Content) -> i32 {
        self.degree[cell] as i32 - 2 * self.stones[colour as usize][cell] as i32
    }

    /// Removes a chain without liberties from the board. Its links stay, for [`restore`](Self::restore).
    fn remove(&mut self, start: usize, colour: Content) {
        self.for_chain(start, |board, stone| {
            board.clear(stone);
            board.now.hash ^= STONE_KEYS[colour as usize][stone];
        });
        self.for_chain(start, |board, stone| {
            for near in board.near(stone) {
                board.stones[colour as usize][near] -= 1;
                if board.is_stone(near) {
                    *board.edges_at_mut(near) += Edges::to(stone);
                    board.now.balance -= sign(colour);
                }
            }
        });
    }

    /// The inverse of [`remove`](Self::remove).
    pub(super) fn restore(&mut self, start: usize, colour: Content) {
        self.for_chain(start, |board, stone| {
            for near in board.near(stone) {
                board.stones[colour as usize][near] += 1;
                if board.is_stone(near) {
                    *board.edges_at_mut(near) -= Edges::to(stone);
                }
            }
        });
        self.for_chain(start, |board, stone| board.fill(stone, colour));
    }

    fn for_chain(&mut self, start: usize, mut each: impl FnMut(&mut Self, usize)) {
        let mut stone = start;
        loop {
            each(self, stone);
            stone = self.links[stone].next as usize;
            if stone == start {
                return;
            }
        }
    }

    /// The gain of a legal stone of the side to move.
    pub(super) fn gain(&self, cell: usize) -> i32 {
        let quiet = self.quiet_gain(cell, self.side);
        if self.stones[other(self.side) as usize][cell] == 0 {
            quiet
        } else {
            quiet + self.capture_gain(cell)
        }
    }

    /// The edges that the mover's stones get from the captured cells.
    fn capture_gain(&self, cell: usize) -> i32 {
        let mut gain = 0;
        let mut counted = [0; 4];
        for (k, near) in self.near(cell).into_iter().enumerate() {
            if self.contents[near] != other(self.side) || !self.edges_at(near).lead_to(cell) {
                continue;
            }
            let chain = self.chain_at(near);
            if counted.contains(&chain) {
                continue;
            }
            counted[k] = chain;
            let next = |&stone: &usize| Some(self.links[stone].next as usize).filter(|&next| next != chain);
            let stones = successors(Some(chain), next);
            let gained = stones.map(|stone| i32::from(self.stones[self.side as usize][stone]));
            gain += self.links[chain].edges.count() as i32 + gained.sum::<i32>();
        }
        gain
    }

    /// Removes the chains that the new stone has left without liberties, and sets the ko.
    pub(super) fn capture_around(&mut self, cell: usize, undo: &mut GoUndo) {
        let (theirs, mut stones, mut taken) = (other(self.side), 0, 0);
        for (k, near) in self.near(cell).into_iter().enumerate() {
            if self.contents[near] == theirs && self.edges_at(near) == Edges::NONE {
                (undo.captured[k], taken) = (true, near);
                stones += self.links[self.chain_at(near)].size;
                self.remove(near, theirs);
            }
        }
        // One stone captured by a lone stone whose only liberty is the captured cell: retaking would repeat.
        let own = self.links[self.chain_at(cell)];
        if stones == 1 && own.size == 1 && own.edges.count() == 1 {
            self.set_ko(taken as u16);
        }
    }
}
