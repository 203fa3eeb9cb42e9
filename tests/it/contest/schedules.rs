//! Pairings, and the games that are left to play.

use super::{OneEngine, entrants, match_of, played};
use crate::support::prelude::*;
use mcts_wgpu::contest::{Conduct, Event, Standings, TournamentPart, play_all};
use std::num::NonZeroUsize;

const TEXTS: [&str; 3] = ["vanilla:steps=9", "random", "random:seed=4"];

fn round_robin(games: u64) -> GameSchedule<Connect4> {
    GameSchedule::new(&Connect4::default(), entrants(&TEXTS), games, Vec::new()).expect("a schedule")
}

#[test]
fn sides_alternate_and_all_meet() {
    let planned = round_robin(4).pending(HashSet::new()).collect::<Vec<_>>();
    assert_eq!(planned.len(), 12);
    let mut met = [[0; 3]; 3];
    planned.iter().for_each(|game| met[game.players[0]][game.players[1]] += 1);
    assert_eq!(met, [[0, 2, 2], [2, 0, 2], [2, 2, 0]]);
    let numbers: Vec<_> = planned.iter().map(|game| game.number).collect();
    assert_eq!(numbers, (0..12).collect::<Vec<_>>());
    // More games follow the existing ones.
    assert_eq!(round_robin(6).pending(HashSet::new()).collect::<Vec<_>>()[..12], planned);
}

#[test]
fn openings_are_played_from_both_sides() {
    let game = Connect4::default();
    let opening = |moves: &[&str]| position_after(&game, moves);
    let openings = vec![opening(&["3", "3"]), opening(&["0"])];
    let schedule = GameSchedule::new(&game, entrants(&TEXTS[..2]), 6, openings).expect("a schedule");
    let games = played(&schedule, Default::default(), None);
    let begun: Vec<_> = games
        .iter()
        .map(|game| {
            let opening = game.opening.as_ref().expect("an opening");
            (opening.number, game.moves[..opening.moves].join(","), game.first == TEXTS[0])
        })
        .collect();
    let expected = [(1, "3,3"), (1, "3,3"), (2, "0"), (2, "0"), (1, "3,3"), (1, "3,3")];
    for (place, ((number, moves, a_first), (opening, line))) in begun.into_iter().zip(expected).enumerate() {
        assert_eq!((number, moves.as_str(), a_first), (opening, line, place % 2 == 0));
    }
    assert!(games.iter().all(|game| game.moves.len() == game.reports.len() && game.seconds[0].is_none()));
}

#[test]
fn parts_have_each_game_once() {
    let mut all: Vec<_> = (0..5)
        .flat_map(|index| {
            let part = round_robin(7).part(TournamentPart { index, of: 5 });
            let pending = part.pending(HashSet::new()).collect::<Vec<_>>();
            assert_eq!(part.len(), pending.len() as u64);
            pending
        })
        .collect();
    all.sort_by_key(|game| game.number);
    assert_eq!(all, round_robin(7).pending(HashSet::new()).collect::<Vec<_>>());
    let none = round_robin(1).part(TournamentPart { index: 3, of: 4 });
    assert!(none.is_empty() && none.pending(HashSet::new()).collect::<Vec<_>>().is_empty());
}

#[test]
fn games_that_are_there_are_not_played_again() {
    let schedule = round_robin(2);
    let games = played(&schedule, Default::default(), None);
    let mut noted = HashSet::new();
    for game in [&games[4], &games[0]] {
        schedule.note(game, &mut noted).expect("it is of this tournament");
    }
    let left: Vec<_> = schedule.pending(noted.clone()).map(|game| game.number).collect();
    assert_eq!((left, schedule.left(&noted)), (vec![1, 2, 3, 5], 4));
    let error = schedule.note(&games[0], &mut noted).expect_err("it was noted").to_string();
    assert!(error.contains("game 0 is in the logs twice"), "{error}");
}

