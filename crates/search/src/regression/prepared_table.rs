//! The prepared table: items with sums, features with ranks.
//!
//! With squared error an item stands for all rows that agree in every feature, because a leaf only
//! needs their sums. With absolute error, and for classes, the rows must also agree in the target.
//! Items are in the order of their targets, or of their mean targets.

use super::class_costs::ClassCosts;
use super::columns::RegressionColumns;
use super::items::{PAD, REMAINING_PAD, RegressionFeature, RegressionItem};
use super::options::RegressionOptions;
use super::units::{Deviation, Units};
use crate::support::bits::Bits;
use exactree_model::{Cost, Table, Tree, Weight};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The prepared table.
pub(crate) struct RegressionTable {
    pub units: Units,
    pub items: Vec<RegressionItem>,
    pub features: Vec<RegressionFeature>,
    /// Every item is one row of weight one.
    pub plain: bool,
    pub all: Bits,
    /// Rules as columns of bits, if the table is searched by counts.
    pub(crate) columns: Option<RegressionColumns>,
    /// Amount that rounding and padding add to all squares, and so to every cost.
    excess: f64,
    /// Rounding errors of the weighted sums of all items: the total of their squares divided by the
    /// weights.
    sum_errors: f64,
}

impl RegressionTable {
    /// `table` has the codes of the targets as classes. `None` if stopped.
    pub(crate) fn prepare(
        stopped: &dyn Fn() -> bool,
        table: &Table,
        units: Units,
        options: &RegressionOptions,
        min_samples_leaf: u64,
    ) -> Option<RegressionTable> {
        let group_of = groups(stopped, table)?;
        let merges = units.deviation == Deviation::Squared && options.equal_rows;
        let mut merged: Vec<(usize, RegressionItem)> = Vec::new();
        // The total amount by which squares were rounded upwards, in units of 2^-53; an integer, so the
        // additions are exact.
        let (mut rounded_up, mut sum_errors) = (0u128, 0.0);
        // By group of equal rows, the index of its first item in `merged`; `usize::MAX` before there is
        // an item.
        let mut first_merged = vec![usize::MAX; table.groups];
        for (at, item) in table.items.iter().enumerate() {
            if is_due(at) && stopped() {
                return None;
            }
            let (square, above) = units.square(item.class, item.weight);
            rounded_up += (above * 2f64.powi(53)) as u128;
            sum_errors += units.sum_error(item.class, item.weight).powi(2) / item.weight as f64;
            let new = RegressionItem {
                weight: item.weight as i64,
                sum: units.sum(item.class, item.weight),
                square: square + PAD,
                minimum: REMAINING_PAD,
                rows: item.rows,
                low: item.class,
                high: item.class,
            };
            let first = &mut first_merged[group_of[at] as usize];
            match merged.get_mut(*first) {
                Some((_, item)) if merges => item.add(&new),
                _ => {
                    *first = (*first).min(merged.len());
                    merged.push((at, new));
                }
            }
        }
        if stopped() {
            return None;
        }
        merged.sort_by(|(_, a), (_, b)| match units.deviation {
            Deviation::Squared => a.compare_means(b),
            Deviation::Absolute | Deviation::Classes => a.low.cmp(&b.low),
        });
        let features = features(stopped, table, &merged, options.equal_features)?;
        let mut all = Bits::empty(merged.len());
        (0..merged.len() as u32).for_each(|item| all.insert(item));
        let items: Vec<RegressionItem> = merged.iter().map(|(_, item)| *item).collect();
        let plain = items.iter().all(|item| item.weight == 1 && item.rows == 1);
        let columns = None;
        let excess = rounded_up as f64 * 2f64.powi(-53) + PAD as f64 * table.items.len() as f64;
        let mut prepared =
            RegressionTable { plain, units, items, features, all, columns, excess, sum_errors };
        if options.bit_columns && prepared.is_counted(min_samples_leaf) {
            let (features, items) = (&prepared.features, prepared.items.len());
            prepared.columns =
                Some(RegressionColumns::new(features, items, options.equal_features));
        }
        match prepared.units.deviation {
            Deviation::Squared => {
                for item in &mut prepared.items {
                    item.minimum = item.unavoidable(&prepared.units);
                }
            }
            Deviation::Absolute | Deviation::Classes => {
                let group = |&(at, _): &(usize, RegressionItem)| group_of[at];
                let groups: Vec<u32> = merged.iter().map(group).collect();
                prepared.assign_group_minima(stopped, &groups)?;
            }
        }
        Some(prepared)
    }

