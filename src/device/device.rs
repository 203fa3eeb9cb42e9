//! An opened adapter: its properties, submissions and errors.

mod buffers;
mod refusals;

use crate::{
    device::{
        AdapterInfo,
        extras::Extra,
        features::{self, MATRICES},
        kernels::Compiled,
        segments::Segments,
        submissions::{Submission, Submissions},
        watch::{Checks, Guarded, Watch},
    },
    error::{Error, Result},
    host::locked,
};
pub use buffers::Copied;
use buffers::Uploaded;
use refusals::Refusal;
use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex, OnceLock},
    thread::{self, ThreadId},
};

/// The properties of a device on which modules depend.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Its limits.
    pub limits: &'a wgpu::Limits,
    /// The driver computes on the processor.
    pub software: bool,
    /// Lanes of a subgroup; 0 if kernels can't use subgroups.
    pub subgroup: u32,
    /// Subgroups can multiply matrices of 16 x 16, of f16 with sums of f32.
    pub matrices: bool,
}

/// An opened adapter. Clones are the same device.
#[derive(Debug, Clone)]
pub struct Device {
    inner: Arc<Inner>,
    /// A mistake of its compiler, for tests.
    mistake: Option<Arc<Mistake>>,
    /// The division of nodes into arrays of bindings, if kernels use these.
    segments: Option<Segments>,
    /// Kernels must not use subgroup operations.
    no_subgroups: bool,
    /// Kernels must not use cooperative matrices.
    no_matrices: bool,
    /// Kernels that its driver refuses to compile, for tests.
    refusal: Option<Arc<Refusal>>,
    /// The state of its checks, if it makes any.
    watch: Option<Arc<Watch>>,
}

/// A piece of WGSL, and the text that is compiled in its place.
#[derive(Debug)]
pub(super) struct Mistake {
    pub from: String,
    pub to: String,
}

#[derive(Debug)]
struct Inner {
    device: wgpu::Device,
    queue: wgpu::Queue,
    opener: Arc<Opener>,
    compiled: Compiled,
    failure: Arc<Mutex<Option<Error>>>,
    /// The thread on which wgpu reported that the device is lost.
    lost: Arc<OnceLock<ThreadId>>,
    /// The refusal of a kernel with which the device was lost.
    lost_with: OnceLock<Error>,
    /// The device that replaces it then.
    next: OnceLock<Arc<Inner>>,
    submissions: Submissions,
    /// The network that was uploaded last.
    network: Mutex<Option<Uploaded>>,
}

/// Data to open devices of an adapter. Another one is opened if a device is lost with a refused kernel.
#[derive(Debug)]
struct Opener {
    adapter: wgpu::Adapter,
    info: AdapterInfo,
    limits: wgpu::Limits,
    /// Hashes of the kernels that the driver has refused.
    refused: Mutex<HashSet<u64>>,
    /// Notices on extras that were left out, with the reason.
    notices: Mutex<BTreeMap<Extra, String>>,
}

impl Device {
    pub(super) async fn open(
        adapter: &wgpu::Adapter,
        info: &AdapterInfo,
        limits: wgpu::Limits,
    ) -> Result<Self> {
        let (info, refused, notices) = (info.clone(), Mutex::default(), Mutex::default());
        let opener = Arc::new(Opener { adapter: adapter.clone(), info, limits, refused, notices });
        let inner = Arc::new(Inner::open(&opener).await?);
        Ok(Self {
            inner,
            mistake: None,
            segments: None,
            no_subgroups: false,
            no_matrices: false,
            refusal: None,
            watch: None,
        })
    }

    /// The adapter's properties.
    pub fn info(&self) -> &AdapterInfo {
        &self.inner.opener.info
    }

    /// The limits with which it was opened.
    #[doc(hidden)]
    pub fn limits(&self) -> &wgpu::Limits {
        self.watch.as_ref().map_or(&self.inner.opener.limits, |watch| &watch.limits)
    }

