//! Selects the dirty items to introduce, and says how the starts are selected (`starts.rs`).
//!
//! With at most t errors allowed, every solution classifies at least one item of any list of dirty
//! items with total weight above t (001, 6.2); without errors, a list of one item will do. The
//! algorithm is correct for any such list.
//!
//! *Priority.* Prefer the items with the fewest legal refinements. Start from the witness with the
//! smallest distance to an unlike item, since then the first dirty item has the fewest refinements.
//!
//! *Settled errors.* If no solution classifies the first item of the list, all misclassify it: in
//! the branches of the following items its weight is deducted from t, and it is never introduced.
//! When the whole list is settled, no solution is left. The same holds for starts: instead of one
//! witness with each class (001, 4), a list of witnesses with their own classes is tried
//! (`starts.rs`).

use super::branching::WitnessBranching;
use super::search::WitnessSearch;
use super::starts::more_than;
use crate::support::sets::members;

impl<const W: usize> WitnessSearch<'_, W> {
    /// A list of dirty items of which every solution classifies at least one, in the order to try.
    pub(super) fn items_to_try(&self, branching: &WitnessBranching<W>) -> Vec<u32> {
        let open = members(&branching.open);
        let maximum = self.prepared.errors - self.prepared.weigh(&self.settled);
        if !self.options.dirty_priority {
            return more_than(self.prepared, open.collect(), maximum);
        }
        if maximum == 0 {
            let (mut fewest, mut item_of_fewest) = (u64::MAX, None);
            for item in open {
                let refinements = self.refinement_count(branching, item, fewest);
                if refinements < fewest {
                    (fewest, item_of_fewest) = (refinements, Some(item));
                }
            }
            return item_of_fewest.into_iter().collect();
        }
        let mut keyed: Vec<(u64, u32)> =
            open.map(|item| (self.refinement_count(branching, item, u64::MAX), item)).collect();
        keyed.sort_unstable();
        more_than(self.prepared, keyed.into_iter().map(|(_, item)| item).collect(), maximum)
    }

    /// Number of rules that introduce an item, over all spots of its path; may stop counting at
    /// `maximum`.
    fn refinement_count(&self, branching: &WitnessBranching<W>, item: u32, maximum: u64) -> u64 {
        let class = self.prepared.class[item as usize] as usize;
        let mut total = 0;
        for at in self.tree.upwards(self.tree.leaf(item)) {
            for feature in 0..self.prepared.features {
                let (ranks, leaf_left) = self.tree.legal(at, item, feature);
                total +=
                    branching.restrict_rules(class, at, feature, leaf_left, ranks).len() as u64;
            }
            if total >= maximum {
                break;
            }
        }
        total
    }
}