#[test]
fn games_of_another_match_are_refused() {
    let schedule = match_of(&Connect4::default(), ["random", "vanilla:steps=9"], 4);
    let game = played(&schedule, Default::default(), None)[1].clone();
    let refused = |other: GameSchedule<Connect4>, parts: &[&str]| {
        let error = other.note(&game, &mut HashSet::new()).expect_err("it is of another match").to_string();
        assert_has(&error, parts);
    };
    let board = connect4_of(5, 7);
    refused(
        match_of(&board, ["random", "vanilla:steps=9"], 4),
        &["the game is connect4 (columns 7, rows 6)", "rows 5"],
    );
    let default = Connect4::default();
    refused(
        match_of(&default, ["random", "vanilla:steps=8"], 4),
        &["first player is 'vanilla:steps=9'", "steps=8"],
    );
    refused(match_of(&default, ["random", "vanilla:steps=9"], 1), &["has a game 1", "number of games is 1"]);
    let opening = vec![position_after(&default, &["3"])];
    let players = entrants(&["random", "vanilla:steps=9"]);
    refused(
        GameSchedule::new(&default, players, 4, opening).expect("a schedule"),
        &["the opening is none instead of 3"],
    );
    let gomoku = match_of(&gomoku_of(7), ["random", "vanilla:steps=9"], 4);
    assert!(gomoku.note(&game, &mut HashSet::new()).is_err());
}

#[test]
fn schedules_that_make_no_sense_are_refused() {
    let game = Connect4::default();
    let over = position_after(&game, &["0", "1", "0", "1", "0", "1", "0"]);
    for (texts, games, openings, said) in [
        (&TEXTS[..1], 2, vec![], "at least two"),
        (&["random", "random"], 2, vec![], "called 'random'"),
        (&TEXTS, 0, vec![], "0 games"),
        (&TEXTS, u64::MAX, vec![], "not too many"),
        (&TEXTS, 2, vec![over], "opening 1 the game is over"),
    ] {
        let error = GameSchedule::new(&game, entrants(texts), games, openings).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn threads_change_nothing() {
    let schedule = round_robin(4);
    let without_times = |conduct: Conduct| -> Vec<_> {
        let games = played(&schedule, conduct, None);
        games.into_iter().map(|game| (game.game_number, game.moves, game.result)).collect()
    };
    let four = Conduct { parallel: NonZeroUsize::new(4).expect("four"), move_limit: None };
    assert_eq!(without_times(Conduct::default()), without_times(four));
}

#[test]
fn an_observer_ends_it() {
    let (schedule, mut games) = (round_robin(1 << 60), 0);
    let pending = schedule.pending(HashSet::new());
    let observe = |event: Event<'_>| {
        games += u64::from(matches!(event, Event::Game(_)));
        if games == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    play_all(&schedule, pending, (&OneEngine::cpu(), Conduct::default()), None, observe).expect("games");
    assert_eq!(games, 3);
}

#[test]
fn standings_have_both_sides() {
    let mut game =
        played(&match_of(&Connect4::default(), ["random", "random:seed=4"], 1), Default::default(), None)
            .remove(0);
    let mut standings = Standings::new([("a".into(), "random".into())]);
    (game.first, game.second) = ("a".into(), "b|c".into());
    for (result, swapped) in [
        (Outcome::FirstWins, false),
        (Outcome::Draw, false),
        (Outcome::FirstWins, true),
        (Outcome::FirstWins, true),
    ] {
        let mut game = game.clone();
        game.result = result;
        if swapped {
            std::mem::swap(&mut game.first, &mut game.second);
        }
        standings.add(&game);
    }
    let pair = standings.pair(0, 1);
    assert_eq!((pair.games, pair.a_wins, pair.b_wins, pair.draws, pair.a_score), (4, 1, 2, 1, Some(0.375)));
    assert_eq!((pair.a_first.score(), pair.a_second.score()), (Some(0.75), Some(0.0)));
    let table = standings.markdown();
    let rows: Vec<_> = table.lines().collect();
    assert!(rows[0].starts_with("| | player | A | B | score | playouts"), "{table}");
    assert!(rows[2].starts_with("| A | a |  | 37.5% (75.0%, 0.0%) | 37.5% | "), "{table}");
    assert!(rows[3].starts_with("| B | b\\|c | 62.5% (100.0%, 25.0%) |  | 62.5% | "), "{table}");
    (game.first, game.second) = ("a".into(), "d".into());
    standings.add(&game);
    let table = standings.markdown();
    assert!(table.starts_with("| | player | A | B | C | score | Elo |"), "{table}");
    assert_eq!(table.matches(" ± ").count(), 3, "{table}");
}
