//! Ratings of patterns from the choices of game records.

use super::{
    PatternShape, PatternTable,
    bradley_terry::{Competitions, Fit, FitOptions, fit},
    records::{MoveChoice, MoveChoices},
};
use crate::{
    error::{Error, Result},
    games::go::patterns::square_within,
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The options of learning.
///
/// `hold_out` is from 0 to below 1. M2 patterns with fewer than `min_seen` candidates have the rating of the 3 x 3
/// pattern within, such 3 x 3 patterns the table's default, that of one common class.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct LearnOptions {
    /// The patterns to rate.
    #[cfg_attr(feature = "cli", arg(skip = PatternShape::Square))]
    pub shape: PatternShape,
    /// Share of the games that is held out, to measure the prediction of their moves
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "SHARE", default_value_t = Self::new(PatternShape::Square).hold_out)
    )]
    pub hold_out: f64,
    /// Least number of candidates of a pattern with a rating of its own; rarer patterns share a rating
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", default_value_t = Self::new(PatternShape::Square).min_seen)
    )]
    pub min_seen: u32,
    /// Options of the model.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub fit: FitOptions,
}

impl LearnOptions {
    /// 10 % held out, patterns of 5 candidates or more.
    pub fn new(shape: PatternShape) -> Self {
        Self { shape, hold_out: 0.1, min_seen: 5, fit: FitOptions::default() }
    }

    fn validate(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.hold_out) {
            let what = format!("{} of the games held out: give a share from 0 to below 1", self.hold_out);
            return Err(Error::invalid(what));
        }
        if !(self.fit.prior > 0.0 && self.fit.prior.is_finite()) {
            return Err(Error::invalid(format!("a prior of {}: give a number above 0", self.fit.prior)));
        }
        if self.fit.tolerance.is_nan() || self.fit.max_sweeps == 0 {
            return Err(Error::invalid("the fit needs a tolerance that is a number, and a sweep at least"));
        }
        Ok(())
    }
}

/// Mean natural logarithms of the probabilities of the moves made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LogLikelihood {
    /// With uniform probabilities.
    pub uniform: f64,
    /// By the fitted strengths.
    pub fitted: f64,
    /// By the table's ratings: strengths scaled, rounded and clipped.
    pub table: f64,
}

/// The report of learning.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnReport {
    /// `3x3` or `m2`.
    pub shape: &'static str,
    /// Games learnt from.
    pub games: usize,
    /// Games held out.
    pub held_out_games: usize,
    /// Moves learnt from.
    pub moves: usize,
    /// Moves held out.
    pub held_out_moves: usize,
    /// Moves of all games that no playout makes, into own eyes.
    pub moves_left_out: usize,
    /// Candidates of the moves learnt from.
    pub candidates: u64,
    /// Different patterns among them, without rotations and reflections.
    pub patterns_seen: usize,
    /// Patterns with a rating of their own.
    pub patterns_rated: usize,
    /// Sweeps of the fit.
    pub sweeps: usize,
    /// The fit converged.
    pub converged: bool,
    /// The rating of a strength of 1.
    pub scale: f64,
    /// Ratings clipped at the upper end of the table's range, and at the lower.
    pub clipped: [usize; 2],
    /// For the moves learnt from.
    pub log_likelihood: LogLikelihood,
    /// For the moves held out; `None` without such moves.
    pub held_out_log_likelihood: Option<LogLikelihood>,
}

/// A table, and the report of its fit.
#[derive(Debug, Clone)]
pub struct Learnt {
    /// The ratings.
    pub table: PatternTable,
    /// The report.
    pub report: LearnReport,
}

