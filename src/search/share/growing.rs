//! The memory of a share's trees: its chunks, and the moves of trees to larger or smaller ones.

use super::Share;
use crate::{
    device::{Device, Submission},
    error::{Error, Result},
    forest::shape::Shape,
    gpu::forest::Forest,
    host::{Background, Instant},
    search::memory::Chunk,
};
use std::time::Duration;

/// A chunk of all trees with a greater capacity, whose allocation is under way, or has ended.
#[derive(Debug)]
pub(super) struct Ahead {
    capacity: u32,
    /// The chunk, and the time that it took.
    allocated: Background<Result<(Forest, Duration)>>,
}

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
            Forest::try_out(self.program_for(most).device(), shapes).await?;
        }
        let first = self.growth.capacity();
        let program = self.program_for(first);
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
        if self.growth.is_quarter_full(steps) {
            self.begin_ahead(end).await?;
        }
        let mut moving = Duration::ZERO;
        let is_allocated = self.is_allocated();
        // Full trees that had no time to move stay as they are until there is memory for them.
        let may_move = is_allocated || end.is_none() || !self.growth.is_full();
        if may_move && !self.growth.admits(steps) {
            // A count waits for the submitted steps.
            if !is_allocated {
                let largest = self.largest_tree().await?;
                self.growth.counted(largest);
            }
            let began = Instant::now();
            if self.move_to_larger(steps, end).await? {
                moving = began.elapsed();
            }
        }
        self.growth.made(steps);
        Ok(moving)
    }

    /// Begins to allocate the next capacity, if that is one chunk, there is time for it, and the memory of the last
    /// move is free.
    async fn begin_ahead(&mut self, end: Option<Instant>) -> Result<()> {
        let is_free = self.ahead.is_none() && self.freeing.as_ref().is_none_or(Background::has_ended);
        let Some(capacity) = self.growth.next().filter(|_| is_free) else { return Ok(()) };
        let [chunk] = self.cut(capacity)[..] else { return Ok(()) };
        if !self.growth.pays_off(capacity, time_left(end)) {
            return Ok(());
        }
        let (program, shape) = (self.program_for(capacity), self.shape_of(&chunk, capacity));
        let allocate = async move || {
            let began = Instant::now();
            Ok((Forest::new(&program, shape).await?, began.elapsed()))
        };
        let allocated = Background::begin(allocate).await.map_err(Error::no_thread)?;
        self.ahead = Some(Ahead { capacity, allocated });
        Ok(())
    }

    /// Whether the next capacity is already allocated.
    fn is_allocated(&self) -> bool {
        let is_next =
            |ahead: &Ahead| Some(ahead.capacity) == self.growth.next() && ahead.allocated.has_ended();
        self.ahead.as_ref().is_some_and(is_next)
    }

    /// Moves the trees to larger memory, if they need it and time and memory allow. Returns whether a move was tried.
    async fn move_to_larger(&mut self, steps: u32, end: Option<Instant>) -> Result<bool> {
        let mut has_tried = false;
        while let Some(capacity) = self.growth.wanted(steps) {
            if !self.is_allocated() && !self.growth.pays_off(capacity, time_left(end)) {
                break;
            }
            has_tried = true;
            match self.move_trees(capacity, self.growth.nodes() as u32).await {
                // No memory for this capacity; the trees have not moved.
                Err(error) if self.is_whole() && error.is_out_of_memory() => self.growth.refused(capacity),
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
        let allocated = match self.ahead.take().filter(|ahead| ahead.capacity == capacity) {
            Some(ahead) => ahead.allocated.ended().await.transpose()?,
            None => None,
        };
        if let Some((new, time)) = allocated {
            self.growth.moved(capacity, time);
            return self.take_over(new, nodes).await;
        }
        let program = self.program_for(capacity);
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
            let copied = copy_trees(device, &old, &new, nodes);
            let end = new.end_tree();
            self.chunks.push(new);
            device.wait(copied).await?;
            old.retain(|old| old.end_tree() > end);
            device.reclaim()?;
        }
        self.growth.moved(capacity, began.elapsed());
        Ok(())
    }

    /// Continues with this chunk of all trees. Another thread frees the old ones when they are copied, so that the
    /// search does not wait for the driver.
    async fn take_over(&mut self, new: Forest, nodes: u32) -> Result<()> {
        let device = self.program.device().clone();
        let copied = copy_trees(&device, &self.chunks, &new, nodes);
        device.check()?;
        let old = std::mem::replace(&mut self.chunks, vec![new]);
        let free = async move || {
            // A lost device is the error of the next step.
            let _ = device.wait(copied).await;
            drop(old);
        };
        self.freeing = Some(Background::begin(free).await.map_err(Error::no_thread)?);
        Ok(())
    }
}

/// Submits the copies of trees with at most `nodes` nodes.
fn copy_trees(device: &Device, from: &[Forest], to: &Forest, nodes: u32) -> Submission {
    let mut encoder = device.encoder();
    from.iter().for_each(|from| to.take_over(from, nodes, &mut encoder));
    device.submit(encoder)
}

fn time_left(end: Option<Instant>) -> Option<Duration> {
    end.map(|end| end.saturating_duration_since(Instant::now()))
}
