//! Rollouts: devices against the CPU twin, random play against exact and measured distributions, limits.

use approx::assert_abs_diff_eq;
use mcts_wgpu::{
    Engine, Game, Outcome, Player, Position,
    games::{Connect4, Go, Gomoku, Othello, OthelloState},
    gpu,
    reference::rollout::stream,
    rollout::{RolloutConfig, RolloutReport, Rollouts},
};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use std::{
    ops::ControlFlow,
    process::{Command, Output},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Greatest distance from a known figure, in standard errors.
const Z_LIMIT: f64 = 4.0;
/// The same where hundreds of figures are looked at.
const Z_LIMIT_OF_MANY: f64 = 5.0;

/// Software adapters use every core, and some drivers dislike being opened from several threads at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Every adapter (of the backend that the environment variable MCTS_WGPU_BACKEND names, where it is set), and the right
/// to use them while it lives.
struct Devices {
    engines: Vec<Engine>,
    all: Vec<gpu::Device>,
    _turn: MutexGuard<'static, ()>,
}

impl Devices {
    fn open() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let backend = std::env::var("MCTS_WGPU_BACKEND").ok();
        let adapters = gpu::adapters(backend.map(|name| name.parse().expect("a backend's name")));
        assert!(!adapters.is_empty(), "no adapter: install mesa-vulkan-drivers and libvulkan1");
        let all: Vec<_> = adapters.iter().map(|adapter| adapter.open().expect("the adapter opens")).collect();
        let engines = all.iter().map(|device| Engine::devices_of(vec![device.clone()])).collect();
        Self { engines, all, _turn: turn }
    }
}

fn rollouts<G: Game>(engine: &Engine, game: &G, config: &RolloutConfig) -> Rollouts<G> {
    Rollouts::new(engine, game.clone(), config.clone()).expect("the rollouts start")
}

fn run<G: Game>(
    engine: &Engine,
    position: &Position<G>,
    games: u64,
    config: &RolloutConfig,
) -> RolloutReport {
    rollouts(engine, position.game(), config).run(position, games).expect("the games are played")
}

/// Everything that the games decide.
fn counts(report: &RolloutReport) -> ([u64; 5], f64, Option<f64>) {
    let RolloutReport { games, first_wins, second_wins, draws, unfinished, .. } = *report;
    ([games, first_wins, second_wins, draws, unfinished], report.mean_length, report.mean_score)
}

fn seeded(seed: u64) -> RolloutConfig {
    RolloutConfig { seed, ..RolloutConfig::default() }
}

/// A position of a random game, `from_end` plies before its end, or its start where it is shorter.
fn late_position<G: Game>(game: &G, from_end: usize, seed: u64) -> Position<G> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut path = vec![Position::start(game)];
    while let Some(position) = path.last().filter(|position| position.outcome().is_none()) {
        let mut next = position.clone();
        let legal = next.legal_actions();
        next.play(legal[rng.next_u32() as usize % legal.len()]).expect("a legal action");
        path.push(next);
    }
    path.swap_remove(path.len().saturating_sub(1 + from_end))
}

// --- devices against the CPU twin --------------------------------------------------------------------------

/// Runs of several sizes one after another: small ones, one longer than the first submission, all on new games.
fn assert_agreement<G: Game>(
    devices: &Devices,
    positions: &[Position<G>],
    sizes: &[u64],
    config: &RolloutConfig,
) {
    let game = positions[0].game();
    let all = |engine: &Engine| {
        let mut rollouts = rollouts(engine, game, config);
        let runs = positions.iter().flat_map(|position| sizes.iter().map(move |&games| (position, games)));
        runs.map(|(position, games)| counts(&rollouts.run(position, games).expect("the games are played")))
            .collect::<Vec<_>>()
    };
    let expected = all(&Engine::cpu());
    for engine in &devices.engines {
        assert_eq!(all(engine), expected, "{} on {:?}", game.name(), engine.info());
    }
    let several = Engine::devices_of(devices.all.clone());
    assert_eq!(all(&several), expected, "{} on all devices together", game.name());
}

