//! The Bradley-Terry model of choices, fitted by minorization-maximization.
//!
//! Every class c has a strength γ_c > 0, and of the candidates of a competition one of class c wins with probability
//! γ_c / E, where E is the sum of the strengths of all its candidates. Rémi Coulom, *Computing Elo Ratings of Move
//! Patterns in the Game of Go* (Computer Games Workshop, 2007), section 2, here with one feature a candidate. The prior
//! is his as well (section 3.3): as if each class had won and lost `prior` times against an opponent of a given
//! strength. It keeps strengths finite, and draws those of rare classes towards the opponent's.

use rayon::prelude::*;

/// Competitions of one task of the fit. Sums are made in this order, for any number of threads.
const COMPETITIONS_A_TASK: usize = 8192;

/// Competitions between candidates that are identified by their classes alone.
#[derive(Debug, Clone, Default)]
pub struct Competitions {
    /// The end of each competition's candidates.
    ends: Vec<usize>,
    /// Classes, and the number of a competition's candidates of each.
    candidates: Vec<(u32, u32)>,
    winners: Vec<u32>,
}

/// The options of the fit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FitOptions {
    /// Prior wins and losses of each pattern, against a pattern of average strength
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().prior))]
    pub prior: f64,
    /// The fit has converged when a sweep raises the logarithm of the posterior by less than this a competition.
    #[cfg_attr(feature = "cli", arg(skip = Self::default().tolerance))]
    pub tolerance: f64,
    /// Greatest number of sweeps of the fit
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().max_sweeps))]
    pub max_sweeps: u32,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { prior: 1.0, tolerance: 1e-7, max_sweeps: 1000 }
    }
}

/// The result of the fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// γ of every class.
    pub strengths: Vec<f64>,
    /// The logarithm of the posterior density, up to a constant: before the first sweep, with all strengths equal to
    /// the opponents', and after each sweep.
    pub log_posterior: Vec<f64>,
    /// The fit converged within the maximum of sweeps.
    pub converged: bool,
}

impl Competitions {
    /// The number of competitions.
    pub fn len(&self) -> usize {
        self.winners.len()
    }

    /// Whether there is no competition.
    pub fn is_empty(&self) -> bool {
        self.winners.is_empty()
    }

    /// Adds a competition between candidates of these classes, of which one of class `winner` won.
    ///
    /// # Panics
    /// If no candidate is of that class.
    pub fn push(&mut self, classes: &mut [u32], winner: u32) {
        assert!(classes.contains(&winner), "the winner is a candidate");
        classes.sort_unstable();
        let groups = classes.chunk_by(|a, b| a == b);
        self.candidates.extend(groups.map(|group| (group[0], group.len() as u32)));
        self.ends.push(self.candidates.len());
        self.winners.push(winner);
    }

    /// The mean of ln(γ of the winner / E).
    pub fn mean_log_likelihood(&self, strengths: &[f64]) -> f64 {
        let logs = |task| self.of_task(task).map(|(all, winner)| log_share(all, winner, strengths)).sum();
        self.sum_over_tasks(logs) / self.len() as f64
    }

    /// The mean logarithm of one over the number of candidates.
    pub fn mean_log_likelihood_uniform(&self) -> f64 {
        let count = |all: &[(u32, u32)]| f64::from(all.iter().map(|&(_, count)| count).sum::<u32>());
        let logs = |task| self.of_task(task).map(|(all, _)| -count(all).ln()).sum();
        self.sum_over_tasks(logs) / self.len() as f64
    }

    fn tasks(&self) -> usize {
        self.len().div_ceil(COMPETITIONS_A_TASK)
    }

    /// The candidates and the winner of each competition of a task.
    fn of_task(&self, task: usize) -> impl Iterator<Item = (&[(u32, u32)], u32)> {
        let first = task * COMPETITIONS_A_TASK;
        (first..self.len().min(first + COMPETITIONS_A_TASK)).map(|i| {
            let begin = if i == 0 { 0 } else { self.ends[i - 1] };
            (&self.candidates[begin..self.ends[i]], self.winners[i])
        })
    }

    fn sum_over_tasks(&self, of_task: impl Fn(usize) -> f64 + Send + Sync) -> f64 {
        let sums: Vec<f64> = (0..self.tasks()).into_par_iter().map(of_task).collect();
        sums.into_iter().sum()
    }

