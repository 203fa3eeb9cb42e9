//! Twin of `shaders/rollout/thread.wgsl`: many random games from one position.

use crate::{
    exact::rng::Stream,
    forest::layout::FAULT_TOO_LONG,
    host::parallel,
    reference::{
        lanes::{self, Ended},
        playout::make_ply,
    },
    rules::{Game, GameVisitor, Outcome, Player, Plies, SideBySide, packed},
};
use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Range};

/// The start and the rules of the games.
#[derive(Debug, Clone)]
pub struct Rules<G: Game> {
    /// The game.
    pub game: G,
    /// An ongoing position.
    pub state: G::State,
    /// The player to move.
    pub turn: Player,
    /// Seed of all games.
    pub seed: u64,
    /// Moves after which a game is cut off, at least 1.
    pub max_moves: u32,
    /// Whether the owners of points are counted at the end of games.
    pub owners: bool,
}

/// Sums over games.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Games won by the first player.
    pub first_wins: u64,
    /// Games won by the second player.
    pub second_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games cut off.
    pub unfinished: u64,
    /// Moves, including passes.
    pub plies: u64,
    /// Scores in half points, of the first player.
    pub half_points: i64,
    /// For each point, the games in which the first player owns it at the end, minus those in which the second player
    /// does; empty if owners are not counted.
    pub owners: Vec<i64>,
    /// Faults, such as [`FAULT_TOO_LONG`]: with a fault the sums are invalid.
    pub faults: u32,
}

impl Tally {
    /// The sums of one game.
    fn of(outcome: Option<Outcome>, plies: u32, half_points: Option<i32>) -> Self {
        Tally {
            first_wins: u64::from(outcome == Some(Outcome::FirstWins)),
            second_wins: u64::from(outcome == Some(Outcome::SecondWins)),
            draws: u64::from(outcome == Some(Outcome::Draw)),
            unfinished: u64::from(outcome.is_none()),
            plies: u64::from(plies),
            half_points: half_points.map_or(0, i64::from),
            ..Tally::default()
        }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.first_wins + self.second_wins + self.draws + self.unfinished
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.first_wins += other.first_wins;
        self.second_wins += other.second_wins;
        self.draws += other.draws;
        self.unfinished += other.unfinished;
        self.plies += other.plies;
        self.half_points += other.half_points;
        self.owners.resize(self.owners.len().max(other.owners.len()), 0);
        self.owners.iter_mut().zip(other.owners).for_each(|(sum, more)| *sum += more);
        self.faults |= other.faults;
    }
}

/// The random stream of a game: a bijection of seed and number, so that no two games of a seed start with the same
/// state.
///
/// It is pcg4d of Jarzynski and Olano, "Hash Functions for GPU Rendering" (2020), of the number and the seed's stream
/// 0, with one more fold at the end, as its low bits are weak: it takes 32-bit operations only, and a tenth of the time
/// of a jump to the game's stream.
pub fn stream(seed: u64, game: u64) -> Stream {
    numbered(Stream::seeded(seed), game)
}

/// The stream of a game from its seed's stream 0.
fn numbered(zero: Stream, game: u64) -> Stream {
    let zero = zero.s0;
    let words = [game as u32, (game >> 32) as u32, zero as u32, (zero >> 32) as u32];
    let mixed = words.map(|word| word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let folded = multiplied(mixed).map(|word| word ^ (word >> 16));
    Stream::from_words(multiplied(folded).map(|word| word ^ (word >> 16)))
}

/// Each word in turn plus the product of two others.
fn multiplied(words: [u32; 4]) -> [u32; 4] {
    let [mut x, mut y, mut z, mut w] = words;
    x = x.wrapping_add(y.wrapping_mul(w));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    w = w.wrapping_add(y.wrapping_mul(z));
    [x, y, z, w]
}

/// Plays the games with these numbers on all cores, side by side if the game and the processor support it.
pub fn rollout<G: Game>(rules: &Rules<G>, games: Range<u64>) -> Tally {
    rules.game.reveal(Revealed { rules, games })
}

/// Games to be played by the game itself.
struct Revealed<'a, G: Game> {
    rules: &'a Rules<G>,
    games: Range<u64>,
}

