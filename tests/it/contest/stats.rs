//! Scores, Elo and the sequential test, against independently computed figures.

use crate::support::prelude::*;
use approx::assert_abs_diff_eq;
use mcts_wgpu::contest::stats::{Sprt, Tally, Verdict, elo_of, interval, ratings};
use proptest::prelude::*;

fn tally(wins: u64, draws: u64, losses: u64) -> Tally {
    Tally { wins, draws, losses }
}

/// Results of each player against each, from those of pairs a < b.
fn table(n: usize, pairs: &[(usize, usize, Tally)]) -> Vec<Vec<Tally>> {
    let mut results = vec![vec![Tally::default(); n]; n];
    for &(a, b, tally) in pairs {
        results[a][b] = tally;
        results[b][a] = tally.of_opponent();
    }
    results
}

#[test]
fn a_win_counts_one_and_a_draw_half() {
    let mut count = Tally::default();
    count.count(Outcome::FirstWins, Player::First);
    count.count(Outcome::FirstWins, Player::Second);
    count.count(Outcome::SecondWins, Player::Second);
    count.count(Outcome::Draw, Player::Second);
    assert_eq!(count, tally(2, 1, 1));
    assert_eq!((count.games(), count.points(), count.score()), (4, 2.5, Some(0.625)));
    assert_eq!(count + count.of_opponent(), tally(3, 2, 3));
    assert_eq!(Tally::default().score(), None);
}

/// Wilson's interval, as textbooks have it: 15 of 20, 0 of 10, 50 of 100.
#[test]
fn intervals_are_wilsons() {
    for (games, expected) in [
        (tally(15, 0, 5), [0.5313, 0.8881]),
        (tally(10, 10, 0), [0.5313, 0.8881]),
        (tally(0, 0, 10), [0.0, 0.2775]),
        (tally(50, 0, 50), [0.4038, 0.5962]),
        (Tally::default(), [0.0, 1.0]),
    ] {
        let found = interval(games);
        (0..2).for_each(|end| assert_abs_diff_eq!(found[end], expected[end], epsilon = 1e-4));
    }
}

#[test]
fn scores_stand_for_known_differences() {
    for (score, elo) in
        [(0.5, 0.0), (0.75, 190.8485), (0.64, 99.9510), (10.0 / 11.0, 400.0), (0.25, -190.8485)]
    {
        assert_abs_diff_eq!(elo_of(score).expect("a difference"), elo, epsilon = 1e-4);
    }
    assert_eq!((elo_of(0.0), elo_of(1.0)), (None, None));
}

#[test]
fn a_table_with_known_strengths_is_fitted() {
    let results = table(3, &[(0, 1, tally(40, 0, 20)), (0, 2, tally(44, 8, 8)), (1, 2, tally(30, 20, 10))]);
    let found = ratings(&results);
    assert!(!found.with_prior);
    let elo = |place: usize| found.players[place].expect("a rating").elo;
    let factor_two = 400.0 * 2f64.log10();
    assert_abs_diff_eq!(elo(0), factor_two, epsilon = 1e-6);
    assert_abs_diff_eq!(elo(1), 0.0, epsilon = 1e-6);
    assert_abs_diff_eq!(elo(2), -factor_two, epsilon = 1e-6);
}

/// Of n games at 50 %, the difference of two ratings has the variance 4 / n, in units of 400 / ln 10 Elo; each rating
/// has a quarter of it.
#[test]
fn errors_of_a_pair_are_those_of_its_score() {
    let found = ratings(&table(2, &[(0, 1, tally(50, 0, 50))]));
    for player in found.players {
        let rating = player.expect("a rating");
        assert_abs_diff_eq!(rating.elo, 0.0, epsilon = 1e-9);
        assert_abs_diff_eq!(rating.error, 1.959_964 * 0.1 * 400.0 / 10f64.ln(), epsilon = 1e-3);
    }
}

#[test]
fn ratings_of_undefeated_players_are_finite() {
    let results = table(3, &[(0, 1, tally(5, 0, 5)), (0, 2, tally(10, 0, 0)), (1, 2, tally(10, 0, 0))]);
    let found = ratings(&results);
    let elos: Vec<_> = found.players.iter().map(|player| player.expect("a rating").elo).collect();
    assert!(found.with_prior && elos.iter().all(|elo| elo.is_finite()), "{elos:?}");
    assert_abs_diff_eq!(elos[0], elos[1], epsilon = 1e-6);
    assert!(elos[2] < elos[0] - 300.0, "{elos:?}");
}

