//! Start here: the engine on one screen.
//!
//! `solve` returns the minimum cost of a subset within limits, or a lower bound as soon as that
//! reaches the caller's upper bound. With every switch of `support/options.rs` off it is the
//! dynamic programme of `spec/definition.py`: the cheapest tree among the leaf and, for every rule,
//! the node with optimal children.
//!
//! A *space* (`space.rs`) says what is searched and what leaves cost: each `error_space.rs`,
//! `spaces/binary/space.rs`, `spaces/leaf_costs/cost_space.rs` and `constraints/space.rs`. It
//! solves shallow subproblems by itself (`solve_terminal`).
//!
//! Where the steps are: `cached`, `store` in `cache_access.rs`; `pruned` in `bounds.rs`;
//! `solve_in_parallel` in `parallel.rs`. A space branches over one of two kinds of splits
//! (`open_splits.rs`):
//! - intervals of thresholds: `open_intervals` in `split_order.rs`, the intervals themselves in
//!   `intervals.rs`, under a minimum leaf size with the bounds of `two_set_bound.rs`;
//!   `try_threshold` in `children.rs`;
//! - columns of bits: the list in `columns.rs`, `try_column` in `column_children.rs`.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::open_splits::{ChildUpper, OpenSplits};
use crate::engine::parallel_node::TrialKind;
use crate::engine::root_range::SearchControl;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::space::{OpenOf, Search, Space, SubsetOf};
use crate::support::bits::Bits;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, StoppedBy, UNBOUNDED};
use std::borrow::Borrow;
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
        let limits = self.reachable_limits(subset, self.affordable_limits(limits, upper));
        self.solve_unless_cached(&self.space.key(subset), limits, upper, inherited, |_| subset)
    }

    /// Like `solve`, for a subset that is only made if the cache does not solve it. The limits are
    /// affordable.
    pub(crate) fn solve_unless_cached<B: Borrow<SubsetOf<S>>>(
        &mut self,
        key: &Bits,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<InheritedBounds>>,
        make: impl FnOnce(&mut Self) -> B,
    ) -> Solution {
        let mut bounds = Bounds::with_upper(upper);
        let solution = self.cached(key, limits, &mut bounds).unwrap_or_else(|| {
            let subset = make(self);
            self.solve_within(subset.borrow(), key, limits, bounds, inherited)
        });
        // Trees pruned by the leaf price cost `upper` or more.
        if self.space.leaf_price() > 0 { solution.capped_at(upper) } else { solution }
    }

    /// The solution of a subproblem that the cache does not solve.
    fn solve_within(
        &mut self,
        subset: &SubsetOf<S>,
        key: &Bits,
        limits: Limits,
        mut bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let (leaf, tree) = self.space.leaf(subset);
        bounds.improve(leaf, tree);
        self.stats.nodes += 1;
        let reachable = self.reachable_limits(subset, limits);
        if self.pruned(subset, reachable, &mut bounds) || self.clock.stopped() {
            return self.bound_only(subset, bounds);
        }
        let before = self.stats.nodes;
        let solution = match S::solve_terminal(self, subset, reachable, bounds, inherited) {
            Ok(solution) => solution,
            Err(mut bounds) => {
                match S::branching(self, subset, reachable, &mut bounds, inherited) {
                    None => self.bound_only(subset, bounds),
                    Some(open) => {
                        let (open, bounds) = self.branch(subset, reachable, open, bounds);
                        self.branch_solution(subset, reachable, open, inherited, bounds)
                    }
                }
            }
        };
        self.store(key, limits, solution, 1 + self.stats.nodes - before)
    }

    /// Evaluates splits until all are pruned, with the help of idle threads.
    pub(crate) fn branch(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        mut open: OpenOf<S>,
        mut bounds: Bounds,
    ) -> (OpenOf<S>, Bounds) {
        self.open_calls += 1;
        loop {
            if self.has_idle_thread() && open.pays_in_parallel() {
                let kind = TrialKind::Children;
                (open, bounds) = self.solve_in_parallel(subset, limits, kind, open, bounds);
                break;
            }
            if self.open_calls == 1 {
                self.take_upper_bound(&mut bounds);
            }
            let margin = self.child_upper == ChildUpper::WithMargin;
            let pruned = &mut self.stats.pruned;
            let Some(trial) = open.take(bounds.upper, margin, pruned) else { break };
            let lower = || open.lower().min(OpenOf::<S>::lower_of(&trial));
            if self.must_stop(&bounds, lower) {
                open.put_back(trial);
                break;
            }
            let tried = S::try_split(self, &trial, subset, limits);
            open.enter(trial, tried, &mut bounds);
        }
        self.open_calls -= 1;
        (open, bounds)
    }

    /// The limits, tightened so that they exclude trees whose leaf prices alone sum to `upper` or
    /// more. A size limit made redundant by the price is dropped, so that it need not be divided
    /// among children.
    pub(crate) fn affordable_limits(&self, limits: Limits, upper: Cost) -> Limits {
        let price = self.space.leaf_price();
        let budget = upper.saturating_sub(1 + offset(Mutant::LeafBudget) * price);
        let Some(leaves) = budget.checked_div(price) else { return limits };
        // A tree has one leaf more than inner nodes.
        let rules = leaves.saturating_sub(1).min(u32::MAX as u64) as u32;
        let size = if limits.size >= rules { u32::MAX } else { limits.size };
        Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
    }

    /// The limits, tightened to the depth that trees of this subset can reach, and without a size
    /// limit that all of these trees keep.
    pub(crate) fn reachable_limits(&self, subset: &SubsetOf<S>, limits: Limits) -> Limits {
        // Every rule has two non-empty children, so a tree has fewer inner nodes than items. A size
        // limit of one less than the items, or more, limits nothing, here and in both children.
        let rules = subset.count.saturating_sub(1).min(u32::MAX as usize) as u32;
        let depth = limits.depth.min(rules).min(self.space.max_depth(subset));
        let size = if limits.size >= rules { u32::MAX } else { limits.size };
        Limits { depth, size, ..limits }.normalised()
    }

    /// Whether to unwind now. The outermost call also reports progress and checks the gap.
    pub(crate) fn must_stop(&self, bounds: &Bounds, lower: impl FnOnce() -> Cost) -> bool {
        if self.open_calls == 1 {
            self.report(bounds, lower());
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

    /// Whether to return open splits to other workers; for the whole table only.
    pub(crate) fn must_return_open(&self) -> bool {
        self.control.is_some_and(SearchControl::must_return_open)
    }

    /// Reports progress on the whole table; stops the search if the gap is small enough.
    pub(crate) fn report(&self, bounds: &Bounds, lower: Cost) {
        let lower = lower.min(bounds.upper);
        let cost = bounds.incumbent.as_ref().map_or(UNBOUNDED, |found| found.0);
        let (cost, lower) = self.part.map_or((cost, lower), |part| {
            (UNBOUNDED, part.others.min(lower.saturating_add(part.price)))
        });
        self.progress.report(cost, lower);
        if self.stop_at_gap > 0.0 && self.space.gap(self.progress) <= self.stop_at_gap {
            self.clock.stop(StoppedBy::Gap);
        }
    }

    /// Cost of a leaf.
    pub(crate) fn leaf_cost(&self, subset: &SubsetOf<S>) -> Cost {
        self.space.leaf(subset).0
    }

    /// The solution of a subproblem whose splits are not evaluated: its bounds prune it, or the
    /// clock has stopped.
    pub(crate) fn bound_only(&self, subset: &SubsetOf<S>, bounds: Bounds) -> Solution {
        let lower = bounds.lower.min(self.leaf_cost(subset));
        Solution { tree: bounds.incumbent, ..Solution::with_lower(lower) }
    }

    /// Whether subproblems inherit bounds by root threshold. Their argument needs that minimum
    /// costs do not fall when items are added, so that there is no minimum leaf size. A leaf price
    /// lowers the depth of the trees that are affordable below an upper bound
    /// (`affordable_limits`): the bounds would not hold for a subset that is searched for deeper
    /// trees.
    pub(crate) fn inherits_bounds(&self, limits: Limits) -> bool {
        self.switches.feature_bounds && limits.min_samples_leaf == 1 && self.space.leaf_price() == 0
    }

    /// The solution of a subproblem after its splits were evaluated, or put back after a stop.
    pub(crate) fn branch_solution(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        open: OpenOf<S>,
        inherited: Option<&Arc<InheritedBounds>>,
        bounds: Bounds,
    ) -> Solution {
        let lower = open.lower().max(bounds.lower).min(self.leaf_cost(subset));
        let one_division = limits.shares().len() == 1;
        let known = S::close(self, open);
        let by_threshold = (self.inherits_bounds(limits) && one_division)
            .then(|| InheritedBounds::with(inherited, known));
        Solution { tree: bounds.incumbent, by_threshold, ..Solution::with_lower(lower) }
    }
}
