//! Alpha-beta: the boards against oracles, and every engine against plain minimax.

use approx::assert_abs_diff_eq;
use mcts_wgpu::game::Player;
use mcts_wgpu::gpu::{Device, adapters};
use mcts_wgpu::pvsplit::figure::{Comparison, svg};
use mcts_wgpu::pvsplit::gpu::{DeviceBoard, Gpu};
use mcts_wgpu::pvsplit::{
    Board, Budget, Connect4, DepthReport, Event, Go, Move, Othello, Report, cpu, minimax, unobserved,
};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

fn data(name: &str) -> String {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn below(random: &mut Pcg64, n: usize) -> usize {
    (random.next_u64() % n as u64) as usize
}

/// Plays up to `plies` random legal moves, but does not end the game.
fn play_random<B: Board>(board: &mut B, plies: usize, random: &mut Pcg64) {
    let mut moves = Vec::new();
    for _ in 0..plies {
        board.legal_moves(&mut moves);
        let mv = moves[below(random, moves.len())];
        let undo = board.make(mv);
        if board.finished().is_some() {
            board.unmake(mv, undo);
            return;
        }
    }
}

fn go_rows(board: &Go) -> Vec<String> {
    let letter = |a: usize| board.stone(a).map_or('.', Player::symbol);
    let row = |y: usize| (0..board.size()).map(|x| letter(y * board.size() + x)).collect();
    (0..board.size()).rev().map(row).collect()
}

/// Liberties counted stone by stone from scratch, from the side to move.
fn liberties(board: &Go) -> i32 {
    let n = board.size();
    let mut sum = 0;
    for action in 0..n * n {
        let Some(player) = board.stone(action) else { continue };
        let (y, x) = (action / n, action % n);
        let near = [(y.wrapping_sub(1), x), (y + 1, x), (y, x.wrapping_sub(1)), (y, x + 1)];
        let on_board = near.iter().filter(|(y, x)| *y < n && *x < n);
        let empty = on_board.filter(|(y, x)| board.stone(y * n + x).is_none()).count() as i32;
        sum += if player == board.side() { empty } else { -empty };
    }
    sum
}

/// Everything that a later move could notice.
fn fingerprint(board: &Go) -> (Vec<String>, i32, u64, Option<Move>, u32, Player) {
    (go_rows(board), board.evaluate(), board.key(), board.ko(), board.passes(), board.side())
}

#[test]
fn go_legal_moves_and_area_agree_with_gnu_go_and_sgfmill() {
    let mut positions = 0;
    for line in data("go_legal_score.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        check_legal_record(&record);
        positions += 1;
    }
    assert!(positions > 400);
}

#[test]
fn go_makes_and_takes_back_as_boards_made_anew_do() {
    let mut random = Pcg64::seed_from_u64(1);
    for size in [2, 3, 4, 5, 7, 9, 19] {
        for _ in 0..20 {
            let mut board = Go::new(size).unwrap();
            let mut taken_back = Vec::new();
            let mut moves = Vec::new();
            for _ in 0..3 * size * size {
                board.legal_moves(&mut moves);
                let Some(&mv) = moves.get(below(&mut random, moves.len().max(1))) else { break };
                let before = fingerprint(&board);
                let promised = board.value_after(mv);
                let undo = board.make(mv);
                check_against_fresh(&board);
                assert_eq!(promised, -board.finished().unwrap_or_else(|| board.evaluate()));
                taken_back.push((mv, undo, before));
            }
            for (mv, undo, before) in taken_back.into_iter().rev() {
                board.unmake(mv, undo);
                assert_eq!(fingerprint(&board), before);
            }
        }
    }
}

fn check_against_fresh(board: &Go) {
    assert_eq!(board.evaluate(), liberties(board));
    let rows = go_rows(board);
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let fresh = Go::from_rows(&rows, board.side()).unwrap();
    assert_eq!(fresh.evaluate(), board.evaluate());
    assert_eq!(fresh.area(), board.area());
    let (mut now, mut anew) = (Vec::new(), Vec::new());
    board.legal_moves(&mut now);
    fresh.legal_moves(&mut anew);
    if board.passes() == 2 {
        assert!(now.is_empty());
        return;
    }
    let ko = board.ko();
    anew.retain(|&mv| Some(mv) != ko);
    if anew.is_empty() {
        anew.push(board.pass());
    }
    assert_eq!(now, anew);
    if ko.is_none() && board.passes() == 0 {
        assert_eq!(fresh.key(), board.key());
    }
}

fn check_legal_record(record: &serde_json::Value) {
    let texts = |key: &str| -> Vec<String> {
        record[key].as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
    };
    let mut board = Go::new(record["size"].as_u64().unwrap() as usize).unwrap();
    for name in texts("moves") {
        board.play(board.parse_move(&name).unwrap()).unwrap();
    }
    assert_eq!(go_rows(&board), texts("board"));
    assert_eq!(board.side() == Player::First, record["to_move"] == "b");
    assert_eq!(board.area() as i64, record["area_score_black"].as_i64().unwrap());
    if record.get("legal").is_none() {
        return;
    }
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    let legal: BTreeSet<String> =
        moves.iter().map(|&mv| board.move_name(mv)).filter(|name| name != "pass").collect();
    assert_eq!(legal, texts("legal").into_iter().collect());
}

/// Sequences of exactly so many legal moves.
fn sequences<B: Board>(board: &mut B, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    let count = |&mv: &Move| {
        let undo = board.make(mv);
        let below = sequences(board, depth - 1);
        board.unmake(mv, undo);
        below
    };
    moves.iter().map(count).sum()
}

#[test]
fn counts_of_move_sequences_of_connect4_and_othello() {
    let connect4 = [7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234];
    let othello = [4, 12, 56, 244, 1396, 8200, 55_092, 390_216];
    for depth in 1..=8 {
        assert_eq!(sequences(&mut Connect4::new(), depth), connect4[depth as usize - 1]);
        assert_eq!(sequences(&mut Othello::new(), depth), othello[depth as usize - 1]);
    }
}

/// The exact value of a move, by minimax on the position it leads to.
fn value_of_move<B: Board>(board: &B, mv: Move, depth: u32) -> i32 {
    let mut next = board.clone();
    next.make(mv);
    match depth {
        1 => -next.finished().unwrap_or_else(|| next.evaluate()),
        _ => -minimax(&next, Budget::depth(depth - 1), &mut unobserved).score(),
    }
}

/// Same score at every depth; the best move is worth it; the line is one that can be played to a leaf of that score.
fn check_report<B: Board>(board: &B, found: &Report, expected: &Report) {
    assert_eq!(found.per_depth.len(), expected.per_depth.len());
    for (f, e) in found.per_depth.iter().zip(&expected.per_depth) {
        assert_eq!((f.depth, f.score), (e.depth, e.score), "{board:?}");
        let mut leaf = board.clone();
        for &mv in &f.principal_variation {
            leaf.make(mv);
        }
        let turns = f.principal_variation.len() as u32;
        let value = leaf.finished().unwrap_or_else(|| leaf.evaluate());
        assert_eq!(
            if turns.is_multiple_of(2) { value } else { -value },
            f.score,
            "{:?} {board:?}",
            f.principal_variation
        );
        assert!(turns == f.depth || leaf.finished().is_some());
    }
    if let Some(best) = found.best() {
        assert_eq!(value_of_move(board, best, found.last().depth), found.score());
    }
}

/// Random positions of every game: `check` gets each with the depth to search it to.
trait Check {
    fn check<B: DeviceBoard + 'static>(&mut self, board: &B, depth: u32);
}

fn random_positions(each: usize, seed: u64, check: &mut impl Check) {
    let mut random = Pcg64::seed_from_u64(seed);
    for i in 0..each {
        for (size, depth) in [(2, 6), (3, 6), (5, 5), (7, 4), (19, 2)] {
            let mut board = Go::new(size).unwrap();
            play_random(&mut board, below(&mut random, 2 * size * size), &mut random);
            // The deepest trees are few, since minimax looks at every node of them.
            let shallower = if i % 16 == 0 { 0 } else { 1 + below(&mut random, depth - 1) };
            check.check(&board, (depth - shallower) as u32);
        }
        let mut board = Othello::new();
        play_random(&mut board, below(&mut random, 60), &mut random);
        check.check(&board, if i % 16 == 0 { 6 } else { 1 + below(&mut random, 5) as u32 });
        let mut board = Connect4::new();
        play_random(&mut board, below(&mut random, 40), &mut random);
        check.check(&board, if i % 16 == 0 { 8 } else { 1 + below(&mut random, 7) as u32 });
    }
}

struct CpuEqualsMinimax;

impl Check for CpuEqualsMinimax {
    fn check<B: DeviceBoard + 'static>(&mut self, board: &B, depth: u32) {
        let expected = minimax(board, Budget::depth(depth), &mut unobserved);
        check_report(board, &cpu::search(board, Budget::depth(depth), &mut unobserved), &expected);
    }
}

