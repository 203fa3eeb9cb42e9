//! `play`, driven through pipes.

use super::program::{run_with_input, without_adapters};

const PLAY: &str = "play connect4 --steps 30 --trees 2 --adapter cpu";

fn play(arguments: &str, input: &str) -> String {
    let done = run_with_input(&format!("{PLAY} {arguments}"), input.as_bytes()).succeeded();
    assert_eq!(done.err, "");
    done.out
}

/// The lowest row of each board that was shown.
fn lowest_rows(out: &str) -> Vec<&str> {
    let lines: Vec<_> = out.lines().collect();
    lines.windows(2).filter(|pair| pair[1] == "   0 1 2 3 4 5 6").map(|pair| pair[0]).collect()
}

#[test]
fn a_move_is_answered() {
    let out = play("", "3\nquit\n");
    let rows = lowest_rows(&out);
    assert_eq!(rows[..2], ["   . . . . . . .", "   . . . X . . ."]);
    assert_eq!(rows.len(), 3);
    assert!(out.starts_with("engine: CPU reference"), "{out}");
    assert!(out.contains("\nO plays ") && out.ends_with("Good bye.\n"), "{out}");
}

#[test]
fn the_end_of_input_ends_the_game() {
    let out = play("", "3\n");
    assert!(out.ends_with("X to move> \nGood bye.\n"), "{out}");
    assert!(play("", "").ends_with("X to move> \nGood bye.\n"));
}

#[test]
fn wrong_input_is_explained_and_asked_for_again() {
    let out = play("--moves 3,3,3,3,3,3", "9\nnonsense\n3\nhelp\n2\nquit\n");
    for part in
        ["'9' is no action", "'nonsense' is no action", "(3) is illegal", "hint (the engine's advice)"]
    {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert!(lowest_rows(&out)[1].contains("X X"), "{out}");
    let bytes = run_with_input(PLAY, b"\xff\xfe\nquit\n").succeeded();
    assert!(bytes.out.contains("is no action"), "{}", bytes.out);
}

#[test]
fn undo_takes_back_the_last_move_and_its_answer() {
    let out = play("", "undo\n3\nundo\nundo\nquit\n");
    assert_eq!(out.matches("There is no move of yours to take back.").count(), 2, "{out}");
    let rows = lowest_rows(&out);
    assert_eq!((rows[0], rows[3], rows.len()), ("   . . . . . . .", "   . . . . . . .", 4));

    let second = play("--side O", "undo\n0\nundo\nquit\n");
    assert_eq!(second.matches("There is no move of yours to take back.").count(), 1, "{second}");
    let rows = lowest_rows(&second);
    assert_eq!((rows.len(), rows[1]), (5, rows[4]));
}

#[test]
fn a_hint_wins_where_it_can() {
    let out = play("--moves 3,2,3,2,3,2", "hint\n3\n");
    assert!(out.contains("Try 3 ") && out.contains("wins at once"), "{out}");
    assert!(out.ends_with("The game is over: X wins.\n"), "{out}");
}

#[test]
fn the_engine_takes_its_win() {
    let out = play("--side O --moves 3,2,3,2,3", "6\n");
    assert!(out.contains("X plays 3 ") && out.ends_with("The game is over: X wins.\n"), "{out}");
}

/// (kept, new) playouts of each search.
fn playouts(out: &str) -> Vec<(u64, u64)> {
    // The line begins with the prompt that was answered.
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
fn a_game_that_is_over_is_shown() {
    let out = play("--moves 0,1,0,1,0,1,0", "");
    assert!(out.contains("X . . . . . .") && out.ends_with("The game is over: X wins.\n"), "{out}");
}

#[test]
fn gomoku_is_played_by_names() {
    let done =
        run_with_input("play gomoku --size 6 --steps 2 --trees 1 --playouts 1 --adapter cpu", b"c2\nquit\n")
            .succeeded();
    assert!(
        done.out.contains("\n  2 . . X . . .\n") && done.out.contains("\n    A B C D E F\n"),
        "{}",
        done.out
    );
}

#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_the_cpu_plays() {
    let done = without_adapters("play connect4 --steps 2").succeeded();
    assert!(done.out.starts_with("engine: CPU reference") && done.err.starts_with("notice: no usable GPU"));
}
