//! The ways to make steps: what kernels use beyond what every adapter has. A driver that refuses the kernels of one way
//! gets those of the next, which does without one thing more; the last one has nothing but what WebGPU has everywhere.

use crate::names::named;

named! {
    /// What kernels may use, and do without where a driver refuses them; the first to be left out comes first.
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
    /// What is done without it.
    pub(crate) fn instead(self) -> &'static str {
        match self {
            Self::Matrices => "dot products",
            Self::Arrays => "chunks of memory",
            Self::Subgroups => "barriers",
            Self::Fused => "staged steps",
        }
    }
}

/// What the kernels of a search use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    pub matrices: bool,
    pub arrays: bool,
    pub subgroups: bool,
    pub fused: bool,
}

impl Way {
    /// The next way, and what it does without; none from the plainest one.
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
    fn every_way_leads_down_to_the_plainest() {
        for bits in 0..16 {
            let has = |bit| bits & bit > 0;
            let mut way = Way { arrays: has(1), subgroups: has(2), fused: has(4), matrices: has(8) };
            let mut left_out = Vec::new();
            while let Some((extra, plainer)) = way.plainer() {
                left_out.push(extra);
                way = plainer;
            }
            assert_eq!(left_out.len(), u32::count_ones(bits) as usize);
            assert!(
                left_out.is_sorted() && !(way.matrices || way.arrays || way.subgroups || way.fused),
                "{bits} {left_out:?}"
            );
        }
    }
}
