//! The division of the memory among the trees of a search: chunks of trees, each within one binding of every buffer, or
//! with its nodes in an array of bindings, where a device has such arrays.
//!
//! A step serves the chunks of a device one after another, and memory that is far apart is slow to access. So on a
//! device trees begin as one chunk, as large as single bindings allow, and get arrays, or are cut into more chunks, as
//! they grow: the speed of a search depends on the nodes it has, not on the greatest number it may have.

use crate::{
    device::{AdapterKind, segments::Segments},
    error::{Error, Result},
    forest::{Config, Shape},
    host::memory_limit,
    names::counted,
    search::Budget,
};
use serde::{Deserialize, Serialize};

/// The memory of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Room {
    /// Bytes for all buffers.
    pub memory: u64,
    /// Bytes of one binding.
    pub binding: u64,
    /// Bindings in all arrays of a kernel; 0 without arrays of bindings.
    pub array_bindings: u32,
    /// Whether a device's trees stay in one chunk, as long as each of them has room for a step there.
    pub in_one: bool,
}

impl Room {
    /// For a device of this kind, with bindings of this many bytes, and arrays of this many bindings.
    pub fn of(config: &Config, kind: AdapterKind, binding: u64, array_bindings: u32) -> Self {
        Self { memory: most_memory(config, kind), binding, array_bindings, in_one: config.memory.is_none() }
    }

    /// For an engine without bindings.
    pub fn unbound(config: &Config) -> Self {
        Self { in_one: false, ..Self::of(config, AdapterKind::Cpu, u64::MAX, 0) }
    }
}

/// The greatest memory by default.
const USUAL_MEMORY: u64 = 2 << 30;

/// Bytes that a search may use on each of its devices, which are of this kind.
fn most_memory(config: &Config, kind: AdapterKind) -> u64 {
    let limit = match kind {
        AdapterKind::Software | AdapterKind::Cpu => memory_limit(),
        _ => None,
    };
    config.memory.unwrap_or_else(|| usual_memory(limit))
}

/// Half of the program's limit on the host, if that is less than the default: programs that exceed their limit are
/// killed.
fn usual_memory(limit: Option<u64>) -> u64 {
    limit.map_or(USUAL_MEMORY, |limit| USUAL_MEMORY.min(limit / 2))
}

/// Greatest number of nodes of a tree, for any memory and budget.
pub(super) fn most_nodes(config: &Config) -> u32 {
    config.node_limit.unwrap_or(u32::MAX)
}

/// The capacity of a tree: if the memory is a setting, or trees are reused, as many nodes as the memory holds; else as
/// many as the steps of the budget can append, or a machine of this kind in the budget's time.
pub(super) fn nodes_for(shape: &Shape, budget: Budget, positions: usize, kind: AdapterKind) -> u32 {
    let (config, most) = (&shape.config, most_nodes(&shape.config));
    if config.memory.is_some() || config.reuse {
        return most;
    }
    let a_step = u64::from(shape.nodes_per_step());
    let by_steps = budget.steps.saturating_mul(a_step);
    let trees = positions as f64 * f64::from(config.trees);
    let by_time =
        budget.time.map_or(u64::MAX, |time| (time.as_secs_f64() * nodes_per_second(kind) / trees) as u64);
    let made = by_steps.min(by_time).saturating_add(1 + a_step);
    most.min(u32::try_from(made).unwrap_or(u32::MAX))
}

/// Nodes a second that most machines of a kind do not exceed. On the CPU engine a core appends 2 million in Connect 4,
/// and memory is allocated on demand.
fn nodes_per_second(kind: AdapterKind) -> f64 {
    match kind {
        AdapterKind::Software => 4e6,
        AdapterKind::Cpu => 2e7,
        _ => 4e8,
    }
}

/// A chunk of trees: whole positions, or trees of a single one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Its device.
    pub device: usize,
    /// Index of its first tree among all trees.
    pub first_tree: u32,
    /// Its trees.
    pub n_trees: u32,
    /// Its trees of a position.
    pub trees_per_position: u32,
}

/// The trees of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// All of them, as if they were one chunk.
    pub trees: Chunk,
    /// Bytes of one binding.
    pub binding: u64,
    /// Bindings in all arrays of a kernel.
    pub array_bindings: u32,
}

