//! The networks of the crate: each fits its game, and is better than playouts.

use super::proofs::{Scored, scored};
use crate::support::prelude::*;

fn searches<G: Game>(game: &G, name: &str) {
    let settings = Settings { net: Some(name.into()), ..Settings::default() };
    let mut search = Search::new(&Engine::cpu(), game.clone(), settings).expect("the network suits the game");
    let report = search.steps(&Position::start(game), 2);
    assert_eq!(report.net.as_deref(), Some(name));
}

#[test]
fn networks_suit_their_games() {
    for name in Network::names() {
        match name {
            "connect4" => searches(&Connect4::default(), name),
            "gomoku" => searches(&Gomoku::default(), name),
            "othello" => searches(&Othello, name),
            "go" => searches(&go_of(9, 7.5), name),
            _ => panic!("there is no game {name}"),
        }
    }
    let error = Network::named_or_read("./connect4").expect_err("there is no such file").to_string();
    assert!(error.contains("./connect4"), "{error}");
}

/// 200 evaluations a move, positions of the opening with published scores. A random network keeps the value of fewer
/// than 45 of them.
#[test]
fn the_network_of_connect4_keeps_the_values_of_openings() {
    let sets: Vec<Scored> = scored("begin-medium").into_iter().take(60).collect();
    let positions: Vec<_> = sets.iter().map(|scored| scored.position.clone()).collect();
    let settings = Settings { net: Some("connect4".into()), ..Settings::default() };
    let reports = search_by(&Engine::cpu(), Connect4::default(), settings).batch(&positions, 25);
    let is_kept = |(scored, report): (&Scored, &mcts_wgpu::Report)| {
        let best = scored.scores.iter().flatten().max().expect("there is a move");
        let chosen = report.best.as_ref().expect("there is a move").index;
        scored.scores[chosen as usize].is_some_and(|score| score.signum() == best.signum())
    };
    let kept = sets.iter().zip(&reports).filter(|&pair| is_kept(pair)).count();
    assert!(kept >= 57, "{kept} of 60");
}
