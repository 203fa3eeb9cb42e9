//! Random play of Go against exact and measured distributions.

use crate::support::{
    play::{End, data, sample, z_of_chi_square, z_of_share},
    prelude::*,
};
use approx::assert_abs_diff_eq;

/// A correct program fails a two-sided test at this many standard errors once in 15 million; with some ten tests at 4
/// standard errors (once in 16,000 each), a change of seeds fails this file once in about 1,000 times.
const Z_LIMIT: f64 = 5.4;

/// The statistics find half a percent of the games with another winner, and games two plies longer.
#[test]
fn statistics_see_small_differences() {
    assert!(z_of_share(505_000.0, 1e6, 0.5) > Z_LIMIT);
    assert!(z_of_share(500_500.0, 1e6, 0.5) < Z_LIMIT);
    let known: Value = serde_json::from_str(&data("go9_random_5e6.json")).expect("JSON");
    let lengths: Vec<f64> = integers(&known["len_hist"]).into_iter().map(f64::from).collect();
    let fewer: Vec<f64> = lengths.iter().map(|count| (count / 250.0).round()).collect();
    let z = |seen: &[f64]| {
        let (chi_square, degrees) = chi_square_of_two(seen, &lengths);
        z_of_chi_square(chi_square, degrees)
    };
    assert!(z(&fewer) < Z_LIMIT);
    assert!(z(&[&[0.0, 0.0], &fewer[..fewer.len() - 2]].concat()) > Z_LIMIT);
}

#[test]
fn exact_distributions() {
    let one = go_of(1, 0.0);
    let ends = sample(&one, (&one.start(), Player::First), 500, |end| (end.plies, end.outcome));
    assert!(ends.iter().all(|&end| end == (2, Some(Outcome::Draw))));

    const GAMES: u64 = 100_000;
    let two = go_of(2, 0.0);
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
    let game = go_of(size, 0.0);
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
    let counts = |name: &str| -> Vec<f64> { integers(&known[name]).into_iter().map(f64::from).collect() };
    let points = i64::from(size * size);
    let scores = counts(&format!("score_hist_from_-{points}"));
    let lengths = counts("len_hist");
    for (seen, known) in [
        (histogram(ends.iter().map(|e| i64::from(e.1) + points), scores.len()), scores),
        (histogram(ends.iter().map(|e| e.0), lengths.len().max(game.max_moves() as usize + 1)), lengths),
    ] {
        let (chi_square, degrees) = chi_square_of_two(&seen, &known);
        let z = z_of_chi_square(chi_square, degrees);
        assert!(degrees > 50.0 && z.abs() < Z_LIMIT, "chi-square {chi_square}, {degrees} degrees of freedom");
    }
}

#[test]
fn random_play_on_9x9() {
    assert_random_play("go9_random_5e6.json", 9, 1_000_000);
}

#[test]
fn random_play_on_19x19() {
    assert_random_play("go19_random_5e5.json", 19, 30_000);
}

#[test]
fn playouts_end_where_positions_repeat() {
    let game = go_of(3, 0.0);
    let ends = sample(&game, (&game.start(), Player::First), 50_000, |end| (end.plies, end.outcome));
    let capped = ends.iter().filter(|end| end.0 == game.max_moves()).count();
    assert!((50..1000).contains(&capped), "{capped} playouts reached the limit");
    assert!(ends.iter().all(|end| end.1.is_some()));
}
