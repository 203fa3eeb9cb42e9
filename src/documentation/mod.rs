//! Manuals: the use, the results and the design of the crate.
//!
//! | page | subject |
//! | --- | --- |
//! | [`contests`] | players, default settings, matches, tournaments, front ends |
//! | [`own_game`] | a game of your own |
//! | [`networks`] | self-play and training data |
//! | [`own_network`] | from a file of rules to a trained network |
//! | [`clusters`] | many hosts, by MPI or as a job array |
//! | [`browser`] | the library and the page in a browser |
//! | [`portability`] | adapters, limits, memory, exactness |
//! | [`specification`] | the results of a search, to the last bit; departures from the original |
//! | [`architecture`] | design, layers, kernels, schedules |
//! | [`performance`] | bounds of the speed |
//! | [`glossary`] | terms |

#[doc = include_str!("specification.md")]
pub mod specification {}

#[doc = include_str!("architecture.md")]
pub mod architecture {}

#[doc = include_str!("performance.md")]
pub mod performance {}

#[doc = include_str!("portability.md")]
pub mod portability {}

#[doc = include_str!("glossary.md")]
pub mod glossary {}

#[doc = include_str!("browser.md")]
pub mod browser {}

#[doc = include_str!("contests.md")]
pub mod contests {}

#[doc = include_str!("networks.md")]
pub mod networks {}

#[doc = include_str!("own_network.md")]
pub mod own_network {}

#[doc = include_str!("clusters.md")]
pub mod clusters {}

#[doc = include_str!("../../games/README.md")]
pub mod own_game {}