/// The division of the memory among the trees of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Division {
    /// The greatest number of nodes of each tree.
    pub capacity: u32,
    /// The devices with trees.
    pub parts: Vec<Part>,
}

/// Greatest number of streams, which also bounds the trees of all positions: their indexes are 32-bit words.
const MAX_STREAMS: u64 = 1 << 32;

/// Trees begin as one chunk only if that has room for this many steps.
const FEW_STEPS: u64 = 64;

/// Divides `positions` times `trees` trees among the devices. Every tree gets the same number of nodes.
///
/// `shape` gives the sizes of a node and of a tree; its own number of trees and capacity are ignored.
///
/// # Errors
/// Bad input, if the memory does not hold the root of a tree and its children.
pub(crate) fn share_out(
    shape: &Shape,
    positions: u32,
    node_limit: u32,
    devices: &[Room],
) -> Result<Division> {
    let trees = shape.config.trees;
    let all_trees = check_streams(shape, positions, trees)?;
    let parts = split_over_devices(positions, trees, devices.len());
    let mut capacity = u64::from(node_limit);
    for &part in &parts {
        capacity = capacity.min(capacity_on(shape, part, devices[part.device]));
    }
    let least = u64::from(shape.max_actions) + 1;
    if capacity < least {
        let (n, positions) = (u64::from(all_trees), u64::from(positions));
        let needed =
            n * (least * shape.node_bytes() + shape.tree_bytes()) + positions * shape.position_bytes();
        return Err(Error::invalid(format!(
            "too little memory: {} with a root and its {} children need {} GiB (and {least} nodes a tree) at \
             the least",
            counted(n, "tree"),
            shape.max_actions,
            rounded_up(needed),
        )));
    }
    let parts = parts.into_iter().map(|trees| {
        let Room { binding, array_bindings, .. } = devices[trees.device];
        Part { trees, binding, array_bindings }
    });
    Ok(Division { capacity: capacity as u32, parts: parts.collect() })
}

impl Part {
    /// The first capacity of each tree, given the greatest one.
    pub fn first_capacity(&self, shape: &Shape, most: u32) -> u32 {
        let of_one = most_in_one(shape, self.trees, self.binding);
        let few = FEW_STEPS * u64::from(shape.nodes_per_step());
        if of_one < few { most } else { u32::try_from(of_one).unwrap_or(u32::MAX).min(most) }
    }

    /// The chunks of its trees, where each tree has this many nodes.
    pub fn chunks(&self, shape: &Shape, capacity: u32) -> Vec<Chunk> {
        let nodes = match self.segments(shape, capacity) {
            Some(_) => array_nodes(nodes_within(self.binding, shape), self.array_bindings),
            None => nodes_within(self.binding, shape),
        };
        cut(shape, self.trees, capacity.into(), (self.binding, nodes))
    }

    /// The same trees without arrays of bindings, and the greatest capacity then, up to `most`: with `in_one`, that of
    /// one chunk.
    pub fn without_arrays(self, shape: &Shape, most: u32, in_one: bool) -> (Self, u32) {
        let nodes = match in_one {
            true => most_in_one(shape, self.trees, self.binding).max(u64::from(shape.max_actions) + 1),
            false => nodes_within(self.binding, shape),
        };
        (Self { array_bindings: 0, ..self }, u32::try_from(nodes).unwrap_or(u32::MAX).min(most))
    }

    /// The segments of the nodes, where each tree has this many; `None` where one binding holds the nodes of all trees,
    /// or without arrays of bindings.
    pub fn segments(&self, shape: &Shape, capacity: u32) -> Option<Segments> {
        let nodes = u64::from(self.trees.n_trees) * u64::from(capacity);
        let in_binding = nodes_within(self.binding, shape);
        let most = array_nodes(in_binding, self.array_bindings);
        (most > 0 && nodes > in_binding).then(|| {
            let nodes = nodes.min(most);
            let least = nodes.div_ceil((self.array_bindings / ARRAYS).into()).next_power_of_two();
            Segments::of(nodes, in_binding.min(least.max(nodes_within(SEGMENT_BYTES, shape))))
        })
    }
}

/// Bytes of a segment, unless arrays of bindings are too short for segments of this size. A driver allocates them one
/// after another while the search makes steps; the allocation of larger ones delays submissions
/// (`benches/results/kernels.md`).
const SEGMENT_BYTES: u64 = 256 << 20;

