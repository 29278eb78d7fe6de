//! The cache of subsets: exact costs and lower bounds.
//!
//! An entry is found by hash and accepted only if its key, the set of items itself, is equal. A
//! hash collision costs time, never a wrong answer.

use crate::support::bits::Bits;
use crate::support::memory::takes_one_more;
use exactree_model::{Cost, Limits, Tree};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A lower bound for a subset within limits, and a tree that meets them. The
/// entry is exact when the tree costs as much as the bound.
#[derive(Clone)]
pub struct CacheEntry {
    pub limits: Limits,
    pub lower: Cost,
    pub tree: Option<(Cost, Arc<Tree>)>,
}

/// The bounds that all entries of a subset imply for given limits.
#[derive(Clone, Default)]
pub struct CacheHit {
    pub lower: Cost,
    pub tree: Option<(Cost, Arc<Tree>)>,
}

/// A set of items, packed: as words, or as a list where that is shorter.
#[derive(PartialEq, Eq, Hash)]
struct CacheKey(Box<[u64]>);

struct SubsetEntries {
    cache_entries: Vec<CacheEntry>,
    /// Number of subsets searched to solve this one: the cost of losing the entry.
    effort: u64,
}

/// A map from subsets to entries, within a soft limit of bytes.
pub struct Cache {
    entries: FxHashMap<CacheKey, SubsetEntries>,
    bytes: usize,
    limit: usize,
    /// Entries of less effort than this are evicted first.
    cheap: u64,
    pub evicted: u64,
}

impl Cache {
    pub fn new(limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(usize::MAX);
        Cache { entries: FxHashMap::default(), bytes: 0, limit, cheap: 1, evicted: 0 }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// An estimate of the memory in use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The greatest lower bound among entries whose limits cover `limits`, and the cheapest tree
    /// among those whose limits `limits` covers.
    pub fn lookup(&self, members: &Bits, limits: &Limits) -> Option<CacheHit> {
        let entry = self.entries.get(&key(members))?;
        let mut hit = CacheHit::default();
        for cache_entry in &entry.cache_entries {
            if cache_entry.limits.covers(limits) {
                hit.lower = hit.lower.max(cache_entry.lower);
            }
            if let Some((cost, tree)) =
                cache_entry.tree.as_ref().filter(|_| limits.covers(&cache_entry.limits))
                && hit.tree.as_ref().is_none_or(|(least, _)| cost < least)
            {
                hit.tree = Some((*cost, tree.clone()));
            }
        }
        Some(hit)
    }

    /// Adds an entry, replacing those it makes superfluous.
    pub fn insert(&mut self, members: &Bits, cache_entry: CacheEntry, effort: u64) {
        if !takes_one_more(&mut self.entries) {
            self.evicted += self.entries.len() as u64;
            self.entries.clear();
            self.bytes = 0;
        }
        let key = key(members);
        let key_bytes = key.0.len() * 8 + 64;
        let entry = self.entries.entry(key).or_insert_with(|| {
            self.bytes += key_bytes;
            SubsetEntries { cache_entries: Vec::new(), effort: 0 }
        });
        entry.effort = entry.effort.max(effort);
        if let Some(old) =
            entry.cache_entries.iter_mut().find(|old| old.limits == cache_entry.limits)
        {
            old.lower = old.lower.max(cache_entry.lower);
            let cheaper = |new: Cost| old.tree.as_ref().is_none_or(|(cost, _)| new < *cost);
            if cache_entry.tree.as_ref().is_some_and(|(cost, _)| cheaper(*cost)) {
                old.tree = cache_entry.tree;
            }
        } else {
            entry.cache_entries.push(cache_entry);
            self.bytes += CACHE_ENTRY_BYTES;
        }
        if self.bytes > self.limit {
            self.evict();
        }
    }

    /// Evicts the entries of least effort, until half the limit is free again. Losing an entry
    /// costs time only.
    fn evict(&mut self) {
        while self.bytes > self.limit / 2 && !self.entries.is_empty() {
            let (cheap, before) = (self.cheap, self.entries.len());
            self.entries.retain(|_, entry| entry.effort > cheap);
            self.evicted += (before - self.entries.len()) as u64;
            self.bytes = self.entries.iter().map(|(key, entry)| entry_bytes(key, entry)).sum();
            self.cheap = cheap.saturating_mul(2);
        }
        if self.entries.is_empty() {
            self.cheap = 1;
        }
    }
}

/// A cache for several threads. The hash of a subset's items selects one of several caches, each
/// behind its own lock. Entries are valid whichever search made them.
pub struct SharedCache {
    shards: Vec<Mutex<Cache>>,
}

/// Locks per thread, so that two threads rarely contend for the same one.
const SHARDS_PER_THREAD: usize = 16;

impl SharedCache {
    /// A cache within a soft limit of bytes.
    pub fn new(limit: Option<usize>, threads: usize) -> Self {
        let count = if threads > 1 { SHARDS_PER_THREAD * threads } else { 1 };
        let limit = limit.map(|limit| limit / count);
        SharedCache { shards: (0..count).map(|_| Mutex::new(Cache::new(limit))).collect() }
    }