fn positions<G: Game>(game: &G) -> Vec<Position<G>> {
    let late = [1, 2, 7].map(|from_end| late_position(game, from_end, from_end as u64));
    [Position::start(game)].into_iter().chain(late).collect()
}

#[test]
fn devices_play_connect4_as_the_cpu_does() {
    let devices = Devices::open();
    assert_agreement(&devices, &positions(&Connect4::default()), &[1, 2, 1001, 70_003], &seeded(1));
    let wide = Connect4::new(3, 16).expect("a board");
    assert_agreement(&devices, &positions(&wide), &[3001], &seeded(2));
}

#[test]
fn devices_play_gomoku_as_the_cpu_does() {
    let devices = Devices::open();
    assert_agreement(&devices, &positions(&Gomoku::default()), &[1, 17, 1501], &seeded(3));
    assert_agreement(&devices, &positions(&Gomoku::new(19).expect("a board")), &[301], &seeded(4));
}

#[test]
fn devices_play_othello_as_the_cpu_does() {
    let devices = Devices::open();
    assert_agreement(&devices, &positions(&Othello), &[1, 33, 3001], &seeded(5));
}

#[test]
fn devices_play_go_as_the_cpu_does() {
    let devices = Devices::open();
    let go = |size, komi| Go::new(size, komi).expect("a board");
    assert_agreement(&devices, &positions(&go(9, 7.5)), &[1, 1001], &seeded(6));
    assert_agreement(&devices, &positions(&go(19, 0.5)), &[65], &seeded(7));
    assert_agreement(&devices, &positions(&go(5, -3.0)), &[2001], &seeded(8));
}

#[test]
fn devices_cut_games_off_as_the_cpu_does() {
    let devices = Devices::open();
    for max_moves in [1, 8, 21] {
        let config = RolloutConfig { max_moves: Some(max_moves), ..seeded(9) };
        assert_agreement(&devices, &[Position::start(&Connect4::default())], &[2001], &config);
        assert_agreement(&devices, &[Position::start(&Othello)], &[201], &config);
        let report = run(&Engine::cpu(), &Position::start(&Othello), 500, &config);
        assert!(report.mean_length <= f64::from(max_moves) && report.unfinished >= 499);
    }
}

/// Under simple ko a random game on 3 x 3 goes on for ever once in two hundred.
#[test]
fn endless_games_of_go_are_cut_off() {
    let devices = Devices::open();
    for max_moves in [200, 999] {
        let game = Go::new(3, 0.0).and_then(|go| go.with_max_moves(max_moves)).expect("a board");
        assert_agreement(&devices, &[Position::start(&game)], &[4001], &seeded(10));
        let report = run(&Engine::cpu(), &Position::start(&game), 4001, &seeded(10));
        assert!((1..100).contains(&report.unfinished), "{report:?}");
        let cut_off = f64::from(max_moves) * report.unfinished as f64 / report.games as f64;
        assert!(report.mean_length > cut_off, "{report:?}");
    }
}

/// Some software adapters end every loop after 65,535 turns, and a game that is cut off later than that with it:
/// counts may be refused then, but never be wrong.
#[test]
fn games_that_an_adapter_ends_are_noticed() {
    let devices = Devices::open();
    let game = Go::new(3, 0.0).and_then(|go| go.with_max_moves(60_000)).expect("a board");
    let start = Position::start(&game);
    let expected = run(&Engine::cpu(), &start, 1001, &seeded(13));
    assert!(expected.unfinished > 0);
    for engine in &devices.engines {
        match rollouts(engine, &game, &seeded(13)).run(&start, 1001) {
            Ok(report) => assert_eq!(counts(&report), counts(&expected)),
            Err(error) => assert!(error.is_cut_short(), "{error}"),
        }
    }
}

