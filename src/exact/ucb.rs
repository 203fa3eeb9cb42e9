//! The exact upper confidence bound, the twin of `shaders/lib/ucb.wgsl`.
//!
//! The bound of a child with n visits and n_wins wins, whose parent has N visits, is
//!
//! ```text
//! float32( fma( sqrt( ln(N) / n ), C, n_wins / float64(float32(n)) ) ),   + infinity where n = 0
//! ```
//!
//! with every operation but the outer rounding in float64 and correctly rounded (specification, "One step", 1).
//! Division, square root and fused multiply-add are correctly rounded wherever IEEE 754 holds. The logarithm is not, so
//! [`ln`] is this crate's own, in integers. The shaders, without float64, compute everything in integers.
//!
//! Counts are integers below 2^53, and C is 0 or from 2^-20 to 2^21. n_wins counts points: at most n, or, where draws
//! count half, at most 2 n, with C twice as large; then the bound is twice that of the specification, which changes
//! neither the order nor the ties of bounds.

/// ln(1 + 2^-k) for k = 1, 2, ..., in units of 2^-64, rounded to nearest.
const LN_STEPS: [u64; 24] = [
    0x67cc_8fb2_fe61_2fcb,
    0x391f_ef8f_3534_4358,
    0x1e27_076e_2af2_e5ea,
    0x0f85_1860_08b1_5331,
    0x07e0_a6c3_9e0c_c013,
    0x03f8_1516_1f80_7c7a,
    0x01fe_02a6_b106_7890,
    0x00ff_8055_1588_5e02,
    0x007f_e00a_a6ac_439a,
    0x003f_f801_5515_621f,
    0x001f_fe00_2aa6_ab11,
    0x000f_ff80_0555_1559,
    0x0007_ffe0_00aa_a6ab,
    0x0003_fff8_0015_5515,
    0x0001_fffe_0002_aaa7,
    0x0000_ffff_8000_5555,
    0x0000_7fff_e000_0aab,
    0x0000_3fff_f800_0155,
    0x0000_1fff_fe00_002b,
    0x0000_0fff_ff80_0005,
    0x0000_07ff_ffe0_0001,
    0x0000_03ff_fff8_0000,
    0x0000_01ff_fffe_0000,
    0x0000_00ff_ffff_8000,
];

/// ln 2 in units of 2^-64, rounded to nearest.
const LN_2: u64 = 0xb172_17f7_d1cf_79ac;

/// The natural logarithm of a count, the same on every platform; 0 for counts of 1 and 0 (no parent has 0).
///
/// With n = 2^e (1 - z), 0 < z <= 1/2, the factors (1 + 2^-k), k = 1 to 24, are multiplied onto 1 - z where
/// the product stays at most 1 (multiplicative normalisation: Muller, "Elementary Functions", chapter 8).
/// The rest is z < 2^-24, and -ln(1 - z) = z + z^2 / 2 to 2^-73. All in units of 2^-64.
///
/// A step is off by at most 1.5 units (the shift drops a fraction, the constant was rounded; twice the first
/// where z is near 1/2), 40 units in all; the tail by 2, and e ln 2 by e / 2 <= 27. Together that is less
/// than 2^-57, or 1/64 ulp, for n >= 8, and 1/46 ulp for the smaller ones: the result is within 0.53 ulp of
/// the true logarithm.
pub fn ln(n: u64) -> f64 {
    if n <= 1 {
        return 0.0;
    }
    let zeros = n.leading_zeros();
    let mut rest = (n << zeros).wrapping_neg();
    let mut sum = 0;
    for (k, step) in (1..).zip(LN_STEPS) {
        let (grown, one) = (rest + (rest >> k), 1 << (64 - k));
        // The factors that fit are unpredictable: without a branch this takes a fraction of the time.
        let fits = u64::from(grown >= one).wrapping_neg();
        rest = rest & !fits | grown.wrapping_sub(one) & fits;
        sum += step & fits;
    }
    let tail = rest + ((rest >> 24).pow(2) >> 17);
    let ln = u128::from(64 - zeros) * u128::from(LN_2) - u128::from(sum + tail);
    ln as f64 * (-64f64).exp2()
}

/// The exact bound of a child with `n` visits and `n_wins` wins, with the logarithm of its parent's visits
/// from [`ln`] and the constant `c`: positive infinity for a child never visited.
pub fn ucb(ln_parent: f64, n: u64, n_wins: u64, c: f32) -> f32 {
    if n == 0 {
        return f32::INFINITY;
    }
    let exploration = (ln_parent / n as f64).sqrt();
    let exploitation = n_wins as f64 / f64::from(n as f32);
    exploration.mul_add(f64::from(c), exploitation) as f32
}

/// Whether a child with bound `ucb_a` and action `action_a` is selected before another.
///
/// The greater bound decides; of equal bounds, the smaller bit-reversed index of the action.
pub fn better(ucb_a: f32, action_a: u32, ucb_b: f32, action_b: u32) -> bool {
    ucb_a > ucb_b || (ucb_a == ucb_b && action_a.reverse_bits() < action_b.reverse_bits())
}
