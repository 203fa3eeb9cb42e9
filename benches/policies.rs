//! A match on 9x9 between searches with different playouts: moves by 3x3 patterns (or M2) against random moves, with
//! equal numbers of playouts: `cargo bench --bench policies -- [GAMES [POLICY [STEPS [ADAPTER]]]]`. All games are
//! played at once, as batches; each player has the first move in half of them.

use mcts_wgpu::{Budget, Config, Engine, Game, Outcome, Player, Position, Search, Variant, games::Go};

/// One tree, one playout a step, and a bound for games of 82 actions: with the constant of the original, a search of so
/// few playouts would visit all actions equally.
const UCB_C: f32 = 0.4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let argument = |at: usize, default: &'static str| arguments.get(at).map_or(default, String::as_str);
    let games: usize = argument(0, "200").parse()?;
    let policy = argument(1, "pattern3x3");
    let steps: u64 = argument(2, "400").parse()?;
    let engine = Engine::open(argument(3, "auto"), None)?;

    let go = Go::new(9, 7.5)?;
    let mut players = [
        Side::new(&engine, go.clone().with_policy(policy)?, games, steps, 1)?,
        Side::new(&engine, go.clone(), games, steps, 2)?,
    ];
    while players[0].games.iter().any(|game| game.outcome().is_none()) {
        for side in [0, 1] {
            let chosen = players[side].choose(side)?;
            play(&mut players, &chosen)?;
        }
    }
    report(&players[0].games, policy, steps, engine.info().adapter.as_str());
    Ok(())
}

/// A player, and its view of the games.
struct Side {
    search: Search<Go>,
    games: Vec<Position<Go>>,
    steps: u64,
}

impl Side {
    fn new(engine: &Engine, game: Go, games: usize, steps: u64, seed: u64) -> mcts_wgpu::Result<Self> {
        let config = Config {
            variant: Variant::OCP_THRIFTY,
            trees: 1,
            playouts: 1,
            ucb_c: UCB_C,
            seed,
            ..Config::paper()
        };
        let start = Position::start(&game);
        Ok(Self { search: Search::with_config(engine, game, config)?, games: vec![start; games], steps })
    }

    /// Its moves in the games where it is its turn. Side 0 is Black in even games, side 1 in odd ones.
    fn choose(&mut self, side: usize) -> mcts_wgpu::Result<Vec<(usize, u32)>> {
        let wanted = |index: usize, game: &Position<Go>| {
            let mine = if index % 2 == side { Player::First } else { Player::Second };
            game.outcome().is_none() && game.turn() == mine
        };
        let places: Vec<usize> =
            (0..self.games.len()).filter(|&index| wanted(index, &self.games[index])).collect();
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let positions: Vec<_> = places.iter().map(|&index| self.games[index].clone()).collect();
        let reports = self.search.run_batch(&positions, Budget::steps(self.steps))?;
        let best = reports.iter().filter_map(|report| report.best.as_ref().map(|best| best.index));
        Ok(places.into_iter().zip(best).collect())
    }
}

fn play(players: &mut [Side; 2], chosen: &[(usize, u32)]) -> mcts_wgpu::Result<()> {
    for player in players {
        for &(game, action) in chosen {
            player.games[game].play(action)?;
        }
    }
    Ok(())
}

fn report(games: &[Position<Go>], policy: &str, steps: u64, adapter: &str) {
    let won = |first: usize, outcome: Outcome| {
        games.iter().skip(first).step_by(2).filter(|game| game.outcome() == Some(outcome)).count()
    };
    let (black, white) = (won(0, Outcome::FirstWins), won(1, Outcome::SecondWins));
    let share = (black + white) as f64 / games.len() as f64;
    let error = (share * (1.0 - share) / games.len() as f64).sqrt();
    println!(
        "{} against random, {steps} playouts a move, {} games on {adapter}: won {} ({:.1} % +- {:.1}): \
         {black} of {} as Black, {white} of {} as White",
        policy,
        games.len(),
        black + white,
        100.0 * share,
        196.0 * error,
        games.len().div_ceil(2),
        games.len() / 2,
    );
}
