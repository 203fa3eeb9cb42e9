use crate::support::prelude::*;
use mcts_wgpu::{
    Player::{First, Second},
    patterns::{
        Neighbour::{Empty, Off, Opponent, Own},
        PatternShape::Diamond,
        records::{GameRecord, MoveChoices, RecordEvent, read_games},
    },
};
use proptest::prelude::*;

const SAMPLE: &str = include_str!("../../data/gnugo_selfplay.sgf");

fn only_game(text: &str) -> Result<GameRecord, Error> {
    let games = read_games(text);
    assert_eq!(games.len(), 1, "{text}");
    games.into_iter().next().expect("there is one")
}

fn choices(text: &str) -> MoveChoices {
    only_game(text).and_then(|game| game.choices()).expect(text)
}

#[track_caller]
fn refused(text: &str, said: &[&str]) {
    let error = only_game(text).and_then(|game| game.choices()).expect_err(text);
    assert!(error.is_bad_input());
    assert_has(&error.to_string(), said);
}

#[test]
fn a_record_is_its_main_line() {
    let text = "\u{feff}(;GM[1]FF[4]CA[UTF-8]SZ[5]KM[6.5]PB[Honinb\u{14d}]C[a \\] bracket (;B[aa\\] and more]
        AB[ac][bd:ce]AW[ee]PL[W]
        ;W[ab]N[ ; ]
        (;B[tt];W[];AddWhite[ea]AE[ac];B[ed](;W[da])(;W[db]))
        (;B[cc];W[dd]))";
    let game = only_game(text).expect("good SGF");
    assert_eq!((game.rows, game.columns, game.komi), (5, 5, Some(6.5)));
    assert_eq!((game.number, game.line), (1, 1));
    assert_eq!(game.result, None);
    let black = [(1, Some(First)), (2, Some(First)), (6, Some(First)), (7, Some(First)), (10, Some(First))];
    let mut first = black.to_vec();
    first.push((4, Some(Second)));
    let expected = [
        RecordEvent::Setup { stones: first, turn: Some(Second) },
        RecordEvent::Move(Second, 15),
        RecordEvent::Move(First, 25),
        RecordEvent::Move(Second, 25),
        RecordEvent::Setup { stones: vec![(24, Some(Second)), (10, None)], turn: None },
        RecordEvent::Move(First, 9),
        RecordEvent::Move(Second, 23),
    ];
    assert_eq!(game.events, expected);
}

#[test]
fn a_record_is_written_as_it_is_read() {
    for text in [
        "(;SZ[3])",
        "(;SZ[5]KM[-0.5]RE[W+Time \\] \\\\]PL[W]AB[aa][bb]AW[ee]AE[ac];W[];B[cc];W[ed])",
        "(;SZ[19]AB[sa];B[aa];AW[ss]AE[aa];B[ba])",
        "(;SZ[3]AB[aa];AE[aa];PL[W];W[bb];PL[W];W[cc])",
    ] {
        let game = only_game(text).expect("good SGF");
        let written = game.to_sgf();
        assert_eq!(only_game(&written), Ok(game), "{written}");
    }
    let game = only_game("(;SZ[5]KM[0]RE[?]AW[ab]PL[B];B[ea];W[tt])").expect("good SGF");
    let written = game.to_sgf();
    let (head, rest) = written.split_once("SZ").expect("the size is there");
    assert!(head.starts_with("(;GM[1]FF[4]CA[UTF-8]AP[mcts-wgpu:"), "{head}");
    assert_eq!(rest, "[5]KM[0]RE[?]AW[ab]PL[B]\n;B[ea]\n;W[])\n");
}

#[test]
fn a_record_has_an_opening_and_moves() {
    let go = go_of(3, 0.5);
    let game = |text: &str| only_game(text).expect("good SGF");
    let opening = |text: &str| {
        let opening = game(text).opening(&go).expect("a position");
        (go.board_rows(opening.state()).join("/"), opening.turn(), opening.moves().len())
    };
    assert_eq!(opening("(;SZ[3];B[aa])"), (".../.../...".into(), First, 0));
    assert_eq!(opening("(;SZ[3]AB[aa][bb];AE[aa]AW[cc];W[ca])"), (".../.X./..O".into(), Second, 0));
    assert_eq!(opening("(;SZ[3]AB[aa]PL[W])").1, Second);
    assert_eq!(opening("(;SZ[3]AB[aa];PL[B];PL[W])").1, Second);
    assert_eq!(opening("(;SZ[3]AB[aa])").1, Second);
    assert_eq!(opening("(;SZ[3]AW[aa])").1, First);
    assert_eq!(game("(;SZ[3];W[aa];B[];B[bb])").moves(), Ok(vec![6, 9, 9, 4]));
    assert_eq!(game("(;SZ[3];W[aa];PL[W];W[];PL[B];PL[W])").moves(), Ok(vec![6, 9, 9, 9]));
    let error = game("(;SZ[3];W[aa];AB[bb])").moves().expect_err("stones in mid-game");
    assert!(error.to_string().contains("set up after move 1"), "{error}");
    let error = game("(;SZ[5])").opening(&go).expect_err("another board");
    assert!(error.to_string().contains("5 x 5 points, not 3 x 3"), "{error}");
}

