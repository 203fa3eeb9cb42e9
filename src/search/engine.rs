//! Where a search runs: an adapter, several, or the CPU.

use crate::{
    error::Result,
    gpu::{Backend, Device, adapters},
    search::EngineInfo,
};

/// Where a search runs. Clones share their devices.
#[derive(Debug, Clone)]
pub struct Engine {
    /// None: the CPU reference.
    devices: Option<Vec<Device>>,
}

impl Engine {
    /// The CPU reference, parallel over trees.
    pub fn cpu() -> Self {
        Self { devices: None }
    }

    /// The best adapter there is (discrete, integrated, software), or the CPU where there is none.
    pub fn auto() -> Self {
        Self::open("auto", None).unwrap_or_else(|_| Self::cpu())
    }

    /// `auto`, `cpu`, an index of [`adapters()`](adapters::adapters) or a part of an adapter's name; `backend` leaves the others out.
    /// With `auto` and no adapter at all, the CPU.
    ///
    /// # Errors
    /// No adapter, listing those there are.
    pub fn open(adapter: &str, backend: Option<Backend>) -> Result<Self> {
        if adapter == "cpu" {
            return Ok(Self::cpu());
        }
        match adapters::find(adapter, backend) {
            Ok(found) => Ok(Self::devices_of(vec![found.open()?])),
            Err(_) if adapter == "auto" && backend.is_none() => Ok(Self::cpu()),
            Err(error) => Err(error),
        }
    }

    /// Opened devices: the trees are spread over them, and the result is that of one device with all the trees.
    pub fn devices_of(devices: Vec<Device>) -> Self {
        Self { devices: (!devices.is_empty()).then_some(devices) }
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
        self.devices.as_deref().map_or_else(cpu_info, |devices| device_info(devices, ""))
    }
}

pub(super) fn cpu_info() -> EngineInfo {
    EngineInfo {
        adapter: format!("CPU reference, {} threads", rayon::current_num_threads()),
        backend: "cpu".into(),
        driver: format!("mcts-wgpu {}", env!("CARGO_PKG_VERSION")),
        schedule: "reference".into(),
    }
}

pub(super) fn device_info(devices: &[Device], schedule: &str) -> EngineInfo {
    let names: Vec<_> = devices.iter().map(|d| d.info().name.as_str()).collect();
    EngineInfo {
        adapter: names.join(" + "),
        backend: devices[0].info().backend.name().into(),
        driver: devices[0].info().driver.clone(),
        schedule: schedule.into(),
    }
}
