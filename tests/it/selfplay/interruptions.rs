//! An interrupted or killed run continues as if without the interruption.

use super::{config, evaluated, game, play, play_watched};
use crate::support::prelude::*;
use mcts_wgpu::selfplay::{self, SelfPlayConfig};

/// Plays until at least so many moves have been made.
fn play_to(engine: &Engine, moves: u64, folder: &Path) {
    let summary = play_watched(engine, &config(), folder, |now| match now.tally.searches >= moves {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    assert!(!summary.finished && summary.tally.searches >= moves);
}

#[test]
fn interrupted_runs_write_the_files_of_others() {
    let engine = evaluated(Engine::cpu(), &game(), false);
    let whole = fresh_folder("selfplay-whole");
    play(&engine, &config(), &whole);
    let expected = files_in(&whole);
    let folder = fresh_folder("selfplay-interrupted");
    for moves in [0, 1, 60, 120] {
        play_to(&engine, moves, &folder);
    }
    let early = files_in(&folder);
    assert!(early.keys().any(|name| name.starts_with("pending")), "{:?}", early.keys());
    assert!(play(&engine, &config(), &folder).finished);
    assert!(files_in(&folder) == expected);
    // A killed run has written more games to its log than its state counts.
    for name in early.keys().filter(|name| !name.starts_with("games")) {
        fs::write(folder.join(name), &early[name]).expect("the file is written");
    }
    for left in ["pending-1000.safetensors", "state.json.part"] {
        fs::write(folder.join(left), "").expect("the file is written");
    }
    assert!(!play_watched(&engine, &config(), &folder, |_| ControlFlow::Break(())).finished);
    assert!(play(&engine, &config(), &folder).finished);
    assert!(files_in(&folder) == expected);
}

#[test]
fn a_finished_run_says_so() {
    let engine = evaluated(Engine::cpu(), &game(), true);
    let config = SelfPlayConfig { games: 2, steps: 4, ..config() };
    let folder = fresh_folder("selfplay-finished");
    let first = play(&engine, &config, &folder);
    assert!(first.finished && !first.was_finished && first.parallel == 2);
    let expected = files_in(&folder);
    let again = play(&engine, &config, &folder);
    assert!(again.finished && again.was_finished);
    assert_eq!((again.tally, again.rounds, again.files), (first.tally, first.rounds, first.files));
    assert!(files_in(&folder) == expected);
}

#[test]
fn folders_of_other_runs_are_refused() {
    let engine = evaluated(Engine::cpu(), &game(), true);
    let begun = fresh_folder("selfplay-begun");
    play_watched(&engine, &config(), &begun, |_| ControlFlow::Break(()));
    let refused = |engine: &Engine, config: &SelfPlayConfig, folder: &Path, what: &str| {
        assert_bad(selfplay::run(engine, game(), config, folder, |_| ControlFlow::Break(())), what);
    };
    refused(
        &engine,
        &SelfPlayConfig { steps: 21, ..config() },
        &begun,
        "with steps = 20, and this one has 21",
    );
    refused(&Engine::cpu(), &config(), &begun, "and this one has \"none\"");
    let other = fresh_folder("selfplay-other");
    fs::create_dir_all(&other).expect("the folder is made");
    fs::write(other.join("games.jsonl"), "{}\n").expect("the file is written");
    refused(&engine, &config(), &other, "no state.json to go on from");
    refused(&engine, &config(), &begun.join("state.json"), "can't be written");
    fs::write(begun.join("games.jsonl"), "").expect("the file is written");
    fs::write(begun.join("state.json"), "{").expect("the file is written");
    refused(&engine, &config(), &begun, "state.json");
}