    /// The same device with these checks. Results are the same; a failed check ends a run with the error
    /// [`Overwritten`](crate::ErrorKind::Overwritten).
    #[must_use]
    pub fn checked(&self, checks: Checks) -> Self {
        let watch = Watch::new(checks, &self.inner.opener.limits);
        Self { watch: Some(Arc::new(watch)), ..self.clone() }
    }

    /// Its checks.
    pub fn checks(&self) -> Option<Checks> {
        self.watch.as_ref().map(|watch| watch.checks)
    }

    /// Compares the guard words after all buffers of bound kernels, on a device with checks.
    ///
    /// # Errors
    /// Overwritten, if a word has changed; device lost.
    #[doc(hidden)]
    pub async fn check_guards(&self) -> Result<()> {
        match &self.watch {
            Some(watch) => watch.check(self).await,
            None => Ok(()),
        }
    }

    /// Registers the buffers of a bound kernel for [`check_guards`](Self::check_guards).
    pub(super) fn keep_guards(&self, buffers: impl FnOnce() -> Guarded) -> Option<Arc<Guarded>> {
        self.watch.as_ref().map(|watch| watch.keep(buffers()))
    }

    /// Whether device time stamps are available.
    #[doc(hidden)]
    pub fn has_timestamps(&self) -> bool {
        self.inner.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// The properties on which modules depend.
    #[doc(hidden)]
    pub fn machine(&self) -> Machine<'_> {
        Machine {
            limits: self.limits(),
            software: self.info().is_software(),
            subgroup: if self.no_subgroups { 0 } else { self.subgroup() },
            matrices: !self.no_matrices && self.inner.device.features().contains(MATRICES),
        }
    }

    /// Lanes of a subgroup, if all subgroups have the same number and a ballot fits a word; else 0.
    #[doc(hidden)]
    pub fn subgroup(&self) -> u32 {
        let (least, most) = self.info().limits.subgroup_lanes;
        let has_them = self.inner.device.features().contains(wgpu::Features::SUBGROUP);
        if has_them && least == most && (4..=32).contains(&most) { most } else { 0 }
    }

    /// The same device without subgroup operations.
    #[doc(hidden)]
    #[must_use]
    pub fn without_subgroups(&self) -> Self {
        Self { no_subgroups: true, ..self.clone() }
    }

    /// The greatest number of bindings in the arrays of a kernel; 0 without arrays of bindings.
    #[doc(hidden)]
    pub fn array_bindings(&self) -> u32 {
        self.info().limits.array_bindings
    }

    /// The same device with nodes in segments.
    #[must_use]
    pub(crate) fn with_segments(&self, segments: Segments) -> Self {
        Self { segments: Some(segments), ..self.clone() }
    }

    /// The division of nodes into segments; `None` if one binding holds a whole buffer.
    pub(crate) fn segments(&self) -> Option<Segments> {
        self.segments
    }

    /// The wgpu device.
    #[doc(hidden)]
    pub fn wgpu(&self) -> &wgpu::Device {
        &self.inner.device
    }

    /// The wgpu queue.
    #[doc(hidden)]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.inner.queue
    }

    /// For tests: the same device with a compiler that makes a mistake. It replaces the text `from` in every module by
    /// `to`. Such modules run with all run-time checks, since their indices may be out of bounds.
    #[doc(hidden)]
    #[must_use]
    pub fn with_mistake(&self, from: &str, to: &str) -> Self {
        let mistake = Mistake { from: from.into(), to: to.into() };
        Self { mistake: Some(Arc::new(mistake)), ..self.clone() }
    }

    pub(super) fn mistake(&self) -> Option<&Mistake> {
        self.mistake.as_deref()
    }

    pub(super) fn compiled(&self) -> &Compiled {
        &self.inner.compiled
    }

    /// Returns the first error on the device since the last call, if any.
    ///
    /// # Errors
    /// Out of memory, or device lost.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        locked(&self.inner.failure).take().map_or(Ok(()), Err)
    }

    /// Starts recording.
    #[doc(hidden)]
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Submits recorded work.
    #[doc(hidden)]
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> Submission {
        self.inner.submissions.submit(self.queue(), encoder.finish())
    }

    /// Submits a compute pass.
    pub(crate) fn submit_pass(&self, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> Submission {
        let mut encoder = self.encoder();
        record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        self.submit(encoder)
    }

    /// Waits for a submission. The wait blocks the thread for a millisecond at a time, and yields to other futures in
    /// between and at the start.
    ///
    /// # Errors
    /// Device lost, if the submission does not end.
    #[doc(hidden)]
    pub async fn wait(&self, submission: Submission) -> Result<()> {
        self.inner.submissions.wait(self.wgpu(), &submission).await.map_err(|error| self.lost(error))?;
        self.check()
    }

    fn lost(&self, error: impl std::error::Error + Send + Sync + 'static) -> Error {
        let what = format!("{} stopped working: {error}", self.info().name);
        self.check().err().unwrap_or_else(|| Error::device_lost(what).because(error))
    }
}

