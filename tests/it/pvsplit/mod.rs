//! Alpha-beta: the boards against oracles, and every engine against plain minimax.

mod planted;

use crate::support::{
    naive_go::{self, neighbours, point_of, stones_of},
    play::{data, json_lines},
    prelude::*,
};
use mcts_wgpu::pvsplit::{
    Board, Connect4Board, DeviceBoard, GoBoard, Move, OthelloBoard, PvSplit, SplitProgress, SplitReport,
    SplitSizes, minimax, sequential,
};
use std::any::Any;

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

/// Deep enough for every end game here.
const TO_THE_END: SplitLimit = SplitLimit::depth(64);

fn start<B: Board>(game: &B::Game) -> B {
    B::from_position(&Position::start(game)).expect("every game here has a board")
}

/// Go without a limit on moves, as alpha-beta has none.
fn go(size: u32) -> Go {
    Go::new(size, 0.0).and_then(|go| go.with_max_moves(Go::MAX_MOVES)).expect("a board")
}

/// The position after moves given as digits, columns counted from 1.
fn connect4(digits: &str) -> Connect4Board {
    let columns = digits.bytes().map(|digit| (digit - b'1').to_string()).collect::<Vec<_>>();
    let position = position_after(&Connect4::default(), &columns);
    Connect4Board::from_position(&position).expect("a board")
}

fn connect4_end_games() -> Vec<(Connect4Board, i32)> {
    let end_game = |line: &str| {
        let (moves, score) = line.split_once(' ').unwrap();
        (connect4(moves), score.parse().unwrap())
    };
    data("Test_L3_R1.txt").lines().map(end_game).collect()
}

/// Positions of Othello with so many empty squares, from random games.
fn othello_positions(empty: usize) -> Vec<Position<Othello>> {
    let end_game = |record: Value| {
        let mut position = Position::start(&Othello);
        for action in record["actions"].as_array().unwrap() {
            if Othello.board_rows(position.state()).concat().matches('.').count() == empty {
                return Some(position);
            }
            position.play(action.as_u64().unwrap() as u32).unwrap();
        }
        None
    };
    json_lines("traces_othello.jsonl").into_iter().filter_map(end_game).collect()
}

fn othello_end_games(empty: usize) -> Vec<OthelloBoard> {
    othello_positions(empty).iter().map(|position| OthelloBoard::from_position(position).unwrap()).collect()
}

/// Liberties counted stone by stone from scratch, from the side to move.
fn liberties(position: &Position<Go>) -> i32 {
    let (game, [own, other]) = (position.game(), stones_of(position.turn()));
    let board = naive_go::Board::of(game, position.state());
    let empty = |point| neighbours(point).iter().filter(|&&near| board.at(near) == Some(b'.')).count() as i32;
    let value = |point| match board.at(point) {
        Some(stone) if stone == own => empty(point),
        Some(stone) if stone == other => -empty(point),
        _ => 0,
    };
    (0..game.pass()).map(|action| value(point_of(game, action))).sum()
}

/// All that later moves depend on.
fn fingerprint(board: &GoBoard) -> (impl PartialEq + std::fmt::Debug + use<>, i32, u64, Player) {
    (board.state(), board.evaluate(), board.key(), board.side())
}

#[test]
fn go_legal_moves_and_area_agree_with_gnu_go_and_sgfmill() {
    let records = json_lines("go_legal_score.jsonl");
    assert!(records.len() > 400);
    records.iter().for_each(check_legal_record);
}

#[test]
fn go_makes_and_takes_back_as_boards_made_anew_do() {
    let mut random = Pcg64::seed_from_u64(1);
    for size in [2, 3, 4, 5, 7, 9, 19] {
        for _ in 0..20 {
            let mut position = Position::start(&go(size));
            let mut board = GoBoard::from_position(&position).unwrap();
            let mut taken_back = Vec::new();
            let mut moves = Vec::new();
            for _ in 0..3 * size * size {
                board.legal_moves(&mut moves);
                let Some(&mv) = moves.get(below(&mut random, moves.len().max(1))) else { break };
                let before = fingerprint(&board);
                let estimated = board.value_after(mv);
                let undo = board.make(mv);
                position.play(mv.into()).unwrap();
                check_against_game(&board, &position);
                assert_eq!(estimated, -board.finished().unwrap_or_else(|| board.evaluate()));
                taken_back.push((mv, undo, before));
            }
            for (mv, undo, before) in taken_back.into_iter().rev() {
                board.unmake(mv, undo);
                assert_eq!(fingerprint(&board), before);
            }
        }
    }
}

