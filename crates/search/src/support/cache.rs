//! The cache of subproblems: by subset, entries with limits, a lower bound and possibly a tree.
//!
//! A subset is found by hash and accepted only if its key, the set of items itself, is equal. A
//! hash collision costs time, but never gives a wrong result.

use crate::support::bits::Bits;
use crate::support::memory::reserve_one;
use exactree_model::{Cost, Limits, Tree};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A lower bound for a subset within limits, and a tree within them. The entry is exact if the tree
/// costs as much as the lower bound.
#[derive(Clone)]
pub(crate) struct CacheEntry {
    pub limits: Limits,
    pub lower: Cost,
    pub tree: Option<(Cost, Arc<Tree>)>,
}

/// The lower bound and the tree that the entries of a subset imply for given limits.
#[derive(Clone, Default)]
pub(crate) struct CacheHit {
    pub lower: Cost,
    pub tree: Option<(Cost, Arc<Tree>)>,
}

/// A set of items, packed: as words, or as a list if that is shorter.
#[derive(PartialEq, Eq, Hash)]
struct CacheKey(Box<[u64]>);

/// The entries of one subset, at most one for each limits.
struct SubsetEntries {
    entries: Vec<CacheEntry>,
    /// Number of subproblems searched to solve this subset: the cost of losing its entries.
    effort: u64,
}

/// A map from subsets to their entries, within a soft limit of bytes.
pub(crate) struct Cache {
    subsets: FxHashMap<CacheKey, SubsetEntries>,
    bytes: usize,
    limit: usize,
    /// The next eviction starts with subsets of at most this effort.
    evict_effort: u64,
    pub evicted: u64,
}

impl Cache {
    pub(crate) fn new(limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(usize::MAX);
        Cache { subsets: FxHashMap::default(), bytes: 0, limit, evict_effort: 1, evicted: 0 }
    }

    /// Number of subsets.
    pub(crate) fn len(&self) -> usize {
        self.subsets.len()
    }

    /// An estimate of the memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The greatest lower bound among entries whose limits cover `limits`, and the cheapest tree
    /// among those whose limits `limits` covers.
    pub(crate) fn lookup(&self, members: &Bits, limits: &Limits) -> Option<CacheHit> {
        let subset = self.subsets.get(&key(members))?;
        let mut hit = CacheHit::default();
        for entry in &subset.entries {
            if entry.limits.covers(limits) {
                hit.lower = hit.lower.max(entry.lower);
            }
            if let Some((cost, tree)) = entry.tree.as_ref().filter(|_| limits.covers(&entry.limits))
                && hit.tree.as_ref().is_none_or(|(minimum, _)| cost < minimum)
            {
                hit.tree = Some((*cost, tree.clone()));
            }
        }
        Some(hit)
    }

    /// Adds an entry, or merges it with the entry of the same limits. `effort` is the number of
    /// subproblems searched for the entry.
    pub(crate) fn insert(&mut self, members: &Bits, entry: CacheEntry, effort: u64) {
        if !reserve_one(&mut self.subsets) {
            self.evicted += self.subsets.len() as u64;
            self.subsets.clear();
            self.bytes = 0;
        }
        let key = key(members);
        let key_bytes = key.0.len() * 8 + 64;
        let subset = self.subsets.entry(key).or_insert_with(|| {
            self.bytes += key_bytes;
            SubsetEntries { entries: Vec::new(), effort: 0 }
        });
        subset.effort = subset.effort.max(effort);
        if let Some(old) = subset.entries.iter_mut().find(|old| old.limits == entry.limits) {
            old.lower = old.lower.max(entry.lower);
            let cheaper = |new: Cost| old.tree.as_ref().is_none_or(|(cost, _)| new < *cost);
            if entry.tree.as_ref().is_some_and(|(cost, _)| cheaper(*cost)) {
                old.tree = entry.tree;
            }
        } else {
            subset.entries.push(entry);
            self.bytes += CACHE_ENTRY_BYTES;
        }
        if self.bytes > self.limit {
            self.evict();
        }
    }

