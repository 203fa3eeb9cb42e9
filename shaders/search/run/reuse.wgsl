// Tree reuse: once moves have been played, the subtree below them becomes the tree. Kept nodes keep their order, so
// that no node moves to a greater index, and children stay side by side and after their parents. In the order of a run:
//
//   reuse_parents  a block of a tree  the parent of every node; the node that the moves lead to
//   reuse_mark     a block of a tree  the nodes below it, and their depths; counts the kept nodes of the block
//   reuse_offsets  a tree             the number of kept nodes before each block, and in all
//   reuse_gather   a block of a slab  copies the kept nodes, with new links, side by side to the slab's own memory
//   reuse_place    a block of a slab  copies them to their places in the tree; both are repeated for every slab
//   reuse_finish   a tree             the header; without the node that the moves lead to, the tree is its root alone
//
// One workgroup = a share as in the second column, but one lane of reuse_finish = a tree. A slab is a run of blocks,
// the same in some neighbouring trees: the nodes that are moved at a time, so that memory for a fraction of the trees
// suffices. Nodes never move past the slab they come from, so that no slab overwrites a later one.
//
// All kernels but the last run for one group of neighbouring trees after another, so that only the nodes of one group
// need marks at a time.
// Reads roots, trees, stats, links, slab, moves, spans, slab_stats, slab_links, marks; writes trees, stats, links,
// spans, slab_stats, slab_links, marks.

// Nodes of a block: a multiple of every TREE_LANES.
const REUSE_BLOCK: u32 = 1024u;
// No such node; not kept.
const NOWHERE: u32 = 0xffffffffu;

// The share of a dispatch.
struct Slab {
    first_tree: u32,
    trees: u32,
    first_block: u32,
    blocks: u32,
    // Moves that were played.
    moves: u32,
    // Spans of a tree.
    spans: u32,
    // Words of a root record.
    root_words: u32,
    // The first tree of the group.
    first_marked: u32,
}

@group(0) @binding(15) var<uniform> slab: Slab;
// [moves]: actions from the old root to the new one.
@group(0) @binding(16) var<storage, read> moves: array<u32>;
// [tree][1 + block]: kept nodes in the block, later those before it; greatest depth; sum of depths. Element 0, of the
// whole tree: kept nodes, greatest depth, sum of depths (low, high).
@group(0) @binding(17) var<storage, read_write> spans: array<vec4<u32>>;
// [tree of the slab][kept node of the slab]: as in stats and links.
@group(0) @binding(18) var<storage, read_write> slab_stats: array<vec4<u32>>;
@group(0) @binding(19) var<storage, read_write> slab_links: array<vec2<u32>>;
// [tree of the group][node]: its parent; its place among the kept nodes of its block.
@group(0) @binding(20) var<storage, read_write> marks: array<vec2<u32>>;

// A workgroup's block.
struct Block {
    tree: u32,
    index: u32,
    live: bool,
}

fn find_block(group: vec3<u32>) -> Block {
    let place = flat_group(group);
    let tree = place / slab.blocks;
    return Block(slab.first_tree + tree, slab.first_block + place % slab.blocks, tree < slab.trees);
}

// The index of the first mark of a tree.
fn marks_of(tree: u32) -> u32 {
    return (tree - slab.first_marked) * (slab.spans - 1u) * REUSE_BLOCK;
}

fn span_of(tree: u32, block: u32) -> u32 {
    return tree * slab.spans + 1u + block;
}

// The number of kept nodes before a block.
fn kept_before(tree: u32, block: u32) -> u32 {
    let beyond = block * REUSE_BLOCK >= trees[tree].size;
    return spans[select(span_of(tree, block), tree * slab.spans, beyond)].x;
}

// The node that the moves lead to from the root of the tree whose nodes start at `base`.
fn follow_moves(base: u32) -> u32 {
    var node = ROOT;
    for (var i = 0u; i < slab.moves && node != NOWHERE; i++) {
        let link = links[base + node];
        node = NOWHERE;
        for (var child = link.x; child < link.x + link_count(link.y); child++) {
            if link_action(links[base + child].y) == moves[i] {
                node = child;
            }
        }
    }
    return node;
}

@compute @workgroup_size(TREE_LANES)
fn reuse_parents(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = find_block(group);
    if block.live {
        let base = block.tree * params.capacity;
        let marked = marks_of(block.tree);
        let first = block.index * REUSE_BLOCK;
        let end = min(first + REUSE_BLOCK, trees[block.tree].size);
        for (var node = first + lane; node < end; node += TREE_LANES) {
            let children = links[base + node].x;
            let count = link_count(links[base + node].y);
            for (var child = children; child < children + count; child++) {
                marks[marked + child].x = node;
            }
        }
        if block.index == 0u && lane == 0u {
            trees[block.tree].selected = follow_moves(base);
        }
    }
}

// Levels from a node up to the new root; NOWHERE if the node is not below it.
fn depth_below(marked: u32, node: u32, root: u32) -> u32 {
    var depth = 0u;
    var ancestor = node;
    while ancestor > root {
        ancestor = marks[marked + ancestor].x;
        depth++;
    }
    return select(NOWHERE, depth, ancestor == root);
}