#[test]
fn a_record_without_a_size_is_19_x_19() {
    let game = only_game("(;B[sa])").expect("good SGF");
    assert_eq!((game.rows, game.columns, game.komi), (19, 19, None));
    assert_eq!(game.events, [RecordEvent::Move(First, 19 * 19 - 1)]);
}

#[test]
fn the_games_of_a_collection_are_read_one_by_one() {
    let games = read_games("(;SZ[3]B[aa])\n\n(;SZ[0];B[aa])\r\n (;SZ[3]KM[x])(;SZ[3](;B[bb])(;B[cc]))\n");
    assert_eq!(games.len(), 4);
    assert_eq!(games[0].as_ref().map(|game| (game.number, game.line)), Ok((1, 1)));
    let said = |i: usize| games[i].as_ref().expect_err("a bad game").to_string();
    assert!(said(1).starts_with("game 2 (line 3): "), "{}", said(1));
    assert!(said(2).starts_with("game 3 (line 4): "), "{}", said(2));
    assert_eq!(games[3].as_ref().map(|game| game.events.clone()), Ok(vec![RecordEvent::Move(First, 4)]));
}

#[test]
fn invalid_records_are_refused() {
    refused("", &["no game", "(;...)"]);
    refused("hello", &["not SGF"]);
    refused("\n\n;B[aa]", &["not SGF"]);
    refused("()", &["not SGF"]);
    refused("(B[aa])", &["not SGF"]);
    refused("(;B[aa;W(bb)", &["line 1", "no end", "']'"]);
    refused("(;B)", &["game 1 (line 1)", "malformed SGF", "'B' is not a property"]);
    refused("(;SZ[9]XX\n;B[ee];W[cc])", &["malformed SGF: line 1: 'XX'"]);
    refused("(;SZ[9]XX\n[];B[ee]\n!W[cc])", &["malformed SGF: line 3: '!' is out of place"]);
    refused("(;SZ[9];b[ee];W[cc])", &["'b' is not a property"]);
    refused("(;SZ[9]\n;B;W[cc])", &["line 2: 'B'"]);
    refused("(;\n[aa])", &["line 2: '[' is out of place"]);
    refused("(;SZ[9](;B[aa]);W[bb])", &["';' is out of place"]);
    refused("(;SZ[9](;B[aa])W[bb])", &["'W' is out of place"]);
    refused("(;SZ[9](;B[aa])())", &["')' is out of place"]);
    refused("(;SZ[9](;B[aa])(;W)", &["'W' is not a property"]);
    refused("(;GM[3]SZ[8])", &["not a game of Go"]);
    refused("(;GM[go])", &["not a game of Go", "'GM[go]'"]);
    let long = format!("(;SZ[9]{})", ";B[]".repeat(4000));
    refused(&long, &["line 1", "more than 4000 nodes"]);
}

#[test]
fn space_and_old_names_are_read() {
    let game =
        only_game("(\n;SiZe [5] KM[-3.5]\t;Black\n[ab]\r\n;W[\\\na\\a] ( ;B[ee] ) )").expect("good SGF");
    let moves =
        [(First, 15), (Second, 20), (First, 4)].map(|(player, action)| RecordEvent::Move(player, action));
    assert_eq!((game.rows, game.komi, &game.events[..]), (5, Some(-3.5), &moves[..]));
    assert_eq!(game.notes, [""; 0]);
    let merged = only_game("(;SZ[5]AB[aa]AB[ba][ba:ca])").expect("good SGF");
    let stones = [20, 21, 22].map(|action| (action, Some(First))).to_vec();
    assert_eq!(merged.events, [RecordEvent::Setup { stones, turn: None }]);
}

#[test]
fn komi_is_in_points() {
    for (text, points) in [
        ("KM[375]", 7.5),
        ("RU[Chinese]KM[3.75]", 7.5),
        ("KM[3.25]", 6.5),
        ("KM[650]", 6.5),
        ("KM[7.5]", 7.5),
        ("KM[-0.5]", -0.5),
        ("KM[100]", 100.0),
        ("KM[0]", 0.0),
    ] {
        let game = only_game(&format!("(;{text})")).expect("good SGF");
        let is_plain = text.contains(&format!("[{points}]"));
        assert_eq!((game.komi, game.notes.is_empty()), (Some(points), is_plain), "{text}");
    }
}

