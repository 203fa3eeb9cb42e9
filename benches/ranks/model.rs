//! A model of many ranks: their efficiency, from the measured loss of a few.

use super::{
    measured::{Kind, Measured, Result, Series},
    runs::GAMES,
};

/// Time between two agreements of a search.
const BETWEEN_US: f64 = 20e3;

/// The loss of ranks, as a function of their number.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Time that one rank takes to agree with itself.
    pub alone_us: f64,
    /// Time that each doubling of the ranks adds.
    pub doubling_us: f64,
    /// Standard deviation of the times of equal work on different ranks, as a share of their mean.
    pub spread: f64,
}

impl Model {
    /// Fits the measurements, by least squares.
    pub fn fit(measured: &Measured) -> Result<Self> {
        let points: Vec<_> =
            measured.costs.iter().map(|costs| (f64::from(costs.ranks).log2(), costs.agree_us)).collect();
        let (alone_us, doubling_us) = line(&points).ok_or("the costs of two numbers of ranks are needed")?;
        let agreeing = Self { alone_us, doubling_us, spread: 0.0 };
        // Ranks that share a core or a GPU wait for another reason.
        let cpu = measured.series.iter().filter(|series| series.is_cpu);
        let waits = cpu.flat_map(|series| agreeing.waits(series, measured.cores));
        let (xy, xx) = waits.fold((0.0, 0.0), |(xy, xx), (x, y)| (xy + x * y, xx + x * x));
        if xx == 0.0 {
            return Err("searches on two or more cores are needed".into());
        }
        Ok(Self { spread: (xy / xx).max(0.0), ..agreeing })
    }

    /// The distance of the slowest rank from the mean in standard deviations, with the time lost beyond that to agree.
    fn waits(self, series: &Series, cores: u32) -> impl Iterator<Item = (f64, f64)> {
        let counts = series.ranks().into_iter().filter(move |ranks| (2..=cores).contains(ranks));
        let all = counts.flat_map(|ranks| GAMES.map(|game| (game.name, ranks)));
        all.filter_map(move |(game, ranks)| {
            let ideal = series.rate(Kind::Apart, game, ranks)?;
            let lost = ideal / series.rate(Kind::Weak, game, ranks)? - 1.0;
            Some((deviations(ranks), lost - self.agree_us(ranks, 0.0) / BETWEEN_US))
        })
    }

    /// The time that so many ranks take to agree, if each message takes `latency_us` longer than on the host measured.
    pub fn agree_us(self, ranks: u32, latency_us: f64) -> f64 {
        self.alone_us + (self.doubling_us + latency_us) * f64::from(ranks).log2()
    }

    /// The work of each of so many ranks in the time in which a single rank does 1.
    pub fn efficiency(self, ranks: u32, latency_us: f64) -> f64 {
        let time =
            |ranks| 1.0 + self.agree_us(ranks, latency_us) / BETWEEN_US + self.spread * deviations(ranks);
        time(1) / time(ranks)
    }
}

/// The expected distance of the greatest of so many normal numbers from their mean, in standard deviations: the usual
/// upper bound.
fn deviations(ranks: u32) -> f64 {
    (2.0 * f64::from(ranks).ln()).sqrt()
}

/// The intercept and the slope of the line through points; the slope is at least 0.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (xy, xx) = points.iter().fold((0.0, 0.0), |(xy, xx), point| {
        (xy + (point.0 - x) * (point.1 - y), xx + (point.0 - x) * (point.0 - x))
    });
    let slope = (xy / xx).max(0.0);
    (xx > 0.0).then_some((y - slope * x, slope))
}
