//! The evaluations of a network by position. A search reaches positions by several orders of moves, and most of them
//! again after a move.

use bytemuck::allocation::try_zeroed_vec;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, OnceLock},
};

/// Parts of the cache, each of which one thread at a time uses.
const SHARDS: usize = 64;
/// Words of a part: 64 MiB in all.
const SHARD_WORDS: usize = 1 << 18;

/// Evaluations of one network. An evaluation replaces an earlier one whose hash has the same entry. The memory is
/// allocated when it is first written. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct EvaluationCache(Arc<OnceLock<Vec<Mutex<Vec<u32>>>>>);

/// A cache does not change results.
impl PartialEq for EvaluationCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl EvaluationCache {
    /// Writes the outputs for a leaf, if they are known; `leaf` is its planes, and then the mark 1.
    pub fn recall(&self, leaf: &[u32], outputs: &mut [i32]) -> bool {
        let found = self.with_entry(leaf, outputs.len(), |entry| {
            let (planes, known) = entry.split_at(leaf.len());
            let is_known = planes == leaf;
            if is_known {
                outputs.copy_from_slice(bytemuck::cast_slice(known));
            }
            is_known
        });
        found == Some(true)
    }

    /// Notes the outputs for a leaf.
    pub fn note(&self, leaf: &[u32], outputs: &[i32]) {
        self.with_entry(leaf, outputs.len(), |entry| {
            let (planes, known) = entry.split_at_mut(leaf.len());
            planes.copy_from_slice(leaf);
            known.copy_from_slice(bytemuck::cast_slice(outputs));
        });
    }

    /// Does some work with the only entry that may be the leaf's: planes, the mark, which is 0 in an empty entry, and
    /// `outputs` outputs. `None` if there is no memory.
    fn with_entry<T>(&self, leaf: &[u32], outputs: usize, work: impl FnOnce(&mut [u32]) -> T) -> Option<T> {
        let shard = |_| Mutex::new(try_zeroed_vec(SHARD_WORDS).unwrap_or_default());
        let shards = self.0.get_or_init(|| (0..SHARDS).map(shard).collect());
        let mut hasher = DefaultHasher::new();
        leaf.hash(&mut hasher);
        let hash = hasher.finish() as usize;
        let mut shard = shards[hash % SHARDS].lock().ok()?;
        let words = leaf.len() + outputs;
        let slot = (hash / SHARDS).checked_rem(shard.len() / words)?;
        Some(work(&mut shard[slot * words..][..words]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Planes of 99,999 words and 8 outputs, so that every shard has two entries.
    fn leaf(number: u32) -> (Vec<u32>, [i32; 8]) {
        let planes = (0..99_999).map(|cell| cell ^ number).chain([1]);
        (planes.collect(), [-1, 0, 1, 2, 3, i32::MIN, i32::MAX, number as i32])
    }

    #[test]
    fn a_leaf_has_its_own_outputs_or_none() {
        let cache = EvaluationCache::default();
        let recalled = |number| {
            let (leaf, outputs) = leaf(number);
            let mut found = [7; 8];
            let is_known = cache.recall(&leaf, &mut found);
            assert_eq!(found, if is_known { outputs } else { [7; 8] });
            is_known
        };
        assert!((0..300).all(|number| !recalled(number)));
        for number in 0..300 {
            let (leaf, outputs) = leaf(number);
            cache.note(&leaf, &outputs);
            assert!(recalled(number));
        }
        // Later evaluations have replaced earlier ones of the same entry.
        let known = (0..300).filter(|&number| recalled(number)).count();
        assert!((80..=128).contains(&known), "{known}");
        assert!(recalled(299) && !recalled(300));
    }

    #[test]
    fn leaves_that_no_shard_has_room_for_are_not_kept() {
        let (cache, leaf) = (EvaluationCache::default(), vec![1; SHARD_WORDS]);
        cache.note(&leaf, &[1]);
        assert!(!cache.recall(&leaf, &mut [0]));
    }
}
