//! Othello and Go: rules against independent programs, random play against exact and measured distributions,
//! and the WGSL against its Rust twin on every adapter.

#[path = "support/compute.rs"]
mod compute;
#[path = "support/kernel_og.rs"]
mod kernel_og;

use approx::assert_abs_diff_eq;
use compute::Adapters;
use kernel_og::Conformance;
use mcts_wgpu::game::{Game, Outcome, Player, Position, perft};
use mcts_wgpu::games::{Go, Othello, OthelloState};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde_json::Value;

/// A sound program fails a two-sided test at this many standard errors once in 15 million; with the ten-odd
/// tests at 4 standard errors (once in 16,000 each) a change of seeds fails this file once in about 1,000 times.
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

/// What `measure` says of each of `games` random games; the same on any number of threads.
fn sample<G: Game, T: Send>(
    game: &G,
    (state, turn): (&G::State, Player),
    games: u64,
    measure: impl Fn(End<G::Playout>) -> T + Sync,
) -> Vec<T> {
    const BATCH: u64 = 500;
    let batch = |seed: u64| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        (0..BATCH).map(|_| measure(play_out(game, state, turn, &mut rng))).collect::<Vec<T>>()
    };
    (0..games.div_ceil(BATCH)).into_par_iter().flat_map_iter(batch).collect()
}

/// Wins of the first and of the second player, draws, and the sum of plies.
fn tally<G: Game>(game: &G, start: (&G::State, Player), games: u64) -> [f64; 4] {
    let ends = sample(game, start, games, |end| (end.outcome.expect("the game ends in time"), end.plies));
    let share = |wanted: Outcome| ends.iter().filter(|(outcome, _)| *outcome == wanted).count() as f64;
    let plies = ends.iter().map(|&(_, plies)| f64::from(plies)).sum();
    [share(Outcome::FirstWins), share(Outcome::SecondWins), share(Outcome::Draw), plies]
}

