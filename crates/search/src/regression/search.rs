//! Start here: the search for the minimum squared or absolute error on one screen.
//!
//! As in `engine/search.rs`, `solve` returns the minimum cost of a subset within limits, or a lower
//! bound as soon as that reaches the caller's upper bound. Costs are integers (`units.rs`), so this
//! search shares open intervals of thresholds, inherited bounds and the cache with the engine.
//!
//! Minimum costs do not fall when items are added (restrict the better tree to fewer items: neither
//! the squares about a mean nor the absolute deviations from a median grow), so intervals and
//! inherited bounds hold as they do for errors.
//!
//! *Similarity bound.* An item that moves from one child of a threshold to the other does not raise
//! the cost of the child it leaves, and adds to a leaf of the other child at most its cost with
//! that leaf's old prediction. That lies between the minimum and the maximum target of the subset,
//! so it adds at most its squared (or absolute) distance to the farther of the two. The sum of
//! these distances is the weight of a rule, for which `engine/intervals.rs` has the argument.
//!
//! Where its steps are: `pruned`, `relaxed` in `bounds.rs`; `depth_two` in `depth_two.rs`;
//! `solve_in_parallel` in `parallel.rs`; `counted` in `depth_three.rs`, `branch_columns` in
//! `deep_columns.rs` and `columns_in_parallel` in `parallel_columns.rs`, for rules as columns of
//! bits.

use super::RegressionOptions;
use super::bounds::BoundBenefit;
use super::depth_three::ColumnsWorkspace;
use super::parallel_columns::ParallelColumnsNode;
use super::prepared_table::RegressionTable;
use super::subset::RegressionSubset;
use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::intervals::{
    EdgeValidity, IntervalEdge, OpenIntervals, PruneSwitches, ThresholdResult, ThresholdTrial,
};
use crate::engine::parallel_node::{ParallelNode, TrialKind};
use crate::engine::rules::Rules;
use crate::engine::solution::{Bounds, Solution};
use crate::kernels::InstructionSet;
use crate::support::cache::{CacheEntry, SharedCache};
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits, StoppedBy, Tree, UNBOUNDED};
use std::sync::Arc;

/// One search over one table.
pub(crate) struct RegressionSearch<'a> {
    pub prepared: &'a RegressionTable,
    /// Price of a leaf.
    pub price: Cost,
    pub options: &'a RegressionOptions,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub stop_at_gap: f64,
    pub stats: Stats,
    pub cache: &'a SharedCache,
    /// Task queue shared by the threads; `None` for a single thread.
    pub queue: Option<&'a TaskQueue<ParallelNode<RegressionSubset>>>,
    /// The same for rules as columns of bits.
    pub columns_queue: Option<&'a TaskQueue<ParallelColumnsNode>>,
    pub level: InstructionSet,
    pub workspace: ColumnsWorkspace,
    pub clustering_benefit: BoundBenefit,
    /// Number of open calls of `solve`; the outermost reports progress.
    pub open_calls: u32,
}