#[test]
fn results_depend_on_the_seed_and_not_on_how_the_work_is_split() {
    let devices = Devices::open();
    let start = Position::start(&Connect4::default());
    let whole = run(&Engine::cpu(), &start, 30_001, &seeded(11));
    for engine in devices.engines.iter().chain([&Engine::cpu()]) {
        for round in [1, 3, 1000] {
            let config = RolloutConfig { round: Some(round), ..seeded(11) };
            assert_eq!(counts(&run(engine, &start, 30_001, &config)), counts(&whole));
        }
        let mut parts = rollouts(engine, start.game(), &seeded(11));
        let parts = [1, 29_000, 1000].map(|games| parts.run(&start, games).expect("the games are played"));
        let sum = |count: fn(&RolloutReport) -> u64| parts.iter().map(count).sum::<u64>();
        assert_eq!(sum(|part| part.first_wins), whole.first_wins);
        assert_eq!(sum(|part| part.draws), whole.draws);
        assert_ne!(counts(&parts[1]), counts(&run(engine, &start, 29_000, &seeded(11))), "other games");
    }
    assert_ne!(counts(&run(&Engine::cpu(), &start, 30_001, &seeded(12))), counts(&whole));
}

// --- known distributions -----------------------------------------------------------------------------------

/// A file of `tests/data`. The compiler reads it: the statistics can then run away from the source tree.
macro_rules! data {
    ($file:literal) => {
        include_str!(concat!("data/", $file))
    };
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("a JSON document")
}

/// Most games of a comparison on a software adapter.
const MOST_ON_SOFTWARE: u64 = 1_000_000;

