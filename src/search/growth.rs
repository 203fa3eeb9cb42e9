//! The capacity of a device's trees. They begin small and move to more memory before they could be full.
//!
//! Where all trees are one chunk, both that chunk and the next exist from when trees may be a quarter full until they
//! have moved. So trees move to their greatest capacity as soon as they have a sixth of it: the old chunk then takes at
//! most a third of the new one's memory.
//!
//! The number of a tree's nodes is bounded by the greatest number that each step can add. That bound alone would let
//! trees grow too soon, as most positions have fewer children: where it reaches the capacity, the nodes are counted,
//! and trees grow only if their number requires it.

use crate::forest::shape::Shape;
use std::time::Duration;

/// The greatest part of the time left that an allocation may take: the rest is for steps that use the new memory, and
/// for an allocation that takes twice as long as the last one.
const SHARE: f64 = 0.5;

/// The nodes of each tree of a device.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Growth {
    /// The present capacity.
    capacity: u32,
    /// The first capacity.
    first: u32,
    /// The greatest capacity.
    most: u32,
    /// The greatest capacity is one chunk.
    in_one: bool,
    /// The greatest number of nodes that a step adds.
    a_step: u32,
    /// An upper bound of a tree's nodes after the submitted steps.
    filled: u64,
    /// The counted number of nodes of the largest tree.
    counted: u32,
    /// Seconds that the last allocation took.
    seconds: f64,
}

impl Growth {
    /// Trees of one node each with the capacity `first`; `in_one`: the greatest capacity is one chunk.
    pub fn new(first: u32, shape: &Shape, in_one: bool) -> Self {
        let (most, a_step) = (shape.capacity, shape.nodes_per_step());
        let first = first.min(most);
        Self { capacity: first, first, most, in_one, a_step, filled: 1, counted: 1, seconds: 0.0 }
    }

    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// The greatest capacity, as far as is known.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// An upper bound of a tree's nodes after the submitted steps.
    pub fn nodes(&self) -> u64 {
        self.filled.min(self.capacity.into())
    }

    /// Whether the first capacity is less than the greatest.
    pub fn has_begun_small(&self) -> bool {
        self.first < self.most
    }

    /// Whether the present capacity exceeds the first.
    pub fn has_grown(&self) -> bool {
        self.capacity > self.first
    }

    /// An upper bound of a tree's nodes after this many more steps.
    fn after(&self, steps: u32) -> u64 {
        self.filled + u64::from(steps) * u64::from(self.a_step)
    }

    /// Whether there is certainly room for this many more steps, or the capacity is the greatest.
    pub fn admits(&self, steps: u32) -> bool {
        self.capacity == self.most || self.after(steps) <= self.capacity.into()
    }

    /// Whether a quarter of the capacity may be in use after this many more steps.
    pub fn is_quarter_full(&self, steps: u32) -> bool {
        4 * self.after(steps) > self.capacity.into()
    }

    /// Whether a tree has as many nodes as the capacity, by the last count.
    pub fn is_full(&self) -> bool {
        self.counted == self.capacity
    }

    /// Sets the counted number of nodes of the largest tree.
    pub fn counted(&mut self, largest: u32) {
        (self.filled, self.counted) = (largest.into(), largest);
    }

    /// Counts submitted steps.
    pub fn made(&mut self, steps: u32) {
        self.filled = self.after(steps);
    }

    /// The next greater capacity, if there is one.
    pub fn next(&self) -> Option<u32> {
        let is_last = self.in_one && self.capacity > self.most / 6;
        let twice = if is_last { self.most } else { self.capacity.saturating_mul(2).min(self.most) };
        (self.capacity < self.most).then_some(twice)
    }

    /// The capacity to move to for this many more steps: the next one where trees are large; `None` where it suffices.
    pub fn wanted(&self, steps: u32) -> Option<u32> {
        let is_large = self.filled > u64::from(self.capacity / 4 * 3);
        let needed = self.after(steps).min(self.most.into()) as u32;
        self.next().filter(|_| is_large || !self.admits(steps)).map(|next| next.max(needed))
    }

