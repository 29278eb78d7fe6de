//! A subset: the items that reach a node, and how a rule splits them.

use super::class_costs::ClassCosts;
use super::prepared_table::RegressionTable;
use super::units::Deviation;
use crate::engine::rules::{RuleEnd, Rules};
use crate::engine::subset::{OrderEntry, Rule, split_entries};
use crate::support::bits::Bits;
use exactree_model::{Cost, UNBOUNDED};

/// The items that reach a node.
#[derive(Clone)]
pub(crate) struct RegressionSubset {
    pub members: Bits,
    /// The items that count with their weight; all if `None`. The others count only as rows of
    /// leaves.
    pub inner: Option<Bits>,
    /// Number of items.
    pub count: usize,
    /// Number of rows as given.
    pub rows: u64,
    pub weight: i64,
    /// Weight times target.
    pub sum: i64,
    /// Weight times squared target.
    pub square: Cost,
    /// Cost of one leaf without its price.
    pub leaf: Cost,
    /// Lower bound on the cost of every tree.
    pub minimum: Cost,
    /// All targets are equal.
    pub pure: bool,
    /// The minimum and the maximum target, as differences; for classes zero and the weight.
    range: (f64, f64),
    /// The weight of each class; empty in regression.
    pub classes: Vec<i64>,
    /// By feature, the items in the order of their ranks; empty if rules are columns of bits.
    pub sorted: Vec<Vec<OrderEntry>>,
}

impl RegressionSubset {
    /// All items of the table.
    pub fn whole(prepared: &RegressionTable) -> RegressionSubset {
        let sorted = prepared.features.iter().map(|feature| {
            let entry = |&slot: &u32| OrderEntry { rank: feature.ranks[slot as usize], slot };
            feature.sorted.iter().map(entry).collect()
        });
        let sorted = if prepared.columns.is_some() { Vec::new() } else { sorted.collect() };
        RegressionSubset::of(prepared, prepared.all.clone(), sorted)
    }

    fn of(
        prepared: &RegressionTable,
        members: Bits,
        sorted: Vec<Vec<OrderEntry>>,
    ) -> RegressionSubset {
        let mut subset = RegressionSubset {
            members,
            inner: None,
            count: 0,
            rows: 0,
            weight: 0,
            sum: 0,
            square: 0,
            leaf: 0,
            minimum: 0,
            pure: true,
            range: (0.0, 0.0),
            classes: Vec::new(),
            sorted,
        };
        let (mut low, mut high) = (u32::MAX, 0);
        for slot in subset.members.iter() {
            let item = &prepared.items[slot as usize];
            subset.count += 1;
            subset.rows += item.rows;
            subset.weight += item.weight;
            subset.sum += item.sum;
            subset.square += item.square;
            subset.minimum += item.minimum;
            low = low.min(item.low);
            high = high.max(item.high);
        }
        subset.classes = prepared.class_weights(subset.members.iter());
        let one_is_best = |costs: &ClassCosts| costs.one_class_is_best();
        subset.pure = low >= high && prepared.units.classes.as_ref().is_none_or(one_is_best);
        subset.range = match prepared.units.deviation {
            Deviation::Classes => (0.0, subset.weight as f64),
            _ => (prepared.units.difference(low), prepared.units.difference(high)),
        };
        subset.leaf = match prepared.units.deviation {
            Deviation::Squared => subset.square - prepared.units.savings(subset.sum, subset.weight),
            Deviation::Absolute => absolute(prepared, subset.members.iter(), subset.weight),
            Deviation::Classes => leaf_of_classes(prepared, &subset.classes),
        };
        subset
    }

    /// The rules of a feature that have two non-empty children. A rule's weight is an upper bound
    /// on the cost that the items of its left child add to a leaf if `reaches`, otherwise their
    /// number.
    pub fn rules(&self, prepared: &RegressionTable, feature: usize, reaches: bool) -> Rules {
        let entries = &self.sorted[feature];
        let plain = prepared.plain && !reaches;
        let mut rules = Rules::blank(feature, entries.len(), plain);
        let (mut rows, mut weight, mut count) = (0, 0, 0);
        for (at, pair) in entries.windows(2).enumerate() {
            let (rank, slot) = (pair[0].rank, pair[0].slot as usize);
            rules.ends[count] = RuleEnd { rank, items: at as u32 + 1 };
            if !plain {
                let item = &prepared.items[slot];
                rows += item.rows;
                weight += if reaches { self.reach(prepared, pair[0].slot) } else { 1 };
                rules.totals[count] = (rows, weight);
            }
            count += (rank != pair[1].rank) as usize;
        }
        rules.truncate(count);
        rules
    }

