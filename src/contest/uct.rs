//! A tree for one core: plain UCT, one random game per step.

use super::Stop;
use crate::{
    error::{Error, Result},
    exact::{rng::below, ucb::ln},
    rules::{Game, Outcome, Player, Position, legal_actions},
    search::Budget,
};
use rand_pcg::{
    Pcg64Mcg,
    rand_core::{Rng, SeedableRng},
};
use std::time::Instant;

/// Nodes per chunk of memory; the children of a node lie in one chunk.
const CHUNK: usize = 1 << 16;
/// Maximum number of chunks: 2 GiB.
const MOST_CHUNKS: usize = (2 << 30) / (CHUNK * size_of::<Node>());
/// No children.
const NONE: u32 = u32::MAX;
const ROOT: u32 = 0;
/// Maximum number of steps: counts of half wins have 32 bits.
const MOST_STEPS: u64 = 1 << 31;
/// Steps between polls of the clock.
const ROUND: u64 = 16;
/// Maximum number of actions of a game.
const MAX_ACTIONS: usize = 512;
/// Bits of an action; the outcome's bits are above.
const ACTION_BITS: u32 = 14;

/// A node; its statistics are from the view of the player who moved into it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Node {
    n: u32,
    /// Twice the wins.
    half_wins: u32,
    first_child: u32,
    children: u16,
    /// The action into the node, and the code of its outcome.
    action: u16,
}

impl Node {
    fn leaf(action: u32) -> Self {
        Self { first_child: NONE, action: action as u16, ..Self::default() }
    }

    pub fn action(self) -> u32 {
        u32::from(self.action) & ((1 << ACTION_BITS) - 1)
    }

    pub fn outcome(self) -> Option<Outcome> {
        Outcome::from_code(u32::from(self.action >> ACTION_BITS))
    }

    pub fn n(self) -> u64 {
        self.n.into()
    }

    pub fn wins(self) -> f64 {
        f64::from(self.half_wins) / 2.0
    }
}

/// Nodes by index. Memory is allocated by chunks, and reused by the next tree.
#[derive(Debug, Default)]
struct Nodes {
    chunks: Vec<Box<[Node]>>,
    used: usize,
}

impl Nodes {
    fn get(&self, index: u32) -> &Node {
        &self.chunks[index as usize / CHUNK][index as usize % CHUNK]
    }

    fn get_mut(&mut self, index: u32) -> &mut Node {
        &mut self.chunks[index as usize / CHUNK][index as usize % CHUNK]
    }

    fn run(&mut self, first: u32, count: u32) -> &mut [Node] {
        let place = first as usize % CHUNK;
        &mut self.chunks[first as usize / CHUNK][place..place + count as usize]
    }

    /// Allocates adjacent nodes; none if the memory is full.
    fn take(&mut self, leaves: &[Node]) -> Option<u32> {
        if self.used % CHUNK + leaves.len() > CHUNK {
            self.used = self.used.next_multiple_of(CHUNK);
        }
        let (chunk, place) = (self.used / CHUNK, self.used % CHUNK);
        if chunk == self.chunks.len() {
            if chunk == MOST_CHUNKS {
                return None;
            }
            self.chunks.push(vec![Node::default(); CHUNK].into_boxed_slice());
        }
        self.chunks[chunk][place..place + leaves.len()].copy_from_slice(leaves);
        let first = self.used as u32;
        self.used += leaves.len();
        Some(first)
    }
}

/// The parameters of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub ucb_c: f32,
    /// The value of a draw for either player, in half wins.
    pub half_wins_of_draw: u32,
}

/// Counts of a search.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Grown {
    pub steps: u64,
    /// Visited nodes, and the sum of their depths.
    pub nodes: u64,
    pub depth_sum: u64,
    pub max_depth: u32,
    pub full: bool,
}

/// A tree, and the buffers of its steps.
#[derive(Debug)]
pub(super) struct Tree {
    rule: Rule,
    pub numbers: Pcg64Mcg,
    nodes: Nodes,
    leaves: Vec<Node>,
    /// UCB values of the children of one node.
    bounds: Vec<f32>,
    path: Vec<u32>,
    /// Keys of the positions: those up to the root, then those along the path.
    keys: Vec<u64>,
    grown: Grown,
}

impl Tree {
    pub fn new(rule: Rule, seed: u64) -> Self {
        Self {
            rule,
            numbers: Pcg64Mcg::seed_from_u64(seed),
            nodes: Nodes::default(),
            leaves: Vec::with_capacity(MAX_ACTIONS),
            bounds: vec![0.0; MAX_ACTIONS],
            path: Vec::new(),
            keys: Vec::new(),
            grown: Grown::default(),
        }
    }