    /// Evicts the subsets of lowest effort until half the limit is free again. Losing them costs
    /// time only.
    fn evict(&mut self) {
        while self.bytes > self.limit / 2 && !self.subsets.is_empty() {
            let (effort, before) = (self.evict_effort, self.subsets.len());
            self.subsets.retain(|_, subset| subset.effort > effort);
            self.evicted += (before - self.subsets.len()) as u64;
            self.bytes = self.subsets.iter().map(|(key, subset)| subset_bytes(key, subset)).sum();
            self.evict_effort = effort.saturating_mul(2);
        }
        if self.subsets.is_empty() {
            self.evict_effort = 1;
        }
    }
}

/// A cache for several threads. The hash of a subset's items selects one of several caches, each
/// behind its own lock. Entries are valid whichever search made them.
pub(crate) struct SharedCache {
    shards: Vec<Mutex<Cache>>,
}

/// Locks per thread, so that two threads rarely contend for the same lock.
const SHARDS_PER_THREAD: usize = 16;

impl SharedCache {
    /// A cache within a soft limit of bytes.
    pub(crate) fn new(limit: Option<usize>, threads: usize) -> Self {
        let count = if threads > 1 { SHARDS_PER_THREAD * threads } else { 1 };
        let limit = limit.map(|limit| limit / count);
        SharedCache { shards: (0..count).map(|_| Mutex::new(Cache::new(limit))).collect() }
    }

    /// Like `Cache::lookup`.
    pub(crate) fn lookup(&self, members: &Bits, limits: &Limits) -> Option<CacheHit> {
        self.shard(members).lookup(members, limits)
    }

    /// Like `Cache::insert`.
    pub(crate) fn insert(&self, members: &Bits, entry: CacheEntry, effort: u64) {
        self.shard(members).insert(members, entry, effort);
    }

    /// Number of subsets, estimated bytes and number of evicted subsets.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        self.shards.iter().fold((0, 0, 0), |(entries, bytes, evicted), shard| {
            let shard = lock(shard);
            (entries + shard.len() as u64, bytes + shard.bytes() as u64, evicted + shard.evicted)
        })
    }

    fn shard(&self, members: &Bits) -> MutexGuard<'_, Cache> {
        let at = match self.shards.len() {
            1 => 0,
            shards => (FxBuildHasher.hash_one(&members.words) >> 32) as usize % shards,
        };
        lock(&self.shards[at])
    }
}

/// A cache is consistent whenever its lock is free, so a panic elsewhere does not matter.
fn lock(shard: &Mutex<Cache>) -> MutexGuard<'_, Cache> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Estimated bytes of an entry, including two nodes of its tree that no other entry shares.
const CACHE_ENTRY_BYTES: usize = size_of::<CacheEntry>() + 2 * (size_of::<Tree>() + 16);

fn subset_bytes(key: &CacheKey, subset: &SubsetEntries) -> usize {
    key.0.len() * 8 + 64 + subset.entries.len() * CACHE_ENTRY_BYTES
}

