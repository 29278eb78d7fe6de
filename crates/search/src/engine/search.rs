//! Start here: the engine on one screen.
//!
//! `solve` returns the minimum cost of a subset within limits, or a lower bound as soon as that
//! reaches the caller's upper bound. With every switch of `support/options.rs` off it is the
//! dynamic programme of `spec/definition.py`: the cheapest tree among the leaf and, for every rule,
//! the node with optimal children.
//!
//! A *space* (`space.rs`) says what is searched and what leaves cost: `error_space.rs` and
//! `regression/cost_space.rs`. It solves shallow subproblems by itself (`solve_terminal`).
//!
//! Where the steps are: `cached`, `store` in `cache_access.rs`; `pruned` in `bounds.rs`; `branching` in
//! `split_order.rs`, the open intervals themselves in `intervals.rs`, under a minimum leaf size with
//! the bounds of `two_set_bound.rs`; `try_threshold` in `children.rs`; `solve_in_parallel` in
//! `parallel.rs`.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::intervals::OpenIntervals;
use crate::engine::parallel_node::TrialKind;
use crate::engine::root_range::SearchControl;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::space::{Search, Space, SubsetOf};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, StoppedBy, UNBOUNDED};
use std::sync::Arc;

impl<S: Space> Search<'_, S> {
    /// The best tree for a subset within limits that costs less than `upper`, or the proof that
    /// none exists.
    pub(crate) fn solve(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let reachable = self.reachable_limits(subset, limits, upper);
        let solution = self.solve_within(subset, reachable, upper, inherited);
        // Trees pruned by the leaf price cost `upper` or more.
        if self.space.leaf_price() > 0 { solution.capped_at(upper) } else { solution }
    }

    fn solve_within(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let mut bounds = self.leaf(subset, upper);
        if let Some(solution) = self.cached(subset, limits, &mut bounds) {
            return solution;
        }
        self.stats.nodes += 1;
        if self.pruned(subset, limits, &mut bounds) || self.clock.stopped() {
            return self.bound_only(subset, bounds);
        }
        let before = self.stats.nodes;
        let solution = match S::solve_terminal(self, subset, limits, bounds, inherited) {
            Ok(solution) => solution,
            Err(bounds) => {
                let open = self.branching(subset, limits, &bounds, inherited);
                self.open_calls += 1;
                let (open, bounds) = self.branch(subset, limits, open, bounds);
                self.open_calls -= 1;
                self.branch_solution(subset, limits, open, inherited, bounds)
            }
        };
        self.store(subset, limits, solution, 1 + self.stats.nodes - before)
    }

    /// Evaluates thresholds until all are pruned, with the help of idle threads.
    pub(crate) fn branch(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        mut open: OpenIntervals,
        mut bounds: Bounds,
    ) -> (OpenIntervals, Bounds) {
        while !self.has_idle_thread() {
            if self.open_calls == 1 {
                self.take_upper_bound(&mut bounds);
            }
            let pruned = &mut self.stats.pruned;
            let Some(interval) = open.most_promising(bounds.upper, pruned) else {
                return (open, bounds);
            };
            if self.must_stop(&bounds, interval.lower) {
                open.put_back(interval);
                return (open, bounds);
            }
            let trial = open.trial(interval, bounds.upper, self.margin);
            let tried = self.try_threshold(&trial, subset, limits);
            open.enter(trial, tried, &mut bounds);
        }
        self.solve_in_parallel(subset, limits, TrialKind::Children, open, bounds)
    }

    /// The limits, tightened to the depth and size that trees of this subset which cost less than
    /// `upper` can reach.
    pub(crate) fn reachable_limits(
        &self,
        subset: &SubsetOf<S>,
        limits: Limits,
        upper: Cost,
    ) -> Limits {
        let mut size = limits.size;
        // A tree has one leaf more than nodes.
        let price = self.space.leaf_price();
        let paid = upper.saturating_sub(1 + offset(Mutant::LeafBudget) * price);
        if let Some(leaves) = paid.checked_div(price) {
            size = size.min(leaves.saturating_sub(1).min(u32::MAX as u64) as u32);
        }
        // Every rule has two non-empty children, so a tree has fewer nodes than items. A size limit
        // of that many nodes or more limits nothing, here and in both children.
        let rules = subset.count.saturating_sub(1).min(u32::MAX as usize) as u32;
        let size = if size >= rules { u32::MAX } else { size };
        Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
    }

    /// Whether to unwind now. The outermost call also reports progress and checks the gap.
    pub(crate) fn must_stop(&self, bounds: &Bounds, lower: Cost) -> bool {
        if self.open_calls == 1 {
            self.report(bounds, lower);
            if self.must_return_open() {
                return true;
            }
        }
        self.clock.stopped()
    }

    /// Takes the shared upper bound; for the whole table only.
    pub(crate) fn take_upper_bound(&self, bounds: &mut Bounds) {
        bounds.upper =
            self.control.map_or(bounds.upper, |control| bounds.upper.min(control.upper()));
    }

    /// Whether to return open thresholds to other workers; for the whole table only.
    pub(crate) fn must_return_open(&self) -> bool {
        self.control.is_some_and(SearchControl::must_return_open)
    }

    /// Reports progress on the whole table; stops the search if the gap is small enough.
    pub(crate) fn report(&self, bounds: &Bounds, lower: Cost) {
        let cost = bounds.incumbent.as_ref().map_or(UNBOUNDED, |found| found.0);
        self.progress.report(cost, lower.min(bounds.upper));
        if self.stop_at_gap > 0.0 && self.space.gap(self.progress) <= self.stop_at_gap {
            self.clock.stop(StoppedBy::Gap);
        }
    }

    /// The leaf as first incumbent.
    pub(crate) fn leaf(&self, subset: &SubsetOf<S>, upper: Cost) -> Bounds {
        let mut bounds = Bounds::with_upper(upper);
        let (cost, tree) = self.space.leaf(subset);
        bounds.improve(cost, tree);
        bounds
    }

    /// Cost of a leaf.
    pub(crate) fn leaf_cost(&self, subset: &SubsetOf<S>) -> Cost {
        self.space.leaf(subset).0
    }

    /// The solution of a subproblem whose thresholds are not evaluated: its bounds prune it, or the
    /// clock has stopped.
    pub(crate) fn bound_only(&self, subset: &SubsetOf<S>, bounds: Bounds) -> Solution {
        let lower = bounds.lower.min(self.leaf_cost(subset));
        Solution { tree: bounds.incumbent, ..Solution::with_lower(lower) }
    }

    /// The solution of a subproblem after its intervals were evaluated, or put back after a stop.
    pub(crate) fn branch_solution(
        &self,
        subset: &SubsetOf<S>,
        limits: Limits,
        open: OpenIntervals,
        inherited: Option<&Arc<InheritedBounds>>,
        bounds: Bounds,
    ) -> Solution {
        let lower = open.lower().max(bounds.lower).min(self.leaf_cost(subset));
        let one_division = limits.shares().len() == 1 && self.space.leaf_price() == 0;
        let by_threshold = (self.inherits_bounds(limits) && one_division)
            .then(|| InheritedBounds::with(inherited, open.threshold_bounds));
        Solution { tree: bounds.incumbent, by_threshold, ..Solution::with_lower(lower) }
    }
}