/// Arrays of bindings of a kernel, at most: `stats` (or the same as `counters`) and `links`.
const ARRAYS: u32 = 3;

/// Nodes that arrays of bindings hold, given the nodes of a binding. Their indexes are words.
fn array_nodes(in_binding: u64, array_bindings: u32) -> u64 {
    u64::from(array_bindings / ARRAYS)
        .saturating_mul(Segments::of(0, in_binding).nodes())
        .min(u32::MAX.into())
}

/// The number of all trees, if the indexes of trees and streams fit 32 bits.
fn check_streams(shape: &Shape, positions: u32, trees: u32) -> Result<u32> {
    let all = u64::from(positions) * u64::from(trees);
    let expansion = u64::from(shape.config.leaf_batch) * u64::from(shape.expansion_stride);
    let a_tree = (shape.streams_per_tree() as u64).max(expansion);
    let tree_count = u32::try_from(all).ok().filter(|_| all * a_tree <= MAX_STREAMS);
    tree_count.ok_or_else(|| {
        Error::invalid(format!(
            "{all} trees need more than 2^32 random streams: use fewer trees, leaves, playouts or positions"
        ))
    })
}

/// The neighbouring positions (or trees, where there is one position) of each device.
fn split_over_devices(positions: u32, trees: u32, devices: usize) -> Vec<Chunk> {
    let (units, unit) = if positions > 1 { (positions, trees) } else { (trees, 1) };
    let bound = |device: usize| (u64::from(units) * device as u64 / devices as u64) as u32;
    (0..devices)
        .map(|device| {
            let (first, end) = (bound(device), bound(device + 1));
            let n_trees = (end - first) * unit;
            let trees_per_position = if positions > 1 { trees } else { n_trees };
            Chunk { device, first_tree: first * unit, n_trees, trees_per_position }
        })
        .filter(|chunk| chunk.n_trees > 0)
        .collect()
}

/// Greatest capacity of each tree of a device: within the memory, and within one binding for a tree.
fn capacity_on(shape: &Shape, part: Chunk, room: Room) -> u64 {
    let positions = u64::from(part.n_trees / part.trees_per_position);
    let of_trees = room.memory.saturating_sub(positions * shape.position_bytes());
    let per_tree = (of_trees / u64::from(part.n_trees)).saturating_sub(shape.tree_bytes());
    let in_binding = nodes_within(room.binding, shape);
    let arrays = array_nodes(in_binding, room.array_bindings);
    let most = (per_tree / shape.node_bytes()).min(arrays.max(in_binding));
    // One chunk that is nearly as large is better than two that take turns.
    let in_arrays = arrays / u64::from(part.n_trees);
    let most = if (in_arrays..2 * in_arrays).contains(&most) { in_arrays } else { most };
    if !room.in_one {
        return most;
    }
    let of_one = most_in_one(shape, part, room.binding);
    most.min(of_one.max(u64::from(shape.max_actions) + 1))
}

/// Nodes within one binding, of the buffer with the most bytes a node.
fn nodes_within(binding: u64, shape: &Shape) -> u64 {
    binding / shape.buffers().iter().map(|buffer| buffer.node).max().unwrap_or(1)
}

/// Greatest capacity of each of these trees in one chunk.
fn most_in_one(shape: &Shape, trees: Chunk, binding: u64) -> u64 {
    nodes_within(binding, shape) / u64::from(trees.n_trees)
}

/// The number of trees with at most this many nodes in all, and every other buffer within a binding, with
/// `per_position` of them a position; at least one.
fn most_trees(shape: &Shape, per_position: u32, capacity: u64, (binding, nodes): (u64, u64)) -> u32 {
    let fits = |trees: u64| {
        let positions = trees.div_ceil(per_position.into());
        let mut others = shape.buffers().into_iter().filter(|buffer| buffer.node == 0);
        trees * capacity <= nodes && others.all(|buffer| buffer.of(trees, positions, capacity) <= binding)
    };
    // The greatest number that fits, bit by bit.
    let most = (0..31).rev().fold(0, |most, bit| if fits(most | 1 << bit) { most | 1 << bit } else { most });
    most.max(1) as u32
}

