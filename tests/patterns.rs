//! Patterns: their codes, their tables, and what game records teach about them.

#[path = "patterns/codes.rs"]
mod codes;
#[path = "patterns/fit.rs"]
mod fit;
#[path = "patterns/learning.rs"]
mod learning;
#[path = "patterns/records.rs"]
mod records;
#[path = "patterns/tables.rs"]
mod tables;
