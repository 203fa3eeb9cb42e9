//! A game of one's own as one WGSL file: a header, three functions, and optional ones.
//!
//! ```text
//! text --> header (TOML) --> parsed (by naga) --> contract (which functions there are) --> guard (loops end)
//!                                                                       |--> GameShader --> search, rollout
//!                                                                       \--> referee: legality, moves, outcomes,
//!                                                                            drawing, on a device
//! ```
//!
//! The format, and how to write such a file: [`documentation::own_game`](crate::documentation::own_game).

mod contract;
mod file;
mod guard;
mod header;
mod limits;
mod loops;
mod parsed;
mod referee;
mod signs;
mod taken;
mod text;
mod tokens;
mod words;

pub use file::{GameFile, GameFilePlayout};
pub(crate) use referee::{Expansion, PlayoutView};
