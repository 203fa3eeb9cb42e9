//! The contract of a game: what does not keep it ends with an error in the same words on every engine, and never with a
//! wrong result.

#[path = "support/adapters.rs"]
mod adapters;
#[path = "contract/games.rs"]
mod games;
#[path = "contract/loops.rs"]
mod loops;
#[path = "contract/own.rs"]
mod own;
#[path = "contract/positions.rs"]
mod positions;
#[path = "contract/states.rs"]
mod states;

use adapters::each_adapter;
use mcts_wgpu::{Engine, gpu::adapters::Adapter};

/// Calls `check` with the CPU engine and with every adapter of this machine.
fn each_engine(check: impl Fn(&Engine) + Sync) {
    check(&Engine::cpu());
    each_adapter(|adapter| check(&opened(adapter)));
}

fn opened(adapter: &Adapter) -> Engine {
    Engine::devices_of(vec![adapter.open().expect("the adapter opens")])
}
