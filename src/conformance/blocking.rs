//! The blocking calls of the suite.

use super::{Conformance, Finding};
use crate::{engine::Engine, error::Result, host::block_on, rules::Game};

impl<G: Game> Conformance<G> {
    /// [`run`](Self::run), and comparisons of the WGSL with Rust on a device of the engine. The CPU engine has no
    /// device.
    ///
    /// # Errors
    /// Out of memory; device lost.
    pub fn run_on(&self, engine: &Engine) -> Result<Vec<Finding>> {
        block_on(self.run_on_async(engine))
    }
}
