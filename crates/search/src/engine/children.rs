//! Evaluation of one threshold: solves its children until it is solved or pruned.

use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::intervals::{Interval, IntervalEdge, ThresholdResult, ThresholdTrial};
use crate::engine::open_splits::ChildUpper;
use crate::engine::rules::Rule;
use crate::engine::solution::Solution;
use crate::engine::space::{Search, Space, SubsetOf, ThresholdSpace};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};
use std::sync::Arc;

/// The two children of a split, for a threshold left and right.
pub(crate) struct ChildPair<'i, P> {
    pub children: [P; 2],
    pub limits: [Limits; 2],
    /// Bounds by root threshold from subsets of the children.
    pub inherited: [Option<&'i Arc<InheritedBounds>>; 2],
}

impl<S: Space> Search<'_, S> {
    /// Solves two children as long as their sum can stay below `upper`, unless their solutions at
    /// the `start` are optimal already; the larger child first, since it is more likely to exceed
    /// `upper`. With `ChildUpper::Each`, as long as each can stay below `upper`.
    pub(crate) fn solve_children(
        &mut self,
        pair: &ChildPair<'_, SubsetOf<S>>,
        start: [Solution; 2],
        upper: Cost,
        child_upper: ChildUpper,
    ) -> [Solution; 2] {
        let mut solutions = start;
        let first = usize::from(pair.children[0].rows < pair.children[1].rows);
        for at in [first, 1 - first] {
            let (now, other) = (&solutions[at], solutions[1 - at].lower);
            let other = if child_upper == ChildUpper::Each { 0 } else { other };
            if now.lower + other < upper && now.tree.is_none() {
                let (child, limits) = (&pair.children[at], pair.limits[at]);
                let found = self.solve(child, limits, upper - other, pair.inherited[at]);
                solutions[at] = found.raised_to(solutions[at].lower);
            }
        }
        solutions
    }
}

impl<S: ThresholdSpace> Search<'_, S> {
    /// Evaluates a threshold.
    pub(crate) fn try_threshold(
        &mut self,
        trial: &ThresholdTrial,
        subset: &SubsetOf<S>,
        limits: Limits,
    ) -> ThresholdResult {
        let ThresholdTrial { interval, rule, outer, .. } = trial;
        let Interval { before, after, .. } = interval;
        let children = match outer {
            None => subset.split_into(self.space.table(), rule, &mut self.spare),
            Some(outer) => self.two_set_children(subset, rule, outer),
        };
        let pair = ChildPair {
            limits: [limits.child(interval.share.0), limits.child(interval.share.1)],
            inherited: [before.by_threshold.as_ref(), after.by_threshold.as_ref()],
            children,
        };
        let start = [(0, before), (1, after)].map(|(at, edge)| {
            let floor = self.floor(&pair.children[at], pair.limits[at]);
            Solution::with_lower(floor.max(self.edge_bound(edge)))
        });
        let bounds = self.solve_children(&pair, start, trial.children_upper, self.child_upper);
        self.reuse(pair.children);
        let total = join(bounds[0].lower, bounds[1].lower);
        let edges = [(0, before), (1, after)].map(|(at, edge)| IntervalEdge {
            child: bounds[at].lower,
            total,
            left_weight: rule.weight,
            notes: None,
            // The child of a threshold farther out is a subset of this child, so its bounds also
            // hold here.
            by_threshold: bounds[at].by_threshold.clone().or_else(|| edge.by_threshold.clone()),
        });
        let Rule { feature, rank, .. } = *rule;
        let threshold_bounds = match self.inherits_bounds(limits) {
            true => {
                vec![ThresholdBounds { feature, rank, left: edges[0].child, right: edges[1].child }]
            }
            false => Vec::new(),
        };
        let solved = match outer {
            Some(_) if total < trial.upper => {
                self.exact_children(subset, trial, pair.limits, bounds)
            }
            Some(_) => {
                self.stats.pruned.two_set_bound += 1;
                bounds.map(|bound| Solution::with_lower(bound.lower))
            }
            None => bounds,
        };
        let lower = join(solved[0].lower, solved[1].lower);
        let [left, right] = solved.map(|child| child.tree);
        let tree = left.zip(right).map(|((left_cost, left), (right_cost, right))| {
            let cost = join(left_cost, right_cost);
            (cost, Tree::node(feature as u32, rank, left, right))
        });
        ThresholdResult { children: Some(edges.into()), lower, tree, threshold_bounds }
    }

    /// The children of a rule with the rows of the children of `outer`.
    fn two_set_children(
        &mut self,
        subset: &SubsetOf<S>,
        rule: &Rule,
        outer: &[Rule; 2],
    ) -> [SubsetOf<S>; 2] {
        [(0, true), (1, false)].map(|(at, on_left)| {
            subset.two_set_child(self.space.table(), &outer[at], rule, on_left, &mut self.spare)
        })
    }

    /// The solutions of the children of a threshold with their own rows, given those with more
    /// rows.
    fn exact_children(
        &mut self,
        subset: &SubsetOf<S>,
        trial: &ThresholdTrial,
        limits: [Limits; 2],
        bounds: [Solution; 2],
    ) -> [Solution; 2] {
        let children = subset.split_into(self.space.table(), &trial.rule, &mut self.spare);
        let pair = ChildPair { limits, inherited: [None; 2], children };
        let mut at = 0;
        let start = bounds.map(|bound| {
            let kept = self.keeps_leaf_rows(&bound, &pair.children[at], limits[at]);
            at += 1;
            if kept { bound } else { Solution::with_lower(bound.lower) }
        });
        let solutions = self.solve_children(&pair, start, trial.upper, ChildUpper::Needed);
        self.reuse(pair.children);
        solutions
    }

    /// Keeps the buffers of two subsets for reuse.
    fn reuse(&mut self, children: [SubsetOf<S>; 2]) {
        children.into_iter().for_each(|child| child.sorted.spare(&mut self.spare));
    }

    /// Lower bound on a child from the evaluated threshold at the edge of the interval. The
    /// argument is that of the interval bound, so the same switch controls it.
    pub(crate) fn edge_bound(&self, edge: &IntervalEdge) -> Cost {
        if self.switches.interval_bound { edge.child } else { 0 }
    }
}

/// Cost of a node whose children cost `left` and `right`.
pub(crate) fn join(left: Cost, right: Cost) -> Cost {
    left.saturating_add(right).min(UNBOUNDED)
}
