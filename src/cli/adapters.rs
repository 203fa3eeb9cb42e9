//! `mcts-wgpu adapters`: what a search can run on.

use super::{
    failure::Result,
    output::{notice, print, print_json},
    wayland::without_complaint,
};
use clap::Args;
use mcts_wgpu::gpu::{AdapterInfo, Backend, adapters};
use std::fmt::Write;

/// List the adapters that a search can run on, with the limits that matter
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only adapters reached through vulkan, metal, dx12 or gl
    #[arg(long)]
    backend: Option<Backend>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists them.
pub fn run(arguments: &Arguments) -> Result<()> {
    let found = without_complaint(|| adapters(arguments.backend));
    let infos: Vec<_> = found.iter().map(|adapter| adapter.info()).collect();
    if infos.is_empty() {
        notice("notice: no usable GPU adapter found: searches run on the CPU engine");
    }
    if arguments.json { print_json(&infos) } else { print(&table(&infos)) }
}

fn table(infos: &[&AdapterInfo]) -> String {
    let mut text = String::new();
    for info in infos {
        writeln!(text, "{}: {}", info.index, info.name).ok();
        writeln!(text, "   {}, {}, {}", info.r#type, info.backend.name(), driver(info)).ok();
        writeln!(
            text,
            "   workgroups of {} invocations with {} KiB; {} storage buffers of {} MiB; subgroups of {} to {}; \
             time stamps: {}",
            info.max_invocations,
            info.max_workgroup_bytes >> 10,
            info.max_storage_buffers,
            info.max_binding_bytes >> 20,
            info.subgroup_lanes.0,
            info.subgroup_lanes.1,
            if info.timestamps { "yes" } else { "no" },
        )
        .ok();
    }
    text
}

fn driver(info: &AdapterInfo) -> &str {
    if info.driver.is_empty() { "driver not told" } else { &info.driver }
}
