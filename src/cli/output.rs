//! Standard output for results, standard error for everything else; neither panics where nobody reads it.

use super::failure::{Failure, Result};
use serde::Serialize;
use std::io::{Write, stderr, stdout};

/// Writes a result to standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}

/// Writes a result to standard output as one JSON document.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::message)?;
    print(&(text + "\n"))
}

/// Writes a line to standard error. Where that is closed there is nobody to tell.
pub fn notice(line: &str) {
    writeln!(stderr(), "{line}").ok();
}
