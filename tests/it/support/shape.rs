//! The part of a shape that affects compilation.

use mcts_wgpu::{Config, DrawValue, Game, Variant, internals::forest::shape::Shape, search::shape_of};

/// The semantics of a search's trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Semantics {
    /// Of the original program.
    Original,
    /// Draws count half, nodes are proven, and trees are pruned.
    Stronger,
    /// The same without pruning.
    Whole,
    /// The stronger ones, with rapid action values if the game and the variant have them.
    Rapid,
}

impl Semantics {
    pub const BOTH: [Self; 2] = [Self::Stronger, Self::Original];

    pub fn of(self, shape: Shape) -> Shape {
        let config = shape.config;
        let stronger = Config { draw_value: DrawValue::Half, solver: true, pruning: true, ..config };
        shape.with(match self {
            Self::Original => Config { draw_value: DrawValue::None, solver: false, pruning: false, ..config },
            Self::Stronger => stronger,
            Self::Rapid => {
                let rave = if shape.first_words > 0 && !config.variant.all_children { 300 } else { 0 };
                Config { rave, ..stronger }
            }
            Self::Whole => Config { pruning: false, ..stronger },
        })
    }
}

/// One tree of one node, with the semantics of the original; the caller sets all that does not depend on the game.
pub fn shape<G: Game>(game: &G, variant: Variant, playouts: u32) -> Shape {
    let config = Config {
        variant,
        playouts,
        ucb_c: 0.0,
        draw_value: DrawValue::None,
        solver: false,
        ..Config::paper()
    };
    Shape { capacity: 1, ..shape_of(game, &config) }
}
