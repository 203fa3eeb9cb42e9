//! The rules of the games: against independent programs and exact enumerations, and against their contract.

mod conformance;
mod connect4;
mod eyes;
mod foresight;
mod go;
mod go_play;
mod gomoku;
mod lists;
mod othello;
mod prior;
mod states;
mod superko;
mod texts;
mod worth;
