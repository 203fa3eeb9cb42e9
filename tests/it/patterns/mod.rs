//! Patterns: their codes, their tables, and what game records teach about them.

mod codes;
mod fit;
mod learning;
mod records;
mod tables;
