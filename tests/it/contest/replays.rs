//! A replay finds logged games again on every engine, and reports differences.

use super::{match_of, played, replay};
use crate::support::prelude::*;
use mcts_wgpu::contest::{Fault, Resigned};

const SEARCHES: [&str; 2] =
    ["acp-prodigal:steps=12,trees=3,playouts=4,seed=3,reuse=true", "ocp-thrifty:steps=9,trees=2,playouts=8"];

/// One game between two searches; the first of them plays second.
fn short_game() -> LoggedGame {
    let game = Connect4::default();
    let mut games = played(&match_of(&game, SEARCHES, 2), Default::default(), None);
    games.remove(1)
}

fn replayed(game: &LoggedGame) -> Option<String> {
    let found = replay(&Connect4::default(), game, &Engine::cpu());
    found.expect("a replay").difference.map(|difference| difference.to_string())
}

#[test]
fn games_come_out_the_same_on_every_engine() {
    let logged = short_game();
    each_engine(|engine| {
        let found = replay(&Connect4::default(), &logged, engine).expect("a replay");
        assert_eq!((found.difference, found.moves), (None, logged.moves.len() as u64));
        assert!(found.values >= 4 * found.moves);
    });
}

#[test]
fn vanilla_is_searched_again_and_random_play_is_not() {
    let game = go_of(3, 0.5).with_superko(true);
    for logged in played(&match_of(&game, ["vanilla:steps=40", "random"], 2), Default::default(), None) {
        let text = serde_json::to_string(&logged).expect("JSON");
        let logged: LoggedGame = serde_json::from_str(&text).expect("JSON");
        let found = replay(&game, &logged, &Engine::cpu()).expect("a replay");
        assert!(found.difference.is_none() && found.moves > 0, "{found:?}");
        assert_eq!(found.moves, logged.reports.iter().flatten().count() as u64);
    }
}

/// The replay sets the sizes of the log, for which the default policy would be another one.
#[test]
fn default_policies_are_replayed() {
    let game = go_of(5, 2.5);
    for logged in played(&match_of(&game, ["default:steps=15", "random"], 2), Default::default(), None) {
        let found = replay(&game, &logged, &Engine::cpu()).expect("a replay");
        assert!(found.difference.is_none() && found.moves > 0, "{found:?}");
        let mut reports = logged.reports.iter().flatten();
        assert!(reports.all(|report| report["policy"] == "tactical"));
    }
}

#[test]
fn a_search_by_an_evaluator_cant_be_replayed() {
    let mut logged = short_game();
    for report in logged.reports.iter_mut().flatten() {
        report["exact"] = json!(false);
        report["net"] = json!("mine");
    }
    let found = replay(&Connect4::default(), &logged, &Engine::cpu());
    let message = found.expect_err("it is refused").to_string();
    assert!(message.contains("the evaluator mine evaluated its leaves"), "{message}");
}

#[test]
fn every_value_is_compared() {
    let logged = short_game();
    assert_eq!(replayed(&logged), None);
    // Trees have only the most urgent actions.
    let ply = logged.moves.len() - 1;
    let first =
        logged.reports[ply].as_ref().expect("a report")["actions"][0]["name"].as_str().expect("a name");
    for (path, value, said) in [
        ("/actions/0/n", json!(1), "n of action 0 is 1 in the log"),
        ("/actions/0/n_wins", json!(1.5), "n_wins of action 0 is 1.5"),
        ("/actions/0/q", json!(0.123), "q of action 0 is 0.123"),
        ("/actions/0/q", json!(null), "q of action 0 is null"),
        ("/actions/0/index", json!(99), "index of action 0 is 99"),
        ("/best/index", json!(99), "index of the best action, "),
        ("/best/q", json!(0.25), "q of the best action, "),
        ("/actions", json!([]), "the log has 0 actions"),
        ("/performance/steps", json!(null), "number of steps is not in the log"),
    ] {
        let mut changed = logged.clone();
        let report = changed.reports[ply].as_mut().expect("a report");
        *report.pointer_mut(path).expect("it is there") = value;
        let difference = replayed(&changed).unwrap_or_else(|| panic!("{path} was not compared"));
        let said = said.replace("action 0", &format!("action {first}"));
        assert!(difference.contains(&said), "{difference}");
        assert!(difference.starts_with(&format!("game 1, move {} by '", ply + 1)), "{difference}");
    }
    // Other steps, another seed, trees without reuse.
    let mut changed = logged.clone();
    changed.reports[0].as_mut().expect("a report")["performance"]["steps"] = json!(8);
    assert!(replayed(&changed).is_some());
    for (from, to) in [("seed=3", "seed=4"), ("reuse=true", "reuse=false"), ("trees=3", "trees=2")] {
        let mut changed = logged.clone();
        changed.second_player = changed.second_player.replace(from, to);
        assert!(replayed(&changed).is_some(), "{from}");
    }
}

