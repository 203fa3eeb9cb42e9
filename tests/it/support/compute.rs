//! A minimal harness for shader code: one kernel, a few buffers of words, every adapter of this machine.

use super::adapters::Devices;
use mcts_wgpu::engine::Device;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// The content of words that a kernel has not written, so that "wrote 0" and "never wrote" differ.
pub const UNWRITTEN: u32 = u32::MAX;

/// One adapter of this machine.
pub struct Gpu {
    /// Name and backend, for messages.
    pub name: String,
    device: Device,
}

/// A compiled shader with entry point `main`.
pub struct Kernel<'a> {
    gpu: &'a Gpu,
    pipeline: wgpu::ComputePipeline,
}

/// Every adapter, and the right to use them until this is dropped.
pub struct Adapters {
    /// At least one.
    pub gpus: Vec<Gpu>,
    _devices: Devices,
}

impl Adapters {
    pub fn open() -> Self {
        let devices = Devices::open_every();
        let name = |device: &Device| format!("{} ({})", device.info().name, device.info().backend.name());
        let gpu = |device: &Device| Gpu { name: name(device), device: device.clone() };
        Self { gpus: devices.all.iter().map(gpu).collect(), _devices: devices }
    }
}

impl Gpu {
    /// Lanes of its subgroups; 0 if kernels can't use them.
    pub fn subgroup(&self) -> u32 {
        self.device.subgroup()
    }

    /// Compiles files of WGSL, put one after the other.
    pub fn kernel(&self, files: &[&str]) -> Kernel<'_> {
        let source = wgpu::ShaderSource::Wgsl(files.concat().into());
        let device = self.device.wgpu();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            // As in the library: no kernel reads workgroup memory that it has not written.
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        Kernel { gpu: self, pipeline }
    }

    fn buffer(&self, words: &[u32]) -> wgpu::Buffer {
        self.device.wgpu().create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        })
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.expect("the result maps"));
        self.device.wgpu().poll(wgpu::PollType::wait_indefinitely()).expect("the device goes on");
        let view = buffer.get_mapped_range(..).expect("the result is mapped");
        bytemuck::pod_collect_to_vec(&view)
    }
}

impl Kernel<'_> {
    /// Runs one dispatch. The inputs are bound at group 0 from binding 0 on, the result of `result_words`
    /// words at the binding after them; the shader must use every one of them.
    pub fn run(&self, inputs: &[&[u32]], result_words: usize, workgroups: u32) -> Vec<u32> {
        let (device, queue) = (self.gpu.device.wgpu(), self.gpu.device.queue());
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
