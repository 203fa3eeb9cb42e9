//! Games of logs as SGF and as lines of moves.

use crate::{
    cli::{
        failure::{Failure, Result},
        play::{logged::record_of, saved::sgf_record},
    },
    contest::LoggedGame,
    names::visible,
    rules::{Game, Player},
};

/// A logged game as SGF, with its players and its result.
pub fn to_sgf<G: Game>(logged: &LoggedGame, game: &G) -> Result<String> {
    let written = sgf_record(&record_of(logged, game)?);
    let mut written = written
        .ok_or_else(|| Failure::message(format!("SGF is for go, not for {}: use --text", game.name())))?;
    written.players = [Some(logged.first.clone()), Some(logged.second.clone())];
    let lost_by = |player: Player, how: &str| format!("{}+{how}", ["W", "B"][player.index()]);
    written.result = match (&logged.resigned, &logged.fault) {
        (Some(resigned), _) => Some(lost_by(resigned.by, "R")),
        (_, Some(fault)) => Some(lost_by(fault.by, "F")),
        _ => written.result,
    };
    Ok(written.to_sgf())
}

/// A logged game as a comment with its players and its result, and a line of its moves, as in files of openings.
pub fn to_text<G: Game>(logged: &LoggedGame, game: &G) -> Result<String> {
    record_of(logged, game)?;
    let LoggedGame { game_number, first, second, result, .. } = logged;
    let how = match (&logged.resigned, &logged.fault) {
        (Some(_), _) => ", by resignation".into(),
        (_, Some(_)) => ", by a fault of the opponent".into(),
        _ if logged.dead.is_empty() => String::new(),
        _ => format!(", without the dead stones {}", visible(&logged.dead.join(" "))),
    };
    let (first, second, moves) = (visible(first), visible(second), logged.moves.join(","));
    Ok(format!("# game {game_number}: {first} against {second}: {}{how}\n{moves}\n", result.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::Go, patterns::records::read_games};
    use serde_json::json;

    fn logged(end: &str, end_value: serde_json::Value) -> LoggedGame {
        let game = json!({
            "version": "0.1.0", "game": "go", "rules": {"komi": 0.5, "max_moves": 200, "size": 5, "superko": false},
            "game_number": 7, "first": "a]b\\", "second": "c", "first_player": "random",
            "second_player": "random", "opening": null, "moves": ["C3", "pass", "A1"], "result": "first",
            "fault": null, "seconds": [null, 0.5, 1.0], "reports": [null, null, null],
        });
        let mut game = game;
        game[end] = end_value;
        serde_json::from_value(game).expect("a game of a log")
    }

    #[test]
    fn a_logged_game_is_sgf_with_players_and_result() {
        let game = Go::new(5, 0.5).expect("a board");
        for (end, value, result) in [
            ("resigned", json!({"by": "O", "seconds": 0.5, "report": null}), Some("B+R")),
            ("fault", json!({"by": "X", "what": "was silent"}), Some("W+F")),
            ("fault", json!(null), None),
        ] {
            let logged = logged(end, value);
            let sgf = to_sgf(&logged, &game).expect("SGF");
            let read = read_games(&sgf).remove(0).expect("good SGF");
            assert_eq!(read.players, [Some("a]b\\".into()), Some("c".into())], "{sgf}");
            assert_eq!((read.result.as_deref(), read.komi), (result, Some(0.5)), "{sgf}");
            let moves: Vec<_> =
                read.moves().expect("moves").into_iter().map(|action| game.action_name(action)).collect();
            assert_eq!(moves, logged.moves);
            assert!(to_text(&logged, &game).expect("text").ends_with("\nC3,pass,A1\n"));
        }
        let mut settled = logged("dead", json!(["A1"]));
        settled.moves = ["C3", "A1", "pass", "pass"].map(String::from).into();
        let [sgf, text] = [to_sgf(&settled, &game), to_text(&settled, &game)].map(|it| it.expect("a game"));
        // White's stone counts no point.
        assert!(sgf.contains("RE[B+24.5]"), "{sgf}");
        assert!(text.contains(": first, without the dead stones A1\n"), "{text}");
        settled.dead = vec!["Z9".into()];
        assert!(to_sgf(&settled, &game).is_err());
        let other = Go::new(5, 6.5).expect("a board");
        assert!(to_sgf(&logged("fault", json!(null)), &other).is_err());
    }
}
