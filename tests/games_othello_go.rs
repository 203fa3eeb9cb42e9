//! Othello and Go: rules against independent programs, random play against exact and measured distributions, and the
//! WGSL against its Rust twin on every adapter.

#[path = "support/kernel_og.rs"]
mod kernel_og;

use approx::assert_abs_diff_eq;
use kernel_og::{Conformance, machines};
use mcts_wgpu::game::{Game, Outcome, Player, Position, perft};
use mcts_wgpu::games::{Othello, OthelloState};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde_json::Value;

/// One chance in about 10 million that a sound program fails a two-sided test at this many standard errors, which
/// leaves the whole file below one in 10,000.
const Z_LIMIT: f64 = 5.4;

fn data(file: &str) -> String {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json_lines(file: &str) -> Vec<Value> {
    data(file).lines().map(|line| serde_json::from_str(line).expect("a JSON document a line")).collect()
}

fn numbers(list: &Value) -> Vec<u32> {
    list.as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number") as u32).collect()
}

/// The end of one random game.
struct End<P> {
    playout: P,
    outcome: Option<Outcome>,
    plies: u32,
}

fn play_out<G: Game>(game: &G, state: &G::State, turn: Player, rng: &mut Pcg64Mcg) -> End<G::Playout> {
    let mut playout = game.playout_begin(state, turn);
    let mut plies = 0;
    loop {
        let count = game.legal_actions_playout(&mut playout);
        let ordinal = ((u64::from(rng.next_u32()) * u64::from(count)) >> 32) as u32;
        let outcome = game.take_action_playout(&mut playout, ordinal);
        plies += 1;
        if outcome.is_some() || plies == game.max_plies() {
            return End { playout, outcome, plies };
        }
    }
}

/// Wins of the first and of the second player, draws, and the sum of plies.
fn tally<G: Game>(game: &G, state: &G::State, turn: Player, games: u64) -> [f64; 4] {
    const BATCH: u64 = 1000;
    let batch = |seed: u64| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut sums = [0.0; 4];
        for _ in 0..BATCH {
            let end = play_out(game, state, turn, &mut rng);
            let slot = match end.outcome.expect("the game ends in time") {
                Outcome::FirstWins => 0,
                Outcome::SecondWins => 1,
                Outcome::Draw => 2,
            };
            sums[slot] += 1.0;
            sums[3] += f64::from(end.plies);
        }
        sums
    };
    let add = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|i| a[i] + b[i]);
    (0..games.div_ceil(BATCH)).into_par_iter().map(batch).reduce(|| [0.0; 4], add)
}

/// Standard errors between a share seen in `n` games and its true value.
fn z_of_share(seen: f64, n: f64, expected: f64) -> f64 {
    (seen / n - expected) / (expected * (1.0 - expected) / n).sqrt()
}

/// Every position of some random games, with the action taken there, and the last position of each.
fn random_moves<G: Game>(game: &G, games: u32, seed: u64) -> Vec<(G::State, Player, u32)> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut moves = Vec::new();
    for _ in 0..games {
        let mut position = Position::start(game);
        while position.outcome().is_none() {
            let legal = position.legal_actions();
            let action = legal[rng.next_u32() as usize % legal.len()];
            moves.push((position.state().clone(), position.turn(), action));
            position.play(action).expect("a legal action");
        }
    }
    moves
}

fn draws<G: Game>(game: &G, starts: usize, seed: u64) -> Vec<u32> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    (0..game.max_plies() as usize * starts).map(|_| rng.next_u32()).collect()
}

/// Playouts from the start and from the positions given, on every adapter and on the twin.
fn assert_same_playouts<G: Game>(game: &G, mut starts: Vec<(G::State, Player)>, from_start: usize) {
    starts.extend(vec![(game.start(), Player::First); from_start]);
    let draws = draws(game, starts.len(), 11);
    let conformance = Conformance { game, mistake: None };
    let twin = conformance.playouts_twin(&starts, &draws);
    assert!(twin.chunks(3).all(|result| result[0] != 0), "every playout ends");
    for machine in machines() {
        let device = conformance.playouts_on(&machine, &starts, &draws);
        let wrong = device.chunks(3).zip(twin.chunks(3)).position(|(d, t)| d != t);
        assert_eq!(wrong, None, "first playout that differs on {}", machine.name);
    }
}