/// Cuts a device's trees into chunks that fit a binding and have at most this many nodes, whole positions where
/// possible.
fn cut(shape: &Shape, part: Chunk, capacity: u64, room: (u64, u64)) -> Vec<Chunk> {
    let per_position = part.trees_per_position;
    let most = most_trees(shape, per_position, capacity, room);
    let mut chunks = Vec::new();
    for unit in runs(
        part.n_trees,
        if most >= per_position { most / per_position * per_position } else { per_position },
    ) {
        let pieces = if most >= per_position { vec![unit] } else { even_runs(unit, most) };
        for (first, n_trees) in pieces {
            let trees_per_position = per_position.min(n_trees);
            chunks.push(Chunk {
                device: part.device,
                first_tree: part.first_tree + first,
                n_trees,
                trees_per_position,
            });
        }
    }
    chunks
}

/// (first, length) of the runs of `length` that cover `total`; the last one may be shorter.
fn runs(total: u32, length: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..total).step_by(length as usize).map(move |first| (first, length.min(total - first)))
}

/// Cuts a run into pieces of at most `most`, as evenly as possible.
fn even_runs((first, length): (u32, u32), most: u32) -> Vec<(u32, u32)> {
    let piece = length.div_ceil(length.div_ceil(most));
    runs(length, piece).map(|(at, n)| (first + at, n)).collect()
}