    /// For each class the sum of (candidates of that class) / E over all competitions; and the sum of ln(γ of the
    /// winner / E).
    fn sweep(&self, strengths: &[f64]) -> (Vec<f64>, f64) {
        let of_task = |task| {
            let (mut shares, mut log_likelihood) = (vec![0.0; strengths.len()], 0.0);
            for (all, winner) in self.of_task(task) {
                let total = total(all, strengths);
                log_likelihood += (strengths[winner as usize] / total).ln();
                all.iter().for_each(|&(class, count)| shares[class as usize] += f64::from(count) / total);
            }
            (shares, log_likelihood)
        };
        let tasks: Vec<(Vec<f64>, f64)> = (0..self.tasks()).into_par_iter().map(of_task).collect();
        tasks.into_iter().fold((vec![0.0; strengths.len()], 0.0), |(mut sum, log), (shares, more)| {
            sum.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
            (sum, log + more)
        })
    }

    fn wins(&self, classes: usize) -> Vec<f64> {
        let mut wins = vec![0.0; classes];
        self.winners.iter().for_each(|&winner| wins[winner as usize] += 1.0);
        wins
    }
}

fn total(candidates: &[(u32, u32)], strengths: &[f64]) -> f64 {
    candidates.iter().map(|&(class, count)| f64::from(count) * strengths[class as usize]).sum()
}

fn log_share(candidates: &[(u32, u32)], winner: u32, strengths: &[f64]) -> f64 {
    (strengths[winner as usize] / total(candidates, strengths)).ln()
}

/// Finds the strengths of greatest posterior density, given each class's opponent of the prior. The result does not
/// depend on the number of threads.
///
/// A sweep sets γ_c = (wins of c + prior) / (Σ candidates of c / E + 2 prior / (γ_c + opponent of c)), for all classes
/// at once, which cannot lower the posterior (David R. Hunter, *MM Algorithms for Generalized Bradley-Terry Models*,
/// Annals of Statistics 32, 2004). Then it multiplies all strengths by the factor of greatest prior density, which does
/// not change the likelihood of the competitions. Without it the sweeps would take thousands of steps to the same
/// factor.
///
/// # Panics
/// If a competition has a class without an opponent.
pub fn fit(competitions: &Competitions, opponents: &[f64], options: &FitOptions) -> Fit {
    let prior = options.prior;
    let log_prior = |strengths: &[f64]| -> f64 {
        let games = strengths.iter().zip(opponents);
        games.map(|(own, opponent)| prior * (own.ln() + opponent.ln() - 2.0 * (own + opponent).ln())).sum()
    };
    let wins = competitions.wins(opponents.len());
    let mut strengths = opponents.to_vec();
    let (mut shares, log_likelihood) = competitions.sweep(&strengths);
    let mut log_posterior = vec![log_likelihood + log_prior(&strengths)];
    let mut converged = false;
    while !converged && log_posterior.len() <= options.max_sweeps as usize {
        for (class, strength) in strengths.iter_mut().enumerate() {
            let games = shares[class] + 2.0 * prior / (*strength + opponents[class]);
            *strength = (wins[class] + prior) / games;
        }
        let factor = best_common_factor(&strengths, opponents);
        strengths.iter_mut().for_each(|strength| *strength *= factor);
        let log_likelihood;
        (shares, log_likelihood) = competitions.sweep(&strengths);
        let now = log_likelihood + log_prior(&strengths);
        let gain = log_posterior.last().map_or(0.0, |before| now - before);
        converged = gain < options.tolerance * competitions.len() as f64;
        log_posterior.push(now);
    }
    Fit { strengths, log_posterior, converged }
}

/// The factor of all strengths with which they win half of their games of the prior, found by bisection of its
/// logarithm: more wins mean a smaller factor.
fn best_common_factor(strengths: &[f64], opponents: &[f64]) -> f64 {
    let half = 0.5 * strengths.len() as f64;
    let (mut low, mut high) = (-8.0f64, 8.0f64);
    for _ in 0..48 {
        let factor = (0.5 * (low + high)).exp();
        let wins = |(own, opponent): (&f64, &f64)| factor * own / (factor * own + opponent);
        let wins: f64 = strengths.iter().zip(opponents).map(wins).sum();
        if wins > half { high = factor.ln() } else { low = factor.ln() }
    }
    (0.5 * (low + high)).exp()
}
