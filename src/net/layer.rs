//! A layer of a network: its parameters, and their ranges, within which every engine computes it exactly.

use super::sizes::LayerSpec;
use crate::error::{Error, Result};

/// Sums are below this bound, so that float32 represents them exactly, in any order of summation.
const SUM_BOUND: i64 = 1 << 24;
/// The greatest multiplier and the greatest shift: the product of a sum and a multiplier, plus half a unit of the
/// result, fits 32 bits.
pub(super) const MOST_MULTIPLIER: i32 = 127;
pub(super) const MOST_SHIFT: i32 = 24;

/// A convolution of 3 x 3 cells, or of one cell; a fully connected layer is the latter on one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub(crate) inputs: u32,
    pub(crate) outputs: u32,
    /// Cells that an output reads: 9 or 1.
    pub(crate) taps: u32,
    /// `[output][input][tap]`: tap 3 (dy + 1) + (dx + 1) is the weight of the cell dy rows below and dx columns to the
    /// right.
    pub(crate) weights: Vec<i8>,
    /// `[output]`.
    pub(crate) bias: Vec<i32>,
    /// `[output]`, 1 to 127.
    pub(crate) multiplier: Vec<i32>,
    /// `[output]`, 1 to 24.
    pub(crate) shift: Vec<i32>,
}

impl Layer {
    /// Checks the range of every parameter.
    ///
    /// # Errors
    /// Bad input, with the tensor and the channel, if one is out of range.
    pub(super) fn check(&self, spec: &LayerSpec) -> Result<()> {
        let weights = self.weights.chunks_exact(spec.fan_in());
        for (channel, weights) in weights.enumerate() {
            let wrong = |part: &str, what: String| {
                Err(Error::invalid(format!("tensor {}.{part}, channel {channel}: {what}", spec.name)))
            };
            if weights.contains(&i8::MIN) {
                return wrong("weight", "a weight of -128: weights are -127 to 127".into());
            }
            let (multiplier, shift) = (self.multiplier[channel], self.shift[channel]);
            if !(1..=MOST_MULTIPLIER).contains(&multiplier) {
                return wrong("multiplier", format!("{multiplier}: give 1 to {MOST_MULTIPLIER}"));
            }
            if !(1..=MOST_SHIFT).contains(&shift) {
                return wrong("shift", format!("{shift}: give 1 to {MOST_SHIFT}"));
            }
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            let most = i64::from(self.bias[channel]).abs() + i64::from(spec.most_input) * sum;
            if most >= SUM_BOUND {
                let what =
                    format!("sums may reach {most} with this bias: scale both down, below {SUM_BOUND}");
                return wrong("weight", what);
            }
        }
        Ok(())
    }
}

/// sum * multiplier / 2^shift, rounded: a layer's value before it is clamped.
#[inline(always)]
pub(crate) fn requantized(sum: i32, multiplier: i32, shift: i32) -> i32 {
    (sum * multiplier + (1 << (shift - 1))) >> shift
}
