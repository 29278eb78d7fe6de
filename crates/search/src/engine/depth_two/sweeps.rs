//! Depth two by evaluating root thresholds, most promising intervals first.
//!
//! For tables whose features have many values. Pruning is the same as at deeper nodes; the stump
//! kernel replaces the search of children.

use super::DepthTwoRoot;
use super::evaluator::{self, CorrectWeight, Evaluation, Evaluator, Evaluators, StumpBounds};
use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::intervals::{
    Interval, IntervalEdge, OpenIntervals, ThresholdResult, ThresholdTrial,
};
use crate::engine::parallel_node::TrialKind;
use crate::engine::search::ContinuousSearch;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::subset::{ContinuousSubset, Rule};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Tree, Weight};
use std::sync::Arc;

/// Number of values in a subset from which on an evaluation takes a tenth of a millisecond or more,
/// so that sharing evaluations among threads pays.
const MIN_SHARED_VALUES: usize = 1 << 17;

/// Evaluations between two polls of the clock: a poll takes up to a tenth of the shortest
/// evaluation.
const EVALUATIONS_PER_POLL: u64 = 8;

/// The best root so far, if it costs less than the upper bound.
struct BestRoot {
    upper: Cost,
    /// The root, and the features of its stumps if they are known.
    root: Option<(DepthTwoRoot, Option<[usize; 2]>)>,
}

impl BestRoot {
    fn improve(&mut self, root: DepthTwoRoot, features: Option<[usize; 2]>) {
        if root.cost < self.upper {
            self.upper = root.cost;
            self.root = Some((root, features));
        }
    }
}

