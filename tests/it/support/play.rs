//! Helpers of the tests of games: data files, random games, and the distance of a sample from its expectation.

use mcts_wgpu::{Game, Outcome, Player};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde_json::Value;

/// Standard errors beyond which a sample contradicts a distribution: two-sided 4e-9 a comparison. All comparisons of
/// these tests together, fewer than 2,100, raise a false alarm with probability below 1e-5 (and their seeds are fixed:
/// a correct program that passes once always passes).
pub const Z_LIMIT: f64 = 5.9;

pub fn data(file: &str) -> String {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub fn json_lines(file: &str) -> Vec<Value> {
    data(file).lines().map(|line| serde_json::from_str(line).expect("a JSON document a line")).collect()
}

pub fn integers(list: &Value) -> Vec<u32> {
    list.as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number") as u32).collect()
}

/// A number below `count`.
pub fn pick(rng: &mut Pcg64Mcg, count: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(count)) >> 32) as u32
}

/// The end of one random game.
pub struct End<P> {
    pub playout: P,
    /// `None` if the game goes on after the greatest number of plies.
    pub outcome: Option<Outcome>,
    pub plies: u32,
}

/// Plays a random game to its end.
pub fn play_out<G: Game>(game: &G, state: &G::State, turn: Player, rng: &mut Pcg64Mcg) -> End<G::Playout> {
    let mut playout = game.playout_begin(state, turn);
    let mut plies = 0;
    loop {
        let count = game.legal_actions_playout(&mut playout);
        let outcome = game.take_action_playout(&mut playout, pick(rng, count));
        plies += 1;
        if outcome.is_some() || plies == game.max_plies() {
            return End { playout, outcome, plies };
        }
    }
}

/// The results of `measure` for each of `games` random games; the same on any number of threads.
pub fn sample<G: Game, T: Send>(
    game: &G,
    (state, turn): (&G::State, Player),
    games: u64,
    measure: impl Fn(End<G::Playout>) -> T + Sync,
) -> Vec<T> {
    const BATCH: u64 = 500;
    let batch = |seed: u64| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        (0..BATCH).map(|_| measure(play_out(game, state, turn, &mut rng))).collect::<Vec<T>>()
    };
    (0..games.div_ceil(BATCH)).into_par_iter().flat_map_iter(batch).collect()
}

/// Wins of the first and of the second player, draws, and the sum of plies.
pub fn tally<G: Game>(game: &G, start: (&G::State, Player), games: u64) -> [f64; 4] {
    let ends = sample(game, start, games, |end| (end.outcome.expect("the game ends in time"), end.plies));
    let share = |wanted: Outcome| ends.iter().filter(|(outcome, _)| *outcome == wanted).count() as f64;
    let plies = ends.iter().map(|&(_, plies)| f64::from(plies)).sum();
    [share(Outcome::FirstWins), share(Outcome::SecondWins), share(Outcome::Draw), plies]
}

/// Standard errors between a share seen in `n` games and its true value.
pub fn z_of_share(seen: f64, n: f64, expected: f64) -> f64 {
    (seen / n - expected) / (expected * (1.0 - expected) / n).sqrt()
}

