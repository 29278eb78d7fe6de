//! What has been proved about parts: exact costs and lower bounds.
//!
//! An entry is found by hash and accepted only if its key, the very set of
//! items, is equal: a collision costs time, never a wrong answer.

use crate::bits::Bits;
use crate::memory::takes_one_more;
use exactree_model::{Cost, Limits, Tree};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A lower bound for a part within limits, and a tree that meets them. The
/// claim is exact when the tree costs as much as the bound.
#[derive(Clone)]
pub struct Claim {
    pub limits: Limits,
    pub lower: Cost,
    pub tree: Option<(Cost, Arc<Tree>)>,
}

/// What all claims about a part together say for given limits.
#[derive(Clone, Default)]
pub struct Known {
    pub lower: Cost,
    pub tree: Option<(Cost, Arc<Tree>)>,
}

/// A set of items, packed: as words, or as a list where that is shorter.
#[derive(PartialEq, Eq, Hash)]
struct Key(Box<[u64]>);

struct Entry {
    claims: Vec<Claim>,
    /// Parts searched below this one: what losing the entry would cost.
    effort: u64,
}

/// A map from parts to claims, within a soft limit of bytes.
pub struct Memo {
    entries: FxHashMap<Key, Entry>,
    bytes: usize,
    limit: usize,
    /// Entries that cost fewer parts than this are dropped first.
    cheap: u64,
    pub evicted: u64,
}

