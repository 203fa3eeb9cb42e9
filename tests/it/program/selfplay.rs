//! `selfplay`.

use crate::support::prelude::*;

fn call(name: &str, more: &str) -> String {
    let out = fresh_folder(name);
    format!("selfplay connect4 --rows 4 --columns 5 --steps 8 --adapter cpu --out {} {more}", out.display())
}

#[test]
fn a_run_is_played_once() {
    let call = call("selfplay-once", "--games 5 --resign 0.2 --seed 3");
    let text = run(&call).succeeded();
    assert_eq!(text.err, "");
    assert_has(&text.out, &["self-play: connect4 by playouts, 8 steps, 5 games side by side, seed 3"]);
    assert_has(&text.out, &["training data: "]);
    let again = run(&format!("{call} --json")).succeeded();
    assert!(again.err.contains("has all of its games; nothing was played"), "{again}");
    let summary = again.json();
    assert_eq!((&summary["games"], &summary["was_finished"]), (&5.into(), &true.into()));
    let log = fresh_folder("selfplay-once-none");
    let log = log.with_file_name("selfplay-once").join("games.jsonl");
    run(&format!("replay {} --adapter cpu", log.display())).succeeded();
    run(&format!("{call} --steps 9")).refused(&["cannot be used multiple times"]);
    run(&call.replace("--steps 8", "--steps 9")).refused(&["with steps = 8, and this one has 9"]);
}

#[test]
fn bad_input_is_refused() {
    let net = fresh_folder("selfplay-othello.safetensors");
    fs::remove_file(&net).ok();
    fs::write(&net, network(&Othello, Trunk::Dense, 0, 16).to_bytes()).expect("the file is written");
    let small = network(&Connect4::default(), Trunk::Dense, 0, 16);
    assert_eq!(small.sizes().rows, 6);
    for (more, part) in [
        (&*format!("--games 5 --net {}", net.display()), "give one for connect4 on 4 x 5"),
        ("--games 0", "games 0: give 1 to"),
        ("--games 5 --parallel 0", "0 games side by side"),
        ("--games 5 --full-every 0", "give at least 1"),
        ("--games 5 --resign 0.7", "give 0 (never) to 0.5"),
        ("--games 5 --reuse", "leave out reuse"),
        ("--games 5 --settings-file nowhere.toml", "nowhere.toml"),
        ("", "--games"),
    ] {
        run(&call("selfplay-bad", more)).refused(&[part]);
    }
    let file = write_file("selfplay-no-folder", "");
    let call = call("selfplay-bad", "--games 5");
    let out = call.split("--out ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a folder");
    run(&call.replace(out, &file)).refused(&["can't be written"]);
}