/// Bytes as GiB with seven decimal places, rounded up: a sufficient value of the setting.
fn rounded_up(bytes: u64) -> f64 {
    const DIGITS: f64 = 1e7;
    (bytes as f64 / f64::from(1 << 30) * DIGITS).ceil() / DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        forest::{config::gib, variant::Variant},
        games::Connect4,
        search::shape_of,
    };

    fn shape() -> Shape {
        shape_of(&Connect4::default(), &Config::paper())
    }

    /// Without arrays of bindings.
    fn room_of(memory: u64, binding: u64) -> Room {
        Room { memory, binding, array_bindings: 0, in_one: false }
    }

    fn with_trees(shape: &Shape, trees: u32) -> Shape {
        shape.with(Config { trees, ..shape.config })
    }

    const MIB: u64 = 1 << 20;

    /// The capacity of a tree, and the chunks of trees with this capacity.
    fn whole(shape: &Shape, division: &Division) -> (u32, Vec<Chunk>) {
        let chunks = division.parts.iter().flat_map(|part| part.chunks(shape, division.capacity));
        (division.capacity, chunks.collect())
    }

    fn covered(chunks: &[Chunk]) -> u32 {
        chunks.iter().fold(0, |next, chunk| {
            assert_eq!(chunk.first_tree, next);
            assert!(chunk.n_trees > 0 && chunk.n_trees % chunk.trees_per_position == 0);
            next + chunk.n_trees
        })
    }

    #[test]
    fn one_chunk_where_everything_fits() {
        let room = room_of(64 * MIB, 128 * MIB);
        let division = share_out(&shape(), 1, u32::MAX, &[room]).unwrap();
        let (capacity, chunks) = whole(&shape(), &division);
        assert_eq!(chunks, [Chunk { device: 0, first_tree: 0, n_trees: 8, trees_per_position: 8 }]);
        let used = 8 * (u64::from(capacity) * shape().node_bytes() + shape().tree_bytes());
        assert!(used <= 64 * MIB && used > 63 * MIB);
    }

    #[test]
    fn chunks_stay_within_a_binding() {
        for (positions, trees) in [(1, 8), (1, 3), (5, 8), (100, 1), (7, 33)] {
            let room = room_of(512 * MIB, 16 * MIB);
            let division = share_out(&with_trees(&shape(), trees), positions, u32::MAX, &[room]).unwrap();
            let (capacity, chunks) = whole(&shape(), &division);
            assert_eq!(covered(&chunks), positions * trees);
            for chunk in &chunks {
                assert!(u64::from(chunk.n_trees) * u64::from(capacity) * 16 <= 16 * MIB);
                let first_position = chunk.first_tree / trees;
                let last_position = (chunk.first_tree + chunk.n_trees - 1) / trees;
                assert!(first_position == last_position || chunk.n_trees % trees == 0);
            }
        }
    }

    /// Many positions with small trees: the bytes of a position besides its trees, or of a tree besides its nodes, may
    /// be the largest buffer.
    #[test]
    fn every_buffer_is_within_a_binding() {
        let connect4 = shape().with(Config { playouts: 1, variant: Variant::OCP_THRIFTY, ..Config::paper() });
        let gomoku = Shape { max_actions: 225, state_words: 16, path_capacity: 226, ..connect4.clone() };
        for (shape, positions, trees, limit) in [
            (&gomoku, 20_000, 1, 226),
            (&connect4, 700_000, 1, 8),
            (&connect4, 400_000, 2, 8),
            (&gomoku, 30_000, 2, 300),
            (&shape(), 1, 8, 100_000),
        ] {
            let room = room_of(64 << 30, 128 * MIB);
            let (capacity, chunks) =
                whole(shape, &share_out(&with_trees(shape, trees), positions, limit, &[room]).unwrap());
            assert_eq!((capacity, covered(&chunks)), (limit, positions * trees));
            for chunk in &chunks {
                let n_trees = u64::from(chunk.n_trees);
                let positions = n_trees / u64::from(chunk.trees_per_position);
                for buffer in shape.buffers() {
                    let bytes = buffer.of(n_trees, positions, capacity.into());
                    assert!(bytes <= room.binding, "{positions} positions: {bytes} bytes of {}", buffer.name);
                }
            }
            // No more chunks than the largest buffer requires.
            let all = u64::from(positions * trees);
            let largest = shape.buffers().map(|buffer| buffer.of(all, positions.into(), capacity.into()));
            let least = largest.into_iter().max().unwrap().div_ceil(room.binding);
            assert!(chunks.len() as u64 <= least + 1, "{} chunks, {least} would do", chunks.len());
        }
    }

    /// In debug builds an overflow is a panic.
    #[test]
    fn numbers_of_trees_beyond_a_word_are_bad_input() {
        let room = room_of(u64::MAX, u64::MAX);
        let config = Config { playouts: 1, variant: Variant::OCP_THRIFTY, ..Config::paper() };
        let lean = Shape { config, expansion_stride: 1, ..shape() };
        let config = Config { playouts: 512, ..Config::paper() };
        let wide = Shape { config, max_actions: 512, ..shape() };
        for (shape, positions, trees) in [
            (&lean, u32::MAX, 65_536),
            (&lean, 1 << 16, 65_536),
            (&wide, u32::MAX, 65_536),
            (&wide, 1 << 16, 1),
        ] {
            let error = share_out(&with_trees(shape, trees), positions, 600, &[room, room]).unwrap_err();
            assert!(error.is_bad_input() && error.to_string().contains("streams"), "{error}");
        }
        assert!(share_out(&with_trees(&lean, 65_536), (1 << 16) - 1, 8, &[room, room]).is_ok());
    }

    /// Arrays of bindings hold all trees in one chunk, once one binding does not.
    #[test]
    fn arrays_hold_what_one_binding_does_not() {
        let room = Room { array_bindings: 1000, ..room_of(1 << 30, (16 * MIB) - 16) };
        let division = share_out(&shape(), 1, u32::MAX, &[room]).unwrap();
        let (part, most) = (division.parts[0], division.capacity);
        let used = 8 * (u64::from(most) * shape().node_bytes() + shape().tree_bytes());
        assert!(used <= room.memory && used > room.memory - MIB, "{most} nodes");
        let first = part.first_capacity(&shape(), most);
        assert_eq!(part.segments(&shape(), first), None);
        assert_eq!(part.chunks(&shape(), first).len(), 1);
        let segments = part.segments(&shape(), most).unwrap();
        assert!(u64::from(segments.count) * segments.nodes() >= 8 * u64::from(most));
        assert!(16 * segments.nodes() <= room.binding);
        assert_eq!(part.chunks(&shape(), most).len(), 1);
        // Where arrays are too short for all trees, chunks fill them.
        let short = Room { array_bindings: 3 * 20, ..room };
        let division = share_out(&shape(), 1, u32::MAX, &[short]).unwrap();
        let (capacity, chunks) = whole(&shape(), &division);
        let segments = division.parts[0].segments(&shape(), capacity).unwrap();
        assert_eq!((segments.count, covered(&chunks)), (20, 8));
        assert!(chunks.len() > 1);
        for chunk in chunks {
            assert!(u64::from(chunk.n_trees) * u64::from(capacity) <= 20 * segments.nodes());
        }
        // Indexes of nodes are 32-bit words.
        for gib in [97, 130] {
            let room = Room { array_bindings: 1 << 20, ..room_of(gib << 30, (1 << 31) - 16) };
            let division = share_out(&shape(), 1, u32::MAX, &[room]).unwrap();
            assert_eq!(
                (division.capacity, whole(&shape(), &division).1.len()),
                ((1 << 29) - 1, 1),
                "{gib} GiB"
            );
        }
        let large = Room { array_bindings: 1 << 20, ..room_of(1 << 40, (1 << 31) - 16) };
        let division = share_out(&shape(), 1, u32::MAX, &[large]).unwrap();
        let (capacity, chunks) = whole(&shape(), &division);
        assert!(chunks.iter().all(|chunk| u64::from(chunk.n_trees) * u64::from(capacity) <= u32::MAX.into()));
        assert!(division.capacity > 1 << 28);
    }

    #[test]
    fn devices_share_the_trees() {
        let room = room_of(64 * MIB, 128 * MIB);
        let division = share_out(&shape(), 1, u32::MAX, &[room, room, room]).unwrap();
        let (_, chunks) = whole(&shape(), &division);
        assert_eq!(covered(&chunks), 8);
        assert_eq!(chunks.iter().map(|c| c.device).collect::<Vec<_>>(), [0, 1, 2]);
        let division = share_out(&with_trees(&shape(), 1), 1, u32::MAX, &[room, room]).unwrap();
        assert_eq!(division.parts.len(), 1);
    }

    #[test]
    fn the_default_memory_keeps_to_the_limit_of_the_host() {
        for (limit, memory) in [(None, 2 << 30), (Some(1 << 40), 2 << 30), (Some(1 << 30), 1 << 29)] {
            assert_eq!(usual_memory(limit), memory);
        }
        let asked = Config { memory: Some(1 << 40), ..Config::paper() };
        assert_eq!(most_memory(&asked, AdapterKind::Cpu), 1 << 40);
        assert_eq!(most_memory(&Config::paper(), AdapterKind::Cpu), usual_memory(memory_limit()));
        assert_eq!(most_memory(&Config::paper(), AdapterKind::Discrete), USUAL_MEMORY);
    }

    #[test]
    fn too_little_memory_is_an_error() {
        let room = room_of(1000, 128 * MIB);
        let error = share_out(&shape(), 1, u32::MAX, &[room]).unwrap_err();
        // The memory that it asks for is enough.
        let message = error.to_string();
        let needed = message.split(" GiB").next().and_then(|text| text.split(' ').next_back()).expect("GiB");
        let room = Room { memory: gib::parse(needed).expect("a number"), ..room };
        assert!(error.is_bad_input() && share_out(&shape(), 1, u32::MAX, &[room]).is_ok(), "{message}");
        let room = room_of(64 * MIB, 128 * MIB);
        assert!(share_out(&shape(), 1, 7, &[room]).unwrap_err().is_bad_input());
        assert_eq!(share_out(&shape(), 1, 8, &[room]).unwrap().capacity, 8);
        assert!(
            share_out(&with_trees(&shape(), 1 << 16), 1 << 20, u32::MAX, &[room]).unwrap_err().is_bad_input()
        );
    }

    /// Trees begin as one chunk for any memory, unless that chunk would be full at once.
    #[test]
    fn trees_begin_in_one_chunk() {
        let begins = |memory: u64, binding: u64, trees: u32| {
            let room = room_of(memory, binding);
            let division = share_out(&with_trees(&shape(), trees), 1, u32::MAX, &[room]).unwrap();
            let first = division.parts[0].first_capacity(&shape(), division.capacity);
            (first, division.capacity, division.parts[0].chunks(&shape(), first).len())
        };
        assert_eq!(begins(2 << 30, 128 * MIB, 8).0, begins(1 << 30, 128 * MIB, 8).0);
        let (first, most, chunks) = begins(2 << 30, 128 * MIB, 8);
        assert!(first < most && chunks == 1, "{first} of {most} nodes, {chunks} chunks");
        let (first, most, chunks) = begins(64 * MIB, 128 * MIB, 8);
        assert!(first == most && chunks == 1, "{first} of {most} nodes, {chunks} chunks");
        let (first, most, chunks) = begins(2 << 30, 4 * MIB, 1024);
        assert!(first == most && chunks > 1, "{first} of {most} nodes, {chunks} chunks");
    }
}