#[test]
fn bad_properties_are_refused() {
    refused("(;SZ[20])", &["20 x 20", "from 1 to 19"]);
    refused("(;SZ[0])", &["0 x 0"]);
    refused("(;SZ[9:25])", &["25 x 9", "from 1 to 19"]);
    refused("(;SZ[9:])", &["'SZ[9:]'", "not a board size"]);
    refused("(;SZ[13:9];B[aj])", &["node 2", "column 1, row 10", "not on the board"]);
    refused("(;SZ[nine])", &["'SZ[nine]'", "not a board size"]);
    refused("(;SZ[300])", &["'SZ[300]'", "not a board size"]);
    refused("(;KM[six and a half])", &["komi is not a number", "'KM[six and a half]'"]);
    refused("(;KM[NaN])", &["komi is not a number"]);
    refused("(;KM[0\n1])", &["'KM[0\\n1]'"]);
    refused("(;SZ[9];B[ja])", &["node 2", "column 10, row 1", "not on the board"]);
    refused("(;SZ[9]AW[aa][aj])", &["node 1", "column 1, row 10"]);
    refused("(;SZ[9];B[a])", &["node 2", "'B[a]' is not a point"]);
    refused("(;SZ[9]AB[a1])", &["'AB[a1]' is not a point"]);
    refused("(;B[aa;W[bb])", &["'B[aa;W[bb]' is not a point"]);
    refused("(;SZ[9];B[aa]W[bb])", &["node 2", "two moves in one node"]);
    let shown = only_game(&format!("(;KM[{}])", "x".repeat(99_999))).expect_err("no number").to_string();
    assert!(shown.len() < 120, "{shown}");
}

#[test]
fn illegal_moves_and_dead_stones_are_refused() {
    refused(
        "\n(;SZ[3];B[bb];W[bb])",
        &["game 1 (line 2)", "move 2, White at B2, is illegal: there is a stone"],
    );
    refused("(;SZ[3]AB[ab][ba];W[aa])", &["move 1, White at A3, is illegal", "suicide"]);
    let ko = "(;SZ[4]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb]";
    assert_eq!(choices(&format!("{ko};W[dd];B[ad];W[bb])")).choices.len(), 4);
    refused(&format!("{ko};W[bb])"), &["move 2, White at B3, is illegal", "ko"]);
    refused("(;SZ[3]AB[ab][ba]AW[aa])", &["stones set up after move 0", "no liberty"]);
    refused("(;SZ[3];B[bb];AW[ab][ba]AB[aa])", &["stones set up after move 1", "no liberty"]);
}

#[test]
fn candidates_are_the_points_that_a_playout_takes() {
    // O moves on X.O / .XO / X.. from the top.
    let text = "(;SZ[3]AB[aa][bb][ac]AW[ca][cb];W[ba];B[cc])";
    let MoveChoices { choices, left_out } = choices(text);
    assert_eq!((choices.len(), left_out), (2, 0));
    // B1, C1 and B3; A2 is suicide.
    assert_eq!((choices[0].candidates.len(), choices[0].chosen), (3, 2));
    let at_b3 = |row, column| match (row, column) {
        (1.., _) | (_, ..=-2) | (_, 2..) => Off,
        (-1, 0) | (0, -1) => Opponent,
        (-1, 1) | (0, 1) => Own,
        _ => Empty,
    };
    assert_eq!(choices[0].candidates[2], Diamond.code(at_b3));
    // B1, C1 and A2: it's an eye, but its one diagonal is White's, at the edge.
    assert_eq!((choices[1].candidates.len(), choices[1].chosen), (3, 1));
}

#[test]
fn moves_into_own_eyes_and_passes_are_no_choices() {
    let MoveChoices { choices, left_out } = choices("(;SZ[2]AB[ab][ba];B[aa];W[];B[])");
    assert_eq!((choices.len(), left_out), (0, 1));
}

#[test]
fn two_moves_of_one_player_have_a_pass_between() {
    // After the pass the ko point is open to either player.
    let ko = "(;SZ[4]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];B[bb])";
    assert_eq!(choices(ko).choices.len(), 2);
}

#[test]
fn the_sample_is_read_whole() {
    let games: Vec<GameRecord> = read_games(SAMPLE).into_iter().map(|game| game.expect("good SGF")).collect();
    let of_size = |size| games.iter().filter(|game| (game.rows, game.columns) == (size, size)).count();
    assert_eq!([9, 13, 19].map(of_size), [30, 2, 1]);
    assert!(games.iter().all(|game| game.komi == Some(7.5)));
    let choices: usize = games.iter().map(|game| game.choices().expect("legal").choices.len()).sum();
    let moves = SAMPLE.matches(";B[").count() + SAMPLE.matches(";W[").count();
    let passes = SAMPLE.matches(";B[]").count() + SAMPLE.matches(";W[]").count();
    let left_out: usize = games.iter().map(|game| game.choices().expect("legal").left_out).sum();
    assert_eq!(choices + left_out, moves - passes);
}

proptest! {
    /// Reading ends with games or errors.
    #[test]
    fn no_text_is_too_bad(
        from in 0usize..300,
        edits in prop::collection::vec((0usize..400, "[\\[\\]();\\\\BWAKSZM:a-z0-9 \n\u{e4}]{0,4}"), 1..8),
    ) {
        let mut text: String = SAMPLE.chars().skip(from).take(400).collect();
        for (place, new) in edits {
            let place = place % (text.len() + 1);
            if text.is_char_boundary(place) {
                text.insert_str(place, &new);
            }
        }
        for game in read_games(&text).into_iter().flatten() {
            game.choices().ok();
        }
    }
}