    /// Whether all features have two values, and the minimum leaf size is a minimum weight. Counts are
    /// in f64, which cannot hold fine units. Columns index their items by 32 bits.
    fn is_counted(&self, min_samples_leaf: u64) -> bool {
        let max_rank =
            |feature: &RegressionFeature| feature.ranks.iter().max().map_or(0, |&rank| rank);
        let by_weight = || self.items.iter().all(|item| item.weight as u64 == item.rows);
        self.units.deviation == Deviation::Squared
            && !self.units.are_fine()
            && !self.features.is_empty()
            && self.features.iter().all(|feature| max_rank(feature) == 1)
            && u32::try_from(self.items.len().saturating_mul(self.features.len())).is_ok()
            && (min_samples_leaf == 1 || by_weight())
    }

    /// A cost of the search in the unit of the user.
    pub(crate) fn in_user_units(&self, cost: f64) -> f64 {
        self.units.in_user_units(self.net(cost))
    }

    /// A cost without the amount that rounding and padding add to it.
    pub(crate) fn net(&self, cost: f64) -> f64 {
        (cost - self.added_by_rounding()).max(0.0)
    }

    /// The amount that rounding and padding add to a cost.
    pub(crate) fn added_by_rounding(&self) -> f64 {
        match self.units.deviation {
            Deviation::Squared => self.excess,
            Deviation::Absolute | Deviation::Classes => 0.0,
        }
    }

    /// Largest rounding error of a tree with at most `leaves` leaves and cost at most `cost`.
    pub(crate) fn max_rounding_error(&self, leaves: f64, cost: f64) -> f64 {
        self.units.max_rounding_error(leaves, self.items.len() as f64, self.sum_errors, cost)
    }

    /// The weight of each class among some items; empty in regression.
    pub(crate) fn class_weights(&self, slots: impl Iterator<Item = u32>) -> Vec<i64> {
        let mut weights = vec![0; self.units.classes.as_ref().map_or(0, ClassCosts::classes)];
        if !weights.is_empty() {
            for slot in slots {
                let item = &self.items[slot as usize];
                weights[item.low as usize] += item.weight;
            }
        }
        weights
    }

