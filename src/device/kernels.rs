//! Pipelines by name: one module, many entry points, bindings found by the names of its variables.

use crate::{
    device::{
        Backend, Device,
        compose::{self, Binding, BindingKind, Composed, Source},
        poison::poisoned,
        trusted,
        watch::Guarded,
    },
    error::{Error, Result},
    host::together,
    rules::Origin,
};
use std::{
    collections::HashMap,
    num::{NonZeroU32, NonZeroU64},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Every kernel writes workgroup memory before it reads it. Clearing it first would cost time in each dispatch, and
/// drivers that are given the clearing as thousands of assignments (GL) minutes of compilation.
const OPTIONS: wgpu::PipelineCompilationOptions<'_> =
    wgpu::PipelineCompilationOptions { constants: &[], zero_initialize_workgroup_memory: false };

/// Modules whose kernels a device keeps. A program that needs more of them in turn compiles some of them again.
const MOST_MODULES: usize = 64;

/// The compiled entry points of a module.
#[derive(Debug)]
pub struct Kernels {
    by_name: ByName,
}

type ByName = HashMap<&'static str, Arc<Kernel>>;

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
    /// Its buffers, on a device that looks at the words behind them.
    _guarded: Option<Arc<Guarded>>,
}

impl Bound {
    /// Records a dispatch of so many workgroups in each dimension.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, [x, y, z]: [u32; 3]) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, z);
    }
}

/// What a device has compiled so far: a game's next search with the same sizes starts at once.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    /// By the text of the module, and whose it is taken for.
    modules: Mutex<HashMap<(String, Origin), ByName>>,
}

impl Compiled {
    fn of(&self, text: &str, origin: Origin) -> ByName {
        self.lock().get(&(text.to_owned(), origin)).cloned().unwrap_or_default()
    }

    fn keep(&self, text: &str, origin: Origin, kernels: &ByName) {
        let mut modules = self.lock();
        let key = (text.to_owned(), origin);
        if modules.len() >= MOST_MODULES && !modules.contains_key(&key) {
            modules.clear();
        }
        modules.entry(key).or_default().extend(kernels.iter().map(|(name, kernel)| (*name, kernel.clone())));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, Origin), ByName>> {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kernels {
    /// Compiles the entry points `names` of a module, side by side; those that the device has compiled before are
    /// taken as they are. Run-time checks are left out as far as the module is the crate's own.
    ///
    /// # Errors
    /// Shader, where one does not fit the adapter's limits or its driver refuses it.
    pub async fn compile(device: &Device, composed: &Composed, names: &[&'static str]) -> Result<Self> {
        let mistaken = mistaken(device, composed)?;
        let composed = mistaken.as_ref().unwrap_or(composed);
        let in_segments = in_segments(device, composed)?;
        let composed = in_segments.as_ref().unwrap_or(composed);
        let poisoned = with_poison(device, composed)?;
        Self::compile_as_is(device, poisoned.as_ref().unwrap_or(composed), names).await
    }

    async fn compile_as_is(device: &Device, composed: &Composed, names: &[&'static str]) -> Result<Self> {
        let origin = trusted::origin(device, composed);
        for name in names {
            check_limits(device, composed, name)?;
        }
        let mut by_name = device.compiled().of(composed.text(), origin);
        let missing: Vec<_> = names.iter().filter(|name| !by_name.contains_key(**name)).collect();
        if !missing.is_empty() {
            let module = watched(device, || trusted::shader_module(device, composed)).await?;
            let new = together(missing, async |&name| {
                let bindings = composed.bindings(name);
                let pipeline = watched(device, || pipeline(device, &module, name, &bindings)).await?;
                Ok((name, Arc::new(Kernel { pipeline, bindings })))
            });
            by_name.extend(new.await?);
            device.check()?;
            device.compiled().keep(composed.text(), origin, &by_name);
        }
        Ok(Self { by_name })
    }

    /// Is there such an entry point?
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Binds an entry point to the buffers of its variables' names.
    ///
    /// # Errors
    /// Shader, where a buffer is missing.
    pub fn bind(&self, device: &Device, name: &str, buffers: &impl Named) -> Result<Bound> {
        let missing = |what: &str| Error::shader(format!("kernel {name} has no {what}"));
        let kernel = self.by_name.get(name).ok_or_else(|| missing("pipeline"))?;
        let bound = kernel.bindings.iter().map(|b| {
            let parts = buffers.named(&b.name);
            let first = parts.first().ok_or_else(|| missing(&b.name))?;
            // An array has all its bindings, also where there are fewer buffers yet.
            let all = parts.iter().chain(std::iter::repeat(first)).take(b.count.unwrap_or(1) as usize);
            Ok(all.map(|buffer| binding(device, buffer)).collect::<Vec<_>>())
        });
        let bound = bound.collect::<Result<Vec<_>>>()?;
        let entries = kernel.bindings.iter().zip(&bound).map(|(b, buffers)| wgpu::BindGroupEntry {
            binding: b.binding,
            resource: match b.count {
                Some(_) => wgpu::BindingResource::BufferArray(buffers),
                None => wgpu::BindingResource::Buffer(buffers[0].clone()),
            },
        });
        let group = device.wgpu().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(name),
            layout: &kernel.pipeline.get_bind_group_layout(0),
            entries: &entries.collect::<Vec<_>>(),
        });
        let guarded = device.keep_guards(|| {
            let of = |name: &str| -> Guarded {
                buffers.named(name).iter().map(|buffer| (name.to_owned(), buffer.clone())).collect()
            };
            kernel.bindings.iter().flat_map(|b| of(&b.name)).collect()
        });
        Ok(Bound { pipeline: kernel.pipeline.clone(), group, _guarded: guarded })
    }
}

/// All of a buffer, without what is behind it.
fn binding<'a>(device: &Device, buffer: &'a wgpu::Buffer) -> wgpu::BufferBinding<'a> {
    wgpu::BufferBinding { buffer, offset: 0, size: NonZeroU64::new(device.room(buffer)) }
}