/// How many standard deviations chi-square lies from its mean (Wilson and Hilferty's normal approximation).
fn z_of_chi_square(chi_square: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    ((chi_square / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
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
    for machine in Adapters::open().gpus {
        let device = conformance.playouts_on(&machine, &starts, &draws);
        let wrong = device.chunks(3).zip(twin.chunks(3)).position(|(d, t)| d != t);
        assert_eq!(wrong, None, "first playout that differs on {}", machine.name);
    }
}

fn assert_same_rules<G: Game>(game: &G, moves: &[(G::State, Player, u32)]) {
    let conformance = Conformance { game, mistake: None };
    let twin = conformance.rules_twin(moves);
    let words = twin.len() / moves.len();
    for machine in Adapters::open().gpus {
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
    let adapters = Adapters::open();
    let machine = &adapters.gpus[0];
    assert_ne!(wrong.playouts_on(machine, &starts, &draws), right.playouts_twin(&starts, &draws));
    assert_ne!(wrong.rules_on(machine, moves), right.rules_twin(moves));
    let mut other = draws.clone();
    other[0] = other[0].wrapping_add(1);
    assert_ne!(right.playouts_on(machine, &starts, &other), right.playouts_twin(&starts, &draws));
}

/// The statistics must see half a percent of the games going to the other player, and games two plies longer.
#[test]
fn statistics_see_small_differences() {
    assert!(z_of_share(505_000.0, 1e6, 0.5) > Z_LIMIT);
    assert!(z_of_share(500_500.0, 1e6, 0.5) < Z_LIMIT);
    let known: Value = serde_json::from_str(&data("go9_random_5e6.json")).expect("JSON");
    let lengths: Vec<f64> = numbers(&known["len_hist"]).into_iter().map(f64::from).collect();
    let fewer: Vec<f64> = lengths.iter().map(|count| (count / 250.0).round()).collect();
    let z = |seen: &[f64]| {
        let (chi_square, degrees) = chi_square_of_two(seen, &lengths);
        z_of_chi_square(chi_square, degrees)
    };
    assert!(z(&fewer) < Z_LIMIT);
    assert!(z(&[&[0.0, 0.0], &fewer[..fewer.len() - 2]].concat()) > Z_LIMIT);
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
        let sums = tally(&Othello, (&state, turn), GAMES);
        let n = GAMES as f64;
        assert_abs_diff_eq!(z_of_share(sums[turn.index()], n, win), 0.0, epsilon = Z_LIMIT);
        assert_abs_diff_eq!(z_of_share(sums[2], n, draw), 0.0, epsilon = Z_LIMIT);
    }
}

#[test]
fn othello_random_play_from_the_start() {
    let known: Value = serde_json::from_str(&data("othello_random_5e7.json")).expect("JSON");
    let n = 1e6;
    let sums = tally(&Othello, (&Othello.start(), Player::First), 1_000_000);
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

// Go

fn go(size: u32, komi: f32) -> Go {
    Go::new(size, komi).expect("a size and komi in range")
}

fn names<G: Game>(position: &Position<G>) -> Vec<String> {
    let mut names: Vec<String> =
        position.legal_actions().into_iter().map(|a| position.game().action_name(a)).collect();
    names.retain(|name| name != "pass");
    names.sort();
    names
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|s| s.as_str().expect("a string")).collect()
}

#[test]
fn go_legal_points_and_area_scores() {
    let cases = json_lines("go_legal_score.jsonl");
    assert_eq!(cases.len(), 487);
    for case in cases {
        let game = go(case["size"].as_u64().expect("a size") as u32, 7.5);
        let position = Position::from_moves(&game, &strings(&case["moves"])).expect("legal moves");
        let turn = if case["to_move"] == "b" { Player::First } else { Player::Second };
        assert_eq!(position.turn(), turn);
        match case.get("legal") {
            Some(legal) => assert_eq!(names(&position), strings(legal)),
            None => assert!(position.outcome().is_some(), "two passes have ended the game"),
        }
        let board = strings(&case["board"]);
        assert_eq!(rows(&game, &position), board);
        let score = case["area_score_black"].as_i64().expect("a score") as i32;
        assert_eq!(game.area_score(position.state()), score);
        assert_eq!(game.area_score(&game.parse_board(&board).expect("a board")), score);
    }
}

#[test]
fn go_traces() {
    let game = go(9, 7.5);
    for trace in json_lines("traces_go_9x9_komi7.5.jsonl") {
        let mut position = Position::start(&game);
        let legal = trace["legal_per_ply"].as_array().expect("an entry a ply");
        for (action, legal) in numbers(&trace["actions"]).into_iter().zip(legal) {
            let ours = position.legal_actions();
            match legal.as_u64() {
                Some(count) => assert_eq!(ours.len() as u64, count),
                None => assert_eq!(ours, numbers(legal)),
            }
            position.play(action).expect("a legal action");
        }
        assert_eq!(go_rows_of_trace(trace["final"].as_str().expect("a board")), rows(&game, &position));
    }
}

/// OpenSpiel draws ` 9 XO+...`, the top row first.
fn go_rows_of_trace(board: &str) -> Vec<String> {
    let rows = board.lines().filter_map(|line| line.trim().split_once(' '));
    let rows = rows.filter(|(row, _)| row.parse::<u32>().is_ok());
    rows.map(|(_, points)| points.replace('+', ".")).collect()
}

#[test]
fn go_exact_distributions() {
    let one = go(1, 0.0);
    let ends = sample(&one, (&one.start(), Player::First), 500, |end| (end.plies, end.outcome));
    assert!(ends.iter().all(|&end| end == (2, Some(Outcome::Draw))));

    const GAMES: u64 = 100_000;
    let two = go(2, 0.0);
    let known: Value = serde_json::from_str(&data("go_exact_2x2.json")).expect("JSON");
    let measure = |end: End<_>| (end.plies, two.area_score(&two.playout_state(&end.playout)));
    let ends = sample(&two, (&two.start(), Player::First), GAMES, measure);
    assert!(ends.iter().all(|&(plies, score)| score == 4 || plies == two.max_moves()));
    let (mut chi_square, mut bins) = (0.0, 0.0);
    for (plies, share) in known["len_dist"].as_object().expect("shares") {
        let expected = share.as_f64().expect("a share") * GAMES as f64;
        if expected >= 10.0 {
            let plies: u32 = plies.parse().expect("a length");
            let seen = ends.iter().filter(|end| end.0 == plies).count() as f64;
            chi_square += (seen - expected).powi(2) / expected;
            bins += 1.0;
        }
    }
    assert!(bins > 10.0);
    let z = z_of_chi_square(chi_square, bins);
    assert!(z.abs() < Z_LIMIT, "chi-square {chi_square} in {bins} bins");
}

/// Chi-square between two histograms of different numbers of games, over bins of at least 20; and its degrees
/// of freedom.
fn chi_square_of_two(a: &[f64], b: &[f64]) -> (f64, f64) {
    let ratio = (b.iter().sum::<f64>() / a.iter().sum::<f64>()).sqrt();
    let bins = a.iter().zip(b).filter(|(a, b)| *a + *b >= 20.0);
    let terms: Vec<f64> = bins.map(|(a, b)| (a * ratio - b / ratio).powi(2) / (a + b)).collect();
    (terms.iter().sum(), terms.len() as f64 - 1.0)
}

fn histogram(of: impl Iterator<Item = i64>, bins: usize) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    of.for_each(|value| counts[value as usize] += 1.0);
    counts
}

fn assert_random_play(file: &str, size: u32, games: u64) {
    let known: Value = serde_json::from_str(&data(file)).expect("JSON");
    let figure = |name: &str| known[name].as_f64().expect("a number");
    let game = go(size, 0.0);
    let measure = |end: End<_>| (i64::from(end.plies), game.area_score(&game.playout_state(&end.playout)));
    let ends = sample(&game, (&game.start(), Player::First), games, measure);
    let n = games as f64;
    let errors = |sd: f64| 4.0 * sd * (1.0 / n + 1.0 / figure("n")).sqrt();
    let mean = |of: &dyn Fn(&(i64, i32)) -> f64| ends.iter().map(of).sum::<f64>() / n;
    assert_abs_diff_eq!(
        mean(&|e| e.0 as f64),
        figure("mean_len_incl_2_passes"),
        epsilon = errors(figure("sd_len"))
    );
    let score = mean(&|e| f64::from(e.1));
    assert_abs_diff_eq!(score, figure("mean_score_black"), epsilon = errors(figure("sd_score")));
    for (name, komi) in [("komi0", 0.0), ("komi5.5", 5.5), ("komi7.5", 7.5)] {
        let expected = known["black_win"][name].as_f64().expect("a share");
        let wins = mean(&|e| f64::from(u8::from(f64::from(e.1) > komi)));
        assert_abs_diff_eq!(wins, expected, epsilon = errors((expected * (1.0 - expected)).sqrt()));
    }
    let counts = |name: &str| -> Vec<f64> { numbers(&known[name]).into_iter().map(f64::from).collect() };
    let points = i64::from(size * size);
    let scores = counts(&format!("score_hist_from_-{points}"));
    let lengths = counts("len_hist");
    for (seen, known) in [
        (histogram(ends.iter().map(|e| i64::from(e.1) + points), scores.len()), scores),
        (histogram(ends.iter().map(|e| e.0), lengths.len().max(game.max_moves() as usize + 1)), lengths),
    ] {
        let (chi_square, degrees) = chi_square_of_two(&seen, &known);
        let z = z_of_chi_square(chi_square, degrees);
        assert!(
            degrees > 50.0 && z.abs() < Z_LIMIT,
            "chi-square {chi_square} with {degrees} degrees of freedom"
        );
    }
}

#[test]
fn go_random_play_on_9x9() {
    assert_random_play("go9_random_5e6.json", 9, 1_000_000);
}

#[test]
fn go_random_play_on_19x19() {
    assert_random_play("go19_random_5e5.json", 19, 30_000);
}

#[test]
fn go_playouts_end_where_positions_repeat() {
    let game = go(3, 0.0);
    let ends = sample(&game, (&game.start(), Player::First), 50_000, |end| (end.plies, end.outcome));
    let capped = ends.iter().filter(|end| end.0 == game.max_moves()).count();
    assert!((50..1000).contains(&capped), "{capped} playouts reached the limit");
    assert!(ends.iter().all(|end| end.1.is_some()));
}

#[test]
fn go_ko() {
    let game = go(5, 0.5);
    let board = [".....", ".....", ".XO..", "XO.O.", ".XO.."];
    let mut position = Position::from_board(&game, &board, Player::First).expect("a board");
    let play =
        |position: &mut Position<Go>, name: &str| position.play(game.parse_action(name).expect("a point"));
    play(&mut position, "C2").expect("captures B2");
    assert_eq!(rows(&game, &position)[3], "X.XO.");
    assert!(play(&mut position, "B2").unwrap_err().is_bad_input());
    for elsewhere in ["E5", "A5", "B2"] {
        play(&mut position, elsewhere).expect("a legal move");
    }
    assert_eq!(rows(&game, &position)[3], "XO.O.");
    assert!(play(&mut position, "C2").is_err());
}

/// The point of a ko is forbidden for one turn, whoever's turn it is then, and whatever was done in it.
#[test]
fn go_passes_lift_the_ko() {
    let game = go(5, 0.5);
    let board = [".....", ".....", ".XO..", "XO.O.", ".XO.."];
    let captured = |then: &[&str]| {
        let mut position = Position::from_board(&game, &board, Player::First).expect("a board");
        for name in [&["C2"], then].concat() {
            position.play(game.parse_action(name).expect("a point"))?;
        }
        Ok::<_, mcts_wgpu::Error>(position)
    };
    assert_ne!(ko_mark(&game, captured(&[]).expect("legal moves").state()), 0);
    assert_eq!(ko_mark(&game, captured(&["pass"]).expect("legal moves").state()), 0);
    assert!(captured(&["B2"]).expect_err("retaken at once").is_bad_input());
    assert_eq!(rows(&game, &captured(&["pass", "B2"]).expect("the ko is filled"))[3], "XXXO.");
}

/// 0, or 1 + the bit of the point that may not be retaken at once.
fn ko_mark(game: &Go, state: &<Go as Game>::State) -> u32 {
    let mut words = vec![0; game.state_words() as usize];
    game.pack(state, &mut words);
    words[words.len() - 1] & 511
}

/// Positions of random games with a point that may not be retaken at once.
fn with_a_ko(game: &Go, games: u32, seed: u64) -> Vec<(<Go as Game>::State, Player)> {
    let moves = random_moves(game, games, seed).into_iter().map(|(state, turn, _)| (state, turn));
    moves.filter(|(state, _)| ko_mark(game, state) != 0).collect()
}

/// Does a playout from there begin with a pass?
fn must_pass(game: &Go, (state, turn): &(<Go as Game>::State, Player)) -> bool {
    let mut playout = game.playout_begin(state, *turn);
    let alone = game.legal_actions_playout(&mut playout) == 1;
    game.take_action_playout(&mut playout, 0);
    alone && game.playout_state(&playout).passes() > state.passes()
}

fn passes_of(
    game: &Go,
    positions: &[(<Go as Game>::State, Player)],
) -> Vec<(<Go as Game>::State, Player, u32)> {
    positions.iter().map(|&(state, turn)| (state, turn, game.pass())).collect()
}

#[test]
fn go_shader_lifts_the_ko_with_a_pass() {
    for size in [3, 4, 5, 9] {
        let game = go(size, 0.5);
        let positions = with_a_ko(&game, 300, u64::from(size));
        assert!(positions.len() > 20, "{} on {size} x {size}", positions.len());
        assert_same_rules(&game, &passes_of(&game, &positions));
    }
    for size in [3, 4] {
        let game = go(size, 0.5);
        let mut positions = with_a_ko(&game, 6000, 1);
        positions.retain(|position| must_pass(&game, position));
        assert!(positions.len() > 20, "{} on {size} x {size}", positions.len());
        assert_same_playouts(&game, positions, 0);
    }
}

/// A pass that keeps the ko, in the rules and in playouts.
#[test]
fn go_shader_passes_that_keep_the_ko_are_seen() {
    let game = go(4, 0.5);
    let mut positions = with_a_ko(&game, 6000, 1);
    let moves = passes_of(&game, &positions[..50]);
    positions.retain(|position| must_pass(&game, position));
    let draws = draws(&game, positions.len(), 11);
    let with = |from, to| Conformance { game: &game, mistake: Some((from, to)) };
    let right = Conformance { game: &game, mistake: None };
    let adapters = Adapters::open();
    let machine = &adapters.gpus[0];
    let rules = with(
        "((go_passes(word) + 1u) << 9u) | moves;",
        "((go_passes(word) + 1u) << 9u) | moves | go_ko_mark(word);",
    );
    assert_ne!(rules.rules_on(machine, &moves), right.rules_twin(&moves));
    let playouts = with("board.ko = GoPlane();", "");
    assert_ne!(playouts.playouts_on(machine, &positions, &draws), right.playouts_twin(&positions, &draws));
}

#[test]
fn go_ends_by_two_passes_or_by_the_limit() {
    let game = go(5, 0.5);
    let outcome =
        |game: &Go, moves: &[&str]| Position::from_moves(game, moves).expect("legal moves").outcome();
    assert_eq!(outcome(&game, &["C3", "pass"]), None);
    assert_eq!(outcome(&game, &["C3", "pass", "pass"]), Some(Outcome::FirstWins));
    assert_eq!(outcome(&game, &["pass", "C3", "pass"]), None);
    assert_eq!(outcome(&game, &["pass", "pass"]), Some(Outcome::SecondWins));
    assert_eq!(outcome(&go(5, 25.0), &["C3", "pass", "pass"]), Some(Outcome::Draw));
    let short = game.clone().with_max_moves(3).expect("a limit");
    assert_eq!(outcome(&short, &["C3", "D3"]), None);
    assert_eq!(outcome(&short, &["C3", "D3", "A1"]), Some(Outcome::FirstWins));
    assert!(Position::from_moves(&game, &["pass", "pass", "pass"]).unwrap_err().is_bad_input());
}

#[test]
fn go_notation() {
    for size in [1, 2, 9, 19] {
        let game = go(size, 7.5);
        for action in 0..game.max_actions() {
            assert_eq!(game.parse_action(&game.action_name(action)), Some(action));
            assert_eq!(game.parse_action(&game.action_name(action).to_lowercase()), Some(action));
        }
    }
    let game = go(19, 7.5);
    assert_eq!(["A1", "J1", "T19", "A2"].map(|n| game.parse_action(n).unwrap()), [0, 8, 360, 19]);
    assert_eq!(
        ["I1", "U1", "A0", "A20", "A01", "A+1", "A", "", "é"].map(|n| game.parse_action(n)),
        [None; 9]
    );
    for (state, _, _) in random_moves(&go(7, 0.0), 3, 6) {
        let game = go(7, 0.0);
        let mut words = vec![0; game.state_words() as usize];
        game.pack(&state, &mut words);
        assert_eq!(game.unpack(&words), state);
    }
    assert_eq!([1, 9, 13, 19].map(|size| go(size, 0.0).state_words()), [3, 7, 13, 25]);
    assert_eq!([1, 9, 19].map(|size| go(size, 0.0).expansion_stride()), [4, 128, 512]);
}

#[test]
fn go_bad_input() {
    for (size, komi) in [(0, 7.5), (20, 7.5), (9, 0.25), (9, f32::NAN), (9, f32::INFINITY), (9, -1000.5)] {
        let error = Go::new(size, komi).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains("give a"), "{error}");
    }
    for limit in [0, Go::MAX_MOVES + 1] {
        assert!(go(9, 0.0).with_max_moves(limit).unwrap_err().is_bad_input());
    }
    let game = go(3, 0.5);
    let boards: [(&[&str], &str); 5] = [
        (&["...", "..."], "2 rows: this Go board has 3 rows"),
        (&["...", "....", "..."], "row '....' has 4 points: give 3"),
        (&["...", "..x", "..."], "'x' on C2"),
        (&["OX.", "X..", "..."], "group of A3 on this Go board has no liberty"),
        (&["...", ".XO", ".OX"], "group of C1 on this Go board has no liberty"),
    ];
    for (rows, what) in boards {
        let error = game.parse_board(rows).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains(what), "{error}");
    }
    // A1 would be suicide.
    assert!(Position::from_moves(&game, &["A2", "C3", "B1", "A1"]).unwrap_err().is_bad_input());
}

