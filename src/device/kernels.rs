//! Kernels by name: one module, many entry points, with bindings found by the names of the variables.

use crate::{
    device::{
        Backend, Device,
        compose::{self, Binding, BindingKind, Composed, Source},
        poison::poisoned,
        trusted,
        watch::Guarded,
    },
    error::{Error, Result},
    host::{locked, together},
    rules::Origin,
};
use std::{
    collections::HashMap,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    num::{NonZeroU32, NonZeroU64},
    sync::{Arc, Mutex},
    thread,
};

/// Workgroup memory is not cleared: every kernel writes it before it reads it. Clearing takes time in each dispatch,
/// and through GL, where it becomes thousands of assignments, minutes of compilation.
const OPTIONS: wgpu::PipelineCompilationOptions<'_> =
    wgpu::PipelineCompilationOptions { constants: &[], zero_initialize_workgroup_memory: false };

/// Modules whose kernels a device keeps, the most recently used ones: a program with more modules in turn compiles some
/// of them again. Machine code of a software adapter's kernels takes 20 to 60 MB a module.
const MOST_MODULES: usize = 64;
const MOST_MODULES_OF_SOFTWARE: usize = 8;

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
    /// Its buffers, on a device that checks their guards.
    _guarded: Option<Arc<Guarded>>,
}

impl Bound {
    /// Records a dispatch of this many workgroups in each dimension.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, [x, y, z]: [u32; 3]) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, z);
    }
}

/// Kernels that a device has compiled: a game's next search with the same sizes starts at once.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    /// The most recently used module is the last one.
    modules: Mutex<Vec<(Key, ByName)>>,
}

/// The text of a module, and its origin.
type Key = (String, Origin);

impl Compiled {
    fn of(&self, text: &str, origin: Origin) -> ByName {
        let mut modules = locked(&self.modules);
        let found = modules.iter().position(|((of, by), _)| of == text && *by == origin);
        let Some(place) = found else { return ByName::new() };
        modules[place..].rotate_left(1);
        modules.last().map(|(_, kernels)| kernels.clone()).unwrap_or_default()
    }

    fn keep(&self, text: &str, origin: Origin, kernels: &ByName, most: usize) {
        // Another thread may have compiled kernels of the same module meanwhile.
        let mut all = self.of(text, origin);
        all.extend(kernels.iter().map(|(name, kernel)| (*name, kernel.clone())));
        let mut modules = locked(&self.modules);
        modules.retain(|((of, by), _)| of != text || *by != origin);
        modules.push(((text.to_owned(), origin), all));
        let too_many = modules.len().saturating_sub(most);
        modules.drain(..too_many);
    }

    /// Drops all kernels.
    pub fn clear(&self) {
        locked(&self.modules).clear();
    }
}

fn most_modules(device: &Device) -> usize {
    if device.info().is_software() { MOST_MODULES_OF_SOFTWARE } else { MOST_MODULES }
}

