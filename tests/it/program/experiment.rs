//! `experiment`: its settings, an interruption, the figures.

use crate::support::prelude::*;

#[test]
fn set_ups_are_those_of_the_paper() {
    for (name, players, first, pairs, time) in [
        ("connect4-grid", 65, "vanilla:c=2,time=5", "64 pairs, 6400 games", "160.0 h"),
        ("connect4-tournament", 5, "vanilla:c=2,time=5", "10 pairs, 1000 games", "41.7 h"),
        ("gomoku-tournament", 5, "vanilla:c=2,time=30", "10 pairs, 1000 games", "250.0 h"),
    ] {
        let listed = run(&format!("experiment {name} --dry-run")).succeeded();
        let lines: Vec<_> = listed.out.lines().take_while(|line| !line.is_empty()).collect();
        assert_eq!((lines.len(), lines[0]), (players, first), "{listed}");
        assert!(listed.out.contains(&format!("{pairs}, about {time} with 30 moves per game")), "{listed}");
        assert!(!PathBuf::from(name).exists());
    }
    let grid = run("experiment connect4-grid --dry-run --scale 0.1 --games 4").succeeded().out;
    assert!(grid.starts_with("vanilla:c=2,time=0.5\n"), "{grid}");
    assert!(grid.contains("\nacp-prodigal:original=true,trees=8,playouts=256,time=0.1\n"), "{grid}");
    let tournament = run("experiment gomoku-tournament --dry-run").succeeded().out;
    for player in
        ["ocp-thrifty:original=true,trees=4,playouts=128", "acp-thrifty:original=true,trees=4,playouts=256"]
    {
        assert!(tournament.contains(&format!("\n{player},time=30\n")), "{tournament}");
    }
}

#[test]
fn a_grid_is_played_and_goes_on() {
    let out = fresh_folder("experiment_grid");
    let arguments = format!(
        "experiment connect4-grid --scale 0.0005 --games 2 --trees 1 --playouts 4,8 --adapter cpu --out {}",
        out.display()
    );
    let done = run(&arguments).succeeded();
    let log = out.join("games.jsonl");
    let played = fs::read_to_string(&log).expect("the log");
    // Each of eight searches against vanilla, and no other pair.
    assert_eq!(played.lines().count(), 16);
    let table = fs::read_to_string(out.join("standings.md")).expect("the table");
    assert!(table.starts_with("| | player | A | score |") && done.out.contains(" player "), "{table} {done}");
    for name in ["scores", "playouts", "game-0"] {
        assert!(["svg", "png"].iter().all(|kind| out.join(format!("{name}.{kind}")).exists()), "{name}");
    }
    assert!(!out.join("game-1.svg").exists(), "one game stands for all");
    // After an interruption: five games are complete, and the sixth is not.
    let kept: String = played.lines().take(5).map(|line| format!("{line}\n")).collect();
    fs::write(&log, format!("{kept}{{\"version\"")).expect("the log is written");
    let again = run(&arguments).succeeded();
    assert!(again.err.contains("has 5 games already"), "{again}");
    let all = fs::read_to_string(&log).expect("the log");
    assert!(all.starts_with(&kept) && all.lines().count() == 16, "finished games were lost");
}

#[test]
fn a_tournament_is_played() {
    let (out, log) = (fresh_folder("experiment_tournament"), fresh("experiment_tournament.jsonl"));
    let arguments = format!(
        "experiment connect4-tournament --scale 0.0002 --games 1 --adapter cpu --log {log} --out {}",
        out.display()
    );
    let done = run(&arguments).succeeded();
    assert!(done.out.starts_with("connect4: 10 games\n\n    player "), "{done}");
    let table = fs::read_to_string(out.join("standings.md")).expect("the table");
    assert!(table.starts_with("| | player | A | B | C | D | E |"), "{done}");
    assert!(out.join("playouts.svg").exists() && out.join("game-0.png").exists(), "{done}");
    let json = run(&format!("{arguments} --json")).succeeded().json();
    assert_eq!((json["games"].as_u64(), json["pairs"].as_array().map(Vec::len)), (Some(10), Some(10)));
}

#[test]
fn invalid_experiments_are_refused() {
    for (arguments, parts) in [
        ("connect5-grid", &["connect4-grid"][..]),
        ("connect4-grid --scale 0", &["--scale 0", "positive"]),
        ("connect4-grid --scale nan", &["--scale NaN", "positive"]),
        ("connect4-grid --scale 1e-12 --dry-run", &["time=0"]),
        ("connect4-grid --games 0", &["--games 0", "at least 1"]),
        ("connect4-grid --playouts 3 --dry-run", &["playouts"]),
        ("gomoku-tournament --trees 2", &["--trees is an option of connect4-grid"]),
        ("connect4-grid --out /dev/null/below", &["--out /dev/null/below can't be created"]),
    ] {
        run(&format!("experiment {arguments}")).refused(parts);
    }
}
