//! Pipelines by name: one module, many entry points, bindings found by the names of its variables.

use crate::{
    error::{Error, Result},
    gpu::{
        Device,
        compose::{Binding, Composed},
    },
};
use std::collections::HashMap;

/// Every kernel writes workgroup memory before it reads it. Clearing it first would cost time in each dispatch, and
/// drivers that are given the clearing as thousands of assignments (GL) minutes of compilation.
const OPTIONS: wgpu::PipelineCompilationOptions<'_> =
    wgpu::PipelineCompilationOptions { constants: &[], zero_initialize_workgroup_memory: false };

/// The compiled entry points of a module.
#[derive(Debug)]
pub struct Kernels {
    by_name: HashMap<&'static str, Kernel>,
}

#[derive(Debug)]
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    bindings: Vec<Binding>,
}

/// An entry point with its buffers, ready to be dispatched.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The pipeline.
    pub pipeline: wgpu::ComputePipeline,
    /// Its bind group.
    pub group: wgpu::BindGroup,
}

impl Kernels {
    /// Compiles the entry points `names` of a module.
    ///
    /// # Errors
    /// Shader, where one does not fit the adapter's limits or its driver refuses it.
    pub fn compile(device: &Device, composed: &Composed, names: &[&'static str]) -> Result<Self> {
        for name in names {
            check_limits(device, composed, name)?;
        }
        let scope = device.wgpu().push_error_scope(wgpu::ErrorFilter::Validation);
        let module = device.wgpu().create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("mcts-wgpu"),
            source: wgpu::ShaderSource::Wgsl(composed.text.as_str().into()),
        });
        let by_name = names
            .iter()
            .map(|&name| {
                let pipeline = device.wgpu().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(name),
                    layout: None,
                    module: &module,
                    entry_point: Some(name),
                    compilation_options: OPTIONS,
                    cache: None,
                });
                (name, Kernel { pipeline, bindings: composed.bindings(name) })
            })
            .collect();
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(Error::shader(format!("{} refused a shader: {error}", device.info().name))),
            None => device.check().map(|()| Self { by_name }),
        }
    }

    /// Binds an entry point to the buffers of its variables' names.
    ///
    /// # Errors
    /// Shader, where a buffer is missing.
    pub fn bind(&self, device: &Device, name: &str, buffers: &HashMap<&str, wgpu::Buffer>) -> Result<Bound> {
        let missing = |what: &str| Error::shader(format!("kernel {name} has no {what}"));
        let kernel = self.by_name.get(name).ok_or_else(|| missing("pipeline"))?;
        let entries = kernel
            .bindings
            .iter()
            .map(|b| {
                let buffer = buffers.get(b.name.as_str()).ok_or_else(|| missing(&b.name))?;
                Ok(wgpu::BindGroupEntry { binding: b.binding, resource: buffer.as_entire_binding() })
            })
            .collect::<Result<Vec<_>>>()?;
        let group = device.wgpu().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(name),
            layout: &kernel.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Ok(Bound { pipeline: kernel.pipeline.clone(), group })
    }
}

/// wgpu does not hold workgroup memory against the adapter's limit on every backend.
fn check_limits(device: &Device, composed: &Composed, name: &str) -> Result<()> {
    let (lanes, bytes) = composed.workgroup(name);
    let limits = device.limits();
    let buffers = composed.bindings(name).len() as u32;
    let checks = [
        ("invocations", lanes, limits.max_compute_invocations_per_workgroup),
        ("bytes of workgroup memory", bytes, limits.max_compute_workgroup_storage_size),
        ("buffers", buffers, limits.max_storage_buffers_per_shader_stage + 1),
    ];
    for (what, needed, limit) in checks {
        if needed > limit {
            return Err(Error::shader(format!(
                "kernel {name} needs {needed} {what}, and {} has {limit}",
                device.info().name
            )));
        }
    }
    Ok(())
}
