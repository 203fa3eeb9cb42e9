//! Adapters: the list of usable ones, and the choice by a request.

#[cfg(not(target_arch = "wasm32"))]
pub use blocking::{adapters, find, find_all};

use crate::{
    device::{
        Device,
        features::{self, ARRAYS, MATRICES},
    },
    error::{Error, Result},
    host::locked,
    names::named,
};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

#[cfg(not(target_arch = "wasm32"))]
mod blocking;

named! {
    /// The interface an adapter is reached through.
    #[non_exhaustive]
    pub enum Backend: "backend" {
        /// Vulkan.
        Vulkan = "vulkan",
        /// Metal.
        Metal = "metal",
        /// Direct3D 12.
        Dx12 = "dx12",
        /// OpenGL and OpenGL ES.
        Gl = "gl",
        /// WebGPU of a browser.
        WebGpu = "webgpu",
        /// None: the CPU engine.
        Cpu = "cpu",
    }
}

impl Backend {
    /// The backends in a list with wgpu's names (`vk`, `dx12,gl`), as in WGPU_BACKEND.
    #[cfg(feature = "cli")]
    pub(crate) fn named_for_wgpu(names: &str) -> Vec<Self> {
        let named = wgpu::Backends::from_comma_list(names);
        let of_programs = [Self::Vulkan, Self::Metal, Self::Dx12, Self::Gl];
        of_programs.into_iter().filter(|&backend| named.contains(stages(Some(backend))[0])).collect()
    }

    fn of(backend: wgpu::Backend) -> Option<Self> {
        match backend {
            wgpu::Backend::Vulkan => Some(Backend::Vulkan),
            wgpu::Backend::Metal => Some(Backend::Metal),
            wgpu::Backend::Dx12 => Some(Backend::Dx12),
            wgpu::Backend::Gl => Some(Backend::Gl),
            wgpu::Backend::BrowserWebGpu => Some(Backend::WebGpu),
            _ => None,
        }
    }
}

named! {
    /// The kind of an adapter, the fastest first.
    #[non_exhaustive]
    pub enum AdapterKind: "kind of adapter" {
        /// A graphics card.
        Discrete = "discrete",
        /// A GPU that shares the processor's memory.
        Integrated = "integrated",
        /// A part of a GPU, or one of another machine.
        Virtual = "virtual",
        /// Any other kind.
        Other = "other",
        /// A driver that computes on the processor.
        Software = "software",
        /// The CPU engine.
        Cpu = "cpu",
    }
}

named! {
    /// The translation of WGSL to a driver's language, and the compiler that follows.
    #[non_exhaustive]
    pub enum ShaderCompiler: "shader compiler" {
        /// naga writes SPIR-V, which the Vulkan driver compiles.
        SpirV = "naga, SPIR-V",
        /// naga writes MSL, for Apple's compiler.
        Msl = "naga, MSL",
        /// naga writes HLSL, for Microsoft's newer compiler: its `dxcompiler.dll` was found, or it is built in (feature
        /// `static-dxc`).
        Dxc = "naga, HLSL, DXC",
        /// naga writes HLSL, for Microsoft's older compiler, a part of Windows. It is slow, and has no subgroup
        /// operations.
        Fxc = "naga, HLSL, FXC",
        /// naga writes GLSL, which the OpenGL driver compiles.
        Glsl = "naga, GLSL",
        /// The browser's.
        Browser = "the browser's",
    }
}

impl ShaderCompiler {
    /// The compiler of an adapter with these features. wgpu uses DXC for Direct3D 12 where it finds it, else FXC, and
    /// does not report which; features of shader model 6, such as these, are available with DXC alone (wgpu 30).
    fn of(backend: Backend, features: wgpu::Features) -> Self {
        match backend {
            Backend::Metal => Self::Msl,
            Backend::Dx12 if features.intersects(wgpu::Features::SUBGROUP | wgpu::Features::SHADER_INT64) => {
                Self::Dxc
            }
            Backend::Dx12 => Self::Fxc,
            Backend::Gl => Self::Glsl,
            Backend::WebGpu => Self::Browser,
            Backend::Vulkan | Backend::Cpu => Self::SpirV,
        }
    }
}

