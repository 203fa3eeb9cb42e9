//! User-defined evaluators, which evaluate leaves instead of an integer network.

use crate::{
    error::{Error, Result},
    net::{NetKernel, Network},
};
use std::{
    fmt::{self, Debug, Formatter},
    sync::Arc,
};

/// Evaluates the leaves of a search, by a network of another crate, a service, or anything else
/// ([`Engine::with_evaluator`](crate::Engine::with_evaluator)). It runs on the host, for the CPU engine and for a
/// device; searches by an integer [`Network`] are faster.
///
/// ```
/// use mcts_wgpu::{Budget, Engine, Position, Search, games::Connect4, net::{Evaluator, Leaves}};
/// use std::{error::Error, sync::Arc};
///
/// /// Prefers columns in the middle, and values all positions as even.
/// struct Middle;
///
/// impl Evaluator for Middle {
///     fn name(&self) -> &str {
///         "middle"
///     }
///
///     fn evaluate(
///         &self,
///         leaves: Leaves<'_>,
///         policy: &mut [f32],
///         value: &mut [f32],
///     ) -> Result<(), Box<dyn Error + Send + Sync>> {
///         for leaf in policy.chunks_mut(leaves.actions) {
///             leaf.iter_mut().zip(0i8..).for_each(|(logit, column)| *logit = -f32::from((column - 3).abs()));
///         }
///         value.fill(0.0);
///         Ok(())
///     }
/// }
///
/// let game = Connect4::default();
/// let engine = Engine::cpu().with_evaluator(Arc::new(Middle));
/// let mut search = Search::new(&engine, game.clone(), Default::default())?;
/// let report = search.run(&Position::start(&game), Budget::steps(20))?;
/// assert_eq!((report.net.as_deref(), report.exact), (Some("middle"), false));
/// assert!(report.actions[3].prior > report.actions[0].prior);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
pub trait Evaluator: Send + Sync {
    /// Its name, for reports.
    fn name(&self) -> &str;

    /// Evaluates the leaves of a step of all trees.
    ///
    /// Writes to `policy` the logits `[leaf][action]`: the prior of a legal move is proportional to e^logit. Writes to
    /// `value` the logits `[leaf][3]` of a win, a draw and a loss of the player to move: the natural logarithms of
    /// their probabilities, up to a constant. Every logit has to be written, and finite. Logits are rounded to 1/256 of
    /// a bit; a logit more than 177 below the greatest one of its leaf and head counts as 177 below it.
    ///
    /// A leaf may be evaluated again, in another batch. A search can be repeated if a leaf has the same logits, to the
    /// last bit, in every batch.
    ///
    /// # Errors
    /// An error of the evaluator, of any type. The search ends, and returns it.
    fn evaluate(
        &self,
        leaves: Leaves<'_>,
        policy: &mut [f32],
        value: &mut [f32],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// Leaves for an [`Evaluator`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Leaves<'a> {
    /// `[leaf][plane][row][column]`, 0 or 1: the game's planes ([`Game::planes`](crate::Game::planes)) of the leaf's
    /// position, from the view of the player to move.
    pub planes: &'a [u8],
    /// The number of leaves.
    pub count: usize,
    /// The numbers of planes, rows and columns.
    pub shape: [usize; 3],
    /// The number of actions of the game.
    pub actions: usize,
}

impl<'a> Leaves<'a> {
    /// Leaves with these planes, `[leaf][plane][row][column]`; `shape` is planes, rows and columns.
    ///
    /// # Panics
    /// If the length of `planes` is not a multiple of a leaf's.
    pub fn new(planes: &'a [u8], shape: [usize; 3], actions: usize) -> Self {
        let bits: usize = shape.iter().product();
        assert!(planes.len().is_multiple_of(bits), "leaves of {bits} bits each");
        Self { planes, count: planes.len() / bits, shape, actions }
    }
}

/// The evaluation of leaves in a search without playouts.
#[derive(Debug, Clone, PartialEq)]
pub enum LeafEvaluation {
    /// A network, with the kernel that evaluates it on a device.
    Network(Arc<Network>, NetKernel),
    /// A user-defined evaluator.
    Evaluator(HostEvaluation),
}

impl LeafEvaluation {
    /// The network; `None` for an evaluator.
    pub fn network(&self) -> Option<&Arc<Network>> {
        match self {
            Self::Network(network, _) => Some(network),
            Self::Evaluator(_) => None,
        }
    }

    /// The evaluator; `None` for a network.
    pub fn evaluator(&self) -> Option<&HostEvaluation> {
        match self {
            Self::Network(..) => None,
            Self::Evaluator(evaluation) => Some(evaluation),
        }
    }

    /// Its name, for reports.
    pub fn name(&self) -> &str {
        match self {
            Self::Network(network, _) => network.name(),
            Self::Evaluator(evaluation) => evaluation.evaluator.name(),
        }
    }