/// Packs a set, as its items or as its words, whichever is shorter. The last word tells which, so
/// equal keys mean equal sets.
fn key(members: &Bits) -> CacheKey {
    let items: usize = members.words.iter().map(|word| word.count_ones() as usize).sum();
    if items.div_ceil(2) >= members.words.len() {
        return CacheKey(members.words.iter().copied().chain([u64::MAX]).collect());
    }
    let mut packed = Vec::with_capacity(items.div_ceil(2) + 1);
    let mut slots = members.iter();
    while let Some(first) = slots.next() {
        packed.push((first as u64) << 32 | slots.next().map_or(u32::MAX, |slot| slot) as u64);
    }
    packed.push(0);
    CacheKey(packed.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(slots: &[u32]) -> Bits {
        let mut bits = Bits::empty(1000);
        slots.iter().for_each(|&slot| bits.insert(slot));
        bits
    }

    fn entry_of(depth: u32, lower: Cost, cost: Option<Cost>) -> CacheEntry {
        let limits = Limits { depth, size: 1 << depth, min_samples_leaf: 1 };
        CacheEntry { limits, lower, tree: cost.map(|cost| (cost, Tree::leaf(0))) }
    }

    #[test]
    fn bounds_come_from_wider_limits_and_trees_from_narrower() {
        let mut cache = Cache::new(None);
        let subset = set(&[1, 2, 3]);
        cache.insert(&subset, entry_of(3, 4, None), 1);
        cache.insert(&subset, entry_of(1, 7, Some(7)), 1);
        let hit = cache.lookup(&subset, &entry_of(2, 0, None).limits).expect("present");
        assert_eq!(hit.lower, 4);
        assert_eq!(hit.tree.expect("narrower tree").0, 7);
        assert!(cache.lookup(&set(&[1, 2]), &entry_of(2, 0, None).limits).is_none());
    }

    #[test]
    fn keys_distinguish_odd_and_even_numbers_of_slots() {
        assert!(key(&set(&[5])) != key(&set(&[5, 6])));
        assert!(key(&set(&[0])) != key(&set(&[])));
    }

    #[test]
    fn equal_keys_are_equal_sets() {
        let mut random = fastrand::Rng::with_seed(20_261_121);
        let mut seen = std::collections::HashMap::new();
        let all: Vec<u32> = (0..32).map(|at| 31 * at).collect();
        for _ in 0..20_000 {
            let mut slots = all.clone();
            for _ in 0..random.u32(0..4) {
                slots.remove(random.usize(0..slots.len()));
            }
            let members = set(&slots);
            let words = seen.entry(key(&members).0).or_insert_with(|| members.words.clone());
            assert_eq!(words, &members.words);
        }
        // 1000 slots are 16 words, so sets of 31 items and more are packed as words, others as
        // lists: there are 32 sets of 31 of the 32 items, and one of all.
        let lists = seen.keys().filter(|key| key.last() == Some(&0)).count();
        assert!(lists > 1_000 && seen.len() - lists == 33, "{lists} of {}", seen.len());
    }

    #[test]
    fn entries_with_other_limits_are_not_mixed_up() {
        let (subset, mut random) = (set(&[4, 5]), fastrand::Rng::with_seed(20_261_121));
        let draw = |random: &mut fastrand::Rng| Limits {
            depth: random.u32(0..4),
            size: random.u32(0..5),
            min_samples_leaf: random.u64(1..4),
        };
        for _ in 0..2_000 {
            let mut cache = Cache::new(None);
            let entries: Vec<CacheEntry> = (0..random.u32(1..5))
                .map(|_| {
                    let tree = random.bool().then(|| (random.u64(9..20), Tree::leaf(0)));
                    CacheEntry { limits: draw(&mut random), lower: random.u64(0..9), tree }
                })
                .collect();
            entries.iter().for_each(|entry| cache.insert(&subset, entry.clone(), 1));
            let query = draw(&mut random);
            let hit = cache.lookup(&subset, &query).expect("present");
            // A lower bound also holds for tighter limits, a tree for wider ones.
            let tighter = |left: &Limits, right: &Limits| {
                left.depth <= right.depth
                    && left.size <= right.size
                    && left.min_samples_leaf >= right.min_samples_leaf
            };
            let bounds = entries.iter().filter(|entry| tighter(&query, &entry.limits));
            let trees = entries.iter().filter(|entry| tighter(&entry.limits, &query));
            assert_eq!(hit.lower, bounds.map(|entry| entry.lower).max().unwrap_or(0));
            let minimum = trees.filter_map(|entry| entry.tree.as_ref().map(|tree| tree.0)).min();
            assert_eq!(hit.tree.map(|tree| tree.0), minimum);
        }
    }

    #[test]
    fn eviction_keeps_the_soft_limit_and_the_costly_entries() {
        let mut cache = Cache::new(Some(20_000));
        for slot in 0..500 {
            cache.insert(&set(&[slot]), entry_of(1, 1, Some(1)), if slot == 0 { 1_000 } else { 1 });
        }
        assert!(cache.bytes() <= 20_000);
        assert!(cache.evicted > 0);
        assert!(cache.lookup(&set(&[0]), &entry_of(1, 0, None).limits).is_some());
    }
}