    /// Whether there is time to move to this capacity, and for steps afterwards.
    pub fn pays_off(&self, room: u32, left: Option<Duration>) -> bool {
        let times = f64::from(room) / f64::from(self.capacity.max(1));
        left.is_none_or(|left| self.seconds * times.max(1.0) <= SHARE * left.as_secs_f64())
    }

    /// Notes that this capacity has no memory, or no kernels: half of it becomes the greatest.
    pub fn refused(&mut self, room: u32) {
        self.most = self.capacity.max(room / 2);
    }

    /// The first capacity, if it suffices for twice the present nodes.
    pub fn too_large(&self) -> Option<u32> {
        (self.has_grown() && 2 * self.filled <= self.first.into()).then_some(self.first)
    }

    /// Notes the new capacity, and the time that its allocation took.
    pub fn moved(&mut self, capacity: u32, time: Duration) {
        (self.capacity, self.seconds) = (capacity, time.as_secs_f64());
    }

    /// For tests: trees of other sizes, in chunks.
    #[cfg(test)]
    pub fn sized(first: u32, most: u32, a_step: u32) -> Self {
        Self { capacity: first, first, most, in_one: false, a_step, filled: 1, counted: 1, seconds: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Duration = Duration::ZERO;

    fn growth(first: u32, most: u32) -> Growth {
        Growth::sized(first, most, 10)
    }

    /// Trees have room for every step until they have the greatest capacity; and they grow no sooner than when they are
    /// three quarters full, or the next steps might fill them.
    #[test]
    fn there_is_room_for_every_step() {
        for (made, steps) in [(0, 1), (1, 3), (3, 17), (10, 1), (10, 64), (10, 5000)] {
            let (mut growth, mut size) = (growth(200, 100_000), 1u64);
            for _ in 0..20_000 {
                if !growth.admits(steps) {
                    growth.counted(size as u32);
                    if let Some(room) = growth.wanted(steps) {
                        let full = size > u64::from(growth.capacity()) * 3 / 4 - 2;
                        let short = size + u64::from(steps) * 10 > growth.capacity().into();
                        assert!(full || short, "{size} nodes in room for {}", growth.capacity());
                        assert!(room >= 2 * growth.capacity() || room == growth.most);
                        growth.moved(room, AT_ONCE);
                    }
                }
                growth.made(steps);
                size += u64::from(steps) * made;
                assert!(size <= growth.capacity().into() || growth.capacity() == growth.most);
            }
            assert_eq!(growth.has_grown(), made > 0 || steps * 10 > 200, "{made} nodes in {steps} steps");
        }
    }

    /// The old chunk of the last move has at most a third of the new one's capacity.
    #[test]
    fn one_chunk_leaps_to_all_its_room() {
        for most in [201, 1000, 1200, 1201, 9999, 100_000] {
            let mut growth = Growth { in_one: true, ..growth(200, most) };
            let mut before = 0;
            while growth.capacity() < most {
                before = growth.capacity();
                growth.counted(before);
                growth.moved(growth.wanted(1).expect("it is full"), AT_ONCE);
                assert!(growth.capacity() == most || growth.capacity() == 2 * before);
            }
            assert!(before == 200 || before <= most / 3 + 1, "{before} of {most}");
        }
    }

    #[test]
    fn room_that_is_not_there_is_not_asked_for_again() {
        let mut growth = growth(200, 100_000);
        growth.counted(199);
        assert_eq!(growth.wanted(1), Some(400));
        growth.refused(400);
        assert!(growth.admits(1000));
        assert_eq!((growth.wanted(1), growth.most()), (None, 200));
        // Half of the refused capacity, then a quarter, is still more than the present one.
        let mut growth = Growth { in_one: true, ..self::growth(200, 1000) };
        growth.counted(200);
        for room in [1000, 500, 250] {
            assert_eq!(growth.wanted(1), Some(room));
            growth.refused(room);
        }
        assert_eq!((growth.wanted(1), growth.most()), (None, 200));
    }

    #[test]
    fn small_trees_go_back_to_where_they_began() {
        let mut growth = growth(200, 100_000);
        growth.counted(20);
        assert_eq!(growth.too_large(), None);
        growth.moved(800, AT_ONCE);
        assert_eq!(growth.too_large(), Some(200));
        growth.counted(101);
        assert_eq!(growth.too_large(), None);
    }
}
