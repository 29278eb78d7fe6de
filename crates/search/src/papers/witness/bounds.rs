//! The improvement bound on the number of refinements that the dirty items need (Witty: Staus et
//! al., AAAI 2025), for any number of classes and with errors.
//!
//! Every refinement makes one leaf, of one class, and the items that it corrects are in that leaf.
//! Consider the new leaves above one spot (a leaf or a node of the witness tree), by rules of one
//! feature and in one direction. They capture only items of the spot's subset whose ranks are
//! beyond those of all witnesses below the spot. So all leaves of a class made there correct at
//! most the weight of the dirty items of that class among these items: an *entry*. Leaves made
//! inside new subtrees are counted at the place of these subtrees. If the parent of the spot has
//! the same outermost witness, its entry contains that of the spot.
//!
//! The entries of a subtree correct at most its dirty items, so its list, in decreasing order, is
//! cut off when its sum reaches them. The subsets of two children are disjoint, so their lists are
//! concatenated, from the leaves up. If the greatest entries of all classes, as many as there are
//! refinements left, correct too little, no refinement of the tree is a solution.

use super::search::WitnessSearch;
use super::tree::{SpotKind, WitnessTree};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, count, empty, without};
use exactree_model::Weight;
use std::cmp::Reverse;

impl<const W: usize> WitnessSearch<'_, W> {
    /// The weight that one of the `refinements` left must correct if the others correct as much as
    /// they can; `None` if all together cannot correct enough. `open` are the dirty items that are
    /// not settled as errors.
    pub(super) fn min_improvement(&mut self, open: &Set<W>, refinements: u32) -> Option<Weight> {
        let allowed = self.prepared.errors - self.prepared.weigh(&self.settled);
        let needed = self.prepared.weigh(open).saturating_sub(allowed);
        let mut entries = std::mem::take(&mut self.entries);
        entries.clear();
        for class in &self.prepared.classes {
            let open = and(open, class);
            if !empty(&open) {
                self.tree.gather(self.tree.root, &open, refinements as usize, &mut entries);
            }
        }
        entries.sort_unstable_by_key(|&entry| Reverse(entry));
        let last = entries.get(refinements as usize - 1).map_or(0, |entry| *entry);
        let others = entries.iter().take(refinements as usize - 1).sum::<Weight>();
        self.entries = entries;
        let enough = others + last >= needed + offset(Mutant::WitnessImprovement);
        enough.then(|| needed.saturating_sub(others) + offset(Mutant::WitnessNeeded))
    }
}

impl<const W: usize> WitnessTree<'_, W> {
    /// Appends the entries of a subtree for the dirty items `open` of a class, at most `maximum` of
    /// them.
    pub(crate) fn gather(
        &self,
        at: usize,
        open: &Set<W>,
        maximum: usize,
        entries: &mut Vec<Weight>,
    ) {
        let spot = &self.spots[at];
        let here = and(&spot.subset, open);
        if empty(&here) {
            return;
        }
        let from = entries.len();
        let all = self.prepared.weigh(&here);
        // One entry with all dirty items is as good as any list.
        if count(&here) == 1 || self.own_entries(at, &here, all, entries) {
            entries.truncate(from);
            entries.push(all);
            return;
        }
        if let SpotKind::Node { left: left_child, right: right_child, .. } = spot.kind {
            self.gather(left_child, open, maximum, entries);
            self.gather(right_child, open, maximum, entries);
        }
        entries[from..].sort_unstable_by_key(|&entry| Reverse(entry));
        let mut rest = all;
        let mut kept = from;
        while kept < entries.len() && kept - from < maximum && rest > 0 {
            entries[kept] = rest.min(entries[kept]);
            rest -= entries[kept];
            kept += 1;
        }
        entries.truncate(kept);
    }

    /// Appends the entries of one spot, for every feature and both directions. Returns whether an
    /// entry is `all`, so that the others do not matter.
    fn own_entries(
        &self,
        at: usize,
        here: &Set<W>,
        all: Weight,
        entries: &mut Vec<Weight>,
    ) -> bool {
        let ((low, high), (above_low, above_high)) = (self.ends(at), self.ends_above(at));
        for feature in 0..self.prepared.features {
            let rules = self.prepared.rules(feature);
            let (low, high) = (low[feature], high[feature]);
            let beyond = [
                (low > above_low[feature]).then(|| and(here, &rules[low as usize - 1])),
                (high < above_high[feature]).then(|| without(here, &rules[high as usize])),
            ];
            for entry in beyond.into_iter().flatten().map(|set| self.prepared.weigh(&set)) {
                if entry == all {
                    return true;
                }
                if entry > 0 {
                    entries.push(entry);
                }
            }
        }
        false
    }
}
