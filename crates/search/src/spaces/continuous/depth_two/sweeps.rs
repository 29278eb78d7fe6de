//! Depth two by evaluating root thresholds, most promising intervals first.
//!
//! For tables whose features have many values. Thresholds are pruned as at the nodes above
//! (`engine/intervals.rs`); the stump kernel replaces the search of children.

use super::DepthTwoRoot;
use super::evaluator::{CorrectWeight, Evaluation, Evaluator, RootSplit, StumpBounds, StumpOrder};
use super::workspace::Evaluators;
use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::intervals::{
    Interval, IntervalEdge, OpenIntervals, ThresholdResult, ThresholdTrial,
};
use crate::engine::open_splits::OpenSplits;
use crate::engine::parallel_node::TrialKind;
use crate::engine::rules::Rule;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::two_set_bound::LeafRows;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Tree, Weight};
use std::sync::Arc;

/// Number of values in a subset from which on an evaluation takes a tenth of a millisecond or more,
/// so that sharing evaluations among threads pays.
const MIN_SHARED_VALUES: usize = 1 << 17;

/// Evaluations per feature from which on threads share those that are left: another thread first prepares
/// all features for sweeps, as long as this many evaluations of each take.
const MIN_SHARED_EVALUATIONS: usize = 4;

/// Minimum number of evaluations between two polls of the clock: a poll takes up to a tenth of the
/// shortest evaluation.
const EVALUATIONS_PER_POLL: u64 = 8;

/// The best root so far, if it costs less than the upper bound.
struct BestRoot {
    upper: Cost,
    /// The root, and the features of its stumps if they are known.
    root: Option<(DepthTwoRoot, Option<[usize; 2]>)>,
}

/// A root of a subset to evaluate, and the rows that count in the leaves of its stumps.
struct RootTrial<'s> {
    subset: &'s ContinuousSubset,
    limits: Limits,
    rule: Rule,
    outer: Option<[Rule; 2]>,
    /// Maximum sizes of the left and the right child.
    share: (u32, u32),
    /// Roots of this cost do not improve the incumbent.
    upper: Cost,
    stump_bounds: StumpBounds,
}

/// The result of evaluating a root.
struct RootCosts {
    /// Minimum costs of both children with the rows of the outer rules.
    bounds: [Cost; 2],
    /// A lower bound on the cost of the root: the sum of `bounds`, or at a root with a direction its
    /// cost by `directed_root`, if `bounds` do not prune it.
    total: Cost,
    /// The cost of the root, exact if it is below the upper bound.
    cost: Cost,
    features: Option<[usize; 2]>,
    /// Position of the evaluator's notes of this root.
    notes: Option<u32>,
    threshold_bounds: Option<ThresholdBounds>,
}

impl RootCosts {
    /// The edges that this root gives to the intervals next to it.
    fn edges(&self, rule: &Rule, notes: Option<u32>) -> [IntervalEdge; 2] {
        self.bounds.map(|child| IntervalEdge {
            child,
            total: self.total,
            left_weight: rule.weight,
            notes,
            by_threshold: None,
        })
    }
}

impl BestRoot {
    fn improve(&mut self, root: DepthTwoRoot, features: Option<[usize; 2]>) {
        if root.cost < self.upper {
            self.upper = root.cost;
            self.root = Some((root, features));
        }
    }
}

impl ContinuousSearch<'_, '_> {
    /// Solves a subset with two levels left.
    pub(crate) fn sweep_roots(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let mut open = self.open_intervals(subset, limits, bounds, inherited);
        let mut evaluators = self.take_evaluators();
        let evaluator = evaluators.begin(self.space.layout, subset, limits.min_samples_leaf > 1);
        let mut best = BestRoot { upper: bounds.upper, root: None };
        let (mut shared, mut evaluations) = (false, 0);
        while let Some(interval) = open.most_promising(best.upper, &mut self.stats.pruned) {
            shared = self.has_idle_thread() && self.shares_stumps(subset, evaluations);
            evaluations += 1;
            if shared || self.poll_stopped() {
                open.reopen(interval);
                break;
            }
            if self.all_thresholds_pay(
                subset,
                limits,
                &interval,
                best.upper,
                evaluator.swept_share(),
            ) {
                let Some(all) = self.all_thresholds(subset, &interval, best.upper) else {
                    open.reopen(interval);
                    break;
                };
                open.close(all.rule.feature, all.cost);
                open.threshold_bounds.extend(all.threshold_bounds);
                best.improve(
                    DepthTwoRoot { cost: all.cost, rule: all.rule, share: interval.share },
                    None,
                );
            } else {
                self.try_root(subset, limits, interval, &mut open, &mut best, evaluator);
            }
        }
        self.stats.pruned.stump_bounds += evaluator.pruned_sweeps();
        self.workspace.evaluators = Some(evaluators);
        if let Some((root, features)) = best.root {
            self.take_root_or_stumps(subset, limits, &root, features, bounds);
        }
        if shared {
            let so_far = std::mem::replace(bounds, Bounds::with_upper(0));
            (open, *bounds) =
                self.solve_in_parallel(subset, limits, TrialKind::Stumps, open, so_far);
        }
        self.solution_of_roots(subset, limits, open, bounds, inherited)
    }

