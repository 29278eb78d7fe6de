//! Subset caching: bounds on the number of nodes that the items of a leaf need (Witty: Staus et
//! al., AAAI 2025).
//!
//! The minimum size is monotone: fewer items never need more nodes. No node of a witness tree
//! separates the items of a leaf, so if these alone need more nodes than there are refinements
//! left, no refinement is a solution. With errors allowed, all errors may be in the leaf. Leaves
//! are solved separately, by this search and with the same cache; the recursion ends because the
//! leaves of such a search have fewer items. Bounds of a set are cached, and a lower bound of a set
//! also holds for its supersets.
//!
//! Beyond the source, leaves of any size are solved, recursively.

use super::search::WitnessSearch;
use super::tree::SpotKind;
use crate::support::clock::Stopped;
use crate::support::memory::reserve_one;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, disjoint, within};
use rustc_hash::FxHashMap;

/// Bounds of a set: the greatest number of nodes known not to suffice, and the smallest number
/// known to suffice.
#[derive(Clone, Copy, Default)]
struct NodeBounds {
    too_few: Option<u32>,
    enough: Option<u32>,
}

/// The cache of bounds of sets.
pub struct WitnessCache<const W: usize> {
    bounds: FxHashMap<Set<W>, NodeBounds>,
    /// Sets and numbers of nodes that do not suffice for them, for lower bounds of supersets.
    infeasible: Vec<(Set<W>, u32)>,
    /// Maximum number of sets in `bounds`.
    max_bounds: usize,
    /// Maximum number of sets in `infeasible`.
    max_infeasible: usize,
    pub evicted: u64,
    /// Search nodes of the searches for leaves.
    pub nodes: u64,
}

impl<const W: usize> WitnessCache<W> {
    /// A cache within a soft limit of bytes.
    pub fn new(limit: Option<usize>) -> Self {
        // The capacity of a hash table doubles when it grows.
        let bytes = 4 * size_of::<(Set<W>, NodeBounds)>();
        let max_bounds = limit.map_or(usize::MAX, |limit| (limit / bytes).max(1));
        WitnessCache {
            bounds: FxHashMap::default(),
            infeasible: Vec::new(),
            max_bounds,
            // Comparing with very many sets would take longer than it saves.
            max_infeasible: max_bounds.min(1 << 11),
            evicted: 0,
            nodes: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Whether a set needs more than `nodes`, if that is known.
    fn needs_more(&mut self, set: &Set<W>, nodes: u32) -> Option<bool> {
        let bounds = self.bounds.get(set).copied().unwrap_or_default();
        if bounds.enough.is_some_and(|enough| enough <= nodes) {
            return Some(false);
        }
        if bounds.too_few.is_some_and(|too_few| too_few >= nodes) {
            return Some(true);
        }
        let needs_more =
            |(subset, too_few): &(Set<W>, u32)| *too_few >= nodes && within(subset, set);
        let at = self.infeasible.iter().position(needs_more)?;
        self.infeasible.swap(at, at / 2);
        Some(true)
    }

    fn store_enough(&mut self, set: Set<W>, nodes: u32) {
        let bounds = self.entry(set);
        bounds.enough = Some(bounds.enough.map_or(nodes, |enough| enough.min(nodes)));
    }

    fn store_too_few(&mut self, set: Set<W>, nodes: u32) {
        self.entry(set).too_few = Some(nodes);
        // The bound of the new set makes those of its supersets redundant.
        self.infeasible.retain(|(superset, too_few)| *too_few > nodes || !within(&set, superset));
        if self.infeasible.len() == self.max_infeasible {
            self.infeasible.truncate(self.max_infeasible / 2);
            self.evicted += self.max_infeasible.div_ceil(2) as u64;
        }
        self.infeasible.push((set, nodes));
    }

    fn entry(&mut self, set: Set<W>) -> &mut NodeBounds {
        if self.bounds.len() == self.max_bounds || !reserve_one(&mut self.bounds) {
            self.evicted += self.bounds.len() as u64;
            self.bounds.clear();
        }
        self.bounds.entry(set).or_default()
    }
}

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether some leaf needs more nodes than are left.
    pub fn some_leaf_needs_more(&mut self, open: &Set<W>, left: u32) -> Result<bool, Stopped> {
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
                // All searches for leaves together take at most as much work as the search itself.
                None if cache.nodes > self.above + self.nodes => continue,
                None => {}
            }
            if self.solve_leaf(subset, left)? {
                self.pruned.leaves_solved += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the set of a leaf needs more than `left` nodes, by a separate search; stores the bound.
    fn solve_leaf(&mut self, subset: Set<W>, left: u32) -> Result<bool, Stopped> {
        let mut leaf_search =
            WitnessSearch::new(self.prepared, self.options, self.clock, self.nearest, subset)?;
        leaf_search.above = self.above + self.nodes;
        leaf_search.cache = self.cache.take();
        let found = leaf_search.decide(left);
        self.cache = leaf_search.cache.take();
        let found = found?;
        if let Some(cache) = &mut self.cache {
            cache.nodes += leaf_search.nodes;
            match found {
                true => cache.store_enough(subset, leaf_search.tree.size()),
                false => cache.store_too_few(subset, left + offset(Mutant::WitnessCaching) as u32),
            }
        }
        Ok(!found)
    }
}