impl RegressionSearch<'_> {
    /// The best tree for a subset within limits that costs less than `upper`, or the proof that
    /// none exists.
    pub fn solve(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let reachable = self.reachable_limits(subset, limits, upper);
        let solution = self.solve_within(subset, reachable, upper, inherited);
        // Trees pruned by the leaf price cost `upper` or more.
        if self.price > 0 { solution.capped_at(upper) } else { solution }
    }

    fn solve_within(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let mut bounds = Bounds::with_upper(upper);
        bounds.improve(self.leaf(subset), Tree::leaf(0));
        if let Some(solution) = self.cached(subset, limits, &mut bounds) {
            return solution;
        }
        self.stats.nodes += 1;
        if self.pruned(subset, limits, &mut bounds) || self.clock.stopped() {
            return self.bound_only(subset, limits, bounds);
        }
        let relaxed = match self.relaxed(subset, limits, upper, &mut bounds) {
            Ok(solution) => return self.store(subset, limits, solution, 1),
            Err(lower) => lower,
        };
        let before = self.stats.nodes;
        let solution = match limits.depth {
            _ if self.is_counted(limits) => self.solve_by_counts(subset, limits, bounds),
            _ if self.prepared.columns.is_some() => self.branch_columns(subset, limits, bounds),
            1 => self.one_level(subset, limits, bounds),
            2 if self.options.depth_two => self.depth_two(subset, limits, bounds, inherited),
            _ => self.branch(subset, limits, bounds, inherited),
        };
        self.store(subset, limits, solution.raised_to(relaxed), 1 + self.stats.nodes - before)
    }

    /// Evaluates thresholds until all are pruned, with the help of idle threads.
    fn branch(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        mut bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let mut open = self.branching(subset, limits, &bounds, inherited);
        self.open_calls += 1;
        loop {
            if self.has_idle_thread() {
                (open, bounds) =
                    self.solve_in_parallel(subset, limits, TrialKind::Children, open, bounds);
                break;
            }
            let pruned = &mut self.stats.pruned;
            let Some(interval) = open.most_promising(bounds.upper, pruned) else { break };
            if self.must_stop(&bounds, interval.lower) {
                open.put_back(interval);
                break;
            }
            let trial = open.trial(interval, bounds.upper, self.options.upper_bound_margin);
            let tried = self.try_threshold(&trial, subset, limits);
            tried.enter(trial, &mut open, &mut bounds);
        }
        self.open_calls -= 1;
        self.branch_solution(subset, limits, open, inherited, bounds)
    }

    /// Solves both children of a threshold as long as their sum can stay below the upper bound; the
    /// larger child first, since it is more likely to exceed it.
    pub fn try_threshold(
        &mut self,
        trial: &ThresholdTrial,
        subset: &RegressionSubset,
        limits: Limits,
    ) -> ThresholdResult {
        let ThresholdTrial { interval, rule, children_upper: upper, .. } = trial;
        let (left, right) = subset.split(self.prepared, rule);
        let children =
            [(&left, limits.child(interval.share.0)), (&right, limits.child(interval.share.1))];
        let edges = [&interval.before, &interval.after];
        let mut solutions = [0, 1].map(|at| {
            let (child, limits) = children[at];
            Solution::with_lower(self.floor(child, limits).max(self.edge_bound(edges[at])))
        });
        let first = usize::from(left.count < right.count);
        for at in [first, 1 - first] {
            let other = solutions[1 - at].relaxed;
            if solutions[at].relaxed + other >= *upper {
                break;
            }
            let (child, limits) = children[at];
            let found = self.solve(child, limits, upper - other, edges[at].by_threshold.as_ref());
            solutions[at] = found.raised_to(solutions[at].relaxed);
        }
        let [left, right] = solutions;
        let lower = left.lower.saturating_add(right.lower).min(UNBOUNDED);
        let tree = left.tree.zip(right.tree).map(|((left_cost, left), (right_cost, right))| {
            (left_cost + right_cost, Tree::node(rule.feature as u32, rule.rank, left, right))
        });
        let bounds_of_rule = ThresholdBounds {
            feature: rule.feature,
            rank: rule.rank,
            left: left.relaxed,
            right: right.relaxed,
        };
        let total = left.relaxed.saturating_add(right.relaxed);
        // The child of a threshold farther out is a subset of this child, so its bounds also hold
        // here.
        let edge =
            |child, received: Option<Arc<InheritedBounds>>, beyond: &IntervalEdge| IntervalEdge {
                child,
                total,
                left_weight: rule.weight,
                notes: None,
                by_threshold: received.or_else(|| beyond.by_threshold.clone()),
            };
        let left = edge(left.relaxed, left.by_threshold, &interval.before);
        let right = edge(right.relaxed, right.by_threshold, &interval.after);
        ThresholdResult {
            children: Some((left, right)),
            lower,
            tree,
            threshold_bounds: vec![bounds_of_rule],
        }
    }

    /// Lower bound on a child from the evaluated threshold at the edge of the interval.
    pub fn edge_bound(&self, edge: &IntervalEdge) -> Cost {
        let seeded = offset(Mutant::RegressionIntervals) * (edge.child / 8);
        if self.options.interval_bound { edge.child + seeded } else { 0 }
    }

    /// The intervals of all features and all ways to divide the size.
    pub fn branching(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        bounds: &Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> OpenIntervals {
        let similarity_bound = self.options.similarity_bound && subset.reaches(self.prepared);
        let switches = PruneSwitches {
            interval_bound: self.options.interval_bound,
            similarity_bound,
            error_price: 1,
            edges: EdgeValidity::Everywhere,
        };
        let features = self.prepared.features.len();
        let rules = (0..features).map(|_| Rules::default()).collect();
        let mut open = OpenIntervals::new(rules, switches);
        let no_bounds = InheritedBounds::default();
        let inherited = inherited.map_or(&no_bounds, |inherited| inherited);
        for feature in 0..features {
            open.rules[feature] = subset.rules(self.prepared, feature, similarity_bound);
            for range in inherited.ranges(feature) {
                let seeded = offset(Mutant::RegressionFeatureBounds) * (range.lower() / 8);
                let lower = (range.lower() + seeded).max(bounds.lower);
                if lower >= bounds.upper {
                    open.close(feature, lower);
                    self.stats.pruned.feature_bounds += 1;
                    continue;
                }
                for share in limits.shares() {
                    open.open(&range, share, lower, subset.rows, limits.min_samples_leaf);
                }
            }
        }
        open
    }

    /// The limits, tightened to the depth and size that trees of this subset which cost less than
    /// `upper` can reach.
    pub fn reachable_limits(
        &self,
        subset: &RegressionSubset,
        limits: Limits,
        upper: Cost,
    ) -> Limits {
        let mut size = limits.size;
        // A tree has one leaf more than nodes.
        let paid = upper.saturating_sub(1 + offset(Mutant::RegressionLeafBudget) * self.price);
        if let Some(leaves) = paid.checked_div(self.price) {
            size = size.min(leaves.saturating_sub(1).min(u32::MAX as u64) as u32);
        }
        // Every rule has two non-empty children, so a tree has fewer nodes than items. A size limit
        // of that many nodes or more limits nothing, here and in both children.
        let rules = subset.count.saturating_sub(1).min(u32::MAX as usize) as u32;
        let size = if size >= rules { u32::MAX } else { size };
        Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
    }

    /// The cached solution of a subset, if it solves the subproblem.
    fn cached(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Option<Solution> {
        if !self.options.cache || limits.leaf_only() {
            return None;
        }
        self.stats.cache_lookups += 1;
        let hit = self.cache.lookup(&subset.members, &limits)?;
        let lower = hit.lower + offset(Mutant::RegressionCache) * (1 + hit.lower / 8);
        let relaxed = match limits.min_samples_leaf {
            1 => lower,
            _ => self.cache.lookup(&subset.members, &limits.relaxed()).map_or(0, |hit| hit.lower),
        };
        if let Some((cost, tree)) = hit.tree {
            bounds.improve(cost, tree);
        }
        bounds.lower = bounds.lower.max(lower);
        if lower < bounds.upper {
            return None;
        }
        self.stats.cache_hits += 1;
        self.stats.pruned.cached_bounds += bounds.incumbent.is_none() as u64;
        Some(Solution { lower, relaxed, tree: bounds.incumbent.take(), by_threshold: None })
    }

    /// Stores a solution in the cache and returns it.
    pub fn store(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        solution: Solution,
        effort: u64,
    ) -> Solution {
        if self.options.cache {
            let entry = CacheEntry { limits, lower: solution.lower, tree: solution.tree.clone() };
            self.cache.insert(&subset.members, entry, effort);
            if limits.min_samples_leaf > 1 {
                let entry =
                    CacheEntry { limits: limits.relaxed(), lower: solution.relaxed, tree: None };
                self.cache.insert(&subset.members, entry, effort);
            }
        }
        solution
    }

    /// The solution of a subproblem that is not searched: its bounds prune it, or the clock has
    /// stopped.
    fn bound_only(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        bounds: Bounds,
    ) -> Solution {
        let lower = bounds.lower;
        self.solution_with_lower(subset, limits, lower, bounds)
    }

    /// The solution with a lower bound that holds only with the minimum leaf size.
    pub fn solution_with_lower(
        &self,
        subset: &RegressionSubset,
        limits: Limits,
        lower: Cost,
        bounds: Bounds,
    ) -> Solution {
        let lower = lower.min(self.leaf(subset));
        let relaxed = match limits.min_samples_leaf {
            1 => lower,
            _ => self.floor(subset, limits.relaxed()).min(lower),
        };
        Solution { lower, relaxed, tree: bounds.incumbent, by_threshold: None }
    }

    /// The solution of a subproblem after its intervals were evaluated, or put back after a stop.
    pub fn branch_solution(
        &self,
        subset: &RegressionSubset,
        limits: Limits,
        open: OpenIntervals,
        inherited: Option<&Arc<InheritedBounds>>,
        bounds: Bounds,
    ) -> Solution {
        let lower = open.lower().max(bounds.lower).min(self.leaf(subset));
        let relaxed = match limits.min_samples_leaf {
            1 => lower,
            _ => self.floor(subset, limits.relaxed()).min(lower),
        };
        let all_levels = limits.shares().len() == 1 && self.price == 0;
        let by_threshold = (self.options.feature_bounds && all_levels)
            .then(|| InheritedBounds::with(inherited, open.threshold_bounds));
        Solution { lower, relaxed, tree: bounds.incumbent, by_threshold }
    }

    /// Cost of a leaf.
    pub fn leaf(&self, subset: &RegressionSubset) -> Cost {
        subset.leaf + self.price
    }

    /// Whether to unwind now. The outermost call also reports progress and checks the gap.
    pub fn must_stop(&self, bounds: &Bounds, lower: Cost) -> bool {
        if self.open_calls == 1 {
            self.report(bounds, lower);
        }
        self.clock.stopped()
    }

    /// Reports progress on the whole table; stops the search if the gap is small enough.
    pub fn report(&self, bounds: &Bounds, lower: Cost) {
        let cost = bounds.incumbent.as_ref().map_or(UNBOUNDED, |found| found.0);
        self.progress.report(cost, lower.min(bounds.upper));
        if self.stop_at_gap > 0.0 && self.gap() <= self.stop_at_gap {
            self.clock.stop(StoppedBy::Gap);
        }
    }

    /// The gap if the search stopped now. Costs are taken without what rounding and padding add to
    /// them; the lower bound is reduced by the rounding errors of any tree, but not below 0.
    fn gap(&self) -> f64 {
        let (Some(cost), lower) = self.progress.read() else { return f64::INFINITY };
        let net = self.prepared.net(cost as f64);
        let slack = self.prepared.slack(self.prepared.items.len() as f64, net);
        (((cost - lower) as f64 + slack) / net.max(1.0)).min(1.0)
    }
}
