//! Reads a few nodes of many trees in one read-back, and writes them.

use super::{
    buffers::{Run, copy_runs},
    forest::Forest,
};
use crate::{
    error::Result,
    forest::{
        layout::{Link, Stats},
        nodes::{Node, NodeRun},
    },
};
use wgpu::BufferUsages;

const STATS_BYTES: u64 = size_of::<Stats>() as u64;
const LINK_BYTES: u64 = size_of::<Link>() as u64;

impl Forest {
    /// The nodes of each run, whose tree is counted from the chunk's first one, with n, n_wins and the marks of a proof
    /// alone.
    ///
    /// # Errors
    /// Out of memory; device lost.
    pub async fn nodes(&self, runs: &[NodeRun]) -> Result<Vec<Vec<Node>>> {
        let mut all = self.whole_nodes(runs).await?;
        all.iter_mut().flatten().for_each(|(_, stats)| *stats = self.shape.plain(*stats));
        Ok(all)
    }

    /// The nodes of each run, to the last bit.
    ///
    /// # Errors
    /// As [`nodes`](Self::nodes).
    pub async fn whole_nodes(&self, runs: &[NodeRun]) -> Result<Vec<Vec<Node>>> {
        let count: u64 = runs.iter().map(|run| u64::from(run.count)).sum();
        let device = self.device();
        let usage = BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let gathered = device.buffer("nodes", count * (STATS_BYTES + LINK_BYTES), usage).await?;
        let mut encoder = device.encoder();
        let mut place = 0;
        for run in runs {
            let from = u64::from(run.tree) * u64::from(self.shape.capacity) + u64::from(run.first);
            let nodes = u64::from(run.count);
            for (name, to, size) in [("stats", 0, STATS_BYTES), ("links", count * STATS_BYTES, LINK_BYTES)] {
                let to = Run { buffer: &gathered, at: to + place * size, bytes: nodes * size };
                copy_runs(self.buffers().nodes(name, size, from, nodes), vec![to], &mut encoder);
            }
            place += nodes;
        }
        device.submit(encoder);
        let bytes: Vec<u8> = device.read(&gathered, (count * (STATS_BYTES + LINK_BYTES)) as usize).await?;
        let (stats, links) = bytes.split_at((count * STATS_BYTES) as usize);
        let stats = stats.chunks_exact(STATS_BYTES as usize).map(bytemuck::pod_read_unaligned);
        let links = links.chunks_exact(LINK_BYTES as usize).map(bytemuck::pod_read_unaligned);
        let mut nodes = links.zip(stats);
        Ok(runs.iter().map(|run| nodes.by_ref().take(run.count as usize).collect()).collect())
    }

    /// Writes the first nodes of a tree, which is counted from the chunk's first one.
    pub fn write_nodes(&self, tree: u32, (links, stats): (&[Link], &[Stats])) {
        let first = u64::from(tree) * u64::from(self.shape.capacity);
        let buffers: [(_, _, &[u8]); 2] = [
            ("links", LINK_BYTES, bytemuck::cast_slice(links)),
            ("stats", STATS_BYTES, bytemuck::cast_slice(stats)),
        ];
        for (name, size, mut bytes) in buffers {
            for run in self.buffers().nodes(name, size, first, links.len() as u64) {
                let own = bytes.split_off(..run.bytes as usize).unwrap_or_default();
                self.device().queue().write_buffer(run.buffer, run.at, own);
            }
        }
    }
}
