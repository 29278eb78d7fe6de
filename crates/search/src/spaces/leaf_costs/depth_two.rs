//! Subproblems with two levels left: root thresholds are evaluated one by one, the most promising
//! intervals first; one pass over the orders of the features gives the best stumps of both
//! children.
//!
//! *Stump bounds.* The cost of the best stump on a feature does not fall when items are added. So
//! its cost in a subset of this child is a lower bound on its cost here. The feature need not be
//! evaluated if that bound is no less than the best stump known in this child, or if it is useless:
//! left of a root in an open interval with evaluated ends a and b, a stump of cost c is useless if
//! c + R(b) is at least the incumbent's cost; likewise on the right with L(a). If a child's minimum
//! cost is a useless bound, both children together cost no less than the incumbent, because the
//! other child costs at least the bound at its end of the interval; so a cost below the incumbent's
//! is exact.

use super::stump_evaluator::{CostStumpBounds, StumpEvaluator};
use super::threshold_rules::ThresholdsSearch;
use crate::costs::items::CostSubset;
use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::intervals::{Interval, IntervalEdge, ThresholdResult, ThresholdTrial};
use crate::engine::open_splits::OpenSplits;
use crate::engine::parallel_node::TrialKind;
use crate::engine::rules::Rule;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::two_set_bound::LeafRows;
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

/// Product of items and features from which on threads share the evaluations of a subset; a pass
/// over so many entries takes some tens of microseconds.
const MIN_SHARED_ENTRIES: usize = 1 << 14;

impl ThresholdsSearch<'_, '_> {
    /// The best tree of depth at most two.
    pub(crate) fn depth_two(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        mut bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        self.stats.depth_two_calls += 1;
        let mut open = self.open_intervals(subset, limits, &bounds, inherited);
        let mut evaluator = None;
        self.open_calls += 1;
        loop {
            if self.has_idle_thread() && self.shares_stumps(subset) {
                (open, bounds) =
                    self.solve_in_parallel(subset, limits, TrialKind::Stumps, open, bounds);
                break;
            }
            let pruned = &mut self.stats.pruned;
            let Some(trial) = open.take(bounds.upper, false, pruned) else { break };
            if self.must_stop(&bounds, || open.lower().min(trial.interval.lower)) {
                open.put_back(trial);
                break;
            }
            let evaluator = evaluator.get_or_insert_with(|| {
                StumpEvaluator::new(
                    self.space.prepared,
                    subset,
                    self.space.price,
                    self.instructions,
                )
            });
            let tried = self.try_stumps(&trial, subset, limits, evaluator);
            open.enter(trial, tried, &mut bounds);
        }
        self.open_calls -= 1;
        self.stats.pruned.stump_bounds +=
            evaluator.map_or(0, |evaluator| evaluator.skipped_features);
        self.branch_solution(subset, limits, open, inherited, bounds)
    }

    /// Evaluates a threshold with the best stump in both children.
    pub(crate) fn try_stumps(
        &mut self,
        trial: &ThresholdTrial,
        subset: &CostSubset,
        limits: Limits,
        evaluator: &mut StumpEvaluator<'_>,
    ) -> ThresholdResult {
        let ThresholdTrial { interval, rule, outer, upper, .. } = trial;
        self.stats.stump_evaluations += 1;
        let leaf_rows = LeafRows::of(subset, rule, outer.as_ref(), limits);
        let bounds = self.stump_bounds(interval, *upper);
        let found = evaluator.evaluate(rule, leaf_rows.as_ref(), &bounds);
        let minimum = |child: usize, edge: &IntervalEdge, size: u32| {
            let cost = if size == 0 { found.leaves[child] } else { found.best[child] };
            cost.max(self.edge_bound(edge))
        };
        let threshold_bounds = self.inherits_bounds(limits).then(|| ThresholdBounds {
            feature: rule.feature,
            rank: rule.rank,
            left: minimum(0, &interval.before, 1),
            right: minimum(1, &interval.after, 1),
        });
        let left = minimum(0, &interval.before, interval.share.0);
        let right = minimum(1, &interval.after, interval.share.1);
        let (mut lower, mut tree) = (left + right, None);
        if lower < *upper {
            let best = self.with_stumps(subset, limits, rule, interval.share);
            // Its cost exceeds the bound only if that counts the rows of outer rules.
            lower = best.0;
            tree = Some(best);
        } else if outer.is_some() {
            self.stats.pruned.two_set_bound += 1;
        }
        let (total, left_weight, notes) = (left + right, rule.weight, found.notes);
        let edge = |child| IntervalEdge { child, total, left_weight, notes, by_threshold: None };
        ThresholdResult {
            children: Some((edge(left), edge(right))),
            lower,
            tree,
            threshold_bounds: threshold_bounds.into_iter().collect(),
        }
    }

    /// Whether an evaluation takes so long that threads should share the evaluations of a subset.
    fn shares_stumps(&self, subset: &CostSubset) -> bool {
        subset.count * subset.sorted.features() >= MIN_SHARED_ENTRIES
    }

    /// Bounds on the stumps of a root in an interval, from the ends of the interval.
    fn stump_bounds(&self, interval: &Interval, upper: Cost) -> CostStumpBounds {
        if !self.space.options.stump_bounds {
            return CostStumpBounds { notes: [None; 2], useless: [Cost::MAX; 2] };
        }
        let useless = |other: &IntervalEdge| upper.saturating_sub(self.edge_bound(other));
        CostStumpBounds {
            notes: [interval.before.notes, interval.after.notes],
            useless: [useless(&interval.after), useless(&interval.before)],
        }
    }

    /// The best tree with this root and a leaf or stump as each child.
    fn with_stumps(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        rule: &Rule,
        share: (u32, u32),
    ) -> CostedTree {
        let [left, right] = subset.split(self.space.prepared, rule);
        let left = self.leaf_or_stump(&left, share.0, limits.min_samples_leaf);
        let right = self.leaf_or_stump(&right, share.1, limits.min_samples_leaf);
        (left.0 + right.0, Tree::node(rule.feature as u32, rule.rank, left.1, right.1))
    }
}
