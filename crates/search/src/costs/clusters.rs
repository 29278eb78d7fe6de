//! The clustering bound: the best partition of items into groups, by optimal one-dimensional
//! k-means or k-medians.
//!
//! Some best groups are runs of the items in the order of their mean targets: of two groups that
//! overlap, items can be exchanged without loss. The last group of the first j items begins later
//! the greater j is (the costs of runs obey the quadrangle inequality), so divide and conquer
//! solves all j in n log n steps (as in the package Ckmeans.1d.dp: Wang and Song, R Journal 2011;
//! Grønlund et al., 2017).
//!
//! *Rounding.* The savings of a run have an error of at most e (`LeafRounding::leaf_error`). For a number
//! j whose best beginning is q, the search may be restricted to beginnings up to p < q, because p
//! seemed best for some j' > j. Then for j' the beginning p is at most 2e worse than q, and by the
//! inequality it is no more than that worse for j. So every level of the recursion loses at most
//! 2e, and the last comparison e: with l levels, k groups save at most k(2l + 1)e more than is
//! found. Each leaf of a tree may save a further e.

use super::items::CostItem;
use super::leaf_cost::LeafRounding;
use crate::support::mutants::{Mutant, offset};
use exactree_model::Cost;
use std::ops::Range;

/// The savings of runs of items.
pub(crate) trait RunSavings: LeafRounding {
    /// What a run costs less in one leaf than its squares, which are zero unless the error is squared;
    /// the run has weight.
    fn savings_of_run(&self, runs: &TargetRuns, run: Range<usize>) -> i64;
}

/// A lower bound on the cost of any tree with 2 to `leaves` leaves for some items, given in their order;
/// 0 if stopped.
pub(crate) fn min_cost_of_groups<'i>(
    stopped: &dyn Fn() -> bool,
    cost: &impl RunSavings,
    items: impl Iterator<Item = &'i CostItem>,
    leaves: u32,
    price: Cost,
) -> Cost {
    let runs = TargetRuns::new(items);
    let items = runs.codes.len();
    if items == 0 {
        return 0;
    }
    let mut best: Vec<i64> = (0..=items).map(|end| savings(cost, &runs, 0..end)).collect();
    let mut next = best.clone();
    let levels = i64::from(items.ilog2()) + 1;
    let rounding_by_group = (2 * levels + 2) * cost.leaf_error(items) as i64;
    let mut minimum = Cost::MAX;
    for groups in 2..=leaves.max(2) {
        if stopped() {
            return 0; // the bound of fewer groups would not hold for more leaves
        }
        add_group(cost, &runs, &best, &mut next, (1..items + 1, 0..items));
        std::mem::swap(&mut best, &mut next);
        // Without a leaf price more groups never cost more, so only the last number counts.
        if price > 0 || groups >= leaves {
            let allowed = i64::from(groups) * rounding_by_group;
            let allowed = if offset(Mutant::CostRounding) > 0 { 0 } else { allowed };
            let savings = best[items] + allowed;
            let cost = (runs.squares - savings).max(0) as Cost + price * Cost::from(groups);
            minimum = minimum.min(cost);
        }
    }
    minimum
}

/// The savings of a run, zero without weight.
fn savings(cost: &impl RunSavings, runs: &TargetRuns, run: Range<usize>) -> i64 {
    if runs.weight(&run) == 0 { 0 } else { cost.savings_of_run(runs, run) }
}

/// Computes the greatest savings with one more group from those without it. `ends` are the numbers of
/// items to be grouped; their last groups begin in `firsts`.
fn add_group(
    cost: &impl RunSavings,
    runs: &TargetRuns,
    best: &[i64],
    next: &mut [i64],
    (ends, firsts): (Range<usize>, Range<usize>),
) {
    if ends.is_empty() {
        return;
    }
    let end = (ends.start + ends.end) / 2;
    let (mut maximum, mut at) = (i64::MIN, firsts.start);
    let last = firsts.end.min(end);
    for (first, before) in best.iter().enumerate().take(last).skip(firsts.start) {
        let savings = before + savings(cost, runs, first..end);
        if savings > maximum {
            (maximum, at) = (savings, first);
        }
    }
    next[end] = maximum;
    add_group(cost, runs, best, next, (ends.start..end, firsts.start..at + 1));
    add_group(cost, runs, best, next, (end + 1..ends.end, at..firsts.end));
}

/// Items in the order of their targets, with the sums over the first items.
pub(crate) struct TargetRuns {
    /// By number of first items, their total weight.
    weights: Vec<i64>,
    /// By number of first items, the sum of their weights times targets.
    sums: Vec<i64>,
    /// Codes of the items' targets, for medians.
    codes: Vec<u32>,
    /// The total of all squares.
    squares: i64,
}

impl TargetRuns {
    fn new<'i>(items: impl Iterator<Item = &'i CostItem>) -> Self {
        let (weights, sums, codes) = (vec![0], vec![0], Vec::new());
        let mut runs = TargetRuns { weights, sums, codes, squares: 0 };
        let (mut weight, mut sum) = (0, 0);
        for item in items {
            weight += item.weight;
            sum += item.sum;
            runs.weights.push(weight);
            runs.sums.push(sum);
            runs.codes.push(item.low);
            runs.squares += item.square as i64;
        }
        runs
    }

    pub(super) fn weight(&self, run: &Range<usize>) -> i64 {
        self.weights[run.end] - self.weights[run.start]
    }

    pub(super) fn sum(&self, run: &Range<usize>) -> i64 {
        self.sums[run.end] - self.sums[run.start]
    }

    /// The median of a run with weight, and its code.
    pub(super) fn median(&self, run: &Range<usize>) -> (usize, u32) {
        let (before, whole) = (self.weights[run.start], self.weight(run));
        let reached = |&weight: &i64| 2 * (weight - before) < whole;
        let median = run.start + self.weights[run.start + 1..run.end].partition_point(reached);
        (median, self.codes[median])
    }
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

#[cfg(test)]
mod differential;