/// An adapter and those of its limits that searches depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdapterInfo {
    /// Its index in the list.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The interface.
    pub backend: Backend,
    /// Driver and version.
    pub driver: String,
    /// The compiler of its shaders; `None` in the output of earlier versions.
    #[serde(default)]
    pub compiler: Option<ShaderCompiler>,
    /// Its kind; `type` in JSON.
    #[serde(rename = "type")]
    pub kind: AdapterKind,
    /// Its limits; in JSON their fields are beside the others.
    #[serde(flatten)]
    pub limits: AdapterLimits,
}

impl AdapterInfo {
    /// Whether the driver computes on the processor.
    pub fn is_software(&self) -> bool {
        self.kind == AdapterKind::Software
    }
}

/// Limits of an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdapterLimits {
    /// Greatest number of invocations of a workgroup.
    pub max_invocations: u32,
    /// Bytes of workgroup memory.
    pub max_workgroup_bytes: u32,
    /// Bytes of a storage buffer binding.
    pub max_binding_bytes: u64,
    /// Bytes of a buffer.
    pub max_buffer_bytes: u64,
    /// Storage buffers that a stage can bind.
    pub max_storage_buffers: u32,
    /// Smallest and greatest number of lanes of a subgroup.
    pub subgroup_lanes: (u32, u32),
    /// Device time stamps are available.
    pub timestamps: bool,
    /// Workgroups of a dispatch in each dimension; 0 in the output of earlier versions.
    #[serde(default)]
    pub max_workgroups: u32,
    /// Storage buffers in arrays of bindings, by which one dispatch accesses many buffers; 0 without such arrays.
    #[serde(default)]
    pub array_bindings: u32,
    /// Kernels may use subgroup operations.
    #[serde(default)]
    pub subgroups: bool,
    /// Networks may be evaluated by cooperative matrices (tensor cores).
    #[serde(default)]
    pub matrices: bool,
}

impl AdapterLimits {
    /// The features that the kernels use, by name.
    #[doc(hidden)]
    pub fn features(&self) -> Vec<&'static str> {
        let all = [
            ("subgroup operations", self.subgroups),
            ("arrays of bindings", self.array_bindings > 0),
            ("cooperative matrices", self.matrices),
            ("time stamps", self.timestamps),
        ];
        all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }
}

/// An adapter that can be opened.
#[derive(Debug, Clone)]
pub struct Adapter {
    adapter: wgpu::Adapter,
    info: AdapterInfo,
}

impl Adapter {
    /// Its name, kind and limits.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// [`open`](Self::open) for async programs.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    pub async fn open_async(&self) -> Result<Device> {
        Device::open(&self.adapter, &self.info, self.adapter.limits()).await
    }

    /// Whether the adapter is hardware.
    pub fn is_gpu(&self) -> bool {
        !self.info.is_software()
    }

    /// Its rank: the least is the best.
    fn place(&self) -> (AdapterKind, Backend) {
        (self.info.kind, self.info.backend)
    }
}

/// [`adapters`] for async programs.
pub async fn adapters_async(backend: Option<Backend>) -> Vec<Adapter> {
    let mut found = Vec::new();
    for &backends in stages(backend) {
        found = extended(found, backends).await;
    }
    found
}

async fn find_all_async(request: &str, backend: Option<Backend>) -> Result<Vec<Adapter>> {
    let parts: Vec<_> = request.split(',').map(str::trim).collect();
    if let ([_, _, ..], Some(odd)) =
        (&parts[..], parts.iter().find(|part| ["", "auto", "all", "cpu"].contains(part)))
    {
        return Err(Error::invalid(format!(
            "'{odd}' in the list of adapters '{request}': separate indices and parts of names by commas, such as 0,1"
        )));
    }
    if request == "all" {
        let best = |found: &[Adapter]| Some(all_of_the_best(found)).filter(|best| !best.is_empty());
        return look_for(request, backend, best).await;
    }
    // A name can contain commas.
    look_for(request, backend, |found| match pick(found, request) {
        Some(one) => Some(vec![one.clone()]),
        None => pick_list(found, &parts),
    })
    .await
}

