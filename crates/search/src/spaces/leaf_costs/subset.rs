//! Subsets of a prepared table, and what an item adds to a leaf of a subset.

use super::prepared_table::CostTable;
use crate::costs::items::{CostSubset, CostTotals};
use crate::costs::leaf_cost::{LeafCost, LeafRounding};
use crate::engine::rules::{Rule, Rules};
use crate::engine::subset::{SearchTable, Subset, ThresholdTable};
use crate::support::bits::Bits;
use exactree_model::{Cost, UNBOUNDED};

impl SearchTable for CostTable {
    type Totals = CostTotals;

    fn rows(&self, slot: usize) -> u64 {
        self.items[slot].rows
    }

    fn totals(&self, members: &Bits, weighted: &Bits) -> (usize, u64, CostTotals) {
        let (mut count, mut rows) = (0, 0);
        for slot in members.iter() {
            count += 1;
            rows += self.items[slot as usize].rows;
        }
        (count, rows, self.totals_of(weighted.iter()))
    }

    fn route(&self, slots: &[u32], feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        self.route_by_rank(slots, feature, rank)
    }
}

impl ThresholdTable for CostTable {
    fn slots(&self) -> usize {
        self.items.len()
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn index(&self, feature: usize) -> u32 {
        self.features[feature].index
    }

    fn ranks(&self, feature: usize) -> &[u32] {
        &self.features[feature].ranks
    }

    fn rules(&self, subset: &CostSubset, feature: usize, similarity: bool) -> Rules {
        subset.rules_of_order(feature, self.plain && !similarity, |slot| {
            let weight = if similarity { reach(self, subset, slot) } else { 1 };
            (self.items[slot as usize].rows, weight)
        })
    }

    fn column(&self, _rule: &Rule) -> Option<&Bits> {
        None
    }
}

impl CostTable {
    /// All items of the table.
    pub(crate) fn whole(&self) -> CostSubset {
        let features = if self.columns.is_some() { 0 } else { self.features.len() };
        let order = |feature: usize| self.features[feature].sorted.iter().copied();
        Subset::with_orders(self, self.all.clone(), (features, 1), order)
    }

    /// Whether the bounds on the costs that items add to a leaf can be summed without overflow.
    pub(crate) fn reaches_fit(&self, subset: &CostSubset) -> bool {
        let mut slots = subset.members.iter();
        let all = slots.try_fold(0, |all: Cost, slot| {
            Some(all + reach(self, subset, slot)).filter(|&all| all < UNBOUNDED)
        });
        all.is_some()
    }
}

/// An upper bound on the cost that an item adds to a leaf of a subset's items: at most the cost of all
/// of them in one leaf, because no leaf costs less with more items. That keeps heavy rows within
/// integers. The bound includes the rounding errors of both leaves. A weightless item adds nothing.
fn reach(prepared: &CostTable, subset: &CostSubset, slot: u32) -> Cost {
    if !subset.is_weighted(slot) {
        return 0;
    }
    let cost = &prepared.units.cost;
    let one_leaf = subset.leaf.saturating_add(2 * cost.leaf_error(subset.count));
    cost.reach(&prepared.items[slot as usize], &subset.totals).min(one_leaf)
}