    /// Assigns the minimum cost of each group to the first item of the group, and zero to its other
    /// items. `None` if stopped.
    fn assign_group_minima(&mut self, stopped: &dyn Fn() -> bool, group_of: &[u32]) -> Option<()> {
        let mut groups: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (item, &group) in group_of.iter().enumerate() {
            if is_due(item) && stopped() {
                return None;
            }
            groups.entry(group).or_default().push(item as u32);
            self.items[item].minimum = 0;
        }
        for (at, items) in groups.values().enumerate() {
            if is_due(at) && stopped() {
                return None;
            }
            let weight = items.iter().map(|&item| self.items[item as usize].weight).sum();
            let minimum = match &self.units.classes {
                Some(costs) => costs.equal_rows_bound(&self.class_weights(items.iter().copied())),
                None => absolute(self, items.iter().copied(), weight),
            };
            self.items[items[0] as usize].minimum = minimum;
        }
        Some(())
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
    // The sums above the median minus those below, plus the median times the difference of the weights.
    let (mut below, mut sums, mut cost, mut median) = (0, 0, 0, None);
    for slot in items {
        let item = &prepared.items[slot as usize];
        match median {
            None if 2 * (below + item.weight) >= weight => {
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

/// Whether to poll for a stop at this item; true once in 2^15 items.
fn is_due(item: usize) -> bool {
    item % (1 << 15) == (1 << 15) - 1
}

/// By item of the table, the number of its group of items that no rule distinguishes; `None` if
/// stopped.
fn groups(stopped: &dyn Fn() -> bool, table: &Table) -> Option<Vec<u32>> {
    if table.groups == table.items.len() {
        return Some((0..table.groups as u32).collect());
    }
    let width = table.features.len();
    let mut keys = vec![0; table.items.len() * width];
    for (place, feature) in table.features.iter().enumerate() {
        for (item, &rank) in feature.ranks.iter().enumerate() {
            keys[item * width + place] = rank;
        }
    }
    let mut groups: FxHashMap<&[u32], u32> = FxHashMap::default();
    (0..table.items.len())
        .map(|item| {
            let next = groups.len() as u32;
            let group = *groups.entry(&keys[item * width..(item + 1) * width]).or_insert(next);
            (!is_due(item) || !stopped()).then_some(group)
        })
        .collect()
}

/// All features; of features with equal ranks only the first if `distinct`. `None` if stopped.
fn features(
    stopped: &dyn Fn() -> bool,
    table: &Table,
    merged: &[(usize, RegressionItem)],
    distinct: bool,
) -> Option<Vec<RegressionFeature>> {
    let mut previous: FxHashSet<Vec<u32>> = FxHashSet::default();
    let mut features = Vec::new();
    for (index, feature) in table.features.iter().enumerate() {
        if stopped() {
            return None;
        }
        let ranks: Vec<u32> = merged.iter().map(|&(at, _)| feature.ranks[at]).collect();
        if distinct && !previous.insert(ranks.clone()) {
            continue;
        }
        let sorted = in_order(&ranks, feature.values.len());
        features.push(RegressionFeature { index: index as u32, ranks, sorted });
    }
    Some(features)
}

/// Items in the order of ranks below `values`; within a rank in the given order.
fn in_order(ranks: &[u32], values: usize) -> Vec<u32> {
    let mut next = vec![0u32; values + 1];
    ranks.iter().for_each(|&rank| next[rank as usize + 1] += 1);
    (1..next.len()).for_each(|rank| next[rank] += next[rank - 1]);
    let mut sorted = vec![0; ranks.len()];
    for (item, &rank) in ranks.iter().enumerate() {
        sorted[next[rank as usize] as usize] = item as u32;
        next[rank as usize] += 1;
    }
    sorted
}

/// The weight of every code.
pub(super) fn weights_of(codes: &[u32], weights: &[Weight], distinct: usize) -> Vec<Weight> {
    let mut by_code = vec![0; distinct];
    for (&code, &weight) in codes.iter().zip(weights) {
        by_code[code as usize] += weight;
    }
    by_code
}

/// The same tree with features of the prepared table. A feature that is not searched has the same
/// rules as a feature that is; `None` if the tree has a feature that the table does not have.
pub(super) fn in_prepared_features(
    table: &Table,
    prepared: &RegressionTable,
    tree: &Arc<Tree>,
) -> Option<Arc<Tree>> {
    let Tree::Node { feature, rank, left, right } = &**tree else { return Some(tree.clone()) };
    let ranks = &table.features.get(*feature as usize)?.ranks;
    let searched = &prepared.features;
    let own = searched.iter().position(|other| other.index == *feature);
    let same =
        || searched.iter().position(|other| table.features[other.index as usize].ranks == *ranks);
    let feature = own.or_else(same)? as u32;
    let left = in_prepared_features(table, prepared, left)?;
    Some(Tree::node(feature, *rank, left, in_prepared_features(table, prepared, right)?))
}

/// The same tree with features as indices into `Table::features`.
pub(super) fn in_table_features(prepared: &RegressionTable, tree: &Arc<Tree>) -> Arc<Tree> {
    match &**tree {
        Tree::Leaf { .. } => tree.clone(),
        Tree::Node { feature, rank, left, right } => Tree::node(
            prepared.features[*feature as usize].index,
            *rank,
            in_table_features(prepared, left),
            in_table_features(prepared, right),
        ),
    }
}
