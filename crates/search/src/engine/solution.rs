//! Bounds of a subproblem during its search, and the solution that the search returns.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::rules::Rule;
use exactree_model::{Cost, Tree};
use std::sync::Arc;

/// A tree and its cost.
pub(crate) type CostedTree = (Cost, Arc<Tree>);

/// The result of the search of a subset.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// No tree within the limits costs less.
    pub lower: Cost,
    /// The best tree found, if it costs less than the caller's upper bound. It is optimal when its
    /// cost equals `lower`.
    pub tree: Option<CostedTree>,
    /// Lower bounds by root threshold; they hold for this subset and for its supersets.
    pub by_threshold: Option<Arc<InheritedBounds>>,
}

/// Bounds of a subset during its search.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// The upper bound: the cost of the incumbent, or the caller's upper bound if there is none.
    pub upper: Cost,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub incumbent: Option<CostedTree>,
}

impl Bounds {
    /// No incumbent yet; only trees that cost less than `upper` matter.
    pub(crate) fn with_upper(upper: Cost) -> Self {
        Bounds { upper, lower: 0, incumbent: None }
    }

    /// Takes a tree as incumbent if it costs less than the upper bound.
    pub(crate) fn improve(&mut self, cost: Cost, tree: Arc<Tree>) {
        if cost < self.upper {
            self.upper = cost;
            self.incumbent = Some((cost, tree));
        }
    }

    /// Like `improve`, for a tree that is only made if it becomes the incumbent.
    pub(crate) fn improve_with(&mut self, cost: Cost, tree: impl FnOnce() -> Arc<Tree>) {
        if cost < self.upper {
            self.improve(cost, tree());
        }
    }

    /// Takes the tree of a rule and two children as incumbent if it is cheaper.
    pub(crate) fn improve_with_node(
        &mut self,
        cost: Cost,
        rule: &Rule,
        left: Arc<Tree>,
        right: Arc<Tree>,
    ) {
        self.improve_with(cost, || Tree::node(rule.feature as u32, rule.rank, left, right));
    }
}

impl Solution {
    /// No tree.
    pub(crate) fn with_lower(lower: Cost) -> Self {
        Solution { lower, tree: None, by_threshold: None }
    }

    /// The same solution with its lower bound capped at `upper`.
    pub(crate) fn capped_at(self, upper: Cost) -> Self {
        Solution { lower: self.lower.min(upper), ..self }
    }

    /// The same solution, raised to a further lower bound.
    pub(crate) fn raised_to(self, lower: Cost) -> Self {
        Solution { lower: self.lower.max(lower), ..self }
    }
}
