//! Bounds of a subset during its search, and the solution when the search returns.

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
    /// No tree within the relaxed limits (no minimum leaf size) costs less.
    pub relaxed: Cost,
    /// The best tree found, if it costs less than the caller's upper bound. It is optimal when its
    /// cost equals `lower`.
    pub tree: Option<(Cost, Arc<Tree>)>,
    /// Lower bounds for this subset and every larger one, by root threshold.
    pub by_threshold: Option<Arc<InheritedBounds>>,
}

/// Bounds of a subset during its search.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The upper bound: cost of this subset's incumbent, or the caller's upper bound.
    pub upper: Cost,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub found: Option<(Cost, Arc<Tree>)>,
}

impl Bounds {
    pub fn above(upper: Cost) -> Self {
        Bounds { upper, lower: 0, found: None }
    }

    /// Takes a tree as incumbent if it costs less than the upper bound.
    pub fn improve(&mut self, cost: Cost, tree: Arc<Tree>) {
        if cost < self.upper {
            self.upper = cost;
            self.found = Some((cost, tree));
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
    /// Only a lower bound, with or without a minimum leaf size.
    pub fn at_least(lower: Cost) -> Self {
        Solution { lower, relaxed: lower, tree: None, by_threshold: None }
    }

    /// The same solution with no lower bound above `upper`.
    pub(crate) fn at_most(mut self, upper: Cost) -> Self {
        self.lower = self.lower.min(upper);
        self.relaxed = self.relaxed.min(upper);
        self
    }

    /// The same solution with a further valid lower bound.
    pub(crate) fn at_least_too(mut self, relaxed: Cost) -> Self {
        self.relaxed = self.relaxed.max(relaxed);
        self.lower = self.lower.max(self.relaxed);
        self
    }
}

impl ContinuousSearch<'_> {
    /// The leaf as first incumbent.
    pub(crate) fn leaf(&self, subset: &ContinuousSubset, upper: Cost) -> Bounds {
        let mut bounds = Bounds::above(upper);
        let class = Errors::leaf_class(&subset.class_weights);
        bounds.improve(self.objective.leaf(subset.leaf_errors()), Tree::leaf(class));
        bounds
    }

    /// The solution of a subset that bounds alone settle.
    pub(crate) fn bound_only(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: Bounds,
    ) -> Solution {
        let lower = bounds.lower.min(self.objective.leaf(subset.leaf_errors()));
        let relaxed = match limits.min_samples_leaf {
            1 => lower,
            _ => self.floor(subset, limits.relaxed()).min(lower),
        };
        Solution { lower, relaxed, tree: bounds.found, by_threshold: None }
    }

    /// The solution of a subset after its intervals were evaluated or put back.
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
        let relaxed = match limits.min_samples_leaf {
            1 => lower,
            _ => self.floor(subset, limits.relaxed()),
        };
        let all_levels = limits.shares().len() == 1 && self.objective.leaf_price == 0;
        let by_threshold = (self.options.feature_bounds && all_levels)
            .then(|| InheritedBounds::with(inherited, open.known));
        Solution { lower, relaxed, tree: bounds.found, by_threshold }
    }
}
