//! Players that are programs: whole games through pipes.

use crate::support::prelude::*;
use mcts_wgpu::{
    Result,
    contest::Choice,
    protocols::{ExternalGomocup, ExternalGtp},
};

type Player<'a, G> = &'a mut dyn FnMut(&Position<G>) -> Result<Choice>;

pub fn play_out<G: Game>(mut position: Position<G>, players: [Player<'_, G>; 2]) -> Position<G> {
    while position.outcome().is_none() {
        let action = players[position.turn().index()](&position).expect("a move").action;
        position.play(action).expect("a legal move");
    }
    position
}

/// The program as a server, with short searches.
fn server(arguments: &str) -> String {
    let program = env!("CARGO_BIN_EXE_mcts-wgpu");
    format!("'{program}' {arguments} --adapter cpu --trees 1 --playouts 1 --steps 2")
}

fn gtp(arguments: &str) -> ExternalGtp {
    ExternalGtp::new(server(&format!("gtp {arguments}")), None)
}

/// Two games between two servers, the second one with the same processes.
fn two_games<G: Game>(game: &G, arguments: &str) -> [Position<G>; 2] {
    let (mut one, mut other) = (gtp(arguments), gtp(arguments));
    let mut play = || {
        let start = Position::start(game);
        one.begin(&start).expect("the game begins");
        other.begin(&start).expect("the game begins");
        play_out(start, [&mut |position| one.choose(position), &mut |position| other.choose(position)])
    };
    [play(), play()]
}

#[test]
fn whole_games_are_played_by_gtp() {
    // The server's own size differs: the player sends the size.
    two_games(&go_of(5, 0.5), "--size 9 --komi 7.5");
    two_games(&Go::rectangular(3, 6, 0.5).expect("a board"), "--size 9 --komi 7.5");
    two_games(&gomoku_of(10), "--game gomoku");
    two_games(&Gomoku::rectangular(5, 8).expect("a board"), "--game gomoku --rows 6");
    two_games(&Othello, "--game othello");
    two_games(&Connect4::default(), "--game connect4");
}

#[test]
fn games_begin_where_an_opening_ends_and_go_on_after_moves_are_taken_back() {
    let go = go_of(5, 7.5);
    let mut player = gtp("");
    let mut position = position_after(&go, &["C3", "B2", "D4"]);
    player.begin(&position).expect("the game begins");
    let action = player.choose(&position).expect("a move").action;
    position.play(action).expect("a legal move");
    // A line that the engine does not know yet.
    let other = position_after(&go, &["A1", "B2"]);
    let action = player.choose(&other).expect("a move").action;
    assert!(other.legal_actions().contains(&action));
    let board = Position::from_board(&go, &[".....", ".....", "..X..", ".....", "....."], position.turn());
    assert_bad(player.begin(&board.expect("a board")), "given as a board");
}

#[test]
fn whole_games_are_played_by_gomocup() {
    for freestyle in [true, false] {
        let gomoku = gomoku_of(10).with_freestyle(freestyle);
        let mut one = ExternalGomocup::new(server("gomocup"), Some(Duration::from_secs(60)));
        let mut other = ExternalGomocup::new(server("gomocup"), None);
        for opening in [&[][..], &["A1", "B2", "C5"], &["D4"]] {
            let start = position_after(&gomoku, opening);
            one.begin(&start).expect("the game begins");
            other.begin(&start).expect("the game begins");
            let players: [Player<'_, Gomoku>; 2] =
                [&mut |position| one.choose(position), &mut |position| other.choose(position)];
            play_out(start, players);
        }
        // Other sizes with the same player.
        for (rows, columns, middle) in [(5, 5, 12), (6, 9, 31)] {
            let small = Position::start(&Gomoku::rectangular(rows, columns).expect("a board"));
            one.begin(&small).expect("the game begins");
            assert_eq!(one.choose(&small).expect("a move").action, middle);
        }
    }
}

#[test]
fn gomocup_is_for_gomoku() {
    let mut player = ExternalGomocup::new(server("gomocup"), None);
    let refused = player.begin(&Position::start(&Othello)).expect_err("no gomoku");
    assert_eq!(refused.to_string(), "Gomocup programs play gomoku only, not othello");
}

#[test]
fn commands_that_cannot_be_started_are_refused() {
    for (command, part) in [
        ("/nonexistent/engine --mode gtp", "'/nonexistent/engine' can't be started"),
        ("", "no command"),
        ("'gnugo", "a quote of this command has no end"),
    ] {
        assert_bad(ExternalGtp::new(command, None).begin(&Position::start(&Othello)), part);
    }
}

/// Debian's packages gnugo and grhino.
#[test]
#[ignore = "needs gnugo and gtp-rhino: run it with --ignored where they are installed"]
fn whole_games_are_played_against_other_programs() {
    fn against<G: Game>(game: &G, arguments: &str, command: &str) -> [Option<Outcome>; 2] {
        let limit = Duration::from_secs(10);
        let mut own = ExternalGtp::new(
            format!("'{}' gtp {arguments} --adapter cpu --time 0.2", env!("CARGO_BIN_EXE_mcts-wgpu")),
            None,
        );
        let mut other = ExternalGtp::new(command, Some(limit));
        let mut play = |own_begins: bool| {
            let start = Position::start(game);
            own.begin(&start).expect("the game begins");
            other.begin(&start).expect("the game begins");
            let mut resigned = |position: &Position<G>| match other.choose(position) {
                Err(error) if error.is_resigned() => Err(error),
                chosen => Ok(chosen.expect("a move")),
            };
            let mut position = start;
            while position.outcome().is_none() {
                let own_turn = position.moves().len().is_multiple_of(2) == own_begins;
                let chosen =
                    if own_turn { Ok(own.choose(&position).expect("a move")) } else { resigned(&position) };
                let Ok(Choice { action, .. }) = chosen else {
                    return Some(position.turn().opponent().wins());
                };
                position.play(action).expect("a legal move");
            }
            println!("{} moves, {:?}\n{position}", position.moves().len(), position.outcome());
            position.outcome()
        };
        [play(true), play(false)]
    }
    let go = go_of(9, 7.5);
    let gnugo = against(&go, "", "/usr/games/gnugo --mode gtp --level 1 --chinese-rules");
    let rhino = against(&Othello, "--game othello", "/usr/games/gtp-rhino");
    assert!(gnugo.into_iter().chain(rhino).all(|outcome| outcome.is_some()));
}