impl Inner {
    async fn open(opener: &Arc<Opener>) -> Result<Self> {
        let Opener { adapter, info, limits, .. } = &**opener;
        let used = features::used(adapter, info.backend);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("mcts-wgpu"),
            required_features: used,
            required_limits: limits.clone(),
            experimental_features: super::trusted::experimental(used & MATRICES),
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|error| {
            let what = format!("{} could not be opened: {error}; try another adapter", info.name);
            Error::no_adapter(what).because(error)
        })?;
        let inner = Self {
            device,
            queue,
            opener: opener.clone(),
            compiled: Compiled::default(),
            failure: Arc::default(),
            lost: Arc::default(),
            lost_with: OnceLock::new(),
            next: OnceLock::new(),
            submissions: Submissions::default(),
            network: Mutex::default(),
        };
        inner.keep_failures();
        Ok(inner)
    }

    /// Keeps the first error outside of error scopes for [`Device::check`]: by default wgpu panics.
    fn keep_failures(&self) {
        let Self { device, failure, .. } = self;
        let name = &self.opener.info.name;
        let keep = |failure: &Mutex<Option<Error>>, error: Error| {
            locked(failure).get_or_insert(error);
        };
        let (adapter, kept) = (name.to_owned(), failure.clone());
        device.on_uncaptured_error(Arc::new(move |error| {
            let error = match error {
                wgpu::Error::OutOfMemory { .. } => {
                    Error::out_of_memory(format!("{adapter} ran out of memory: give the search less memory"))
                }
                other => Error::device_lost(format!("{adapter} refused an operation: {other}")),
            };
            keep(&kept, error);
        }));
        let (adapter, kept, lost) = (name.to_owned(), failure.clone(), self.lost.clone());
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                lost.get_or_init(|| thread::current().id());
                keep(&kept, Error::device_lost(format!("{adapter} was lost: {message}")));
            }
        });
    }
}

#[cfg(test)]
impl Device {
    /// A device that does nothing, with generous limits. wgpu validates its work like that of others.
    pub(crate) fn idle() -> Self {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::NOOP;
        descriptor.backend_options.noop = wgpu::NoopBackendOptions {
            enable: true,
            limits: Some(wgpu::Limits {
                max_binding_array_elements_per_shader_stage: 1 << 20,
                ..wgpu::Limits::defaults()
            }),
            ..Default::default()
        };
        let instance = wgpu::Instance::new(descriptor);
        let info = AdapterInfo {
            index: 0,
            backend: crate::device::Backend::Vulkan,
            compiler: None,
            driver: "none".into(),
            name: "idle".into(),
            kind: crate::device::AdapterKind::Discrete,
            limits: crate::device::AdapterLimits {
                max_invocations: 0,
                max_workgroup_bytes: 0,
                max_binding_bytes: 0,
                max_buffer_bytes: 0,
                max_storage_buffers: 0,
                subgroup_lanes: (0, 0),
                timestamps: false,
                max_workgroups: 65_535,
                array_bindings: 1 << 20,
                subgroups: false,
                matrices: false,
            },
        };
        crate::host::block_on(async {
            let adapter = instance.request_adapter(&Default::default()).await.expect("there always is one");
            Self::open(&adapter, &info, adapter.limits()).await.expect("it opens")
        })
    }
}