fn assert_same_rules<G: Game>(game: &G, moves: &[(G::State, Player, u32)]) {
    let conformance = Conformance { game, mistake: None };
    let twin = conformance.rules_twin(moves);
    let words = twin.len() / moves.len();
    for machine in machines() {
        let device = conformance.rules_on(&machine, moves);
        let wrong = device.chunks(words).zip(twin.chunks(words)).position(|(d, t)| d != t);
        assert_eq!(wrong.map(|at| &moves[at]), None, "first move that differs on {}", machine.name);
    }
}

/// The comparisons above must see a planted mistake in the rules of a game, and a single changed draw.
fn assert_mistake_is_seen<G: Game>(game: &G, moves: &[(G::State, Player, u32)], mistake: (&str, &str)) {
    let starts: Vec<_> = moves.iter().map(|(state, turn, _)| (state.clone(), *turn)).collect();
    let draws = draws(game, starts.len(), 12);
    let right = Conformance { game, mistake: None };
    let wrong = Conformance { game, mistake: Some(mistake) };
    let machine = &machines()[0];
    assert_ne!(wrong.playouts_on(machine, &starts, &draws), right.playouts_twin(&starts, &draws));
    assert_ne!(wrong.rules_on(machine, moves), right.rules_twin(moves));
    let mut other = draws.clone();
    other[0] = other[0].wrapping_add(1);
    assert_ne!(right.playouts_on(machine, &starts, &other), right.playouts_twin(&starts, &draws));
}

// Othello

#[test]
fn othello_perft() {
    let start = Position::start(&Othello);
    let leaves: Vec<u64> = (1..=9).map(|depth| perft(&start, depth)).collect();
    assert_eq!(leaves, [4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288]);
}

#[test]
fn othello_traces() {
    let traces = json_lines("traces_othello.jsonl");
    assert_eq!(traces.len(), 120);
    for trace in traces {
        let mut position = Position::start(&Othello);
        let legal = trace["legal_per_ply"].as_array().expect("a list a ply");
        for (action, legal) in numbers(&trace["actions"]).into_iter().zip(legal) {
            assert_eq!(position.legal_actions(), numbers(legal));
            position.play(action).expect("a legal action");
        }
        let winner = trace["returns"][0].as_f64().expect("a result");
        let outcome = [Outcome::SecondWins, Outcome::Draw, Outcome::FirstWins][(winner + 1.0) as usize];
        assert_eq!(position.outcome(), Some(outcome));
        assert_eq!(
            othello_rows_of_trace(trace["final"].as_str().expect("a board")),
            rows(&Othello, &position)
        );
    }
}

fn rows<G: Game>(game: &G, position: &Position<G>) -> Vec<String> {
    game.board_rows(position.state())
}

/// OpenSpiel draws `1 - x o - ...` with a line of letters above and below.
fn othello_rows_of_trace(board: &str) -> Vec<String> {
    let squares = |line: &str| {
        let symbols = line.chars().filter(|c| "-xo".contains(*c));
        symbols.map(|c| if c == '-' { '.' } else { c.to_ascii_uppercase() }).collect::<String>()
    };
    board.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).map(squares).collect()
}

#[test]
fn othello_random_play_from_exactly_solved_positions() {
    const GAMES: u64 = 20_000;
    for line in data("othello_exact_random.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let board = fields[0].replace('-', ".");
        let rows: Vec<&str> = (0..8).map(|row| &board[row * 8..row * 8 + 8]).collect();
        let state = Othello.parse_board(&rows).expect("a board");
        let turn = if fields[1] == "X" { Player::First } else { Player::Second };
        let [win, draw] = [3, 4].map(|field| fields[field].parse::<f64>().expect("a probability"));
        let sums = tally(&Othello, &state, turn, GAMES);
        let n = GAMES as f64;
        assert_abs_diff_eq!(z_of_share(sums[turn.index()], n, win), 0.0, epsilon = Z_LIMIT);
        assert_abs_diff_eq!(z_of_share(sums[2], n, draw), 0.0, epsilon = Z_LIMIT);
    }
}