/// The result of a request.
#[derive(Debug)]
pub struct Opened {
    /// The devices.
    pub devices: Vec<Device>,
    /// Notices on adapters that could not be opened and were replaced by others.
    pub notices: Vec<String>,
}

/// Opens the adapters that [`find_all`] finds. For the requests `auto` and `all`, adapters that can't be opened are
/// replaced by the next ones: the best of the rest, or the others of their kind; the list may be empty. `auto` by
/// itself opens no software adapter: the CPU engine is faster.
///
/// # Errors
/// See [`find_all`] for a request that names adapters; no adapter, if one of them can't be opened.
pub async fn open_all(request: &str, backend: Option<Backend>) -> Result<Opened> {
    if !["auto", "all"].contains(&request) {
        let found = find_all_async(request, backend).await?;
        let devices = try_join_all(found.iter().map(Adapter::open_async)).await?;
        return Ok(Opened { devices, notices: Vec::new() });
    }
    let takes_software = request == "all" || backend.is_some();
    let (mut found, mut opened) = (Vec::new(), Opened { devices: Vec::new(), notices: Vec::new() });
    for &backends in stages(backend) {
        let tried = found.len();
        found = extended(found, backends).await;
        let wanted: Vec<_> =
            found[tried..].iter().filter(|adapter| takes_software || adapter.is_gpu()).collect();
        let (devices, notices) = open_best(
            &wanted,
            request == "all",
            |adapter| adapter.place(),
            async |adapter| adapter.open_async().await,
        )
        .await;
        opened.notices.extend(notices);
        if !devices.is_empty() {
            return Ok(Opened { devices, ..opened });
        }
    }
    Ok(opened)
}

/// Opens the best adapter that can be opened, or `all` of its rank; also returns notices of those that could not be.
async fn open_best<A, P: Ord, D>(
    adapters: &[A],
    all: bool,
    place: impl Fn(&A) -> P,
    open: impl AsyncFn(&A) -> Result<D>,
) -> (Vec<D>, Vec<String>) {
    let mut sorted: Vec<_> = adapters.iter().collect();
    sorted.sort_by_key(|adapter| place(adapter));
    let (mut devices, mut notices, mut taken) = (Vec::new(), Vec::new(), None);
    for adapter in sorted {
        let its = Some(place(adapter));
        if taken.is_some() && !(all && its == taken) {
            break;
        }
        match open(adapter).await {
            Ok(device) => {
                devices.push(device);
                taken = its;
            }
            Err(error) => notices.push(error.to_string()),
        }
    }
    (devices, notices)
}

/// Lists adapters, stage by stage, until `wanted` accepts the list.
async fn look_for<T>(
    request: &str,
    backend: Option<Backend>,
    wanted: impl Fn(&[Adapter]) -> Option<T>,
) -> Result<T> {
    let mut found = Vec::new();
    for &backends in stages(backend) {
        found = extended(found, backends).await;
        if let Some(wanted) = wanted(&found) {
            return Ok(wanted);
        }
    }
    if found.is_empty() {
        return Err(Error::no_adapter(no_adapter_message(backend)));
    }
    let names: Vec<_> = found.iter().map(|a| format!("{} {}", a.info.index, a.info.name)).collect();
    Err(Error::no_adapter(format!(
        "no adapter '{request}': choose one of {} by index or a part of the name, several separated by commas, or \
         'cpu'",
        names.join(", ")
    )))
}

/// The backends of each stage.
fn stages(backend: Option<Backend>) -> &'static [wgpu::Backends] {
    match backend {
        None => &[wgpu::Backends::PRIMARY, wgpu::Backends::GL],
        Some(Backend::Vulkan) => &[wgpu::Backends::VULKAN],
        Some(Backend::Metal) => &[wgpu::Backends::METAL],
        Some(Backend::Dx12) => &[wgpu::Backends::DX12],
        Some(Backend::Gl) => &[wgpu::Backends::GL],
        Some(Backend::WebGpu) => &[wgpu::Backends::BROWSER_WEBGPU],
        Some(Backend::Cpu) => &[],
    }
}

