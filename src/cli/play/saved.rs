//! Saved games: JSON for every game, SGF for Go, logs of matches.

use super::{logged, record::Record};
use crate::{
    cli::{
        failure::{Failure, Result},
        output::notice,
        position::parse_player,
    },
    games::{Go, Gomoku},
    input::read_file,
    patterns::records::{GameRecord, RecordEvent, read_games},
    protocols::lead,
    rules::{Game, Player, Position},
};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path, time::Duration};

/// The greatest size of a saved game in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// The greatest length of a board in characters.
const LONGEST_BOARD: usize = 1024;

/// The JSON of a game.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    version: String,
    game: String,
    /// Of Go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    komi: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    superko: Option<bool>,
    /// Of Gomoku.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    freestyle: Option<bool>,
    /// The first position: rows joined by '/', top row first.
    board: String,
    /// The player to move in it: X or O.
    turn: String,
    moves: Vec<SavedMove>,
    /// The person's side.
    person: Option<String>,
    result: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedMove {
    name: String,
    /// The time of the move.
    seconds: Option<f64>,
}

/// A game, and the person's side if the file has it.
pub type Loaded<G> = (Record<G>, Option<Player>);

/// Writes a game to a file. An existing file is replaced only with `again`.
pub fn save<G: Game>(path: &Path, record: &Record<G>, person: Player, again: bool) -> Result<()> {
    if !again && path.exists() {
        return Err(Failure::message(format!("{} exists already: give another name", path.display())));
    }
    let text = match is_sgf(path) {
        true => to_sgf(record)?,
        false => to_json(record, person)?,
    };
    fs::write(path, text).map_err(|why| Failure::message(format!("can't write {}: {why}", path.display())))
}

/// Reads a file of [`save`], SGF of other programs, or a game of a match's log: the one with `number`, or the first.
/// The game's sizes and rules must be those of `game`.
pub fn load<G: Game>(path: &Path, number: Option<u64>, game: &G) -> Result<Loaded<G>> {
    if logged::is_log(path) {
        return Ok((logged::load(path, number, game)?, None));
    }
    if number.is_some() {
        return Err(Failure::message(format!("{} is not a log: leave out --load-game", path.display())));
    }
    let bytes = read_file(path, MOST_BYTES)
        .map_err(|why| Failure::message(format!("can't read {}: {why}", path.display())))?;
    parse(&bytes, game).map_err(|failure| failure.of(path.display()))
}

/// Parses JSON or SGF.
fn parse<G: Game>(bytes: &(impl AsRef<[u8]> + ?Sized), game: &G) -> Result<Loaded<G>> {
    let text = String::from_utf8_lossy(bytes.as_ref());
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    match (is_json, text.contains("(;")) {
        (true, _) => from_json(&text, game),
        (_, true) => Ok((from_sgf(bytes.as_ref(), game)?, None)),
        _ => Err(Failure::message("this is not a saved game: give JSON, '{...}', or SGF, '(;...)'")),
    }
}

fn is_sgf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"))
}

fn result_of<G: Game>(record: &Record<G>) -> Option<String> {
    record.end().outcome().map(|outcome| outcome.to_string())
}

// --- JSON --------------------------------------------------------------------------------------------------

fn to_json<G: Game>(record: &Record<G>, person: Player) -> Result<String> {
    let first = record.first();
    let game = first.game();
    let go: Option<&Go> = game.as_any().downcast_ref();
    let moves = record.moves().map(|(action, time)| SavedMove {
        name: game.action_name(action),
        seconds: time.map(|time| time.as_secs_f64()),
    });
    let saved = Saved {
        version: env!("CARGO_PKG_VERSION").into(),
        game: game.name().into(),
        komi: go.map(Go::komi),
        superko: go.map(Go::superko),
        freestyle: freestyle_of(game),
        board: game.board_rows(first.state()).join("/"),
        turn: first.turn().symbol().into(),
        moves: moves.collect(),
        person: Some(person.symbol().into()),
        result: result_of(record),
    };
    Ok(serde_json::to_string_pretty(&saved).map_err(Failure::message)? + "\n")
}