impl ContinuousSearch<'_> {
    /// Solves a subset with two levels left.
    pub(crate) fn sweep_roots(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let mut open = self.branching(subset, limits, bounds, inherited);
        let mut evaluators = self.take_evaluators();
        let evaluator = evaluators.begin(self.layout, subset);
        let mut best = BestRoot { upper: bounds.upper, root: None };
        let mut shared = false;
        while let Some(interval) = open.most_promising(best.upper, &mut self.stats.pruned) {
            shared = self.has_idle_thread() && self.shares_stumps(subset, limits);
            let polls = self.stats.stump_evaluations.is_multiple_of(EVALUATIONS_PER_POLL);
            if shared || polls && self.clock.stopped() {
                open.put_back(interval);
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
                    open.put_back(interval);
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
        self.evaluators = Some(evaluators);
        match best.root {
            Some((root, Some(features))) if limits.min_samples_leaf == 1 => {
                self.take_stumps(subset, &root, features, bounds);
            }
            Some((root, _)) => self.take_root(subset, limits, &root, bounds),
            None => {}
        }
        if shared {
            let so_far = std::mem::replace(bounds, Bounds::with_upper(0));
            (open, *bounds) =
                self.solve_in_parallel(subset, limits, TrialKind::Stumps, open, so_far);
        }
        self.solution_of_roots(subset, limits, open, bounds, inherited)
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
        self.stats.stump_evaluations += 1;
        let at = evaluator::RootSplit { feature: rule.feature, left: rule.items };
        let stump_bounds = self.stump_bounds(&interval, best.upper);
        let Evaluation { children, features, notes } =
            evaluator.evaluate(subset, at, &stump_bounds);
        let (left, right) = self.stump_children(subset, &rule, (1, 1), children);
        open.threshold_bounds.push(ThresholdBounds {
            feature: rule.feature,
            rank: rule.rank,
            left,
            right,
        });
        let (left, right) = self.stump_children(subset, &rule, interval.share, children);
        let mut cost = self.objective.join(left, right);
        let (total, left_weight) = (cost, rule.weight);
        if limits.min_samples_leaf > 1 && cost < best.upper {
            cost = self.cost_with_rows(subset, &rule, interval.share, limits);
        }
        best.improve(DepthTwoRoot { cost, rule, share: interval.share }, features);
        let edge = |child| IntervalEdge { child, total, left_weight, notes, by_threshold: None };
        open.halve(interval, middle, edge(left), edge(right), cost);
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
        let lower = open.lower().max(bounds.lower).min(self.objective.leaf(subset.leaf_errors()));
        let by_threshold = self
            .options
            .feature_bounds
            .then(|| InheritedBounds::with(inherited, open.threshold_bounds));
        // Without the minimum leaf size more thresholds are allowed than were evaluated.
        let relaxed = match limits.min_samples_leaf {
            1 => lower,
            _ => self.floor(subset, limits.relaxed()).min(lower),
        };
        Solution { lower, relaxed, tree: bounds.incumbent.take(), by_threshold }
    }

    /// Takes the evaluators of this search; the caller puts them back.
    pub(crate) fn take_evaluators(&mut self) -> Box<Evaluators> {
        self.evaluators
            .take()
            .unwrap_or_else(|| Box::new(Evaluators::new(self.level, self.options.few_values)))
    }

    /// Whether an evaluation takes so long that threads should share them.
    fn shares_stumps(&self, subset: &ContinuousSubset, limits: Limits) -> bool {
        limits.min_samples_leaf == 1
            && subset.count * self.layout.features.len() >= MIN_SHARED_VALUES
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
        let ThresholdTrial { interval, rule, upper, .. } = trial;
        if self.all_thresholds_pay(subset, limits, interval, *upper, evaluator.swept_share()) {
            let all = self.all_thresholds(subset, interval, *upper)?;
            let tree = self.tree_below(subset, limits, trial, all.cost, &all.rule);
            return Some(ThresholdResult {
                children: None,
                lower: all.cost,
                tree,
                threshold_bounds: all.threshold_bounds,
            });
        }
        self.stats.stump_evaluations += 1;
        let at = evaluator::RootSplit { feature: rule.feature, left: rule.items };
        // Notes belong to the evaluator that made them, which may be another thread's.
        let stump_bounds = StumpBounds { notes: [None; 2], ..self.stump_bounds(interval, *upper) };
        let Evaluation { children, .. } = evaluator.evaluate(subset, at, &stump_bounds);
        let (left, right) = self.stump_children(subset, rule, (1, 1), children);
        let threshold_bounds =
            vec![ThresholdBounds { feature: rule.feature, rank: rule.rank, left, right }];
        let (left, right) = self.stump_children(subset, rule, interval.share, children);
        let cost = self.objective.join(left, right);
        let tree = self.tree_below(subset, limits, trial, cost, rule);
        let (total, left_weight) = (cost, rule.weight);
        let edge =
            |child| IntervalEdge { child, total, left_weight, notes: None, by_threshold: None };
        let children = Some((edge(left), edge(right)));
        Some(ThresholdResult { children, lower: cost, tree, threshold_bounds })
    }

    /// The tree of a root, if it costs less than the upper bound.
    fn tree_below(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        trial: &ThresholdTrial,
        cost: Cost,
        rule: &Rule,
    ) -> Option<(Cost, Arc<Tree>)> {
        let mut best = Bounds::with_upper(trial.upper);
        if cost < trial.upper {
            let root = DepthTwoRoot { cost, rule: *rule, share: trial.interval.share };
            self.take_root(subset, limits, &root, &mut best);
        }
        best.incumbent
    }

    /// Bounds on the stumps of a root in an interval, from the ends of the interval.
    fn stump_bounds(&self, interval: &Interval, upper: Cost) -> StumpBounds {
        if !self.options.stump_bounds {
            return StumpBounds { notes: [None; 2], useless: [Weight::MAX; 2] };
        }
        let useless = |other: &IntervalEdge| {
            let spare = upper.saturating_sub(self.stump_cost(0).saturating_add(other.child));
            let errors = spare.div_ceil(self.objective.error_price);
            errors.saturating_sub(offset(Mutant::StumpBounds))
        };
        StumpBounds {
            notes: [interval.before.notes, interval.after.notes],
            useless: [useless(&interval.after), useless(&interval.before)],
        }
    }

    /// Minimum costs of the two children of a root, without a minimum leaf size.
    pub(super) fn stump_children(
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
        bounds.improve_with_node(self.objective.join(left.0, right.0), &root.rule, left.1, right.1);
    }

    fn cost_with_rows(
        &self,
        subset: &ContinuousSubset,
        rule: &Rule,
        share: (u32, u32),
        limits: Limits,
    ) -> Cost {
        let (left, right) = subset.split(self.layout, rule);
        let (left, _) = self.leaf_or_stump(&left, share.0, limits.min_samples_leaf);
        let (right, _) = self.leaf_or_stump(&right, share.1, limits.min_samples_leaf);
        self.objective.join(left, right)
    }
}
