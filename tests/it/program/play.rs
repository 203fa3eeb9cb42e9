//! `play`, driven through pipes.

use crate::support::prelude::*;
use std::{
    io::{BufRead, Write},
    process::Child,
};

const PLAY: &str = "play connect4 --steps 30 --trees 2 --adapter cpu";
const QUICK: &str = "--steps 2 --trees 1 --playouts 1 --adapter cpu";
/// X has no move here, and O has one, after which neither player has.
const PASSES: &str =
    "--board OX....../......../......../...XX.../...XX.../......../......../........ --turn X";

/// The output of a game, which writes nothing to standard error.
fn play_any(arguments: &str, input: &str) -> String {
    let done = run_with_input(arguments, input.as_bytes()).succeeded();
    assert_eq!(done.err, "");
    done.out
}

fn play(arguments: &str, input: &str) -> String {
    play_any(&format!("{PLAY} {arguments}"), input)
}

/// A game other than Connect 4, with quick moves.
fn play_game(game: &str, input: &str) -> String {
    play_any(&format!("play {game} {QUICK}"), input)
}

/// The lowest row of each board of Connect 4 in the output, without brackets.
fn lowest_rows(out: &str) -> Vec<String> {
    let lines: Vec<_> = out.lines().collect();
    let lowest = lines.windows(2).filter(|pair| pair[1] == "   0 1 2 3 4 5 6").map(|pair| pair[0]);
    lowest.map(|row| row.replace(['(', ')'], " ").trim_end().to_owned()).collect()
}

#[test]
fn a_move_is_answered() {
    let out = play("", "3\nquit\n");
    let rows = lowest_rows(&out);
    assert_eq!(rows[..2], ["   . . . . . . .", "   . . . X . . ."]);
    assert_eq!(rows.len(), 3);
    assert!(out.starts_with("engine: CPU reference"), "{out}");
    assert_has(&out, &["You are X. Type a move such as 3, or help.\n"]);
    assert_has(&out, &["\nSearching (30 steps)...\nO plays "]);
    assert!(out.ends_with("Good bye.\n"), "{out}");
}

#[test]
fn the_end_of_input_ends_the_game() {
    for input in ["3\n", ""] {
        assert!(play("", input).ends_with("X to move> \nGood bye.\n"), "{input}");
    }
}

#[test]
fn wrong_input_is_explained_and_asked_for_again() {
    let input = "9\nnonsense\n3\nhelp\nundo now\nlevel 5\nload\nload no-such.json\nsave\n2\nquit\n";
    let out = play("--moves 3,3,3,3,3,3", input);
    assert_has(&out, &["'9' is no action", "'nonsense' is no action", "undo takes no arguments"]);
    assert_has(&out, &["move 7 (3) is illegal in this position: the column is full", "load needs a file"]);
    assert_has(&out, &["hint             ask for the engine's advice", "save needs a file"]);
    assert_has(&out, &["for example level 5 s, or level 1000 steps"]);
    assert_has(&out, &["can't read no-such.json: No such file"]);
    assert!(lowest_rows(&out)[1].contains("X X"), "{out}");
    let bytes = run_with_input(PLAY, b"\xff\xfe\nquit\n").succeeded();
    assert_has(&bytes.out, &["is no action", "Good bye."]);
}

#[test]
fn lines_of_any_length_are_read() {
    for length in [33, 4095, 4096, 4097, 8192, 100_000] {
        let out = play("", &format!("{}\n2\nquit\n", "a".repeat(length)));
        let kinds = ["this is neither a move nor a command", "a line of more than 4096 bytes"];
        assert_eq!(out.matches(kinds[usize::from(length >= 4096)]).count(), 1, "{length}: {out}");
        assert_eq!(lowest_rows(&out)[1], "   . . X . . . .", "{length}");
    }
    assert_has(&play("", &"a".repeat(10_000)), &["a line of more than 4096 bytes", "Good bye."]);
}

