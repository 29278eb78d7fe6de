//! The best single rule of a part: every rule is looked at.

use super::medians::Medians;
use super::part::{Part, leaf_of_classes};
use super::search::Search;
use super::units::Deviation;
use crate::answer::{Answer, Bracket};
use crate::part::Entry;
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

/// A tree and what it costs.
pub(crate) type Costed = (Cost, Arc<Tree>);

impl Search<'_> {
    /// Answers a part with one level left.
    pub fn one_level(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        let (cost, tree) = self.leaf_or_stump(part, 1, limits.min_rows);
        bracket.improve(cost, tree);
        self.at_least(part, limits, cost, bracket)
    }

    /// The cheaper of the leaf and, if `size` allows one, the best stump.
    pub fn leaf_or_stump(&mut self, part: &Part, size: u32, min_rows: u64) -> Costed {
        let mut best = (self.leaf(part), Tree::leaf(0));
        if size == 0 {
            return best;
        }
        for feature in 0..part.sorted.len() {
            let stump = self.best_stump(part, feature, min_rows);
            if let Some((cost, rank)) = stump.filter(|(cost, _)| *cost < best.0) {
                best = (cost, Tree::node(feature as u32, rank, Tree::leaf(0), Tree::leaf(0)));
            }
        }
        best
    }

    /// The least cost of a stump on a feature, and the last rank on its left.
    pub fn best_stump(
        &mut self,
        part: &Part,
        feature: usize,
        min_rows: u64,
    ) -> Option<(Cost, u32)> {
        let order = &part.sorted[feature];
        let costs = self.costs_of_stumps(part, order);
        let mut rows = 0;
        let mut best: Option<(Cost, u32)> = None;
        for (at, pair) in order.windows(2).enumerate() {
            rows += self.ground.items[pair[0].slot as usize].rows;
            let allowed = rows >= min_rows && part.rows - rows >= min_rows;
            if pair[0].rank != pair[1].rank
                && allowed
                && best.is_none_or(|(least, _)| costs[at] < least)
            {
                best = Some((costs[at], pair[0].rank));
            }
        }
        best.map(|(cost, rank)| (cost + 2 * self.price, rank))
    }

    /// By number of items on the left, less one, what two leaves are off.
    fn costs_of_stumps(&self, part: &Part, order: &[Entry]) -> Vec<Cost> {
        match self.ground.units.deviation {
            Deviation::Squared => self.squared_costs(part, order),
            Deviation::Classes => self.costs_of_classes(part, order),
            Deviation::Absolute => {
                let mut places = vec![0; self.ground.items.len()];
                for (place, slot) in (1..).zip(part.members.iter()) {
                    places[slot as usize] = place;
                }
                let place = |entry: &Entry| (places[entry.slot as usize], entry.rank);
                let order: Vec<(u32, u32)> = order.iter().map(place).collect();
                let mut costs = Vec::new();
                let mut medians = Medians::of(self.ground, part.members.iter());
                medians.costs_of_stumps(&order, &mut costs);
                costs
            }
        }
    }

    /// Only where a rule divides: a cost of classes takes a while.
    fn costs_of_classes(&self, part: &Part, order: &[Entry]) -> Vec<Cost> {
        let (mut left, mut right) = (vec![0; part.classes.len()], part.classes.clone());
        let mut costs = vec![0; order.len() - 1];
        for (at, pair) in order.windows(2).enumerate() {
            let item = &self.ground.items[pair[0].slot as usize];
            left[item.low as usize] += item.weight;
            right[item.low as usize] -= item.weight;
            if pair[0].rank != pair[1].rank {
                costs[at] =
                    leaf_of_classes(self.ground, &left) + leaf_of_classes(self.ground, &right);
            }
        }
        costs
    }

    fn squared_costs(&self, part: &Part, order: &[Entry]) -> Vec<Cost> {
        let units = &self.ground.units;
        let (mut weight, mut sum) = (0, 0);
        let cost = |entry: &Entry| {
            let item = &self.ground.items[entry.slot as usize];
            weight += item.weight;
            sum += item.sum;
            let left = units.saved(sum, weight);
            part.square - left - units.saved(part.sum - sum, part.weight - weight)
        };
        order[..order.len() - 1].iter().map(cost).collect()
    }
}