#[test]
fn cpu_equals_minimax_on_random_positions() {
    random_positions(100, 2, &mut CpuEqualsMinimax);
}

#[test]
fn cpu_solves_the_connect4_end_games() {
    for line in data("Test_L3_R1.txt").lines() {
        let (moves, score) = line.split_once(' ').unwrap();
        let board = Connect4::from_digits(moves).unwrap();
        let empty = Budget::depth(42 - moves.len() as u32);
        assert_eq!(
            cpu::search(&board, empty, &mut unobserved).score(),
            score.parse::<i32>().unwrap(),
            "{moves}"
        );
    }
}

#[test]
fn time_ends_a_search_with_a_finished_depth() {
    let budget = Budget { depth: 40, time: Some(Duration::from_millis(1)) };
    let report = cpu::search(&Go::centre(19).unwrap(), budget, &mut unobserved);
    assert!((1..40).contains(&report.last().depth));
    assert!(report.best().is_some());
}

#[test]
fn a_finished_game_has_its_area_as_score_and_no_move() {
    let mut board = Go::from_rows(&["X..", "XX.", "X.."], Player::Second).unwrap();
    board.play(board.pass()).unwrap();
    board.play(board.pass()).unwrap();
    let report = cpu::search(&board, Budget::depth(3), &mut unobserved);
    assert_eq!((report.score(), report.best()), (-9000, None));
    assert!(board.play(0).unwrap_err().is_bad_input());
}