@compute @workgroup_size(TREE_LANES)
fn reuse_mark(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = find_block(group);
    if block.live {
        let marked = marks_of(block.tree);
        var kept = 0u;
        var deepest = 0u;
        var depths = 0u;
        for (var i = 0u; i < REUSE_BLOCK; i += TREE_LANES) {
            let node = block.index * REUSE_BLOCK + i + lane;
            let there = node < trees[block.tree].size;
            var depth = NOWHERE;
            if there {
                depth = depth_below(marked, node, trees[block.tree].selected);
            }
            let keep = depth != NOWHERE;
            let place = scan_counts(lane, u32(keep));
            if there {
                marks[marked + node].y = select(NOWHERE, kept + place.x, keep);
            }
            if keep {
                deepest = max(deepest, depth);
                depths += depth;
            }
            kept += place.y;
        }
        let greatest = reduce_max(lane, deepest);
        let sum = reduce_sum(lane, vec4<u32>(depths, 0u, 0u, 0u));
        if lane == 0u {
            spans[span_of(block.tree, block.index)] = vec4<u32>(kept, greatest, sum.x, 0u);
        }
    }
}

// One lane = a run of neighbouring blocks.
@compute @workgroup_size(TREE_LANES)
fn reuse_offsets(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = slab.first_tree + flat_group(group);
    if flat_group(group) < slab.trees {
        let blocks = (trees[tree].size + REUSE_BLOCK - 1u) / REUSE_BLOCK;
        let run = (blocks + TREE_LANES - 1u) / TREE_LANES;
        let first = span_of(tree, min(lane * run, blocks));
        let end = span_of(tree, min(lane * run + run, blocks));
        var kept = 0u;
        var deepest = 0u;
        var depths = vec4<u32>(0u);
        for (var span = first; span < end; span++) {
            kept += spans[span].x;
            deepest = max(deepest, spans[span].y);
            depths = sum_combine(depths, vec4<u32>(spans[span].z, 0u, 0u, 0u));
        }
        let before = scan_counts(lane, kept);
        let greatest = reduce_max(lane, deepest);
        let sum = reduce_sum(lane, depths);
        var place = before.x;
        for (var span = first; span < end; span++) {
            let count = spans[span].x;
            spans[span].x = place;
            place += count;
        }
        if lane == 0u {
            spans[tree * slab.spans] = vec4<u32>(before.y, greatest, sum.x, sum.y);
        }
    }
}

// The link of a kept node in the new tree.
fn linked_anew(tree: u32, node: u32, link: vec2<u32>) -> vec2<u32> {
    var children = NO_CHILDREN;
    if link.x != NO_CHILDREN {
        children = kept_before(tree, link.x / REUSE_BLOCK) + marks[marks_of(tree) + link.x].y;
    }
    // No action leads to a root.
    let info = select(link.y, link.y - link_action(link.y), node == trees[tree].selected);
    return vec2<u32>(children, info);
}

@compute @workgroup_size(TREE_LANES)
fn reuse_gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = find_block(group);
    if block.live {
        let base = block.tree * params.capacity;
        let marked = marks_of(block.tree);
        let first = block.index * REUSE_BLOCK;
        let end = min(first + REUSE_BLOCK, trees[block.tree].size);
        let before = kept_before(block.tree, block.index) - kept_before(block.tree, slab.first_block);
        let to = (block.tree - slab.first_tree) * slab.blocks * REUSE_BLOCK + before;
        for (var node = first + lane; node < end; node += TREE_LANES) {
            let place = marks[marked + node].y;
            if place != NOWHERE {
                slab_stats[to + place] = stats[base + node];
                slab_links[to + place] = linked_anew(block.tree, node, links[base + node]);
            }
        }
    }
}

@compute @workgroup_size(TREE_LANES)
fn reuse_place(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = find_block(group);
    if block.live {
        let before = kept_before(block.tree, slab.first_block);
        let kept = kept_before(block.tree, slab.first_block + slab.blocks) - before;
        let place = block.tree * params.capacity + before;
        let source = (block.tree - slab.first_tree) * slab.blocks * REUSE_BLOCK;
        let first = (block.index - slab.first_block) * REUSE_BLOCK;
        for (var i = first + lane; i < min(first + REUSE_BLOCK, kept); i += TREE_LANES) {
            stats[place + i] = slab_stats[source + i];
            links[place + i] = slab_links[source + i];
        }
    }
}

@compute @workgroup_size(TREE_LANES)
fn reuse_finish(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tree = flat_group(group) * TREE_LANES + lane;
    if tree >= params.n_trees {
        return;
    }
    let record = tree * slab.root_words;
    let stream = trees[tree].expansion_stream;
    let kept = spans[tree * slab.spans];
    let root = tree * params.capacity;
    var flags = roots[record] * TREE_SECOND_MOVES;
    // A root with a solved outcome has no children, and would get none.
    let info = links[root].y;
    let is_new = kept.x == 0u || (link_count(info) == 0u && link_outcome(info) != ONGOING);
    if !is_new && is_proven(stats[root]) {
        flags |= TREE_PROVEN;
    }
    trees[tree] = Tree(max(kept.x, 1u), flags, 0u, 0u, 0u, 0u, 0u, kept.y, kept.zw, vec2<u32>(0u), stream);
    if is_new {
        stats[root] = vec4<u32>(0u);
        links[root] = vec2<u32>(NO_CHILDREN, roots[record + 1u] << OUTCOME_SHIFT);
    }
}