    /// Polls the clock, unless there were too few evaluations since the last poll; returns whether it
    /// has stopped.
    fn poll_stopped(&mut self) -> bool {
        let evaluations = self.stats.stump_evaluations;
        if evaluations < self.workspace.next_poll {
            return false;
        }
        self.workspace.next_poll = evaluations + EVALUATIONS_PER_POLL;
        self.clock.stopped()
    }

    /// Evaluates the middle threshold of an interval, and replaces the interval by its halves.
    fn try_root(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        interval: Interval,
        open: &mut OpenIntervals,
        best: &mut BestRoot,
        evaluator: &mut dyn Evaluator,
    ) {
        let middle = open.middle(&interval);
        let rule = open.rule(&interval, middle);
        let outer = open.outer_rules(&interval, middle);
        let stump_bounds = self.stump_bounds(&interval, best.upper);
        let (share, upper) = (interval.share, best.upper);
        let root = RootTrial { subset, limits, rule, outer, share, upper, stump_bounds };
        let found = self.evaluate_root(&root, evaluator);
        open.threshold_bounds.extend(found.threshold_bounds);
        best.improve(DepthTwoRoot { cost: found.cost, rule, share }, found.features);
        let [left, right] = found.edges(&rule, found.notes);
        open.halve(interval, middle, left, right, found.cost);
    }

    /// Evaluates a root: with a minimum leaf size first with the rows of the outer rules, and with the
    /// rows of its own children only if the first cost is below the upper bound.
    fn evaluate_root(&mut self, root: &RootTrial<'_>, evaluator: &mut dyn Evaluator) -> RootCosts {
        let RootTrial { subset, limits, rule, outer, share, upper, stump_bounds } = root;
        self.stats.stump_evaluations += 1;
        let split = RootSplit {
            feature: rule.feature,
            left: rule.items,
            leaf_rows: LeafRows::of(subset, rule, outer.as_ref(), *limits),
        };
        let Evaluation { children, features, notes } =
            evaluator.evaluate(subset, split, stump_bounds);
        let threshold_bounds = self.inherits_bounds(*limits).then(|| {
            let (left, right) = self.stump_children(subset, rule, (1, 1), children);
            ThresholdBounds { feature: rule.feature, rank: rule.rank, left, right }
        });
        let (left, right) = self.stump_children(subset, rule, *share, children);
        let (bounds, mut total) = ([left, right], self.space.objective.join(left, right));
        if total < *upper && self.is_directed(rule, *limits) {
            total = self.directed_root(subset, rule, *share).0;
        }
        let mut cost = total;
        if outer.is_some() && cost < *upper {
            self.stats.stump_evaluations += 1;
            let leaf_rows = LeafRows::of(subset, rule, None, *limits);
            let split = RootSplit { leaf_rows, ..split };
            let useless = self.useless_errors(bounds, *upper);
            let stump_bounds = StumpBounds { notes: [notes; 2], useless };
            let Evaluation { children, .. } = evaluator.evaluate(subset, split, &stump_bounds);
            let (left, right) = self.stump_children(subset, rule, *share, children);
            cost = self.space.objective.join(left, right);
        } else if outer.is_some() {
            self.stats.pruned.two_set_bound += 1;
        }
        RootCosts { bounds, total, cost, features, notes, threshold_bounds }
    }

    /// The solution of a subset whose roots were evaluated or put back.
    fn solution_of_roots(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        open: OpenIntervals,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let lower =
            open.lower().max(bounds.lower).min(self.space.objective.leaf(subset.leaf_errors()));
        let by_threshold = self
            .inherits_bounds(limits)
            .then(|| InheritedBounds::with(inherited, open.threshold_bounds));
        Solution { tree: bounds.incumbent.take(), by_threshold, ..Solution::with_lower(lower) }
    }

    /// Takes the evaluators of this search; the caller puts them back.
    pub(crate) fn take_evaluators(&mut self) -> Box<Evaluators> {
        self.workspace.evaluators.take().unwrap_or_else(|| self.new_evaluators())
    }

    fn new_evaluators(&self) -> Box<Evaluators> {
        let directions = self.space.directions;
        // Stumps counted by columns of bits may have leaves that a direction forbids.
        let few_values = self.space.options.few_values && directions.is_none();
        let mut evaluators = Box::new(Evaluators::new(self.instructions, few_values));
        if let Some(directions) = directions {
            let order = |direction: &i8| match direction {
                0 => StumpOrder::Any,
                1 => StumpOrder::Increasing,
                _ => StumpOrder::Decreasing,
            };
            evaluators.restrict(&directions.by_feature.iter().map(order).collect::<Vec<_>>());
        }
        evaluators
    }

    /// Whether evaluations of a subset take so long, and are so many, that threads should share them.
    fn shares_stumps(&self, subset: &ContinuousSubset, evaluations: usize) -> bool {
        let features = self.space.layout.features.len();
        subset.count * features >= MIN_SHARED_VALUES
            && evaluations >= MIN_SHARED_EVALUATIONS * features
    }

