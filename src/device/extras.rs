//! Fallbacks of kernels: if a driver refuses kernels, plainer ones replace them, with one extra less; the plainest use
//! features of WebGPU's core only.

use crate::names::named;

named! {
    /// Extras of kernels beyond WebGPU, which are left out where a driver refuses them, in this order.
    #[non_exhaustive]
    pub enum Extra: "extra of kernels" {
        /// Cooperative matrices, which evaluate a network.
        Matrices = "cooperative matrices",
        /// Arrays of bindings, for more nodes than a binding holds.
        Arrays = "arrays of bindings",
        /// Subgroup operations.
        Subgroups = "subgroup operations",
        /// Kernels that join the stages of a step.
        Fused = "fused steps",
    }
}

impl Extra {
    /// The replacement, in words.
    pub(crate) fn instead(self) -> &'static str {
        match self {
            Self::Matrices => "dot products",
            Self::Arrays => "chunks of memory",
            Self::Subgroups => "barriers",
            Self::Fused => "staged steps",
        }
    }
}

/// The extras that the kernels of a search use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extras {
    pub matrices: bool,
    pub arrays: bool,
    pub subgroups: bool,
    pub fused: bool,
}

impl Extras {
    /// The next plainer kernels, and the extra that they leave out; `None` for the plainest.
    pub fn plainer(self) -> Option<(Extra, Self)> {
        let Self { matrices, arrays, subgroups, fused } = self;
        match () {
            () if matrices => Some((Extra::Matrices, Self { matrices: false, ..self })),
            () if arrays => Some((Extra::Arrays, Self { arrays: false, ..self })),
            () if subgroups => Some((Extra::Subgroups, Self { subgroups: false, ..self })),
            () if fused => Some((Extra::Fused, Self { fused: false, ..self })),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_are_left_out_one_by_one() {
        for bits in 0..16 {
            let has = |bit| bits & bit > 0;
            let mut extras = Extras { arrays: has(1), subgroups: has(2), fused: has(4), matrices: has(8) };
            let mut left_out = Vec::new();
            while let Some((extra, plainer)) = extras.plainer() {
                left_out.push(extra);
                extras = plainer;
            }
            assert_eq!(left_out.len(), u32::count_ones(bits) as usize);
            assert!(
                left_out.is_sorted()
                    && !(extras.matrices || extras.arrays || extras.subgroups || extras.fused),
                "{bits} {left_out:?}"
            );
        }
    }
}