#[test]
fn players_that_never_met_have_no_ratings() {
    let found = ratings(&table(4, &[(0, 1, tally(1, 0, 1)), (2, 3, tally(1, 0, 1))]));
    assert_eq!(found.players, [None; 4]);
    assert_eq!(ratings(&table(2, &[])).players, [None; 2]);
    assert!(ratings(&[]).players.is_empty());
}

/// The first ratio was found by maximizing both likelihoods numerically; without draws it is that of two binomials.
#[test]
fn ratios_of_likelihoods_are_known() {
    let state = Sprt::new(0.0, 20.0).expect("a test").state(tally(60, 30, 40));
    assert_abs_diff_eq!(state.llr, 1.218_680_213_7, epsilon = 1e-8);
    assert_abs_diff_eq!(state.upper, 19f64.ln(), epsilon = 1e-12);
    assert_eq!(state.verdict, None);

    let expected = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
    let [p0, p1] = [expected(0.0), expected(50.0)];
    let binomial = 100.0 * (p1 / p0).ln() + 50.0 * ((1.0 - p1) / (1.0 - p0)).ln();
    let state = Sprt::new(0.0, 50.0).expect("a test").state(tally(100, 0, 50));
    assert_abs_diff_eq!(state.llr, binomial, epsilon = 0.01);
}

#[test]
fn tests_come_to_their_ends() {
    let test = Sprt::new(0.0, 50.0).expect("a test");
    assert_eq!(test.state(tally(150, 20, 60)).verdict, Some(Verdict::Elo1));
    assert_eq!(test.state(tally(60, 20, 150)).verdict, Some(Verdict::Elo0));
    assert_eq!(test.state(Tally::default()).llr, 0.0);
    for (elo0, elo1) in [(20.0, 0.0), (5.0, 5.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(Sprt::new(elo0, elo1).is_err());
    }
}

fn counts() -> impl Strategy<Value = Tally> {
    (0u64..200, 0u64..200, 0u64..200).prop_map(|(wins, draws, losses)| tally(wins, draws, losses))
}

proptest! {
    #[test]
    fn intervals_hold_their_scores(games in counts()) {
        let [low, high] = interval(games);
        prop_assert!(0.0 <= low && low < high && high <= 1.0);
        if let Some(score) = games.score() {
            prop_assert!(low <= score + 1e-12 && score <= high + 1e-12);
        }
        let [mirrored_low, mirrored_high] = interval(games.of_opponent());
        prop_assert!((low + mirrored_high - 1.0).abs() < 1e-9 && (high + mirrored_low - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ratings_expect_the_points_there_are(a in counts(), b in counts(), c in counts()) {
        let one = tally(1, 0, 1);
        let results = table(3, &[(0, 1, a + one), (0, 2, b + one), (1, 2, c + one)]);
        let found = ratings(&results);
        let elo = |place: usize| found.players[place].expect("a rating").elo;
        prop_assert!((0..3).map(elo).sum::<f64>().abs() < 1e-6);
        for (i, row) in results.iter().enumerate() {
            let expected: f64 = (0..3)
                .filter(|&j| j != i)
                .map(|j| row[j].games() as f64 / (1.0 + 10f64.powf((elo(j) - elo(i)) / 400.0)))
                .sum();
            let points: f64 = row.iter().map(|tally| tally.points()).sum();
            prop_assert!((expected - points).abs() < 1e-4, "{expected} {points}");
        }
    }

    #[test]
    fn a_pair_has_the_difference_of_its_score(games in counts()) {
        let games = games + tally(1, 0, 1);
        let found = ratings(&table(2, &[(0, 1, games)]));
        let elo = |place: usize| found.players[place].expect("a rating").elo;
        let expected = games.score().and_then(elo_of).expect("a difference");
        prop_assert!((elo(0) - elo(1) - expected).abs() < 1e-6);
    }

    #[test]
    fn tests_are_the_same_from_both_sides(games in counts(), elo0 in -300.0..299.0f64, width in 0.5..200.0f64) {
        let elo1 = elo0 + width;
        let here = Sprt::new(elo0, elo1).expect("a test").state(games).llr;
        let there = Sprt::new(-elo1, -elo0).expect("a test").state(games.of_opponent()).llr;
        prop_assert!((here + there).abs() <= 1e-6 * (1.0 + here.abs()), "{here} {there}");
    }
}
