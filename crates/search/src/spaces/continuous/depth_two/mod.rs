//! Subproblems with at most two levels left, solved by counting instead of search.
//!
//! `stump` solves depth one by trying every rule. Two solvers with the same result solve depth two:
//! `counts` counts all pairs of rules as columns of bits; `sweeps` evaluates root thresholds one by one
//! with the stump kernel and prunes the rest, or evaluates an interval at once by `all_thresholds`.

pub(crate) mod all_thresholds;
pub(crate) mod counts;
#[cfg(test)]
mod differential;
mod directed_roots;
pub(crate) mod evaluator;
mod few_values;
mod items;
mod pair_evaluator;
mod row_lookups;
pub(crate) mod stump;
pub(crate) mod sweeps;
mod tally_evaluator;
pub(crate) mod workspace;

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::rules::Rule;
use crate::engine::solution::{Bounds, Solution};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use exactree_model::{Cost, Limits, Weight};
use std::sync::Arc;

/// The best root of a depth-two tree, before the tree is built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthTwoRoot {
    pub cost: Cost,
    pub rule: Rule,
    pub share: (u32, u32),
}

impl ContinuousSearch<'_, '_> {
    /// The best tree of depth at most two.
    pub(crate) fn solve_depth_two(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        mut bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        if limits.depth == 1 {
            return self.stump(subset, limits, bounds);
        }
        self.stats.depth_two_calls += 1;
        if self.space.layout.bit_columns {
            self.count_pairs(subset, limits, &mut bounds)
        } else {
            self.sweep_roots(subset, limits, &mut bounds, inherited)
        }
    }

    /// Cost of a child of weight `weight`, given the weights that its leaf and its best stump
    /// classify correctly.
    fn child_cost(&self, weight: Weight, leaf: Weight, stump: Weight, size: u32) -> Cost {
        let leaf = self.space.objective.leaf(weight - leaf);
        if size == 0 { leaf } else { leaf.min(self.stump_cost(weight - stump)) }
    }

    /// Builds the tree of a root found by one of the solvers and makes it the
    /// incumbent.
    fn take_root(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        root: &DepthTwoRoot,
        bounds: &mut Bounds,
    ) {
        if self.is_directed(&root.rule, limits) {
            let (cost, tree) = self.directed_root(subset, &root.rule, root.share);
            bounds.improve(cost, tree);
            return;
        }
        let [left, right] = subset.split(self.space.layout, &root.rule);
        let left = self.leaf_or_stump(&left, root.share.0, limits.min_samples_leaf);
        let right = self.leaf_or_stump(&right, root.share.1, limits.min_samples_leaf);
        let cost = self.space.objective.join(left.0, right.0);
        bounds.improve_with_node(cost, &root.rule, left.1, right.1);
    }
}
