//! The rules of the games: against independent programs and exact enumerations, and against their contract.

mod conformance;
mod connect4;
mod eyes;
mod go;
mod gomoku;
mod lists;
mod othello;
pub mod planes;
mod prior;
mod solved;
mod states;
mod superko;
mod texts;
mod urgency;

use crate::support::{play::json_lines, prelude::*};

/// Replays a game of OpenSpiel: the legal actions of every ply, or their number.
fn replay<G: Game>(game: &G, trace: &Value) -> Result<Position<G>, String> {
    let mut position = Position::start(game);
    let legal = trace["legal_per_ply"].as_array().ok_or("no legal actions")?;
    for (action, legal) in integers(&trace["actions"]).into_iter().zip(legal) {
        let found = position.legal_actions();
        let is_same = match legal.as_u64() {
            Some(count) => found.len() as u64 == count,
            None => found == integers(legal),
        };
        if !is_same {
            return Err(format!("legal {found:?}, not {legal}"));
        }
        position.play(action).map_err(|error| error.to_string())?;
    }
    Ok(position)
}

/// The games of a file with their last positions.
fn replays<G: Game>(game: &G, file: &str) -> Vec<(Value, Position<G>)> {
    let replayed = |trace| {
        let position = replay(game, &trace).unwrap_or_else(|error| panic!("{error} in {trace}"));
        (trace, position)
    };
    json_lines(file).into_iter().map(replayed).collect()
}

/// The outcome of a game of OpenSpiel.
fn outcome_of(trace: &Value) -> Outcome {
    let of_first = trace["returns"][0].as_f64().expect("a result");
    [Outcome::SecondWins, Outcome::Draw, Outcome::FirstWins][(of_first + 1.0) as usize]
}

/// Another list of legal actions, and another number of them.
#[test]
fn a_changed_game_of_openspiel_does_not_replay() {
    fn is_refused<G: Game>(game: &G, file: &str, legal: Value) -> bool {
        let mut trace = json_lines(file).remove(0);
        trace["legal_per_ply"][0] = legal;
        replay(game, &trace).is_err()
    }
    assert!(is_refused(&Connect4::default(), "traces_connect_four.jsonl", json!([0, 1, 2, 3, 4, 5])));
    assert!(is_refused(&Gomoku::default(), "traces_gomoku_15x15.jsonl", json!(224)));
}
