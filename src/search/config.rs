//! What a search is to do: sizes, variant, seed, memory, schedule.

use super::Budget;
use crate::{
    device::AdapterKind,
    error::{Error, Result},
    forest::{Draws, Picking, Schedule, Shape, Variant},
    host::memory_limit,
};

/// Everything that shapes a search.
///
/// ```
/// use mcts_wgpu::{Config, Variant};
/// let config = Config { variant: Variant::OCP_THRIFTY, trees: 4, seed: 7, ..Config::default() };
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Which children are played out, and how the work is launched.
    pub variant: Variant,
    /// T, independent trees per position: 1 to 65,536.
    pub trees: u32,
    /// m, playouts per played-out node: a power of two, 1 to 512.
    pub playouts: u32,
    /// Leaves that a step selects in each tree, one after another, and plays out side by side: 1 to 256. Each of them
    /// counts the playouts of those before it as visits that won nothing (specification, "Several leaves a step"). One
    /// tree then keeps a whole device at work. 1, as in the original, unless said otherwise.
    pub leaves: u32,
    /// C, the UCB constant: 0, or 2^-20 to 2^20.
    pub ucb_c: f32,
    /// What a draw counts. In n_wins and q a half win, unless said otherwise.
    pub draws: Draws,
    /// Nodes all of whose play is known are proven: they carry their outcome, no selection enters them, and the search
    /// ends once the root is one of them. Half of that may be known, too (specification, "Proofs").
    pub proofs: bool,
    /// Seed of both families of random streams.
    pub seed: u64,
    /// Bytes the search may take on each of its devices. Trees grow into them, so that what they may have costs
    /// nothing. Once one binding of the device does not hold them (2 GiB on most: 3 GiB of trees), they are searched in
    /// chunks, one after another, which takes as many times as long. None: as much as can be searched at full speed and
    /// a run's budget can fill, 2 GiB at most; on the CPU engine and on software adapters no more than half of what the
    /// control group of the program, such as its container, may have.
    pub memory: Option<u64>,
    /// Nodes a tree may have, where memory alone should not decide.
    pub node_limit: Option<u32>,
    /// How the steps are put onto the device.
    pub schedule: Schedule,
    /// Go on with the trees of the run before where its position leads to the new one by moves (see
    /// [`Position::moves`](crate::Position::moves)): the subtree below them becomes the tree. Batches never do. Off, as
    /// in the original, a run's result depends on its own position alone, and on where the random streams stand.
    pub reuse: bool,
    /// Leave actions out of the trees that need no look, as the game sees it
    /// ([`Game::action_worth`](crate::Game::action_worth)): in Go moves into one's own one-point eyes, in Gomoku and
    /// Connect 4 whatever does not win at once or reply to a threat, where there is such an action, and in Gomoku cells
    /// far from all stones. It changes nothing for a game that says nothing about that. Off, as in the original, trees
    /// have all legal actions.
    pub prunes: bool,
    /// Playouts of a new node that what the game knows of its action counts as
    /// ([`Game::action_prior`](crate::Game::action_prior)): 0 to 4,096. They are part of its n and n_wins, and of no
    /// other node's, so that promising actions are looked at first, and others not until they are called for. Games
    /// that know nothing take every action for even. Steps are staged then. 0, as in the original, unless said
    /// otherwise.
    pub knowledge: u32,
    /// Rapid action values (RAVE): how many playouts, 0 to 16,384, games in which the same player took a node's action
    /// later count as at the most. 0: none, as in the original. Go has them; it changes nothing for other games. Steps
    /// are staged then, and play out one child a leaf (specification, "Rapid action values").
    pub rave: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            variant: Variant::ACP_PRODIGAL,
            trees: 8,
            playouts: 128,
            leaves: 1,
            ucb_c: 2.0,
            draws: Draws::Half,
            proofs: true,
            seed: 0,
            memory: None,
            node_limit: None,
            schedule: Schedule::Auto,
            reuse: false,
            prunes: true,
            knowledge: 0,
            rave: 0,
        }
    }
}

/// Memory that is taken without being asked for, at most.
const USUAL_MEMORY: u64 = 2 << 30;

/// Greatest number of trees of one position.
pub const MAX_TREES: u32 = 1 << 16;
/// Greatest number of playouts per played-out node.
pub const MAX_PLAYOUTS: u32 = 512;
/// Greatest number of leaves of a step in a tree: workgroup memory holds a few words of each.
pub const MAX_LEAVES: u32 = 256;
/// Greatest number of playouts that a game's knowledge counts as.
pub const MAX_KNOWLEDGE: u32 = 4096;
/// Greatest number of playouts that a rapid action value counts as.
pub const MAX_RAVE: u32 = 1 << 14;

impl Config {
    /// How the best action is picked.
    pub(crate) fn picking(&self) -> Picking {
        Picking { variant: self.variant, draws: self.draws, proves: self.proofs }
    }