/// Learns from the choices of games. The same games and options give the same table, on any number of cores.
///
/// First 3 x 3 patterns are fitted, with opponents of strength 1 as their prior; then, on request, M2 patterns, with
/// the strength of the 3 x 3 pattern within as their prior. So rare M2 patterns are about as strong as their 3 x 3
/// pattern, and those without a rating of their own are exactly so.
///
/// # Errors
/// Bad input if an option is out of range, or no move is left to learn from.
///
/// # Panics
/// If a choice was no candidate.
pub fn learn(games: &[MoveChoices], options: &LearnOptions) -> Result<Learnt> {
    options.validate()?;
    let [kept, held_out] = split(games, options.hold_out);
    let seen = count_codes(&kept);
    if seen.is_empty() {
        return Err(Error::invalid("these games have no move to learn from: give more games"));
    }
    let (classes, fit) = fit_classes(&kept, &seen, options);
    let competitions = classes.competitions(&kept);
    let scale = best_scale(&competitions, &fit.strengths);
    let table = classes.table(&fit.strengths, scale, options.shape)?;
    let likelihood_of = |choices: &[&MoveChoice], competitions: &Competitions| LogLikelihood {
        uniform: competitions.mean_log_likelihood_uniform(),
        fitted: competitions.mean_log_likelihood(&fit.strengths),
        table: mean_log_likelihood(&table, choices),
    };
    let held_out_games = number_held_out(games.len(), options.hold_out);
    let report = LearnReport {
        shape: options.shape.name(),
        games: games.len() - held_out_games,
        held_out_games,
        moves: kept.len(),
        held_out_moves: held_out.len(),
        moves_left_out: games.iter().map(|game| game.left_out).sum(),
        candidates: seen.values().sum(),
        patterns_seen: by_pattern(&seen, options.shape).len(),
        patterns_rated: classes.listed.iter().filter(|&&(shape, _)| shape == options.shape).count(),
        sweeps: fit.log_posterior.len() - 1,
        converged: fit.converged,
        scale,
        clipped: clipped(&fit.strengths, scale),
        log_likelihood: likelihood_of(&kept, &competitions),
        held_out_log_likelihood: (!held_out.is_empty())
            .then(|| likelihood_of(&held_out, &classes.competitions(&held_out))),
    };
    Ok(Learnt { table, report })
}

/// The classes, and their strengths.
///
/// While M2 patterns are fitted, the 3 x 3 classes stand for rare M2 patterns alone, which are a biased sample: a
/// pattern that is played at once is seen less often than one that is not. So the 3 x 3 classes then get back the
/// strengths of their own fit.
fn fit_classes(choices: &[&MoveChoice], seen: &HashMap<u32, u64>, options: &LearnOptions) -> (Classes, Fit) {
    let mut classes = Classes::default();
    classes.add(PatternShape::Square, seen, options.min_seen);
    let squares = fit(&classes.competitions(choices), &vec![1.0; classes.count()], &options.fit);
    if options.shape == PatternShape::Square {
        return (classes, squares);
    }
    let opponents = classes.add_diamonds(seen, options.min_seen, &squares.strengths);
    let mut diamonds = fit(&classes.competitions(choices), &opponents, &options.fit);
    diamonds.strengths[..squares.strengths.len()].copy_from_slice(&squares.strengths);
    (classes, diamonds)
}

/// The number of games held out among the first `games`: evenly spread over the list.
fn number_held_out(games: usize, share: f64) -> usize {
    (games as f64 * share) as usize
}

/// The choices of the games to learn from, and those of the games held out.
fn split(games: &[MoveChoices], share: f64) -> [Vec<&MoveChoice>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    for (i, game) in games.iter().enumerate() {
        let held_out = number_held_out(i + 1, share) > number_held_out(i, share);
        parts[usize::from(held_out)].extend(&game.choices);
    }
    parts
}

/// The number of candidates of each M2 code.
fn count_codes(choices: &[&MoveChoice]) -> HashMap<u32, u64> {
    let mut seen = HashMap::new();
    for &code in choices.iter().flat_map(|choice| &choice.candidates) {
        *seen.entry(code).or_default() += 1;
    }
    seen
}

/// The number of candidates of each pattern, by its canonical code.
fn by_pattern(seen: &HashMap<u32, u64>, shape: PatternShape) -> BTreeMap<u32, u64> {
    let mut patterns = BTreeMap::new();
    for (&code, count) in seen {
        *patterns.entry(pattern_of(code, shape)).or_default() += count;
    }
    patterns
}

/// The canonical code of a shape at a point of this M2 code.
fn pattern_of(code: u32, shape: PatternShape) -> u32 {
    shape.canonical(if shape == PatternShape::Square { square_within(code) } else { code })
}

/// The classes of the fit. Class 0 has all patterns that are not listed, class i the i-th listed pattern.
#[derive(Default)]
struct Classes {
    listed: Vec<(PatternShape, u32)>,
    numbers: HashMap<(PatternShape, u32), u32>,
}

impl Classes {
    /// Returns the opponents of all classes, old and new, from the strengths of the old ones.
    fn add_diamonds(&mut self, seen: &HashMap<u32, u64>, min_seen: u32, strengths: &[f64]) -> Vec<f64> {
        let squares = self.count();
        self.add(PatternShape::Diamond, seen, min_seen);
        let within = |&(_, code): &(_, u32)| strengths[self.square_class(code) as usize];
        let diamonds = self.listed[squares - 1..].iter().map(within);
        strengths.iter().copied().chain(diamonds).collect()
    }