/// Games of a comparison on an adapter: `usual`, which takes seconds on any machine, or as many as the environment
/// variable MCTS_WGPU_GAMES says, but at most a million on a software adapter.
fn games_on(device: &gpu::Device, usual: u64) -> u64 {
    let Ok(wanted) = std::env::var("MCTS_WGPU_GAMES") else { return usual };
    let wanted = wanted.parse().expect("MCTS_WGPU_GAMES is a number of games");
    if device.info().r#type == "software" { MOST_ON_SOFTWARE.min(wanted) } else { wanted }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Mean and standard deviation of a histogram.
fn moments(histogram: &Value) -> (f64, f64) {
    let bars: Vec<f64> = histogram.as_array().expect("a list").iter().map(number).collect();
    let total: f64 = bars.iter().sum();
    let mean_of = |f: &dyn Fn(f64) -> f64| {
        (0u32..).zip(&bars).map(|(x, bar)| f(f64::from(x)) * bar).sum::<f64>() / total
    };
    let mean = mean_of(&|x| x);
    (mean, mean_of(&|x| (x - mean).powi(2)).sqrt())
}

/// What a mean over `games` games should be, where single values have this standard deviation.
fn assert_mean(what: &str, seen: f64, games: f64, (mean, deviation): (f64, f64), oracle_games: f64) {
    let error = deviation * (1.0 / games + 1.0 / oracle_games).sqrt();
    let z = (seen - mean) / error;
    assert!(z.abs() < Z_LIMIT, "{what}: {seen}, expected {mean}, {z:.1} standard errors off");
}

fn assert_share(what: &str, count: u64, games: f64, share: f64, oracle_games: f64) {
    // A share of 3 in 10 million is not known to a tenth; nor is one game expected of it here.
    let deviation = (share * (1.0 - share)).sqrt().max(1e-3);
    assert_mean(what, count as f64 / games, games, (share, deviation), oracle_games);
}

/// The CPU plays most games; that adapters play the same ones is shown above, and again here by other seeds.
fn on_every_engine<G: Game>(game: &G, games_on_cpu: u64, check: impl Fn(&RolloutReport)) {
    let devices = Devices::open();
    check(&run(&Engine::cpu(), &Position::start(game), games_on_cpu, &seeded(20)));
    for (seed, (engine, device)) in (21..).zip(devices.engines.iter().zip(&devices.all)) {
        let games = games_on(device, games_on_cpu / 3);
        let report = run(engine, &Position::start(game), games, &seeded(seed));
        assert_eq!(report.games, games);
        println!("{} on {}: {report:?}", game.name(), device.info().name);
        check(&report);
    }
}

fn assert_shares(report: &RolloutReport, [first, second, draw]: [f64; 3], oracle_games: f64) {
    let games = report.games as f64;
    assert_share("first player's wins", report.first_wins, games, first, oracle_games);
    assert_share("second player's wins", report.second_wins, games, second, oracle_games);
    assert_share("draws", report.draws, games, draw, oracle_games);
    // Once in a million games of Go go round in circles.
    assert!(report.unfinished as f64 <= 2e-6 * games, "{report:?}");
}

fn assert_unscored_play<G: Game>(game: &G, known: &str, games: u64) {
    let known = json(known);
    let n = number(&known["n"]);
    on_every_engine(game, games, |report| {
        assert_shares(report, ["first", "second", "draw"].map(|key| number(&known[key])), n);
        let length = (number(&known["mean_len"]), number(&known["sd_len"]));
        assert_mean("length", report.mean_length, report.games as f64, length, n);
        assert_eq!(report.mean_score, None);
    });
}

#[test]
fn connect4_is_played_as_independent_programs_play() {
    assert_unscored_play(&Connect4::default(), data!("connect4_random_1e9.json"), 900_000);
}

#[test]
fn gomoku_is_played_as_independent_programs_play() {
    assert_unscored_play(&Gomoku::default(), data!("gomoku15_exactly5_random_1e7.json"), 60_000);
}

#[test]
fn othello_is_played_as_independent_programs_play() {
    let known = json(data!("othello_random_5e7.json"));
    let n = number(&known["n"]);
    let (placed, passes) = (moments(&known["discs_placed_hist"]), moments(&known["pass_hist"]));
    // Two deviations add up to at least that of the sum.
    let length = (placed.0 + passes.0, placed.1 + passes.1);
    let score = (number(&known["mean_disc_diff_black"]), number(&known["sd_disc_diff"]));
    on_every_engine(&Othello, 150_000, |report| {
        assert_shares(report, ["black", "white", "draw"].map(|key| number(&known[key])), n);
        assert_mean("length", report.mean_length, report.games as f64, length, n);
        assert_mean("score", report.mean_score.expect("a score"), report.games as f64, score, n);
    });
}

fn assert_go_play(size: u32, known: &str, games: u64) {
    let known = json(known);
    let n = number(&known["n"]);
    let length = (number(&known["mean_len_incl_2_passes"]), number(&known["sd_len"]));
    for (komi, key) in [(0.0, "komi0"), (7.5, "komi7.5")] {
        let game = Go::new(size, komi).expect("a board");
        let black = number(&known["black_win"][key]);
        let score = (number(&known["mean_score_black"]) - f64::from(komi), number(&known["sd_score"]));
        on_every_engine(&game, games, |report| {
            assert_shares(report, [black, 1.0 - black, 0.0], n);
            assert_mean("length", report.mean_length, report.games as f64, length, n);
            assert_mean("score", report.mean_score.expect("a score"), report.games as f64, score, n);
        });
    }
}

#[test]
fn go_is_played_as_independent_programs_play() {
    assert_go_play(9, data!("go9_random_5e6.json"), 90_000);
    assert_go_play(19, data!("go19_random_5e5.json"), 3000);
}

#[test]
fn the_smallest_boards_of_go_are_played_as_their_markov_chains_tell() {
    let one = Go::new(1, 0.0).expect("a board");
    on_every_engine(&one, 300, |report| {
        assert_eq!(counts(report), ([report.games, 0, 0, report.games, 0], 2.0, Some(0.0)));
    });
    let known = json(data!("go_exact_2x2.json"));
    let lengths = known["len_dist"].as_object().expect("an object");
    let mean = number(&known["mean_len_incl_passes"]);
    let bar = |(length, p): (&String, &Value)| {
        (length.parse::<f64>().expect("a length") - mean).powi(2) * number(p)
    };
    let deviation = lengths.iter().map(bar).sum::<f64>().sqrt();
    let two = Go::new(2, 0.0).and_then(|go| go.with_max_moves(1000)).expect("a board");
    on_every_engine(&two, 60_000, |report| {
        assert_eq!((report.first_wins, report.mean_score), (report.games, Some(4.0)));
        assert_mean("length", report.mean_length, report.games as f64, (mean, deviation), f64::INFINITY);
    });
    let shares: Vec<_> =
        lengths.iter().map(|(length, p)| (length.parse().expect("a length"), number(p))).collect();
    for cut in [4, 5, 10, 11, 17, 29, 47, 77, 119] {
        assert_share_longer(&two, cut, &shares);
    }
}

/// The share of games that are cut off after `cut` moves, against that of the lengths above.
fn assert_share_longer(game: &Go, cut: u32, shares: &[(u32, f64)]) {
    let longer = shares.iter().filter(|(length, _)| *length > cut).map(|(_, p)| p).sum();
    let devices = Devices::open();
    for (seed, (engine, device)) in (50..).zip(devices.engines.iter().zip(&devices.all)) {
        let config = RolloutConfig { max_moves: Some(cut), ..seeded(seed) };
        let report = run(engine, &Position::start(game), games_on(device, 20_000), &config);
        let what = format!("games longer than {cut}");
        assert_share(&what, report.unfinished, report.games as f64, longer, f64::INFINITY);
    }
}

// --- exact probabilities of single positions ---------------------------------------------------------------

/// Of one position: exact P(win of the mover), P(draw) and expected length.
struct Exact<G: Game> {
    position: Position<G>,
    win: f64,
    draw: f64,
    length: Option<f64>,
    score: Option<f64>,
}

fn mover_wins(report: &RolloutReport, turn: Player) -> u64 {
    match turn.wins() {
        Outcome::FirstWins => report.first_wins,
        _ => report.second_wins,
    }
}

/// Standard errors between a count and its expectation; none where the outcome is certain, and then it was seen.
fn z_of_count(count: u64, games: u64, p: f64) -> Option<f64> {
    let expected = p * games as f64;
    if p * (1.0 - p) < 1e-9 {
        assert_abs_diff_eq!(count as f64, expected, epsilon = 1e-3);
        return None;
    }
    Some((count as f64 - expected) / (expected * (1.0 - p)).sqrt())
}

fn assert_exact<G: Game>(engine: &Engine, positions: &[Exact<G>], games: u64) {
    let mut rollouts = rollouts(engine, positions[0].position.game(), &seeded(30));
    let (mut squares, mut figures, mut length_off, mut score_off) = (0.0, 0.0, 0.0, 0.0);
    for exact in positions {
        let report = rollouts.run(&exact.position, games).expect("the games are played");
        let wins = mover_wins(&report, exact.position.turn());
        let z = [z_of_count(wins, games, exact.win), z_of_count(report.draws, games, exact.draw)];
        for z in z.into_iter().flatten() {
            // Where few are expected the count is no normal variable: such figures lie further off.
            let rare = exact.win.min(exact.draw).min(1.0 - exact.win) * games as f64;
            assert!(z.abs() < Z_LIMIT_OF_MANY || rare < 20.0, "{:?}: {z}", exact.position.moves());
            squares += z * z;
            figures += 1.0;
        }
        length_off += exact.length.map_or(0.0, |length| report.mean_length - length);
        let sign = if exact.position.turn() == Player::First { 1.0 } else { -1.0 };
        score_off += exact.score.zip(report.mean_score).map_or(0.0, |(score, seen)| sign * seen - score);
    }
    assert!(figures > 50.0);
    // Its deviation is sqrt(2 / figures), more where counts are small.
    assert_abs_diff_eq!(squares / figures, 1.0, epsilon = Z_LIMIT * (2.0f64 / figures).sqrt());
    let all_games = (positions.len() as u64 * games) as f64;
    // No game from here is longer than 20 plies, none ends further than 64 from its mean: generous deviations.
    assert_abs_diff_eq!(length_off / positions.len() as f64, 0.0, epsilon = Z_LIMIT * 5.0 / all_games.sqrt());
    assert_abs_diff_eq!(score_off / positions.len() as f64, 0.0, epsilon = Z_LIMIT * 20.0 / all_games.sqrt());
}

fn connect4_positions(every: usize) -> Vec<Exact<Connect4>> {
    let game = Connect4::default();
    let lines =
        data!("connect4_exact_random.txt").lines().filter(|line| !line.starts_with('#')).step_by(every);
    lines
        .map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let columns: Vec<_> = fields[0].bytes().map(|b| (b - b'1').to_string()).collect();
            let [win, draw, length] = [2, 3, 4].map(|field: usize| fields[field].parse().expect("a number"));
            let position = Position::from_moves(&game, &columns).expect("legal moves");
            Exact { position, win, draw, length: Some(length), score: None }
        })
        .collect()
}

