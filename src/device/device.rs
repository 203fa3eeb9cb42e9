//! An opened adapter: memory, submissions, read-backs, and what went wrong on it.

use crate::{
    device::{
        AdapterInfo, Backend,
        extras::{Extra, Extras},
        features::{self, MATRICES},
        kernels::Compiled,
        segments::Segments,
        ticket::{Line, Ticket},
        watch::{Checks, GUARD, Guarded, Watch, is_guarded},
    },
    error::{Error, Result},
    net::NetKernel,
};
use bytemuck::AnyBitPattern;
use std::{
    collections::{BTreeMap, HashSet},
    marker::PhantomData,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{self, ThreadId},
};

/// What of a device decides about the modules that suit it.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Its limits.
    pub limits: &'a wgpu::Limits,
    /// It computes on the processor.
    pub software: bool,
    /// Lanes of its subgroups; 0 where kernels can't use them.
    pub subgroup: u32,
    /// Kernels can multiply matrices of 16 x 16, of f16 with sums of f32, by a subgroup.
    pub matrices: bool,
}

/// An opened adapter. Clones are the same device.
#[derive(Debug, Clone)]
pub struct Device {
    inner: Arc<Inner>,
    /// What its compiler makes of the shaders otherwise than it should: only tests give it one.
    mistake: Option<Arc<Mistake>>,
    /// Where its kernels have their nodes in arrays of bindings.
    segments: Option<Segments>,
    /// Do its kernels use no subgroup operations, though there are some?
    leaves_subgroups: bool,
    /// Its kernels use no cooperative matrices.
    leaves_matrices: bool,
    /// Kernels that its driver refuses to compile: only tests give it some.
    refusal: Option<Arc<Refusal>>,
    /// What it keeps for its checks, if it makes any.
    watch: Option<Arc<Watch>>,
}

/// Values on their way from a buffer.
#[derive(Debug)]
#[doc(hidden)]
pub struct Copied<T> {
    device: Device,
    staging: wgpu::Buffer,
    bytes: u64,
    ticket: Ticket,
    of: PhantomData<T>,
}

impl<T: AnyBitPattern> Copied<T> {
    /// Waits for them.
    ///
    /// # Errors
    /// Device lost.
    pub async fn read(self) -> Result<Vec<T>> {
        let Self { device, staging, bytes, ticket, .. } = self;
        let values = |read: &[u8]| {
            read[..bytes as usize].chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
        };
        device.read_staged(&staging, staging.size(), ticket, values).await
    }
}

/// A piece of WGSL, and what is compiled in its place.
#[derive(Debug)]
pub(super) struct Mistake {
    pub from: String,
    pub to: String,
}

/// Kernels that a driver refuses.
#[derive(Debug)]
struct Refusal {
    /// Names of some, or parts of the text of modules.
    of: Vec<String>,
    /// Is the device lost with each of them?
    loses: bool,
}

#[derive(Debug)]
struct Inner {
    device: wgpu::Device,
    queue: wgpu::Queue,
    opener: Arc<Opener>,
    compiled: Compiled,
    failure: Arc<Mutex<Option<Error>>>,
    /// The thread that wgpu told that the device is lost.
    lost: Arc<OnceLock<ThreadId>>,
    /// The refusal of a kernel with which the device was lost.
    lost_with: OnceLock<Error>,
    /// The device that was opened in its place then.
    next: OnceLock<Arc<Inner>>,
    line: Line,
    /// The network that was uploaded last.
    network: Mutex<Option<Uploaded>>,
}

