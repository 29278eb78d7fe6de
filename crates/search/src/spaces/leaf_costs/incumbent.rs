//! The first incumbent: a greedy tree, or a greedy tree whose lowest two levels (with columns of bits,
//! up to three) are exact.
//!
//! An incumbent only lowers the upper bound. It needs no proof: only its cost must be right, and that is
//! counted on the items.

use super::cost_space::{CostRules, CostSearch};
use crate::costs::items::CostSubset;
use crate::engine::solution::CostedTree;
use exactree_model::{Limits, Tree, UNBOUNDED};

/// Depth below which the most even split replaces the greedy split, so that a tree without limits
/// cannot become a path as long as the table.
pub(super) const DEEPEST_GREEDY: u32 = 64;

impl<R: CostRules> CostSearch<'_, '_, R> {
    /// A good tree for the whole table, found fast.
    pub(crate) fn incumbent(&mut self, subset: &CostSubset, limits: Limits) -> CostedTree {
        self.open_calls += 1;
        let greedy = self.grow(subset, limits, 0, false);
        self.progress.report(greedy.0, 0);
        let exact = self.grow(subset, limits, 0, true);
        self.open_calls -= 1;
        if exact.0 < greedy.0 { exact } else { greedy }
    }

    /// Grows the tree by the rule of the best stump. If requested, solves subsets with few levels left
    /// exactly; the cache keeps them for the search.
    fn grow(&mut self, subset: &CostSubset, limits: Limits, level: u32, exact: bool) -> CostedTree {
        let leaf = (self.leaf_cost(subset), Tree::leaf(0));
        let limits = self.reachable_limits(subset, limits);
        let rows = 2 * limits.min_samples_leaf;
        if limits.leaf_only() || subset.pure || subset.rows < rows || self.clock.stopped() {
            return leaf;
        }
        if exact && self.space.rules.is_shallow(self.space.options, limits) {
            let solution = self.solve(subset, limits, UNBOUNDED, None);
            return solution.tree.unwrap_or(leaf);
        }
        let Some(((feature, rank), [left, right])) = R::greedy_split(self, subset, limits, level)
        else {
            return leaf;
        };
        let wanted = (limits.size as f64 - 1.0) * left.count as f64 / subset.count as f64;
        let far = |share: &(u32, u32)| (share.0 as f64 - wanted).abs();
        let shares = limits.shares().into_iter();
        let share = shares.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or((0, 0));
        let left = self.grow(&left, limits.child(share.0), level + 1, exact);
        let right = self.grow(&right, limits.child(share.1), level + 1, exact);
        let cost = left.0 + right.0;
        if cost >= leaf.0 {
            return leaf;
        }
        (cost, Tree::node(feature, rank, left.1, right.1))
    }
}
