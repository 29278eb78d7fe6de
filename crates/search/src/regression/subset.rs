//! Subsets of a prepared table: totals of their items, and what an item adds to a leaf.

use super::class_costs::ClassCosts;
use super::prepared_table::{RegressionTable, absolute, leaf_of_classes};
use super::units::Deviation;
use crate::engine::rules::{Rule, Rules};
use crate::engine::subset::{SearchTable, Subset, ThresholdTable};
use crate::support::bits::Bits;
use exactree_model::{Cost, UNBOUNDED};

/// Totals of the items of a subset.
#[derive(Clone)]
pub(crate) struct CostTotals {
    pub weight: i64,
    /// Weight times target.
    pub sum: i64,
    /// Weight times squared target.
    pub square: Cost,
    /// Cost of one leaf without its price.
    pub leaf: Cost,
    /// Lower bound on the cost of every tree.
    pub minimum: Cost,
    /// A leaf is optimal because all targets are equal.
    pub pure: bool,
    /// The minimum and the maximum target, as differences; for classes zero and the weight.
    range: (f64, f64),
    /// The weight of each class; empty in regression.
    pub classes: Vec<i64>,
}

/// The items that reach a node, with the totals of their targets.
pub(crate) type RegressionSubset = Subset<CostTotals>;

impl SearchTable for RegressionTable {
    type Totals = CostTotals;

    fn rows(&self, slot: usize) -> u64 {
        self.items[slot].rows
    }

    fn totals(&self, members: &Bits, weighted: &Bits) -> (usize, u64, CostTotals) {
        let classes = self.class_weights(weighted.iter());
        let mut totals = CostTotals {
            weight: 0,
            sum: 0,
            square: 0,
            leaf: 0,
            minimum: 0,
            pure: true,
            range: (0.0, 0.0),
            classes,
        };
        let (mut low, mut high) = (u32::MAX, 0);
        for slot in weighted.iter() {
            let item = &self.items[slot as usize];
            totals.weight += item.weight;
            totals.sum += item.sum;
            totals.square += item.square;
            totals.minimum += item.minimum;
            low = low.min(item.low);
            high = high.max(item.high);
        }
        let one_is_best = |costs: &ClassCosts| costs.one_class_is_best();
        totals.pure = low >= high && self.units.classes.as_ref().is_none_or(one_is_best);
        if totals.weight > 0 {
            totals.range = match self.units.deviation {
                Deviation::Classes => (0.0, totals.weight as f64),
                _ => (self.units.difference(low), self.units.difference(high)),
            };
            totals.leaf = match self.units.deviation {
                Deviation::Squared => totals.square - self.units.savings(totals.sum, totals.weight),
                Deviation::Absolute => absolute(self, weighted.iter(), totals.weight),
                Deviation::Classes => leaf_of_classes(self, &totals.classes),
            };
        }
        let (mut count, mut rows) = (0, 0);
        for slot in members.iter() {
            count += 1;
            rows += self.items[slot as usize].rows;
        }
        (count, rows, totals)
    }

    fn route(&self, slots: &[u32], feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        self.route_by_rank(slots, feature, rank)
    }
}

impl ThresholdTable for RegressionTable {
    fn slots(&self) -> usize {
        self.items.len()
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn index(&self, feature: usize) -> u32 {
        self.features[feature].index
    }

    fn ranks(&self, feature: usize) -> &[u32] {
        &self.features[feature].ranks
    }

    fn rules(&self, subset: &RegressionSubset, feature: usize, similarity: bool) -> Rules {
        subset.rules_of_order(feature, self.plain && !similarity, |slot| {
            let weight = if similarity { subset.reach(self, slot) } else { 1 };
            (self.items[slot as usize].rows, weight)
        })
    }

    fn column(&self, _rule: &Rule) -> Option<&Bits> {
        None
    }
}

impl RegressionSubset {
    /// All items of the table.
    pub(crate) fn whole(prepared: &RegressionTable) -> RegressionSubset {
        let features = if prepared.columns.is_some() { 0 } else { prepared.features.len() };
        let order = |feature: usize| prepared.features[feature].sorted.iter().copied();
        Subset::with_orders(prepared, prepared.all.clone(), features, order)
    }

    /// An upper bound on the cost that an item adds to a leaf of this subset's items: at most the
    /// cost of all of them in one leaf, because no leaf costs less with more items. That keeps
    /// heavy rows within integers. The bound includes the rounding errors of both leaves. A weightless
    /// item adds nothing.
    fn reach(&self, prepared: &RegressionTable, slot: u32) -> Cost {
        if !self.is_weighted(slot) {
            return 0;
        }
        let rounded = match prepared.units.deviation {
            Deviation::Classes => prepared.units.error_per_leaf().ceil() as Cost,
            _ => prepared.units.leaf_error(self.count) as Cost,
        };
        let one_leaf = self.leaf.saturating_add(2 * rounded);
        prepared.items[slot as usize].reach(&prepared.units, self.range).min(one_leaf)
    }

    /// Whether the bounds on the costs that items add to a leaf can be summed without overflow.
    pub(crate) fn reaches_fit(&self, prepared: &RegressionTable) -> bool {
        let mut slots = self.members.iter();
        let all = slots.try_fold(0, |all: Cost, slot| {
            Some(all + self.reach(prepared, slot)).filter(|&all| all < UNBOUNDED)
        });
        all.is_some()
    }
}
