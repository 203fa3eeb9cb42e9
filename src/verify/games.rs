//! Comparison of the built-in games' rules and playouts in WGSL with those in Rust.

use super::checker::{Checker, Compared, Stop, Weight};
use crate::{
    any_game::AnyGame,
    conformance::Conformance,
    engine::Engine,
    error::Result,
    games::{Connect4, Go, Gomoku, Othello},
    rules::Game,
};

pub(super) async fn check(checker: &mut Checker<'_>) -> Result<(), Stop> {
    let go = |size, komi| Go::new(size, komi);
    of_game(checker, "connect4", Weight::Light, Ok(Connect4::default()), 20).await?;
    let tactical = Connect4::default().with_policy("tactical");
    of_game(checker, "connect4, tactical", Weight::Light, tactical, 20).await?;
    of_game(checker, "connect4 3x16", Weight::Heavy, Connect4::new(3, 16), 10).await?;
    of_game(checker, "gomoku", Weight::Heavy, Ok(Gomoku::default()), 8).await?;
    of_game(checker, "gomoku, freestyle", Weight::Heavy, Ok(Gomoku::default().with_freestyle(true)), 4)
        .await?;
    of_game(checker, "othello", Weight::Light, Ok(Othello), 20).await?;
    of_game(checker, "go 9x9", Weight::Heavy, go(9, 7.5), 6).await?;
    of_game(checker, "go 5x5, superko", Weight::Heavy, go(5, 2.5).map(|go| go.with_superko(true)), 6).await?;
    let patterns = |policy: &str| go(9, 7.5)?.with_policy(policy);
    of_game(checker, "go 9x9, tactical", Weight::Heavy, patterns("tactical"), 4).await?;
    of_game(checker, "go 19x19", Weight::Heavy, go(19, 7.5), 1).await
}

async fn of_game(
    checker: &mut Checker<'_>,
    name: &str,
    weight: Weight,
    game: Result<impl Into<AnyGame>>,
    games: u32,
) -> Result<(), Stop> {
    let (engine, game) = (checker.engine, game.map(Into::into));
    checker.run_case(name, weight, async || conform(&game?, games, engine).await).await
}

async fn conform(game: &AnyGame, games: u32, engine: &Engine) -> Result<Compared> {
    let findings = Conformance::of(game).with_games(games).run_on_async(engine).await?;
    Ok(Compared::of(games.into(), findings, |first| first.to_string()))
}
