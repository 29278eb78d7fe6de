//! Trees under constraints: a space of `engine/search.rs` that is bounded by its relaxation.
//!
//! *Relaxation.* A tree under constraints is a tree within the limits, so the minimum cost within
//! the limits alone is a lower bound. It also obeys the law of the engine (a leaf never costs less
//! with more items), which constrained costs do not: with fewer items a leaf may predict another
//! class. So the bounds of intervals are those of the relaxation, for all subsets, and a split is
//! solved under constraints only if its relaxation costs less than the upper bound (`children.rs`).
//!
//! If the optimal tree of the relaxation satisfies the constraints, it is optimal (`prunes`).
//!
//! With the switch `relaxation` off, every split is solved under constraints.

use crate::constraints::costs::{ConstrainedCosts, ConstrainedSpace};
use crate::constraints::feasible::Feasibility;
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::intervals::{OpenIntervals, ThresholdResult, ThresholdTrial};
use crate::engine::solution::{Bounds, Solution};
use crate::engine::space::{Search, Space, SubsetOf, Switches};
use exactree_model::{Limits, Tree, UNBOUNDED};
use std::sync::Arc;

/// A search under constraints.
pub(crate) type ConstrainedSearch<'s, 'a, B> = Search<'s, ConstrainedSpace<'a, B>>;

/// The relaxation, with a cache of its own.
pub(crate) struct Relaxation<'s, B: ConstrainedCosts> {
    pub plain: Search<'s, B>,
    /// With conditions as further items (`cross_bound.rs`); `None` if that bound is off.
    pub conditions: Option<Search<'s, B>>,
}

impl<'a, B: ConstrainedCosts> Space for ConstrainedSpace<'a, B> {
    type Open = OpenIntervals;
    type Workspace = Relaxation<'a, B>;

    /// Bounds on thresholds are those of the relaxation, which inherits them from itself.
    fn switches(&self) -> Switches {
        let switches = self.base.switches();
        Switches { feature_bounds: false, early_bound: false, ..switches }
    }

    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<B>,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        if search.space.state(subset).required.len() as u64 > u64::from(limits.size) {
            bounds.lower = UNBOUNDED;
            return true;
        }
        // In root tasks the relaxation of the whole table is a search of its own (`root_tasks.rs`).
        let in_task = search.control.is_some() && search.open_calls == 0;
        if limits.depth <= 1 || !search.space.options.relaxation || in_task {
            return false;
        }
        let conditions = search.class_conditions(subset);
        let (lower, tree) = search.with_conditions(subset, &conditions, limits, bounds.upper);
        bounds.lower = bounds.lower.max(lower);
        if bounds.lower >= bounds.upper {
            search.stats.pruned.relaxation += 1;
            return true;
        }
        let Some((cost, tree)) = tree else { return false };
        let feasible = search.space.feasible_tree(subset, &tree);
        if let Some(tree) = feasible {
            bounds.improve(cost, tree);
        }
        bounds.lower >= bounds.upper
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<B>,
        limits: Limits,
        mut bounds: Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        if limits.depth > 1 {
            return Err(bounds);
        }
        search.space.best_stump(subset, limits, &mut bounds);
        Ok(Solution { tree: bounds.incumbent, ..Solution::with_lower(bounds.upper) })
    }

    fn branching(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<B>,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<OpenIntervals> {
        Some(search.open_intervals(subset, limits, bounds, inherited))
    }

    fn try_split(
        search: &mut Search<'_, Self>,
        trial: &ThresholdTrial,
        subset: &SubsetOf<B>,
        limits: Limits,
    ) -> ThresholdResult {
        search.constrained_split(trial, subset, limits)
    }
}

impl<B: ConstrainedCosts> ConstrainedSpace<'_, B> {
    /// A tree of the relaxation with ranks that satisfy the constraints of a subset; `None` if it
    /// violates them.
    fn feasible_tree(&self, subset: &SubsetOf<B>, tree: &Arc<Tree>) -> Option<Arc<Tree>> {
        let slots: Vec<u32> = subset.members.iter().collect();
        let check = Feasibility { space: self };
        let tree = check.centred(&slots, tree);
        check.satisfies(&slots, &tree, self.state(subset)).then_some(tree)
    }
}
