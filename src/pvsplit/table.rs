//! The transposition table of the sequential search.

use super::board::Move;

/// The relation of a stored score to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    AtLeast,
    AtMost,
    Exact,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub key: u64,
    pub score: i32,
    pub best: Move,
    /// Remaining plies, doubled, plus 1 if a line was cut off; 0 in a vacant entry. A leaf is scored as it stands, so
    /// that a score holds for exactly this depth.
    plies: u8,
    pub bound: Bound,
}

impl Entry {
    pub fn new(key: u64, depth: u32, open: bool, bound: Bound, score: i32, best: Move) -> Self {
        Self { key, score, best, plies: (2 * depth) as u8 | u8::from(open), bound }
    }

    pub fn depth(&self) -> u32 {
        (self.plies >> 1).into()
    }

    /// Whether a line below was cut off before the end of the game.
    pub fn is_open(&self) -> bool {
        self.plies & 1 == 1
    }
}

const VACANT: Entry = Entry { key: 0, score: 0, best: 0, plies: 0, bound: Bound::Exact };

/// Buckets of two: the first keeps the deepest entry, the second the latest. The table doubles while it fills up.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Vec<[Entry; 2]>,
    used: usize,
}

const FIRST_BUCKETS: usize = 1 << 8;
/// 16 million entries of 16 bytes.
const MOST_BUCKETS: usize = 1 << 23;

impl Table {
    pub fn new() -> Self {
        Self { buckets: vec![[VACANT; 2]; FIRST_BUCKETS], used: 0 }
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// An entry of this position: of this depth if there is one, else of any, for its best move.
    pub fn get(&self, key: u64, depth: u32) -> Option<&Entry> {
        let bucket = &self.buckets[self.index(key)];
        let of_key = || bucket.iter().filter(|e| e.plies > 0 && e.key == key);
        of_key().find(|e| e.depth() == depth).or_else(|| of_key().next())
    }

    pub fn put(&mut self, entry: Entry) {
        if self.used > self.buckets.len() && self.buckets.len() < MOST_BUCKETS {
            self.double();
        }
        let index = self.index(entry.key);
        let [deep, late] = &mut self.buckets[index];
        let same = deep.key == entry.key && deep.depth() == entry.depth();
        let slot = if same || entry.depth() >= deep.depth() { deep } else { late };
        self.used += usize::from(slot.plies == 0);
        *slot = entry;
    }

    fn double(&mut self) {
        let wider = vec![[VACANT; 2]; 2 * self.buckets.len()];
        let old = std::mem::replace(&mut self.buckets, wider);
        self.used = 0;
        for entry in old.into_iter().flatten().filter(|e| e.plies > 0) {
            self.put(entry);
        }
    }
}
