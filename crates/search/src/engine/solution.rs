//! Bounds of a subproblem during its search, and the solution that the search returns.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::intervals::OpenIntervals;
use crate::engine::search::ContinuousSearch;
use crate::engine::subset::{ContinuousSubset, Rule};
use exactree_model::{Cost, Errors, Limits, Tree};
use std::sync::Arc;

/// A tree and its cost.
pub(crate) type CostedTree = (Cost, Arc<Tree>);

/// The result of the search of a subset.
#[derive(Clone, Debug)]
pub struct Solution {
    /// No tree within the limits costs less.
    pub lower: Cost,
    /// The lower bound that children of a threshold give to other thresholds. In a regression, no
    /// tree without the minimum leaf size costs less; in a search for errors it is `lower`.
    pub relaxed: Cost,
    /// The best tree found, if it costs less than the caller's upper bound. It is optimal when its
    /// cost equals `lower`.
    pub tree: Option<CostedTree>,
    /// Lower bounds by root threshold; they hold for this subset and for its supersets.
    pub by_threshold: Option<Arc<InheritedBounds>>,
}

/// Bounds of a subset during its search.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The upper bound: the cost of the incumbent, or the caller's upper bound if there is none.
    pub upper: Cost,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub incumbent: Option<CostedTree>,
}

impl Bounds {
    /// No incumbent yet; only trees that cost less than `upper` matter.
    pub fn with_upper(upper: Cost) -> Self {
        Bounds { upper, lower: 0, incumbent: None }
    }

    /// Takes a tree as incumbent if it costs less than the upper bound.
    pub fn improve(&mut self, cost: Cost, tree: Arc<Tree>) {
        if cost < self.upper {
            self.upper = cost;
            self.incumbent = Some((cost, tree));
        }
    }

    /// Takes the tree of a rule and two children as incumbent if it is cheaper.
    pub fn improve_with_node(
        &mut self,
        cost: Cost,
        rule: &Rule,
        left: Arc<Tree>,
        right: Arc<Tree>,
    ) {
        if cost < self.upper {
            self.improve(cost, Tree::node(rule.feature as u32, rule.rank, left, right));
        }
    }
}

impl Solution {
    /// No tree; the lower bound also holds for other thresholds.
    pub fn with_lower(lower: Cost) -> Self {
        Solution { lower, relaxed: lower, tree: None, by_threshold: None }
    }

    /// The same solution with its lower bounds capped at `upper`.
    pub(crate) fn capped_at(mut self, upper: Cost) -> Self {
        self.lower = self.lower.min(upper);
        self.relaxed = self.relaxed.min(upper);
        self
    }

    /// The same solution, raised to a further lower bound that also holds for other thresholds.
    pub(crate) fn raised_to(mut self, relaxed: Cost) -> Self {
        self.relaxed = self.relaxed.max(relaxed);
        self.lower = self.lower.max(self.relaxed);
        self
    }
}

impl ContinuousSearch<'_> {
    /// The leaf as first incumbent.
    pub(crate) fn leaf(&self, subset: &ContinuousSubset, upper: Cost) -> Bounds {
        let mut bounds = Bounds::with_upper(upper);
        let class = Errors::leaf_class(&subset.class_weights);
        bounds.improve(self.objective.leaf(subset.leaf_errors()), Tree::leaf(class));
        bounds
    }

    /// The solution of a subproblem whose thresholds are not evaluated: its bounds prune it, or the
    /// clock has stopped.
    pub(crate) fn bound_only(&mut self, subset: &ContinuousSubset, bounds: Bounds) -> Solution {
        let lower = bounds.lower.min(self.objective.leaf(subset.leaf_errors()));
        Solution { tree: bounds.incumbent, ..Solution::with_lower(lower) }
    }

    /// The solution of a subproblem after its intervals were evaluated, or put back after a stop.
    pub(crate) fn branch_solution(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        open: OpenIntervals,
        inherited: Option<&Arc<InheritedBounds>>,
        bounds: Bounds,
    ) -> Solution {
        let leaf = self.objective.leaf(subset.leaf_errors());
        let lower = open.lower().max(bounds.lower).min(leaf);
        let one_division = limits.shares().len() == 1 && self.objective.leaf_price == 0;
        let by_threshold = (self.inherits_bounds(limits) && one_division)
            .then(|| InheritedBounds::with(inherited, open.threshold_bounds));
        Solution { tree: bounds.incumbent, by_threshold, ..Solution::with_lower(lower) }
    }
}
