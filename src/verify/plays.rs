//! Random games: counts compared with the CPU engine's, shares with exact probabilities.

use super::{
    checker::{Checker, Compared, Stop, Weight},
    kernels::midgame,
};
use crate::{
    any_game::AnyGame,
    engine::Engine,
    error::Result,
    games::{Connect4, Go, Gomoku, Othello},
    rollout::{Mapping, RolloutConfig, RolloutReport, Rollouts},
    rules::{Game, Player, Position},
};
use std::ops::ControlFlow;

/// Standard errors that a share may be off: fewer than one seed in a million exceeds this.
const MOST_ERRORS: f64 = 5.0;

/// Counts of random games, which depend on the seed alone.
pub(super) async fn check_rollouts(checker: &mut Checker<'_>) -> Result<(), Stop> {
    let go = |size| Go::new(size, 7.5);
    count(checker, "connect4", Weight::Light, Ok(Connect4::default()), Mapping::Thread, 5000).await?;
    count(checker, "gomoku", Weight::Heavy, Ok(Gomoku::default()), Mapping::Thread, 1000).await?;
    count(checker, "othello", Weight::Light, Ok(Othello), Mapping::Thread, 2000).await?;
    count(checker, "go 9x9", Weight::Heavy, go(9), Mapping::Thread, 200).await?;
    count(checker, "go 9x9, group", Weight::Heavy, go(9), Mapping::Group, 200).await?;
    let patterns = go(9).and_then(|go| go.with_policy("m2"));
    count(checker, "go 9x9, m2, group", Weight::Heavy, patterns, Mapping::Group, 100).await
}

async fn count(
    checker: &mut Checker<'_>,
    name: &str,
    weight: Weight,
    game: Result<impl Into<AnyGame>>,
    mapping: Mapping,
    games: u64,
) -> Result<(), Stop> {
    let (engine, game) = (checker.engine, game.map(Into::into));
    checker
        .run_case(name, weight, async || {
            let game: AnyGame = game?;
            let (position, config) =
                (midgame(&game), RolloutConfig { mapping, seed: 3, ..Default::default() });
            let expected = played(&Engine::cpu(), &position, config.clone(), games).await?;
            let found = played(engine, &position, config, games).await?;
            let [expected, found] = [expected, found].map(|report| counts(&report));
            Ok(Compared::of(games, (expected != found).then_some(found), |found| {
                format!("{found}, expected {expected}")
            }))
        })
        .await
}

async fn played(
    engine: &Engine,
    position: &Position<AnyGame>,
    config: RolloutConfig,
    games: u64,
) -> Result<RolloutReport> {
    let mut rollouts = Rollouts::new_async(engine, position.game().clone(), config).await?;
    rollouts.run_async(position, games, None, |_| ControlFlow::Continue(())).await
}

fn counts(report: &RolloutReport) -> String {
    let RolloutReport { first_wins, second_wins, draws, unfinished, mean_length, mean_score, .. } = report;
    let score = mean_score.map_or(String::new(), |score| format!(", mean score {score}"));
    format!(
        "{first_wins} wins of X, {second_wins} of O, {draws} draws, {unfinished} unfinished, mean length \
         {mean_length}{score}"
    )
}

/// Probabilities of a position under uniformly random play, by exact enumeration in an independent program.
struct Exact {
    name: &'static str,
    /// The probabilities that the player to move wins, and that the game is drawn.
    wins: f64,
    draws: f64,
    games: u64,
}

const SMALL_CONNECT4: Exact =
    Exact { name: "connect4 4x4", wins: 0.280787583594540, draws: 0.483309155334257, games: 40_000 };
const OTHELLO_END: Exact =
    Exact { name: "othello, 10 empty", wins: 0.780995577923538, draws: 0.048075912524383, games: 20_000 };
const OTHELLO_ROWS: [&str; 8] =
    ["OXXXXXXX", ".OOOOOXX", "..OXXXOX", "XOOOXXOX", "OOOOOXOX", "OXXOOOXX", "XOOO.O.X", ".OOX...."];
/// On 2 x 2 points the first player wins all games; their length is 5 + 6 k with the probability (2/3)^k / 3.
const SMALL_GO: (&str, f64, f64, u64) = ("go 2x2", 17.0, 216.0, 5000);

/// Shares of random games compared with exact probabilities.
pub(super) async fn check_exact_play(checker: &mut Checker<'_>) -> Result<(), Stop> {
    let connect4 = Connect4::new(4, 4).map(|game| Position::start(&game.into()));
    share(checker, &SMALL_CONNECT4, connect4).await?;
    let othello = Position::from_board(&Othello.into(), &OTHELLO_ROWS, Player::First);
    share(checker, &OTHELLO_END, othello).await?;
    let (name, mean, variance, games) = SMALL_GO;
    let engine = checker.engine;
    checker
        .run_case(name, Weight::Heavy, async || {
            let position = Position::start(&Go::new(2, 0.0)?.with_max_moves(1000)?.into());
            let report = played(engine, &position, RolloutConfig::default(), games).await?;
            let mut found = compare_share("wins of X", report.first_wins, games, 1.0);
            found.and(compare_mean("mean length", report.mean_length, mean, variance / games as f64));
            Ok(Compared { things: games, ..found })
        })
        .await
}

async fn share(
    checker: &mut Checker<'_>,
    exact: &Exact,
    position: Result<Position<AnyGame>>,
) -> Result<(), Stop> {
    let (engine, games) = (checker.engine, exact.games);
    checker
        .run_case(exact.name, Weight::Light, async || {
            let position = position?;
            let report = played(engine, &position, RolloutConfig::default(), games).await?;
            let wins = [report.first_wins, report.second_wins][position.turn().index()];
            let mut found = compare_share("wins", wins, games, exact.wins);
            found.and(compare_share("draws", report.draws, games, exact.draws));
            Ok(Compared { things: games, ..found })
        })
        .await
}

fn compare_share(what: &str, count: u64, games: u64, expected: f64) -> Compared {
    let variance = expected * (1.0 - expected) / games as f64;
    compare_mean(&format!("share of {what}"), count as f64 / games as f64, expected, variance)
}

/// A mean without variance must be exact.
fn compare_mean(what: &str, found: f64, expected: f64, variance: f64) -> Compared {
    let errors = (found - expected).abs() / variance.sqrt().max(1e-12);
    Compared::of(0, (errors > MOST_ERRORS).then_some(errors), |errors| {
        format!("{what} {found:.6}, expected {expected:.6}: {errors:.1} standard errors off")
    })
}
