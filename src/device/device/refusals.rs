//! Kernels that drivers refuse, and devices that are lost with them.

use super::{Device, Inner};
use crate::{
    device::{
        Backend,
        extras::{Extra, Extras},
    },
    error::{Error, Result},
    host::locked,
};
use std::{
    sync::Arc,
    thread::{self, ThreadId},
};

/// Kernels that a driver refuses, for tests.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Names of kernels, or pieces of the text of modules.
    of: Vec<String>,
    /// The device is lost with each of them.
    loses: bool,
}

impl Device {
    /// This device; or its replacement, if it was lost with a kernel that the driver refused.
    ///
    /// # Errors
    /// No adapter, if the replacement can't be opened.
    #[doc(hidden)]
    pub async fn live(&self) -> Result<Self> {
        let mut inner = self.inner.clone();
        while inner.lost_with.get().is_some() {
            let next = match inner.next.get() {
                Some(next) => next.clone(),
                None => {
                    let new = Arc::new(Inner::open(&inner.opener).await?);
                    inner.next.get_or_init(|| new).clone()
                }
            };
            inner = next;
        }
        Ok(Self { inner, ..self.clone() })
    }

    /// Another device of the adapter, to try kernels on. Through Vulkan, wgpu treats a driver's refusal as the loss of
    /// the device, with all trees on it. `None` for other backends, which do not need it.
    ///
    /// # Errors
    /// No adapter, if it can't be opened.
    pub(crate) async fn for_trials(&self) -> Result<Option<Self>> {
        if self.info().backend != Backend::Vulkan {
            return Ok(None);
        }
        let inner = Arc::new(Inner::open(&self.inner.opener).await?);
        Ok(Some(Self { inner, ..self.clone() }))
    }

    /// The cause of a kernel's error: the refusal of another kernel, if the device was lost with that; else the error.
    pub(crate) fn cause_of(&self, error: Error) -> Error {
        self.inner.lost_with.get().cloned().unwrap_or(error)
    }

    /// The extra to leave out after the driver refused kernels with these extras, and the remaining ones. Adds a
    /// notice.
    ///
    /// # Errors
    /// `error`: if it is no refusal, or there is no extra to leave out.
    pub(crate) fn step_down(&self, extras: Extras, error: Error) -> Result<(Extra, Extras)> {
        match extras.plainer() {
            Some((extra, plainer)) if error.is_refused() => {
                let notice = || format!("{error}: searches there use {} instead of {extra}", extra.instead());
                locked(&self.inner.opener.notices).entry(extra).or_insert_with(notice);
                Ok((extra, plainer))
            }
            _ => Err(error),
        }
    }

    /// The same device, whose kernels use no other extras.
    pub(crate) fn with_extras(&self, extras: Extras) -> Self {
        let no_subgroups = self.no_subgroups || !extras.subgroups;
        Self { no_subgroups, no_matrices: self.no_matrices || !extras.matrices, ..self.clone() }
    }

    /// Notices on extras that were left out, since the driver refused kernels.
    #[doc(hidden)]
    pub fn notices(&self) -> Vec<String> {
        locked(&self.inner.opener.notices).values().cloned().collect()
    }

    /// Whether the driver has refused the kernel with this hash.
    pub(in crate::device) fn has_refused(&self, kernel: u64) -> bool {
        locked(&self.inner.opener.refused).contains(&kernel)
    }

    /// Notes that the driver has refused the kernel with this hash.
    pub(in crate::device) fn note_refused(&self, kernel: u64) {
        locked(&self.inner.opener.refused).insert(kernel);
    }

    /// The thread on which the device was lost, if it is.
    pub(crate) fn lost_on(&self) -> Option<ThreadId> {
        self.inner.lost.get().copied()
    }

    /// Notes that the device was lost with the kernel of this refusal, and drops its compiled kernels.
    pub(in crate::device) fn was_lost_with(&self, refusal: &Error) {
        self.inner.compiled.clear();
        self.inner.lost_with.get_or_init(|| refusal.clone());
    }

    /// For tests: the same device with a driver that refuses kernels with these names, or kernels of modules with these
    /// pieces of text. With `loses`, the device is lost with each of them.
    #[doc(hidden)]
    #[must_use]
    pub fn refusing(&self, of: &[&str], loses: bool) -> Self {
        let of = of.iter().map(|&of| of.into()).collect();
        Self { refusal: Some(Arc::new(Refusal { of, loses })), ..self.clone() }
    }

    /// Whether the driver of a test refuses this kernel; loses the device if the test says so.
    pub(in crate::device) fn refuses(&self, name: &str, text: &str) -> bool {
        let is_meant = |of: &String| match text.contains(&format!("fn {of}(")) {
            true => name == of,
            false => text.contains(of),
        };
        let refusal = self.refusal.as_ref().filter(|refusal| refusal.of.iter().any(is_meant));
        if refusal.is_some_and(|refusal| refusal.loses) {
            self.inner.lost.get_or_init(|| thread::current().id());
            self.inner.device.destroy();
        }
        refusal.is_some()
    }
}
