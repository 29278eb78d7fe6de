//! Absolute error: absolute deviations from a median.
//!
//! The cost is a sum of integers, exact for whole targets and weights; otherwise every item and every
//! median is rounded once. Then these integers may grow by a rounding when an item is removed, but
//! bounds need no allowance of their own: by induction over the search each lower bound exceeds the
//! minimum true cost of its subset by at most the rounding error of one tree of that subset. A leaf's
//! cost does; two disjoint children add their errors; and a bound inherited from a smaller subset, by
//! monotonicity or with an upper bound on the true cost of the items added, compares true costs. Costs
//! of classes are rounded leaf by leaf: the same holds.
//!
//! *Reach.* An item adds to a leaf at most its cost with that leaf's old prediction, which lies between
//! the minimum and the maximum target of the subset: at most its distance to the farther one.

pub(crate) mod median_sums;
mod medians;
pub(crate) mod stumps;

use super::clusters::{RunSavings, TargetRuns};
use super::items::{CostItem, CostSubset, CostTotals, ItemRounding};
use super::leaf_cost::{LeafCost, LeafRounding, StumpCosts, TreeRounding};
use super::targets::{Differences, IntegerTargets, SUM_BITS, cost_above, exponent};
use crate::engine::subset::OrderEntry;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, UNBOUNDED, Weight};
use medians::Medians;
use std::cmp::Ordering;
use std::ops::Range;

/// Absolute error of integer targets.
#[derive(Clone, Debug)]
pub(crate) struct AbsoluteError {
    targets: IntegerTargets,
}

impl AbsoluteError {
    /// For distinct targets in increasing order and the weights of each; the unit is 2 to the number
    /// returned.
    pub(super) fn new(targets: &[f64], weights: &[Weight], leaf_price: f64) -> (Self, i32) {
        let differences = Differences::new(targets, weights);
        let scale = SUM_BITS - exponent(differences.sums.max(differences.price(leaf_price, 1)));
        let unit = differences.exponent - scale;
        (AbsoluteError { targets: IntegerTargets::new(differences, scale) }, unit)
    }

    /// Weight times target for a weight of either sign.
    fn signed_sum(&self, code: u32, weight: i64) -> i64 {
        self.targets.signed_sum(code, weight)
    }

    /// The cost of a leaf of items with this total weight, in the order of their targets.
    fn deviation<'i>(&self, items: impl Iterator<Item = &'i CostItem>, weight: i64) -> Cost {
        // The sums above the median minus those below, plus the median times the difference of the
        // weights.
        let (mut below, mut sums, mut cost, mut median) = (0, 0, 0, None);
        for item in items {
            match median {
                None if 2 * (below + item.weight) >= weight => {
                    median = Some(item.low);
                    let above = weight - below - item.weight;
                    cost = self.signed_sum(item.low, below - above) - sums;
                }
                None => {
                    below += item.weight;
                    sums += item.sum;
                }
                Some(_) => cost += item.sum,
            }
        }
        cost.max(0) as Cost
    }
}

impl LeafCost for AbsoluteError {
    fn item(&self, code: u32, weight: Weight, rows: u64) -> (CostItem, ItemRounding) {
        let sum = self.targets.sum(code, weight);
        let sum_error = self.targets.sum_error(code, weight);
        let item = CostItem { sum, ..CostItem::new(code, weight, rows) };
        (item, ItemRounding { sum_error, ..ItemRounding::default() })
    }

    fn compare(&self, a: &CostItem, b: &CostItem) -> Ordering {
        a.low.cmp(&b.low)
    }

    fn leaf<'i>(&self, totals: &CostTotals, items: impl Iterator<Item = &'i CostItem>) -> Cost {
        self.deviation(items, totals.weight)
    }

    fn equal_rows_bound(&self, items: &[CostItem]) -> Cost {
        self.deviation(items.iter(), items.iter().map(|item| item.weight).sum())
    }

    /// Rounding is included.
    fn reach(&self, item: &CostItem, totals: &CostTotals) -> Cost {
        let off = self.targets.farthest((item.low, item.high), (totals.low, totals.high));
        let reach = cost_above(item.weight as f64 * off);
        let missing = offset(Mutant::CostSimilarity) * (reach - reach / 8);
        // Half a unit for every row and the medians before and after.
        (reach - missing).saturating_add(6 * item.rows + 8).min(UNBOUNDED)
    }
}

impl LeafRounding for AbsoluteError {
    fn price(&self, price: f64) -> Cost {
        price.min(2f64.powi(SUM_BITS)).round() as Cost
    }

    /// Half a unit for every item and the median, and three roundings of 2^-53 of a total below 2^59.
    fn leaf_error(&self, items: usize) -> Cost {
        items as Cost + 512
    }

    fn growth(&self, _leaves: u32) -> Cost {
        0
    }

    /// Half a unit for every item and median, three roundings of 2^-53 of a total below 2^59 for the
    /// items and for the medians, and two for the bound as a float.
    fn tree_error(&self, tree: &TreeRounding) -> f64 {
        (tree.items + tree.leaves) / 2.0 + 512.0
    }
}

impl StumpCosts for AbsoluteError {
    /// Medians need only the items with weight; where one leaf has none of them, the other leaf costs
    /// as much as the leaf of the subset.
    fn costs_of_stumps(
        &self,
        items: &[CostItem],
        subset: &CostSubset,
        order: &[OrderEntry],
    ) -> Vec<Cost> {
        let weighted = subset.weighted();
        let mut places = vec![0; items.len()];
        for (place, slot) in (1..).zip(weighted.iter()) {
            places[slot as usize] = place;
        }
        let placed = |entry: &OrderEntry| (places[entry.slot as usize], entry.rank);
        let with_weight: Vec<(u32, u32)> =
            order.iter().map(placed).filter(|&(place, _)| place > 0).collect();
        let mut costs = Vec::new();
        let weighted = weighted.iter().map(|slot| &items[slot as usize]);
        Medians::new(&self.targets, weighted).costs_of_stumps(&with_weight, &mut costs);
        let mut on_left = 0;
        let cost = |entry: &OrderEntry| {
            on_left += usize::from(places[entry.slot as usize] > 0);
            let two_leaves = on_left.checked_sub(1).and_then(|at| costs.get(at));
            two_leaves.copied().unwrap_or(subset.leaf)
        };
        order[..order.len() - 1].iter().map(cost).collect()
    }
}

impl RunSavings for AbsoluteError {
    /// Minus the sum of absolute deviations of a run from its median.
    fn savings_of_run(&self, runs: &TargetRuns, run: Range<usize>) -> i64 {
        let (median, code) = runs.median(&run);
        let (below, above) = (run.start..median, median + 1..run.end);
        let weights = runs.weight(&below) - runs.weight(&above);
        let upper_and_lower = runs.sum(&above) - runs.sum(&below);
        -(upper_and_lower + self.signed_sum(code, weights))
    }
}