#[test]
fn a_comparison_counts_time_from_the_start_and_draws_every_depth() {
    let report = |seconds: [f64; 2]| Report {
        per_depth: (1..)
            .zip(seconds)
            .map(|(depth, seconds)| DepthReport {
                depth,
                score: 0,
                principal_variation: vec![0],
                nodes: 1,
                seconds,
            })
            .collect(),
        workers: None,
    };
    let comparison = Comparison { label: "5x5 <&>".into(), cpu: report([1.0, 5.0]), gpu: report([2.0, 1.0]) };
    let speed_ups: Vec<f64> = comparison.rows().iter().map(|row| row.speed_up()).collect();
    assert_abs_diff_eq!(speed_ups[..], [0.5, 2.0]);
    let figure = svg(&[comparison]);
    assert_eq!(figure.matches("<circle").count(), 6);
    assert!(figure.contains("5x5 &lt;&amp;&gt;, PV-Split"));
}

#[test]
fn boards_that_cannot_be_are_refused() {
    assert!(Go::new(1).unwrap_err().is_bad_input());
    assert!(Go::new(20).unwrap_err().is_bad_input());
    for rows in [["X.", "."], ["X.", ".?"], ["OX", "XX"]] {
        assert!(Go::from_rows(&rows, Player::First).unwrap_err().is_bad_input(), "{rows:?}");
    }
    assert!(Othello::from_letters("XO", Player::First).unwrap_err().is_bad_input());
    for digits in ["8", "x", "1111111", "12121212"] {
        assert!(Connect4::from_digits(digits).unwrap_err().is_bad_input(), "{digits}");
    }
}

fn device() -> Device {
    adapters::find("auto", None).and_then(|adapter| adapter.open()).expect("these tests need an adapter")
}

/// Enough for the end games of Connect 4, and for 10 empty squares of Othello with a pass after every move.
const MAX_PLIES: u32 = 20;

/// One compiled search a kind of board.
struct Engines {
    device: Device,
    workers: u32,
    by_board: HashMap<String, Box<dyn Any>>,
}

impl Engines {
    fn new(workers: u32) -> Self {
        Self { device: device(), workers, by_board: HashMap::new() }
    }

    fn of<B: DeviceBoard + 'static>(&mut self, board: &B) -> &mut Gpu<B> {
        let shader = board.shader();
        let key = format!("{} {:?}", shader.file, shader.constants);
        let make = || {
            Box::new(Gpu::new(&self.device, board, MAX_PLIES, Some(self.workers)).unwrap()) as Box<dyn Any>
        };
        self.by_board.entry(key).or_insert_with(make).downcast_mut().unwrap()
    }
}

impl Check for Engines {
    fn check<B: DeviceBoard + 'static>(&mut self, board: &B, depth: u32) {
        let expected = minimax(board, Budget::depth(depth), &mut unobserved);
        let found = self.of(board).search(board, Budget::depth(depth), &mut unobserved).unwrap();
        check_report(board, &found, &expected);
    }
}

#[test]
fn gpu_equals_minimax_on_random_positions() {
    random_positions(100, 3, &mut Engines::new(256));
}