#[test]
fn help_lists_every_command() {
    let out = play("", "help\nquit\n");
    for order in ["board", "moves", "hint", "undo", "new", "swap", "level", "save", "load", "help", "quit"] {
        assert_has(&out, &[&format!("\n  {order} ")]);
    }
    let lines = out.lines().skip(1);
    assert!(lines.clone().count() > 20 && lines.clone().all(|line| line.len() <= 80), "{out}");
}

#[test]
fn undo_takes_back_the_last_move_and_its_answer() {
    let out = play("", "undo\n3\nundo\nundo\nquit\n");
    assert_eq!(out.matches("You have no move to take back.").count(), 2, "{out}");
    let rows = lowest_rows(&out);
    assert_eq!((&*rows[0], &*rows[3], rows.len()), ("   . . . . . . .", "   . . . . . . .", 4));

    let second = play("--side O", "undo\n0\nundo\nquit\n");
    assert_eq!(second.matches("You have no move to take back.").count(), 1, "{second}");
    let rows = lowest_rows(&second);
    assert_eq!((rows.len(), &rows[1]), (5, &rows[4]));
}

#[test]
fn wins_are_advised_and_taken() {
    let out = play("--moves 3,2,3,2,3,2", "hint\n3\n");
    assert_has(&out, &["Try 3 ", "wins at once", "The game is over: X wins.\n"]);
    let out = play("--side O --moves 3,2,3,2,3", "6\n");
    assert_has(&out, &["X plays 3 ", "The game is over: X wins.\n"]);
}

/// (kept, new) playouts of each search.
fn playouts(out: &str) -> Vec<(u64, u64)> {
    let number = |text: &str| text.rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    let line = |line: &str| {
        let (kept, new) = line.strip_suffix(" new")?.split_once(" playouts kept, ")?;
        Some((number(kept), number(new)))
    };
    out.lines().filter_map(line).collect()
}

#[test]
fn with_reuse_the_engine_goes_on_where_it_was() {
    let counts = playouts(&play("--reuse", "3\nhint\n2\nundo\nhint\nquit\n"));
    let [first, hint, second, back] = counts[..] else { panic!("four searches: {counts:?}") };
    assert_eq!((first.0, back.0), (0, 0), "there is nothing to keep, or a move was taken back");
    assert!(hint.0 > 0 && second.0 > 0 && first.1 > 0, "{counts:?}");
    assert!(playouts(&play("", "3\nquit\n")).is_empty());
}

#[test]
fn a_finished_game_is_shown_and_can_be_gone_on_with() {
    let over = "--moves 0,1,0,1,0,1,0";
    let out = play(over, "");
    let end = "The game is over: X wins.\nnew, undo, save or quit> \nGood bye.\n";
    assert_has(&out, &["(X). . . . . .", end]);

    let out = play(over, "3\nhint\nmoves\nundo\n5\nquit\n");
    assert_has(&out, &["move 8 (3) comes after the end of the game", "The game is over.\n"]);
    let rows = lowest_rows(&out);
    assert_eq!(rows[..3], ["   X O . . . . .", "   X O . . . . .", "   X O . . . X ."]);
    assert_has(&out, &["O plays "]);

    let rows = lowest_rows(&play(over, "new\n"));
    // A new game begins without the given moves.
    assert_eq!((&*rows[1], rows.len()), ("   . . . . . . .", 2));
    let rows = lowest_rows(&play("", "3\nnew\n6\nquit\n"));
    assert_eq!((&*rows[3], &*rows[4]), ("   . . . . . . .", "   . . . . . . X"));
}

#[test]
fn sides_are_swapped() {
    let out = play("", "3\nswap\nquit\n");
    assert_has(&out, &["You are X. ", "You are O now.\n", "\nX plays "]);
    assert!(out.ends_with("O to move> Good bye.\n"), "{out}");
    let out = play("", "swap\nswap\nundo\nquit\n");
    assert_eq!((out.matches("X plays").count(), out.matches("O plays").count()), (1, 1), "{out}");
}

