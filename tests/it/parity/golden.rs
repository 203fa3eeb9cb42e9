//! Results of the original CUDA program, to the last digit (`tests/golden/README.md`).

use crate::support::adapters::{SCHEDULES, cases, each_adapter, opened};
use mcts_wgpu::{
    Budget, Config, Engine, Game, Player, Position, Report, Schedule, Search,
    games::{Connect4, Gomoku},
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    game: String,
    board: BTreeMap<String, u32>,
    variant: String,
    trees: u32,
    playouts: u32,
    seed: u64,
    ucb_c: f32,
    searches: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    steps: u64,
    moves: Option<Vec<u32>>,
    rows_top_first: Option<Vec<String>>,
    turn: Option<i32>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    best_action: u32,
    n_root: u64,
    actions: BTreeMap<u32, (u64, u64)>,
    tree_sizes: Vec<u32>,
    mean_depth: f64,
    max_depth: u32,
}

fn golden() -> Vec<Case> {
    let file: File =
        serde_json::from_str(include_str!("../../golden/mctsnc_cuda.json")).expect("the golden file parses");
    assert!(file.cases.len() > 30);
    file.cases
}

fn position<G: Game>(game: &G, run: &Run) -> Position<G> {
    if let Some(rows) = &run.rows_top_first {
        let rows: Vec<_> = rows.iter().map(String::as_str).collect();
        let turn = if run.turn == Some(1) { Player::First } else { Player::Second };
        return Position::from_board(game, &rows, turn).expect("the board is legal");
    }
    let moves: Vec<_> = run.moves.iter().flatten().map(u32::to_string).collect();
    Position::from_moves(game, &moves).expect("the moves are legal")
}

/// What the report says that differs from what the original found.
fn differences(report: &Report, expected: &Expected) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |what: &str, same: bool| {
        if !same {
            found.push(what.to_owned());
        }
    };
    let actions: BTreeMap<_, _> = report.actions.iter().map(|a| (a.index, (a.n, a.n_wins as u64))).collect();
    check("n_root", report.n_root == expected.n_root);
    check("actions", actions == expected.actions);
    check("best", report.best.as_ref().map(|b| b.index) == Some(expected.best_action));
    check("sizes", report.trees_info.sizes == expected.tree_sizes);
    check("mean depth", (report.trees_info.mean_depth - expected.mean_depth).abs() < 1e-12);
    check("max depth", report.trees_info.max_depth == expected.max_depth);
    found
}

fn run_case<G: Game>(engine: &Engine, game: G, case: &Case, schedule: Schedule) {
    let steps = case.searches.iter().map(|run| run.steps).max().unwrap_or(1);
    let config = Config {
        variant: case.variant.parse().expect("the variant exists"),
        trees: case.trees,
        playouts: case.playouts,
        ucb_c: case.ucb_c,
        seed: case.seed,
        schedule,
        node_limit: Some(1 + steps as u32 * game.max_actions()),
        ..Config::original()
    };
    let mut search = Search::with_config(engine, game.clone(), config).expect("the search starts");
    for (index, run) in case.searches.iter().enumerate() {
        let report = search.run(&position(&game, run), Budget::steps(run.steps)).expect("the search runs");
        let found = differences(&report, &run.expected);
        assert!(found.is_empty(), "{} run {index} on {:?}: {found:?} differ", case.name, report.engine);
    }
}

fn run_all<'a>(engine: &Engine, schedule: Schedule, cases: impl IntoIterator<Item = &'a Case>) {
    for case in cases {
        match case.game.as_str() {
            "connect4" => {
                let game =
                    Connect4::new(case.board["rows"], case.board["columns"]).expect("the board exists");
                run_case(engine, game, case, schedule);
            }
            _ => run_case(engine, Gomoku::new(case.board["size"]).expect("the board exists"), case, schedule),
        }
    }
}

#[test]
fn the_cpu_reference_gives_the_originals_results() {
    run_all(&Engine::cpu(), Schedule::Auto, &golden());
}

/// One case of each game, board and variant: the parity suite holds adapters to the CPU in all sizes.
#[test]
fn every_adapter_gives_the_originals_results() {
    let mut kinds = golden();
    kinds.sort_by_key(|case| (case.trees * case.playouts, case.searches.len()));
    let mut known = BTreeSet::new();
    kinds.retain(|case| known.insert((case.game.clone(), case.board.clone(), case.variant.clone())));
    assert!(kinds.len() >= 8);
    each_adapter(|adapter| {
        for &schedule in cases(adapter, &SCHEDULES) {
            run_all(&opened(adapter), schedule, cases(adapter, &kinds));
        }
    });
}

#[test]
fn a_wrong_result_is_noticed() {
    let case = &golden()[1];
    let game = Connect4::default();
    let config = Config {
        variant: case.variant.parse().expect("the variant exists"),
        trees: case.trees,
        playouts: case.playouts,
        seed: case.seed + 1,
        node_limit: Some(2000),
        ..Config::original()
    };
    let mut search = Search::with_config(&Engine::cpu(), game.clone(), config).expect("the search starts");
    let run = &case.searches[0];
    let report = search.run(&position(&game, run), Budget::steps(run.steps)).expect("the search runs");
    assert!(differences(&report, &run.expected).contains(&"actions".to_owned()));
}
