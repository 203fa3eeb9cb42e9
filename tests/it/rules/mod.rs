//! The rules of the games: against independent programs and exact enumerations, and against their contract.

mod conformance;
mod connect4;
mod eyes;
mod go;
mod gomoku;
mod lists;
mod othello;
pub mod planes;
mod prior;
mod solved;
mod states;
mod superko;
mod texts;
mod urgency;
