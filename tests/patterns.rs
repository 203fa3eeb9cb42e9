//! Patterns: their codes, their tables and what game records teach about them.

#[path = "patterns/codes.rs"]
mod codes;
#[path = "patterns/tables.rs"]
mod tables;
