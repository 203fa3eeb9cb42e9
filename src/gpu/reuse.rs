//! Tree reuse on a device: the subtree below the moves played becomes the tree, in place.

use crate::{
    device::{
        Device, Submission,
        kernels::{Bound, Kernels},
    },
    error::Result,
    forest::Shape,
    forest::layout::{Link, Slab, Stats},
    gpu::{
        buffers::{Buffers, UNIFORM},
        forest::{Forest, dispatch},
        shaders::{REUSE, REUSE_BLOCK, reuse_module},
    },
    rules::GameShader,
};
use glam::{UVec2, UVec4};
use wgpu::BufferUsages;

/// Large trees are moved in this many slabs, so that slabs take a small part of the trees' memory.
const MOST_SLABS: u64 = 64;

/// The sizes of the portions that tree reuse works on. They affect memory and speed, not the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portions {
    /// The least number of blocks of a slab, 1 or more, where there are so many.
    pub slab_blocks: u64,
    /// Nodes with marks at a time, at most, unless one tree has more.
    pub marked_nodes: u64,
}

impl Default for Portions {
    /// Slabs of 16 MiB, marks of 8 MiB.
    fn default() -> Self {
        Self { slab_blocks: 512, marked_nodes: 1 << 20 }
    }
}

/// The compiled kernels of tree reuse on one device.
#[derive(Debug)]
pub struct Reuse {
    kernels: Kernels,
    lanes: u32,
    portions: Portions,
}

impl Reuse {
    /// Compiles the kernels for a game and a shape (whose number of trees and capacity do not matter). The kernels call
    /// no rules of the game, but read the trees that these rules have made.
    ///
    /// # Errors
    /// Shader, where one does not compile or does not fit the device.
    pub async fn compile(device: &Device, game: &GameShader, shape: &Shape) -> Result<Self> {
        let (lanes, module) = reuse_module(game, shape, device.limits())?;
        let kernels = Kernels::compile(device, &module, &REUSE).await?;
        Ok(Self::of(kernels, lanes, Portions::default()))
    }

    /// Kernels compiled for workgroups of this many lanes, with portions of other sizes.
    pub fn of(kernels: Kernels, lanes: u32, portions: Portions) -> Self {
        Self { kernels, lanes, portions }
    }

    /// Makes the node that `moves` lead to the root of every tree; a tree without it becomes its root alone. `roots`
    /// has the record of the new root for every tree. Meanwhile takes memory for a slab of nodes, and 8 bytes for each
    /// node of a group of trees.
    ///
    /// # Errors
    /// Out of memory, device lost.
    pub async fn run(&self, forest: &Forest, roots: &[u32], moves: &[u32]) -> Result<()> {
        forest.write("roots", roots);
        let nodes = forest.trees().await?.iter().map(|tree| tree.size).fold(1, u32::max);
        let slabs = Slabs::new(forest.shape.n_trees, nodes, self.portions);
        let buffers = buffers(forest, &slabs, moves).await?;
        let bound = REUSE
            .iter()
            .map(|name| self.kernels.bind(forest.device(), name, &buffers))
            .collect::<Result<Vec<_>>>()?;
        let [parents, mark, offsets, gather, place, finish] = &bound[..] else { return Ok(()) };
        let trees = forest.shape.n_trees;
        let (moves, root_words) = (moves.len() as u32, roots.len() as u32 / trees);
        let submit = |slab: Slab, launches: &[(&Bound, u32)]| {
            submit(forest, &buffers["slab"], Slab { moves, root_words, ..slab }, launches)
        };
        for group in slabs.groups() {
            let blocks = group.trees * group.blocks;
            submit(group, &[(parents, blocks), (mark, blocks), (offsets, group.trees)]);
            for slab in slabs.pieces(group) {
                let blocks = slab.trees * slab.blocks;
                submit(slab, &[(gather, blocks), (place, blocks)]);
            }
        }
        let last = submit(slabs.whole(), &[(finish, trees.div_ceil(self.lanes))]);
        forest.device().wait(last).await
    }
}

/// Submits dispatches that work on a slab.
fn submit(forest: &Forest, uniform: &wgpu::Buffer, slab: Slab, launches: &[(&Bound, u32)]) -> Submission {
    let device = forest.device();
    device.queue().write_buffer(uniform, 0, bytemuck::bytes_of(&slab));
    device.submit_pass(|pass| launches.iter().for_each(|(bound, groups)| dispatch(pass, bound, *groups)))
}

