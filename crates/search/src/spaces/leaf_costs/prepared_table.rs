//! The prepared table: items with sums, features with ranks.
//!
//! With squared error an item stands for all rows that agree in every feature, because a leaf only
//! needs their sums. With other costs the rows must also agree in the target. Items are in the order of
//! their targets, or of their mean targets.

use super::columns::CostColumns;
use super::options::CostOptions;
use crate::costs::items::{CostFeature, CostItem, CostTotals};
use crate::costs::leaf_cost::{LeafCost, LeafRounding, TreeRounding};
use crate::costs::squared_error::SquaredError;
use crate::costs::units::Units;
use crate::support::bits::Bits;
use exactree_model::{Table, Tree, Weight};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The prepared table.
pub(crate) struct CostTable {
    pub units: Units,
    pub items: Vec<CostItem>,
    pub features: Vec<CostFeature>,
    /// Every item is one row of weight one.
    pub plain: bool,
    pub all: Bits,
    /// Rules as columns of bits, if the table is searched by counts.
    pub(crate) columns: Option<CostColumns>,
    /// Amount that rounding and padding add to all squares, and so to every cost.
    pub(crate) excess: f64,
    /// Rounding errors of the weighted sums of all items: the total of their squares divided by the
    /// weights.
    sum_errors: f64,
}

impl CostTable {
    /// `table` has the codes of the targets as classes. `None` if stopped.
    pub(crate) fn prepare(
        stopped: &dyn Fn() -> bool,
        table: &Table,
        units: Units,
        options: &CostOptions,
        min_samples_leaf: u64,
    ) -> Option<CostTable> {
        let group_of = groups(stopped, table)?;
        let cost = &units.cost;
        let merges = cost.squared().is_some() && options.equal_rows;
        let mut merged: Vec<(usize, CostItem)> = Vec::new();
        // The total amount by which squares were rounded upwards, in units of 2^-53; an integer, so the
        // additions are exact.
        let (mut rounded_up, mut padding, mut sum_errors) = (0u128, 0, 0.0);
        // By group of equal rows, the index of its first item in `merged`; `usize::MAX` before there is
        // an item.
        let mut first_merged = vec![usize::MAX; table.groups];
        for (at, item) in table.items.iter().enumerate() {
            if is_due(at) && stopped() {
                return None;
            }
            let (new, rounding) = cost.item(item.class, item.weight, item.rows);
            rounded_up += (rounding.added * 2f64.powi(53)) as u128;
            padding += rounding.padding;
            sum_errors += rounding.sum_error.powi(2) / item.weight as f64;
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
        merged.sort_by(|(_, a), (_, b)| cost.compare(a, b));
        let features = features(stopped, table, &merged, options.equal_features)?;
        let mut all = Bits::empty(merged.len());
        (0..merged.len() as u32).for_each(|item| all.insert(item));
        let items: Vec<CostItem> = merged.iter().map(|(_, item)| *item).collect();
        let plain = items.iter().all(|item| item.weight == 1 && item.rows == 1);
        let columns = None;
        let excess = rounded_up as f64 * 2f64.powi(-53) + padding as f64;
        let mut prepared =
            CostTable { plain, units, items, features, all, columns, excess, sum_errors };
        if options.bit_columns && prepared.is_counted(min_samples_leaf) {
            let columns = |cost: &SquaredError| {
                let (features, items) = (&prepared.features, prepared.items.len());
                CostColumns::new(features, items, options.equal_features, cost.gain_scale)
            };
            prepared.columns = prepared.units.cost.squared().map(columns);
        }
        let groups: Vec<u32> = merged.iter().map(|&(at, _)| group_of[at]).collect();
        prepared.assign_group_minima(stopped, &groups)?;
        Some(prepared)
    }

    /// Whether all features have two values, and the minimum leaf size is a minimum weight. Counts are
    /// in f64, which cannot hold fine units. Columns index their items by 32 bits.
    fn is_counted(&self, min_samples_leaf: u64) -> bool {
        let max_rank = |feature: &CostFeature| feature.ranks.iter().max().map_or(0, |&rank| rank);
        let by_weight = || self.items.iter().all(|item| item.weight as u64 == item.rows);
        self.units.cost.squared().is_some_and(|cost| !cost.is_fine())
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
        (cost - self.excess).max(0.0)
    }

    /// Largest rounding error of a tree with at most `leaves` leaves and cost at most `cost`.
    pub(crate) fn max_rounding_error(&self, leaves: f64, cost: f64) -> f64 {
        let (items, sum_errors) = (self.items.len() as f64, self.sum_errors);
        self.units.cost.tree_error(&TreeRounding { leaves, items, sum_errors, cost })
    }

    /// A tree of the table with features of the prepared table. A feature that is not searched has the
    /// same rules as a feature that is; `None` if the tree has a feature that the table does not have.
    pub(crate) fn in_prepared_features(
        &self,
        table: &Table,
        tree: &Arc<Tree>,
    ) -> Option<Arc<Tree>> {
        let searched = &self.features;
        tree.with_rules(&|feature, rank| {
            let ranks = &table.features.get(feature as usize)?.ranks;
            let own = searched.iter().position(|other| other.index == feature);
            let same = |other: &CostFeature| table.features[other.index as usize].ranks == *ranks;
            let found = own.or_else(|| searched.iter().position(same))?;
            Some((found as u32, rank))
        })
    }

    /// The same tree with features as indices into `Table::features`.
    pub(crate) fn in_table_features(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        tree.with_features(&|feature| self.features[feature as usize].index)
    }

    /// Totals of some items, given in increasing order.
    pub(crate) fn totals_of(&self, slots: impl Iterator<Item = u32> + Clone) -> CostTotals {
        let cost = &self.units.cost;
        let items = slots.map(|slot| &self.items[slot as usize]);
        let mut totals = CostTotals::of_none(cost.classes());
        items.clone().for_each(|item| totals.add(item));
        totals.pure = totals.low >= totals.high && cost.laws().one_target;
        if totals.weight > 0 {
            totals.leaf = cost.leaf(&totals, items);
        }
        totals
    }

    /// Assigns the minimum cost of each group of items that no rule distinguishes to the first item of
    /// the group, and zero to its other items. `None` if stopped.
    fn assign_group_minima(&mut self, stopped: &dyn Fn() -> bool, group_of: &[u32]) -> Option<()> {
        let mut by_group: Vec<u32> = (0..group_of.len() as u32).collect();
        by_group.sort_by_key(|&item| group_of[item as usize]);
        let same = |a: &u32, b: &u32| group_of[*a as usize] == group_of[*b as usize];
        let mut group = Vec::new();
        for (at, slots) in by_group.chunk_by(same).enumerate() {
            if is_due(at) && stopped() {
                return None;
            }
            group.clear();
            group.extend(slots.iter().map(|&slot| self.items[slot as usize]));
            slots.iter().for_each(|&slot| self.items[slot as usize].minimum = 0);
            self.items[slots[0] as usize].minimum = self.units.cost.equal_rows_bound(&group);
        }
        Some(())
    }
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
    merged: &[(usize, CostItem)],
    distinct: bool,
) -> Option<Vec<CostFeature>> {
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
        features.push(CostFeature { index: index as u32, ranks, sorted });
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
pub(crate) fn weights_of(codes: &[u32], weights: &[Weight], distinct: usize) -> Vec<Weight> {
    let mut by_code = vec![0; distinct];
    for (&code, &weight) in codes.iter().zip(weights) {
        by_code[code as usize] += weight;
    }
    by_code
}