#[test]
fn the_level_is_set_by_time_or_steps() {
    let out = play("--side X", "level\nlevel 3 steps\n3\nlevel 0.01 s\nhint\nlevel\nlevel 0 steps\nquit\n");
    assert_has(&out, &["for 30 steps per move.", "for 3 steps per move.", "Searching (0.01 s)..."]);
    assert_has(&out, &["\nSearching (3 steps)...\nO plays ", "the engine needs at least one step"]);
    let both = play_any("play connect4 --steps 1 --time 9.5 --adapter cpu", "level\nlevel 1 step\n");
    assert_has(&both, &["for 1 step or 9.5 s per move.", "for 1 step per move."]);
    assert_eq!(out.matches("The engine searches for 0.01 s per move.").count(), 2);
    // With more steps than on the command line, there is memory for their nodes: the search equals one of so many
    // steps.
    let play = "play connect4 --trees 1 --playouts 1 --adapter cpu --steps";
    let few = play_any(&format!("{play} 1"), "level 300 steps\nhint\nquit\n");
    let many = play_any(&format!("{play} 300"), "hint\nquit\n");
    let advice = |out: &str| out.lines().find(|line| line.starts_with("Try ")).map(str::to_owned);
    assert!(advice(&many).is_some());
    assert_eq!(advice(&few), advice(&many));
}

#[test]
fn legal_moves_are_listed() {
    assert_has(&play("--moves 3,3,3,3,3,3", "moves\n"), &["> 0 1 2 4 5 6\n"]);
    assert_has(&play_game("othello", "moves\n"), &["> d3 c4 f5 e6\n"]);
    let out = play_game("go --size 9", "moves\n");
    assert_has(&out, &["> A1 B1 C1", "H9 J9 pass\n"]);
    assert!(out.lines().skip(1).all(|line| line.trim_start_matches("X to move> ").len() <= 80), "{out}");
}

#[test]
fn illegal_moves_are_explained() {
    for (game, input, why) in [
        ("connect4 --rows 4 --columns 4 --moves 0,0,0,0", "0", "the column is full"),
        ("gomoku --side O --moves H8", "H8", "there is a stone already"),
        ("othello", "d4", "there is a disc already"),
        ("othello", "a1", "it would turn no disc over"),
        ("othello", "pass", "a disc can be placed"),
        ("go --size 3 --moves A1,B2", "B2", "there is a stone already"),
        ("go --size 3 --side O --moves A2,C3,B1", "A1", "it would be suicide"),
        ("go --size 4 --moves B1,C1,A2,D2,B3,C3,C2,B2", "C2", "it would retake"),
    ] {
        let out = play_game(game, &format!("{input}\nquit\n"));
        assert_has(&out, &[&format!("({input}) is illegal in this position: {why}")]);
    }
    let repeated = format!("play go {QUICK} --size 2 --superko --moves A1,B1,A2,B2,A1,A2");
    run(&format!("{repeated},A1")).refused(&["move 7 (A1) is illegal", "repeat an earlier position"]);
    assert_has(&play_any(&repeated, ""), &["X has to pass.\n"]);
}

#[test]
fn gomoku_is_played_by_names() {
    let out = play_game("gomoku --size 6", "c2\nquit\n");
    assert_has(&out, &["\n  2 . .(X). . .\n", "\n    A B C D E F\n"]);
}

#[test]
fn othello_marks_moves_and_counts_discs() {
    let out = play_game("othello", "d3\nquit\n");
    assert_has(&out, &["\n  3 . . . * . . . .\n  4 . . * O X . . .\n", "\n  3 . . .(X). . . .\n"]);
    assert_has(&out, &["\n    a b c d e f g h\n"]);
    let engines_board = out.split("X to move> ").nth(1).and_then(|rest| rest.split("Searching").next());
    assert!(engines_board.is_some_and(|board| board.contains("(X)") && !board.contains('*')), "{out}");

    let second = play_game(&format!("othello --side O {PASSES}"), "c1\n");
    let end =
        "The game is over: X wins. X has 4 discs, O 3; with the empty squares for the winner 61 to 3.\n";
    assert_has(&second, &["X has to pass.\n", "\n  1 O X * . . . . .\n", end]);
    let first = play_game(&format!("othello {PASSES}"), "undo\n");
    assert_has(&first, &["X has to pass.\n", "O plays c1", "You have no move to take back."]);
    let back = play_game(&format!("othello --side O {PASSES}"), "c1\nundo\nmoves\n");
    assert!(back.ends_with("O to move> c1\nO to move> \nGood bye.\n"), "{back}");
}

