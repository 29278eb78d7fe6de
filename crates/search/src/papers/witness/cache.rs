//! The cache of bounds on the number of nodes that sets of items need (argument in `caching.rs`).

use crate::support::memory::reserve_one;
use crate::support::sets::{Set, within};
use rustc_hash::FxHashMap;

/// Bounds of a set: the greatest number of nodes known not to suffice, and the smallest number
/// known to suffice.
#[derive(Clone, Copy, Default)]
struct NodeBounds {
    too_few: Option<u32>,
    enough: Option<u32>,
}

/// The cache of bounds of sets.
pub(super) struct WitnessCache<const W: usize> {
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
    pub(super) fn new(limit: Option<usize>) -> Self {
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

    pub(super) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Whether a set needs more than `nodes`, if that is known.
    pub(super) fn needs_more(&mut self, set: &Set<W>, nodes: u32) -> Option<bool> {
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

    pub(super) fn store_enough(&mut self, set: Set<W>, nodes: u32) {
        let bounds = self.entry(set);
        bounds.enough = Some(bounds.enough.map_or(nodes, |enough| enough.min(nodes)));
    }

    pub(super) fn store_too_few(&mut self, set: Set<W>, nodes: u32) {
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
