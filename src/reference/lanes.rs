//! Random games of one position side by side in SIMD lanes, with the results of the loops over single games, bit for
//! bit.

use crate::{
    exact::rng::{Stream, likely_ordinal, ordinal},
    rules::{Outcome, Player, Plies, mask},
};
use fearless_simd::{Level, dispatch};
use std::array;

/// Games side by side: several registers of each kind, so that a core never waits for the last operation.
pub const LANES: usize = 32;

/// Plies between two checks for games that are over: more plies make fewer checks, fewer plies less waiting.
const ROUND: usize = 6;

/// The lane's game is over, or the lane has no game.
const OVER: u64 = 1;
/// The draw is close to the boundary between two actions: the estimate may have chosen the wrong one.
const UNSURE: u64 = 2;

/// The games to be played, by their indexes 0, 1, ..., and their results.
pub trait Games {
    /// The random stream of a game; `None` after the last game.
    fn stream(&mut self, place: usize) -> Option<Stream>;
    /// Takes the result of a game.
    fn ended(&mut self, place: usize, game: Ended);
}

/// A game that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its random stream after the game.
    pub stream: Stream,
    /// Its plies.
    pub plies: u32,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its score in half points.
    pub score: Option<i32>,
}

/// The SIMD level for the lanes; `None` if there is none, as games are then faster one by one.
pub fn level() -> Option<Level> {
    Some(Level::new()).filter(|level| !level.is_fallback())
}

/// Plays all games from an ongoing position with these instructions.
pub fn play<S, P: Plies<S, W>, const W: usize>(
    level: Level,
    plies: &P,
    (state, turn): (&S, Player),
    games: &mut dyn Games,
) {
    let begin = plies.begin(state, turn);
    dispatch!(level, _simd => Lanes::new(begin).play(plies, turn, games));
}

/// One game a lane, a word of all games side by side.
struct Lanes<const W: usize> {
    begin: [u64; W],
    words: [[u64; LANES]; W],
    s0: [u64; LANES],
    s1: [u64; LANES],
    plies: [u64; LANES],
    /// 0 where the game goes on.
    halted: [u64; LANES],
    /// The index of each lane's game.
    places: [usize; LANES],
}

impl<const W: usize> Lanes<W> {
    #[inline(always)]
    fn new(begin: [u64; W]) -> Self {
        let (none, words) = ([0; LANES], [[0; LANES]; W]);
        Self { begin, words, s0: none, s1: none, plies: none, halted: [OVER; LANES], places: [0; LANES] }
    }

    #[inline(always)]
    fn play<S, P: Plies<S, W>>(mut self, plies: &P, turn: Player, games: &mut dyn Games) {
        let (mut next, mut live) = (0, 0);
        for lane in 0..LANES {
            live |= u64::from(self.begin(lane, &mut next, games)) << lane;
        }
        while live != 0 {
            for _ in 0..ROUND {
                self.ply(plies);
            }
            let mut halted = live & self.halted();
            while halted != 0 {
                let lane = halted.trailing_zeros() as usize;
                halted &= halted - 1;
                // A finished lane goes on drawing, and its draws may be unsure.
                if self.halted[lane] & OVER != 0 || self.is_over_with_the_ordinal(lane, plies) {
                    games.ended(self.places[lane], self.ended(lane, plies, turn));
                    let goes_on = self.begin(lane, &mut next, games);
                    live &= !(u64::from(!goes_on) << lane);
                }
            }
        }
    }

    /// Starts the next game in a lane, if there is one.
    #[inline(always)]
    fn begin(&mut self, lane: usize, next: &mut usize, games: &mut dyn Games) -> bool {
        let Some(stream) = games.stream(*next) else { return false };
        self.put(lane, self.begin, stream);
        (self.plies[lane], self.halted[lane], self.places[lane]) = (0, 0, *next);
        *next += 1;
        true
    }

    /// One ply of every lane that goes on. Without branches, panics, and words of other sizes, so that the compiler
    /// makes SIMD instructions of it.
    #[inline(always)]
    fn ply<S, P: Plies<S, W>>(&mut self, plies: &P) {
        for lane in 0..LANES {
            let (words, before) = (self.words(lane), self.stream(lane));
            let mut stream = before;
            let draw = stream.next_u64();
            let (count, listed) = plies.list_actions(&words);
            let (ordinal, may_differ) = likely_ordinal(draw, count);
            let played = plies.ply(words, listed, ordinal);
            let halted = self.halted[lane] | (mask(may_differ) & UNSURE);
            let goes_on = halted == 0;
            let took = played.took & mask(goes_on);
            for (words, after) in self.words.iter_mut().zip(played.words) {
                words[lane] = if goes_on { after } else { words[lane] };
            }
            self.s0[lane] = if took != 0 { stream.s0 } else { before.s0 };
            self.s1[lane] = if took != 0 { stream.s1 } else { before.s1 };
            self.plies[lane] = self.plies[lane].wrapping_sub(took);
            self.halted[lane] = halted | (played.over & mask(goes_on) & OVER);
        }
    }

    /// Repeats the ply of a lane whose draw was unsure, with the exact ordinal; returns whether the game is over.
    #[inline(never)]
    fn is_over_with_the_ordinal<S, P: Plies<S, W>>(&mut self, lane: usize, plies: &P) -> bool {
        let (words, before) = (self.words(lane), self.stream(lane));
        let mut stream = before;
        let draw = stream.next_u64();
        let (count, listed) = plies.list_actions(&words);
        let played = plies.ply(words, listed, ordinal(draw, count as u32).into());
        self.put(lane, played.words, if played.took != 0 { stream } else { before });
        self.plies[lane] += played.took & 1;
        self.halted[lane] = played.over & OVER;
        played.over != 0
    }

    /// The lanes that have halted, as bits.
    #[inline(always)]
    fn halted(&self) -> u64 {
        let bits = self.halted.iter().enumerate().map(|(lane, halted)| u64::from(*halted != 0) << lane);
        bits.fold(0, |all, bit| all | bit)
    }

    fn ended<S, P: Plies<S, W>>(&self, lane: usize, plies: &P, turn: Player) -> Ended {
        let turn = if self.plies[lane].is_multiple_of(2) { turn } else { turn.opponent() };
        let (outcome, score) = plies.end(&self.words(lane), turn);
        Ended { stream: self.stream(lane), plies: self.plies[lane] as u32, outcome, score }
    }

    #[inline(always)]
    fn words(&self, lane: usize) -> [u64; W] {
        array::from_fn(|word| self.words[word][lane])
    }

    #[inline(always)]
    fn stream(&self, lane: usize) -> Stream {
        Stream { s0: self.s0[lane], s1: self.s1[lane] }
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, words: [u64; W], stream: Stream) {
        self.words.iter_mut().zip(words).for_each(|(words, word)| words[lane] = word);
        (self.s0[lane], self.s1[lane]) = (stream.s0, stream.s1);
    }
}
