//! Patterns: their codes, their tables, and their ratings learnt from game records.

mod codes;
mod fit;
mod learning;
mod records;
mod tables;
