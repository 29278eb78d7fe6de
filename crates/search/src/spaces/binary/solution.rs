//! Solutions and bounds of subsets.

use crate::engine::solution::CostedTree;
use exactree_model::{Cost, Tree};
use std::sync::Arc;

/// The result of the search of a subset.
pub(crate) struct BinarySolution {
    /// No tree within the limits costs less.
    pub lower: Cost,
    /// The best tree found, if it costs less than the caller's upper bound.
    pub tree: Option<CostedTree>,
}

/// Bounds of a subset during its search.
pub(crate) struct BinaryBounds {
    /// The upper bound.
    pub upper: Cost,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub incumbent: Option<CostedTree>,
}

impl BinaryBounds {
    pub(super) fn improve(&mut self, cost: Cost, tree: impl FnOnce() -> Arc<Tree>) {
        if cost < self.upper {
            self.upper = cost;
            self.incumbent = Some((cost, tree()));
        }
    }
}