impl<G: Game> GameVisitor for Revealed<'_, G> {
    type Output = Tally;

    fn visit<H: Game>(self, game: &H) -> Tally {
        let &Rules { turn, seed, max_moves, owners, .. } = self.rules;
        let state = game.unpack(&packed(&self.rules.game, &self.rules.state));
        let rules = &Rules { game: game.clone(), state, turn, seed, max_moves, owners };
        game.playouts_by(Rollout { rules, games: self.games })
    }
}

/// Games to be played.
struct Rollout<'a, G: Game> {
    rules: &'a Rules<G>,
    games: Range<u64>,
}

impl<G: Game> SideBySide<G::State> for Rollout<'_, G> {
    type Output = Tally;

    fn one_by_one(self) -> Tally {
        let Self { rules, games } = self;
        in_chunks(games, 1, &|numbers| {
            numbers.map(|game| play(rules, game)).fold(Tally::default(), Tally::add)
        })
    }

    fn side_by_side<const W: usize>(self, plies: &impl Plies<G::State, W>) -> Tally {
        let Self { rules, games } = &self;
        // Lanes play to the end.
        let is_cut = rules.max_moves < rules.game.max_plies();
        let Some(level) = lanes::level().filter(|_| !is_cut) else { return self.one_by_one() };
        let zero = Stream::seeded(rules.seed);
        in_chunks(games.clone(), 2 * lanes::LANES as u64, &|numbers| {
            let mut chunk = Chunk { zero, numbers, tally: Tally::default() };
            lanes::play(level, plies, (&rules.state, rules.turn), &mut chunk);
            chunk.tally
        })
    }
}

/// Plays the games in chunks on all cores: several chunks a core, of `least` games at least.
fn in_chunks(games: Range<u64>, least: u64, play: &(dyn Fn(Range<u64>) -> Tally + Sync)) -> Tally {
    let count = games.end.saturating_sub(games.start);
    let size = (count / (4 * rayon::current_num_threads() as u64)).clamp(least, 1 << 13);
    let chunk = |number: usize| {
        let start = games.start + number as u64 * size;
        play(start..games.end.min(start + size))
    };
    parallel::map(count.div_ceil(size) as usize, &chunk).into_iter().fold(Tally::default(), Tally::add)
}

/// The games of a task.
struct Chunk {
    zero: Stream,
    numbers: Range<u64>,
    tally: Tally,
}

impl lanes::Games for Chunk {
    fn stream(&mut self, _: usize) -> Option<Stream> {
        self.numbers.next().map(|number| numbered(self.zero, number))
    }

    fn ended(&mut self, _: usize, game: Ended) {
        self.tally += Tally::of(Some(game.outcome), game.plies, game.score);
    }
}

/// Plays one game.
pub fn play<G: Game>(rules: &Rules<G>, number: u64) -> Tally {
    let game = &rules.game;
    let mut stream = stream(rules.seed, number);
    let mut playout = game.playout_begin(&rules.state, rules.turn);
    let (mut plies, mut outcome) = (0, None);
    while outcome.is_none() && plies < rules.max_moves {
        outcome = match make_ply(game, &mut playout, &mut stream) {
            Ok(outcome) => outcome,
            Err(faults) => return Tally { faults, ..Tally::default() },
        };
        plies += 1;
    }
    if game.is_playout_cut_off(&playout) {
        outcome = None;
    }
    let faults = if plies > game.max_plies() { FAULT_TOO_LONG } else { 0 };
    let owners = if rules.owners { owners(game, &playout) } else { Vec::new() };
    Tally { faults, owners, ..Tally::of(outcome, plies, game.playout_score(&playout)) }
}

/// The owner of each point at the end of one game.
fn owners<G: Game>(game: &G, playout: &G::Playout) -> Vec<i64> {
    let mut owners = vec![0; game.owned_points() as usize];
    game.count_owners(playout, &mut owners);
    owners
}