impl Memo {
    pub fn new(limit: Option<usize>) -> Self {
        let limit = limit.unwrap_or(usize::MAX);
        Memo { entries: FxHashMap::default(), bytes: 0, limit, cheap: 1, evicted: 0 }
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

    /// What is known of a part: the greatest lower bound among claims whose
    /// limits allow at least as much, the cheapest tree among those that allow
    /// at most as much.
    pub fn known(&self, members: &Bits, limits: &Limits) -> Option<Known> {
        let entry = self.entries.get(&key(members))?;
        let mut known = Known::default();
        for claim in &entry.claims {
            if claim.limits.covers(limits) {
                known.lower = known.lower.max(claim.lower);
            }
            if let Some((cost, tree)) = claim.tree.as_ref().filter(|_| limits.covers(&claim.limits))
                && known.tree.as_ref().is_none_or(|(least, _)| cost < least)
            {
                known.tree = Some((*cost, tree.clone()));
            }
        }
        Some(known)
    }

    /// Adds a claim, replacing those it makes superfluous.
    pub fn insert(&mut self, members: &Bits, claim: Claim, effort: u64) {
        if !takes_one_more(&mut self.entries) {
            self.evicted += self.entries.len() as u64;
            self.entries.clear();
            self.bytes = 0;
        }
        let key = key(members);
        let key_bytes = key.0.len() * 8 + 64;
        let entry = self.entries.entry(key).or_insert_with(|| {
            self.bytes += key_bytes;
            Entry { claims: Vec::new(), effort: 0 }
        });
        entry.effort = entry.effort.max(effort);
        if let Some(old) = entry.claims.iter_mut().find(|old| old.limits == claim.limits) {
            old.lower = old.lower.max(claim.lower);
            let cheaper = |new: Cost| old.tree.as_ref().is_none_or(|(cost, _)| new < *cost);
            if claim.tree.as_ref().is_some_and(|(cost, _)| cheaper(*cost)) {
                old.tree = claim.tree;
            }
        } else {
            entry.claims.push(claim);
            self.bytes += CLAIM_BYTES;
        }
        if self.bytes > self.limit {
            self.evict();
        }
    }

    /// Drops the entries that were cheapest to find, until half the limit is
    /// free again. Losing an entry costs time only.
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

/// A memo for several threads: by their items parts belong to one of several
/// memos, each behind a lock of its own. Claims stay true whoever made them.
pub struct SharedMemo {
    shards: Vec<Mutex<Memo>>,
}

/// Locks for each thread, so that two rarely want the same one.
const SHARDS_PER_THREAD: usize = 16;

impl SharedMemo {
    /// A memo within a soft limit of bytes.
    pub fn new(limit: Option<usize>, threads: usize) -> Self {
        let count = if threads > 1 { SHARDS_PER_THREAD * threads } else { 1 };
        let limit = limit.map(|limit| limit / count);
        SharedMemo { shards: (0..count).map(|_| Mutex::new(Memo::new(limit))).collect() }
    }

    /// As `Memo::known`.
    pub fn known(&self, members: &Bits, limits: &Limits) -> Option<Known> {
        self.shard(members).known(members, limits)
    }

    /// As `Memo::insert`.
    pub fn insert(&self, members: &Bits, claim: Claim, effort: u64) {
        self.shard(members).insert(members, claim, effort);
    }

    /// Entries, estimated bytes and dropped entries.
    pub fn counts(&self) -> (u64, u64, u64) {
        self.shards.iter().fold((0, 0, 0), |(entries, bytes, evicted), shard| {
            let shard = lock(shard);
            (entries + shard.len() as u64, bytes + shard.bytes() as u64, evicted + shard.evicted)
        })
    }

    fn shard(&self, members: &Bits) -> MutexGuard<'_, Memo> {
        let at = match self.shards.len() {
            1 => 0,
            shards => (FxBuildHasher.hash_one(&members.words) >> 32) as usize % shards,
        };
        lock(&self.shards[at])
    }
}

/// A memo is whole between two calls, so a panic elsewhere does not matter.
fn lock(shard: &Mutex<Memo>) -> MutexGuard<'_, Memo> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A claim and the nodes of its tree that no other claim holds.
const CLAIM_BYTES: usize = size_of::<Claim>() + 2 * (size_of::<Tree>() + 16);

fn entry_bytes(key: &Key, entry: &Entry) -> usize {
    key.0.len() * 8 + 64 + entry.claims.len() * CLAIM_BYTES
}

/// Packs a set. The first word tells lists from words, so equal keys are equal
/// sets.
fn key(members: &Bits) -> Key {
    let items: usize = members.words.iter().map(|word| word.count_ones() as usize).sum();
    if items.div_ceil(2) >= members.words.len() {
        return Key(members.words.iter().copied().chain([u64::MAX]).collect());
    }
    let mut packed = Vec::with_capacity(items.div_ceil(2) + 1);
    let mut slots = members.iter();
    while let Some(first) = slots.next() {
        packed.push((first as u64) << 32 | slots.next().map_or(u32::MAX, |slot| slot) as u64);
    }
    packed.push(0);
    Key(packed.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(slots: &[u32]) -> Bits {
        let mut bits = Bits::empty(1000);
        slots.iter().for_each(|&slot| bits.insert(slot));
        bits
    }

    fn claim(depth: u32, lower: Cost, cost: Option<Cost>) -> Claim {
        let limits = Limits { depth, size: 1 << depth, min_rows: 1 };
        Claim { limits, lower, tree: cost.map(|cost| (cost, Tree::leaf(0))) }
    }

    #[test]
    fn bounds_come_from_wider_limits_and_trees_from_narrower() {
        let mut memo = Memo::new(None);
        let part = set(&[1, 2, 3]);
        memo.insert(&part, claim(3, 4, None), 1);
        memo.insert(&part, claim(1, 7, Some(7)), 1);
        let known = memo.known(&part, &claim(2, 0, None).limits).expect("present");
        assert_eq!(known.lower, 4);
        assert_eq!(known.tree.expect("narrower tree").0, 7);
        assert!(memo.known(&set(&[1, 2]), &claim(2, 0, None).limits).is_none());
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
    fn claims_with_other_limits_are_not_mixed_up() {
        let (part, mut random) = (set(&[4, 5]), fastrand::Rng::with_seed(20_261_121));
        let draw = |random: &mut fastrand::Rng| Limits {
            depth: random.u32(0..4),
            size: random.u32(0..5),
            min_rows: random.u64(1..4),
        };
        for _ in 0..2_000 {
            let mut memo = Memo::new(None);
            let claims: Vec<Claim> = (0..random.u32(1..5))
                .map(|_| {
                    let tree = random.bool().then(|| (random.u64(9..20), Tree::leaf(0)));
                    Claim { limits: draw(&mut random), lower: random.u64(0..9), tree }
                })
                .collect();
            claims.iter().for_each(|claim| memo.insert(&part, claim.clone(), 1));
            let asked = draw(&mut random);
            let known = memo.known(&part, &asked).expect("present");
            // A bound holds for fewer trees, a tree where more are allowed.
            let fewer = |one: &Limits, other: &Limits| {
                one.depth <= other.depth && one.size <= other.size && one.min_rows >= other.min_rows
            };
            let bounds = claims.iter().filter(|claim| fewer(&asked, &claim.limits));
            let trees = claims.iter().filter(|claim| fewer(&claim.limits, &asked));
            assert_eq!(known.lower, bounds.map(|claim| claim.lower).max().unwrap_or(0));
            let least = trees.filter_map(|claim| claim.tree.as_ref().map(|tree| tree.0)).min();
            assert_eq!(known.tree.map(|tree| tree.0), least);
        }
    }

    #[test]
    fn eviction_keeps_the_soft_limit_and_the_costly_entries() {
        let mut memo = Memo::new(Some(20_000));
        for slot in 0..500 {
            memo.insert(&set(&[slot]), claim(1, 1, Some(1)), if slot == 0 { 1_000 } else { 1 });
        }
        assert!(memo.bytes() <= 20_000);
        assert!(memo.evicted > 0);
        assert!(memo.known(&set(&[0]), &claim(1, 0, None).limits).is_some());
    }
}
