//! A minimal harness for shader code: one kernel, a few buffers of words, every adapter of this machine.

use std::sync::{Mutex, MutexGuard, PoisonError};
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// Words that a kernel has not written read as this, so that "wrote 0" and "never wrote" differ.
pub const UNWRITTEN: u32 = u32::MAX;

/// One adapter of this machine, opened with its own limits.
pub struct Gpu {
    /// Name and backend, for messages.
    pub name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// A compiled shader with entry point `main`.
pub struct Kernel<'a> {
    gpu: &'a Gpu,
    pipeline: wgpu::ComputePipeline,
}

/// Software adapters use every core, and some drivers dislike being opened from several threads at a time:
/// the tests of one process take turns.
static TURN: Mutex<()> = Mutex::new(());

/// Every adapter that can compute, and the right to use them while it lives.
pub struct Adapters {
    /// At least one.
    pub gpus: Vec<Gpu>,
    _turn: MutexGuard<'static, ()>,
}

impl Adapters {
    /// Opens the adapters of all backends; panics where there is none.
    pub fn open() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let gpus: Vec<Gpu> =
            adapters.iter().filter(|adapter| can_compute(adapter)).filter_map(Gpu::open).collect();
        assert!(
            !gpus.is_empty(),
            "no adapter that can compute: install a Vulkan or GL driver (Mesa has both)"
        );
        Self { gpus, _turn: turn }
    }
}

fn can_compute(adapter: &wgpu::Adapter) -> bool {
    let flags = adapter.get_downlevel_capabilities().flags;
    flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
        && adapter.limits().max_storage_buffers_per_shader_stage >= 4
}

impl Gpu {
    /// None through GL where it gives no device, which NVIDIA's does not without a display.
    fn open(adapter: &wgpu::Adapter) -> Option<Self> {
        let info = adapter.get_info();
        let name = format!("{} ({})", info.name, info.backend);
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        match pollster::block_on(adapter.request_device(&descriptor)) {
            Ok((device, queue)) => Some(Self { name, device, queue }),
            Err(error) if info.backend == wgpu::Backend::Gl => {
                eprintln!("{name} gives no device and is left out: {error}");
                None
            }
            Err(error) => panic!("{name} gives no device: {error}"),
        }
    }

    /// Compiles files of WGSL, put one after the other.
    pub fn kernel(&self, files: &[&str]) -> Kernel<'_> {
        let source = wgpu::ShaderSource::Wgsl(files.concat().into());
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            // As the library does it: no kernel reads workgroup memory that it has not written.
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        Kernel { gpu: self, pipeline }
    }

    fn buffer(&self, words: &[u32]) -> wgpu::Buffer {
        self.device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        })
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.expect("the result maps"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device goes on");
        let view = buffer.get_mapped_range(..).expect("the result is mapped");
        bytemuck::pod_collect_to_vec(&view)
    }
}

impl Kernel<'_> {
    /// Runs one dispatch. The inputs are bound at group 0 from binding 0 on, the result of `result_words`
    /// words at the binding after them; the shader must use every one of them.
    pub fn run(&self, inputs: &[&[u32]], result_words: usize, workgroups: u32) -> Vec<u32> {
        let Gpu { device, queue, .. } = self.gpu;
        let mut buffers: Vec<_> = inputs.iter().map(|words| self.gpu.buffer(words)).collect();
        buffers.push(self.gpu.buffer(&vec![UNWRITTEN; result_words]));
        let entries: Vec<_> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let result = &buffers[inputs.len()];
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: result.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });

        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            pass.dispatch_workgroups(workgroups, 1, 1);
        }
        encoder.copy_buffer_to_buffer(result, 0, &staging, 0, result.size());
        queue.submit([encoder.finish()]);
        self.gpu.read(&staging)
    }
}
