//! The part of a shape that kernels are compiled for.

use mcts_wgpu::{Config, Draws, Game, Variant, internals::forest::shape::Shape, search::shape_of};

/// What a search's trees mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Semantics {
    /// Of the original program.
    Original,
    /// Draws count half, nodes are proven, and trees leave out what needs no look.
    Stronger,
    /// The same, but that trees have all legal actions.
    Whole,
    /// The stronger ones, with rapid action values where the game and the variant have them.
    Rapid,
}

impl Semantics {
    pub const BOTH: [Self; 2] = [Self::Stronger, Self::Original];

    pub fn of(self, shape: Shape) -> Shape {
        match self {
            Self::Original => Shape { draws: Draws::None, proves: false, prunes: false, ..shape },
            Self::Stronger => Shape { draws: Draws::Half, proves: true, prunes: true, ..shape },
            Self::Rapid => {
                let rave = if shape.first_words > 0 && !shape.variant.all_children { 300 } else { 0 };
                Shape { rave, ..Self::Stronger.of(shape) }
            }
            Self::Whole => Shape { draws: Draws::Half, proves: true, prunes: false, ..shape },
        }
    }
}

/// One tree of one node, with the semantics of the original; whatever else does not come from the game is up to the
/// caller.
pub fn shape<G: Game>(game: &G, variant: Variant, playouts: u32) -> Shape {
    let config =
        Config { variant, playouts, ucb_c: 0.0, draws: Draws::None, proofs: false, ..Config::default() };
    Shape { capacity: 1, ..shape_of(game, &config) }
}
