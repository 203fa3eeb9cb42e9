//! What was measured on a machine.

use serde::{Deserialize, Serialize};
use std::fs;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// All of it, as it is kept in a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    pub processor: String,
    pub cores: u32,
    /// The length of each search.
    pub seconds: f64,
    pub costs: Vec<Costs>,
    pub series: Vec<Series>,
}

/// How long so many ranks take for one call, in microseconds.
#[derive(Debug, Serialize, Deserialize)]
pub struct Costs {
    pub ranks: u32,
    pub agree_us: f64,
    /// As much as there is to tell of one tree.
    pub gather_72_us: f64,
    /// As much as there is to tell of 64 trees.
    pub gather_4608_us: f64,
}

/// Searches on one engine, on several numbers of ranks.
#[derive(Debug, Serialize, Deserialize)]
pub struct Series {
    /// As searches report it.
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

/// What stays the same while the ranks become more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The trees of all.
    Strong,
    /// The trees of each.
    Weak,
    /// The trees of each, and all are programs that know nothing of one another: what the machine can do.
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

    /// Nothing else can be put on a logarithmic axis, or divided by.
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

    /// Numbers of ranks that there are runs of, ascending.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = self.runs.iter().map(|run| run.ranks).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}
