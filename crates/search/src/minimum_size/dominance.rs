//! Dominance between subsets: a set needs at least as many nodes as each of its subsets, and at
//! most as many as each of its supersets.

use super::subtree_limits::SubtreeLimitsId;
use crate::support::sets::{Set, within};
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// Maximum number of bytes of the subsets without a memory limit.
const DEFAULT_MAX_BYTES: usize = 1 << 28;

/// Maximum number of subsets kept for one level; scanning more subsets costs more than it saves.
const MAX_PER_LEVEL: usize = 4096;

/// Limits and size; only subsets of the same level are compared.
type DominanceLevel = (SubtreeLimitsId, u32);

/// Subsets, each with a weight of errors: infeasible with fewer errors, or feasible with these
/// errors.
type ComparedSubsets<const W: usize> = Vec<(Set<W>, Weight)>;

/// By level, hard subsets (there is no tree of the size) and easy subsets (there is a tree).
pub(super) struct Dominance<const W: usize> {
    hard: FxHashMap<DominanceLevel, ComparedSubsets<W>>,
    easy: FxHashMap<DominanceLevel, ComparedSubsets<W>>,
    kept: usize,
    maximum: usize,
    pub evicted: u64,
}

impl<const W: usize> Dominance<W> {
    /// No subsets, with a soft limit on bytes.
    pub(super) fn new(limit: Option<usize>) -> Self {
        let maximum = limit.unwrap_or(DEFAULT_MAX_BYTES) / size_of::<(Set<W>, Weight)>();
        let (hard, easy) = (FxHashMap::default(), FxHashMap::default());
        Dominance { hard, easy, kept: 0, maximum, evicted: 0 }
    }

    /// A subset of `set` that is known to need more nodes than the size of the level, and the
    /// weight of errors below which that holds.
    pub(super) fn too_hard(
        &mut self,
        set: &Set<W>,
        level: DominanceLevel,
        errors: Weight,
    ) -> Option<(Set<W>, Weight)> {
        let subsets = self.hard.get_mut(&level)?;
        find_and_promote(subsets, |(subset, needs)| within(subset, set) && *needs > errors)
    }

    /// A superset of `set` that is known to need at most as many nodes as the size of the level.
    pub(super) fn easy_enough(
        &mut self,
        set: &Set<W>,
        level: DominanceLevel,
        errors: Weight,
    ) -> Option<Set<W>> {
        let subsets = self.easy.get_mut(&level)?;
        find_and_promote(subsets, |(subset, made)| within(set, subset) && *made <= errors)
            .map(|(subset, _)| subset)
    }

    pub(super) fn add_hard(&mut self, set: Set<W>, level: DominanceLevel, needs: Weight) {
        self.evict_if_full();
        let subsets = self.hard.entry(level).or_default();
        let dropped = add(subsets, (set, needs));
        self.count(dropped);
    }

    pub(super) fn add_easy(&mut self, set: Set<W>, level: DominanceLevel, errors: Weight) {
        self.evict_if_full();
        let subsets = self.easy.entry(level).or_default();
        let dropped = add(subsets, (set, errors));
        self.count(dropped);
    }

    pub(super) fn bytes(&self) -> usize {
        let subsets = self.hard.values().chain(self.easy.values());
        subsets.map(|subsets| subsets.capacity() * size_of::<(Set<W>, Weight)>()).sum()
    }

    fn count(&mut self, dropped: usize) {
        self.kept = self.kept + 1 - dropped;
        self.evicted += dropped as u64;
    }

    /// Evicts all subsets if the memory is used up, which costs time only.
    fn evict_if_full(&mut self) {
        if self.kept >= self.maximum {
            self.evicted += self.kept as u64;
            self.hard.clear();
            self.easy.clear();
            self.kept = 0;
        }
    }
}

/// Adds a subset; returns the number of evicted subsets. Subsets that are often found are near the
/// front and new subsets at the end; subsets in the middle are evicted.
fn add<const W: usize>(subsets: &mut ComparedSubsets<W>, subset: (Set<W>, Weight)) -> usize {
    let mut dropped = 0;
    if subsets.len() >= MAX_PER_LEVEL {
        dropped = subsets.drain(MAX_PER_LEVEL / 4..MAX_PER_LEVEL * 3 / 4).len();
    }
    subsets.push(subset);
    dropped
}

/// The first subset that passes, which moves half-way to the front.
fn find_and_promote<const W: usize>(
    subsets: &mut ComparedSubsets<W>,
    passes: impl Fn(&(Set<W>, Weight)) -> bool,
) -> Option<(Set<W>, Weight)> {
    let at = subsets.iter().position(passes)?;
    let subset = subsets[at];
    subsets.swap(at, at / 2);
    Some(subset)
}