/// The game has other code for its rules, without chains.
fn check_against_game(board: &GoBoard, position: &Position<Go>) {
    let anew = GoBoard::from_position(position).unwrap();
    assert_eq!(fingerprint(board), fingerprint(&anew));
    assert_eq!(board.evaluate(), liberties(position));
    assert_eq!(board.side(), position.turn());
    let rows = |state| position.game().board_rows(&state);
    assert_eq!(rows(board.state()), rows(*position.state()));
    let mut expected = position.legal_actions();
    if position.outcome().is_none() && expected.len() > 1 {
        expected.retain(|&action| action < position.game().pass());
    }
    for made in [board, &anew] {
        let mut moves = Vec::new();
        made.legal_moves(&mut moves);
        assert_eq!(moves.into_iter().map(u32::from).collect::<Vec<_>>(), expected);
    }
    let area = position.game().area_score(position.state());
    let own_area = if board.side() == Player::First { area } else { -area };
    assert_eq!(board.finished(), position.outcome().map(|_| 1000 * own_area));
}

fn check_legal_record(record: &serde_json::Value) {
    let texts = |key: &str| -> Vec<String> { serde_json::from_value(record[key].clone()).unwrap() };
    let game = go(record["size"].as_u64().unwrap() as u32);
    let board = GoBoard::from_position(&position_after(&game, &texts("moves"))).unwrap();
    assert_eq!(game.board_rows(&board.state()), texts("board"));
    assert_eq!(board.side() == Player::First, record["to_move"] == "b");
    assert_eq!(i64::from(game.area_score(&board.state())), record["area_score_black"].as_i64().unwrap());
    if record.get("legal").is_none() {
        return;
    }
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    let names = moves.iter().map(|&mv| game.action_name(mv.into()));
    let legal: BTreeSet<String> = names.filter(|name| name != "pass").collect();
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
    for (depth, (connect4, othello)) in (1..).zip(connect4.into_iter().zip(othello)) {
        assert_eq!(sequences(&mut start::<Connect4Board>(&Connect4::default()), depth), connect4);
        assert_eq!(sequences(&mut start::<OthelloBoard>(&Othello), depth), othello);
    }
}

/// The exact value of a move, by minimax on the position it leads to.
fn value_of_move<B: Board>(board: &B, mv: Move, depth: u32) -> i32 {
    let mut next = board.clone();
    next.make(mv);
    match depth {
        1 => -next.leaf(),
        _ => -minimax(&next, SplitLimit::depth(depth - 1)).unwrap().score(),
    }
}

/// Same score at every depth, up to that where either search has seen all lines end; the best move has that value; the
/// line can be played to a leaf of that score.
fn check_report<B: Board>(board: &B, found: &SplitReport, expected: &SplitReport) {
    if !found.is_exact() && !expected.is_exact() {
        assert_eq!(found.per_depth.len(), expected.per_depth.len());
    }
    assert_eq!(found.score(), expected.score(), "{board:?}");
    for (f, e) in found.per_depth.iter().zip(&expected.per_depth) {
        assert_eq!((f.depth, f.score), (e.depth, e.score), "{board:?}");
        assert!(!f.exact || f.depth == found.last().depth);
        let mut leaf = board.clone();
        for &mv in &f.principal_variation {
            leaf.make(mv);
        }
        let plies = f.principal_variation.len() as u32;
        let value = if plies == f.depth { leaf.leaf() } else { leaf.finished().expect("the line ends") };
        let value = if plies.is_multiple_of(2) { value } else { -value };
        assert_eq!(value, f.score, "{:?} {board:?}", f.principal_variation);
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
            let mut board: GoBoard = start(&go(size));
            play_random(&mut board, below(&mut random, 2 * (size * size) as usize), &mut random);
            // The deepest trees are few, since minimax visits every node of them.
            let shallower = if i % 16 == 0 { 0 } else { 1 + below(&mut random, depth - 1) };
            check.check(&board, (depth - shallower) as u32);
        }
        let mut board: OthelloBoard = start(&Othello);
        play_random(&mut board, below(&mut random, 60), &mut random);
        check.check(&board, if i % 16 == 0 { 6 } else { 1 + below(&mut random, 5) as u32 });
        let mut board: Connect4Board = start(&Connect4::default());
        play_random(&mut board, below(&mut random, 40), &mut random);
        check.check(&board, if i % 16 == 0 { 8 } else { 1 + below(&mut random, 7) as u32 });
    }
}

