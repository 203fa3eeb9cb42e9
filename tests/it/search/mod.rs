//! Searches: budgets, batches, reuse, several devices and lost ones; games and positions that do not keep the contract
//! end with an error in the same words on every engine, and never with a wrong result.

mod budgets;
mod choices;
mod devices;
mod games;
mod growth;
mod in_async;
mod knowledge;
mod loops;
mod positions;
mod proofs;
mod pruning;
mod reuse;
mod room;
mod runs;
mod searches;
mod superko;
mod tactics;