/// The forest's buffers, and those that only reuse has (`shaders/README.md`).
async fn buffers(forest: &Forest, slabs: &Slabs, moves: &[u32]) -> Result<Buffers> {
    let device = forest.device();
    let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let nodes = slabs.room * u64::from(REUSE_BLOCK);
    let spans = u64::from(slabs.trees) * u64::from(slabs.whole().spans);
    let mut buffers = forest.buffers().clone();
    for (name, bytes, usage) in [
        ("slab", size_of::<Slab>() as u64, UNIFORM),
        ("moves", 4 * moves.len() as u64, storage),
        ("spans", spans * size_of::<UVec4>() as u64, storage),
        ("slab_stats", nodes * size_of::<Stats>() as u64, storage),
        ("slab_links", nodes * size_of::<Link>() as u64, storage),
        ("marks", slabs.marked() * size_of::<UVec2>() as u64, storage),
    ] {
        buffers.insert(name, device.buffer(name, bytes, usage).await?);
    }
    device.queue().write_buffer(&buffers["moves"], 0, bytemuck::cast_slice(moves));
    Ok(buffers)
}

/// The division of a chunk's nodes into slabs.
#[derive(Debug, Clone, Copy)]
struct Slabs {
    trees: u32,
    /// Blocks of the largest tree.
    blocks: u32,
    /// The greatest number of blocks of a slab, over all its trees.
    room: u64,
    /// Nodes with marks at a time, at most, unless one tree has more.
    most_marked: u64,
}

impl Slabs {
    fn new(trees: u32, nodes: u32, portions: Portions) -> Self {
        let blocks = nodes.div_ceil(REUSE_BLOCK);
        let all = u64::from(trees) * u64::from(blocks);
        let room = all.min(portions.slab_blocks.max(all.div_ceil(MOST_SLABS)));
        Self { trees, blocks, room, most_marked: portions.marked_nodes }
    }

    /// All blocks of all trees.
    fn whole(&self) -> Slab {
        Slab {
            first_tree: 0,
            trees: self.trees,
            first_block: 0,
            blocks: self.blocks,
            spans: self.blocks + 1,
            ..Slab::default()
        }
    }

    /// The number of trees of a group.
    fn group_trees(&self) -> u32 {
        let nodes = u64::from(self.blocks) * u64::from(REUSE_BLOCK);
        (self.most_marked / nodes).clamp(1, u64::from(self.trees)) as u32
    }

    /// Nodes of a group, with the largest tree's number for each tree.
    fn marked(&self) -> u64 {
        u64::from(self.group_trees()) * u64::from(self.blocks) * u64::from(REUSE_BLOCK)
    }

    /// All blocks, by groups of trees.
    fn groups(&self) -> impl Iterator<Item = Slab> {
        let (whole, trees) = (self.whole(), self.group_trees());
        (0..self.trees).step_by(trees as usize).map(move |first_tree| Slab {
            first_tree,
            first_marked: first_tree,
            trees: trees.min(whole.trees - first_tree),
            ..whole
        })
    }

    /// The slabs of a group, those of a tree in their order.
    fn pieces(&self, group: Slab) -> impl Iterator<Item = Slab> {
        let trees = self.room.min(u64::from(group.trees)) as u32;
        let blocks = (self.room / u64::from(trees)) as u32;
        (0..group.trees).step_by(trees as usize).flat_map(move |tree| {
            (0..group.blocks).step_by(blocks as usize).map(move |first_block| Slab {
                first_tree: group.first_tree + tree,
                trees: trees.min(group.trees - tree),
                first_block,
                blocks: blocks.min(group.blocks - first_block),
                ..group
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_have_every_block_once_and_fit_their_room() {
        for (trees, nodes) in
            [(1, 1), (1, 1 << 26), (8, 3_000_000), (700, 1025), (65_536, 900), (3, 1024 * 400)]
        {
            let slabs = Slabs::new(trees, nodes, Portions::default());
            let mut next = vec![0; trees as usize];
            for slab in slabs.groups().flat_map(|group| slabs.pieces(group)) {
                assert!(slab.first_tree >= slab.first_marked);
                assert!(u64::from(slab.trees) * u64::from(slab.blocks) <= slabs.room);
                for tree in slab.first_tree..slab.first_tree + slab.trees {
                    assert_eq!(next[tree as usize], slab.first_block);
                    next[tree as usize] += slab.blocks;
                }
            }
            assert!(next.iter().all(|&blocks| blocks == slabs.blocks), "{trees} trees of {nodes} nodes");
            assert!(slabs.room <= 512 || slabs.room <= u64::from(trees * slabs.blocks) / 64 + 1);
        }
    }
}