/// Buffers by the names of their variables.
pub trait Named {
    /// The buffer of a name, or those of its segments in their order; none where there is none.
    fn named(&self, name: &str) -> &[wgpu::Buffer];
}

impl Named for HashMap<&str, wgpu::Buffer> {
    fn named(&self, name: &str) -> &[wgpu::Buffer] {
        self.get(name).map_or(&[], std::slice::from_ref)
    }
}

/// The module as a device with a mistake reads it; none where there is no mistake, or it has nothing to mistake.
fn mistaken(device: &Device, composed: &Composed) -> Result<Option<Composed>> {
    let mistake = device.mistake().filter(|mistake| composed.text().contains(&mistake.from));
    let module = mistake.map(|mistake| {
        let text = composed.text().replace(&mistake.from, &mistake.to);
        compose::compose(&[Source::new("(a mistake)", text)])
    });
    module.transpose()
}

/// The module as a device that has its nodes in segments reads it; none where it has them in one, or the module none.
fn in_segments(device: &Device, composed: &Composed) -> Result<Option<Composed>> {
    let text = device.segments().and_then(|segments| segments.cut(composed.text()));
    text.map(|text| composed.changed("(in segments)", text)).transpose()
}

/// The module as a device that checks its memory reads it; none where it checks nothing, or there is nothing to fill.
fn with_poison(device: &Device, composed: &Composed) -> Result<Option<Composed>> {
    let text = device.checks().and_then(|_| poisoned(composed));
    text.map(|text| composed.changed("(with a pattern in its memory)", text)).transpose()
}

/// What `make` makes, unless the driver refuses it. wgpu gives every thread error scopes of its own.
async fn watched<T>(device: &Device, make: impl FnOnce() -> T) -> Result<T> {
    let scope = device.wgpu().push_error_scope(wgpu::ErrorFilter::Validation);
    let made = make();
    match scope.pop().await {
        Some(error) => Err(Error::shader(format!("{} refused a shader: {error}", device.info().name))),
        None => Ok(made),
    }
}

/// Through GL wgpu has one context for all threads, and panics where a thread has waited six seconds for it. Drivers in
/// software may take longer for one kernel, so threads wait for one another here.
static COMPILING_THROUGH_GL: Mutex<()> = Mutex::new(());

fn pipeline(
    device: &Device,
    module: &wgpu::ShaderModule,
    name: &str,
    bindings: &[Binding],
) -> wgpu::ComputePipeline {
    let is_gl = device.info().backend == Backend::Gl;
    let _turn = is_gl.then(|| COMPILING_THROUGH_GL.lock().unwrap_or_else(PoisonError::into_inner));
    // wgpu derives no layout for arrays of bindings.
    let layout = bindings.iter().any(|b| b.count.is_some()).then(|| layout(device, bindings));
    device.wgpu().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout: layout.as_ref(),
        module,
        entry_point: Some(name),
        compilation_options: OPTIONS,
        cache: None,
    })
}

fn layout(device: &Device, bindings: &[Binding]) -> wgpu::PipelineLayout {
    let entries = bindings.iter().map(|b| wgpu::BindGroupLayoutEntry {
        binding: b.binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match b.kind {
                BindingKind::Uniform => wgpu::BufferBindingType::Uniform,
                BindingKind::Read => wgpu::BufferBindingType::Storage { read_only: true },
                BindingKind::Write => wgpu::BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: b.count.and_then(NonZeroU32::new),
    });
    let group = device.wgpu().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries.collect::<Vec<_>>(),
    });
    device.wgpu().create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(&group)],
        ..Default::default()
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::{
            adapters::adapters,
            compose::{Source, compose},
        },
        games::Connect4,
        host::block_on,
        rules::GameShader,
    };

    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(1) fn one() { words[0] = 1u; }
        @compute @workgroup_size(1) fn two() { words[0] = 2u; }";

    #[test]
    fn a_device_compiles_a_kernel_once() {
        let adapter = adapters(None).into_iter().next().expect("an adapter");
        let device = adapter.open().expect("it opens");
        let composed = compose(&[Source::new("test.wgsl", TEXT)]).expect("it is valid");
        let compile =
            |composed, names: &[&'static str]| block_on(Kernels::compile(&device, composed, names)).unwrap();
        let first = compile(&composed, &["one"]);
        let both = compile(&composed, &["one", "two"]);
        assert!(Arc::ptr_eq(&first.by_name["one"], &both.by_name["one"]));
        assert!(!Arc::ptr_eq(&first.by_name["one"], &both.by_name["two"]));
        let own = Source::of(&GameShader::of(&Connect4::default()), "test.wgsl", TEXT);
        let trusted = compile(&compose(&[own]).expect("it is valid"), &["one"]);
        assert!(!Arc::ptr_eq(&first.by_name["one"], &trusted.by_name["one"]), "checks were left out");
        for number in 0..2 * MOST_MODULES {
            device.compiled().keep(&number.to_string(), Origin::Foreign, &both.by_name);
            assert!(device.compiled().lock().len() <= MOST_MODULES);
        }
    }
}
