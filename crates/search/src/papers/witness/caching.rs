//! Subset caching: how many nodes the items of a leaf need (Witty: Staus et
//! al., AAAI 2025).
//!
//! The minimum size is monotone: fewer items never need more nodes. No node of a witness tree
//! separates the items of a leaf, so if these alone need more nodes than there are refinements
//! left, no refinement is a solution. With errors allowed the leaf may have all of them. Leaves are
//! solved separately, by this search and with the same cache; recursion ends because leaves of a
//! leaf have fewer items. Bounds of a set are cached, and a lower bound of a set also holds for its
//! supersets.
//!
//! Beyond the source, leaves of any size are solved, and inside each other.

use super::search::WitnessSearch;
use super::tree::SpotKind;
use crate::support::clock::Stopped;
use crate::support::memory::reserve_one;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, disjoint, within};
use rustc_hash::FxHashMap;

/// Bounds of a set: a number of nodes that does not suffice, and one that does.
#[derive(Clone, Copy, Default)]
struct NodeBounds {
    too_few: Option<u32>,
    enough: Option<u32>,
}

/// The cache of bounds of sets.
pub struct WitnessCache<const W: usize> {
    known: FxHashMap<Set<W>, NodeBounds>,
    /// Sets and nodes that do not suffice for them, to look for inside others.
    hard: Vec<(Set<W>, u32)>,
    /// Sets held at most, in each of the two.
    maximum: (usize, usize),
    pub evicted: u64,
    /// Search nodes of the leaves.
    pub nodes: u64,
}

impl<const W: usize> WitnessCache<W> {
    /// A cache within a soft limit of bytes.
    pub fn new(limit: Option<usize>) -> Self {
        // Hash tables double when they grow.
        let bytes = 4 * size_of::<(Set<W>, NodeBounds)>();
        let maximum = limit.map_or(usize::MAX, |limit| (limit / bytes).max(1));
        // Going through very many sets would take longer than it saves.
        let maximum = (maximum, maximum.min(1 << 11));
        WitnessCache {
            known: FxHashMap::default(),
            hard: Vec::new(),
            maximum,
            evicted: 0,
            nodes: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether a set needs more than `nodes`, if that is known.
    fn needs_more(&mut self, set: &Set<W>, nodes: u32) -> Option<bool> {
        let known = self.known.get(set).copied().unwrap_or_default();
        if known.enough.is_some_and(|enough| enough <= nodes) {
            return Some(false);
        }
        if known.too_few.is_some_and(|too_few| too_few >= nodes) {
            return Some(true);
        }
        let hard = |(inside, too_few): &(Set<W>, u32)| *too_few >= nodes && within(inside, set);
        let at = self.hard.iter().position(hard)?;
        self.hard.swap(at, at / 2);
        Some(true)
    }

    fn store_enough(&mut self, set: Set<W>, nodes: u32) {
        let known = self.entry(set);
        known.enough = Some(known.enough.map_or(nodes, |enough| enough.min(nodes)));
    }

    fn store_too_few(&mut self, set: Set<W>, nodes: u32) {
        self.entry(set).too_few = Some(nodes);
        // The bound of the new set makes those of its supersets redundant.
        self.hard.retain(|(around, too_few)| *too_few > nodes || !within(&set, around));
        if self.hard.len() == self.maximum.1 {
            self.hard.truncate(self.maximum.1 / 2);
            self.evicted += self.maximum.1.div_ceil(2) as u64;
        }
        self.hard.push((set, nodes));
    }

    fn entry(&mut self, set: Set<W>) -> &mut NodeBounds {
        if self.known.len() == self.maximum.0 || !reserve_one(&mut self.known) {
            self.evicted += self.known.len() as u64;
            self.known.clear();
        }
        self.known.entry(set).or_default()
    }
}

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether some leaf needs more nodes than are left.
    pub fn a_leaf_needs_more(&mut self, open: &Set<W>, left: u32) -> Result<bool, Stopped> {
        for at in 0..self.tree.spots.len() {
            let subset = self.tree.spots[at].subset;
            if matches!(self.tree.spots[at].kind, SpotKind::Node { .. })
                || disjoint(&subset, open)
                || subset == self.subset
                || self.prepared.weigh(&and(&subset, open)) <= self.prepared.errors
            {
                continue;
            }
            let Some(cache) = &mut self.cache else { break };
            match cache.needs_more(&subset, left) {
                Some(true) => {
                    self.pruned.cached_subsets += 1;
                    return Ok(true);
                }
                Some(false) => continue,
                // Leaves may take as much work as the search itself.
                None if cache.nodes > self.above + self.nodes => continue,
                None => {}
            }
            if self.solve_apart(subset, left)? {
                self.pruned.leaves_solved += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a set needs more than `left` nodes, by a search of its own.
    fn solve_apart(&mut self, subset: Set<W>, left: u32) -> Result<bool, Stopped> {
        let mut apart =
            WitnessSearch::new(self.prepared, self.options, self.clock, self.nearest, subset)?;
        apart.above = self.above + self.nodes;
        apart.cache = self.cache.take();
        let found = apart.decide(left);
        self.cache = apart.cache.take();
        let found = found?;
        if let Some(cache) = &mut self.cache {
            cache.nodes += apart.nodes;
            match found {
                true => cache.store_enough(subset, apart.tree.size()),
                false => cache.store_too_few(subset, left + offset(Mutant::WitnessCaching) as u32),
            }
        }
        Ok(!found)
    }
}