    /// Grows a new tree from an ongoing position until the budget is spent.
    pub fn grow<G: Game>(
        &mut self,
        (game, position): (&G, &Position<G>),
        budget: Budget,
        stop: &Stop,
    ) -> Result<Grown> {
        let deadline = budget.time.and_then(|time| Instant::now().checked_add(time));
        self.nodes.used = 0;
        self.nodes.take(&[Node::leaf(0)]);
        self.keys.clear();
        self.keys.extend(position.keys());
        self.grown = Grown { nodes: 1, ..Grown::default() };
        let is_over = |steps: u64| {
            stop.is_set() || steps > 0 && deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        let most = budget.steps.min(MOST_STEPS);
        while self.grown.steps < most
            && !(self.grown.steps.is_multiple_of(ROUND) && is_over(self.grown.steps))
        {
            self.step(game, position)?;
            self.grown.steps += 1;
        }
        Ok(self.grown)
    }

    /// The root's children.
    pub fn children(&mut self) -> &[Node] {
        let root = *self.nodes.get(ROOT);
        if root.first_child == NONE { &[] } else { self.nodes.run(root.first_child, root.children.into()) }
    }

    fn step<G: Game>(&mut self, game: &G, position: &Position<G>) -> Result<()> {
        let (mut state, mut turn) = (position.state().clone(), position.turn());
        self.path.clear();
        self.path.push(ROOT);
        self.keys.truncate(position.keys().len());
        let mut at = ROOT;
        let outcome = loop {
            if let Some(outcome) = self.nodes.get(at).outcome() {
                break outcome;
            }
            let Some(child) = self.descend(at, game, (&state, turn)) else {
                break play_out(game, (&state, turn), &mut self.numbers)?;
            };
            let action = self.nodes.get(child).action();
            game.take_action(&mut state, turn, action);
            turn = turn.opponent();
            if game.forbids_repetition() {
                self.keys.push(game.position_key(&state));
            }
            self.path.push(child);
            self.visit(child, game.compute_outcome(&state, turn, Some(action)));
            at = child;
        };
        self.back_up(outcome, position.turn());
        Ok(())
    }

    /// Selects a child of a node; none if the node is to be played out.
    fn descend<G: Game>(&mut self, at: u32, game: &G, (state, turn): (&G::State, Player)) -> Option<u32> {
        let node = *self.nodes.get(at);
        if node.first_child != NONE {
            return Some(self.pick(at, node));
        }
        if self.grown.full || at != ROOT && node.n == 0 {
            return None;
        }
        self.leaves.clear();
        self.leaves.extend(legal_actions(game, &self.keys, state, turn).map(Node::leaf));
        if self.leaves.is_empty() {
            return None;
        }
        let first = self.nodes.take(&self.leaves);
        self.grown.full = first.is_none();
        let first_child = first?;
        let expanded = Node { first_child, children: self.leaves.len() as u16, ..node };
        *self.nodes.get_mut(at) = expanded;
        Some(self.pick(at, expanded))
    }

    /// A random unvisited child; without one, the child with the greatest UCB value.
    fn pick(&mut self, at: u32, node: Node) -> u32 {
        // Visited children stand first: one per step through this node since its expansion.
        let visited = node.n - u32::from(at != ROOT);
        let (first, count) = (node.first_child, u32::from(node.children));
        let children = self.nodes.run(first, count);
        if visited < count {
            let other = visited + below(self.numbers.next_u64(), u64::from(count - visited)) as u32;
            children.swap(visited as usize, other as usize);
            return first + visited;
        }
        // Two passes: the compiler vectorizes the first.
        let width = self.rule.ucb_c * (ln(node.n.into()) as f32).sqrt();
        let bounds = &mut self.bounds[..children.len()];
        for (bound, child) in bounds.iter_mut().zip(children) {
            let n = child.n as i32 as f32;
            *bound = (child.half_wins as i32 as f32 * 0.5) / n + width / n.sqrt();
        }
        let (mut best, mut greatest) = (0, f32::NEG_INFINITY);
        for (place, &bound) in (0..).zip(&*bounds) {
            if bound > greatest {
                (best, greatest) = (place, bound);
            }
        }
        first + best
    }

    /// Records the outcome of a node visited for the first time.
    fn visit(&mut self, at: u32, outcome: Option<Outcome>) {
        let node = self.nodes.get_mut(at);
        if node.n > 0 {
            return;
        }
        node.action |= (Outcome::code(outcome) as u16) << ACTION_BITS;
        let depth = self.path.len() as u32 - 1;
        self.grown.nodes += 1;
        self.grown.depth_sum += u64::from(depth);
        self.grown.max_depth = self.grown.max_depth.max(depth);
    }

    fn back_up(&mut self, outcome: Outcome, turn: Player) {
        let half_wins = match outcome {
            Outcome::FirstWins => [2, 0],
            Outcome::SecondWins => [0, 2],
            Outcome::Draw => [self.rule.half_wins_of_draw; 2],
        };
        let mut mover = turn.opponent();
        for &at in &self.path {
            let node = self.nodes.get_mut(at);
            node.n += 1;
            node.half_wins += half_wins[mover.index()];
            mover = mover.opponent();
        }
    }
}

/// Plays one random game to its end.
fn play_out<G: Game>(
    game: &G,
    (state, turn): (&G::State, Player),
    numbers: &mut Pcg64Mcg,
) -> Result<Outcome> {
    let mut playout = game.playout_begin(state, turn);
    for _ in 0..game.max_plies() {
        let count = game.legal_actions_playout(&mut playout);
        let ordinal = below(numbers.next_u64(), count.into()) as u32;
        if let Some(outcome) = game.take_action_playout(&mut playout, ordinal) {
            return Ok(outcome);
        }
    }
    Err(Error::invalid(format!(
        "a playout of {} goes on after {} moves: make max_plies no less than the longest game from any position",
        game.name(),
        game.max_plies()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Connect4, Gomoku};

    const RULE: Rule = Rule { ucb_c: 2.0, half_wins_of_draw: 1 };

    /// Every selected child has the greatest UCB value, computed by the formula as written.
    #[test]
    fn the_greatest_bound_is_gone_to() {
        let (game, mut tree) = (Connect4::default(), Tree::new(RULE, 1));
        let position = Position::start(&game);
        tree.grow((&game, &position), Budget::steps(7), &Stop::default()).expect("a tree");
        assert!(tree.children().iter().all(|child| child.n == 1));
        for _ in 0..2000 {
            let (before, n) = (tree.children().to_vec(), f64::from(tree.nodes.get(ROOT).n));
            tree.step(&game, &position).expect("a step");
            let bound = |child: &Node| {
                let visits = f64::from(child.n);
                child.wins() / visits + 2.0 * (n.ln() / visits).sqrt()
            };
            let greatest = before.iter().map(bound).fold(f64::NEG_INFINITY, f64::max);
            let gone_to = tree.path[1] - tree.nodes.get(ROOT).first_child;
            assert!(bound(&before[gone_to as usize]) > greatest - 1e-5);
        }
    }

    /// A node's statistics are the sum of its first game's and its children's.
    #[test]
    fn counts_add_up() {
        fn check<G: Game>(game: &G, steps: u64) {
            let (position, mut tree) = (Position::start(game), Tree::new(RULE, 2));
            let grown = tree.grow((game, &position), Budget::steps(steps), &Stop::default());
            assert_eq!(grown.expect("a tree").steps, steps);
            let (mut next, mut visited) = (vec![ROOT], 0);
            while let Some(at) = next.pop() {
                let node = *tree.nodes.get(at);
                visited += u64::from(node.n > 0);
                if node.first_child == NONE {
                    continue;
                }
                let children = tree.nodes.run(node.first_child, node.children.into()).to_vec();
                let own = u32::from(at != ROOT);
                assert_eq!(node.n, own + children.iter().map(|child| child.n).sum::<u32>());
                // Half wins that are not the mover's are the opponent's.
                let theirs: u32 = children.iter().map(|child| 2 * child.n - child.half_wins).sum();
                assert!((theirs..=theirs + 2 * own).contains(&node.half_wins));
                next.extend(node.first_child..node.first_child + u32::from(node.children));
            }
            assert_eq!(visited, tree.grown.nodes);
        }
        check(&Connect4::default(), 5000);
        check(&Gomoku::new(9).expect("a board"), 2000);
    }

    #[test]
    fn children_stay_in_one_chunk() {
        let mut nodes = Nodes::default();
        let leaves = [Node::leaf(3); 225];
        let taken: Vec<_> = (0..1000).map(|_| nodes.take(&leaves).expect("there is room")).collect();
        for first in taken {
            assert_eq!(first as usize / CHUNK, (first as usize + 224) / CHUNK);
            assert!(nodes.run(first, 225).iter().all(|node| node.action() == 3));
        }
    }
}
