//! All tests from outside of the crate, as one program: a folder holds one subject. `cargo test --test it parity::`
//! runs those of one.

mod bench;
mod contest;
mod exact;
mod game_files;
mod house;
mod networks;
mod pages;
mod parity;
mod patterns;
mod policies;
mod program;
mod protocols;
mod pvsplit;
mod ranks;
mod rollout;
mod rules;
mod search;
mod selfplay;
mod shaders;
mod support;
mod verify;
mod web;
