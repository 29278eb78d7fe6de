//! Cache of what the counts of a subset say about its trees of depth at most two, by the rules on its
//! path.
//!
//! A subset does not depend on the order of the rules on its path, so paths are sorted.
//! All threads share the cache; the hash of a path selects one of several maps, each behind its own
//! lock.

use super::node::{CorrectWeights, LeafSupport};
use super::subset::Path;
use crate::support::memory::reserve_one;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of subsets in the cache; evicting them costs time only.
const MAX_PATHS: usize = 1 << 21;

/// Estimated bytes of an entry and of its path.
const ENTRY_BYTES: usize = 192;

/// Locks per thread, so that two threads rarely contend for the same lock.
const SHARDS_PER_THREAD: usize = 16;

type PathEntries = FxHashMap<Path, (CorrectWeights, LeafSupport)>;

pub(crate) struct PathCache {
    shards: Vec<Mutex<PathEntries>>,
    /// Maximum number of paths in each shard.
    maximum: usize,
}

impl PathCache {
    /// A cache within a soft limit of bytes.
    pub(crate) fn new(limit: Option<usize>, threads: usize) -> Self {
        let count = if threads > 1 { SHARDS_PER_THREAD * threads } else { 1 };
        let maximum = limit.map_or(MAX_PATHS, |limit| MAX_PATHS.min(limit / ENTRY_BYTES));
        PathCache {
            shards: (0..count).map(|_| Mutex::default()).collect(),
            maximum: maximum / count,
        }
    }

    pub(crate) fn get(&self, path: &[u32]) -> Option<(CorrectWeights, LeafSupport)> {
        self.shard(path).get(path).copied()
    }

    pub(crate) fn insert(&self, path: Path, counts: (CorrectWeights, LeafSupport)) {
        let mut entries = self.shard(&path);
        if entries.len() >= self.maximum || !reserve_one(&mut entries) {
            entries.clear();
        }
        entries.insert(path, counts);
    }

    fn shard(&self, path: &[u32]) -> MutexGuard<'_, PathEntries> {
        let at = match self.shards.len() {
            1 => 0,
            shards => (FxBuildHasher.hash_one(path) >> 32) as usize % shards,
        };
        // A map is consistent whenever its lock is free, so a panic elsewhere does not matter.
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
