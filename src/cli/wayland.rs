//! Suppresses a message of libwayland about a missing display.
//!
//! Mesa's device-select layer looks for a Wayland display in every program whose Vulkan instance supports one, as
//! wgpu's do. If XDG_RUNTIME_DIR is not set, as on servers, libwayland writes an error each time, which is irrelevant
//! to a program without windows.

/// Lists adapters without that message. Other messages of drivers are passed on.
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

/// Other systems have no such layer.
#[cfg(not(target_os = "linux"))]
pub fn without_complaint<T>(ask: impl FnOnce() -> T) -> T {
    ask()
}

/// Redirects standard error to memory while this lives.
#[cfg(target_os = "linux")]
struct Aside {
    stderr: std::os::fd::OwnedFd,
    said: std::fs::File,
}

#[cfg(target_os = "linux")]
impl Aside {
    /// `None` if the redirection fails; the message is printed then.
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
