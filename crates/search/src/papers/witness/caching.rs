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
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, disjoint};

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether some leaf needs more nodes than are left.
    pub(super) fn some_leaf_needs_more(
        &mut self,
        open: &Set<W>,
        left: u32,
    ) -> Result<bool, Stopped> {
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

    /// Whether the set of a leaf needs more than `left` nodes, by a separate search; stores the
    /// bound.
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
