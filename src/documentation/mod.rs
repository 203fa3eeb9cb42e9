//! What the crate computes, how it is built, how fast it is and where it runs: pages of documentation without code.
//!
//! | page | answers |
//! | --- | --- |
//! | [`specification`] | What does a search compute, to the last bit, and where does it depart from the original? |
//! | [`architecture`] | How are the crate and its shaders built, and what runs on a device when? |
//! | [`performance`] | What bounds each kernel, and what was tried? |
//! | [`portability`] | Which adapters does it run on, within which limits, and why are the results the same? |
//! | [`glossary`] | What do the words mean? |
//! | [`own_game`] | How does one write a game of one's own? |
//! | [`networks`] | How are networks trained for a game? |
//! | [`clusters`] | How does one work run on many hosts, by MPI or as a job array, and what does it gain? |
//! | [`browser`] | How does the library run in a browser, and how is the page built that plays there? |
//! | [`contests`] | Who plays whom, what do scores say, and how do front ends reach the program? |

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

#[doc = include_str!("clusters.md")]
pub mod clusters {}

#[doc = include_str!("../../games/README.md")]
pub mod own_game {}
