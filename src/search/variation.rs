//! The principal variation: the line of moves with the most playouts.
//!
//! Its first move is the best action. From there on, the children of a node are summed over the position's first
//! [`LINE_TREES`] trees, as far as these have children there, and the next move is chosen by the order of best actions,
//! ties by the smallest bit-reversed action. Trees of one position have the same actions at the same node, and so the
//! same children in the same order: sums are by ordinal. The line ends where no tree has children, or no child was
//! played out or proven. All counts are integers: the line is the same on every engine.
//!
//! A level of the line costs one read-back of the children of one node a tree.

use super::{
    ActionReport, Config,
    report::{Seen, action_report},
};
use crate::{
    error::Result,
    forest::{
        Proof, Shape, Variant,
        layout::{Link, NO_ACTION, NO_CHILDREN, ROOT, RootSum, Stats},
        nodes::{Node, NodeRun},
    },
    reference::reduce_over_actions::reduce_over_actions,
    rules::{Game, Player, Position},
};

/// Trees of a position that the principal variation is read from, below the first move.
pub const LINE_TREES: u32 = 64;

/// The principal variation after its first move, the root's child with the ordinal `best`.
pub(super) async fn after_best<G: Game>(
    shape: &Shape,
    position: &Position<G>,
    best: u32,
    read: impl AsyncFn(&[NodeRun]) -> Result<Vec<Vec<Node>>>,
) -> Result<Vec<ActionReport>> {
    let mut line = Vec::new();
    if best == NO_ACTION {
        return Ok(line);
    }
    let trees = 0..shape.config.trees.min(LINE_TREES);
    let roots: Vec<_> = trees.map(|tree| NodeRun { tree, first: ROOT, count: 1 }).collect();
    let roots = Reached::of(&roots, &read(&roots).await?, 0);
    let mut reached = Reached::of(&roots.families, &read(&roots.families).await?, best as usize);
    let mut mover = position.turn().opponent();
    while !reached.families.is_empty() {
        let rows = read(&reached.families).await?;
        let mut sums = sums(&rows);
        sums.push(reached.sum);
        let Some(place) = best_of(shape, mover, &sums) else { break };
        let RootSum { stats, proof, .. } = sums[place];
        let node = Seen {
            link: sums[place].link(),
            stats,
            trees: rows.len() as u64,
            proof: Proof::from_word(proof),
            prior: None,
            policy: None,
        };
        let (n, _) = reached.sum.stats.counts();
        line.push(action_report(position.game(), shape, n, node.link.action(), &node, mover));
        reached = Reached::of(&reached.families, &rows, place);
        mover = mover.opponent();
    }
    Ok(line)
}

/// The node that each tree has reached along the line.
struct Reached {
    /// Its children, one run a tree.
    families: Vec<NodeRun>,
    /// The sum over these nodes.
    sum: RootSum,
}

impl Reached {
    /// The nodes with one ordinal in all rows, where they have children.
    fn of(runs: &[NodeRun], rows: &[Vec<Node>], place: usize) -> Self {
        let mut reached = Self { families: Vec::new(), sum: RootSum::default() };
        for (run, row) in runs.iter().zip(rows) {
            let Some((link, stats)) = row.get(place).filter(|(link, _)| link.first_child != NO_CHILDREN)
            else {
                continue;
            };
            reached.families.push(NodeRun { tree: run.tree, first: link.first_child, count: link.count() });
            add(&mut reached.sum, *link, stats);
        }
        reached
    }
}

/// Adds a node of one tree to a sum.
fn add(sum: &mut RootSum, link: Link, stats: &Stats) {
    sum.add(stats.counts(), Proof::word(Proof::of(link, stats)), stats.half_proofs());
}

