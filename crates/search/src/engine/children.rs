//! Evaluation of one threshold: solves both children as far as they matter.

use crate::engine::inherited_bounds::ThresholdBounds;
use crate::engine::intervals::{Interval, IntervalEdge, ThresholdResult, ThresholdTrial};
use crate::engine::search::ContinuousSearch;
use crate::engine::solution::Solution;
use crate::engine::subset::{ContinuousSubset, Rule};
use exactree_model::{Cost, Limits, Tree};

impl ContinuousSearch<'_> {
    /// Evaluates a threshold.
    pub(crate) fn try_threshold(
        &mut self,
        trial: &ThresholdTrial,
        subset: &ContinuousSubset,
        limits: Limits,
    ) -> ThresholdResult {
        let ThresholdTrial { interval, rule, upper, .. } = trial;
        let (left, right) = self.solve_children(subset, limits, interval, rule, *upper);
        let lower = self.objective.join(left.lower, right.lower);
        let total = self.objective.join(left.relaxed, right.relaxed);
        let tree = left.tree.zip(right.tree).map(|((left_cost, left), (right_cost, right))| {
            let cost = self.objective.join(left_cost, right_cost);
            (cost, Tree::node(rule.feature as u32, rule.rank, left, right))
        });
        let Rule { feature, rank, .. } = *rule;
        let threshold_bounds =
            vec![ThresholdBounds { feature, rank, left: left.relaxed, right: right.relaxed }];
        let edge = |child, by_threshold| IntervalEdge {
            child,
            total,
            left_weight: rule.weight,
            notes: None,
            by_threshold,
        };
        // The child of a threshold farther out is a subset of this child, so its bounds also hold
        // here.
        let beyond = |edge: &IntervalEdge| edge.by_threshold.clone();
        let left_known = left.by_threshold.or_else(|| beyond(&interval.before));
        let right_known = right.by_threshold.or_else(|| beyond(&interval.after));
        let children = Some((edge(left.relaxed, left_known), edge(right.relaxed, right_known)));
        ThresholdResult { children, lower, tree, threshold_bounds }
    }

    /// Solves both children of a threshold as long as their sum can stay below `upper`; the larger
    /// child first, since it is more likely to exceed `upper`.
    fn solve_children(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        interval: &Interval,
        rule: &Rule,
        upper: Cost,
    ) -> (Solution, Solution) {
        let (left, right) = subset.split_into(self.layout, rule, &mut self.spare);
        let (left_limits, right_limits) =
            (limits.child(interval.share.0), limits.child(interval.share.1));
        let mut left_solution = Solution::with_lower(
            self.floor(&left, left_limits).max(self.edge_bound(&interval.before)),
        );
        let mut right_solution = Solution::with_lower(
            self.floor(&right, right_limits).max(self.edge_bound(&interval.after)),
        );
        let left_first = left.weight >= right.weight;
        for solve_left in [left_first, !left_first] {
            let (child, child_limits, edge) = match solve_left {
                true => (&left, left_limits, &interval.before),
                false => (&right, right_limits, &interval.after),
            };
            let (solution, other) = match solve_left {
                true => (&mut left_solution, right_solution.relaxed),
                false => (&mut right_solution, left_solution.relaxed),
            };
            if solution.relaxed + other >= upper {
                break;
            }
            let found = self.solve(child, child_limits, upper - other, edge.by_threshold.as_ref());
            *solution = found.raised_to(solution.relaxed);
        }
        left.sorted.spare(&mut self.spare);
        right.sorted.spare(&mut self.spare);
        (left_solution, right_solution)
    }

    /// Lower bound on a child from the evaluated threshold at the edge of the interval. The
    /// argument is that of the interval bound, so the same switch controls it.
    fn edge_bound(&self, edge: &IntervalEdge) -> Cost {
        if self.options.interval_bound { edge.child } else { 0 }
    }
}
