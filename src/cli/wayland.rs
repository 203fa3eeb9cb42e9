//! Suppresses a message of libwayland about a missing display.
//!
//! Mesa's device-select layer searches for a Wayland display in every program whose Vulkan instance supports one, as
//! wgpu's instances do. If XDG_RUNTIME_DIR is not set, as on servers, libwayland writes an error each time, which is
//! irrelevant to a program without windows.

/// Lists adapters without that message. Other messages of drivers are passed on.
#[cfg(target_os = "linux")]
pub fn without_wayland_error<T>(list: impl FnOnce() -> T) -> T {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR");
    if runtime.is_some_and(|path| std::path::Path::new(&path).is_absolute()) {
        return list();
    }
    let redirected = Redirected::begin();
    let result = list();
    drop(redirected);
    result
}

/// Other systems have no such layer.
#[cfg(not(target_os = "linux"))]
pub fn without_wayland_error<T>(list: impl FnOnce() -> T) -> T {
    list()
}

/// Redirects standard error to memory until this is dropped.
#[cfg(target_os = "linux")]
struct Redirected {
    stderr: std::os::fd::OwnedFd,
    messages: std::fs::File,
}

#[cfg(target_os = "linux")]
impl Redirected {
    /// `None` if the redirection fails; the message is printed then.
    fn begin() -> Option<Self> {
        use std::os::fd::AsFd;
        let stderr = std::io::stderr().as_fd().try_clone_to_owned().ok()?;
        let messages = rustix::fs::memfd_create("standard error", rustix::fs::MemfdFlags::CLOEXEC).ok()?;
        rustix::stdio::dup2_stderr(&messages).ok()?;
        Some(Self { stderr, messages: messages.into() })
    }
}

#[cfg(target_os = "linux")]
impl Drop for Redirected {
    fn drop(&mut self) {
        use std::io::{Read, Seek};
        rustix::stdio::dup2_stderr(&self.stderr).ok();
        let mut messages = Vec::new();
        if self.messages.rewind().and_then(|()| self.messages.read_to_end(&mut messages)).is_ok() {
            let messages = String::from_utf8_lossy(&messages);
            messages.lines().filter(|line| !is_about_wayland(line)).for_each(super::output::notice);
        }
    }
}

#[cfg(target_os = "linux")]
fn is_about_wayland(line: &str) -> bool {
    line.starts_with("error: XDG_RUNTIME_DIR is invalid or not set")
}
