//! Which adapters there are, and which one a request means.

use crate::{
    error::{Error, Result},
    gpu::Device,
};
use serde::Serialize;
use std::str::FromStr;

/// The interface an adapter is reached through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Vulkan.
    Vulkan,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL and OpenGL ES.
    Gl,
}

impl Backend {
    const ALL: [Self; 4] = [Self::Vulkan, Self::Metal, Self::Dx12, Self::Gl];

    /// `vulkan`, `metal`, `dx12`, `gl`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Vulkan => "vulkan",
            Backend::Metal => "metal",
            Backend::Dx12 => "dx12",
            Backend::Gl => "gl",
        }
    }

    fn of(backend: wgpu::Backend) -> Option<Self> {
        match backend {
            wgpu::Backend::Vulkan => Some(Backend::Vulkan),
            wgpu::Backend::Metal => Some(Backend::Metal),
            wgpu::Backend::Dx12 => Some(Backend::Dx12),
            wgpu::Backend::Gl => Some(Backend::Gl),
            _ => None,
        }
    }
}

impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|b| b.name() == name).ok_or_else(|| {
            Error::bad_input(format!("unknown backend '{name}': choose one of vulkan, gl, metal, dx12"))
        })
    }
}

/// An adapter and the limits of it that matter here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdapterInfo {
    /// Its place in the list.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The interface.
    pub backend: Backend,
    /// Driver and version.
    pub driver: String,
    /// `discrete`, `integrated`, `virtual`, `software`, `other`.
    pub r#type: &'static str,
    /// Greatest number of invocations of a workgroup.
    pub max_invocations: u32,
    /// Bytes of workgroup memory.
    pub max_workgroup_bytes: u32,
    /// Bytes of a storage buffer binding.
    pub max_binding_bytes: u64,
    /// Bytes of a buffer.
    pub max_buffer_bytes: u64,
    /// Storage buffers a stage can bind.
    pub max_storage_buffers: u32,
    /// Smallest and greatest number of lanes of a subgroup.
    pub subgroup_lanes: (u32, u32),
    /// Device time stamps can be taken.
    pub timestamps: bool,
}

/// An adapter that can be opened.
#[derive(Debug, Clone)]
pub struct Adapter {
    adapter: wgpu::Adapter,
    info: AdapterInfo,
}

impl Adapter {
    /// What is known of it.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Opens it with everything it offers.
    ///
    /// # Errors
    /// No adapter, where the driver refuses.
    pub fn open(&self) -> Result<Device> {
        Device::open(&self.adapter, &self.info, self.adapter.limits())
    }

    /// Opens it with the WebGPU default limits: what every adapter must offer.
    ///
    /// # Errors
    /// No adapter, where the driver refuses.
    pub fn open_with_floor_limits(&self) -> Result<Device> {
        Device::open(&self.adapter, &self.info, wgpu::Limits::defaults())
    }

    fn rank(&self) -> u8 {
        match self.info.r#type {
            "discrete" => 0,
            "integrated" => 1,
            "virtual" => 2,
            "other" => 3,
            _ => 4,
        }
    }
}

/// All adapters that can run the search, in a fixed order; `backend` leaves the others out.
pub fn adapters(backend: Option<Backend>) -> Vec<Adapter> {
    stages(backend).iter().fold(Vec::new(), |found, &backends| extended(found, backends))
}

/// The adapter that a request means: `auto` (discrete, integrated, software), an index of [`adapters`], or a part of a name.
///
/// GL is asked only where the other interfaces do not have what is wanted: it is the slowest to start.
///
/// # Errors
/// No adapter, listing those there are.
pub fn find(request: &str, backend: Option<Backend>) -> Result<Adapter> {
    look_for(request, backend, |found| pick(found, request).cloned())
}

/// The adapters that a request means: what [`find`] takes; `all`, those of the kind and the interface that `auto` takes;
/// or indexes and parts of names, joined by commas. A name that comes again in a list means the next adapter that has it;
/// an index that comes again, the same adapter once more.
///
/// # Errors
/// No adapter, listing those there are; bad input for a list with an empty part, or with `auto`, `all` or `cpu` in it.
pub fn find_all(request: &str, backend: Option<Backend>) -> Result<Vec<Adapter>> {
    let parts: Vec<_> = request.split(',').map(str::trim).collect();
    if let ([_, _, ..], Some(odd)) =
        (&parts[..], parts.iter().find(|part| ["", "auto", "all", "cpu"].contains(part)))
    {
        return Err(Error::bad_input(format!(
            "'{odd}' in the list of adapters '{request}': join indexes and parts of names by commas, such as 0,1"
        )));
    }
    if request == "all" {
        return look_for(request, backend, |found| {
            Some(all_of_the_best(found)).filter(|best| !best.is_empty())
        });
    }
    // A name may have commas of its own.
    look_for(request, backend, |found| match pick(found, request) {
        Some(one) => Some(vec![one.clone()]),
        None => pick_list(found, &parts),
    })
}

