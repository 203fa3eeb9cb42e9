//! The calls that wait: a thin layer over the async ones. A page in a browser can't wait, and has none of them.

use super::{DeviceBoard, PvSplit, SplitLimit, SplitProgress, SplitReport};
use crate::{device::Device, error::Result, host::block_on};
use std::ops::ControlFlow;

impl<B: DeviceBoard> PvSplit<B> {
    /// Compiles the search for boards like `like`, to at most `max_depth` plies. `workers` is rounded up to whole
    /// workgroups; by default it suits the kind of adapter.
    ///
    /// # Errors
    /// Bad input where the depth or the number of workers is out of range; shader; out of memory.
    pub fn new(device: &Device, like: &B, max_depth: u32, workers: Option<u32>) -> Result<Self> {
        block_on(Self::new_async(device, like, max_depth, workers))
    }

    /// [`run_with`](Self::run_with), without a word until it ends.
    ///
    /// # Errors
    /// As there.
    pub fn run(&mut self, board: &B, limit: SplitLimit) -> Result<SplitReport> {
        self.run_with(board, limit, |_| ControlFlow::Continue(()))
    }

    /// Searches `board` to the limit, depth by depth. `progress` is called now and then; `Break` ends the search as the
    /// end of its time would.
    ///
    /// # Errors
    /// Bad input where the board or the depth is not what the search was compiled for; device lost.
    pub fn run_with(
        &mut self,
        board: &B,
        limit: SplitLimit,
        mut progress: impl FnMut(SplitProgress<'_>) -> ControlFlow<()>,
    ) -> Result<SplitReport> {
        // Compiled once for a board, whoever asks how far it is.
        let progress: &mut dyn FnMut(SplitProgress<'_>) -> ControlFlow<()> = &mut progress;
        block_on(self.run_async(board, limit, progress))
    }
}
