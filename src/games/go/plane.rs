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

    #[inline(always)]
    pub(super) fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// The same set in more or fewer words; the words that are cut off must be empty.
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

    /// Shifted to higher bits by 1 to 63.
    #[inline(always)]
    pub(super) fn up(self, distance: u32) -> Self {
        let carried = |i: usize| if i == 0 { 0 } else { self.0[i - 1] >> (64 - distance) };
        Self(from_fn(|i| (self.0[i] << distance) | carried(i)))
    }

    /// Shifted to lower bits by 1 to 63.
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

    /// Whether the set has two points or more.
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

    /// The index of the lowest point of a set that is not empty.
    #[inline(always)]
    pub(super) fn lowest_bit(self) -> usize {
        let mut bit = 0;
        for i in (0..W).rev() {
            bit = if self.0[i] == 0 { bit } else { 64 * i + self.0[i].trailing_zeros() as usize };
        }
        bit
    }

    /// Calls `each` with the index of every point, ascending.
    #[inline(always)]
    pub(super) fn for_each(self, mut each: impl FnMut(usize)) {
        for (i, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                each(64 * i + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }

    /// 1 + the index of the only point of a set; 0 for the empty set.
    pub(super) fn mark(self) -> u32 {
        let place = |i: usize| i as u32 * 64 + self.0[i].trailing_zeros() + 1;
        (0..W).find(|&i| self.0[i] != 0).map_or(0, place)
    }
}

/// A set with counts, so that its n-th point is found at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted<const W: usize> {
    pub(super) set: Plane<W>,
    /// For each word, in byte b: the points in its bytes 0 to b.
    sums: [u64; W],
}

const ONES: u64 = 0x0101_0101_0101_0101;

impl<const W: usize> Counted<W> {
    /// Counts the points in all eight bytes of a word at once.
    #[inline(always)]
    pub(super) fn new(set: Plane<W>) -> Self {
        let sums = set.0.map(|bits| {
            let twos = bits - ((bits >> 1) & (0x55 * ONES));
            let fours = (twos & (0x33 * ONES)) + ((twos >> 2) & (0x33 * ONES));
            ((fours + (fours >> 4)) & (0x0f * ONES)).wrapping_mul(ONES)
        });
        Self { set, sums }
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.sums.iter().map(|sums| (sums >> 56) as u32).sum()
    }

    /// The index of the point with `ordinal` points below it. Without branches, as random ordinals defeat their
    /// prediction.
    #[inline(always)]
    pub(super) fn nth(&self, ordinal: u32) -> usize {
        let (mut word, mut rest, mut below) = (0, ordinal, 0);
        for i in 1..W {
            below += (self.sums[i - 1] >> 56) as u32;
            if ordinal >= below {
                (word, rest) = (i, ordinal - below);
            }
        }
        // A byte's top bit stays set if it and those below have at most `rest` points.
        let rest = u64::from(rest);
        let sums = self.sums[word];
        let passed = ((rest * ONES) | (0x80 * ONES)).wrapping_sub(sums) & (0x80 * ONES);
        let place = ((passed >> 7).wrapping_mul(ONES) >> 56 << 3) as usize;
        let byte = (self.set.0[word] >> place) & 0xff;
        let skip = rest - ((sums << 8 >> place) & 0xff);
        64 * word + place + usize::from(NTH_OF_BYTE[byte as usize][skip as usize & 7])
    }
}

/// The positions of the set bits of every byte, lowest first.
static NTH_OF_BYTE: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut nth) = (0, 0);
        while bit < 8 {
            if (byte >> bit) & 1 == 1 {
                places[byte][nth] = bit;
                nth += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};
