use crate::support::prelude::*;
use approx::assert_relative_eq;
use mcts_wgpu::patterns::bradley_terry::{Competitions, Fit, FitOptions, fit};
use proptest::prelude::*;
use rand_pcg::Pcg32;

/// `count` competitions between `candidates` random candidates, won in proportion to the strengths.
fn simulate(strengths: &[f64], candidates: usize, count: usize, seed: u64) -> Competitions {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut competitions = Competitions::default();
    for _ in 0..count {
        let mut classes: Vec<u32> =
            (0..candidates).map(|_| random.next_u32() % strengths.len() as u32).collect();
        let total: f64 = classes.iter().map(|&class| strengths[class as usize]).sum();
        let mut draw = f64::from(random.next_u32()) / 2f64.powi(32) * total;
        let won = classes.iter().copied().find(|&class| {
            draw -= strengths[class as usize];
            draw < 0.0
        });
        let winner = won.unwrap_or(classes[candidates - 1]);
        competitions.push(&mut classes, winner);
    }
    competitions
}

fn without_prior() -> FitOptions {
    FitOptions { prior: 1e-9, tolerance: 1e-12, max_sweeps: 10_000 }
}

#[test]
fn the_strengths_behind_the_data_are_recovered() {
    let truth = [0.02, 0.1, 0.5, 1.0, 3.0, 10.0, 50.0];
    let competitions = simulate(&truth, 12, 200_000, 1);
    let Fit { strengths, converged, .. } = fit(&competitions, &[1.0; 7], &FitOptions::default());
    assert!(converged);
    let scale = strengths[3];
    for (found, truth) in strengths.iter().zip(truth) {
        assert_relative_eq!(found / scale, truth, max_relative = 0.06);
    }
}

#[test]
fn two_classes_have_the_ratio_of_their_wins() {
    let mut competitions = Competitions::default();
    (0..12).for_each(|i| competitions.push(&mut [0, 1], u32::from(i % 4 == 0)));
    let found = fit(&competitions, &[1.0; 2], &without_prior());
    assert_relative_eq!(found.strengths[0] / found.strengths[1], 3.0, max_relative = 1e-4);
    let expected = 0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln();
    let likelihood = competitions.mean_log_likelihood(&found.strengths);
    assert_relative_eq!(likelihood, expected, max_relative = 1e-6);
    assert_relative_eq!(competitions.mean_log_likelihood_uniform(), 0.5f64.ln());
}

#[test]
fn candidates_of_one_class_share_their_win() {
    // Nine of class 0 against one of class 1, won by each side equally often: each of the nine is worth a ninth.
    let mut competitions = Competitions::default();
    (0..10).for_each(|i| competitions.push(&mut [0, 0, 0, 0, 1, 0, 0, 0, 0, 0], i % 2));
    let found = fit(&competitions, &[1.0; 2], &without_prior());
    assert_relative_eq!(found.strengths[1] / found.strengths[0], 9.0, max_relative = 1e-4);
}

#[test]
fn the_prior_is_a_win_and_a_loss_against_the_opponent() {
    // By symmetry, a class that only meets itself keeps its opponent's strength.
    let mut itself = Competitions::default();
    itself.push(&mut [0, 0], 0);
    let found = fit(&itself, &[4.0, 9.0], &FitOptions { tolerance: 1e-14, ..FitOptions::default() });
    assert_relative_eq!(found.strengths[0], 4.0, max_relative = 1e-6);
    assert_relative_eq!(found.strengths[1], 9.0, max_relative = 1e-6);
    // The same games with the opponents as candidates, with a strong prior of their own.
    let mut beaten = Competitions::default();
    (0..3).for_each(|_| beaten.push(&mut [0, 1], 0));
    let options = FitOptions { prior: 1.0, tolerance: 1e-14, max_sweeps: 100_000 };
    let found = fit(&beaten, &[1.0, 1.0], &options).strengths;
    // At the greatest posterior: 3 + 1 = 3 a / (a + b) + 2 a / (a + 1), and 1 = 3 b / (a + b) + 2 b / (b + 1).
    let (a, b) = (found[0], found[1]);
    assert_relative_eq!(4.0, 3.0 * a / (a + b) + 2.0 * a / (a + 1.0), max_relative = 1e-4);
    assert_relative_eq!(1.0, 3.0 * b / (a + b) + 2.0 * b / (b + 1.0), max_relative = 1e-4);
}

#[test]
fn the_fit_ends_at_its_limits() {
    let competitions = simulate(&[0.1, 1.0, 10.0], 5, 1000, 3);
    let options = FitOptions { max_sweeps: 2, ..FitOptions::default() };
    let found = fit(&competitions, &[1.0; 3], &options);
    assert_eq!((found.log_posterior.len(), found.converged), (3, false));
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let competitions = simulate(&[0.1, 0.3, 1.0, 7.0], 30, 40_000, 4);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        pool.install(|| fit(&competitions, &[1.0; 4], &FitOptions::default()))
    };
    assert_eq!(with(1), with(7));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_sweep_lowers_the_posterior(
        logs in prop::collection::vec(-4.0f64..4.0, 2..9),
        opponents in prop::collection::vec(0.1f64..10.0, 9),
        candidates in 2usize..20,
        prior in 0.01f64..5.0,
        seed: u64,
    ) {
        let strengths: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let competitions = simulate(&strengths, candidates, 300, seed);
        let options = FitOptions { prior, tolerance: 1e-9, max_sweeps: 300 };
        let found = fit(&competitions, &opponents[..strengths.len()], &options);
        let enough = 1e-9 * found.log_posterior[0].abs();
        prop_assert!(found.log_posterior.windows(2).all(|pair| pair[1] >= pair[0] - enough));
    }
}