/// The wgpu instance that lists adapters. A process has one for all backends but GL: a driver may allow a few dozen
/// instances and then no more, even after they are freed. Through GL all devices of an instance share a context, so
/// that each list has an instance of its own.
fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    static INSTANCES: Mutex<Vec<(wgpu::Backends, wgpu::Instance)>> = Mutex::new(Vec::new());
    let new = || {
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends,
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    };
    if backends == wgpu::Backends::GL {
        return new();
    }
    let mut instances = locked(&INSTANCES);
    match instances.iter().find(|(of, _)| *of == backends) {
        Some((_, instance)) => instance.clone(),
        None => {
            let instance = new();
            instances.push((backends, instance.clone()));
            instance
        }
    }
}

/// The list, with the adapters of more backends at its end.
async fn extended(mut list: Vec<Adapter>, backends: wgpu::Backends) -> Vec<Adapter> {
    let instance = instance(backends);
    let mut found = Vec::new();
    for adapter in listed(&instance, backends).await {
        found.extend(usable(adapter).await);
    }
    found.sort_by_key(|adapter| adapter.info.backend);
    list.append(&mut found);
    list.iter_mut().enumerate().for_each(|(index, adapter)| adapter.info.index = index);
    list
}

/// The adapters of some backends. A browser has no such list, and gives the adapter of a request.
async fn listed(instance: &wgpu::Instance, backends: wgpu::Backends) -> Vec<wgpu::Adapter> {
    if cfg!(target_arch = "wasm32") {
        let power_preference = wgpu::PowerPreference::HighPerformance;
        let options = wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
        return instance.request_adapter(&options).await.into_iter().collect();
    }
    instance.enumerate_adapters(backends).await
}

fn pick<'a>(found: &'a [Adapter], request: &str) -> Option<&'a Adapter> {
    if request == "auto" {
        return best(found);
    }
    match request.parse::<usize>() {
        Ok(index) => found.get(index),
        Err(_) => with_name(found, request).next(),
    }
}

fn best(found: &[Adapter]) -> Option<&Adapter> {
    found.iter().min_by_key(|adapter| adapter.place())
}

/// Adapters with this text in their names; case is ignored.
fn with_name<'a>(found: &'a [Adapter], part: &str) -> impl Iterator<Item = &'a Adapter> {
    let part = part.to_lowercase();
    found.iter().filter(move |adapter| !part.is_empty() && adapter.info.name.to_lowercase().contains(&part))
}

/// The adapters of the best one's kind and backend. An adapter that is listed under two backends counts once.
fn all_of_the_best(found: &[Adapter]) -> Vec<Adapter> {
    let Some(best) = best(found) else { return Vec::new() };
    found.iter().filter(|other| other.place() == best.place()).cloned().collect()
}

fn pick_list(found: &[Adapter], parts: &[&str]) -> Option<Vec<Adapter>> {
    let mut picked: Vec<Adapter> = Vec::new();
    for part in parts {
        let next = match part.parse::<usize>() {
            Ok(index) => found.get(index),
            Err(_) => with_name(found, part)
                .find(|adapter| picked.iter().all(|p| p.info.index != adapter.info.index)),
        };
        picked.push(next?.clone());
    }
    Some(picked)
}

/// The error if there is no usable adapter, or none that can be opened.
pub(crate) fn none_opened(backend: Option<Backend>, notices: &[String]) -> Error {
    let no_adapter = no_adapter_message(backend);
    Error::no_adapter(notices.iter().rev().fold(no_adapter, |text, notice| format!("{notice}; {text}")))
}

fn no_adapter_message(backend: Option<Backend>) -> String {
    let through = backend.map_or(String::new(), |b| format!(" through {}", b.name()));
    format!(
        "no usable GPU adapter found{through}: install a driver (on Debian or Ubuntu the software adapter is \
         'apt-get install mesa-vulkan-drivers libvulkan1'), or use '--adapter cpu'"
    )
}

/// Whether an adapter compiles compute shaders. Some GL drivers list them as supported, but refuse each of them.
async fn compiles(adapter: &wgpu::Adapter) -> bool {
    let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
    let Ok((device, _)) = adapter.request_device(&descriptor).await else { return false };
    let [internal, validation] = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("trial"),
        source: wgpu::ShaderSource::Wgsl(TRIAL.into()),
    });
    let _ = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("trial"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let (validation, internal) = (validation.pop(), internal.pop());
    validation.await.is_none() && internal.await.is_none()
}

