//! The Go Text Protocol, version 2 (<https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html>).

mod analysis;
mod client;
mod command;
mod queries;
#[cfg(feature = "patterns")]
mod records;
mod server;
mod setup;
mod watch;

pub use client::ExternalGtp;
pub use server::GtpServer;
