//! Exact game-tree search to a fixed depth: plain minimax, sequential principal-variation search, and PV-Split on
//! the device, after C. Johnson, L. Barford, S. M. Dascalu, F. C. Harris, "CUDA Implementation of Computer Go Game
//! Tree Search".
//!
//! All engines compute the same number: the minimax value of a position at a given depth, for the side to move. A leaf
//! is a finished game or a position `depth` plies down, in every line; nothing is extended or reduced. Engines differ
//! in the part of the tree that they search:
//!
//! ```text
//!  minimax      every node                                  the definition, for checking
//!  sequential   alpha-beta, one core                        iterative deepening, transposition table, null windows
//!  PvSplit      PV-Split: the left-most path, then the      the upper plies of the siblings become thousands of
//!               siblings of each of its nodes side by side  subtrees, taken from a queue by the device's workers,
//!                                                           which share a transposition table
//! ```
//!
//! A *node*, where nodes are counted, is a move made or a leaf evaluated; the root is not counted. Where the device
//! values all leaves under a node together, they count as many as they are, or 1 if one of them cuts the node off;
//! moves that need not be tried are no nodes. Scores are the same in every run and on every adapter. The number of the
//! device's nodes is not, since its workers share a table without order; nor is the choice among several best moves.
//!
//! There are boards for [Go](GoBoard), [Othello](OthelloBoard) and [Connect 4](Connect4Board), each with scores of its
//! own. A search in which all lines end has solved the position, and goes no deeper:
//!
//! ```
//! use mcts_wgpu::{Position, games::Connect4, pvsplit::{Board, Connect4Board, SplitLimit, sequential}};
//!
//! // Fourteen cells are empty, in the three columns on the right.
//! let moves = "3,3,3,3,3,3,2,2,2,2,2,2,4,4,4,4,4,4,0,1,1,1,1,1,1,0,0,0";
//! let moves: Vec<_> = moves.split(',').collect();
//! let position = Position::from_moves(&Connect4::default(), &moves)?;
//! let report = sequential(&Connect4Board::from_position(&position)?, SplitLimit::depth(42))?;
//! // X wins with its 15th disc, by playing in column 5 now.
//! assert_eq!((report.score(), report.best(), report.is_exact()), (22 - 15, Some(5), true));
//! # Ok::<(), mcts_wgpu::Error>(())
//! ```

#[cfg(not(target_arch = "wasm32"))]
mod blocking;
mod board;
mod connect4;
mod deepen;
mod go;
#[doc(hidden)]
pub mod layout;
mod minimax;
mod othello;
mod report;
mod sequential;
mod split;
mod table;
mod tree;
mod workers;

pub use board::{Board, BoardShader, DEVICE_PASS, DeviceBoard, INFINITY, Move};
pub use connect4::Connect4Board;
pub use go::GoBoard;
pub use minimax::{minimax, minimax_with};
pub use othello::OthelloBoard;
pub use report::{DepthReport, MAX_DEPTH, SplitLimit, SplitProgress, SplitReport, SplitSizes, WorkerReport};
pub use sequential::{sequential, sequential_with};
pub use split::PvSplit;
pub(crate) use workers::module;
