//! What a cost of leaves has to define: its value, its rounding errors, and its stumps. A new cost is a
//! file that implements these traits, and a line of `any_cost.rs`; `laws.rs` tests the laws.

use super::items::{CostItem, CostSubset, CostTotals, ItemRounding};
use super::stump_items::StumpItems;
use crate::engine::subset::OrderEntry;
use crate::kernels::gains::Thresholds;
use exactree_model::{Cost, Weight};
use std::cmp::Ordering;

/// The cost of a leaf as a function of its items.
///
/// *Laws*, each up to the rounding of the leaves compared (`LeafRounding`):
/// - `leaf` never costs less with more items;
/// - adding an item adds at most `reach` to a leaf;
/// - items of `equal_rows_bound` cost at least that much in every leaf that holds them;
/// - the laws that `laws` declares.
pub(crate) trait LeafCost {
    /// The item of some rows with one target, given by its code.
    fn item(&self, code: u32, weight: Weight, rows: u64) -> (CostItem, ItemRounding);

    /// The order of the items of a table.
    fn compare(&self, a: &CostItem, b: &CostItem) -> Ordering;

    /// The cost of a leaf without its price. `totals` are those of the items, which are given in their
    /// order; there is at least one.
    fn leaf<'i>(&self, totals: &CostTotals, items: impl Iterator<Item = &'i CostItem>) -> Cost;

    /// A lower bound on the cost of items in any leaf that holds all of them.
    fn equal_rows_bound(&self, items: &[CostItem]) -> Cost;

    /// An upper bound on the cost that an item with the targets of some totals adds to a leaf of some
    /// of their items; at most `UNBOUNDED`.
    fn reach(&self, item: &CostItem, totals: &CostTotals) -> Cost;

    /// Which further laws hold.
    fn laws(&self) -> CostLaws {
        CostLaws { one_target: true, super_additive: true }
    }
}

/// Laws that some costs do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CostLaws {
    /// Items with equal targets cost no less in two leaves than in one.
    pub one_target: bool,
    /// Items cost at least as much in one leaf as in several, whatever their targets.
    pub super_additive: bool,
}

/// Rounding errors of costs, in units of the search.
pub(crate) trait LeafRounding {
    /// A price per leaf, given as a float.
    fn price(&self, price: f64) -> Cost;

    /// Largest rounding error of the cost of some items in one leaf.
    fn leaf_error(&self, items: usize) -> Cost;

    /// Largest amount by which rounding raises the cost of a tree with this many leaves when items are
    /// removed.
    fn growth(&self, leaves: u32) -> Cost;

    /// Largest rounding error of a tree; see `TreeRounding`.
    fn tree_error(&self, tree: &TreeRounding) -> f64;
}

/// A tree with at most `leaves` leaves and cost at most `cost`.
pub(crate) struct TreeRounding {
    pub leaves: f64,
    pub items: f64,
    /// Total of the squared errors of the sums of items divided by their weights.
    pub sum_errors: f64,
    pub cost: f64,
}

/// The costs of the stumps of a feature.
pub(crate) trait StumpCosts {
    /// The costs of two leaves, by number of items in the left child minus one; only those at thresholds
    /// are needed. `items` are those of the table, `order` has those of the subset.
    fn costs_of_stumps(
        &self,
        items: &[CostItem],
        subset: &CostSubset,
        order: &[OrderEntry],
    ) -> Vec<Cost>;
}

/// The best stumps in both children of a root.
pub(crate) trait ChildStumps {
    /// Prepares for the children of a root, of which the left one has the items with these numbers.
    /// Returns the costs of both as leaves.
    fn begin(&mut self, items: &StumpItems<'_>, left: &[u32]) -> [Cost; 2];

    /// By child, the cost of the best stump on a feature. A child whose limit is `None` need not be
    /// evaluated, and may have the cost `None`. A cost that is not below the limit may be replaced by a
    /// lower bound that is not below it either. If the feature does not split a child, the cost is at
    /// least that of a leaf.
    fn best(
        &mut self,
        items: &StumpItems<'_>,
        feature: usize,
        limits: [Option<Cost>; 2],
        allowed: &[Thresholds; 2],
    ) -> [Option<Cost>; 2];
}