/// The distance of chi-square from its mean, in standard deviations (Wilson and Hilferty's normal approximation).
pub fn z_of_chi_square(chi_square: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    ((chi_square / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// A position `plies` after the start of a random game, or the last one at which a shorter game goes on.
pub fn random_position<G: Game>(game: &G, plies: u32, rng: &mut Pcg64Mcg) -> (G::State, Player) {
    let (mut state, mut turn) = (game.start(), Player::First);
    for _ in 0..plies {
        let legal = legal_actions(game, &state, turn);
        let action = legal[pick(rng, legal.len() as u32) as usize];
        let mut next = state.clone();
        game.take_action(&mut next, turn, action);
        if game.compute_outcome(&next, turn.opponent(), Some(action)).is_some() {
            break;
        }
        (state, turn) = (next, turn.opponent());
    }
    (state, turn)
}

/// Does the player win by taking this action now?
pub fn wins_at_once<G: Game>(game: &G, state: &G::State, player: Player, action: u32) -> bool {
    let mut next = state.clone();
    game.take_action(&mut next, player, action);
    game.compute_outcome(&next, player.opponent(), Some(action)) == Some(player.wins())
}

/// The actions by which the player would win at once.
pub fn wins<G: Game>(game: &G, state: &G::State, player: Player) -> Vec<u32> {
    let mut actions = legal_actions(game, state, player);
    actions.retain(|&action| wins_at_once(game, state, player, action));
    actions
}

pub fn legal_actions<G: Game>(game: &G, state: &G::State, turn: Player) -> Vec<u32> {
    (0..game.max_actions()).filter(|&action| game.is_action_legal(state, turn, action)).collect()
}

/// Games by outcome code and by length.
#[derive(Debug, Clone)]
pub struct Sample {
    pub outcomes: [u64; 4],
    pub lengths: Vec<u64>,
}

impl Sample {
    /// Random games from one position, on all cores; the same ones in every run.
    pub fn draw<G: Game>(game: &G, state: &G::State, turn: Player, games: u64) -> Self
    where
        G::State: Sync,
    {
        const BATCH: u64 = 2000;
        let empty = || Self { outcomes: [0; 4], lengths: vec![0; game.max_plies() as usize + 1] };
        let batch = |seed: u64| {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let mut sample = empty();
            for _ in 0..BATCH {
                let end = play_out(game, state, turn, &mut rng);
                sample.outcomes[Outcome::code(end.outcome) as usize] += 1;
                sample.lengths[end.plies as usize] += 1;
            }
            sample
        };
        (0..games.div_ceil(BATCH)).into_par_iter().map(batch).reduce(empty, Self::merge)
    }

    fn merge(mut self, other: Self) -> Self {
        self.outcomes.iter_mut().zip(other.outcomes).for_each(|(sum, n)| *sum += n);
        self.lengths.iter_mut().zip(other.lengths).for_each(|(sum, n)| *sum += n);
        self
    }

    pub fn games(&self) -> f64 {
        self.outcomes.iter().sum::<u64>() as f64
    }

    pub fn share(&self, outcome: Outcome) -> f64 {
        self.outcomes[outcome as usize] as f64 / self.games()
    }

    /// Mean and variance of the length.
    pub fn length(&self) -> (f64, f64) {
        let moment = |power: i32| {
            let terms =
                self.lengths.iter().enumerate().map(|(n, &games)| (n as f64).powi(power) * games as f64);
            terms.sum::<f64>() / self.games()
        };
        (moment(1), moment(2) - moment(1).powi(2))
    }

    /// Standard errors between a share of this sample and the share `expected` of `of` games (infinite: exact).
    pub fn z_share(&self, outcome: Outcome, expected: f64, of: f64) -> f64 {
        let variance = expected * (1.0 - expected) * (1.0 / self.games() + 1.0 / of);
        z(self.share(outcome) - expected, variance)
    }

    /// Standard errors between the mean length and that of `of` games (infinite: exact).
    pub fn z_length(&self, expected: f64, of: f64) -> f64 {
        let (mean, variance) = self.length();
        z(mean - expected, variance * (1.0 / self.games() + 1.0 / of))
    }

    /// Chi-square of the lengths against those of another sample, as standard errors of a normal variable (the
    /// transformation of Wilson and Hilferty). Lengths that are rare in either sample are put together.
    pub fn z_histogram(&self, other: &[u64]) -> f64 {
        let n = [self.games(), other.iter().sum::<u64>() as f64];
        let mut chi_square = 0.0;
        let mut degrees = -1.0;
        let mut bin = [0.0, 0.0];
        for (i, &mine) in self.lengths.iter().enumerate() {
            bin[0] += mine as f64;
            bin[1] += other.get(i).copied().unwrap_or(0) as f64;
            if bin[0].min(bin[1]) >= 25.0 {
                let difference = bin[0] * (n[1] / n[0]).sqrt() - bin[1] * (n[0] / n[1]).sqrt();
                chi_square += difference.powi(2) / (bin[0] + bin[1]);
                degrees += 1.0;
                bin = [0.0, 0.0];
            }
        }
        z_of_chi_square(chi_square, degrees)
    }
}

/// A difference in standard errors; it must be 0 without variance.
fn z(difference: f64, variance: f64) -> f64 {
    if variance > 0.0 {
        difference / variance.sqrt()
    } else if difference.abs() < 1e-9 {
        0.0
    } else {
        f64::INFINITY
    }
}