/// The first position of a game. The start of the game is recognized without parsing, which some games do not support.
fn first_position<G: Game>(board: &str, turn: Player, game: &G) -> Result<Position<G>> {
    let start = Position::start(game);
    if turn == start.turn() && board == game.board_rows(start.state()).join("/") {
        return Ok(start);
    }
    if board.len() > LONGEST_BOARD {
        return Err(Failure::message("board: it is too large for any game"));
    }
    let rows: Vec<&str> = board.split('/').collect();
    Position::from_board(game, &rows, turn).map_err(|why| Failure::from(why).of("board"))
}

fn from_json<G: Game>(text: &str, game: &G) -> Result<Loaded<G>> {
    let saved: Saved = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|why| Failure::message(format!("this is not a saved game: {why}")))?;
    if !saved.game.eq_ignore_ascii_case(game.name()) {
        let what = format!("this is a game of {}, not of {}", shortened(&saved.game), game.name());
        return Err(Failure::message(what));
    }
    let player = |name: &str| parse_player(name).map_err(Failure::message);
    let first = first_position(&saved.board, player(&saved.turn).map_err(|why| why.of("turn"))?, game)?;
    check_rules(&first, saved.komi, saved.superko)?;
    if let Some(freestyle) = freestyle_of(game) {
        check_switch(("freestyle rules", "--freestyle"), saved.freestyle, freestyle)?;
    }
    let mut record = Record::new(&first)?;
    for (number, step) in (1..).zip(&saved.moves) {
        let at = |why: crate::error::Error| Failure::from(why).of(format!("move {number}"));
        let action = record.now().parse_action(&shortened(&step.name)).map_err(at)?;
        let time = step.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        record.play(action, time)?;
    }
    let person = saved.person.as_deref().map(player).transpose().map_err(|why| why.of("person"))?;
    Ok((record, person))
}

/// A text of a file, shortened for messages.
fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(20).collect()
}

/// Checks that the saved rules of Go are those of the program's options.
fn check_rules<G: Game>(position: &Position<G>, komi: Option<f32>, superko: Option<bool>) -> Result<()> {
    let Some(go) = position.game().as_any().downcast_ref::<Go>() else { return Ok(()) };
    match komi {
        Some(komi) if komi != go.komi() => Err(Failure::message(format!(
            "the saved game has komi {komi} instead of {}: start with --komi {komi}",
            go.komi()
        ))),
        _ => check_switch(("superko", "--superko"), superko, go.superko()),
    }
}

/// Checks that a rule, which an option switches on, is the same in the saved game, if that has it.
fn check_switch((rule, option): (&str, &str), saved: Option<bool>, here: bool) -> Result<()> {
    match saved {
        Some(true) if !here => Err(Failure::message(format!("the game has {rule}: start with {option}"))),
        Some(false) if here => {
            Err(Failure::message(format!("the game has no {rule}: start without {option}")))
        }
        _ => Ok(()),
    }
}

/// Whether more than five in line win; `None` for games other than Gomoku.
fn freestyle_of<G: Game>(game: &G) -> Option<bool> {
    game.as_any().downcast_ref().map(Gomoku::freestyle)
}

// --- SGF ---------------------------------------------------------------------------------------------------

fn to_sgf<G: Game>(record: &Record<G>) -> Result<String> {
    let name = record.first().game().name();
    let written = sgf_record(record).ok_or_else(|| {
        Failure::message(format!("SGF is for go, not for {name}: give a name that ends in .json"))
    })?;
    Ok(written.to_sgf())
}

/// The SGF record of a game of Go; `None` for other games.
pub fn sgf_record<G: Game>(record: &Record<G>) -> Option<GameRecord> {
    let positions = record.positions().iter().map(Position::of_type).collect::<Option<Vec<_>>>()?;
    let mut written = GameRecord::of(&positions);
    // The record may have no move that names the player.
    if record.first().turn() == Player::Second
        && let Some(RecordEvent::Setup { turn, .. }) = written.events.first_mut()
    {
        *turn = Some(Player::Second);
    }
    written.result = record.now().outcome().and_then(|_| lead(record.end()));
    Some(written)
}

