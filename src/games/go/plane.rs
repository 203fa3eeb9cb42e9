//! Sets of points.

use std::array::from_fn;

/// A set of points, as bits of `W` words, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Plane<const W: usize>(pub(super) [u64; W]);

impl<const W: usize> Plane<W> {
    pub(super) const EMPTY: Self = Self([0; W]);

    #[inline(always)]
    pub(super) fn bit(index: u32) -> Self {
        let bit = 1 << (index % 64);
        Self(from_fn(|i| if i == index as usize / 64 { bit } else { 0 }))
    }

    /// The same set in more or fewer words; what does not fit must be empty.
    pub(super) fn resized<const V: usize>(self) -> Plane<V> {
        Plane(from_fn(|i| self.0.get(i).copied().unwrap_or(0)))
    }

    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    pub(super) fn or(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    pub(super) fn without(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Moved to higher bits by 1 to 63.
    #[inline(always)]
    pub(super) fn up(self, distance: u32) -> Self {
        let carried = |i: usize| if i == 0 { 0 } else { self.0[i - 1] >> (64 - distance) };
        Self(from_fn(|i| (self.0[i] << distance) | carried(i)))
    }

    /// Moved to lower bits by 1 to 63.
    #[inline(always)]
    pub(super) fn down(self, distance: u32) -> Self {
        let carried = |i: usize| if i + 1 == W { 0 } else { self.0[i + 1] << (64 - distance) };
        Self(from_fn(|i| (self.0[i] >> distance) | carried(i)))
    }

    #[inline(always)]
    pub(super) fn any(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) != 0
    }

    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Equality, inlined: the derived one compares memory through a call.
    #[inline(always)]
    pub(super) fn is(self, other: Self) -> bool {
        !Self(from_fn(|i| self.0[i] ^ other.0[i])).any()
    }

    /// Has the set two points or more?
    #[inline(always)]
    pub(super) fn is_plural(self) -> bool {
        let (mut seen, mut plural) = (0, 0);
        for word in self.0 {
            plural |= word & word.wrapping_sub(1);
            plural |= if seen != 0 { word } else { 0 };
            seen |= word;
        }
        plural != 0
    }

    /// The lowest point as a set; empty if the set is.
    #[inline(always)]
    pub(super) fn lowest(self) -> Self {
        let mut seen = 0;
        Self(from_fn(|i| {
            let first = if seen == 0 { self.0[i] & self.0[i].wrapping_neg() } else { 0 };
            seen |= self.0[i];
            first
        }))
    }

    /// 1 + the number of the only point of a set; 0 for the empty set.
    pub(super) fn mark(self) -> u32 {
        let place = |i: usize| i as u32 * 64 + self.0[i].trailing_zeros() + 1;
        (0..W).find(|&i| self.0[i] != 0).map_or(0, place)
    }

    /// The number of the point with `ordinal` points below it. Free of branches, as random ordinals defeat
    /// prediction.
    #[inline(always)]
    pub(super) fn nth(self, ordinal: u32) -> u32 {
        let (mut word, mut rest, mut base, mut below) = (self.0[0], ordinal, 0, 0);
        for i in 1..W {
            below += self.0[i - 1].count_ones();
            if ordinal >= below {
                (word, rest, base) = (self.0[i], ordinal - below, 64 * i as u32);
            }
        }
        base + nth_bit(word, rest)
    }
}

/// The place of the set bit with `ordinal` set bits below it, by counting the bits of all eight bytes at
/// once.
fn nth_bit(bits: u64, ordinal: u32) -> u32 {
    pub(super) const ONES: u64 = 0x0101_0101_0101_0101;
    let twos = bits - ((bits >> 1) & (0x55 * ONES));
    let fours = (twos & (0x33 * ONES)) + ((twos >> 2) & (0x33 * ONES));
    let sums = (((fours + (fours >> 4)) & (0x0f * ONES)).wrapping_mul(ONES)) << 8;
    // A byte's top bit stays set where no more than `ordinal` bits are below that byte.
    let reached = ((u64::from(ordinal) * ONES) | (0x80 * ONES)).wrapping_sub(sums) & (0x80 * ONES);
    let byte = ((reached >> 7).wrapping_mul(ONES) >> 56) as u32 - 1;
    let mut place = 8 * byte;
    let mut skip = u64::from(ordinal) - ((sums >> place) & 0xff);
    // The same counts again, now of the lower half of what is left.
    for (counts, width) in [(fours, 4), (twos, 2), (bits, 1)] {
        let lower = (counts >> place) & ((1 << width) - 1);
        let above = skip >= lower;
        skip -= if above { lower } else { 0 };
        place += if above { width } else { 0 };
    }
    place
}
