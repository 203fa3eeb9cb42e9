//! Random numbers of the root's children in searches with a network, in integers: the twin of
//! `shaders/search/net/root_noise.wgsl` (specification, "Exploration at the root").
//!
//! Each child has an exponential random number E, a function of a key and its action. Minus the logarithm of E is a
//! Gumbel variable (Danihelka et al. 2022, "Policy improvement by planning with Gumbel"); 2^(-E / alpha), over the sum
//! of all children's, replaces the Dirichlet noise of AlphaZero.

use glam::UVec4;

/// A key from the state of a random stream.
pub fn key(stream: UVec4) -> u32 {
    mixed(stream.x ^ mixed(stream.y ^ mixed(stream.z ^ mixed(stream.w))))
}

/// 32 random bits of an action.
fn bits(key: u32, action: u32) -> u32 {
    mixed(key ^ mixed(action.wrapping_add(0x9e37_79b9)))
}

/// The finalizer of MurmurHash3.
fn mixed(word: u32) -> u32 {
    let word = (word ^ word >> 16).wrapping_mul(0x85eb_ca6b);
    let word = (word ^ word >> 13).wrapping_mul(0xc2b2_ae35);
    word ^ word >> 16
}

/// The base-2 logarithm of a number above 0, in units of 1/65536: off by at most 40 units.
fn log2(x: u32) -> u32 {
    let exponent = x.ilog2();
    let rest = ((x << (31 - exponent)) >> 15) & 0xffff;
    // A polynomial with the value and the slope of the logarithm at both ends.
    let bow = (rest * (0x10000 - rest)) >> 16;
    (exponent << 16) + rest + ((bow * (29_012 - ((10_748 * rest) >> 16) - ((5_550 * bow) >> 16))) >> 16)
}

/// An exponential random number of mean 1 / ln 2, in units of 1/65536: 1 to 2^21.
fn exponential(key: u32, action: u32) -> u32 {
    (32 << 16) - log2(bits(key, action).max(1))
}

/// A Gumbel random number, in 256ths of a bit as logits are: -1145 to 4231.
pub fn gumbel(key: u32, action: u32) -> i32 {
    // 16 - log2(ln 2)
    const LEVEL: i32 = (16 << 16) + 34_656;
    (LEVEL - log2(exponential(key, action)) as i32) >> 8
}

/// E / alpha for alpha = 10 / count, in 256ths of a bit: the weight of an action's noise at a node with `count`
/// children is 2^-(E / alpha).
pub fn noise_less(key: u32, action: u32, count: u32) -> u32 {
    (exponential(key, action) >> 8) * count / 10
}

/// A share in units of 1/65536, from a number from 0 to 1.
pub fn share(of: f32) -> u32 {
    (f64::from(of) * 65_536.0).round() as u32
}

/// The mean of two numbers up to 65536; the second has the weight `weight` / 65536, above 0.
pub fn mixture(one: u32, other: u32, weight: u32) -> u32 {
    ((one * (0x10000 - weight)) >> 16) + ((u64::from(other) * u64::from(weight)) >> 16) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_close() {
        for k in 0..200_000u32 {
            let x = k.wrapping_mul(2_654_435_761).max(1) >> (k % 32);
            let x = x.max(1);
            let off = f64::from(log2(x)) / 65_536.0 - f64::from(x).log2();
            assert!(off.abs() < 40.0 / 65_536.0, "{x}: {off}");
        }
        assert_eq!((log2(1), log2(2), log2(1 << 31)), (0, 1 << 16, 31 << 16));
        assert!(log2(u32::MAX) < 32 << 16);
    }

    #[test]
    fn gumbel_variables_have_their_distribution() {
        let count = 400_000;
        let mut all: Vec<_> = (0..count).map(|k| gumbel(key(UVec4::new(k, 7, 1, k / 3)), k % 361)).collect();
        all.sort_unstable();
        for quantile in [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999f64] {
            let expected = -(-quantile.ln()).ln() * 256.0 / std::f64::consts::LN_2;
            let found = f64::from(all[(quantile * f64::from(count)) as usize]);
            assert!(
                (found - expected).abs() < 12.0 + 0.02 * expected.abs(),
                "{quantile}: {found}, not {expected}"
            );
        }
    }

    #[test]
    fn mixtures_lie_between() {
        assert_eq!((mixture(65_535, 65_536, 65_536), mixture(65_536, 0, 1)), (65_536, 65_535));
        assert_eq!((mixture(65_535, 1, 16_384), share(0.25)), (49_151, 16_384));
    }
}
