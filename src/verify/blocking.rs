//! The blocking calls of the checks.

use super::{VerifyProgress, VerifyReport, VerifySettings, run_async};
use crate::{engine::Engine, error::Result, host::block_on};
use std::ops::ControlFlow;

/// Makes the checks on an engine of one adapter, or on the CPU engine. `progress` is called before every case, and ends
/// the checks early by [`ControlFlow::Break`]; the report then has those that have ended, and is marked as interrupted.
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