/// Asks for adapters until there is what is wanted.
fn look_for<T>(
    request: &str,
    backend: Option<Backend>,
    wanted: impl Fn(&[Adapter]) -> Option<T>,
) -> Result<T> {
    let mut found = Vec::new();
    for &backends in stages(backend) {
        found = extended(found, backends);
        if let Some(wanted) = wanted(&found) {
            return Ok(wanted);
        }
    }
    if found.is_empty() {
        return Err(Error::no_adapter(no_adapter_message(backend)));
    }
    let names: Vec<_> = found.iter().map(|a| format!("{} {}", a.info.index, a.info.name)).collect();
    Err(Error::no_adapter(format!(
        "no adapter '{request}': choose one of {} by index or a part of the name, several of them joined by commas, or \
         'cpu'",
        names.join(", ")
    )))
}

/// What is asked for adapters, one after the other.
fn stages(backend: Option<Backend>) -> &'static [wgpu::Backends] {
    match backend {
        None => &[wgpu::Backends::PRIMARY, wgpu::Backends::GL],
        Some(Backend::Vulkan) => &[wgpu::Backends::VULKAN],
        Some(Backend::Metal) => &[wgpu::Backends::METAL],
        Some(Backend::Dx12) => &[wgpu::Backends::DX12],
        Some(Backend::Gl) => &[wgpu::Backends::GL],
    }
}

/// The list with the adapters of more backends at its end.
fn extended(mut list: Vec<Adapter>, backends: wgpu::Backends) -> Vec<Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let found = pollster::block_on(instance.enumerate_adapters(backends));
    let mut found: Vec<_> = found.into_iter().filter_map(usable).collect();
    found.sort_by_key(|adapter| adapter.info.backend);
    list.append(&mut found);
    list.iter_mut().enumerate().for_each(|(index, adapter)| adapter.info.index = index);
    list
}

fn pick<'a>(found: &'a [Adapter], request: &str) -> Option<&'a Adapter> {
    if request == "auto" {
        return best(found);
    }
    match request.parse::<usize>() {
        Ok(index) => found.get(index),
        Err(_) => named(found, request).next(),
    }
}

fn best(found: &[Adapter]) -> Option<&Adapter> {
    found.iter().min_by_key(|adapter| (adapter.rank(), adapter.info.backend))
}

/// Adapters with these letters, in either case, in their names.
fn named<'a>(found: &'a [Adapter], part: &str) -> impl Iterator<Item = &'a Adapter> {
    let part = part.to_lowercase();
    found.iter().filter(move |adapter| !part.is_empty() && adapter.info.name.to_lowercase().contains(&part))
}

/// An adapter that is reached through two interfaces counts once: those of the best one's interface alone.
fn all_of_the_best(found: &[Adapter]) -> Vec<Adapter> {
    let like = |best: &Adapter, other: &Adapter| {
        (best.rank(), best.info.backend) == (other.rank(), other.info.backend)
    };
    best(found)
        .map_or_else(Vec::new, |best| found.iter().filter(|other| like(best, other)).cloned().collect())
}

fn pick_list(found: &[Adapter], parts: &[&str]) -> Option<Vec<Adapter>> {
    let mut picked: Vec<Adapter> = Vec::new();
    for part in parts {
        let next = match part.parse::<usize>() {
            Ok(index) => found.get(index),
            Err(_) => {
                named(found, part).find(|adapter| picked.iter().all(|p| p.info.index != adapter.info.index))
            }
        };
        picked.push(next?.clone());
    }
    Some(picked)
}

fn no_adapter_message(backend: Option<Backend>) -> String {
    let through = backend.map_or(String::new(), |b| format!(" through {}", b.name()));
    format!(
        "no usable GPU adapter found{through}: install a driver (on Debian or Ubuntu the software adapter is \
         'apt-get install mesa-vulkan-drivers libvulkan1'), or use '--adapter cpu'"
    )
}

/// Some GL drivers say that they have compute shaders, and then refuse each of them.
fn compiles(adapter: &wgpu::Adapter) -> bool {
    let descriptor = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
    let Ok((device, _)) = pollster::block_on(adapter.request_device(&descriptor)) else { return false };
    let scopes = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
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
    scopes.into_iter().rev().all(|scope| pollster::block_on(scope.pop()).is_none())
}

/// The least that a search needs.
const TRIAL: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(1)
fn trial() { words[0] = arrayLength(&words); }
";

/// Adapters without compute shaders, or below the WebGPU default limits, can't run the search.
fn usable(adapter: wgpu::Adapter) -> Option<Adapter> {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let compute = adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    let floor = wgpu::Limits::defaults();
    let fits = limits.max_storage_buffers_per_shader_stage >= floor.max_storage_buffers_per_shader_stage
        && limits.max_compute_invocations_per_workgroup >= floor.max_compute_invocations_per_workgroup
        && limits.max_compute_workgroup_storage_size >= floor.max_compute_workgroup_storage_size;
    if !compute || !fits || (info.backend == wgpu::Backend::Gl && !compiles(&adapter)) {
        return None;
    }
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other if info.name.contains("llvmpipe") => "software",
        wgpu::DeviceType::Other => "other",
    };
    let info = AdapterInfo {
        index: 0,
        backend: Backend::of(info.backend)?,
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        name: info.name,
        r#type: kind,
        max_invocations: limits.max_compute_invocations_per_workgroup,
        max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
        max_binding_bytes: limits.max_storage_buffer_binding_size,
        max_buffer_bytes: limits.max_buffer_size,
        max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
        subgroup_lanes: (info.subgroup_min_size, info.subgroup_max_size),
        timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
    };
    Some(Adapter { adapter, info })
}