struct SequentialEqualsMinimax;

impl Check for SequentialEqualsMinimax {
    fn check<B: DeviceBoard + 'static>(&mut self, board: &B, depth: u32) {
        let limit = SplitLimit::depth(depth);
        check_report(board, &sequential(board, limit).unwrap(), &minimax(board, limit).unwrap());
    }
}

#[test]
fn sequential_equals_minimax_on_random_positions() {
    random_positions(100, 2, &mut SequentialEqualsMinimax);
}

#[test]
fn sequential_solves_the_connect4_end_games() {
    for (board, score) in connect4_end_games() {
        let report = sequential(&board, TO_THE_END).unwrap();
        assert_eq!((report.score(), report.is_exact()), (score, true), "{board:?}");
    }
}

/// There are no passes in Connect 4, so that no line is longer than the empty cells.
#[test]
fn minimax_solves_the_last_plies_of_connect4() {
    let mut solved = 0;
    for (board, score) in connect4_end_games() {
        let empty = 42 - board.device_words().iter().map(|word| word.count_ones()).sum::<u32>();
        if empty <= 8 {
            let report = minimax(&board, SplitLimit::depth(empty)).unwrap();
            assert_eq!((report.score(), report.is_exact()), (score, true), "{board:?}");
            solved += 1;
        }
    }
    assert!(solved > 50, "{solved}");
}

#[test]
fn time_ends_a_search_with_a_finished_depth() {
    let limit = SplitLimit::depth(40).within(Duration::from_millis(1));
    let report = sequential(&GoBoard::centre(19).unwrap(), limit).unwrap();
    assert!((1..40).contains(&report.last().depth));
    assert!(report.best().is_some());
}

#[test]
fn a_finished_game_has_its_area_as_score_and_no_move() {
    let rows = ["X..", "XX.", "X.."];
    let mut position = position_of(&go(3), &rows, Player::Second);
    position.play(9).unwrap();
    position.play(9).unwrap();
    let board = GoBoard::from_position(&position).unwrap();
    let report = sequential(&board, SplitLimit::depth(3)).unwrap();
    assert_eq!((report.score(), report.best(), report.is_exact()), (-9000, None, true));
}

#[test]
fn boards_and_depths_that_cannot_be_are_refused() {
    assert!(GoBoard::centre(1).unwrap_err().is_bad_input());
    assert!(GoBoard::centre(20).unwrap_err().is_bad_input());
    let board = |[above, below]: [&str; 2], turn| {
        let rows = [&["......."; 4][..], &[above, below]].concat();
        Connect4Board::from_position(&position_of(&Connect4::default(), &rows, turn))
    };
    assert!(board([".......", "XO....."], Player::First).is_ok());
    assert!(board([".......", "XO....."], Player::Second).is_err());
    assert!(board(["OOO....", "XXXXO.."], Player::First).is_err());
    let wide = connect4_of(5, 8);
    assert!(Connect4Board::from_position(&Position::start(&wide)).unwrap_err().is_bad_input());
    for depth in [0, 65] {
        let limit = SplitLimit::depth(depth);
        assert!(sequential(&connect4("1"), limit).unwrap_err().is_bad_input());
        assert!(minimax(&connect4("1"), limit).unwrap_err().is_bad_input());
    }
}

/// Enough for the end games of Connect 4, and for 12 empty squares of Othello with some passes.
const MAX_PLIES: u32 = 20;

/// One compiled search for each kind of board, which leaves only leaves to the host.
struct Engines {
    devices: Devices,
    sizes: SplitSizes,
    by_board: HashMap<String, Box<dyn Any>>,
}

