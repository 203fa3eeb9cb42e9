//! The kernels that evaluate a network on a device.

use crate::names::named;

named! {
    /// The kernel that evaluates a network on a device. All kernels have the same outputs.
    #[non_exhaustive]
    #[derive(Default)]
    pub enum NetKernel: "kernel of a network" {
        /// The fastest one that the adapter supports.
        #[default]
        Auto = "auto",
        /// Products of cooperative matrices (tensor cores).
        Tensor = "tensor",
        /// Dot products of four bytes (`dot4I8Packed`).
        Dot = "dot",
        /// Products of single numbers.
        Plain = "plain",
    }
}
