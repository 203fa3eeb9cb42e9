//! Whole trees from a device to the host and back.

use mcts_wgpu::internals::{gpu, reference};
use pollster::block_on;

const LOST: &str = "the device goes on";

pub fn download(device: &gpu::forest::Forest) -> reference::Forest {
    let mut host = reference::Forest::new(device.shape.clone()).expect("the host has room");
    macro_rules! read {
        ($($name:ident)*) => {
            $(host.$name = block_on(device.read(stringify!($name), host.$name.len())).expect(LOST);)*
        };
    }
    read!(roots trees paths stats links states streams tallies firsts leaf_planes outputs jobs);
    host
}

/// Overwrites all buffers with a forest of the same shape.
pub fn upload(device: &gpu::forest::Forest, host: &reference::Forest) {
    macro_rules! write {
        ($($name:ident)*) => { $(device.write(stringify!($name), &host.$name);)* };
    }
    write!(roots trees paths stats links states streams tallies firsts leaf_planes outputs jobs);
}