#[test]
fn go_counts_area_and_komi() {
    let out = play_game("go --size 3 --komi 0.5 --moves B2,pass", "pass\nundo\nquit\n");
    assert_has(&out, &["\n  2 . X .\n", "\n    A B C\n"]);
    assert_has(&out, &["The game is over: X wins. X has 9 points, O 0 and a komi of 0.5: 0.5.\n"]);
    let out = play_game("go --size 2 --komi 0 --side O --moves pass", "pass\nquit\n");
    assert_has(&out, &["The game is over: a draw. X has 0 points, O 0.\n"]);
    let one = play_game("go --size 1 --komi 0", "");
    assert_has(&one, &["X has to pass.\n", "O has to pass.\n", "a draw"]);
}

#[test]
fn a_saved_game_is_loaded_again() {
    let games = [
        ("connect4", "3", "6"),
        ("gomoku --size 7", "D4", "A1"),
        ("othello", "d3", "swap"),
        ("go --size 5", "C3", "pass"),
    ];
    for (game, first, second) in games {
        let name = game.split(' ').next().expect("a name");
        let file = fresh(&format!("play-{name}.json"));
        let out = play_game(game, &format!("{first}\nsave {file}\n{second}\nload {file}\nsave\nquit\n"));
        assert_has(&out, &[&format!("> The game is in {file}.\n")]);
        assert_has(&out, &[&format!("{file}: 2 moves. You are X.\n")]);
        // A loaded game is saved to its file without naming it.
        assert_eq!(out.matches(&format!("The game is in {file}.")).count(), 2);
        let saved: Value = serde_json::from_str(&fs::read_to_string(&file).expect("a file")).expect("JSON");
        assert_eq!(fields(&saved, "game person turn"), json!([name, "X", "X"]));
        assert_eq!(saved["moves"][0]["name"], first);
        assert!(saved["moves"][0]["seconds"].is_number(), "{saved}");
        let again = play_game(&format!("{game} --load {file}"), "undo\nquit\n");
        let boards = |out: &str| out.matches(if name == "connect4" { "0 1 2" } else { "B C" }).count();
        assert!(again.contains("You are X.") && (name == "othello" || boards(&again) == 2), "{again}");
        // Another game does not overwrite it.
        assert_has(&play_game(game, &format!("save {file}\nquit\n")), &["exists already"]);
        let other = if name == "othello" { "connect4" } else { "othello" };
        let refused = play_game(other, &format!("load {file}\nquit\n"));
        assert_has(&refused, &[&format!("a game of {name}, not of")]);
    }
}

#[test]
fn go_is_saved_as_sgf() {
    let file = fresh("play.sgf");
    let out = play_game("go --size 5 --komi 6.5 --moves C3,pass", &format!("pass\nsave {file}\nquit\n"));
    assert_has(&out, &["The game is over: X wins."]);
    let text = fs::read_to_string(&file).expect("a file");
    assert_has(&text, &["(;GM[1]FF[4]CA[UTF-8]", "SZ[5]KM[6.5]RE[B+18.5]", "\n;B[cc]\n;W[]\n;B[])\n"]);
    let again = play_game(&format!("go --size 5 --komi 6.5 --side O --load {file}"), "undo\nquit\n");
    assert_has(&again, &["You are O.", "The game is over: X wins.", "O to move> "]);
    assert_has(&play_game("connect4", "save other.sgf\nquit\n"), &["SGF is for go"]);

    let handicap = write_file("handicap.sgf", "(;GM[1]FF[4]SZ[9]KM[0.5]HA[2]AB[cc][gg])");
    let out = play_game("go --komi 0.5", &format!("load {handicap}\nquit\n"));
    assert_has(&out, &["0 moves. You are X.", "\n  7 . . X . . . . . .\n", "\nO plays "]);
    for (options, parts) in [
        ("", &["handicap.sgf: the saved game has komi 0.5", "--komi 0.5"][..]),
        ("--komi 0.5 --size 5", &["9 x 9", "start with --size 9"]),
        ("--moves C3", &["leave out --moves"]),
    ] {
        run(&format!("play go {QUICK} --load {handicap} {options}")).refused(parts);
    }
    run(&format!("play go {QUICK} --load no-such.sgf")).refused(&["can't read no-such.sgf"]);
}

