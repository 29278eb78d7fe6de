//! Subproblems with at most two levels left, solved by counting instead of search.
//!
//! Three solvers with the same result. `stump` tries every single rule; `counts` counts all pairs
//! of rules as columns of bits; `sweeps` evaluates root thresholds one by one with the stump kernel
//! and prunes the rest, or evaluates an interval at once by `all_thresholds`.

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
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::subset::{SortedOrders, Subset};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use exactree_model::{Cost, Limits, Tree, Weight};
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
        if self.space.layout.pair_columns {
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

    /// Takes the tree of a root found by one of the solvers as incumbent, and returns its cost.
    fn take_root(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        root: &DepthTwoRoot,
        bounds: &mut Bounds,
    ) -> Cost {
        let (cost, tree) = self.tree_of_root(subset, limits, root);
        bounds.improve(cost, tree);
        cost
    }

    fn tree_of_root(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        root: &DepthTwoRoot,
    ) -> CostedTree {
        let DepthTwoRoot { rule, share, .. } = root;
        if self.is_directed(rule, limits) {
            return self.directed_root(subset, rule, *share);
        }
        let [left, right] = self.children_of(subset, rule);
        let left = self.leaf_or_stump(&left, share.0, limits.min_samples_leaf);
        let right = self.leaf_or_stump(&right, share.1, limits.min_samples_leaf);
        let cost = self.space.objective.join(left.0, right.0);
        (cost, Tree::node(rule.feature as u32, rule.rank, left.1, right.1))
    }

    /// The children of a rule, whose best stumps are sought; without orders if there are columns.
    fn children_of(&self, subset: &ContinuousSubset, rule: &Rule) -> [ContinuousSubset; 2] {
        let layout = self.space.layout;
        if !layout.pair_columns {
            return subset.split(layout, rule);
        }
        let column = &layout.features[rule.feature].columns[rule.rank as usize];
        [subset.members.and(column), subset.members.without(column)]
            .map(|members| Subset::of(layout, members, None, SortedOrders::default()))
    }
}
