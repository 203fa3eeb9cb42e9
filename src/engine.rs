//! Engines: an adapter, several, or the CPU.

#[cfg(not(target_arch = "wasm32"))]
pub use crate::device::adapters::{adapters, find, find_all};
pub use crate::device::{
    Checks, Device, Extra,
    adapters::{Adapter, AdapterInfo, AdapterKind, AdapterLimits, Backend, ShaderCompiler},
};
#[cfg(not(target_arch = "wasm32"))]
use crate::host;
use crate::{
    device::adapters::{self as list, Opened},
    error::Result,
    names::named,
    net::{Evaluator, NetKernel, Network},
    ranks::Ranks,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The engine of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EngineInfo {
    /// The adapter's name, several joined by ` + `, or the CPU engine's.
    pub adapter: String,
    /// Its backend.
    pub backend: Backend,
    /// Driver and version; empty where the backend does not report them.
    pub driver: String,
    /// The schedule of steps.
    pub schedule: StepSchedule,
    /// The adapters, in the order of the request; none on the CPU.
    pub adapters: Vec<AdapterShare>,
    /// The ranks, if the work was spread over several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankShare>,
}

named! {
    /// The schedule of an engine's steps.
    #[non_exhaustive]
    pub enum StepSchedule: "schedule" {
        /// One kernel a stage.
        Staged = "staged",
        /// Whole steps in one kernel, or halves of steps.
        Fused = "fused",
        /// On the CPU.
        Reference = "reference",
        /// PV-Split, on a device.
        PvSplit = "pv-split",
        /// Principal-variation search, on one core.
        PrincipalVariation = "principal variation search",
        /// Every node, on one core.
        Minimax = "minimax",
        /// No steps.
        None = "",
    }
}

/// An adapter's share of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdapterShare {
    /// Its index in the list of [`adapters()`](crate::engine::adapters()): adapters of the same kind have the same
    /// name.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its driver and version; empty where the backend does not report them.
    pub driver: String,
    /// Its trees, over all positions of a batch; `None` where the work has no trees.
    pub trees: Option<u32>,
    /// Extras that its kernels left out, since its driver refused kernels with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Extra>,
}

impl AdapterShare {
    fn new(adapter: &AdapterInfo, trees: Option<u32>) -> Self {
        let AdapterInfo { index, name, driver, .. } = adapter.clone();
        Self { index, name, driver, trees, left_out: Vec::new() }
    }
}

/// A rank's share of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RankShare {
    /// The name of its host.
    pub host: String,
    /// Its engine: an adapter's name, several joined by ` + `, or the CPU engine's.
    pub adapter: String,
    /// Its trees, over all positions of a batch; `None` where the work has no trees.
    pub trees: Option<u32>,
}

/// An engine for searches, rollouts and games. Clones share their devices.
///
/// ```
/// use mcts_wgpu::Engine;
///
/// let engine = Engine::open("cpu", None)?; // as --adapter of the program
/// assert!(engine.is_cpu() && engine.info().adapter.starts_with("CPU"));
/// // A name without an adapter is an error, which lists the adapters.
/// assert!(Engine::open("some other adapter", None).is_err_and(|error| error.is_no_adapter()));
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    /// `None`: the CPU engine.
    devices: Option<Vec<Device>>,
    notices: Vec<String>,
    ranks: Ranks,
    network: Option<Arc<Network>>,
    net_kernel: NetKernel,
    evaluator: Option<Arc<dyn Evaluator>>,
}

impl Engine {
    /// The CPU engine, parallel over trees.
    pub fn cpu() -> Self {
        Self {
            devices: None,
            notices: Vec::new(),
            ranks: Ranks::default(),
            network: None,
            net_kernel: NetKernel::Auto,
            evaluator: None,
        }
    }

    /// This rank's part of an engine over many ranks, which share the trees of a search, or the games of rollouts; all
    /// get the report of one machine with all the trees. Each rank has an engine of its own.
    #[must_use]
    pub fn over(self, ranks: &Ranks) -> Self {
        Self { ranks: ranks.clone(), ..self }
    }

