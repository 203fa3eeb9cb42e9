//! Games of Go that are scored without dead stones.

use super::{entrants, replay};
use crate::support::prelude::*;
use mcts_wgpu::contest::Scoring;

/// White is ahead by half a point as long as its stone counts, which can't live.
fn go() -> Go {
    go_of(5, 21.5)
}

/// Black's walls around White's stone at C3; Black has passed.
fn walls() -> Position<Go> {
    let black = "B1 D1 A2 B2 C2 D2 E2 A3 E3 A4 B4 C4 D4 E4 B5 D5";
    let mut moves: Vec<_> = black.split(' ').flat_map(|stone| [stone, "pass"]).collect();
    moves.splice(moves.len() - 1.., ["C3", "pass"]);
    position_after(&go(), &moves)
}

fn schedule(players: [&str; 2], scoring: Scoring) -> GameSchedule<Go> {
    let schedule = GameSchedule::new(&go(), entrants(&players), 1, vec![walls()]).expect("a schedule");
    schedule.scored_by(scoring)
}

fn played(players: [&str; 2], scoring: Scoring) -> LoggedGame {
    super::played(&schedule(players, scoring), Default::default(), None).remove(0)
}

fn difference(logged: &LoggedGame) -> Option<String> {
    let replayed = replay(&go(), logged, &Engine::cpu());
    replayed.expect("a replay").difference.map(|difference| difference.what)
}

#[test]
fn a_match_is_scored_as_its_schedule_says() {
    let players = ["gtp:a", "gtp:b"];
    let as_it_stands = played(players, Scoring::Area);
    assert_eq!((as_it_stands.result, as_it_stands.scoring), (Outcome::SecondWins, Some(Scoring::Area)));
    let settled = played(players, Scoring::DeadStones);
    assert_eq!((settled.result, settled.scoring), (Outcome::FirstWins, Some(Scoring::DeadStones)));
    assert_eq!((&settled.dead[..], &as_it_stands.dead[..]), (&["C3".to_owned()][..], &[][..]));
    let text = serde_json::to_string(&settled).expect("JSON");
    assert!(text.contains(r#""scoring":"dead-stones","dead":["C3"]"#), "{text}");
    for logged in [&settled, &as_it_stands] {
        assert_eq!(difference(logged), None);
    }
    let other_stones = LoggedGame { dead: vec!["B1".into()], ..settled.clone() };
    let message = difference(&other_stones).expect("another stone");
    assert_eq!(message, "the dead stones are B1 in the log, and now C3");
    let other_result = LoggedGame { result: Outcome::SecondWins, ..settled.clone() };
    assert!(difference(&other_result).expect("another result").contains("first"));
    let other_scoring = LoggedGame { scoring: None, dead: Vec::new(), ..settled };
    assert!(difference(&other_scoring).expect("another scoring").contains("second"));
}

#[test]
fn a_log_goes_on_with_its_scoring_alone() {
    let players = ["gtp:a", "gtp:b"];
    let mut logged = played(players, Scoring::Area);
    // As in logs of earlier versions.
    logged.scoring = None;
    let note = |scoring| schedule(players, scoring).note(&logged, &mut HashSet::new());
    assert!(note(Scoring::Area).is_ok());
    let message = note(Scoring::DeadStones).expect_err("another scoring").to_string();
    assert!(message.contains("the scoring is area instead of dead-stones"), "{message}");
}

/// A pass of White's wins as the board stands, and loses without the stone at C3.
#[test]
fn searches_use_the_scoring_of_the_game() {
    let players = ["gtp:passes", "acp-prodigal:steps=20,trees=2,playouts=16,resign=0"];
    let logged = played(players, Scoring::DeadStones);
    assert_eq!(logged.result, Outcome::FirstWins);
    // White plays on, by a search that the replay repeats.
    let first = walls().moves().len();
    assert!(logged.moves[first] != "pass" && logged.reports[first].is_some(), "{:?}", logged.moves);
    assert_eq!(difference(&logged), None);
    let as_it_stands = LoggedGame { scoring: Some(Scoring::Area), ..logged };
    assert!(difference(&as_it_stands).is_some());
}
