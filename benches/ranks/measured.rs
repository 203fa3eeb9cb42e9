//! Measurements of a machine.

use serde::{Deserialize, Serialize};
use std::fs;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// All measurements, as a file keeps them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    pub processor: String,
    pub cores: u32,
    /// The length of each search.
    pub seconds: f64,
    pub costs: Vec<Costs>,
    pub series: Vec<Series>,
}

/// Microseconds of one call, by the number of ranks.
#[derive(Debug, Serialize, Deserialize)]
pub struct Costs {
    pub ranks: u32,
    pub agree_us: f64,
    /// With the data of one tree.
    pub gather_72_us: f64,
    /// With the data of 64 trees.
    pub gather_4608_us: f64,
}

/// Searches on one engine, on several numbers of ranks.
#[derive(Debug, Serialize, Deserialize)]
pub struct Series {
    /// The engine's name in reports.
    pub adapter: String,
    pub is_cpu: bool,
    /// Trees of all ranks together, where they stay the same.
    pub trees: u32,
    /// Trees of each rank, where they grow with the ranks.
    pub trees_a_rank: u32,
    pub playouts: u32,
    pub runs: Vec<Run>,
}

/// A search.
#[derive(Debug, Serialize, Deserialize)]
pub struct Run {
    pub kind: Kind,
    pub game: String,
    pub ranks: u32,
    /// The steps of all trees.
    pub tree_steps_per_second: f64,
}

/// The number that stays the same while ranks are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Trees of all ranks.
    Strong,
    /// Trees of each rank.
    Weak,
    /// Trees of each of several independent programs: the capacity of the machine.
    Apart,
}

impl Measured {
    pub fn read(path: &str) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| format!("{path} can't be read: {error}"))?;
        let measured: Self =
            serde_json::from_str(&text).map_err(|error| format!("{path} is no measurement: {error}"))?;
        if !measured.is_positive() {
            return Err(format!("{path} is no measurement: not all its numbers are above 0").into());
        }
        Ok(measured)
    }

    /// Zeros and negative numbers have no place on a logarithmic axis, and can't be divisors.
    fn is_positive(&self) -> bool {
        let mut costs = self.costs.iter().flat_map(|costs| {
            [f64::from(costs.ranks), costs.agree_us, costs.gather_72_us, costs.gather_4608_us]
        });
        let runs = self.series.iter().flat_map(|series| &series.runs);
        let mut runs = runs.flat_map(|run| [f64::from(run.ranks), run.tree_steps_per_second]);
        costs.all(|number| number > 0.0) && runs.all(|number| number > 0.0)
    }

    pub fn write(&self, path: &str) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        Ok(fs::write(path, text).map_err(|error| format!("{path} can't be written: {error}"))?)
    }
}

impl Series {
    /// Steps of all trees per second.
    pub fn rate(&self, kind: Kind, game: &str, ranks: u32) -> Option<f64> {
        let run = self.runs.iter().find(|run| run.kind == kind && run.game == game && run.ranks == ranks);
        run.map(|run| run.tree_steps_per_second)
    }

    /// The rate as a multiple of that of one rank.
    pub fn speed_up(&self, kind: Kind, game: &str, ranks: u32) -> Option<f64> {
        Some(self.rate(kind, game, ranks)? / self.rate(kind, game, 1)?)
    }

    /// The numbers of ranks that were measured, ascending.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = self.runs.iter().map(|run| run.ranks).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}