#[test]
fn go_shader_plays_the_same_playouts() {
    for (size, komi, games, from_start) in
        [(1, 0.0, 2, 10), (2, 0.0, 8, 200), (3, 0.5, 8, 500), (5, 24.0, 10, 500), (9, 7.5, 6, 1000)]
    {
        let game = go(size, komi);
        let moves = random_moves(&game, games, u64::from(size)).into_iter();
        let starts = moves.step_by(3).map(|(state, turn, _)| (state, turn)).collect();
        assert_same_playouts(&game, starts, from_start);
    }
}

#[test]
fn go_shader_plays_the_same_playouts_on_large_boards() {
    for (size, from_start) in [(11, 100), (13, 100), (19, 64)] {
        let game = go(size, 6.5);
        let moves = random_moves(&game, 1, u64::from(size)).into_iter();
        let starts = moves.step_by(20).map(|(state, turn, _)| (state, turn)).collect();
        assert_same_playouts(&game, starts, from_start);
    }
}

#[test]
fn go_shader_has_the_same_rules() {
    for (size, step) in [(1, 1), (2, 1), (3, 1), (5, 3), (9, 5), (13, 40), (19, 97)] {
        let game = go(size, 0.5);
        let moves: Vec<_> = random_moves(&game, 3, u64::from(size)).into_iter().step_by(step).collect();
        assert_same_rules(&game, &moves);
    }
}

#[test]
fn go_shader_mistakes_are_seen() {
    let moves = random_moves(&go(5, 0.5), 2, 5);
    assert_mistake_is_seen(
        &go(5, 0.5),
        &moves,
        ("go_up(p, 1u), go_down(p, 1u)", "go_up(p, 1u), go_up(p, 1u)"),
    );
}
