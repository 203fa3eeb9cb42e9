//! Random play against distributions that independent programs have measured.

use super::*;
use crate::support::prelude::*;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("a JSON document")
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

/// The expected mean over `games` games, if single values have this standard deviation.
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

/// The CPU plays most games; other tests show that adapters play the same games, and so do other seeds here.
fn on_every_engine<G: Game>(game: &G, games_on_cpu: u64, check: impl Fn(&RolloutReport)) {
    let devices = Devices::open();
    check(&rolled_out(&Engine::cpu(), &Position::start(game), games_on_cpu, &seeded(20)));
    for (seed, (engine, device)) in (21..).zip(devices.engines.iter().zip(&devices.all)) {
        let games = games_on(device, games_on_cpu / 3);
        let report = rolled_out(engine, &Position::start(game), games, &seeded(seed));
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
    // Once in a million, a game of Go repeats for ever.
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
    // The sum of both deviations is at least that of the sum.
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
        let game = go_of(size, komi);
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
fn the_smallest_boards_of_go_are_played_as_markov_chains() {
    let one = go_of(1, 0.0);
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
        let report = rolled_out(engine, &Position::start(game), games_on(device, 20_000), &config);
        let what = format!("games longer than {cut}");
        assert_share(&what, report.unfinished, report.games as f64, longer, f64::INFINITY);
    }
}