/// A network on a device: its digest, the kernel that it is for, and its buffers, by name.
#[derive(Debug)]
struct Uploaded {
    digest: u64,
    kernel: NetKernel,
    buffers: Vec<(&'static str, wgpu::Buffer)>,
}

/// What devices are opened from: another one, where a driver gives the last one up.
#[derive(Debug)]
struct Opener {
    adapter: wgpu::Adapter,
    info: AdapterInfo,
    limits: wgpu::Limits,
    /// Hashes of the kernels that the driver has refused.
    refused: Mutex<HashSet<u64>>,
    /// For people: what kernels do without since then, and why.
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
            leaves_subgroups: false,
            leaves_matrices: false,
            refusal: None,
            watch: None,
        })
    }

    /// This device; or that which is open in its place, where it was lost with a kernel that the driver refused.
    ///
    /// # Errors
    /// No adapter, where another one can't be opened.
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

    /// A device of the same adapter for kernels to be tried on, where this one would be lost with them, and the trees
    /// that it has: through Vulkan wgpu takes a driver's refusal for the loss of the device.
    ///
    /// # Errors
    /// No adapter, where it can't be opened.
    pub(crate) async fn for_trials(&self) -> Result<Option<Self>> {
        if self.info().backend != Backend::Vulkan {
            return Ok(None);
        }
        let inner = Arc::new(Inner::open(&self.inner.opener).await?);
        Ok(Some(Self { inner, ..self.clone() }))
    }

    /// The error of a kernel; where the device was lost with another one that was compiled at the same time, that one's
    /// refusal.
    pub(crate) fn cause_of(&self, error: Error) -> Error {
        self.inner.lost_with.get().cloned().unwrap_or(error)
    }

    /// The extra to leave out after the driver refused kernels with these extras, and the remaining ones. Adds a notice.
    ///
    /// # Errors
    /// `error`: if it is no refusal, or there is no extra to leave out.
    pub(crate) fn step_down(&self, extras: Extras, error: Error) -> Result<(Extra, Extras)> {
        match extras.plainer() {
            Some((extra, plainer)) if error.is_refused() => {
                let notice =
                    || format!("{error}: searches there do with {} instead of {extra}", extra.instead());
                locked(&self.inner.opener.notices).entry(extra).or_insert_with(notice);
                Ok((extra, plainer))
            }
            _ => Err(error),
        }
    }

    /// The same device, whose kernels use no other extras.
    pub(crate) fn with_extras(&self, extras: Extras) -> Self {
        let leaves_subgroups = self.leaves_subgroups || !extras.subgroups;
        Self { leaves_subgroups, leaves_matrices: self.leaves_matrices || !extras.matrices, ..self.clone() }
    }

    /// For people: what its kernels do without, since the driver has refused others.
    #[doc(hidden)]
    pub fn notices(&self) -> Vec<String> {
        locked(&self.inner.opener.notices).values().cloned().collect()
    }

    /// Has the driver refused the kernel of this hash?
    pub(super) fn has_refused(&self, kernel: u64) -> bool {
        locked(&self.inner.opener.refused).contains(&kernel)
    }

    /// The driver refused the kernel of this hash.
    pub(super) fn note_refused(&self, kernel: u64) {
        locked(&self.inner.opener.refused).insert(kernel);
    }

    /// The thread on which the device was lost, if it is.
    pub(crate) fn lost_on(&self) -> Option<ThreadId> {
        self.inner.lost.get().copied()
    }

    /// The device was lost with the kernel of this refusal. Nothing that it has compiled is of use any more.
    pub(super) fn was_lost_with(&self, refusal: &Error) {
        self.inner.compiled.clear();
        self.inner.lost_with.get_or_init(|| refusal.clone());
    }

    /// For tests: the same device, whose driver refuses to compile kernels by their names, or else all that have
    /// a piece of text in their modules, and `loses` the device with each of them.
    #[doc(hidden)]
    #[must_use]
    pub fn refusing(&self, of: &[&str], loses: bool) -> Self {
        let of = of.iter().map(|&of| of.into()).collect();
        Self { refusal: Some(Arc::new(Refusal { of, loses })), ..self.clone() }
    }

    /// Does the driver of a test refuse this kernel? The device is as it is then.
    pub(super) fn refuses(&self, name: &str, text: &str) -> bool {
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

    /// What is known of the adapter.
    pub fn info(&self) -> &AdapterInfo {
        &self.inner.opener.info
    }

    /// The limits it was opened with.
    #[doc(hidden)]
    pub fn limits(&self) -> &wgpu::Limits {
        self.watch.as_ref().map_or(&self.inner.opener.limits, |watch| &watch.limits)
    }

    /// The same device, which makes these checks. Its results are the same; a check that fails ends a run with an error
    /// ([`Overwritten`](crate::ErrorKind::Overwritten)).
    #[must_use]
    pub fn checked(&self, checks: Checks) -> Self {
        let watch = Watch::new(checks, &self.inner.opener.limits);
        Self { watch: Some(Arc::new(watch)), ..self.clone() }
    }

    /// The checks that it makes.
    pub fn checks(&self) -> Option<Checks> {
        self.watch.as_ref().map(|watch| watch.checks)
    }

    /// Looks at the words behind all buffers that kernels are bound to, where the device checks its memory.
    ///
    /// # Errors
    /// Overwritten, where some have changed; device lost.
    #[doc(hidden)]
    pub async fn look_at_guards(&self) -> Result<()> {
        match &self.watch {
            Some(watch) => watch.look(self).await,
            None => Ok(()),
        }
    }

    /// Remembers the buffers of a bound kernel for [`look_at_guards`](Self::look_at_guards).
    pub(super) fn keep_guards(&self, buffers: impl FnOnce() -> Guarded) -> Option<Arc<Guarded>> {
        self.watch.as_ref().map(|watch| watch.keep(buffers()))
    }

    /// The bytes of a buffer, without those behind it that a check looks at.
    pub(crate) fn room(&self, buffer: &wgpu::Buffer) -> u64 {
        let has_guard = self.watch.is_some() && is_guarded(buffer.usage());
        buffer.size() - if has_guard { GUARD } else { 0 }
    }

    /// Device time stamps can be taken.
    #[doc(hidden)]
    pub fn has_timestamps(&self) -> bool {
        self.inner.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// What decides about the modules that suit it.
    #[doc(hidden)]
    pub fn machine(&self) -> Machine<'_> {
        Machine {
            limits: self.limits(),
            software: self.info().is_software(),
            subgroup: if self.leaves_subgroups { 0 } else { self.subgroup() },
            matrices: !self.leaves_matrices && self.inner.device.features().contains(MATRICES),
        }
    }

    /// Lanes of its subgroups, where all have as many and a ballot has a word; else 0.
    #[doc(hidden)]
    pub fn subgroup(&self) -> u32 {
        let (least, most) = self.info().limits.subgroup_lanes;
        let has_them = self.inner.device.features().contains(wgpu::Features::SUBGROUP);
        if has_them && least == most && (4..=32).contains(&most) { most } else { 0 }
    }

    /// The same device, whose kernels use no subgroup operations.
    #[doc(hidden)]
    #[must_use]
    pub fn without_subgroups(&self) -> Self {
        Self { leaves_subgroups: true, ..self.clone() }
    }

    /// Bindings that arrays of them may have in a kernel; 0 where there are no arrays.
    #[doc(hidden)]
    pub fn array_bindings(&self) -> u32 {
        self.info().limits.array_bindings
    }

    /// The same device, whose kernels have their nodes in segments.
    #[must_use]
    pub(crate) fn with_segments(&self, segments: Segments) -> Self {
        Self { segments: Some(segments), ..self.clone() }
    }

    /// How its kernels have their nodes in segments; none where one binding holds all of a buffer.
    pub(crate) fn segments(&self) -> Option<Segments> {
        self.segments
    }

    /// The wgpu device.
    #[doc(hidden)]
    pub fn wgpu(&self) -> &wgpu::Device {
        &self.inner.device
    }

    /// Its queue.
    #[doc(hidden)]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.inner.queue
    }

    /// For tests: the same device with a compiler that makes a mistake. In every module that has the text `from` it
    /// reads `to` there; such modules run with all run-time checks, since they may leave their bounds.
    #[doc(hidden)]
    #[must_use]
    pub fn with_mistake(&self, from: &str, to: &str) -> Self {
        let mistake = Mistake { from: from.into(), to: to.into() };
        Self { mistake: Some(Arc::new(mistake)), ..self.clone() }
    }

    pub(super) fn mistake(&self) -> Option<&Mistake> {
        self.mistake.as_deref()
    }

    /// Its kernels.
    pub(super) fn compiled(&self) -> &Compiled {
        &self.inner.compiled
    }

    /// The first thing that went wrong on the device since the last check, if anything did.
    ///
    /// # Errors
    /// Out of memory, or device lost.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        locked(&self.inner.failure).take().map_or(Ok(()), Err)
    }

    /// A buffer of at least `bytes` bytes (and at least 16) that hold nothing to be relied on.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn buffer(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let Some(watch) = &self.watch else { return self.create(label, bytes, usage).await };
        let guard = if is_guarded(usage) { GUARD } else { 0 };
        let bytes = bytes.max(16).next_multiple_of(16) + guard;
        let buffer = self.create(label, bytes, watch.usage(usage)).await?;
        if guard > 0 {
            watch.fill(self, &buffer);
        }
        Ok(buffer)
    }

    /// A buffer full of zeros, for kernels that rely on them.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn zeros(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let buffer = self.buffer(label, bytes, usage | wgpu::BufferUsages::COPY_DST).await?;
        // wgpu clears what nothing was written to.
        if self.watch.is_some() {
            let mut encoder = self.encoder();
            self.clear(&buffer, &mut encoder);
            self.submit(encoder);
        }
        Ok(buffer)
    }

    /// Records that a buffer becomes full of zeros.
    pub(crate) fn clear(&self, buffer: &wgpu::Buffer, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(buffer, 0, Some(self.room(buffer)));
    }

    async fn create(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let scope = self.wgpu().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let size = bytes.max(16).next_multiple_of(16);
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let buffer = self.wgpu().create_buffer(&descriptor);
        match scope.pop().await {
            None => Ok(buffer),
            Some(_) => Err(Error::out_of_memory(format!(
                "{} has no room for {:.1} GiB of {label}: give the search less memory",
                self.info().name,
                size as f64 / f64::from(1 << 30)
            ))),
        }
    }

    /// Gives the memory of dropped buffers back, once the work that used them has ended.
    ///
    /// # Errors
    /// Device lost.
    #[doc(hidden)]
    pub fn reclaim(&self) -> Result<()> {
        self.inner.line.look(self.wgpu()).map_err(|error| self.lost(error))?;
        self.check()
    }

    /// The tables of a game, if it has any, in a buffer of their own.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn tables(&self, words: &[u32]) -> Result<Option<wgpu::Buffer>> {
        if words.is_empty() {
            return Ok(None);
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let buffer = self.buffer("game_tables", 4 * words.len() as u64, usage).await?;
        self.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        Ok(Some(buffer))
    }

    /// The buffers of a network, if it is the one that was uploaded last for this kernel.
    pub(crate) fn uploaded(
        &self,
        digest: u64,
        kernel: NetKernel,
    ) -> Option<Vec<(&'static str, wgpu::Buffer)>> {
        let last = self.inner.network.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            last.as_ref().filter(|last| self.is_plain() && (last.digest, last.kernel) == (digest, kernel));
        same.map(|last| last.buffers.clone())
    }

    /// Keeps the buffers of a network for the next program of the same one.
    pub(crate) fn keep_uploaded(
        &self,
        digest: u64,
        kernel: NetKernel,
        buffers: &[(&'static str, wgpu::Buffer)],
    ) {
        if self.is_plain() {
            let uploaded = Uploaded { digest, kernel, buffers: buffers.to_vec() };
            *self.inner.network.lock().unwrap_or_else(PoisonError::into_inner) = Some(uploaded);
        }
    }

    /// It makes no checks, which buffers have words for, and no mistakes.
    fn is_plain(&self) -> bool {
        self.watch.is_none() && self.mistake.is_none()
    }

    /// Starts recording.
    #[doc(hidden)]
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Hands recorded work over to the device.
    #[doc(hidden)]
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> Ticket {
        self.inner.line.submit(self.queue(), encoder.finish())
    }

    /// Waits until what was handed over has ended. A program's thread is kept for a millisecond at a time; others of
    /// its futures have their turn in between, the first time before any waiting.
    ///
    /// # Errors
    /// Device lost, where it does not end.
    #[doc(hidden)]
    pub async fn wait(&self, ticket: Ticket) -> Result<()> {
        self.inner.line.wait(self.wgpu(), &ticket).await.map_err(|error| self.lost(error))?;
        self.check()
    }

    /// Reads the first `count` values of a buffer that can be copied from.
    ///
    /// # Errors
    /// Device lost or out of memory.
    #[doc(hidden)]
    pub async fn read<T: AnyBitPattern>(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<T>> {
        self.copy_out(buffer, count).await?.read().await
    }

    /// Begins to read the first `count` values of a buffer that can be copied from, as they are after all that has been
    /// handed over. What is handed over then does not have to wait until they are read.
    ///
    /// # Errors
    /// Out of memory.
    #[doc(hidden)]
    pub async fn copy_out<T>(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Copied<T>> {
        let bytes = (count * size_of::<T>()) as u64;
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = self.buffer("read-back", bytes, usage).await?;
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes.next_multiple_of(4));
        let ticket = self.submit(encoder);
        Ok(Copied { device: self.clone(), staging, bytes, ticket, of: PhantomData })
    }

    /// Waits for a submission that copies to a staging buffer, and hands the first `bytes` bytes there to `take`.
    ///
    /// # Errors
    /// Device lost or out of memory.
    #[doc(hidden)]
    pub async fn read_staged<R>(
        &self,
        staging: &wgpu::Buffer,
        bytes: u64,
        ticket: Ticket,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        let mapped = self.inner.line.map(staging, bytes);
        self.wait(ticket).await?;
        mapped.await;
        let view = staging.get_mapped_range(0..bytes).map_err(|error| self.lost(error))?;
        let taken = take(&view);
        drop(view);
        staging.unmap();
        Ok(taken)
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
            line: Line::default(),
            network: Mutex::default(),
        };
        inner.keep_failures();
        Ok(inner)
    }

    /// wgpu panics on errors that no call waits for; here the first one is kept for [`Device::check`].
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
                    Error::out_of_memory(format!("{adapter} ran out of memory: give the search less"))
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

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
impl Device {
    /// A device that does nothing, with whatever there is to ask for: wgpu checks what it is handed as it does for
    /// others.
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
