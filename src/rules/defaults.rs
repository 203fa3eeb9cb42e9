//! The settings of a search that plays a game best.

use super::game::RANDOM_POLICY;

/// The settings of a search that plays a game best at equal time, as matches have shown
/// ([contests](crate::documentation::contests), "Defaults").
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchDefaults {
    /// C, the UCB constant.
    pub ucb_c: f32,
    /// Trees of a search on a GPU.
    pub trees: u32,
    /// Playouts of a node on a GPU.
    pub playouts: u32,
    /// Leaf batch on a GPU: nodes count, not playouts.
    pub leaf_batch: u32,
    /// Playouts of a node on the CPU engine and on software adapters: more than one where many games side by side take
    /// hardly longer than one.
    pub cpu_playouts: u32,
    /// Leaf batch on the CPU engine and on software adapters: the leaves of a step spread over cores that the trees
    /// leave idle.
    pub cpu_leaf_batch: u32,
    /// Visits that a prior counts as, on a GPU with several leaves.
    pub prior_visits: u32,
    /// The same on the CPU engine and on software adapters. Where a node has fewer playouts, fewer weigh as much.
    pub cpu_prior_visits: u32,
    /// Playouts that a node's rapid action value counts as at the most, on all of these.
    pub rave: u32,
    /// The policy of the playouts, one of [`Game::policies`](crate::Game::policies).
    pub policy: &'static str,
    /// Does that policy play best with whatever sizes, not only with these? Then searches of other sizes have it, too.
    pub policy_suits_all_sizes: bool,
}

impl Default for SearchDefaults {
    fn default() -> Self {
        Self {
            ucb_c: 0.5,
            trees: 16,
            playouts: 8,
            leaf_batch: 64,
            cpu_playouts: 1,
            cpu_leaf_batch: 8,
            prior_visits: 0,
            cpu_prior_visits: 0,
            rave: 0,
            policy: RANDOM_POLICY,
            policy_suits_all_sizes: false,
        }
    }
}
