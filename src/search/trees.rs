//! The trees of a search on one engine, as the search loop sees them.

use super::{
    Config, Submitted, TreeStreams, are_decided,
    memory::{Division, Room},
    report::{Costs, Outcomes, Reused},
};
use crate::{
    device::loads::Half,
    device::{AdapterKind, Copied},
    engine::EngineInfo,
    error::Result,
    forest::{
        layout::Tree,
        nodes::{Node, NodeRun},
        shape::Shape,
    },
    host::Instant,
};
use async_trait::async_trait;
use futures_util::future::try_join_all;
use std::{fmt::Debug, time::Duration};

/// Headers of trees, copied while steps are in progress.
pub(super) struct HeaderCheck {
    pub headers: Vec<Copied<Tree>>,
    pub per_position: u32,
}

impl HeaderCheck {
    /// Whether, by the headers, each position may have a tree whose root is proven.
    pub async fn ended(self) -> Result<bool> {
        let headers = try_join_all(self.headers.into_iter().map(Copied::read)).await?.concat();
        Ok(are_decided(&headers, self.per_position) == Some(true))
    }
}

/// Trees with their random streams and their memory. There are none before [`allocate`](Self::allocate).
///
/// A step is made whole ([`submit`](Self::submit)), or in slices: [`save`](Self::save), then for each half
/// [`begin_half`](Self::begin_half), and [`submit_slice`](Self::submit_slice) and [`end_slice`](Self::end_slice) until
/// there is none left, and [`end_step`](Self::end_step) or [`withdraw`](Self::withdraw).
#[async_trait(?Send)]
pub(super) trait Trees: Debug + Send + Sync {
    /// The kind of the slowest device.
    fn kind(&self) -> AdapterKind;

    /// Sizes of a tree.
    fn shape(&self) -> &Shape;

    /// The engine of a report.
    fn info(&self) -> EngineInfo;

    /// The memory of every device.
    fn rooms(&self, config: &Config) -> Vec<Room>;

    /// Frees the memory of the last division, allocates this one's trees, and seeds their streams.
    async fn allocate(&mut self, division: Division, trees_per_position: u32) -> Result<()>;

    /// Whether every position has all its trees; false if a move to larger memory failed.
    fn is_whole(&self) -> bool {
        true
    }

    /// The present capacity of each tree of each chunk.
    fn room(&self) -> Vec<u32>;

    /// For tests: the first capacity of trees that grow, and the bytes of a binding.
    fn grow_from(&mut self, _nodes: u32, _binding: u64) {}

    /// Replaces the streams by those of another seed.
    async fn reseed(&mut self, seed: u64) -> Result<()>;

    /// The streams of all trees.
    async fn streams(&self) -> Result<Vec<TreeStreams>>;

    /// Replaces the streams of the first trees.
    async fn set_streams(&mut self, streams: &[TreeStreams]) -> Result<()>;

    /// Removes kept evaluations of positions.
    fn forget_evaluations(&mut self) {}

    /// Makes new trees, from one root record a position.
    async fn reset(&mut self, records: &[Vec<u32>]) -> Result<()>;

    /// Reduces every tree to its subtree below `moves`; returns the totals of the trees that are left.
    async fn reuse(&mut self, record: &[u32], moves: &[u32]) -> Result<Reused>;

    /// Withdraws root children after the first step, by position
    /// ([`restrict_roots`](crate::reference::restrict::restrict_roots)).
    async fn restrict(&mut self, only: &[Option<&[u32]>]) -> Result<()>;

    /// Moves trees to more memory where they need it for this many steps, as far as memory and the time before `end`
    /// allow. Returns the time that this took.
    async fn grow(&mut self, _steps: u32, _end: Option<Instant>) -> Result<Duration> {
        Ok(Duration::ZERO)
    }

    /// The greatest number of nodes of all trees after the submitted steps.
    fn most_nodes(&self) -> u64;

    /// Submits steps to every device, so that all of them work at the same time. The CPU makes them.
    async fn submit(&mut self, steps: u32) -> Result<Submitted>;

    /// Waits for submitted steps.
    async fn wait(&self, submitted: Submitted) -> Result<()>;

    /// Whether each position has a tree whose root is proven; `None` where there are no trees.
    async fn is_decided(&self) -> Result<Option<bool>>;

    /// Copies the headers that [`is_decided`](Self::is_decided) reads first, without waiting for submitted steps;
    /// `None` where nothing has to be waited for.
    async fn header_check(&self) -> Result<Option<HeaderCheck>> {
        Ok(None)
    }

    /// Before the first step: whether a step is expected to take little time.
    fn has_short_steps(&self) -> bool;

    /// Whether steps can be cut into slices. An evaluator gets all leaves of a step at once.
    fn can_cut(&self) -> bool;

    /// For tests: sets the size of slices.
    fn fix_slices(&mut self, units: Option<u32>);

    /// Whether the size of slices is set.
    fn has_fixed_slices(&self) -> bool;

    /// Saves the state that a step can be undone to; returns false where there is no memory for it.
    async fn save(&mut self) -> Result<bool>;

    /// Undoes the step that began after [`save`](Self::save).
    async fn withdraw(&mut self) -> Result<()>;

    /// Cuts half a step into slices, on every device by itself.
    fn begin_half(&mut self, half: Half);

    /// Submits the next slice on every device; `None` where all have ended their half of the step.
    fn submit_slice(&mut self) -> Result<Option<Submitted>>;

    /// Waits for a slice.
    async fn end_slice(&mut self, submitted: Submitted) -> Result<()>;

    /// Ends a step that was made in slices.
    fn end_step(&mut self) {}

    /// The outcomes by position. `ordinals`: the greatest number of actions of a root.
    async fn outcomes(&mut self, config: &Config, ordinals: u32, costs: &mut Costs) -> Result<Vec<Outcomes>>;

    /// The nodes of the runs in these trees.
    async fn nodes(&self, runs: &[NodeRun]) -> Result<Vec<Vec<Node>>>;
}