    /// Cells of its input: rows * columns.
    pub fn cells(&self) -> usize {
        match self {
            Self::Network(network, _) => network.sizes().cells() as usize,
            Self::Evaluator(evaluation) => evaluation.cells(),
        }
    }
}

/// An evaluator, and the sizes of its input and its output.
#[derive(Debug, Clone)]
pub struct HostEvaluation {
    /// The evaluator.
    pub evaluator: Arc<dyn Evaluator>,
    /// Planes, rows and columns.
    pub shape: [usize; 3],
    /// Actions of the game.
    pub actions: usize,
}

impl Debug for dyn Evaluator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Evaluator({})", self.name())
    }
}

/// Equal if the object and the sizes are the same.
impl PartialEq for HostEvaluation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.evaluator, &other.evaluator)
            && (self.shape, self.actions) == (other.shape, other.actions)
    }
}

impl HostEvaluation {
    fn cells(&self) -> usize {
        self.shape[1] * self.shape[2]
    }

    /// Evaluates the leaves marked for it: `leaf_planes` is `[leaf][cells + 1]`, the last word the mark; `outputs` is
    /// `[leaf][actions + 3]`.
    ///
    /// # Errors
    /// An error of the evaluator; an output that is not finite.
    pub fn evaluate(&self, leaf_planes: &[u32], outputs: &mut [i32]) -> Result<()> {
        let (words, logits) = (self.cells() + 1, self.actions + 3);
        let leaves = leaf_planes.chunks_exact(words).zip(outputs.chunks_exact_mut(logits));
        let (boards, outputs): (Vec<_>, Vec<_>) =
            leaves.filter_map(|(leaf, outputs)| Some((leaf.strip_suffix(&[1])?, outputs))).unzip();
        let count = boards.len();
        if count == 0 {
            return Ok(());
        }
        let bit = |cell: &u32, plane: usize| (cell >> plane & 1) as u8;
        let of_board = |board| {
            (0..self.shape[0]).flat_map(move |plane| <[u32]>::iter(board).map(move |cell| bit(cell, plane)))
        };
        let planes: Vec<u8> = boards.into_iter().flat_map(of_board).collect();
        // An output that the evaluator does not write stays NaN, which is an error.
        let (mut policy, mut value) = (vec![f32::NAN; count * self.actions], vec![f32::NAN; 3 * count]);
        let leaves = Leaves::new(&planes, self.shape, self.actions);
        let failed =
            |what: String| Error::evaluator(format!("the evaluator {}: {what}", self.evaluator.name()));
        self.evaluator
            .evaluate(leaves, &mut policy, &mut value)
            .map_err(|error| failed(error.to_string()))?;
        let heads = policy.chunks_exact(self.actions).zip(value.chunks_exact(3));
        for (leaf, ((policy, value), outputs)) in heads.zip(outputs).enumerate() {
            if let Some(at) = policy.iter().chain(value).position(|logit| !logit.is_finite()) {
                let output = match at.checked_sub(self.actions) {
                    None => format!("the logit of action {at}, {}", policy[at]),
                    Some(at) => format!("the logit of a {}, {}", ["win", "draw", "loss"][at], value[at]),
                };
                return Err(failed(format!("leaf {leaf} of {count} has {output}: give finite numbers")));
            }
            let (of_actions, of_outcomes) = outputs.split_at_mut(self.actions);
            round(policy, of_actions);
            round(value, of_outcomes);
        }
        Ok(())
    }
}

/// Rounds logits in nats to a network's unit, 1/256 of a bit. Only their differences count: the greatest one becomes a
/// network's greatest logit.
fn round(logits: &[f32], outputs: &mut [i32]) {
    let [least, most] = [i16::MIN, i16::MAX].map(f64::from);
    let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for (output, &logit) in outputs.iter_mut().zip(logits) {
        let less = (f64::from(logit) - f64::from(greatest)) * 256.0 / std::f64::consts::LN_2;
        *output = (most + less.round()).max(least) as i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logits_keep_their_differences() {
        let of = |logits: &[f32]| {
            let mut outputs = vec![0; logits.len()];
            round(logits, &mut outputs);
            outputs
        };
        assert_eq!(of(&[0.0, 2f32.ln(), -1e9]), [32_511, 32_767, -32_768]);
        assert_eq!(of(&[1e9, 1e9]), [32_767; 2]);
        // A network's own outputs do not change, except for an offset.
        let outputs: Vec<i32> = (-32_768..=32_767).step_by(77).chain([32_767]).collect();
        let logits: Vec<f32> = outputs
            .iter()
            .map(|&output| (f64::from(output) * std::f64::consts::LN_2 / 256.0) as f32)
            .collect();
        assert_eq!(of(&logits), outputs);
    }
}
