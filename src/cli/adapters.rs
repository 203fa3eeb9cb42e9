//! `mcts-wgpu adapters`: adapters for searches.

use super::{
    failure::Result,
    options::a_backend,
    output::{notice, print_result},
    wayland::without_wayland_error,
};
use crate::engine::{AdapterInfo, AdapterLimits, Backend, adapters, driver_text};
use clap::Args;
use std::fmt::Write;

/// List the adapters for searches, with the limits that matter
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only adapters of this backend: vulkan, metal, dx12 or gl
    #[arg(long, value_parser = a_backend)]
    backend: Option<Backend>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let found = without_wayland_error(|| adapters(arguments.backend));
    let infos: Vec<_> = found.iter().map(|adapter| adapter.info()).collect();
    if infos.is_empty() {
        notice("notice: no usable GPU adapter found: searches run on the CPU engine");
    }
    print_result(arguments.json, &infos, || table(&infos))
}

fn table(infos: &[&AdapterInfo]) -> String {
    let mut text = String::new();
    for info in infos {
        writeln!(text, "{}: {}", info.index, info.name).ok();
        writeln!(text, "   {}, {}, {}", info.kind, info.backend.name(), driver_text(&info.driver)).ok();
        if let Some(compiler) = info.compiler {
            writeln!(text, "   shaders compiled by: {compiler}").ok();
        }
        write_limits(&mut text, &info.limits).ok();
    }
    text
}

fn write_limits(text: &mut String, limits: &AdapterLimits) -> std::fmt::Result {
    writeln!(
        text,
        "   workgroups of {} invocations with {} KiB; {} storage buffers of {} MiB; subgroups of {} to {}",
        limits.max_invocations,
        limits.max_workgroup_bytes >> 10,
        limits.max_storage_buffers,
        limits.max_binding_bytes >> 20,
        limits.subgroup_lanes.0,
        limits.subgroup_lanes.1,
    )?;
    let used = limits.features();
    writeln!(text, "   features: {}", if used.is_empty() { "none".into() } else { used.join(", ") })
}
