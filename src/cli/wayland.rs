//! Silences a complaint about a missing display.
//!
//! Mesa's layer for the choice of a Vulkan device looks for a Wayland display in every program whose instance could
//! draw to one, as those of wgpu always can. Where XDG_RUNTIME_DIR is not set, as on servers, libwayland says so on
//! standard error each time. That is no news for a program without windows.

/// Asks for adapters without that complaint; all else that drivers say is passed on.
#[cfg(target_os = "linux")]
pub fn without_complaint<T>(ask: impl FnOnce() -> T) -> T {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR");
    if runtime.is_some_and(|path| std::path::Path::new(&path).is_absolute()) {
        return ask();
    }
    let aside = Aside::begin();
    let answer = ask();
    drop(aside);
    answer
}

/// Elsewhere there is no such layer.
#[cfg(not(target_os = "linux"))]
pub fn without_complaint<T>(ask: impl FnOnce() -> T) -> T {
    ask()
}

/// Standard error goes to memory as long as this lives.
#[cfg(target_os = "linux")]
struct Aside {
    stderr: std::os::fd::OwnedFd,
    said: std::fs::File,
}

#[cfg(target_os = "linux")]
impl Aside {
    /// None where the system refuses: then the complaint is heard.
    fn begin() -> Option<Self> {
        use std::os::fd::AsFd;
        let stderr = std::io::stderr().as_fd().try_clone_to_owned().ok()?;
        let said = rustix::fs::memfd_create("standard error", rustix::fs::MemfdFlags::CLOEXEC).ok()?;
        rustix::stdio::dup2_stderr(&said).ok()?;
        Some(Self { stderr, said: said.into() })
    }
}

#[cfg(target_os = "linux")]
impl Drop for Aside {
    fn drop(&mut self) {
        use std::io::{Read, Seek};
        rustix::stdio::dup2_stderr(&self.stderr).ok();
        let mut said = Vec::new();
        if self.said.rewind().and_then(|()| self.said.read_to_end(&mut said)).is_ok() {
            let said = String::from_utf8_lossy(&said);
            said.lines().filter(|line| !is_complaint(line)).for_each(super::output::notice);
        }
    }
}

#[cfg(target_os = "linux")]
fn is_complaint(line: &str) -> bool {
    line.starts_with("error: XDG_RUNTIME_DIR is invalid or not set")
}