impl Engines {
    fn new(workers: u32) -> Self {
        let sizes = SplitSizes { workers: Some(workers), host_nodes: Some(0), table: None };
        Self { devices: Devices::open(), sizes, by_board: HashMap::new() }
    }

    fn of<B: DeviceBoard + 'static>(&mut self, board: &B) -> &mut PvSplit<B> {
        let shader = board.shader();
        let key = format!("{} {:?}", shader.file, shader.constants);
        let make = || {
            let new = PvSplit::sized(&self.devices.all[0], board, MAX_PLIES, self.sizes);
            Box::new(block_on(new).unwrap()) as Box<dyn Any>
        };
        self.by_board.entry(key).or_insert_with(make).downcast_mut().unwrap()
    }
}

impl Check for Engines {
    fn check<B: DeviceBoard + 'static>(&mut self, board: &B, depth: u32) {
        let limit = SplitLimit::depth(depth);
        check_report(board, &self.of(board).run(board, limit).unwrap(), &minimax(board, limit).unwrap());
    }
}

#[test]
fn gpu_equals_minimax_on_random_positions() {
    random_positions(100, 3, &mut Engines::new(256));
}

fn scores(report: &SplitReport) -> Vec<i32> {
    report.per_depth.iter().map(|depth| depth.score).collect()
}

#[test]
fn gpu_equals_the_sequential_search_deeper_down_whatever_the_workers() {
    let _turn = Devices::open();
    for (size, depth, workers) in [(5, 7, 64), (5, 7, 8192), (9, 4, 512), (19, 3, 512)] {
        let (board, limit) = (GoBoard::centre(size).unwrap(), SplitLimit::depth(depth));
        let expected = sequential(&board, limit).unwrap();
        let device =
            mcts_wgpu::engine::find("auto", None).and_then(|a| a.open_with_default_limits()).unwrap();
        let sizes = SplitSizes { workers: Some(workers), host_nodes: Some(0), table: None };
        let mut split = block_on(PvSplit::sized(&device, &board, depth, sizes)).unwrap();
        // The second one finds the table full of entries that are not its own.
        for _ in 0..2 {
            let found = split.run(&board, limit).unwrap();
            assert_eq!(scores(&found), scores(&expected));
            let used = found.workers.unwrap();
            assert_eq!(used.count, workers);
            assert!(used.busy > 0.0 && used.busy <= 1.0 && used.subtrees > 0);
        }
    }
}

#[test]
fn time_ends_a_search_on_the_device_and_the_next_one_is_whole() {
    let board = GoBoard::centre(9).unwrap();
    let devices = Devices::open();
    let mut split = PvSplit::new(&devices.all[0], &board, 40, Some(256)).unwrap();
    let limit = SplitLimit::depth(40).within(Duration::from_millis(300));
    assert!((1..40).contains(&split.run(&board, limit).unwrap().last().depth));
    // At the first depth with more than one submission on this device.
    let mut stopped_at = Vec::new();
    let stop = |now: SplitProgress<'_>| {
        let is_finished = now.finished.len() as u32 == now.depth;
        if now.depth == 1 || is_finished {
            return ControlFlow::Continue(());
        }
        stopped_at.push(now.depth);
        ControlFlow::Break(())
    };
    let stopped = split.run_with(&board, SplitLimit::depth(40), stop).unwrap();
    assert_eq!(stopped_at, [stopped.last().depth + 1]);
    let whole = split.run(&board, SplitLimit::depth(stopped.last().depth)).unwrap();
    assert_eq!(scores(&stopped), scores(&whole));
}

#[test]
fn a_search_refuses_what_it_was_not_compiled_for() {
    let board = GoBoard::centre(5).unwrap();
    let devices = Devices::open();
    let device = &devices.all[0];
    let mut split = PvSplit::new(device, &board, 2, Some(64)).unwrap();
    let other = GoBoard::centre(7).unwrap();
    assert!(split.run(&other, SplitLimit::depth(2)).unwrap_err().is_bad_input());
    assert!(split.run(&board, SplitLimit::depth(3)).unwrap_err().is_bad_input());
    assert!(split.run(&board, SplitLimit::depth(0)).unwrap_err().is_bad_input());
    assert!(PvSplit::new(device, &board, 0, None).unwrap_err().is_bad_input());
    assert!(PvSplit::new(device, &board, 3, Some(u32::MAX)).unwrap_err().is_bad_input());
}