/// The way to a game on the record's board, where that is another one.
fn other_size(record: &GameRecord, go: &Go) -> String {
    match (record.rows, record.columns) {
        sides if sides == (go.rows(), go.columns()) => String::new(),
        (rows, columns) if rows == columns => format!(": start with --size {rows}"),
        (rows, columns) => format!(": start with --rows {rows} --columns {columns}"),
    }
}

/// The first game of an SGF file.
fn from_sgf<G: Game>(text: &[u8], game: &G) -> Result<Record<G>> {
    let Some(go) = game.as_any().downcast_ref::<Go>() else {
        return Err(Failure::message(format!(
            "this is SGF, which is supported for go, not for {}",
            game.name()
        )));
    };
    let record =
        read_games(text).into_iter().next().ok_or_else(|| Failure::message("there is no game in it"))??;
    record.notes.iter().for_each(|note| notice(&format!("notice: {note}")));
    let opening =
        record.opening(go).map_err(|why| Failure::message(format!("{why}{}", other_size(&record, go))))?;
    check_rules(&opening, record.komi.map(|komi| komi as f32), None)?;
    let rows = go.board_rows(opening.state());
    let mut played = Record::new(&Position::from_board(game, &rows, opening.turn())?)?;
    record.moves()?.into_iter().try_for_each(|action| played.play(action, None))?;
    Ok(played)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::rng::Stream,
        games::{Connect4, Gomoku, Othello},
    };
    use proptest::prelude::*;
    use std::fs::File;

    fn go(size: u32) -> Go {
        Go::new(size, -3.5).expect("a board")
    }

    /// Random moves from a position; every other one has a time.
    fn played<G: Game>(first: &Position<G>, plies: usize, seed: u64) -> Record<G> {
        let mut record = Record::new(first).expect("the moves are legal");
        let mut stream = Stream::seeded(seed);
        for ply in 0..plies {
            let Some(action) = record.now().random_action(&mut stream) else { break };
            let time = (ply % 2 == 0).then(|| Duration::from_millis(250 * ply as u64));
            record.play(action, time).expect("the move is legal");
        }
        record
    }

    fn error_of<T>(result: Result<T>) -> String {
        match result {
            Err(Failure::Message(message)) => message,
            Err(closed) => panic!("{closed:?}"),
            Ok(_) => panic!("it was read"),
        }
    }

    fn loaded<G: Game>(text: &str, game: &G) -> Loaded<G> {
        parse(text, game).unwrap_or_else(|why| panic!("{why:?}: {text}"))
    }

    #[track_caller]
    fn assert_same<G: Game>(found: &Record<G>, expected: &Record<G>) {
        for (found, expected) in [(found.first(), expected.first()), (found.now(), expected.now())] {
            assert_eq!(found.state(), expected.state());
            assert_eq!((found.turn(), found.moves()), (expected.turn(), expected.moves()));
            assert_eq!((found.outcome(), found.keys()), (expected.outcome(), expected.keys()));
        }
    }

    fn assert_json_returns<G: Game>(game: &G) {
        for (plies, seed) in [(0, 1), (1, 2), (7, 3), (400, 4)] {
            let record = played(&Position::start(game), plies, seed);
            let text = to_json(&record, Player::Second).expect("it is written");
            let (found, person) = loaded(&text, game);
            assert_same(&found, &record);
            assert_eq!(found.moves().collect::<Vec<_>>(), record.moves().collect::<Vec<_>>());
            assert_eq!((person, result_of(&found)), (Some(Player::Second), result_of(&record)));
        }
    }

    #[test]
    fn json_is_read_as_it_was_written() {
        assert_json_returns(&Connect4::new(5, 8).expect("a board"));
        assert_json_returns(&Gomoku::new(7).expect("a board"));
        assert_json_returns(&Gomoku::new(7).expect("a board").with_freestyle(true));
        assert_json_returns(&Othello);
        assert_json_returns(&go(5));
        assert_json_returns(&go(3).with_superko(true));
    }

    #[test]
    fn a_board_may_be_the_first_position() {
        let first = Position::from_board(&go(4), &["X...", "....", "...O", "...."], Player::Second);
        let record = played(&first.expect("a board"), 9, 5);
        assert_same(&loaded(&to_json(&record, Player::First).expect("written"), &go(4)).0, &record);
        assert_same(&loaded(&to_sgf(&record).expect("written"), &go(4)).0, &record);
        // Moves that were given count as moves of the game.
        let later = Position::from_moves(&Othello, &["d3", "c3"]).expect("the moves are legal");
        let record = Record::new(&later).expect("the moves are legal");
        assert_eq!((record.first().moves().len(), record.now().moves().len()), (0, 2));
    }

    #[test]
    fn sgf_is_read_as_it_was_written() {
        for (size, plies) in [(1, 3), (2, 0), (5, 1), (9, 60), (19, 400)] {
            let record = played(&Position::start(&go(size)), plies, 6);
            let text = to_sgf(&record).expect("it is written");
            assert!(text.starts_with("(;GM[1]FF[4]CA[UTF-8]AP[mcts-wgpu:"), "{text}");
            assert!(text.contains(&format!("]SZ[{size}]KM[-3.5]")), "{text}");
            assert_same(&loaded(&text, &go(size)).0, &record);
        }
        let wide = Go::rectangular(4, 7, -3.5).expect("a board");
        let record = played(&Position::start(&wide), 20, 6);
        let text = to_sgf(&record).expect("it is written");
        assert!(text.contains("]SZ[7:4]KM[-3.5]"), "{text}");
        assert_same(&loaded(&text, &wide).0, &record);
        let start = Position::start(&go(3));
        for (moves, result) in [("B2 pass pass", "RE[B+12.5]"), ("pass B2 pass pass", "RE[W+5.5]"), ("", "")]
        {
            let mut record = Record::new(&start).expect("a game");
            for name in moves.split_whitespace() {
                record.play(start.parse_action(name).expect("a move"), None).expect("a legal move");
            }
            let text = to_sgf(&record).expect("it is written");
            assert_eq!((text.contains("RE["), text.contains(result)), (!result.is_empty(), true), "{text}");
        }
    }

    #[test]
    fn sgf_of_others_is_read() {
        let game = Go::new(9, 0.5).expect("a board");
        let handicap = "\u{feff} (;GM[1]FF[3]SZ[9]KM[0.5]HA[2]AB[cc][gg]C[a game]RE[W+R];\
            W[ee]BL[3.2](;B[];W[ef])(;B[aa]))";
        let (record, person) = loaded(handicap, &game);
        assert_eq!((record.first().turn(), person), (Player::Second, None));
        assert_eq!(game.board_rows(record.first().state())[2], "..X......");
        assert_eq!(record.now().move_names(), ["E5", "pass", "E4"]);
        // Black moves twice: White has passed.
        assert_eq!(loaded("(;SZ[9];B[aa];B[bb])", &game).0.now().moves().len(), 3);
    }

    #[test]
    fn what_is_no_saved_game_is_explained() {
        let game = Go::new(9, 0.5).expect("a board");
        let good = to_json(&played(&Position::start(&game), 4, 7), Player::First).expect("it is written");
        let first =
            good.split("\"name\": \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a move");
        for (text, parts) in [
            (String::new(), vec!["give JSON"]),
            ("hello".into(), vec!["give JSON"]),
            ("{}".into(), vec!["missing field"]),
            (good.replace("\"go\"", "\"chess\""), vec!["a game of chess, not of go"]),
            (good.replace("......../", "......./"), vec!["board: ", "points"]),
            (good.replace("\"board\": \"", &format!("\"board\": \"{}", "x".repeat(2000))), vec!["too large"]),
            (good.replace("\"turn\": \"X\"", "\"turn\": \"Z\""), vec!["turn: give X"]),
            (good.replace("\"person\": \"X\"", "\"person\": \"\""), vec!["person: give X"]),
            (good.replace("\"komi\": 0.5", "\"komi\": 6.5"), vec!["has komi 6.5", "start with --komi 6.5"]),
            (good.replace("\"superko\": false", "\"superko\": true"), vec!["start with --superko"]),
            (good.replacen(&format!("\"{first}\""), "\"Z99\"", 1), vec!["move 1: 'Z99' is no action of go"]),
            (good.replace("\"moves\"", "\"steps\""), vec!["missing field `moves`"]),
            ("(;SZ[19])".into(), vec!["19 x 19 points, not 9 x 9", "start with --size 19"]),
            ("(;SZ[13:7])".into(), vec!["7 x 13 points, not 9 x 9", "start with --rows 7 --columns 13"]),
            ("(;SZ[9]KM[6.5])".into(), vec!["start with --komi 6.5"]),
            ("(;SZ[9];B[aa];W[aa])".into(), vec!["move 2 (A9) is illegal", "a stone already"]),
            ("(;SZ[9];B[aa];AW[bb];W[cc])".into(), vec!["stones are set up after move 1"]),
            ("(;SZ[9]AB[ab][ba]AW[aa])".into(), vec!["no liberty"]),
            ("(;SZ[9];B[zz])".into(), vec!["not on the board"]),
            ("(;SZ[9];B[];W[];B[])".into(), vec!["move 3 (pass) comes after the end"]),
            ("(;GM[2])".into(), vec!["not a game of Go"]),
            ("(;SZ[9];B[aa".into(), vec!["no end"]),
        ] {
            let message = error_of(parse(&text, &game));
            assert!(parts.iter().all(|part| message.contains(part)), "{message}: {parts:?}");
            assert!(!message.contains('\n') && message.len() < 300, "{message}");
        }
        assert!(error_of(parse("(;SZ[9])", &Othello)).contains("supported for go, not for othello"));
        let othello = Record::new(&Position::start(&Othello)).expect("a game");
        assert!(error_of(to_sgf(&othello)).contains("SGF is for go"));
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let record = Record::new(&Position::start(&Othello)).expect("a game");
        let folder = std::env::temp_dir().join(format!("mcts-wgpu-saved-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for temporary files");
        let path = folder.join("game.json");
        save(&path, &record, Player::First, false).expect("a new file");
        assert!(error_of(load(&path, None, &go(9))).contains("game.json: this is a game of othello"));
        for path in [folder.join("none.json"), folder.clone()] {
            assert!(
                error_of(load(&path, None, &Othello))
                    .starts_with(&format!("can't read {}: ", path.display()))
            );
        }
        let nowhere = folder.join("no/such/game.json");
        assert!(error_of(save(&nowhere, &record, Player::First, false)).contains("can't write"));
        let huge = folder.join("huge.json");
        File::create(&huge).and_then(|file| file.set_len(MOST_BYTES + 1)).expect("a sparse file");
        assert!(error_of(load(&huge, None, &Othello)).contains("larger than 16 MiB"));
        fs::remove_dir_all(&folder).ok();
    }

    proptest! {
        /// Whatever is in a file, reading it ends with a game or an error.
        #[test]
        fn no_file_is_too_bad(
            is_sgf: bool,
            edits in prop::collection::vec(
                (0usize..2000, 0usize..6, "[\\[\\]();{}\"\\\\:,BWXOAKSZM.a-z0-9 \n\u{e4}-]{0,4}"), 0..6
            ),
        ) {
            let game = Go::new(4, 7.5).expect("a board");
            let record = played(&Position::start(&game), 12, 8);
            let written = if is_sgf { to_sgf(&record) } else { to_json(&record, Player::First) };
            let mut text: Vec<char> = written.expect("it is written").chars().collect();
            for (place, length, new) in edits {
                let place = place % text.len().max(1);
                let end = (place + length).min(text.len());
                text.splice(place..end, new.chars());
            }
            parse(&text.iter().collect::<String>(), &game).ok();
        }

        #[test]
        fn no_value_is_too_bad(
            board in "[.XO/]{0,30}", turn in "[XOx]{0,2}", names in prop::collection::vec("\\PC{0,6}", 0..5),
            seconds: f64, komi: f32,
        ) {
            let of = |name: &String| serde_json::json!({"name": name, "seconds": seconds});
            let moves: Vec<_> = names.iter().map(of).collect();
            let text = serde_json::json!({
                "version": "1", "game": "go", "komi": komi, "board": board, "turn": turn, "moves": moves,
                "person": null, "result": null,
            });
            parse(&text.to_string(), &Go::new(3, 7.5).expect("a board")).ok();
            parse(&text.to_string().replace("\"go\"", "\"othello\""), &Othello).ok();
        }
    }
}
