//! Random streams: xoroshiro128+ with jumps, the twin of `shaders/lib/rng.wgsl`.
//!
//! The constants are those of the generator's first edition (2016: rotl 55, shift 14, rotl 36), which the original
//! program used (Blackman & Vigna, "Scrambled linear pseudorandom number generators", first version; specification,
//! "Random streams"). Every lane of a search has its own stream, 2^64 steps from its neighbour's.

use std::sync::LazyLock;

/// The distance of neighbouring streams, as the generator's authors give it: the jump polynomial of 2^64 steps.
const JUMP: [u64; 2] = [0xbeac_0467_eba5_facb, 0xd86b_048b_86aa_9922];

/// Bits of a state, hence rows and columns of a jump matrix.
const STATE_BITS: usize = 128;

/// One matrix for each bit of a stream's index.
const LEVELS: usize = 32;

/// The state of one xoroshiro128+ generator.
///
/// On the device it is four 32-bit words, low word first: [`Stream::words`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stream {
    /// The first state word.
    pub s0: u64,
    /// The second state word.
    pub s1: u64,
}

impl Stream {
    /// Stream 0 of a seed: both words are SplitMix64's first output.
    pub fn seeded(seed: u64) -> Self {
        let word = mix(seed.wrapping_add(GOLDEN));
        Self { s0: word, s1: word }
    }

    /// The next 64 random bits.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        let result = self.s0.wrapping_add(self.s1);
        let mixed = self.s0 ^ self.s1;
        self.s0 = self.s0.rotate_left(55) ^ mixed ^ (mixed << 14);
        self.s1 = mixed.rotate_left(36);
        result
    }

    /// A uniform number in [0, 1]: the 53 high bits of a draw as a fraction, rounded to the nearest float32.
    /// The rounding makes 1.0 possible, with probability 2^-25.
    pub fn uniform(&mut self) -> f32 {
        uniform(self.next_u64())
    }

    /// The place that a playout draws from a list of `count` legal actions (1 to 512).
    pub fn pick(&mut self, count: u32) -> u32 {
        ordinal(self.next_u64(), count)
    }

    /// The place that a playout draws from a list of weighted actions of `total` entries (1 to 2^31).
    pub fn pick_weighted(&mut self, total: u32) -> u32 {
        weighted_ordinal(self.next_u64(), total)
    }

    /// The place of the child that an OCP expansion draws from `count` children (1 to 512).
    pub fn pick_child(&mut self, count: u32) -> u32 {
        child_ordinal(self.next_u64(), count)
    }

    /// The state as the device has it: low and high word of `s0`, low and high word of `s1`.
    pub fn words(self) -> [u32; 4] {
        [self.s0 as u32, (self.s0 >> 32) as u32, self.s1 as u32, (self.s1 >> 32) as u32]
    }

    /// The inverse of [`Stream::words`].
    pub fn from_words(words: [u32; 4]) -> Self {
        let [a, b, c, d] = words.map(u64::from);
        Self { s0: a | b << 32, s1: c | d << 32 }
    }

    /// This stream 2^64 steps on, by the authors' own procedure: the sum (exclusive or) of the states that the
    /// polynomial's terms name.
    fn jumped(mut self) -> Self {
        let mut sum = Self { s0: 0, s1: 0 };
        for bit in 0..STATE_BITS {
            if JUMP[bit / 64] >> (bit % 64) & 1 == 1 {
                sum = Self { s0: sum.s0 ^ self.s0, s1: sum.s1 ^ self.s1 };
            }
            self.next_u64();
        }
        sum
    }
}

/// The increment of SplitMix64 (G. Steele et al., "Fast splittable pseudorandom number generators", 2014).
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output function: a bijection of 64-bit words in which every bit of the input affects the output.
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A number below `count` from one of 64 bits: probabilities differ by at most count / 2^64.
#[inline]
pub fn below(number: u64, count: u64) -> u64 {
    ((u128::from(number) * u128::from(count)) >> 64) as u64
}

/// The uniform number in [0, 1] of a draw; see [`Stream::uniform`].
pub fn uniform(draw: u64) -> f32 {
    // The fraction is exact as a float64, so the cast is the only rounding.
    ((draw >> 11) as f64 * (-53f64).exp2()) as f32
}

/// The place of a draw in a playout's list of `count` legal actions: the float32 product, truncated.
///
/// A uniform number of exactly 1.0 gives the last place (specification, "Picking").
pub fn ordinal(draw: u64, count: u32) -> u32 {
    ((uniform(draw) * count as f32) as u32).min(count.saturating_sub(1))
}

/// The greatest difference of the product in [`likely_ordinal`] to the float32 one, in 2^-32: for up to 64 actions the
/// rounding of the uniform number makes 2^13, that of the product 2^13, and the dropped bits fewer than 2^6.
const SLACK: u64 = 1 << 15;

