//! Probabilities from a network's outputs, in whole numbers: the twin of `shaders/search/net/softmax.wgsl`.
//!
//! A logit counts 256ths of a bit: a move whose logit is greater by 256 is twice as likely (specification, "Networks").

use super::puct::ONE;

/// 65535 * 2^(-k / 256), rounded.
const POWERS: [u32; 256] = powers();

const fn powers() -> [u32; 256] {
    // 2^(-1 / 256) in units of 2^-64.
    const FACTOR: u128 = 0xff4e_cb59_511e_c8a5;
    let (mut powers, mut power, mut k) = ([0; 256], u64::MAX as u128, 0);
    while k < powers.len() {
        powers[k] = ((power * 0xffff + (1 << 63)) >> 64) as u32;
        power = (power * FACTOR) >> 64;
        k += 1;
    }
    powers
}

/// The weight of an output that is `less` below the greatest: 0 to 65535.
pub fn weight(less: u32) -> u32 {
    POWERS[(less & 0xff) as usize].checked_shr(less >> 8).unwrap_or(0)
}

/// The prior of a move with this weight, where the weights sum up to `total`, in units of 1/65536: at least one unit.
pub fn prior(weight: u32, total: u32) -> u32 {
    (weight * ONE / total).clamp(1, ONE - 1)
}

/// The points of the player to move and of the opponent, in units of 1/65536, from the outputs for win, draw and loss.
/// A draw is half a win if `draws_count`, else nothing.
pub fn points([win, draw, loss]: [i32; 3], draws_count: bool) -> [u32; 2] {
    let greatest = win.max(draw).max(loss);
    let [win, draw, loss] = [win, draw, loss].map(|output| weight(greatest.abs_diff(output)) / 2);
    let total = win + draw + loss;
    let share = |weight: u32| (weight * ONE / total).min(ONE - 1);
    if draws_count {
        let own = share(win + draw / 2);
        [own, ONE - own]
    } else {
        [share(win), share(loss)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_powers_of_two() {
        for less in 0..6000 {
            let expected = 65_535.0 * (-f64::from(less) / 256.0).exp2();
            assert!((f64::from(weight(less)) - expected).abs() <= 1.0, "{less}: {}", weight(less));
        }
        assert_eq!((weight(0), weight(256), weight(u32::MAX)), (65_535, 32_767, 0));
    }

    #[test]
    fn points_are_expectations() {
        // Half of an odd weight is rounded down.
        assert_eq!(points([0, 0, 0], true), [ONE / 2 - 1, ONE / 2 + 1]);
        assert_eq!(points([0, 0, 0], false), [ONE / 3; 2]);
        assert_eq!(points([32_767, -32_768, -32_768], true), [ONE - 1, 1]);
        assert_eq!(points([-32_768, -32_768, 32_767], false), [0, ONE - 1]);
        // Twice as likely to win as to lose.
        assert_eq!(points([256, -32_768, 0], true)[0] * 3 / ONE, 2);
    }

    #[test]
    fn priors_sum_up_to_one() {
        let weights: Vec<_> = (0..40).map(|k| weight(37 * k)).collect();
        let total = weights.iter().sum();
        let sum: u32 = weights.iter().map(|&weight| prior(weight, total)).sum();
        assert!(sum <= ONE && sum > ONE - 41, "{sum}");
        assert_eq!((prior(0, total), prior(total.min(65_535), 65_535)), (1, ONE - 1));
    }
}