#[test]
fn logs_that_make_no_sense_are_refused() {
    let logged = short_game();
    let refused = |change: &dyn Fn(&mut LoggedGame), said: &str| {
        let mut changed = logged.clone();
        change(&mut changed);
        let found = replay(&Connect4::default(), &changed, &Engine::cpu());
        let error = found.expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    };
    refused(&|game| game.game = "othello".into(), "one of othello (columns 7, rows 6), and not of connect4");
    refused(&|game| game.moves[0] = "9".into(), "game 1 of the log: '9' is no action");
    refused(&|game| game.first_player = "nobody".into(), "unknown player 'nobody'");
}

/// A result follows from the moves, or is the loss of a player that resigned or was at fault before.
#[test]
fn results_that_contradict_the_moves_are_found() {
    let mut logged = short_game();
    logged.reports = vec![None; logged.moves.len()];
    let turn = [Player::First, Player::Second][(logged.moves.len() - 1) % 2];
    let won_by = Player::wins;
    let lost = won_by(turn.opponent());
    let resigned = |by| Some(Resigned { by, seconds: 0.0, report: None });
    let fault = |by| Some(Fault { by, what: "was late".into() });
    let of = |moves: usize, result, resigned, fault| {
        let mut changed = LoggedGame { result, resigned, fault, ..logged.clone() };
        changed.moves.truncate(moves);
        changed.reports.truncate(moves);
        replayed(&changed)
    };
    let (all, result) = (logged.moves.len(), logged.result);
    for (moves, result, resigned, fault) in [
        (all, result, None, None),
        (all - 1, lost, resigned(turn), None),
        (all - 1, lost, None, fault(turn)),
        (all - 1, won_by(turn), None, fault(turn.opponent())),
        (0, Outcome::FirstWins, None, fault(Player::Second)),
    ] {
        assert_eq!(of(moves, result, resigned, fault), None);
    }
    let others = (1..=3).filter_map(Outcome::from_code).filter(|other| *other != result);
    for other in others {
        let said = of(all, other, None, None).expect("another result");
        assert!(
            said.contains(&format!(
                "the result is {} in the log, and after its moves it is {}",
                other.name(),
                result.name()
            )),
            "{said}"
        );
    }
    let by = turn.symbol();
    for (moves, result, resigned, fault, part) in [
        (all - 1, result, None, None, "after its moves the game goes on".into()),
        (all, lost, resigned(turn), None, format!("after its moves it is {}", result.name())),
        (all, lost, None, fault(turn), format!("after its moves it is {}", result.name())),
        (all - 1, won_by(turn), resigned(turn), None, format!("{by} is to move, and {by} has given up")),
        (all - 1, Outcome::Draw, None, fault(turn), format!("{by} is to move, and {by} is at fault")),
        (all - 1, won_by(turn), resigned(turn.opponent()), None, format!("{by} is to move, and ")),
    ] {
        let said = of(moves, result, resigned, fault).unwrap_or_else(|| panic!("no word of: {part}"));
        assert!(said.contains(&part), "'{part}' is missed in: {said}");
    }
}