#[test]
fn gpu_solves_the_connect4_end_games() {
    let mut engines = Engines::new(256);
    for (board, score) in connect4_end_games() {
        let report = engines.of(&board).run(&board, SplitLimit::depth(MAX_PLIES)).unwrap();
        assert_eq!((report.score(), report.is_exact()), (score, true), "{board:?}");
    }
}

/// Minimax takes too long with twelve squares: it checks the line of play from its sixth move on.
fn check_end_game(board: &OthelloBoard, report: &SplitReport) {
    assert!(report.is_exact(), "{board:?}");
    let line = &report.last().principal_variation;
    let mut board = board.clone();
    for (ply, &mv) in line.iter().enumerate() {
        if ply >= 5 {
            let rest = minimax(&board, TO_THE_END).unwrap();
            let value = if ply % 2 == 0 { rest.score() } else { -rest.score() };
            assert_eq!((value, rest.is_exact()), (report.score(), true), "{board:?}");
        }
        board.make(mv);
    }
    assert!(board.finished().is_some(), "{board:?}");
}

#[test]
fn all_engines_solve_othello_end_games_to_the_end() {
    let mut engines = Engines::new(256);
    for (empty, count) in [(8, 12), (12, 6)] {
        let end_games = othello_end_games(empty);
        assert!(end_games.len() > count);
        for board in &end_games[..count] {
            let alone = sequential(board, TO_THE_END).unwrap();
            check_end_game(board, &alone);
            let split = engines.of(board).run(board, SplitLimit::depth(MAX_PLIES)).unwrap();
            assert_eq!(split.score(), alone.score(), "{board:?}");
            check_end_game(board, &split);
            if empty == 8 {
                check_report(board, &alone, &minimax(board, TO_THE_END).unwrap());
            }
        }
    }
}

/// The value for the mover by the rule of tournaments, from the board as text; and whether a best line ends with empty
/// squares.
fn tournament_value(position: &Position<Othello>) -> (i32, bool) {
    if position.outcome().is_some() {
        let board = Othello.board_rows(position.state()).concat();
        let count = |cell: char| board.matches(cell).count() as i32;
        let (own, empty) = (count(position.turn().symbol()), count('.'));
        let other = 64 - own - empty;
        return (own - other + (own - other).signum() * empty, empty > 0);
    }
    let value = |action| {
        let mut next = position.clone();
        next.play(action).unwrap();
        let (value, early) = tournament_value(&next);
        (-value, early)
    };
    position.legal_actions().into_iter().map(value).max().unwrap()
}

/// Empty squares are the winner's at the end of a game, on every engine.
#[test]
fn othello_gives_empty_squares_to_the_winner() {
    let mut engines = Engines::new(256);
    let mut early = 0;
    for position in othello_positions(6) {
        let board = OthelloBoard::from_position(&position).unwrap();
        let (value, ends_early) = tournament_value(&position);
        let alone = sequential(&board, TO_THE_END).unwrap();
        assert_eq!((alone.score(), alone.is_exact()), (value, true), "{board:?}");
        let mut last = board.clone();
        alone.last().principal_variation.iter().for_each(|&mv| _ = last.make(mv));
        let is_plain = last.difference().abs() == value.abs();
        assert!(is_plain || ends_early, "{board:?}");
        if !is_plain {
            early += 1;
            let split = engines.of(&board).run(&board, SplitLimit::depth(MAX_PLIES)).unwrap();
            assert_eq!(split.score(), value, "{board:?}");
        }
    }
    assert!(early > 0, "no game ends early");
}

/// After a pass the board has an empty square more than the depth has left: a search to as many plies as there are
/// empty squares has not seen the end, and must not say so.
#[test]
fn a_line_with_a_pass_is_not_exact_at_the_number_of_empty_squares() {
    let mut longer = 0;
    for board in othello_end_games(6) {
        let all = minimax(&board, TO_THE_END).unwrap();
        let short = sequential(&board, SplitLimit::depth(6)).unwrap();
        assert!(!short.is_exact() || short.score() == all.score(), "{board:?}");
        longer += u32::from(short.score() != all.score());
    }
    assert!(longer > 0);
}
