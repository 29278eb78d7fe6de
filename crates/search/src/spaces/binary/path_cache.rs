//! What was counted of subsets with two levels left, by the rules that lead there.
//!
//! The order in which rules are applied changes no subset, so paths are kept in
//! increasing order. All threads share the counts; paths belong to one of several
//! maps by their hash, each behind a lock of its own.

use super::node::{CorrectWeights, LeafSupport};
use crate::support::memory::takes_one_more;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Subsets whose counts are kept at most; forgetting them costs time only.
const MOST_COUNTED: usize = 1 << 21;

/// Bytes of the counts of one subset, and of the path that leads there.
const COUNTED_BYTES: usize = 192;

/// Locks for each thread, so that two rarely want the same one.
const SHARDS_PER_THREAD: usize = 16;

type PathEntries = FxHashMap<Box<[u32]>, (CorrectWeights, LeafSupport)>;

pub(crate) struct PathCache {
    shards: Vec<Mutex<PathEntries>>,
    /// Paths in each of them at most.
    most: usize,
}

impl PathCache {
    /// A cache within a soft limit of bytes.
    pub fn new(limit: Option<usize>, threads: usize) -> Self {
        let count = if threads > 1 { SHARDS_PER_THREAD * threads } else { 1 };
        let most = limit.map_or(MOST_COUNTED, |limit| MOST_COUNTED.min(limit / COUNTED_BYTES));
        PathCache { shards: (0..count).map(|_| Mutex::default()).collect(), most: most / count }
    }

    pub fn get(&self, path: &[u32]) -> Option<(CorrectWeights, LeafSupport)> {
        self.shard(path).get(path).copied()
    }

    pub fn insert(&self, path: Vec<u32>, seen: (CorrectWeights, LeafSupport)) {
        let mut counted = self.shard(&path);
        if counted.len() >= self.most || !takes_one_more(&mut counted) {
            counted.clear();
        }
        counted.insert(path.into_boxed_slice(), seen);
    }

    fn shard(&self, path: &[u32]) -> MutexGuard<'_, PathEntries> {
        let at = match self.shards.len() {
            1 => 0,
            shards => (FxBuildHasher.hash_one(path) >> 32) as usize % shards,
        };
        // A map is whole between two calls, so a panic elsewhere does not matter.
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
