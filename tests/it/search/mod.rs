//! Searches: budgets, batches, reuse, several devices and lost ones; games and positions that do not keep the contract
//! end with an error in the same words on every engine, and never with a wrong result.

mod budgets;
mod checked;
mod settings;

mod devices;
mod evaluators;
mod games;
mod growth;
mod in_async;
mod loops;
mod networks;
mod positions;
mod priors;
mod proofs;
mod pruning;
mod rave;
mod refusals;
mod restricted;
mod reuse;
mod room;
mod runs;
mod searches;
mod shipped;
mod stuck;
mod superko;
mod tactics;

use mcts_wgpu::Report;
use std::fmt::Debug;

/// A report without what depends on the engine: its name and times.
pub fn found(report: &Report) -> impl PartialEq + Debug + use<> {
    let root = (report.best.clone(), report.n_root, report.actions.clone());
    let counts = (report.performance.steps, report.performance.playouts);
    (root, counts, report.trees_info.clone(), report.fingerprint.clone())
}