#[test]
fn colours_are_for_terminals() {
    let with = |variables: &[(&str, &str)]| {
        let mut command = command(&format!("{PLAY} --moves 3,3"));
        command.envs(variables.iter().copied()).stdin(Stdio::null());
        Done::new(PLAY, command.output().expect("the program starts")).succeeded().out
    };
    let plain = with(&[]);
    assert!(plain.contains("(O)") && !plain.contains('\u{1b}'), "{plain}");
    assert!(with(&[("CLICOLOR_FORCE", "1")]).contains("\u{1b}[36mO\u{1b}[0m"));
    assert_eq!(with(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
}

#[cfg(unix)]
fn read_until(out: &mut impl BufRead, text: &str) -> String {
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while !seen.ends_with(text.as_bytes()) {
        let read = out.read_exact(&mut byte);
        assert!(read.is_ok(), "'{text}' is missed in {}", String::from_utf8_lossy(&seen));
        seen.extend(byte);
    }
    String::from_utf8(seen).expect("text")
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_makes_the_engine_move_and_ends_the_program_at_the_prompt() {
    let mut child = start("play connect4 --time 100000 --trees 1 --playouts 1 --memory 0.01 --adapter cpu");
    let mut input = child.stdin.take().expect("a pipe");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    read_until(&mut out, "X to move> ");
    input.write_all(b"3\n").expect("the program reads");
    read_until(&mut out, "Searching (100000 s)...\n");
    interrupt(&child);
    let said = read_until(&mut out, "X to move> ");
    assert!(said.starts_with("O plays "), "{said}");
    interrupt(&child);
    assert_eq!(child.wait().expect("the program ends").code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_the_cpu_plays() {
    let done = without_adapters("play connect4 --steps 2").succeeded();
    assert!(done.out.starts_with("engine: CPU reference") && done.err.starts_with("notice: no usable GPU"));
}

/// O's stones at A6 and B6 can't live, nor can X's at G1.
#[test]
fn go_counts_without_dead_stones() {
    let board = "..XXO.O/OOXXOOO/XXXOO.O/XXXO.OO/.XXOOO./X.XOO../XXXO.OX";
    let game = format!("go --size 7 --komi -10.5 --board {board} --turn O --side O");
    let out = play_game(&game, "pass\nquit\n");
    let end = "Dead stones are removed: G1 A6 B6.\nThe game is over: X wins. X has 23 points, O 26 ";
    assert_has(&out, &["X plays pass\n", end]);
    let out = play_game(&format!("{game} --dead-stones false"), "pass\nquit\n");
    assert_has(&out, &["X plays pass\n", "The game is over: X wins. X has 20 points, O 24 "]);
    assert!(!out.contains("Dead stones"), "{out}");
}

/// X has no move but the pass, which wins with the dead stone at A1 alone.
#[test]
fn an_only_move_is_made_without_a_search() {
    let game = "go --size 3 --komi -7.5 --board OO./.OO/XOO --turn O --side O";
    let out = play_game(game, "pass\nquit\n");
    assert_has(&out, &["X has to pass.\n", "Dead stones are removed: A1.\nThe game is over: O wins."]);
    assert!(!out.contains("Searching"), "{out}");
}

/// X has passed on an empty board, which O wins by komi.
#[test]
fn a_pass_that_wins_is_made_without_a_search() {
    let out = play_game("go --size 5", "pass\nquit\n");
    assert_has(&out, &["O plays pass\n", "The game is over: O wins."]);
    assert!(!out.contains("Searching"), "{out}");
    assert_has(&play_game("go --size 5 --komi -0.5", "pass\nquit\n"), &["Searching"]);
}
