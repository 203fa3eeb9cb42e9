//! The games of games/ against counts and solutions by another implementation of them (oracle.py).

use super::{library, small};
use crate::support::prelude::*;
use mcts_wgpu::conformance::FileCheck;
use serde::Deserialize;

const MOST_LEAVES: u64 = 30_000;
const PLAYOUTS: usize = 20;

#[derive(Deserialize)]
struct Counts {
    max_actions: u32,
    max_plies: u32,
    perft: Vec<u64>,
    #[serde(default)]
    perft_deep: Vec<(u32, u64)>,
    subtrees: Vec<Subtree>,
    solved: Vec<Solved>,
    playouts: Vec<Playout>,
}

#[derive(Deserialize)]
struct Subtree {
    moves: Vec<u32>,
    depth: u32,
    leaves: u64,
}

#[derive(Deserialize)]
struct Solved {
    moves: Vec<u32>,
    outcome: String,
    best: Vec<u32>,
}

#[derive(Deserialize)]
struct Playout {
    moves: Vec<u32>,
    legal: Vec<usize>,
    outcome: String,
}

fn counts() -> BTreeMap<String, Counts> {
    serde_json::from_str(include_str!("counts.json")).expect("counts as oracle.py writes them")
}

fn games(engine: &Engine) -> Vec<(GameFile, Counts)> {
    let mut counts = counts();
    let files = library().into_iter().filter_map(|(name, text)| {
        let counts = counts.remove(&name)?;
        let game = GameFile::from_wgsl(&name, &text, engine).unwrap_or_else(|error| panic!("{error}"));
        Some((game, counts))
    });
    let found: Vec<_> = files.collect();
    assert!(counts.is_empty() && found.len() >= 6, "counts of games that there are not");
    found
}

fn after(game: &GameFile, moves: &[u32]) -> Position<GameFile> {
    let mut position = Position::start(game);
    for &action in moves {
        position.play(action).unwrap_or_else(|error| panic!("{}: {moves:?}: {error}", game.name()));
    }
    position
}

fn outcome(text: &str) -> Outcome {
    match text {
        "first" => Outcome::FirstWins,
        "second" => Outcome::SecondWins,
        "draw" => Outcome::Draw,
        _ => panic!("'{text}' is no outcome"),
    }
}

fn assert_counts(game: &GameFile, counts: &Counts) {
    let name = game.name();
    assert_eq!((game.max_actions(), game.max_plies()), (counts.max_actions, counts.max_plies), "{name}");
    assert!(game.notices().is_empty(), "{:?}", game.notices());
    for action in 0..game.max_actions() {
        let called = game.action_name(action);
        assert_eq!(game.parse_action(&called), Some(action), "{name}: {called}");
        let has_names = called.starts_with(|first: char| first.is_ascii_alphabetic()) || called.contains('-');
        assert!(has_names, "{name}: {called}");
    }
    let start = Position::start(game);
    let deep = counts.perft_deep.iter().copied();
    for (depth, leaves) in (0..).zip(counts.perft.iter().copied()).chain(deep) {
        if leaves <= MOST_LEAVES {
            assert_eq!(perft(&start, depth).expect("the device answers"), leaves, "{name}, depth {depth}");
        }
    }
    for Subtree { moves, depth, leaves } in
        counts.subtrees.iter().filter(|subtree| subtree.leaves <= MOST_LEAVES)
    {
        let found = perft(&after(game, moves), *depth).expect("the device answers");
        assert_eq!(found, *leaves, "{name} after {moves:?}, depth {depth}");
    }
}

fn assert_playouts(game: &GameFile, counts: &Counts) {
    for Playout { moves, legal, outcome: ended } in counts.playouts.iter().take(PLAYOUTS) {
        let mut position = Position::start(game);
        for (&action, &legal) in moves.iter().zip(legal) {
            assert_eq!(position.outcome(), None, "{} {moves:?}", game.name());
            assert_eq!(position.legal_actions().len(), legal, "{} {moves:?}", game.name());
            position.play(action).expect("a legal action");
        }
        assert_eq!(position.outcome(), Some(outcome(ended)), "{} {moves:?}", game.name());
    }
}

#[test]
fn every_game_agrees_with_its_counts() {
    each_adapter(|adapter| {
        for (game, counts) in games(&opened(adapter)) {
            assert_counts(&game, &counts);
            assert_playouts(&game, &counts);
        }
    });
}

#[test]
fn a_check_finds_nothing_in_them() {
    let mut check = FileCheck::default();
    check.games = 8;
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for (game, _) in cases(adapter, &games(&engine)) {
            let report = check.run(game, &engine).expect("the device answers");
            assert_eq!(report.findings, [], "{}", game.name());
            assert_eq!((report.statistics.games, &*report.game), (8, game.name()));
        }
    });
}

/// Games, the solved positions to search (the player to move wins by some actions alone), and the steps that suffice.
const SEARCHED: [(&str, &[usize], u64); 5] = [
    ("tictactoe", &[3, 4], 150),
    ("nim357", &[2], 300),
    ("domineering5", &[1, 2], 150),
    ("clobber", &[4], 150),
    ("breakthrough", &[0], 60),
];

#[test]
fn searches_find_solved_outcomes() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let config = Config { ucb_c: 1.0, ..small(Variant::ACP_PRODIGAL, Schedule::Auto) };
        for (game, counts) in games(&engine) {
            let mut searched = cases(adapter, &SEARCHED);
            let Some((name, which, steps)) = searched.find(|(name, ..)| *name == game.name()) else {
                continue;
            };
            let mut search = search_on(&engine, game.clone(), config);
            for Solved { moves, outcome: solved, best } in which.iter().map(|&at| &counts.solved[at]) {
                let position = after(&game, moves);
                assert_eq!(position.turn().wins(), outcome(solved), "{name} after {moves:?}");
                let report = search.steps(&position, *steps);
                let found = report.best.expect("the game goes on").index;
                assert!(best.contains(&found), "{name} after {moves:?}: {found}");
            }
        }
    });
}
