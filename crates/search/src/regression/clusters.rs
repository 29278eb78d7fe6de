//! The clustering bound: the best partition of items into groups, by optimal one-dimensional
//! k-means or k-medians.
//!
//! Some best groups are runs of the items in the order of their mean targets: of two groups that
//! overlap, items can be exchanged without loss. The last group of the first j items begins later
//! the greater j is (the costs of runs obey the quadrangle inequality), so divide and conquer
//! solves all j in n log n steps (as in the package Ckmeans.1d.dp: Wang and Song, R Journal 2011;
//! Grønlund et al., 2017).
//!
//! *Rounding.* The savings of a run have an error of at most e (`Units::leaf_error`). For a number
//! j whose best beginning is q, the search may be restricted to beginnings up to p < q, because p
//! seemed best for some j' > j. Then for j' the beginning p is at most 2e worse than q, and by the
//! inequality it is no more than that worse for j. So every level of the recursion loses at most
//! 2e, and the last comparison e: with l levels, k groups save at most k(2l + 1)e more than is
//! found. Each leaf of a tree may save a further e.

use super::prepared_table::RegressionTable;
use super::subset::RegressionSubset;
use super::units::Deviation;
use crate::support::mutants::{Mutant, offset};
use exactree_model::Cost;

/// A lower bound on the cost of any tree with 2 to `leaves` leaves; 0 if stopped.
pub(crate) fn min_cost_of_groups(
    stopped: &dyn Fn() -> bool,
    prepared: &RegressionTable,
    subset: &RegressionSubset,
    leaves: u32,
    price: Cost,
) -> Cost {
    let runs = TargetRuns::new(prepared, subset);
    let items = runs.codes.len();
    if items == 0 {
        return 0;
    }
    let mut best: Vec<i64> = (0..=items).map(|end| runs.savings(0, end)).collect();
    let mut next = best.clone();
    let levels = i64::from(items.ilog2()) + 1;
    let rounding_by_group = (2 * levels + 2) * prepared.units.leaf_error(items);
    let mut minimum = Cost::MAX;
    for groups in 2..=leaves.max(2) {
        if stopped() {
            return 0; // the bound of fewer groups would not hold for more leaves
        }
        runs.add_group(&best, &mut next, 1..items + 1, 0..items);
        std::mem::swap(&mut best, &mut next);
        // Without a leaf price more groups never cost more, so only the last number counts.
        if price > 0 || groups >= leaves {
            let allowed = i64::from(groups) * rounding_by_group;
            let allowed = if offset(Mutant::RegressionRounding) > 0 { 0 } else { allowed };
            let savings = best[items] + allowed;
            let cost = (runs.total - savings).max(0) as Cost + price * Cost::from(groups);
            minimum = minimum.min(cost);
        }
    }
    minimum
}

/// Benefit of a bound that costs about as much as counting a subset: by levels left, how often it
/// was computed, and how often it pruned a subset.
#[derive(Default)]
pub(crate) struct BoundBenefit(Vec<BoundCounts>);

#[derive(Clone, Copy, Default)]
struct BoundCounts {
    subsets: u64,
    computed: u64,
    pruned: u64,
}

impl BoundBenefit {
    /// Whether to compute the bound: always at first and while it prunes every fourth subset,
    /// otherwise occasionally.
    pub(crate) fn is_worth_trying(&mut self, depth: u32) -> bool {
        let depth = depth as usize;
        if self.0.len() <= depth {
            self.0.resize(depth + 1, BoundCounts::default());
        }
        let BoundCounts { subsets, computed, pruned } = &mut self.0[depth];
        *subsets += 1;
        *computed < 4 || *pruned >= *computed / 4 || *subsets % 16 == 0
    }

    pub(crate) fn record(&mut self, depth: u32, pruned: bool) {
        if let Some(counts) = self.0.get_mut(depth as usize) {
            counts.computed += 1;
            counts.pruned += u64::from(pruned);
        }
    }
}

/// The weighted items of a subset in the order of their targets, with the sums over the first items.
struct TargetRuns<'a> {
    prepared: &'a RegressionTable,
    /// By number of first items, their total weight.
    weights: Vec<i64>,
    /// By number of first items, the sum of their weights times targets.
    sums: Vec<i64>,
    /// Codes of the items' targets, for medians.
    codes: Vec<u32>,
    /// The cost without any savings; zero if savings are negative costs.
    total: i64,
}

impl<'a> TargetRuns<'a> {
    fn new(prepared: &'a RegressionTable, subset: &RegressionSubset) -> Self {
        let mut runs = TargetRuns {
            prepared,
            weights: Vec::with_capacity(subset.count + 1),
            sums: Vec::with_capacity(subset.count + 1),
            codes: Vec::new(),
            total: match prepared.units.deviation {
                Deviation::Squared => subset.square as i64,
                Deviation::Absolute | Deviation::Classes => 0,
            },
        };
        let (mut weight, mut sum) = (0, 0);
        runs.weights.push(0);
        runs.sums.push(0);
        for slot in subset.weighted().iter() {
            let item = &prepared.items[slot as usize];
            weight += item.weight;
            sum += item.sum;
            runs.weights.push(weight);
            runs.sums.push(sum);
            runs.codes.push(item.low);
        }
        runs
    }

    /// The savings of a run of items as one group; zero for an empty run.
    fn savings(&self, first: usize, end: usize) -> i64 {
        let weight = self.weights[end] - self.weights[first];
        let sum = self.sums[end] - self.sums[first];
        match self.prepared.units.deviation {
            _ if weight == 0 => 0,
            Deviation::Squared => self.prepared.units.savings(sum, weight) as i64,
            Deviation::Absolute | Deviation::Classes => -self.absolute(first, end),
        }
    }

    /// The sum of absolute deviations of a run from its median.
    fn absolute(&self, first: usize, end: usize) -> i64 {
        let (before, after) = (self.weights[first], self.weights[end]);
        let reached = |&weight: &i64| 2 * (weight - before) < after - before;
        let median = first + self.weights[first + 1..end].partition_point(reached);
        let below = self.weights[median] - before;
        let above = after - self.weights[median + 1];
        let upper = self.sums[end] - self.sums[median + 1];
        let lower = self.sums[median] - self.sums[first];
        upper - lower + self.prepared.units.signed_sum(self.codes[median], below - above)
    }

    /// Computes the greatest savings with one more group from those without it. `ends` are the
    /// numbers of items to be grouped; their last groups begin in `firsts`.
    fn add_group(
        &self,
        best: &[i64],
        next: &mut [i64],
        ends: std::ops::Range<usize>,
        firsts: std::ops::Range<usize>,
    ) {
        if ends.is_empty() {
            return;
        }
        let end = (ends.start + ends.end) / 2;
        let (mut maximum, mut at) = (i64::MIN, firsts.start);
        let last = firsts.end.min(end);
        for (first, before) in best.iter().enumerate().take(last).skip(firsts.start) {
            let savings = before + self.savings(first, end);
            if savings > maximum {
                (maximum, at) = (savings, first);
            }
        }
        next[end] = maximum;
        self.add_group(best, next, ends.start..end, firsts.start..at + 1);
        self.add_group(best, next, end + 1..ends.end, at..firsts.end);
    }
}

#[cfg(test)]
mod differential;
