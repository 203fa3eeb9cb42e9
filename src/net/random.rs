//! Networks of random numbers, for tests and benchmarks.

use super::{
    Layer, Network, Sizes,
    layer::{MOST_MULTIPLIER, MOST_SHIFT},
    sizes::LayerSpec,
};
use crate::{
    error::Result,
    exact::rng::{Stream, weighted_ordinal},
};

const MOST_WEIGHT: u32 = 127;
/// A bound of sums without their bias.
const MOST_SUM: u32 = (1 << 24) - (1 << 20);
/// The approximate root mean square of a layer's values.
const SPREAD: f64 = 32.0;
/// The approximate root mean square of logits: two bits.
const LOGIT_SPREAD: f64 = 512.0;

impl Network {
    /// A network of random parameters, for any sizes. Most of its activations are between 0 and 127, exclusive.
    ///
    /// # Errors
    /// Bad input if a size is out of its range.
    pub fn random(sizes: Sizes, seed: u64) -> Result<Self> {
        let mut stream = Stream::seeded(seed);
        let residual = SPREAD / f64::from(sizes.blocks.max(1)).sqrt();
        Self::build(format!("random-{seed}"), sizes, |spec| {
            // Biases of blocks would add up. Elsewhere, a bias makes heads of few channels differ from zero in some
            // positions.
            let (spread, bias) = match spec.name.rsplit('.').next() {
                Some("second") => (residual, 0.0),
                Some("dense") => (LOGIT_SPREAD, 0.0),
                _ => (SPREAD, 0.5),
            };
            Ok(spec.random(&mut stream, spread, bias))
        })
    }
}

impl LayerSpec {
    /// A layer whose values have the root mean square `spread`, if its inputs have [`SPREAD`]. `bias` is the mean of
    /// its biases relative to the root mean square of its sums.
    fn random(&self, stream: &mut Stream, spread: f64, bias: f64) -> Layer {
        let fan_in = self.fan_in() as u32;
        let most = MOST_WEIGHT.min(MOST_SUM / (self.most_input * fan_in));
        let mut within = |most: u32| weighted_ordinal(stream.next_u64(), 2 * most + 1) as i32 - most as i32;
        let mut weights: Vec<i32> = (0..self.outputs * fan_in).map(|_| within(most)).collect();
        weights.chunks_mut(fan_in as usize).for_each(|weights| balance(weights, most as i32));
        // The spread of uniform numbers from -most to most, and of bits of which a quarter is set.
        let weight_spread = (f64::from(most * (most + 1)) / 3.0).sqrt();
        let input_spread = if self.most_input == 1 { 0.5 } else { SPREAD };
        let sum_spread = weight_spread * input_spread * f64::from(fan_in).sqrt();
        let bias = (bias * sum_spread) as i32;
        let bias = (0..self.outputs).map(|_| bias + within(sum_spread as u32 / 2)).collect();
        let (scale, shift) = scale(spread / sum_spread);
        // The scale times 0.75 to 1.25.
        let multiplier = |_| (scale + within(scale as u32 / 4)).clamp(1, MOST_MULTIPLIER);
        Layer {
            inputs: self.inputs,
            outputs: self.outputs,
            taps: self.taps,
            weights: weights.into_iter().map(|weight| weight as i8).collect(),
            bias,
            multiplier: (0..self.outputs).map(multiplier).collect(),
            shift: vec![shift; self.outputs as usize],
        }
    }
}

/// Subtracts the mean from weights: as inputs are never negative, another mean would shift an output in all positions.
fn balance(weights: &mut [i32], most: i32) {
    let mean = weights.iter().sum::<i32>() / weights.len() as i32;
    weights.iter_mut().for_each(|weight| *weight = (*weight - mean).clamp(-most, most));
}

/// The multiplier, as great as possible, and the shift of a factor: multiplier / 2^shift.
fn scale(factor: f64) -> (i32, i32) {
    let (mut multiplier, mut shift) = (2.0 * factor, 1);
    while 2.0 * multiplier <= f64::from(MOST_MULTIPLIER) && shift < MOST_SHIFT {
        (multiplier, shift) = (2.0 * multiplier, shift + 1);
    }
    (multiplier as i32, shift)
}
