//! Where a search runs: an adapter, several, or the CPU.

use crate::{
    error::Result,
    gpu::{
        Backend, Device,
        adapters::{self, Opened},
    },
    search::{AdapterShare, EngineInfo},
};

/// Where a search runs. Clones share their devices.
#[derive(Debug, Clone)]
pub struct Engine {
    /// None: the CPU reference.
    devices: Option<Vec<Device>>,
    notices: Vec<String>,
}

impl Engine {
    /// The CPU reference, parallel over trees.
    pub fn cpu() -> Self {
        Self { devices: None, notices: Vec::new() }
    }

    /// The best GPU there is (discrete, else integrated), or the CPU engine, which is faster than software adapters.
    pub fn auto() -> Self {
        Self::open("auto", None).unwrap_or_else(|_| Self::cpu())
    }

    /// `auto`, `cpu`, `all`, an index of [`adapters()`](adapters::adapters) or a part of an adapter's name, or several of
    /// the last two joined by commas (see [`find_all`](adapters::find_all)); `backend` leaves the others out. With `auto`
    /// or `all` an adapter that can't be opened gives its place to the next one, the last of them to the CPU; `auto` without
    /// a `backend` takes no software adapter;
    /// [`notices`](Self::notices) tell.
    ///
    /// # Errors
    /// No adapter, listing those there are; bad input for a list with something else in it.
    pub fn open(adapter: &str, backend: Option<Backend>) -> Result<Self> {
        if adapter == "cpu" {
            return Ok(Self::cpu());
        }
        let Opened { devices, notices } = adapters::open_all(adapter, backend)?;
        if devices.is_empty() && backend.is_some() {
            return Err(adapters::none_opened(backend, &notices));
        }
        Ok(Self { notices, ..Self::devices_of(devices) })
    }

    /// For people: adapters that were left out because they could not be opened.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Opened devices: the trees are spread over them, and the result is that of one device with all the trees, as long as
    /// they have room there. The same adapter may be opened more than once.
    pub fn devices_of(devices: Vec<Device>) -> Self {
        Self { devices: (!devices.is_empty()).then_some(devices), notices: Vec::new() }
    }

    /// True for the CPU reference.
    pub fn is_cpu(&self) -> bool {
        self.devices.is_none()
    }

    /// The devices; none for the CPU reference.
    pub fn devices(&self) -> Option<&[Device]> {
        self.devices.as_deref()
    }

    /// Name, backend and driver, without a schedule.
    pub fn info(&self) -> EngineInfo {
        match &self.devices {
            None => cpu_info(),
            Some(devices) => device_info(devices.iter().map(|device| (device, None)), ""),
        }
    }
}

pub(super) fn cpu_info() -> EngineInfo {
    EngineInfo {
        adapter: format!("CPU reference, {} threads", rayon::current_num_threads()),
        backend: "cpu".into(),
        driver: format!("mcts-wgpu {}", env!("CARGO_PKG_VERSION")),
        schedule: "reference".into(),
        adapters: Vec::new(),
    }
}

/// The devices of an engine, with the number of trees that each has.
pub(super) fn device_info<'a>(
    devices: impl Iterator<Item = (&'a Device, Option<u32>)>,
    schedule: &str,
) -> EngineInfo {
    let adapters: Vec<_> = devices.map(|(device, trees)| (device.info(), trees)).collect();
    let names: Vec<_> = adapters.iter().map(|(info, _)| info.name.as_str()).collect();
    let first = adapters.first().map(|(info, _)| info);
    EngineInfo {
        adapter: names.join(" + "),
        backend: first.map_or_else(String::new, |info| info.backend.name().into()),
        driver: first.map_or_else(String::new, |info| info.driver.clone()),
        schedule: schedule.into(),
        adapters: adapters.iter().map(|(info, trees)| AdapterShare::new(info, *trees)).collect(),
    }
}
