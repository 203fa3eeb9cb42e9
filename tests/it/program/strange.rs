//! Random changes to files, given to the program: it ends with a result or with one error, and never with a panic.

use crate::support::{
    prelude::*,
    strange::{cases, edited, edits, replaced, value},
};
use proptest::{collection::vec, prelude::*};
use std::sync::LazyLock;

const SETUP: &str = "game = \"connect4\"\nrows = 4\ncolumns = 4\ngames = 2\n\
    [[player]]\nname = \"yardstick\"\nplayer = \"vanilla:steps=20\"\n\
    [[player]]\nplayer = \"ocp-thrifty:trees=1,playouts=4,steps=6\"\n\
    [[player]]\nplayer = \"ocp-thrifty:trees=2,playouts=4,steps=6\"\n";

static GAMES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let (setup, log) = (write_file("strange-setup.toml", SETUP), fresh("strange-log.jsonl"));
    run(&format!("tournament {setup} --adapter cpu --log {log}")).succeeded();
    lines_of(&log)
});

fn log_of(name: &str, changes: &[(f64, Value)]) -> String {
    let games: String = GAMES.iter().map(|game| format!("{}\n", replaced(game.clone(), changes))).collect();
    write_file(name, &games)
}

/// The program has ended by itself; an error has the program's form.
fn check(done: &Done) -> Result<(), TestCaseError> {
    let errors = done.err.lines().filter(|line| line.starts_with("error: ")).count();
    let fits = match done.code {
        Some(0) => errors == 0,
        Some(2) => errors == 1,
        _ => false,
    };
    prop_assert!(fits, "{}", done);
    Ok(())
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn any_tournament_is_read_or_refused(
        edits in edits("[[player]]|games|= |\"|size = 5\n|komi|[|]|{}|#|''|game_file = \"x\"\n"),
    ) {
        let setup = write_file("strange-edited.toml", edited(SETUP, &edits));
        let log = log_of("strange-merged.jsonl", &[]);
        check(&run(&format!("tournament {setup} --merge {log}")))?;
    }

    #[test]
    fn any_log_is_drawn_or_refused(changes in vec((0.0..1.0, value()), 1..5)) {
        let log = log_of("strange-drawn.jsonl", &changes);
        check(&run(&format!("plot {log} --out {}", fresh_folder("strange-figures").display())))?;
        let setup = write_file("strange-setup-again.toml", SETUP);
        check(&run(&format!("tournament {setup} --merge {log} --json")))?;
    }

    #[test]
    fn any_results_of_bench_are_compared_or_refused(changes in vec((0.0..1.0, value()), 1..5)) {
        let text = include_str!("../../../benches/results/nvidia_h200.json");
        let document = serde_json::from_str(text).expect("a result of bench");
        let changed = write_file("strange-bench.json", replaced(document, &changes).to_string());
        let other = write_file("bench.json", text);
        check(&run(&format!("bench compare {changed} {other}")))?;
        check(&run(&format!("bench compare {other} {changed} --json")))?;
    }

    #[test]
    fn any_saved_game_is_loaded_or_refused(changes in vec((0.0..1.0, value()), 1..4)) {
        let saved = serde_json::json!({
            "version": "1", "game": "connect4", "board": "..../..../..../....", "turn": "X",
            "moves": [{"name": "1", "seconds": 0.5}, {"name": "2", "seconds": null}], "person": "O", "result": null,
        });
        let saved = write_file("strange-saved.json", replaced(saved, &changes).to_string());
        check(&run(&format!("play connect4 --rows 4 --columns 4 --adapter cpu --steps 2 --load {saved}")))?;
    }
}
