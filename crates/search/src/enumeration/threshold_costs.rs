//! The thresholds of a subset whose children can be cheap enough together.
//!
//! *Monotonicity.* The minimum cost of a subset within depth and size is at most that of any
//! superset: restrict the tree; its errors and leaves do not increase. So from one threshold of a
//! feature to the next the minimum cost of the left child never falls and that of the right child
//! never rises. Between two thresholds whose minimum costs are known, the minimum costs of left
//! children lie between those two, and so do those of right children. If the sum of the smaller
//! left and the smaller right cost exceeds the cost, all thresholds between are pruned; if both
//! ends have equal costs, no threshold between needs a search. Costs are not monotone with a
//! minimum leaf size: then every threshold is searched.

use super::graph::Graph;
use super::subproblem::ChildBudgets;
use super::subsets::SubsetSplits;
use crate::support::clock::Stopped;
use exactree_model::{Cost, UNBOUNDED};
use std::ops::Range;

/// A threshold, and the minimum costs of its two children; zeros if they are not computed.
pub(super) struct ThresholdCosts {
    pub threshold: usize,
    pub left: Cost,
    pub right: Cost,
}

/// A range of thresholds with lower and upper bounds on the minimum costs of their children.
struct ThresholdSpan {
    thresholds: Range<usize>,
    left: (Cost, Cost),
    right: (Cost, Cost),
}

impl ThresholdSpan {
    /// The two halves beside a threshold whose children have these costs.
    fn halves(self, middle: usize, at_left: Cost, at_right: Cost) -> [ThresholdSpan; 2] {
        let ThresholdSpan { thresholds, left, right } = self;
        [
            ThresholdSpan {
                thresholds: middle + 1..thresholds.end,
                left: (at_left, left.1),
                right: (right.0, at_right.min(right.1)),
            },
            ThresholdSpan {
                thresholds: thresholds.start..middle,
                left: (left.0, at_left.min(left.1)),
                right: (at_right, right.1),
            },
        ]
    }
}

impl Graph<'_> {
    /// The thresholds whose children can be cheap enough together.
    pub(super) fn threshold_costs(
        &mut self,
        splits: &SubsetSplits<'_>,
        budgets: &ChildBudgets,
    ) -> Result<Vec<ThresholdCosts>, Stopped> {
        let thresholds = 0..splits.count();
        if !self.request.options.lower_bounds {
            return Ok(thresholds
                .map(|threshold| ThresholdCosts { threshold, left: 0, right: 0 })
                .collect());
        }
        let monotone = self.request.min_samples_leaf == 1 && self.request.options.interval_bound;
        let mut found = Vec::new();
        if monotone {
            self.threshold_costs_in_spans(splits, budgets, &mut found)?;
            found
                .sort_unstable_by_key(|threshold_costs: &ThresholdCosts| threshold_costs.threshold);
        } else {
            for threshold in thresholds {
                let left = self.child_cost(splits, threshold, true, budgets, budgets.cost)?;
                if left > budgets.cost {
                    continue;
                }
                let rest = budgets.cost - left;
                let right = self.child_cost(splits, threshold, false, budgets, rest)?;
                if right <= rest {
                    found.push(ThresholdCosts { threshold, left, right });
                }
            }
        }
        Ok(found)
    }

    fn threshold_costs_in_spans(
        &mut self,
        splits: &SubsetSplits<'_>,
        budgets: &ChildBudgets,
        found: &mut Vec<ThresholdCosts>,
    ) -> Result<(), Stopped> {
        let mut open = vec![self.cheap_child_first(splits, budgets)?];
        while let Some(span) = open.pop() {
            let ThresholdSpan { thresholds, left, right } = &span;
            if thresholds.is_empty() || left.0 + right.0 > budgets.cost {
                self.stats.interval_bound += thresholds.len() as u64;
                continue;
            }
            if left.0 == left.1 && right.0 == right.1 {
                self.stats.interval_bound += thresholds.len() as u64;
                let same = |threshold| ThresholdCosts { threshold, left: left.0, right: right.0 };
                found.extend(thresholds.clone().map(same));
                continue;
            }
            let middle = thresholds.start + thresholds.len() / 2;
            let (max_left, max_right) = (budgets.cost - right.0, budgets.cost - left.0);
            let at_left = match left.0 == left.1 {
                true => left.0,
                false => self.child_cost(splits, middle, true, budgets, max_left)?,
            };
            let at_right = match right.0 == right.1 {
                true => right.0,
                // If the left child is too expensive, no higher threshold matters, and the bounds
                // on right children of lower thresholds are unchanged.
                false if at_left > max_left => right.0,
                false => self.child_cost(splits, middle, false, budgets, max_right)?,
            };
            if at_left + at_right <= budgets.cost {
                found.push(ThresholdCosts { threshold: middle, left: at_left, right: at_right });
            }
            open.extend(span.halves(middle, at_left, at_right));
        }
        Ok(())
    }

    /// All thresholds at which the child of fewer nodes is cheap enough. The other child is
    /// searched only at the threshold where it is smallest: if it is too expensive there, it is too
    /// expensive at all thresholds, which is harder to prove where it is larger.
    fn cheap_child_first(
        &mut self,
        splits: &SubsetSplits<'_>,
        budgets: &ChildBudgets,
    ) -> Result<ThresholdSpan, Stopped> {
        let count = splits.count();
        let no_thresholds =
            ThresholdSpan { thresholds: 0..0, left: (0, UNBOUNDED), right: (0, UNBOUNDED) };
        let left_first = budgets.left.size <= budgets.right.size;
        // Thresholds are counted from the end where the first child is smallest.
        let place = |number: usize| if left_first { number } else { count - 1 - number };
        let (mut cheap, mut beyond, mut greatest) = (0, count, 0);
        while cheap < beyond {
            let middle = (cheap + beyond) / 2;
            let cost = self.child_cost(splits, place(middle), left_first, budgets, budgets.cost)?;
            if cost <= budgets.cost {
                (cheap, greatest) = (middle + 1, cost);
            } else {
                beyond = middle;
            }
        }
        if cheap == 0 {
            self.stats.interval_bound += count as u64;
            return Ok(no_thresholds);
        }
        let minimum =
            self.child_cost(splits, place(cheap - 1), !left_first, budgets, budgets.cost)?;
        self.stats.interval_bound += (count - cheap) as u64;
        Ok(match left_first {
            true => ThresholdSpan {
                thresholds: 0..cheap,
                left: (0, greatest),
                right: (minimum, UNBOUNDED),
            },
            false => ThresholdSpan {
                thresholds: count - cheap..count,
                left: (minimum, UNBOUNDED),
                right: (0, greatest),
            },
        })
    }

    /// The minimum cost of one child of a threshold; `UNBOUNDED` if it is above
    /// `maximum`.
    fn child_cost(
        &mut self,
        splits: &SubsetSplits<'_>,
        threshold: usize,
        left: bool,
        budgets: &ChildBudgets,
        maximum: Cost,
    ) -> Result<Cost, Stopped> {
        let limits = if left { budgets.left } else { budgets.right };
        let members = splits.child(threshold, left);
        let cost = self.min_cost.min_cost(&members, limits, maximum)?;
        if cost.is_none() {
            self.stats.lower_bounds += 1;
        }
        Ok(cost.unwrap_or(UNBOUNDED))
    }
}