/// Sums over the rows, by ordinal.
fn sums(rows: &[Vec<Node>]) -> Vec<RootSum> {
    let mut sums = vec![RootSum::default(); rows.first().map_or(0, Vec::len)];
    for row in rows {
        for (sum, (link, stats)) in sums.iter_mut().zip(row) {
            add(sum, *link, stats);
            if sum.present == 0 {
                (sum.info, sum.present) = (link.info, 1);
            }
        }
    }
    sums
}

/// The ordinal of the line's next child, given the sums of the children and, last, of their parents.
fn best_of(shape: &Shape, mover: Player, sums: &[RootSum]) -> Option<usize> {
    let config = &shape.config;
    let variant = Variant { thrifty: false, ..config.variant };
    let by = (&Config { variant, ..*config }, shape.win_points());
    let place = reduce_over_actions(by, mover, sums).ordinal as usize;
    sums.get(place).filter(|sum| sum.proof != 0 || sum.stats.counts().0 > 0).map(|_| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::Connect4, search::shape_of};

    /// A node with children from `first_child` on, or a leaf.
    fn node(action: u32, n: u64, n_wins: u64, (first_child, count): (u32, u32), outcome: u32) -> Node {
        let leaf = Link::leaf(action, outcome);
        let mut stats = Stats::default();
        stats.add(n, n_wins);
        (Link { first_child, info: leaf.info | count << crate::forest::layout::ACTION_BITS }, stats)
    }

    /// The line in trees whose roots' second action is the best one.
    fn line(trees: &[Vec<Node>]) -> Vec<(u32, u64, u64, bool)> {
        let config = Config { trees: trees.len() as u32, ..Config::original() };
        let shape = shape_of(&Connect4::default(), &config);
        let read = async |runs: &[NodeRun]| {
            let nodes =
                |run: &NodeRun| trees[run.tree as usize][run.first as usize..][..run.count as usize].to_vec();
            Ok(runs.iter().map(nodes).collect())
        };
        let position = Position::start(&Connect4::default());
        let line =
            crate::host::block_on(after_best(&shape, &position, 1, read)).expect("the trees are there");
        line.iter().map(|action| (action.index, action.n, action.n_wins as u64, action.win_flag)).collect()
    }

    const LEAF: (u32, u32) = (NO_CHILDREN, 0);

    #[test]
    fn sums_over_trees_decide_as_far_as_these_follow() {
        let roots = [node(0, 90, 0, (1, 2), 0), node(0, 99, 0, LEAF, 0), node(1, 55, 0, (3, 3), 0)];
        let mut first = roots.to_vec();
        first.extend([node(2, 10, 1, LEAF, 0), node(4, 20, 2, LEAF, 0), node(6, 20, 3, LEAF, 0)]);
        let mut second = roots.to_vec();
        second.extend([node(2, 30, 4, (6, 2), 0), node(4, 5, 5, LEAF, 0), node(6, 6, 6, LEAF, 0)]);
        second.extend([node(1, 4, 1, LEAF, 0), node(2, 4, 3, LEAF, 3)]);
        // The first tree alone would take another action; it does not follow the line to the end.
        assert_eq!(line(&[first, second]), [(2, 40, 5, false), (2, 4, 3, true)]);
    }

    #[test]
    fn ties_go_to_the_smallest_reversed_action_and_lines_end_where_nothing_was_played() {
        let mut tree = vec![node(0, 9, 0, (1, 2), 0), node(0, 1, 0, LEAF, 0), node(1, 8, 0, (3, 2), 0)];
        tree.extend([node(1, 4, 2, LEAF, 0), node(2, 4, 2, (5, 2), 0)]);
        tree.extend([node(0, 0, 0, LEAF, 0), node(1, 0, 0, LEAF, 0)]);
        assert_eq!(line(&[tree]), [(2, 4, 2, false)]);
        let unexpanded = vec![node(0, 9, 0, (1, 2), 0), node(0, 1, 0, LEAF, 0), node(1, 8, 0, LEAF, 0)];
        assert_eq!(line(&[unexpanded]), []);
    }
}
