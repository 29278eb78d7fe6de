//! The first incumbent: the best tree of two levels, whose leaves are replaced by such trees as far
//! as the limits allow.
//!
//! An incumbent only lowers the upper bound. It needs no proof: only its cost must be right.

use super::error_space::DichotomySearch;
use super::subset::DichotomySubset;
use crate::engine::solution::CostedTree;
use crate::engine::space::LeafCosts;
use exactree_model::{Limits, Tree, UNBOUNDED};
use std::sync::Arc;

impl DichotomySearch<'_, '_> {
    /// A good tree for a subset, found fast.
    pub(super) fn incumbent(&mut self, subset: &DichotomySubset, limits: Limits) -> CostedTree {
        let leaf = self.space.leaf(subset);
        if limits.leaf_only() || self.clock.stopped() {
            return leaf;
        }
        let low = Limits { depth: limits.depth.min(2), ..limits }.normalised();
        match self.solve(subset, low, UNBOUNDED, None).tree {
            Some((cost, tree)) if tree.size() > 0 => {
                let candidate = self.grow(subset, &tree, limits);
                if candidate.0 < cost { candidate } else { (cost, tree) }
            }
            _ => leaf,
        }
    }

    /// The tree with an incumbent in place of each leaf; they share the nodes that the limits
    /// leave.
    fn grow(&mut self, subset: &DichotomySubset, tree: &Arc<Tree>, limits: Limits) -> CostedTree {
        let Tree::Node { rank, left, right, .. } = &**tree else {
            return self.incumbent(subset, limits.normalised());
        };
        let [on_left, on_right] = self.space.split(subset, *rank, &subset.candidates);
        let below = |size: u32| Limits { depth: limits.depth - 1, size, ..limits };
        let free = limits.size.saturating_sub(1 + right.size());
        let (left_cost, left) = self.grow(&on_left, left, below(free));
        let used = if limits.size == u32::MAX { 0 } else { 1 + left.size() };
        let (right_cost, right) = self.grow(&on_right, right, below(limits.size - used));
        (left_cost + right_cost, Tree::node(0, *rank, left, right))
    }
}
