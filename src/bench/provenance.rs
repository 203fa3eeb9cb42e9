//! The provenance of figures besides the adapter: system, processor, versions; without names of users and hosts, and
//! without paths.

use serde::{Deserialize, Serialize};
use std::{
    env::consts::ARCH,
    process::{Command, Stdio},
    thread,
};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind};

/// The system of a machine. A field is empty or 0 if the system does not report it, or the report is of a version
/// without it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct System {
    /// Operating system and kernel: `Linux (Debian GNU/Linux 12), Linux 6.1.0, x86_64`.
    pub os: String,
    /// The processor.
    pub cpu: String,
    /// Cores that the program may use.
    pub cores: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// The system's load average of the minute before: runnable threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// The version of wgpu.
    pub wgpu: String,
    /// The version of naga, which translates the shaders.
    pub naga: String,
}

impl System {
    pub(super) fn of_this() -> Self {
        let (cpu, memory) = (CpuRefreshKind::nothing(), MemoryRefreshKind::nothing().with_ram());
        let kinds = RefreshKind::nothing().with_cpu(cpu).with_memory(memory);
        let machine = sysinfo::System::new_with_specifics(kinds);
        let os = sysinfo::System::long_os_version().into_iter();
        let os: Vec<_> = os.chain([sysinfo::System::kernel_long_version(), ARCH.into()]).collect();
        let brand = machine.cpus().first().map(|cpu| cpu.brand().trim());
        Self {
            os: os.join(", "),
            cpu: brand.filter(|brand| !brand.is_empty()).unwrap_or(ARCH).into(),
            cores: thread::available_parallelism().map_or(0, |cores| cores.get() as u32),
            memory: machine.total_memory(),
            load: Some(sysinfo::System::load_average().one).filter(|load| *load > 0.0),
            wgpu: locked("wgpu"),
            naga: locked("naga"),
        }
    }
}

/// The version of a dependency in Cargo.lock; empty if it is not there.
fn locked(package: &str) -> String {
    let name = format!("name = \"{package}\"");
    let mut lines = include_str!("../../Cargo.lock").lines().skip_while(|line| *line != name);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or_default().trim_matches('"').to_owned()
}

/// A time in seconds since 1970 as `2026-11-27T10:00:00Z`.
pub(super) fn utc(seconds: u64) -> String {
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the leap day is the last one; 400 of them have 146,097 days.
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (400 * era + year + month / 10, (month + 2) % 12 + 1);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Clock rates, power and temperature of an NVIDIA GPU, as text, if `nvidia-smi` is installed.
pub(super) fn sensors(adapter: &str) -> Option<String> {
    if !adapter.contains("NVIDIA") {
        return None;
    }
    const FIELDS: &str = "name,clocks.sm,clocks.max.sm,clocks.mem,power.draw,power.limit,temperature.gpu";
    let query = format!("--query-gpu={FIELDS}");
    let mut tool = Command::new("nvidia-smi");
    tool.args([query.as_str(), "--format=csv,noheader"]).stdin(Stdio::null()).stderr(Stdio::null());
    sensors_of(adapter, &String::from_utf8(tool.output().ok()?.stdout).ok()?)
}

/// The values of the adapter's line, as text.
fn sensors_of(adapter: &str, lines: &str) -> Option<String> {
    let line =
        lines.lines().find(|line| line.split(',').next().is_some_and(|name| adapter.starts_with(name)))?;
    let fields: Vec<&str> = line.split(',').skip(1).map(str::trim).collect();
    let [clock, most, memory, power, limit, celsius] = fields[..] else { return None };
    Some(format!("{clock} of {most}, memory {memory}, {power} of {limit}, {celsius} C"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(utc(1_767_225_599), "2025-12-31T23:59:59Z");
        assert_eq!(utc(1_798_761_600), "2027-01-01T00:00:00Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn the_system_is_reported() {
        let system = System::of_this();
        assert!(system.os.split(", ").count() == 3 && system.os.ends_with(ARCH), "{system:?}");
        assert!(system.cores > 0 && !system.cpu.is_empty() && system.memory > 1 << 28, "{system:?}");
        assert!(system.wgpu.starts_with("30.") && system.naga.starts_with("30."), "{system:?}");
    }

    #[test]
    fn sensors_are_those_of_the_adapter() {
        let lines = "NVIDIA T4, 1 MHz, 2 MHz, 3 MHz, 4 W, 5 W, 6\nNVIDIA H100, 1980 MHz, 1980 MHz, 2619 MHz, 310.20 W, \
                     700.00 W, 51\n";
        let expected = "1980 MHz of 1980 MHz, memory 2619 MHz, 310.20 W of 700.00 W, 51 C";
        assert_eq!(sensors_of("NVIDIA H100", lines).as_deref(), Some(expected));
        assert_eq!(sensors_of("NVIDIA H200", lines), None);
        assert_eq!(sensors("llvmpipe"), None);
    }
}