    /// The semantics and the defaults of the original program: draws count nothing, and nothing is proven.
    pub fn original() -> Self {
        Self {
            variant: Variant::ACP_PRODIGAL,
            trees: 8,
            playouts: 128,
            leaves: 1,
            ucb_c: 2.0,
            draws: Draws::None,
            proofs: false,
            prunes: false,
            ..Self::default()
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Bad input, naming the field and its range.
    pub fn validate(&self) -> Result<()> {
        let bad = |message: String| Err(Error::invalid(message));
        if !(1..=MAX_TREES).contains(&self.trees) {
            return bad(format!("{} trees: give a number from 1 to {MAX_TREES}", self.trees));
        }
        if !self.playouts.is_power_of_two() || self.playouts > MAX_PLAYOUTS {
            return bad(format!("{} playouts: give a power of two from 1 to {MAX_PLAYOUTS}", self.playouts));
        }
        if !(1..=MAX_LEAVES).contains(&self.leaves) {
            return bad(format!("{} leaves: give a number from 1 to {MAX_LEAVES}", self.leaves));
        }
        if self.leaves > 1 && self.schedule == Schedule::Fused {
            return bad(
                "the fused schedule plays out one leaf a step: choose the staged one, or 1 leaf".into()
            );
        }
        if self.knowledge > MAX_KNOWLEDGE {
            return bad(format!("knowledge {}: give a number from 0 to {MAX_KNOWLEDGE}", self.knowledge));
        }
        if self.knowledge > 0 && self.schedule == Schedule::Fused {
            return bad("the fused schedule uses no knowledge: choose the staged one, or knowledge 0".into());
        }
        if self.rave > MAX_RAVE {
            return bad(format!("rave {}: give a number from 0 to {MAX_RAVE}", self.rave));
        }
        if self.rave > 0 && self.schedule == Schedule::Fused {
            return bad(
                "the fused schedule has no rapid action values: choose the staged one, or rave 0".into()
            );
        }
        if self.rave > 0 && self.variant.all_children {
            return bad(
                "ACP has no rapid action values: choose ocp-prodigal or ocp-thrifty, or rave 0".into()
            );
        }
        let c = self.ucb_c;
        let range = 2f32.powi(-20)..=2f32.powi(20);
        if c != 0.0 && !range.contains(&c) {
            return bad(format!("UCB constant {c}: give 0 or a number from 0.000001 to 1000000"));
        }
        if self.memory == Some(0) {
            return bad("no memory: give the search some, such as 2 GiB".into());
        }
        Ok(())
    }

    /// Bytes the search may take on each of its devices, which are of this kind.
    pub(super) fn most_memory(&self, kind: AdapterKind) -> u64 {
        let limit = match kind {
            AdapterKind::Software | AdapterKind::Cpu => memory_limit(),
            _ => None,
        };
        self.memory.unwrap_or_else(|| usual_memory(limit))
    }

    /// Nodes a tree may have, whatever the memory and the budget.
    pub(super) fn most_nodes(&self) -> u32 {
        self.node_limit.unwrap_or(u32::MAX)
    }

    /// Nodes that a tree is to have room for: where memory was asked for, or trees are reused, as many as
    /// there is room for, else no more than the steps of the budget can make, or a machine of this kind in its time.
    pub(super) fn nodes_for(
        &self,
        budget: Budget,
        shape: &Shape,
        positions: usize,
        kind: AdapterKind,
    ) -> u32 {
        let most = self.most_nodes();
        if self.memory.is_some() || self.reuse {
            return most;
        }
        let a_step = u64::from(shape.nodes_per_step());
        let by_steps = budget.steps.saturating_mul(a_step);
        let trees = positions as f64 * f64::from(self.trees);
        let by_time =
            budget.time.map_or(u64::MAX, |time| (time.as_secs_f64() * nodes_per_second(kind) / trees) as u64);
        let made = by_steps.min(by_time).saturating_add(1 + a_step);
        most.min(u32::try_from(made).unwrap_or(u32::MAX))
    }
}

/// Half of what the host gives the program, where that is less than usual: programs that pass their limit are killed.
fn usual_memory(limit: Option<u64>) -> u64 {
    limit.map_or(USUAL_MEMORY, |limit| USUAL_MEMORY.min(limit / 2))
}

/// More nodes than most machines of a kind make in a second. On the CPU engine a core makes 2 million of Connect 4, and
/// memory costs nothing before it is used.
fn nodes_per_second(kind: AdapterKind) -> f64 {
    match kind {
        AdapterKind::Software => 4e6,
        AdapterKind::Cpu => 2e7,
        _ => 4e8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_memory_keeps_to_the_limit_of_the_host() {
        for (limit, memory) in [(None, 2 << 30), (Some(1 << 40), 2 << 30), (Some(1 << 30), 1 << 29)] {
            assert_eq!(usual_memory(limit), memory);
        }
        let asked = Config { memory: Some(1 << 40), ..Config::default() };
        assert_eq!(asked.most_memory(AdapterKind::Cpu), 1 << 40);
        assert_eq!(Config::default().most_memory(AdapterKind::Cpu), usual_memory(memory_limit()));
        assert_eq!(Config::default().most_memory(AdapterKind::Discrete), USUAL_MEMORY);
    }
}
