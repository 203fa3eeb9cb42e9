use crate::support::prelude::*;
use approx::assert_relative_eq;
use mcts_wgpu::patterns::{
    LearnOptions,
    bradley_terry::FitOptions,
    learn, mean_log_likelihood,
    records::{MoveChoice, MoveChoices, read_games},
};

const SAMPLE: &str = include_str!("../../data/gnugo_selfplay.sgf");

fn sample() -> Vec<MoveChoices> {
    let games = read_games(SAMPLE).into_iter();
    games.map(|game| game.and_then(|game| game.choices()).expect("the sample is good")).collect()
}

#[test]
fn ratings_predict_held_out_games() {
    let games = sample();
    for shape in PatternShape::ALL {
        let options = LearnOptions { hold_out: 0.25, ..LearnOptions::new(shape) };
        let report = learn(&games, &options).expect("there are moves").report;
        assert_eq!((report.games, report.held_out_games), (25, 8));
        assert!(report.converged && report.moves > report.held_out_moves);
        let held_out = report.held_out_log_likelihood.expect("games are held out");
        assert!(held_out.fitted > held_out.uniform + 0.8, "{shape:?}: {held_out:?}");
        assert!(held_out.table > held_out.fitted - 0.02, "{shape:?}: {held_out:?}");
        let learnt = report.log_likelihood;
        assert!(learnt.fitted > learnt.uniform + 1.0 && learnt.table > learnt.fitted - 0.02, "{learnt:?}");
    }
}

#[test]
fn larger_patterns_predict_the_learnt_games_better() {
    let games = sample();
    let of = |shape| learn(&games, &LearnOptions::new(shape)).expect("there are moves").report;
    let [square, diamond] = PatternShape::ALL.map(of);
    assert!(diamond.log_likelihood.fitted > square.log_likelihood.fitted + 0.05);
    assert!(diamond.patterns_seen > square.patterns_seen);
}

#[test]
fn the_report_counts_games_and_moves() {
    let games = sample();
    let options = LearnOptions { hold_out: 0.0, min_seen: 1, ..LearnOptions::new(PatternShape::Diamond) };
    let report = learn(&games, &options).expect("there are moves").report;
    let choices = || games.iter().flat_map(|game| &game.choices);
    assert_eq!((report.games, report.held_out_games, report.held_out_moves), (33, 0, 0));
    assert_eq!(report.held_out_log_likelihood, None);
    assert_eq!(report.moves, choices().count());
    assert_eq!(report.candidates, choices().map(|choice| choice.candidates.len() as u64).sum::<u64>());
    let uniform: f64 = choices().map(|choice| -(choice.candidates.len() as f64).ln()).sum();
    assert_relative_eq!(report.log_likelihood.uniform, uniform / report.moves as f64, max_relative = 1e-12);
}

#[test]
fn a_pattern_that_always_wins_gets_the_greatest_rating_and_one_that_never_does_the_least() {
    let [good, bad, rare] = [0x00_0001, 0x00_0002, 0x00_0005];
    let mut choices = vec![MoveChoice { candidates: vec![bad, good, bad, bad], chosen: 1 }; 3000];
    choices.push(MoveChoice { candidates: vec![good, rare], chosen: 0 });
    let games = [MoveChoices { choices, left_out: 0 }];
    let options = LearnOptions { hold_out: 0.0, min_seen: 2, ..LearnOptions::new(PatternShape::Diamond) };
    let table = learn(&games, &options).expect("there are moves").table;
    for code in PatternShape::Diamond.symmetries(good) {
        assert_eq!(table.rating(code), PatternTable::MAX_RATING);
    }
    assert!(table.rating(bad) < 10, "{}", table.rating(bad));
    // Too rare for ratings, as is the 3 x 3 pattern within.
    assert_eq!(table.rating(rare), table.default_rating());
}

#[test]
fn bad_options_are_refused() {
    let games = sample();
    let good = LearnOptions::new(PatternShape::Square);
    let refused = |games: &[MoveChoices], options: LearnOptions, said: &str| {
        assert_bad(learn(games, &options), said);
    };
    for hold_out in [1.0, -0.1, f64::NAN] {
        refused(&games, LearnOptions { hold_out, ..good }, "held out");
    }
    for prior in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(&games, LearnOptions { fit: FitOptions { prior, ..good.fit }, ..good }, "prior");
    }
    refused(&games, LearnOptions { fit: FitOptions { max_sweeps: 0, ..good.fit }, ..good }, "sweep");
    refused(&[], good, "no move to learn from");
    refused(&[MoveChoices::default()], good, "no move to learn from");
}

#[test]
fn the_tables_of_the_crate_predict_other_games() {
    let games = sample();
    let choices: Vec<&MoveChoice> = games.iter().flat_map(|game| &game.choices).collect();
    let of = |shape| mean_log_likelihood(PatternTable::shipped(shape), &choices);
    let uniform = choices.iter().map(|choice| -(choice.candidates.len() as f64).ln()).sum::<f64>();
    let uniform = uniform / choices.len() as f64;
    let [square, diamond] = PatternShape::ALL.map(of);
    assert!(square > uniform + 1.3, "{square} against {uniform}");
    assert!(diamond > square + 0.2, "{diamond} against {square}");
}

#[test]
fn the_tables_of_the_crate_are_their_files() {
    let files = [
        include_str!("../../../games/go/patterns-3x3.txt"),
        include_str!("../../../games/go/patterns-m2.txt"),
    ];
    for (shape, file) in PatternShape::ALL.into_iter().zip(files) {
        let table = PatternTable::shipped(shape);
        let (origin, text) = file.split_once('\n').expect("a table has many lines");
        assert!(origin.starts_with("# ") && origin.contains("games"), "{origin}");
        assert_eq!((table.shape(), table.to_text().as_str()), (shape, text));
    }
}