    /// The same engine with these checks on its devices. The CPU engine has none.
    #[must_use]
    pub fn checked(self, checks: Checks) -> Self {
        let checked = |devices: Vec<Device>| devices.iter().map(|device| device.checked(checks)).collect();
        Self { devices: self.devices.map(checked), ..self }
    }

    /// The same engine, whose searches evaluate their leaves by this network, or by playouts for `None`.
    #[must_use]
    pub fn with_network(self, network: Option<Arc<Network>>) -> Self {
        Self { network, evaluator: None, ..self }
    }

    /// The same engine, whose searches evaluate their leaves by an evaluator instead of playouts or a network. Such
    /// searches run on the CPU engine and on single devices.
    #[must_use]
    pub fn with_evaluator(self, evaluator: Arc<dyn Evaluator>) -> Self {
        Self { network: None, evaluator: Some(evaluator), ..self }
    }

    /// The same engine, whose devices evaluate networks by this kernel. The CPU engine has its own.
    #[must_use]
    pub fn with_net_kernel(self, net_kernel: NetKernel) -> Self {
        Self { net_kernel, ..self }
    }

    /// The kernel that evaluates networks.
    pub fn net_kernel(&self) -> NetKernel {
        self.net_kernel
    }

    /// The network that evaluates the leaves of its searches.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// The evaluator of the leaves of its searches.
    pub fn evaluator(&self) -> Option<&Arc<dyn Evaluator>> {
        self.evaluator.as_ref()
    }

    /// The ranks that share its work.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// [`open`](Self::open) for async programs.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_async(adapter: &str, backend: Option<Backend>) -> Result<Self> {
        if adapter == "cpu" || backend == Some(Backend::Cpu) {
            return Ok(Self::cpu());
        }
        let Opened { devices, notices } = list::open_all(adapter, backend).await?;
        if devices.is_empty() && backend.is_some() {
            return Err(list::none_opened(backend, &notices));
        }
        Ok(Self { notices, ..Self::devices_of(devices) })
    }

    /// Texts for people: adapters that could not be opened, and extras that kernels left out since a driver refused
    /// kernels with them.
    pub fn notices(&self) -> Vec<String> {
        let mut all = self.notices.clone();
        for notice in self.devices().unwrap_or_default().iter().flat_map(Device::notices) {
            if !all.contains(&notice) {
                all.push(notice);
            }
        }
        all
    }

    /// An engine of opened devices, which share the trees. The result is that of one device with all the trees, as long
    /// as no tree is full. The same adapter may be opened more than once.
    pub fn devices_of(devices: Vec<Device>) -> Self {
        Self { devices: (!devices.is_empty()).then_some(devices), ..Self::cpu() }
    }

    /// Whether this is the CPU engine.
    pub fn is_cpu(&self) -> bool {
        self.devices.is_none()
    }

    /// The kind of adapter whose default settings apply: discrete for all GPUs. One software adapter among several
    /// decides.
    pub(crate) fn kind(&self) -> AdapterKind {
        match self.devices() {
            None => AdapterKind::Cpu,
            Some(devices) if devices.iter().any(|device| device.info().is_software()) => {
                AdapterKind::Software
            }
            Some(_) => AdapterKind::Discrete,
        }
    }

    /// The devices; `None` for the CPU engine.
    pub fn devices(&self) -> Option<&[Device]> {
        self.devices.as_deref()
    }

    /// The first device; `None` for the CPU engine.
    pub(crate) fn first_device(&self) -> Option<&Device> {
        self.devices()?.first()
    }

    /// Whether several devices share its work.
    pub(crate) fn has_several_devices(&self) -> bool {
        self.devices().is_some_and(|devices| devices.len() > 1)
    }

    /// An engine for each device; none for the CPU engine.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.devices().unwrap_or_default().iter().map(|device| Self::devices_of(vec![device.clone()]))
    }

    /// Name, backend and driver, without a schedule.
    pub fn info(&self) -> EngineInfo {
        match &self.devices {
            None => cpu_info(),
            Some(devices) => device_info(devices.iter().map(|device| (device, None)), StepSchedule::None),
        }
    }
}

