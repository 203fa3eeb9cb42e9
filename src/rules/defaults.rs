//! The default settings of a game's searches.

use super::game::RANDOM_POLICY;

/// The default settings of a game's searches: the strongest at equal time, by matches
/// ([contests](crate::documentation::contests), "Defaults").
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchDefaults {
    /// C, the UCB constant.
    pub ucb_c: f32,
    /// Trees of a search on a GPU.
    pub trees: u32,
    /// Playouts of a node on a GPU.
    pub playouts: u32,
    /// Leaf batch on a GPU.
    pub leaf_batch: u32,
    /// Playouts of a node on the CPU engine and on software adapters: more than one for games whose playouts run side
    /// by side in SIMD lanes.
    pub cpu_playouts: u32,
    /// Leaf batch on the CPU engine and on software adapters: the leaves of a step are spread over idle cores.
    pub cpu_leaf_batch: u32,
    /// Weight of a prior in visits, on a GPU with several leaves.
    pub prior_visits: u32,
    /// Weight of a prior in visits, on the CPU engine and on software adapters, which make fewer playouts per node.
    pub cpu_prior_visits: u32,
    /// Greatest weight of a rapid action value in playouts, on all engines.
    pub rave: u32,
    /// The network that evaluates the leaves on a GPU and on the CPU engine instead of playouts: the name of one that
    /// comes with the crate, or a file. Software adapters and several adapters have playouts.
    pub net: Option<&'static str>,
    /// C with a network, the included one or another.
    pub net_ucb_c: f32,
    /// The policy of the playouts, one of [`Game::policies`](crate::Game::policies).
    pub policy: &'static str,
    /// Whether searches with other sizes also use that policy.
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
            net: None,
            net_ucb_c: 1.0,
            policy: RANDOM_POLICY,
            policy_suits_all_sizes: false,
        }
    }
}
