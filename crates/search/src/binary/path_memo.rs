//! What was counted of parts with two levels left, by the rules that lead there.
//!
//! The order in which rules are asked changes no part, so paths are kept in
//! increasing order. All threads share the counts; paths belong to one of several
//! maps by their hash, each behind a lock of its own.

use super::node::{Beside, Hits};
use crate::memory::takes_one_more;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts whose counts are kept at most; forgetting them costs time only.
const MOST_COUNTED: usize = 1 << 21;

/// Bytes of the counts of one part, and of the path that leads there.
const COUNTED_BYTES: usize = 192;

/// Locks for each thread, so that two rarely want the same one.
const SHARDS_PER_THREAD: usize = 16;

type Counted = FxHashMap<Box<[u32]>, (Hits, Beside)>;

pub(crate) struct PathMemo {
    shards: Vec<Mutex<Counted>>,
    /// Paths in each of them at most.
    most: usize,
}

impl PathMemo {
    /// A memo within a soft limit of bytes.
    pub fn new(limit: Option<usize>, threads: usize) -> Self {
        let count = if threads > 1 { SHARDS_PER_THREAD * threads } else { 1 };
        let most = limit.map_or(MOST_COUNTED, |limit| MOST_COUNTED.min(limit / COUNTED_BYTES));
        PathMemo { shards: (0..count).map(|_| Mutex::default()).collect(), most: most / count }
    }

    pub fn get(&self, path: &[u32]) -> Option<(Hits, Beside)> {
        self.shard(path).get(path).copied()
    }

    pub fn insert(&self, path: Vec<u32>, seen: (Hits, Beside)) {
        let mut counted = self.shard(&path);
        if counted.len() >= self.most || !takes_one_more(&mut counted) {
            counted.clear();
        }
        counted.insert(path.into_boxed_slice(), seen);
    }

    fn shard(&self, path: &[u32]) -> MutexGuard<'_, Counted> {
        let at = match self.shards.len() {
            1 => 0,
            shards => (FxBuildHasher.hash_one(path) >> 32) as usize % shards,
        };
        // A map is whole between two calls, so a panic elsewhere does not matter.
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