fn othello_positions() -> Vec<Exact<Othello>> {
    let lines = data!("othello_exact_random.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            let discs = |player: char| {
                (0..)
                    .zip(fields[0].chars())
                    .filter(|(_, c)| *c == player)
                    .map(|(i, _): (u32, _)| 1u64 << i)
                    .sum()
            };
            let turn = if fields[1] == "X" { Player::First } else { Player::Second };
            let state = OthelloState { black: discs('X'), white: discs('O') };
            let [win, draw, score] = [3, 4, 6].map(|field: usize| fields[field].parse().expect("a number"));
            let position = Position::from_state(&Othello, state, turn).expect("a position of the game");
            Exact { position, win, draw, length: None, score: Some(score) }
        })
        .collect()
}

#[test]
fn single_positions_have_their_exact_probabilities() {
    assert_exact(&Engine::cpu(), &connect4_positions(1), 5000);
    assert_exact(&Engine::cpu(), &othello_positions(), 20_000);
    let devices = Devices::open();
    for (engine, device) in devices.engines.iter().zip(&devices.all) {
        let games = games_on(device, 5000);
        let every = if games > 5000 { 1 } else { 5 };
        assert_exact(engine, &connect4_positions(every), games);
        assert_exact(engine, &othello_positions(), games);
    }
}