    /// The two children of a column, left first.
    pub fn children_of(
        &self,
        prepared: &RegressionTable,
        column: usize,
    ) -> (RegressionSubset, RegressionSubset) {
        let Some(columns) = &prepared.columns else { return (self.clone(), self.clone()) };
        let held = &columns.held[column];
        let held_subset = RegressionSubset::of(prepared, self.members.and(held), Vec::new());
        let rest = RegressionSubset::of(prepared, self.members.without(held), Vec::new());
        if columns.on_left[column] { (held_subset, rest) } else { (rest, held_subset) }
    }

    /// An upper bound on the cost that an item adds to a leaf of this subset's items: at most the
    /// cost of all of them in one leaf, because no leaf costs less with more items. That keeps
    /// heavy rows within integers. The bound includes the rounding errors of both leaves.
    fn reach(&self, prepared: &RegressionTable, slot: u32) -> Cost {
        let rounded = match prepared.units.deviation {
            Deviation::Classes => prepared.units.error_per_leaf().ceil() as Cost,
            _ => prepared.units.leaf_error(self.count) as Cost,
        };
        let one_leaf = self.leaf.saturating_add(2 * rounded);
        prepared.items[slot as usize].reach(&prepared.units, self.range).min(one_leaf)
    }

    /// Whether the bounds on the costs that items add to a leaf can be summed without overflow.
    pub fn reaches(&self, prepared: &RegressionTable) -> bool {
        let mut slots = self.members.iter();
        let all = slots.try_fold(0, |all: Cost, slot| {
            Some(all + self.reach(prepared, slot)).filter(|&all| all < UNBOUNDED)
        });
        all.is_some()
    }

    /// The two children of a split.
    pub fn split(
        &self,
        prepared: &RegressionTable,
        rule: &Rule,
    ) -> (RegressionSubset, RegressionSubset) {
        let mut left = Bits::empty(prepared.items.len());
        for entry in &self.sorted[rule.feature][..rule.items] {
            left.insert(entry.slot);
        }
        let right = self.members.without(&left);
        let (mut sorted_left, mut sorted_right) = (Vec::new(), Vec::new());
        for entries in &self.sorted {
            let blank = OrderEntry { rank: 0, slot: 0 };
            let mut to_left = vec![blank; rule.items + 1];
            let mut to_right = vec![blank; entries.len() - rule.items + 1];
            split_entries(entries, &left, &mut to_left, &mut to_right);
            to_left.pop();
            to_right.pop();
            sorted_left.push(to_left);
            sorted_right.push(to_right);
        }
        (
            RegressionSubset::of(prepared, left, sorted_left),
            RegressionSubset::of(prepared, right, sorted_right),
        )
    }
}

/// Cost of a leaf of some items, given in increasing order.
pub(crate) fn leaf_of(
    prepared: &RegressionTable,
    slots: impl Iterator<Item = u32> + Clone,
) -> Cost {
    let items = slots.clone().map(|slot| &prepared.items[slot as usize]);
    let (square, sum, weight) = items.fold((0, 0, 0), |(square, sum, weight), item| {
        (square + item.square, sum + item.sum, weight + item.weight)
    });
    match prepared.units.deviation {
        _ if weight == 0 => 0,
        Deviation::Squared => square - prepared.units.savings(sum, weight),
        Deviation::Absolute => absolute(prepared, slots, weight),
        Deviation::Classes => leaf_of_classes(prepared, &prepared.class_weights(slots)),
    }
}

/// Cost of a leaf from the weights of its classes.
pub(crate) fn leaf_of_classes(prepared: &RegressionTable, weights: &[i64]) -> Cost {
    prepared.units.classes.as_ref().map_or(0, |costs| costs.leaf(weights))
}

/// The absolute error of a leaf with items in the order of their targets and this total weight.
pub(crate) fn absolute(
    prepared: &RegressionTable,
    items: impl Iterator<Item = u32>,
    weight: i64,
) -> Cost {
    let (mut below, mut sums, mut cost, mut median) = (0, 0, 0, None);
    for slot in items {
        let item = &prepared.items[slot as usize];
        match median {
            None if 2 * (below + item.weight) >= weight => {
                // Below and above the median there is about as much weight.
                median = Some(item.low);
                let above = weight - below - item.weight;
                cost = prepared.units.signed_sum(item.low, below - above) - sums;
            }
            None => {
                below += item.weight;
                sums += item.sum;
            }
            Some(_) => cost += item.sum,
        }
    }
    cost.max(0) as Cost
}
