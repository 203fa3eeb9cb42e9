//! The blocking calls: a thin layer over the async ones. A page in a browser can't block, and has none of them.

use super::{DeviceBoard, PvSplit, SplitLimit, SplitProgress, SplitReport};
use crate::{device::Device, error::Result, host::block_on};
use std::ops::ControlFlow;

impl<B: DeviceBoard> PvSplit<B> {
    /// Compiles the search for boards like `like`, to at most `max_depth` plies. `workers` is rounded up to whole
    /// workgroups; its default depends on the kind of adapter.
    ///
    /// # Errors
    /// Bad input if the depth or the number of workers is out of range; shader; out of memory.
    pub fn new(device: &Device, like: &B, max_depth: u32, workers: Option<u32>) -> Result<Self> {
        block_on(Self::new_async(device, like, max_depth, workers))
    }

    /// [`run_with`](Self::run_with) without progress.
    ///
    /// # Errors
    /// As [`run_with`](Self::run_with).
    pub fn run(&mut self, board: &B, limit: SplitLimit) -> Result<SplitReport> {
        self.run_with(board, limit, |_| ControlFlow::Continue(()))
    }

    /// Searches `board` to the limit, depth by depth. `progress` is called from time to time; `Break` ends the search
    /// like the end of its time.
    ///
    /// # Errors
    /// Bad input if the search was compiled for another board or a lesser depth; device lost.
    pub fn run_with(
        &mut self,
        board: &B,
        limit: SplitLimit,
        progress: impl FnMut(SplitProgress<'_>) -> ControlFlow<()>,
    ) -> Result<SplitReport> {
        block_on(self.run_async(board, limit, progress))
    }
}
