//! Searches: budgets, batches, reuse, several devices and lost ones; games and positions that break the contract result
//! in the same error on every engine, and never in a wrong result.

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

use crate::support::prelude::*;
use std::fmt::Debug;

fn start() -> Position<Connect4> {
    Position::start(&Connect4::default())
}

/// A search of Connect 4.
fn search(engine: &Engine, config: &Config) -> Search<Connect4> {
    search_on(engine, Connect4::default(), *config)
}

/// A report without what depends on the engine: its name and times.
pub fn found(report: &Report) -> impl PartialEq + Debug + use<> {
    let root = (report.best.clone(), report.n_root, report.actions.clone());
    let counts = (report.performance.steps, report.performance.playouts);
    (root, counts, report.trees_info.clone(), report.fingerprint.clone())
}
