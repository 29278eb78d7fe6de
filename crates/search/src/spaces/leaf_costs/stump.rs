//! Depth one: the best stump of a subset, by trying every rule. Items without weight count only as
//! rows of leaves.

use super::cost_space::CostSpace;
use super::threshold_rules::{ThresholdRules, ThresholdsSearch};
use crate::costs::items::CostSubset;
use crate::costs::leaf_cost::StumpCosts;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::subset::OrderEntry;
use exactree_model::{Cost, Limits, Tree};

impl ThresholdsSearch<'_, '_> {
    /// Solves a subset with one level left.
    pub(crate) fn one_level(
        &mut self,
        subset: &CostSubset,
        limits: Limits,
        mut bounds: Bounds,
    ) -> Solution {
        let (cost, tree) = self.leaf_or_stump(subset, 1, limits.min_samples_leaf);
        bounds.improve(cost, tree);
        bounds.lower = cost;
        self.bound_only(subset, bounds)
    }

    /// The cheaper of the leaf and the best stump; a stump only if `size` allows a node.
    pub(crate) fn leaf_or_stump(
        &mut self,
        subset: &CostSubset,
        size: u32,
        min_samples_leaf: u64,
    ) -> CostedTree {
        let mut best = (self.leaf_cost(subset), Tree::leaf(0));
        if size == 0 {
            return best;
        }
        for feature in 0..subset.sorted.features() {
            let stump = self.best_stump(subset, feature, min_samples_leaf);
            if let Some((cost, rank)) = stump.filter(|(cost, _)| *cost < best.0) {
                best = (cost, Tree::node(feature as u32, rank, Tree::leaf(0), Tree::leaf(0)));
            }
        }
        best
    }

    /// The minimum cost of a stump on a feature, and the last rank in its left child; `None` if no
    /// threshold is allowed.
    pub(crate) fn best_stump(
        &mut self,
        subset: &CostSubset,
        feature: usize,
        min_samples_leaf: u64,
    ) -> Option<(Cost, u32)> {
        let order = subset.sorted.order(feature);
        let costs = self.space.costs_of_stumps(subset, order);
        let mut rows = 0;
        let mut best: Option<(Cost, u32)> = None;
        for (at, pair) in order.windows(2).enumerate() {
            rows += self.space.prepared.items[pair[0].slot as usize].rows;
            let allowed = rows >= min_samples_leaf && subset.rows - rows >= min_samples_leaf;
            if pair[0].rank != pair[1].rank
                && allowed
                && best.is_none_or(|(minimum, _)| costs[at] < minimum)
            {
                best = Some((costs[at], pair[0].rank));
            }
        }
        best.map(|(cost, rank)| (cost + 2 * self.space.price, rank))
    }
}

impl CostSpace<'_, ThresholdRules> {
    /// The costs of two leaves, by number of items in the left child minus one.
    pub(crate) fn costs_of_stumps(&self, subset: &CostSubset, order: &[OrderEntry]) -> Vec<Cost> {
        self.prepared.units.cost.costs_of_stumps(&self.prepared.items, subset, order)
    }
}