/// The blocking calls, which a page in a browser can't make.
#[cfg(not(target_arch = "wasm32"))]
impl Engine {
    /// The best GPU (discrete, else integrated), or the CPU engine, which is faster than software adapters.
    pub fn auto() -> Self {
        Self::open("auto", None).unwrap_or_else(|_| Self::cpu())
    }

    /// The best GPU, or a software adapter: for games whose rules need a device.
    ///
    /// # Errors
    /// No adapter.
    pub fn any() -> Result<Self> {
        let engine = Self::open("auto", None)?;
        if !engine.is_cpu() {
            return Ok(engine);
        }
        Ok(Self::devices_of(vec![list::find("auto", None)?.open()?]))
    }

    /// `auto`, `cpu`, `all`, an index of [`adapters()`](adapters()) or a part of an adapter's name, or several of the
    /// last two joined by commas (see [`find_all`](find_all())); `backend` excludes all others. With `auto` or `all`,
    /// an adapter that can't be opened is replaced by the next one, the last of them by the CPU; `auto` without a
    /// `backend` opens no software adapter; [`notices`](Self::notices) list these replacements.
    ///
    /// # Errors
    /// No adapter, listing those there are; bad input for a list with other parts.
    pub fn open(adapter: &str, backend: Option<Backend>) -> Result<Self> {
        host::block_on(Self::open_async(adapter, backend))
    }
}

/// The driver, as text: some backends do not name it.
pub(crate) fn driver_text(driver: &str) -> &str {
    if driver.is_empty() { "unknown driver" } else { driver }
}

pub(crate) fn cpu_info() -> EngineInfo {
    EngineInfo {
        adapter: format!("CPU reference, {} threads", rayon::current_num_threads()),
        backend: Backend::Cpu,
        driver: format!("mcts-wgpu {}", env!("CARGO_PKG_VERSION")),
        schedule: StepSchedule::Reference,
        adapters: Vec::new(),
        ranks: Vec::new(),
    }
}

/// The info of an engine over many ranks, from that of each rank: the first rank's, and the shares of all.
pub(crate) fn info_over(ranks: &Ranks, own: Result<EngineInfo>, trees: Option<u32>) -> Result<EngineInfo> {
    if ranks.is_alone() {
        return own;
    }
    let all = ranks.exchange(own.map(|own| (own, trees)))?;
    let shares = all.iter().zip(ranks.hosts());
    let shares: Vec<_> = shares
        .map(|((info, trees), host)| RankShare {
            host: host.clone(),
            adapter: info.adapter.clone(),
            trees: *trees,
        })
        .collect();
    let mut info = all[0].0.clone();
    let same = all.iter().all(|(other, _)| other.adapter == info.adapter);
    info.adapter =
        format!("{} ranks of {}{}", all.len(), info.adapter, if same { "" } else { " and others" });
    Ok(EngineInfo { ranks: shares, ..info })
}

/// The info of an engine's devices, with the number of trees of each.
pub(crate) fn device_info<'a>(
    devices: impl Iterator<Item = (&'a Device, Option<u32>)>,
    schedule: StepSchedule,
) -> EngineInfo {
    let adapters: Vec<_> = devices.map(|(device, trees)| (device.info(), trees)).collect();
    let names: Vec<_> = adapters.iter().map(|(info, _)| info.name.as_str()).collect();
    let first = adapters.first().map(|(info, _)| info);
    EngineInfo {
        adapter: names.join(" + "),
        backend: first.map_or(Backend::Cpu, |info| info.backend),
        driver: first.map_or_else(String::new, |info| info.driver.clone()),
        schedule,
        ranks: Vec::new(),
        adapters: adapters.iter().map(|(info, trees)| AdapterShare::new(info, *trees)).collect(),
    }
}