    /// Lists the patterns with enough candidates.
    fn add(&mut self, shape: PatternShape, seen: &HashMap<u32, u64>, min_seen: u32) {
        for (code, count) in by_pattern(seen, shape) {
            if count >= u64::from(min_seen) {
                self.listed.push((shape, code));
                self.numbers.insert((shape, code), self.listed.len() as u32);
            }
        }
    }

    fn count(&self) -> usize {
        self.listed.len() + 1
    }

    fn number(&self, shape: PatternShape, code: u32) -> Option<u32> {
        self.numbers.get(&(shape, pattern_of(code, shape))).copied()
    }

    fn square_class(&self, code: u32) -> u32 {
        self.number(PatternShape::Square, code).unwrap_or(0)
    }

    /// The class of an M2 code.
    fn class(&self, code: u32) -> u32 {
        self.number(PatternShape::Diamond, code).unwrap_or_else(|| self.square_class(code))
    }

    fn competitions(&self, choices: &[&MoveChoice]) -> Competitions {
        let mut known = HashMap::new();
        let mut class = |&code: &u32| *known.entry(code).or_insert_with(|| self.class(code));
        let mut competitions = Competitions::default();
        for choice in choices {
            let mut classes: Vec<u32> = choice.candidates.iter().map(&mut class).collect();
            let winner = classes[choice.chosen];
            competitions.push(&mut classes, winner);
        }
        competitions
    }

    /// Leaves out M2 patterns with the rating of the 3 x 3 pattern within.
    fn table(&self, strengths: &[f64], scale: f64, shape: PatternShape) -> Result<PatternTable> {
        let rating = |class: u32| rating(strengths[class as usize], scale);
        let [mut squares, mut diamonds] = [Vec::new(), Vec::new()];
        for (class, &(shape, code)) in (1..).zip(&self.listed) {
            match shape {
                PatternShape::Square => squares.push((code, rating(class))),
                PatternShape::Diamond if rating(class) == rating(self.square_class(code)) => {}
                PatternShape::Diamond => diamonds.push((code, rating(class))),
            }
        }
        let table = PatternTable::new(rating(0), squares)?;
        if shape == PatternShape::Diamond { table.with_diamonds(diamonds) } else { Ok(table) }
    }
}

/// The whole number nearest to the scaled strength, within the table's range.
fn rating(strength: f64, scale: f64) -> u16 {
    (strength * scale).round().clamp(1.0, f64::from(PatternTable::MAX_RATING)) as u16
}

/// The number of strengths above the range, and below.
fn clipped(strengths: &[f64], scale: f64) -> [usize; 2] {
    let count =
        |is_out: &dyn Fn(f64) -> bool| strengths.iter().filter(|&&s| is_out((s * scale).round())).count();
    [count(&|rating| rating > f64::from(PatternTable::MAX_RATING)), count(&|rating| rating < 1.0)]
}

/// The scale of greatest likelihood of the moves made, out of 25: the one that takes the greatest strength to the
/// greatest rating, and 24 more, each √2 times the one before, which clip more and more of the strongest patterns and
/// round the weakest ones ever finer.
fn best_scale(competitions: &Competitions, strengths: &[f64]) -> f64 {
    let greatest = strengths.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let scale = |step: i32| f64::from(PatternTable::MAX_RATING) / greatest * (0.5 * f64::from(step)).exp2();
    let likelihood = |scale: f64| {
        let ratings: Vec<f64> =
            strengths.iter().map(|&strength| f64::from(rating(strength, scale))).collect();
        competitions.mean_log_likelihood(&ratings)
    };
    let scales = (0..=24).map(|step| (likelihood(scale(step)), scale(step)));
    scales.reduce(|best, next| if next.0 > best.0 { next } else { best }).map_or(1.0, |(_, scale)| scale)
}

/// The mean natural logarithm of the probability that a draw in proportion to the table's ratings takes the chosen
/// point.
pub fn mean_log_likelihood(table: &PatternTable, choices: &[&MoveChoice]) -> f64 {
    let dense = table.dense();
    let rating = |&code: &u32| {
        let code = if table.shape() == PatternShape::Square { square_within(code) } else { code };
        f64::from(dense[code as usize])
    };
    let log_share = |choice: &&MoveChoice| {
        let total: f64 = choice.candidates.iter().map(rating).sum();
        (rating(&choice.candidates[choice.chosen]) / total).ln()
    };
    choices.iter().map(log_share).sum::<f64>() / choices.len() as f64
}