// --- the games' random numbers -----------------------------------------------------------------------------

/// Chi-square of counts that should be alike, as standard deviations from its mean (Wilson and Hilferty).
fn z_of_even(counts: &[u32]) -> f64 {
    let cells = counts.len() as f64;
    let expected = counts.iter().map(|&count| f64::from(count)).sum::<f64>() / cells;
    let squares = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected);
    let spread = 2.0 / (9.0 * (cells - 1.0));
    ((squares.sum::<f64>() / (cells - 1.0)).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// Counts the pairs of draw `a` of each game and draw `b` of the game `apart` numbers on.
fn z_of_pairs(seed: u64, [a, b]: [usize; 2], apart: u64) -> f64 {
    const PLACES: u32 = 31;
    let draw = |game, place| {
        let mut stream = stream(seed, game);
        (0..=place).map(|_| stream.pick(PLACES)).last().unwrap_or(0)
    };
    let mut counts = vec![0; (PLACES * PLACES) as usize];
    for game in 0..200_000 {
        counts[(draw(game, a) * PLACES + draw(game + apart, b)) as usize] += 1;
    }
    z_of_even(&counts)
}

#[test]
fn draws_of_a_game_and_of_neighbouring_games_are_independent() {
    for seed in [0, 1, u64::MAX] {
        for places in [[0, 1], [1, 2], [0, 7], [20, 50]] {
            assert_abs_diff_eq!(z_of_pairs(seed, places, 0), 0.0, epsilon = Z_LIMIT);
        }
        for apart in [1, 2, 64, 1 << 16, 1 << 17, 1 << 32] {
            assert_abs_diff_eq!(z_of_pairs(seed, [0, 0], apart), 0.0, epsilon = Z_LIMIT);
            assert_abs_diff_eq!(z_of_pairs(seed, [3, 3], apart), 0.0, epsilon = Z_LIMIT);
        }
    }
    assert!(z_of_pairs(0, [0, 0], 0) > 1000.0, "a draw depends on itself");
}

// --- limits ------------------------------------------------------------------------------------------------

#[test]
fn a_run_can_be_ended_early() {
    let devices = Devices::open();
    let start = Position::start(&Connect4::default());
    for engine in devices.engines.iter().chain([&Engine::cpu()]) {
        let mut stopped = rollouts(engine, start.game(), &seeded(40));
        let mut told = 0;
        let report = stopped.run_with(&start, u64::MAX, None, |progress| {
            assert!(progress.games > told && progress.of_games == u64::MAX);
            told = progress.games;
            if told > 5000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let report = report.expect("the games are played");
        assert!(report.games >= told && told > 5000);
        assert_eq!(counts(&report), counts(&run(&Engine::cpu(), &start, report.games, &seeded(40))));
        let next = stopped.run_with(&start, 1 << 60, Some(Duration::ZERO), |_| ControlFlow::Continue(()));
        let games = next.expect("the games are played").games;
        assert!((1..1 << 40).contains(&games), "{games} games in no time");
    }
}

#[test]
fn bad_input_is_refused() {
    let start = Position::start(&Connect4::default());
    let mut rollouts = rollouts(&Engine::cpu(), start.game(), &seeded(0));
    assert!(rollouts.run(&start, 0).expect_err("no games").is_bad_input());
    let over = late_position(start.game(), 0, 1);
    let error = rollouts.run(&over, 10).expect_err("the game is over");
    assert!(error.is_bad_input() && error.to_string().contains("over"), "{error}");
    for config in [
        RolloutConfig { max_moves: Some(0), ..seeded(0) },
        RolloutConfig { max_moves: Some(1 << 22), ..seeded(0) },
        RolloutConfig { round: Some(0), ..seeded(0) },
    ] {
        let error = Rollouts::new(&Engine::cpu(), Othello, config).expect_err("a config out of range");
        assert!(error.is_bad_input(), "{error}");
    }
}

// --- the program -------------------------------------------------------------------------------------------

fn program(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mcts-wgpu"))
        .arg("rollout")
        .args(arguments.split_whitespace())
        .output()
        .expect("the program starts")
}

#[test]
fn the_program_prints_the_librarys_report() {
    let output = program("go --size 5 --komi 2.5 --games 700 --seed 3 --max-moves 40 --adapter cpu --json");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let config = RolloutConfig { max_moves: Some(40), ..seeded(3) };
    let start = Position::start(&Go::new(5, 2.5).expect("a board"));
    let report = run(&Engine::cpu(), &start, 700, &config);
    let mut expected = serde_json::to_value(&report).expect("a report is JSON");
    let mut printed: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    for report in [&mut expected, &mut printed] {
        for field in ["seconds", "games_per_second"] {
            assert!(report.as_object_mut().and_then(|fields| fields.remove(field)).is_some());
        }
    }
    assert_eq!(printed, expected);
    assert!(report.unfinished > 0 && report.mean_score.is_some());
}

#[test]
fn the_program_refuses_bad_input() {
    for (arguments, part) in [
        ("connect4 --moves 0,1,0,1,0,1,0", "the game is over in this position (X wins)"),
        ("othello --games 0", "--games 0"),
        ("othello --games -1", "'-1'"),
        ("othello --max-moves 0", "0 moves"),
        ("othello --policy greedy", "choose random"),
        ("othello --mapping none", "choose thread"),
        ("othello --time 0", "--time 0"),
        ("go --size 20", "20"),
    ] {
        let output = program(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments}: {said}");
        assert!(said.starts_with("error: ") && said.contains(part), "{arguments}: {said}");
    }
}