/// The same place as [`ordinal`]'s for lists of 1 to 64 actions, without float numbers, which are slow in lanes of 64
/// bits; and whether it may be another one, because the draw is close to the border of two places: one draw in 2^16 is.
#[inline(always)]
pub fn likely_ordinal(draw: u64, count: u64) -> (u64, bool) {
    let product = (draw >> 32) * (count & 0xffff_ffff);
    let beyond = product.wrapping_add(SLACK) & (0x1_0000_0000 - 2 * SLACK);
    (product >> 32, beyond == 0)
}

/// The place of a draw in a list of `total` entries, floor(draw * total / 2^64): probabilities differ by at most total
/// / 2^64.
pub fn weighted_ordinal(draw: u64, total: u32) -> u32 {
    below(draw, total.into()) as u32
}

/// The place of an OCP expansion's draw among `count` children: the float64 product, truncated.
pub fn child_ordinal(draw: u64, count: u32) -> u32 {
    ((f64::from(uniform(draw)) * f64::from(count)) as u32).min(count.saturating_sub(1))
}

/// Matrices over GF(2) that advance a stream by any number of jumps at once.
///
/// A step of the generator is linear in the bits of its state, hence so is a jump, and so are 2^k jumps:
/// matrix k is matrix k - 1 squared. A stream with any index then costs one product for each set bit of the
/// index, where jumping one by one would cost `index` jumps.
#[derive(Debug)]
pub struct Jumps {
    columns: Vec<[u32; 4]>,
}

static JUMPS: LazyLock<Jumps> = LazyLock::new(Jumps::build);

impl Jumps {
    /// Stream `index` of a seed: stream 0 advanced by `index` jumps of 2^64 steps.
    pub fn stream(seed: u64, index: u32) -> Stream {
        Self::advance(Stream::seeded(seed), index)
    }

    /// A stream advanced by `count` jumps of 2^64 steps.
    pub fn advance(stream: Stream, count: u32) -> Stream {
        let levels = JUMPS.columns.chunks_exact(STATE_BITS).enumerate();
        let needed = levels.filter(|(level, _)| count >> level & 1 == 1);
        Stream::from_words(needed.fold(stream.words(), |state, (_, matrix)| product(matrix, state)))
    }

    /// The matrices for the device: 32 x 128 columns of four words. Column `bit` of matrix `k`, at index
    /// `k * 128 + bit`, is the state with only that bit set, advanced by 2^k jumps.
    pub fn words() -> &'static [[u32; 4]] {
        &JUMPS.columns
    }

    fn build() -> Self {
        let basis = (0..STATE_BITS).map(|bit| {
            let mut words = [0; 4];
            words[bit / 32] = 1 << (bit % 32);
            Stream::from_words(words)
        });
        let mut columns: Vec<[u32; 4]> = basis.map(|stream| stream.jumped().words()).collect();
        for level in 1..LEVELS {
            let matrix = columns[(level - 1) * STATE_BITS..].to_vec();
            columns.extend(matrix.iter().map(|&column| product(&matrix, column)));
        }
        Self { columns }
    }
}

/// The product of a matrix, given as columns, with a state: the sum of the columns at the state's set bits.
fn product(matrix: &[[u32; 4]], state: [u32; 4]) -> [u32; 4] {
    let mut sum = [0; 4];
    for (word, columns) in state.into_iter().zip(matrix.chunks_exact(32)) {
        for (bit, column) in columns.iter().enumerate() {
            let mask = (word >> bit & 1).wrapping_neg();
            (0..4).for_each(|i| sum[i] ^= column[i] & mask);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_agree_with_jumping_one_by_one() {
        let mut stepped = Stream::seeded(0x5eed);
        for index in 0..300 {
            assert_eq!(Jumps::stream(0x5eed, index), stepped, "stream {index}");
            stepped = stepped.jumped();
        }
    }

    /// Draws around every border of two places, at all distances, and random ones.
    #[test]
    fn likely_ordinals_are_the_ordinals_unless_they_say_so() {
        let (mut stream, mut unsure) = (Stream::seeded(5), 0);
        for count in 1..=64 {
            let edges = (0..=count).map(|place| ((u128::from(place) << 64) / u128::from(count)) as u64);
            let near = edges.flat_map(|edge| {
                (0..64).flat_map(move |bit| [edge.wrapping_add(1 << bit), edge.wrapping_sub(1 << bit)])
            });
            let anywhere = (0..2000).map(|_| stream.next_u64());
            for draw in near.chain(anywhere.collect::<Vec<_>>()) {
                let (likely, may_differ) = likely_ordinal(draw, u64::from(count));
                unsure += u32::from(may_differ);
                assert!(may_differ || likely == u64::from(ordinal(draw, count)), "{draw:#x} of {count}");
            }
        }
        assert!((150_000..220_000).contains(&unsure), "{unsure} draws of 402,432");
    }
}
