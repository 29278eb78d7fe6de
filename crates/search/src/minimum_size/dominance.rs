//! Dominance between subsets: a set needs at least as many nodes as each of its subsets, and at
//! most as many as each of its supersets.

use super::subtree_limits::SubtreeLimitsId;
use crate::support::sets::{Set, within};
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// Bytes that the subsets may take without a memory limit.
const DEFAULT_MAX_BYTES: usize = 1 << 28;

/// Maximum number of subsets kept for one level; scanning more costs more than it saves.
const MOST: usize = 4096;

/// Limits and size; subsets of other levels are not compared.
type DominanceLevel = (SubtreeLimitsId, u32);

/// Subsets with a number of errors: infeasible with fewer, or feasible with it.
type ComparedSubsets<const W: usize> = Vec<(Set<W>, Weight)>;

/// Hard subsets (no tree of a size) and easy subsets (there is one), by level.
pub struct Dominance<const W: usize> {
    hard: FxHashMap<DominanceLevel, ComparedSubsets<W>>,
    easy: FxHashMap<DominanceLevel, ComparedSubsets<W>>,
    kept: usize,
    maximum: usize,
    pub evicted: u64,
}

impl<const W: usize> Dominance<W> {
    /// With a soft limit on bytes.
    pub fn new(limit: Option<usize>) -> Self {
        let maximum = limit.unwrap_or(DEFAULT_MAX_BYTES) / size_of::<(Set<W>, Weight)>();
        let (hard, easy) = (FxHashMap::default(), FxHashMap::default());
        Dominance { hard, easy, kept: 0, maximum, evicted: 0 }
    }

    /// A subset of the set known to need more than `size` nodes, and the number of errors below
    /// which that holds.
    pub fn too_hard(
        &mut self,
        set: &Set<W>,
        level: DominanceLevel,
        errors: Weight,
    ) -> Option<(Set<W>, Weight)> {
        let subsets = self.hard.get_mut(&level)?;
        found(subsets, |(subset, needs)| within(subset, set) && *needs > errors)
    }

    /// A superset known to need at most `size` nodes.
    pub fn easy_enough(
        &mut self,
        set: &Set<W>,
        level: DominanceLevel,
        errors: Weight,
    ) -> Option<Set<W>> {
        let subsets = self.easy.get_mut(&level)?;
        found(subsets, |(subset, made)| within(set, subset) && *made <= errors)
            .map(|(subset, _)| subset)
    }

    pub fn add_hard(&mut self, set: Set<W>, level: DominanceLevel, needs: Weight) {
        self.make_room();
        let subsets = self.hard.entry(level).or_default();
        let dropped = add(subsets, (set, needs));
        self.count(dropped);
    }

    pub fn add_easy(&mut self, set: Set<W>, level: DominanceLevel, errors: Weight) {
        self.make_room();
        let subsets = self.easy.entry(level).or_default();
        let dropped = add(subsets, (set, errors));
        self.count(dropped);
    }

    pub fn bytes(&self) -> usize {
        let subsets = self.hard.values().chain(self.easy.values());
        subsets.map(|subsets| subsets.capacity() * size_of::<(Set<W>, Weight)>()).sum()
    }

    fn count(&mut self, dropped: usize) {
        self.kept = self.kept + 1 - dropped;
        self.evicted += dropped as u64;
    }

    /// When the memory is used up, evicts everything, which costs time only.
    fn make_room(&mut self) {
        if self.kept >= self.maximum {
            self.evicted += self.kept as u64;
            self.hard.clear();
            self.easy.clear();
            self.kept = 0;
        }
    }
}

/// Adds a subset; returns the number evicted. Subsets with hits are first, the newest last; those
/// in the middle are evicted.
fn add<const W: usize>(subsets: &mut ComparedSubsets<W>, subset: (Set<W>, Weight)) -> usize {
    let mut dropped = 0;
    if subsets.len() >= MOST {
        dropped = subsets.drain(MOST / 4..MOST * 3 / 4).len();
    }
    subsets.push(subset);
    dropped
}

/// The first subset that passes; it moves half-way to the front.
fn found<const W: usize>(
    subsets: &mut ComparedSubsets<W>,
    passes: impl Fn(&(Set<W>, Weight)) -> bool,
) -> Option<(Set<W>, Weight)> {
    let at = subsets.iter().position(passes)?;
    let subset = subsets[at];
    subsets.swap(at, at / 2);
    Some(subset)
}
