//! Games with other programs by the Go Text Protocol and the Gomocup protocol, as server and as client.
//!
//! The servers [`GtpServer`] and [`GomocupServer`] answer a front end or a referee on two streams. The players
//! [`ExternalGtp`] and [`ExternalGomocup`] start a program and request its moves. Each request returns an answer or an
//! error within a time limit, and at once if a [`Stop`](crate::contest::Stop) is set. On systems with process groups,
//! the program's child processes end with it.
//!
//! ```
//! use mcts_wgpu::{Budget, Engine, Settings, games::Go};
//! use mcts_wgpu::protocols::{Brain, GtpServer};
//!
//! let settings = Settings { trees: Some(1), playouts: Some(4), ..Settings::default() };
//! let brain = Brain::new(Engine::cpu(), settings, Budget::steps(4));
//! let mut server = GtpServer::new(Go::new(5, 7.5)?, brain);
//! let mut answers = Vec::new();
//! let commands = "1 play b C3\n2 genmove w\n3 undo\nfinal_score\nquit\n";
//! server.serve(commands.as_bytes(), &mut answers).expect("a vector can be written");
//! let answers = String::from_utf8_lossy(&answers);
//! assert!(answers.starts_with("=1\n\n=2 ") && answers.ends_with("=3\n\n= B+17.5\n\n=\n\n"));
//! # Ok::<(), mcts_wgpu::Error>(())
//! ```

mod board;
mod brain;
mod clock;
mod gomocup;
mod group;
mod gtp;
mod lines;
mod process;

#[cfg(feature = "cli")]
pub(crate) use board::lead;
pub use brain::Brain;
pub use gomocup::{ExternalGomocup, GomocupServer};
pub use group::end_all;
pub use gtp::{ExternalGtp, GtpServer};
pub use process::{Patience, Program};
