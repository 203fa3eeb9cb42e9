//! The checks for programs that wait.

use super::{VerifyProgress, VerifyReport, VerifySettings, run_async};
use crate::{engine::Engine, error::Result, host::block_on};
use std::ops::ControlFlow;

/// Makes the checks on an engine of one adapter, or on the CPU engine. `progress` is told of every case before it
/// begins, and ends the checks early by [`ControlFlow::Break`]; the report then has those that had ended, and says so.
///
/// # Errors
/// As [`run_async`].
pub fn run(
    engine: &Engine,
    settings: &VerifySettings,
    progress: impl FnMut(VerifyProgress<'_>) -> ControlFlow<()>,
) -> Result<VerifyReport> {
    block_on(run_async(engine, settings, progress))
}
