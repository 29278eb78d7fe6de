//! Depth one: the best stump of a subset, by trying every rule.

use super::cost_space::RegressionSearch;
use super::medians::Medians;
use super::subset::{RegressionSubset, leaf_of_classes};
use super::units::Deviation;
pub(crate) use crate::engine::solution::CostedTree;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::subset::OrderEntry;
use exactree_model::{Cost, Limits, Tree};

impl RegressionSearch<'_, '_> {
    /// Solves a subset with one level left.
    pub fn one_level(
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
    pub fn leaf_or_stump(
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

    /// The minimum cost of a stump on a feature, and the last rank in its left child.
    pub fn best_stump(
        &mut self,
        subset: &RegressionSubset,
        feature: usize,
        min_samples_leaf: u64,
    ) -> Option<(Cost, u32)> {
        let order = subset.sorted.order(feature);
        let costs = self.costs_of_stumps(subset, order);
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

    /// The costs of two leaves, by number of items in the left child minus one.
    fn costs_of_stumps(&self, subset: &RegressionSubset, order: &[OrderEntry]) -> Vec<Cost> {
        match self.space.prepared.units.deviation {
            Deviation::Squared => self.squared_costs(subset, order),
            Deviation::Classes => self.costs_of_classes(subset, order),
            Deviation::Absolute => {
                let mut places = vec![0; self.space.prepared.items.len()];
                for (place, slot) in (1..).zip(subset.members.iter()) {
                    places[slot as usize] = place;
                }
                let place = |entry: &OrderEntry| (places[entry.slot as usize], entry.rank);
                let order: Vec<(u32, u32)> = order.iter().map(place).collect();
                let mut costs = Vec::new();
                let mut medians = Medians::of(self.space.prepared, subset.members.iter());
                medians.costs_of_stumps(&order, &mut costs);
                costs
            }
        }
    }

    /// The same for class costs, only at thresholds, since these costs are expensive to compute.
    fn costs_of_classes(&self, subset: &RegressionSubset, order: &[OrderEntry]) -> Vec<Cost> {
        let (mut left, mut right) = (vec![0; subset.classes.len()], subset.classes.clone());
        let mut costs = vec![0; order.len() - 1];
        for (at, pair) in order.windows(2).enumerate() {
            let item = &self.space.prepared.items[pair[0].slot as usize];
            left[item.low as usize] += item.weight;
            right[item.low as usize] -= item.weight;
            if pair[0].rank != pair[1].rank {
                costs[at] = leaf_of_classes(self.space.prepared, &left)
                    + leaf_of_classes(self.space.prepared, &right);
            }
        }
        costs
    }

    fn squared_costs(&self, subset: &RegressionSubset, order: &[OrderEntry]) -> Vec<Cost> {
        let units = &self.space.prepared.units;
        let (mut weight, mut sum) = (0, 0);
        let cost = |entry: &OrderEntry| {
            let item = &self.space.prepared.items[entry.slot as usize];
            weight += item.weight;
            sum += item.sum;
            let left = units.savings(sum, weight);
            subset.square - left - units.savings(subset.sum - sum, subset.weight - weight)
        };
        order[..order.len() - 1].iter().map(cost).collect()
    }
}