    /// Evaluates a threshold of a subset that several threads share, or all of its interval; `None`
    /// if the clock has stopped.
    pub(crate) fn try_stumps(
        &mut self,
        trial: &ThresholdTrial,
        subset: &ContinuousSubset,
        limits: Limits,
        evaluator: &mut dyn Evaluator,
    ) -> Option<ThresholdResult> {
        let ThresholdTrial { interval, rule, outer, upper, .. } = trial;
        if self.all_thresholds_pay(subset, limits, interval, *upper, evaluator.swept_share()) {
            let all = self.all_thresholds(subset, interval, *upper)?;
            let tree = self.tree_below(subset, limits, trial, (all.cost, &all.rule), None);
            return Some(ThresholdResult {
                children: None,
                lower: all.cost,
                tree,
                threshold_bounds: all.threshold_bounds,
            });
        }
        // Notes belong to the evaluator that made them, which may be another thread's.
        let stump_bounds = StumpBounds { notes: [None; 2], ..self.stump_bounds(interval, *upper) };
        let (rule, outer, share, upper) = (*rule, *outer, interval.share, *upper);
        let root = RootTrial { subset, limits, rule, outer, share, upper, stump_bounds };
        let found = self.evaluate_root(&root, evaluator);
        let root = (found.cost, &rule);
        let tree = self.tree_below(subset, limits, trial, root, found.features);
        let children = Some(found.edges(&rule, None).into());
        let threshold_bounds = found.threshold_bounds.into_iter().collect();
        Some(ThresholdResult { children, lower: found.cost, tree, threshold_bounds })
    }

    /// The tree of a root, if it costs less than the upper bound.
    fn tree_below(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        trial: &ThresholdTrial,
        (cost, rule): (Cost, &Rule),
        features: Option<[usize; 2]>,
    ) -> Option<(Cost, Arc<Tree>)> {
        let mut best = Bounds::with_upper(trial.upper);
        if cost < trial.upper {
            let root = DepthTwoRoot { cost, rule: *rule, share: trial.interval.share };
            self.take_root_or_stumps(subset, limits, &root, features, &mut best);
        }
        best.incumbent
    }

    /// Bounds on the stumps of a root in an interval, from the ends of the interval.
    fn stump_bounds(&self, interval: &Interval, upper: Cost) -> StumpBounds {
        if !self.space.options.stump_bounds {
            return StumpBounds { notes: [None; 2], useless: [Weight::MAX; 2] };
        }
        let useless = self.useless_errors([interval.before.child, interval.after.child], upper);
        StumpBounds { notes: [interval.before.notes, interval.after.notes], useless }
    }

    /// By child, the errors from which on a stump is useless, given bounds on both children.
    fn useless_errors(&self, [left, right]: [Cost; 2], upper: Cost) -> [Weight; 2] {
        if !self.space.options.stump_bounds {
            return [Weight::MAX; 2];
        }
        [right, left].map(|other| {
            let spare = upper.saturating_sub(self.stump_cost(0).saturating_add(other));
            let errors = spare.div_ceil(self.space.objective.error_price);
            errors.saturating_sub(offset(Mutant::StumpBounds))
        })
    }

    /// Minimum costs of the two children of a root, given the weight their stumps classify correctly.
    pub(crate) fn stump_children(
        &self,
        subset: &ContinuousSubset,
        rule: &Rule,
        share: (u32, u32),
        [left, right]: [CorrectWeight; 2],
    ) -> (Cost, Cost) {
        let right_weight = subset.weight - rule.weight;
        (
            self.child_cost(rule.weight, left.leaf, left.stump, share.0),
            self.child_cost(right_weight, right.leaf, right.stump, share.1),
        )
    }

    /// Takes the tree of a root as incumbent; if the features of its stumps are known, only these are
    /// searched, which is as many times faster as there are features.
    fn take_root_or_stumps(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        root: &DepthTwoRoot,
        features: Option<[usize; 2]>,
        bounds: &mut Bounds,
    ) {
        let layout = self.space.layout;
        match features {
            Some(features)
                if limits.min_samples_leaf == 1
                    && !self.is_directed(&root.rule, limits)
                    && !layout.ranks_in_orders =>
            {
                self.take_stumps(subset, root, features, bounds);
            }
            _ => {
                self.take_root(subset, limits, root, bounds);
            }
        }
    }

    /// Like `take_root`, with the features of the best stumps known.
    fn take_stumps(
        &self,
        subset: &ContinuousSubset,
        root: &DepthTwoRoot,
        features: [usize; 2],
        bounds: &mut Bounds,
    ) {
        let left = self.leaf_or_stump_on(subset, &root.rule, true, features[0], root.share.0);
        let right = self.leaf_or_stump_on(subset, &root.rule, false, features[1], root.share.1);
        bounds.improve_with_node(
            self.space.objective.join(left.0, right.0),
            &root.rule,
            left.1,
            right.1,
        );
    }
}
