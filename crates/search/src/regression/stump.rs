//! Depth one: the best stump of a subset, by trying every rule. Items without weight count only as
//! rows of leaves.

use super::cost_space::CostSpace;
use super::items::RegressionItem;
use super::medians::Medians;
use super::prepared_table::leaf_of_classes;
use super::subset::RegressionSubset;
use super::threshold_rules::{RegressionSearch, ThresholdRules};
use super::units::Deviation;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::subset::OrderEntry;
use exactree_model::{Cost, Limits, Tree};

impl RegressionSearch<'_, '_> {
    /// Solves a subset with one level left.
    pub(crate) fn one_level(
        &mut self,
        subset: &RegressionSubset,
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
        subset: &RegressionSubset,
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
        subset: &RegressionSubset,
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
    pub(super) fn costs_of_stumps(
        &self,
        subset: &RegressionSubset,
        order: &[OrderEntry],
    ) -> Vec<Cost> {
        match self.prepared.units.deviation {
            Deviation::Squared => self.squared_costs(subset, order),
            Deviation::Classes => self.costs_of_classes(subset, order),
            Deviation::Absolute => self.absolute_costs(subset, order),
        }
    }

    /// The same for absolute error. Medians need only the items with weight; where one leaf has none of
    /// them, the other leaf costs as much as the leaf of the subset.
    fn absolute_costs(&self, subset: &RegressionSubset, order: &[OrderEntry]) -> Vec<Cost> {
        let weighted = subset.weighted();
        let mut places = vec![0; self.prepared.items.len()];
        for (place, slot) in (1..).zip(weighted.iter()) {
            places[slot as usize] = place;
        }
        let placed = |entry: &OrderEntry| (places[entry.slot as usize], entry.rank);
        let with_weight: Vec<(u32, u32)> =
            order.iter().map(placed).filter(|&(place, _)| place > 0).collect();
        let mut costs = Vec::new();
        Medians::of(self.prepared, weighted.iter()).costs_of_stumps(&with_weight, &mut costs);
        let mut on_left = 0;
        let cost = |entry: &OrderEntry| {
            on_left += usize::from(places[entry.slot as usize] > 0);
            let two_leaves = on_left.checked_sub(1).and_then(|at| costs.get(at));
            two_leaves.copied().unwrap_or(subset.leaf)
        };
        order[..order.len() - 1].iter().map(cost).collect()
    }

    /// The same for class costs, only at thresholds, since these costs are expensive to compute.
    fn costs_of_classes(&self, subset: &RegressionSubset, order: &[OrderEntry]) -> Vec<Cost> {
        let (mut left, mut right) = (vec![0; subset.classes.len()], subset.classes.clone());
        let mut costs = vec![0; order.len() - 1];
        for (at, pair) in order.windows(2).enumerate() {
            let item = self.weighted_item(subset, pair[0].slot);
            left[item.low as usize] += item.weight;
            right[item.low as usize] -= item.weight;
            if pair[0].rank != pair[1].rank {
                costs[at] =
                    leaf_of_classes(self.prepared, &left) + leaf_of_classes(self.prepared, &right);
            }
        }
        costs
    }

    fn squared_costs(&self, subset: &RegressionSubset, order: &[OrderEntry]) -> Vec<Cost> {
        let units = &self.prepared.units;
        let (mut weight, mut sum) = (0, 0);
        let cost = |entry: &OrderEntry| {
            let item = self.weighted_item(subset, entry.slot);
            weight += item.weight;
            sum += item.sum;
            let left = units.savings(sum, weight);
            subset.square - left - units.savings(subset.sum - sum, subset.weight - weight)
        };
        order[..order.len() - 1].iter().map(cost).collect()
    }

    /// An item of a subset; without weight and sum if it counts only as rows.
    fn weighted_item(&self, subset: &RegressionSubset, slot: u32) -> RegressionItem {
        let item = self.prepared.items[slot as usize];
        match &subset.inner {
            Some(inner) if !inner.contains(slot) => RegressionItem { weight: 0, sum: 0, ..item },
            _ => item,
        }
    }
}
