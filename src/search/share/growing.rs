//! The memory of a share's trees: its chunks, and the moves of trees to larger or smaller ones.

use super::Share;
use crate::{
    error::Result,
    forest::shape::Shape,
    gpu::forest::Forest,
    host::Instant,
    search::{growth::Growth, memory::Chunk},
};
use std::time::Duration;

impl Share {
    /// The chunks of trees of this capacity.
    pub(super) fn cut(&self, capacity: u32) -> Vec<Chunk> {
        self.part.map_or(Vec::new(), |part| part.chunks(&self.shape, capacity))
    }

    /// Allocates the trees with their first capacity, and seeds the streams. A move of trees in several chunks can't be
    /// undone halfway: if these trees lack the memory for the greatest capacity, that is an error at once.
    pub async fn allocate(&mut self) -> Result<()> {
        self.program.device().reclaim()?;
        let most = self.shape.capacity;
        let all = self.cut(most);
        if self.growth.has_begun_small() && all.len() > 1 {
            let shapes = all.iter().map(|chunk| self.shape_of(chunk, most));
            let device = self.program.device();
            let segments = self.part.and_then(|part| part.segments(&self.shape, most));
            let wide = segments.map(|segments| device.with_segments(segments));
            Forest::try_out(wide.as_ref().unwrap_or(device), shapes).await?;
        }
        let program = match self.program_for(self.growth.capacity()).await {
            Err(error) if error.is_refused() => {
                self.leave_out_arrays(error).await?;
                let most = self.shape.capacity;
                let first = self.part.map_or(most, |part| part.first_capacity(&self.shape, most));
                self.growth = Growth::new(first, &self.shape, self.cut(most).len() == 1);
                self.program.clone()
            }
            program => program?,
        };
        let first = self.growth.capacity();
        let began = Instant::now();
        for chunk in self.cut(first) {
            let forest = Forest::new(&program, self.shape_of(&chunk, first)).await?;
            forest.seed().await?;
            self.chunks.push(forest);
        }
        self.growth.moved(first, began.elapsed());
        Ok(())
    }

    /// An upper bound of the nodes of all its trees.
    pub fn most_nodes(&self) -> u64 {
        u64::from(self.n_trees()) * self.growth.nodes()
    }

    pub(super) fn shape_of(&self, chunk: &Chunk, capacity: u32) -> Shape {
        let &Chunk { first_tree, n_trees, trees_per_position, .. } = chunk;
        let parts = self.program.parts(self.shape.config.playouts);
        Shape { n_trees, first_tree, trees_per_position, capacity, parts, ..self.shape.clone() }
    }

    /// Whether all trees are allocated; false if a move to larger buffers failed.
    pub fn is_whole(&self) -> bool {
        self.part.map_or(0, |part| part.trees.n_trees) == self.n_trees()
    }

    /// The greatest capacity of a tree, as far as known; `None` without trees.
    pub fn most_room(&self) -> Option<u32> {
        self.part.map(|_| self.growth.most())
    }

    /// Lets the trees grow for `steps` further steps, within the memory and within the time before `end`. Returns the
    /// time of the move.
    pub async fn grow(&mut self, steps: u32, end: Option<Instant>) -> Result<Duration> {
        if self.growth.is_half_full(steps) {
            self.begin_wide().await?;
        }
        let mut moving = Duration::ZERO;
        if !self.growth.admits(steps) {
            let largest = self.largest_tree().await?;
            self.growth.counted(largest);
            let began = Instant::now();
            if self.move_to_larger(steps, largest, end).await? {
                moving = began.elapsed();
            }
        }
        self.growth.made(steps);
        Ok(moving)
    }

    /// Moves the trees to larger memory, if they need it and time and memory allow. Returns whether a move was tried.
    async fn move_to_larger(&mut self, steps: u32, largest: u32, end: Option<Instant>) -> Result<bool> {
        let mut has_tried = false;
        while let Some(capacity) = self.growth.wanted(steps) {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if !self.growth.pays_off(capacity, left) || left.is_some() && !self.has_program_for(capacity) {
                break;
            }
            has_tried = true;
            match self.move_trees(capacity, largest).await {
                Err(error) if self.is_whole() && error.is_refused() => self.leave_out_arrays(error).await?,
                // No memory or no kernels for this capacity; the trees have not moved.
                Err(error) if self.is_whole() && (error.is_out_of_memory() || error.is_shader()) => {
                    self.growth.refused(capacity);
                }
                moved => {
                    moved?;
                    break;
                }
            }
        }
        Ok(has_tried)
    }

    /// Moves new trees, and trees that have lost nodes, to the first capacity, if they fit it.
    pub async fn shrink(&mut self, are_new: bool) -> Result<()> {
        let largest = if are_new || !self.growth.has_begun_small() { 1 } else { self.largest_tree().await? };
        self.growth.counted(largest);
        match self.growth.too_large() {
            Some(capacity) => self.move_trees(capacity, largest).await,
            None => Ok(()),
        }
    }

    async fn largest_tree(&self) -> Result<u32> {
        let mut largest = 1;
        for chunk in &self.chunks {
            largest = chunk.trees().await?.iter().map(|tree| tree.size).fold(largest, u32::max);
        }
        Ok(largest)
    }

    /// Moves all trees to chunks of this capacity; trees have at most `nodes` nodes. Old chunks are freed as soon as
    /// their trees have moved, so that less memory is needed than for all trees twice. If there is no memory for the
    /// first new chunk, nothing changes.
    async fn move_trees(&mut self, capacity: u32, nodes: u32) -> Result<()> {
        self.checkpoints.clear();
        self.pieces.clear();
        let program = self.program_for(capacity).await?;
        let began = Instant::now();
        let mut old = std::mem::take(&mut self.chunks);
        for chunk in self.cut(capacity) {
            let new = match Forest::new(&program, self.shape_of(&chunk, capacity)).await {
                Err(error) if self.chunks.is_empty() => {
                    self.chunks = old;
                    self.program.device().reclaim()?;
                    return Err(error);
                }
                new => new?,
            };
            let device = self.program.device();
            let mut encoder = device.encoder();
            old.iter().for_each(|old| new.take_over(old, nodes, &mut encoder));
            let copied = device.submit(encoder);
            let end = new.end_tree();
            self.chunks.push(new);
            device.wait(copied).await?;
            old.retain(|old| old.end_tree() > end);
            device.reclaim()?;
        }
        self.growth.moved(capacity, began.elapsed());
        Ok(())
    }
}