#[test]
fn gpu_equals_the_sequential_search_deeper_down_whatever_the_workers() {
    for (size, depth, workers) in [(5, 7, 64), (5, 7, 8192), (9, 4, 512), (19, 3, 512)] {
        let board = Go::centre(size).unwrap();
        let expected = cpu::search(&board, Budget::depth(depth), &mut unobserved);
        let floor = adapters::find("auto", None).and_then(|a| a.open_with_floor_limits()).unwrap();
        let mut gpu = Gpu::new(&floor, &board, depth, Some(workers)).unwrap();
        for _ in 0..2 {
            let found = gpu.search(&board, Budget::depth(depth), &mut unobserved).unwrap();
            let scores = |r: &Report| r.per_depth.iter().map(|d| d.score).collect::<Vec<_>>();
            assert_eq!(scores(&found), scores(&expected));
            let used = found.workers.unwrap();
            assert_eq!(used.count, workers);
            assert!(used.busy > 0.0 && used.busy <= 1.0 && used.subtrees > 0);
        }
    }
}

#[test]
fn time_ends_a_search_on_the_device_and_the_next_one_is_whole() {
    let board = Go::centre(9).unwrap();
    let mut gpu = Gpu::new(&device(), &board, 40, Some(256)).unwrap();
    let budget = Budget { depth: 40, time: Some(Duration::from_millis(300)) };
    assert!((1..40).contains(&gpu.search(&board, budget, &mut unobserved).unwrap().last().depth));
    // At the first depth that takes more than one submission, whichever that is on this device.
    let mut stopped_at = Vec::new();
    let mut stop = |event: Event<'_>| match event {
        Event::Tick { depth, .. } if depth > 1 => {
            stopped_at.push(depth);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    };
    let stopped = gpu.search(&board, Budget::depth(40), &mut stop).unwrap();
    assert_eq!(stopped_at, [stopped.last().depth + 1]);
    let whole = gpu.search(&board, Budget::depth(stopped.last().depth), &mut unobserved).unwrap();
    let scores = |report: &Report| report.per_depth.iter().map(|depth| depth.score).collect::<Vec<_>>();
    assert_eq!(scores(&stopped), scores(&whole));
}

#[test]
fn a_search_refuses_what_it_was_not_compiled_for() {
    let board = Go::centre(5).unwrap();
    let device = device();
    let mut gpu = Gpu::new(&device, &board, 2, Some(64)).unwrap();
    let other = Go::centre(7).unwrap();
    assert!(gpu.search(&other, Budget::depth(2), &mut unobserved).unwrap_err().is_bad_input());
    assert!(gpu.search(&board, Budget::depth(3), &mut unobserved).unwrap_err().is_bad_input());
    assert!(Gpu::new(&device, &board, 0, None).unwrap_err().is_bad_input());
    assert!(Gpu::new(&device, &board, 3, Some(u32::MAX)).unwrap_err().is_bad_input());
}

#[test]
fn gpu_solves_the_connect4_end_games() {
    let mut engines = Engines::new(256);
    for line in data("Test_L3_R1.txt").lines() {
        let (moves, score) = line.split_once(' ').unwrap();
        let board = Connect4::from_digits(moves).unwrap();
        let budget = Budget::depth(42 - moves.len() as u32);
        let report = engines.of(&board).search(&board, budget, &mut unobserved).unwrap();
        assert_eq!(report.score(), score.parse::<i32>().unwrap(), "{moves}");
    }
}

#[test]
fn all_engines_solve_othello_end_games_to_the_end() {
    let mut engines = Engines::new(256);
    for line in data("othello_exact_random.txt").lines().filter(|line| !line.starts_with('#')).take(8) {
        let fields: Vec<&str> = line.split(' ').collect();
        let side = if fields[1] == "X" { Player::First } else { Player::Second };
        let mut board = Othello::from_letters(fields[0], side).unwrap();
        let budget = Budget::depth(MAX_PLIES);
        let sequential = cpu::search(&board, budget, &mut unobserved);
        let split = engines.of(&board).search(&board, budget, &mut unobserved).unwrap();
        assert_eq!(split.score(), sequential.score(), "{line}");
        // Minimax cannot look at ten squares' worth of moves: it judges the line of play from its fourth move on.
        for &mv in &split.last().principal_variation[..3] {
            board.make(mv);
        }
        let rest = minimax(&board, Budget::depth(MAX_PLIES - 3), &mut unobserved);
        assert_eq!(-rest.score(), split.score(), "{line}");
    }
}