    /// Like `Cache::lookup`.
    pub fn lookup(&self, members: &Bits, limits: &Limits) -> Option<CacheHit> {
        self.shard(members).lookup(members, limits)
    }

    /// Like `Cache::insert`.
    pub fn insert(&self, members: &Bits, cache_entry: CacheEntry, effort: u64) {
        self.shard(members).insert(members, cache_entry, effort);
    }

    /// Number of entries, estimated bytes and number of evicted entries.
    pub fn counts(&self) -> (u64, u64, u64) {
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

/// Bytes of an entry and of the nodes of its tree that no other entry holds.
const CACHE_ENTRY_BYTES: usize = size_of::<CacheEntry>() + 2 * (size_of::<Tree>() + 16);

fn entry_bytes(key: &CacheKey, entry: &SubsetEntries) -> usize {
    key.0.len() * 8 + 64 + entry.cache_entries.len() * CACHE_ENTRY_BYTES
}

/// Packs a set. The first word distinguishes lists from words, so equal keys are equal sets.
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

    fn cache_entry(depth: u32, lower: Cost, cost: Option<Cost>) -> CacheEntry {
        let limits = Limits { depth, size: 1 << depth, min_samples_leaf: 1 };
        CacheEntry { limits, lower, tree: cost.map(|cost| (cost, Tree::leaf(0))) }
    }

    #[test]
    fn bounds_come_from_wider_limits_and_trees_from_narrower() {
        let mut cache = Cache::new(None);
        let subset = set(&[1, 2, 3]);
        cache.insert(&subset, cache_entry(3, 4, None), 1);
        cache.insert(&subset, cache_entry(1, 7, Some(7)), 1);
        let hit = cache.lookup(&subset, &cache_entry(2, 0, None).limits).expect("present");
        assert_eq!(hit.lower, 4);
        assert_eq!(hit.tree.expect("narrower tree").0, 7);
        assert!(cache.lookup(&set(&[1, 2]), &cache_entry(2, 0, None).limits).is_none());
    }

    #[test]
    fn a_lone_last_slot_does_not_meet_another_set() {
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
        // Sets of 31 items and more are packed as words, others as lists.
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
            let cache_entries: Vec<CacheEntry> = (0..random.u32(1..5))
                .map(|_| {
                    let tree = random.bool().then(|| (random.u64(9..20), Tree::leaf(0)));
                    CacheEntry { limits: draw(&mut random), lower: random.u64(0..9), tree }
                })
                .collect();
            cache_entries
                .iter()
                .for_each(|cache_entry| cache.insert(&subset, cache_entry.clone(), 1));
            let query = draw(&mut random);
            let hit = cache.lookup(&subset, &query).expect("present");
            // A lower bound also holds for tighter limits, a tree for wider ones.
            let fewer = |one: &Limits, other: &Limits| {
                one.depth <= other.depth
                    && one.size <= other.size
                    && one.min_samples_leaf >= other.min_samples_leaf
            };
            let bounds =
                cache_entries.iter().filter(|cache_entry| fewer(&query, &cache_entry.limits));
            let trees =
                cache_entries.iter().filter(|cache_entry| fewer(&cache_entry.limits, &query));
            assert_eq!(hit.lower, bounds.map(|cache_entry| cache_entry.lower).max().unwrap_or(0));
            let least =
                trees.filter_map(|cache_entry| cache_entry.tree.as_ref().map(|tree| tree.0)).min();
            assert_eq!(hit.tree.map(|tree| tree.0), least);
        }
    }

    #[test]
    fn eviction_keeps_the_soft_limit_and_the_costly_entries() {
        let mut cache = Cache::new(Some(20_000));
        for slot in 0..500 {
            cache.insert(
                &set(&[slot]),
                cache_entry(1, 1, Some(1)),
                if slot == 0 { 1_000 } else { 1 },
            );
        }
        assert!(cache.bytes() <= 20_000);
        assert!(cache.evicted > 0);
        assert!(cache.lookup(&set(&[0]), &cache_entry(1, 0, None).limits).is_some());
    }
}