/// A minimal compute shader.
const TRIAL: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(1)
fn trial() { words[0] = arrayLength(&words); }
";

/// Adapters without compute shaders, or below the WebGPU default limits, can't run searches.
async fn usable(adapter: wgpu::Adapter) -> Option<Adapter> {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let compute = adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    let defaults = wgpu::Limits::defaults();
    let fits = limits.max_storage_buffers_per_shader_stage >= defaults.max_storage_buffers_per_shader_stage
        && limits.max_compute_invocations_per_workgroup >= defaults.max_compute_invocations_per_workgroup
        && limits.max_compute_workgroup_storage_size >= defaults.max_compute_workgroup_storage_size;
    if !compute || !fits || (info.backend == wgpu::Backend::Gl && !compiles(&adapter).await) {
        return None;
    }
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
        wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
        wgpu::DeviceType::Cpu => AdapterKind::Software,
        wgpu::DeviceType::Other if info.name.contains("llvmpipe") => AdapterKind::Software,
        wgpu::DeviceType::Other => AdapterKind::Other,
    };
    let backend = Backend::of(info.backend)?;
    let features = features::used(&adapter, backend);
    let arrays =
        if features.contains(ARRAYS) { limits.max_binding_array_elements_per_shader_stage } else { 0 };
    let info = AdapterInfo {
        index: 0,
        backend,
        compiler: Some(ShaderCompiler::of(backend, adapter.features())),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        name: info.name,
        kind,
        limits: AdapterLimits {
            max_invocations: limits.max_compute_invocations_per_workgroup,
            max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
            max_binding_bytes: limits.max_storage_buffer_binding_size,
            max_buffer_bytes: limits.max_buffer_size,
            max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
            subgroup_lanes: (info.subgroup_min_size, info.subgroup_max_size),
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            max_workgroups: limits.max_compute_workgroups_per_dimension,
            array_bindings: arrays,
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            matrices: features.contains(MATRICES),
        },
    };
    Some(Adapter { adapter, info })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::block_on;

    /// Name, rank, and whether it can be opened.
    type Fake = (&'static str, u8, bool);

    fn opened(adapters: &[Fake], all: bool) -> (Vec<&'static str>, Vec<String>) {
        let open = async |&(name, _, opens): &Fake| {
            if opens { Ok(name) } else { Err(Error::no_adapter(format!("{name} could not be opened"))) }
        };
        block_on(open_best(adapters, all, |&(_, place, _)| place, open))
    }

    #[test]
    fn the_compiler_of_direct3d_is_known_by_its_features() {
        let of = |backend, features| ShaderCompiler::of(backend, features);
        assert_eq!(of(Backend::Dx12, wgpu::Features::SHADER_INT64), ShaderCompiler::Dxc);
        assert_eq!(of(Backend::Dx12, wgpu::Features::TIMESTAMP_QUERY), ShaderCompiler::Fxc);
        assert_eq!(of(Backend::Vulkan, wgpu::Features::empty()), ShaderCompiler::SpirV);
    }

    #[test]
    fn an_adapter_that_cannot_be_opened_gives_its_place_to_the_next_one() {
        let adapters =
            [("software", 4, true), ("broken", 0, false), ("card", 1, true), ("other card", 1, true)];
        let notice = vec!["broken could not be opened".to_owned()];
        assert_eq!(opened(&adapters, false), (vec!["card"], notice.clone()));
        assert_eq!(opened(&adapters, true), (vec!["card", "other card"], notice));
        assert_eq!(opened(&adapters[2..], false), (vec!["card"], vec![]));
        let half = [("good", 0, true), ("bad", 0, false), ("good too", 0, true), ("software", 4, true)];
        assert_eq!(
            opened(&half, true),
            (vec!["good", "good too"], vec!["bad could not be opened".to_owned()])
        );
        assert_eq!(opened(&half, false), (vec!["good"], vec![]));
        assert_eq!(opened(&adapters[1..2], true), (vec![], vec!["broken could not be opened".to_owned()]));
    }
}
