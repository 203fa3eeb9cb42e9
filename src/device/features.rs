//! The features of adapters that kernels use.

use super::Backend;

/// Arrays of storage buffers that each invocation indexes by itself.
pub(super) const ARRAYS: wgpu::Features = wgpu::Features::BUFFER_BINDING_ARRAY
    .union(wgpu::Features::STORAGE_RESOURCE_BINDING_ARRAY)
    .union(wgpu::Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING);

/// Products of matrices by subgroups, and the other features of their kernels.
pub(super) const MATRICES: wgpu::Features = wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX
    .union(wgpu::Features::SHADER_F16)
    .union(wgpu::Features::SUBGROUP);

/// The features that kernels use on an adapter.
pub(super) fn used(adapter: &wgpu::Adapter, backend: Backend) -> wgpu::Features {
    // Browsers require `enable subgroups` for subgroup operations, which naga refuses.
    let subgroups = match backend {
        Backend::WebGpu => wgpu::Features::empty(),
        _ => wgpu::Features::SUBGROUP,
    };
    let matrices = if offers_matrices(adapter) { MATRICES } else { wgpu::Features::empty() };
    adapter.features() & (wgpu::Features::TIMESTAMP_QUERY | subgroups | ARRAYS | matrices)
}

/// Whether an adapter has products of matrices of 16 x 16 of f16, with sums of f32.
fn offers_matrices(adapter: &wgpu::Adapter) -> bool {
    use wgpu::CooperativeScalarType::{F16, F32};
    let offered = adapter.cooperative_matrix_properties();
    let is_known = |kind: &wgpu::CooperativeMatrixProperties| {
        [kind.m_size, kind.n_size, kind.k_size] == [16; 3] && (kind.ab_type, kind.cr_type) == (F16, F32)
    };
    adapter.features().contains(MATRICES) && offered.iter().any(is_known)
}
