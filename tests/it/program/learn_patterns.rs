//! `mcts-wgpu learn-patterns`.

use crate::support::prelude::*;

const SAMPLE: &str = "tests/data/gnugo_selfplay.sgf";

fn output_file(name: &str) -> String {
    write_file(name, "what was there before, longer than a line")
}

/// The path of a table that is not read.
fn scrap() -> String {
    output_file("scrap.txt")
}

#[test]
fn a_table_is_learnt_and_written() {
    for shape in PatternShape::ALL {
        let (name, out) = (shape.name(), output_file(&format!("learnt-{}.txt", shape.name())));
        let done = run(&format!("learn-patterns {SAMPLE} --shape {name} --out {out} --hold-out 0.2 --json"));
        let report = done.succeeded().json();
        assert_eq!((report["shape"].as_str(), report["games"].as_u64()), (Some(name), Some(27)));
        let held_out = |by: &str| report["held_out_log_likelihood"][by].as_f64().expect("a number");
        assert!(held_out("table") > held_out("uniform") + 0.8, "{report}");
        assert_eq!(report["table"], out);
        let table = PatternTable::load(Path::new(&out)).expect("it is a table");
        assert_eq!(table.shape(), shape);
        assert!(table.patterns().count() > 100);
    }
}

#[test]
fn the_same_games_give_the_same_table() {
    let learn = |name: &str, options: &str| {
        let out = output_file(name);
        run(&format!("learn-patterns {SAMPLE} --shape m2 --out {out} {options}")).succeeded();
        fs::read_to_string(out).expect("a table was written")
    };
    let table = learn("once.txt", "");
    assert_eq!(table, learn("again.txt", ""));
    assert_ne!(table, learn("all.txt", "--hold-out 0"));
    assert_ne!(table, learn("fewer.txt", "--min-seen 20"));
    assert_ne!(table, learn("prior.txt", "--prior 4"));
    assert_ne!(table, learn("sweeps.txt", "--max-sweeps 3"));
}

#[test]
fn the_text_has_the_quality_of_predictions() {
    let out = scrap();
    let done = run(&format!("learn-patterns {SAMPLE} --shape 3x3 --out {out}")).succeeded();
    assert_has(&done.out, &["3x3 patterns from 30 games", "3 games", "converged"]);
    assert_has(&done.out, &["moves learnt from", "moves held out"]);
    assert!(done.out.ends_with(&format!("table: {out} (to use it: --policy {out})\n")), "{done}");
    let done = run(&format!("learn-patterns {SAMPLE} --hold-out 0 --max-sweeps 1 --out {out}")).succeeded();
    assert!(done.out.contains("not converged") && !done.out.contains("moves held out"), "{done}");
}

#[test]
fn without_a_name_the_table_goes_to_a_new_file() {
    let folder = fresh_folder("tables");
    fs::create_dir(&folder).expect("the folder is made");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLE);
    let learn = format!("learn-patterns {}", sample.display());
    let run_here = |arguments: &str| finish(arguments, command(arguments).current_dir(&folder));
    let done = run_here(&learn).succeeded();
    assert!(done.out.contains("table: patterns-3x3.txt (to use it: --policy patterns-3x3.txt)"), "{done}");
    let table = fs::read_to_string(folder.join("patterns-3x3.txt")).expect("the table was written");
    assert!(table.contains("shape 3x3"), "{table}");
    run_here(&learn).refused(&["patterns-3x3.txt exists already", "--out patterns-3x3.txt to replace it"]);
    run_here(&format!("{learn} --hold-out 0 --out patterns-3x3.txt")).succeeded();
    assert_ne!(fs::read_to_string(folder.join("patterns-3x3.txt")).expect("it is there still"), table);
}

#[test]
fn where_nothing_is_learnt_no_file_is_left_or_changed() {
    let folder = fresh_folder("no-tables");
    fs::create_dir(&folder).expect("the folder is made");
    let passes = write_file("only-passes.sgf", "(;SZ[9];B[];W[])");
    let out = folder.join("table.txt");
    let learn = format!("learn-patterns {passes} --out {}", out.display());
    run(&learn).refused(&["no move to learn from"]);
    assert!(!out.exists());
    fs::write(&out, "kept").expect("the folder can be written");
    run(&learn).refused(&["no move to learn from"]);
    assert_eq!(fs::read_to_string(&out).expect("it is there still"), "kept");
}

#[test]
fn bad_games_end_the_learning_or_are_left_out() {
    let good = fs::read_to_string(SAMPLE).expect("the sample is there");
    let file = write_file("some-bad.sgf", format!("(;SZ[9];B[aa];W[aa])\n{good}\n(;SZ[50])"));
    run(&format!("learn-patterns {file} --out {}", scrap()))
        .refused(&["some-bad.sgf: game 1 (line 1): move 2, White at A9"]);
    let done =
        run(&format!("learn-patterns {SAMPLE} {file} --skip-bad --json --out {}", scrap())).succeeded();
    let report = done.json();
    let games = ["games", "held_out_games"].map(|name| report[name].as_u64());
    assert_eq!(games, [Some(60), Some(6)]);
    assert_eq!(done.err.lines().count(), 2);
    assert_has(&done.err, &["game 1 (line 1): move 2", "left out"]);
    assert_has(&done.err, &["game 35 (line 36): a Go board of 50 x 50"]);
}

#[test]
fn bad_input_is_refused() {
    run("learn-patterns").refused(&["<FILE>"]);
    let out = scrap();
    let refused = |arguments: &str, said: &[&str]| {
        let out = if arguments.contains("--out") { String::new() } else { format!("--out {out}") };
        run(&format!("learn-patterns {arguments} {out}")).refused(said);
    };
    refused("no-such.sgf", &["no-such.sgf", "No such file"]);
    refused(&format!("{SAMPLE} --shape 5x5"), &["'5x5'", "3x3, m2"]);
    refused(&format!("{SAMPLE} --hold-out 1"), &["held out", "below 1"]);
    refused(&format!("{SAMPLE} --prior 0"), &["prior", "above 0"]);
    refused(&format!("{SAMPLE} --max-sweeps 0"), &["a sweep at least"]);
    refused(&format!("{SAMPLE} --min-seen many"), &["'many'", "--min-seen"]);
    refused(
        &format!("{SAMPLE} --out no/such/folder/table.txt"),
        &["--out no/such/folder/table.txt can't be written", "No such file"],
    );
    let broken = write_file("broken.sgf", "(;SZ[9]KM[much];B[aa])");
    refused(&broken, &["broken.sgf", "game 1 (line 1)", "komi is not a number"]);
    let passes = write_file("passes.sgf", "(;SZ[9];B[];W[])");
    refused(&passes, &["no move to learn from"]);
}