#[test]
fn othello_random_play_from_the_start() {
    let known: Value = serde_json::from_str(&data("othello_random_5e7.json")).expect("JSON");
    let n = 1e6;
    let sums = tally(&Othello, &Othello.start(), Player::First, 1_000_000);
    for (slot, name) in ["black", "white", "draw"].into_iter().enumerate() {
        let expected = known[name].as_f64().expect("a share");
        assert_abs_diff_eq!(z_of_share(sums[slot], n, expected), 0.0, epsilon = 4.0);
    }
    let mean = |name: &str| known[name].as_f64().expect("a mean");
    // Passes vary most: their standard deviation, from the histogram, is 0.73, that of the discs placed 0.5.
    let plies = mean("mean_discs_placed") + mean("mean_passes");
    assert_abs_diff_eq!(sums[3] / n, plies, epsilon = 4.0 * 1.25 / n.sqrt());
}

#[test]
fn othello_notation() {
    let game = Othello;
    for action in 0..game.max_actions() {
        assert_eq!(game.parse_action(&game.action_name(action)), Some(action));
        assert_eq!(game.parse_action(&game.action_name(action).to_uppercase()), Some(action));
    }
    assert_eq!(["a1", "h1", "d3", "h8", "pass"].map(|n| game.parse_action(n).unwrap()), [0, 7, 19, 63, 64]);
    assert_eq!(["i1", "a9", "a0", "", "a10", "é1"].map(|name| game.parse_action(name)), [None; 6]);
    let rows = game.board_rows(&game.start());
    assert_eq!(rows[3..5], ["...OX...", "...XO..."]);
    let given: Vec<&str> = rows.iter().map(String::as_str).collect();
    assert_eq!(game.parse_board(&given).unwrap(), game.start());
    let mut words = [0; 4];
    game.pack(&game.start(), &mut words);
    assert_eq!(game.unpack(&words), game.start());
}

#[test]
fn othello_bad_input() {
    let board = |middle: &str, rows: usize| {
        let mut board = vec!["........"; rows];
        board[3] = middle;
        board[4] = "...XO...";
        Othello.parse_board(&board)
    };
    assert!(board("...OX...", 8).is_ok());
    for (middle, rows, what) in [
        ("...OX..", 8, "8 rows"),
        ("...OX...", 7, "8 rows"),
        ("...OZ...", 8, "'Z' on e4"),
        ("...O....", 8, "e4"),
    ] {
        let error = board(middle, rows).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains(what), "{error}");
    }
    assert!(Position::from_moves(&Othello, &["a1"]).unwrap_err().is_bad_input());
    assert!(Position::from_moves(&Othello, &["pass"]).unwrap_err().is_bad_input());
}

#[test]
fn othello_shader_plays_the_same_playouts() {
    let moves = random_moves(&Othello, 40, 1);
    let starts = moves.into_iter().map(|(state, turn, _)| (state, turn)).collect();
    assert_same_playouts(&Othello, starts, 2000);
}

#[test]
fn othello_shader_has_the_same_rules() {
    assert_same_rules(&Othello, &random_moves(&Othello, 40, 2));
}

#[test]
fn othello_shader_mistakes_are_seen() {
    let moves = random_moves(&Othello, 5, 3);
    assert_mistake_is_seen(
        &Othello,
        &moves,
        ("INNER_FILES: u32 = 0x7e7e7e7eu", "INNER_FILES: u32 = 0x7f7f7f7fu"),
    );
}

#[test]
fn othello_full_boards_are_over() {
    let board = |symbol: &str| Othello.parse_board(&[symbol.repeat(8).as_str(); 8]).unwrap();
    let over = |state: OthelloState| Othello.compute_outcome(&state, Player::First, None);
    assert_eq!(over(board("X")), Some(Outcome::FirstWins));
    assert_eq!(over(board("O")), Some(Outcome::SecondWins));
    assert_eq!(over(OthelloState { black: u64::MAX << 32, white: u64::MAX >> 32 }), Some(Outcome::Draw));
}
