//! Exact game-tree search to a fixed depth: plain minimax, sequential principal-variation search, and PV-Split on
//! the device, after C. Johnson, L. Barford, S. M. Dascalu, F. C. Harris, "CUDA Implementation of Computer Go Game
//! Tree Search".
//!
//! All engines compute the same number: the minimax value of a position at a given depth, from the side to move.
//! A leaf is a finished game or a position `depth` plies down, whatever the line; nothing is extended or reduced.
//! What differs is how much of the tree each has to look at:
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
//! values all leaves under a node at a glance, they count as many as they are, or 1 where one of them cuts the node
//! off; moves that a glance shows to be no better are no nodes. Scores are the same in every run and on every adapter.
//! How many nodes the device looks at is not, since its workers find in the table what others have written by then; nor
//! is which of several best moves it finds.
//!
//! There are boards for [Go](GoBoard), [Othello](OthelloBoard) and [Connect 4](Connect4Board); each says what its
//! scores are. A search that has seen all lines end has solved the position, and goes no deeper:
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