impl Kernels {
    /// Compiles the entry points `names` of a module, side by side, except those that the device has compiled before.
    /// Run-time checks are left out according to the module's origin.
    ///
    /// # Errors
    /// Shader, if a kernel exceeds the adapter's limits; refused, if the driver refuses it. The device may then be
    /// lost: [`Device::live`] opens another one.
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
            let hash = |name: &str| {
                BuildHasherDefault::<DefaultHasher>::default().hash_one((composed.text(), origin, name))
            };
            if let Some(name) = missing.iter().find(|name| device.has_refused(hash(name))) {
                return Err(refused(device, name, "as it did before"));
            }
            let module = watched(device, "a module", || trusted::shader_module(device, composed)).await?;
            let new = together(missing, async |&name| {
                let bindings = composed.bindings(name);
                let make = || match device.refuses(name, composed.text()) {
                    true => None,
                    false => Some(pipeline(device, &module, name, &bindings)),
                };
                let made = watched(device, name, make).await;
                let made = made.and_then(|made| made.ok_or_else(|| refused(device, name, "in a test")));
                if made.as_ref().is_err_and(Error::is_refused) {
                    device.note_refused(hash(name));
                }
                Ok((name, Arc::new(Kernel { pipeline: made?, bindings })))
            });
            by_name.extend(new.await?);
            device.check()?;
            device.compiled().keep(composed.text(), origin, &by_name, most_modules(device));
        }
        Ok(Self { by_name })
    }

    /// Whether there is such an entry point.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Binds an entry point to the buffers with the names of its variables.
    ///
    /// # Errors
    /// Shader, if a buffer is missing.
    pub fn bind(&self, device: &Device, name: &str, buffers: &impl Named) -> Result<Bound> {
        let missing = |what: &str| Error::shader(format!("kernel {name} has no {what}"));
        let kernel = self.by_name.get(name).ok_or_else(|| missing("pipeline"))?;
        let bound = kernel.bindings.iter().map(|b| {
            let parts = buffers.named(&b.name);
            let first = parts.first().ok_or_else(|| missing(&b.name))?;
            // An array has all its bindings, even if there are fewer buffers yet.
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

/// The binding of a whole buffer, without its guard.
fn binding<'a>(device: &Device, buffer: &'a wgpu::Buffer) -> wgpu::BufferBinding<'a> {
    wgpu::BufferBinding { buffer, offset: 0, size: NonZeroU64::new(device.room(buffer)) }
}

/// Buffers by the names of their variables.
pub trait Named {
    /// The buffer with a name, or its segments in order; empty if there is none.
    fn named(&self, name: &str) -> &[wgpu::Buffer];
}

impl Named for HashMap<&str, wgpu::Buffer> {
    fn named(&self, name: &str) -> &[wgpu::Buffer] {
        self.get(name).map_or(&[], std::slice::from_ref)
    }
}

/// The module with a device's planted mistake; `None` without a mistake, or if the module lacks its text.
fn mistaken(device: &Device, composed: &Composed) -> Result<Option<Composed>> {
    let mistake = device.mistake().filter(|mistake| composed.text().contains(&mistake.from));
    let module = mistake.map(|mistake| {
        let text = composed.text().replace(&mistake.from, &mistake.to);
        compose::compose(&[Source::new("(a mistake)", text)])
    });
    module.transpose()
}

/// The module with its nodes in segments; `None` if the device has them in one binding, or the module has no nodes.
fn in_segments(device: &Device, composed: &Composed) -> Result<Option<Composed>> {
    let text = device.segments().and_then(|segments| segments.cut(composed.text()));
    text.map(|text| composed.changed("(in segments)", text)).transpose()
}

/// The module with filled workgroup memory; `None` on a device without checks, or if there is nothing to fill.
fn with_poison(device: &Device, composed: &Composed) -> Result<Option<Composed>> {
    let text = device.checks().and_then(|_| poisoned(composed));
    text.map(|text| composed.changed("(with a pattern in its memory)", text)).transpose()
}

/// Calls `make`, and returns an error if the driver refuses. wgpu has error scopes for every thread. Through Vulkan a
/// refusal has no error: wgpu reports the device as lost, on the thread of the call (wgpu 30).
async fn watched<T>(device: &Device, what: &str, make: impl FnOnce() -> T) -> Result<T> {
    use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
    let lost = || Error::device_lost(format!("{} was lost with another kernel", device.info().name));
    if device.lost_on().is_some() {
        return Err(lost());
    }
    let scopes = [Internal, OutOfMemory, Validation].map(|filter| device.wgpu().push_error_scope(filter));
    let made = make();
    let lost_on = device.lost_on();
    let mut error = None;
    for scope in scopes.into_iter().rev().map(wgpu::ErrorScopeGuard::pop).collect::<Vec<_>>() {
        error = error.or(scope.await);
    }
    match (error, lost_on) {
        (_, Some(thread)) if thread == thread::current().id() => {
            let refused = refused(device, what, "and lost the device");
            device.was_lost_with(&refused);
            Err(refused)
        }
        (_, Some(_)) => Err(lost()),
        (Some(error), None) => {
            let message = error.to_string();
            Err(refused(device, what, &message.split_whitespace().collect::<Vec<_>>().join(" ")))
        }
        (None, None) => Ok(made),
    }
}

fn refused(device: &Device, what: &str, how: &str) -> Error {
    Error::refused(format!("{} refused to compile {what} ({how})", device.info().name))
}

/// Held during compilation through GL. There wgpu has one context for all threads, and panics if a thread waits for it
/// for six seconds, but software drivers may take longer for one kernel.
static COMPILING_THROUGH_GL: Mutex<()> = Mutex::new(());

fn pipeline(
    device: &Device,
    module: &wgpu::ShaderModule,
    name: &str,
    bindings: &[Binding],
) -> wgpu::ComputePipeline {
    let is_gl = device.info().backend == Backend::Gl;
    let _turn = is_gl.then(|| locked(&COMPILING_THROUGH_GL));
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

/// wgpu does not check workgroup memory against the adapter's limit on every backend.
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
    }

    /// For any number of modules, a device keeps few of them: the most recently used ones.
    #[test]
    fn a_device_keeps_the_modules_that_are_in_use() {
        let compiled = Compiled::default();
        let text = |number: usize| format!("module {number}");
        for number in 0..3 * MOST_MODULES_OF_SOFTWARE {
            compiled.of(&text(0), Origin::Foreign);
            for _ in 0..2 {
                let (text, kernels) = (text(number), ByName::new());
                compiled.keep(&text, Origin::Foreign, &kernels, MOST_MODULES_OF_SOFTWARE);
            }
            let held: Vec<_> = locked(&compiled.modules).iter().map(|((text, _), _)| text.clone()).collect();
            assert_eq!(held.len(), (number + 1).min(MOST_MODULES_OF_SOFTWARE), "{held:?}");
            assert!(held.contains(&text(0)) && held.contains(&text(number)), "{held:?}");
        }
    }

    /// Mesa links no uniform block of more than 64 KiB. wgpu does not check this limit, and reports the failure as it
    /// reports failures of the compilers of Metal and Direct3D 12: by another kind of error than for an invalid module.
    #[test]
    fn what_a_driver_really_refuses_is_no_loss() {
        let text = format!(
            "@group(0) @binding(1) var<uniform> table: array<vec4<u32>, 65536>; {TEXT} \
             @compute @workgroup_size(1) fn large() {{ words[0] = table[words[1]].x; }}"
        );
        let composed = compose(&[Source::new("test.wgsl", text)]).expect("it is valid");
        for adapter in adapters(Some(Backend::Gl)) {
            let device = adapter.open().expect("it opens");
            let compile = |name| block_on(Kernels::compile(&device, &composed, &[name])).map(drop);
            let large = compile("large");
            assert!(large.is_err() || !adapter.info().is_software(), "{:?}", adapter.info());
            if let Err(error) = large {
                assert!(
                    error.is_refused() && error.to_string().contains("refused to compile large"),
                    "{error}"
                );
            }
            assert_eq!((device.check(), device.lost_on()), (Ok(()), None));
            compile("one").expect("the device goes on");
        }
    }

    #[test]
    fn a_kernel_that_is_refused_is_an_error_of_its_own_and_not_asked_for_again() {
        let adapter = adapters(None).into_iter().next().expect("an adapter");
        let composed = compose(&[Source::new("test.wgsl", TEXT)]).expect("it is valid");
        let compile = |device: &Device, names: &[&'static str]| {
            block_on(Kernels::compile(device, &composed, names)).map(drop)
        };
        for loses in [false, true] {
            let device = adapter.open().expect("it opens").refusing(&["two"], loses);
            compile(&device, &["one"]).expect("it is not refused");
            let error = compile(&device, &["two"]).expect_err("it is refused");
            assert!(error.is_refused() && error.to_string().contains("refused to compile two"), "{error}");
            assert_eq!(device.lost_on().is_some(), loses);
            let next = block_on(device.live()).expect("it opens");
            assert_eq!(next.lost_on(), None);
            let error = compile(&next, &["two"]).expect_err("it is refused");
            assert!(error.to_string().contains("as it did before"), "{error}");
            assert_eq!(next.lost_on(), None, "it was asked again");
        }
    }
}
