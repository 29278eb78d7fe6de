//! The table as the search sees it: equal rows merged, values replaced by ranks.
//!
//! An *item* stands for all rows that agree in every feature and in their class. Items that agree
//! in every feature but not in their class form one group; a tree cannot distinguish them.
//!
//! Length: more than a third of the file is tests.

use crate::Weight;
use rustc_hash::FxHashMap;

/// Rows with equal features and equal class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub class: u32,
    pub weight: Weight,
    /// The weight that constraints on leaves compare; differs if `weight` contains the cost of an
    /// error on the class.
    pub unscaled: Weight,
    /// Number of rows as given.
    pub rows: u64,
    /// Weight that every tree misclassifies: zero for the heaviest item of a group, the whole
    /// weight for the others.
    pub unavoidable: Weight,
}

/// A feature with at least two distinct values.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Index among the features as given.
    pub index: u32,
    /// Distinct values in increasing order; a rank indexes them.
    pub values: Vec<f64>,
    /// Rank of every item.
    pub ranks: Vec<u32>,
}

impl Feature {
    /// A column of a table, by row; `None` if it has one value.
    pub fn of_column(index: usize, column: &[f64]) -> Option<Feature> {
        let (values, ranks) = rank(column);
        (values.len() > 1).then_some(Feature { index: index as u32, values, ranks })
    }

    /// The feature of some items; `None` if they have one value.
    fn part(&self, items: &[u32]) -> Option<Feature> {
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(items.len());
        order.extend((0..).zip(items).map(|(at, &item)| (self.ranks[item as usize], at)));
        order.sort_unstable();
        let (mut values, mut ranks) = (Vec::new(), vec![0; items.len()]);
        let mut previous = None;
        for (rank, at) in order {
            if previous != Some(rank) {
                values.push(self.values[rank as usize]);
                previous = Some(rank);
            }
            ranks[at as usize] = values.len() as u32 - 1;
        }
        (values.len() > 1).then_some(Feature { index: self.index, values, ranks })
    }
}

/// A table of merged rows, items ordered by class.
#[derive(Clone, Debug)]
pub struct Table {
    pub items: Vec<Item>,
    pub features: Vec<Feature>,
    pub n_classes: usize,
    /// Number of rows as given.
    pub rows: u64,
    /// Groups of items that agree in every feature.
    pub groups: usize,
    /// Groups with more than one class.
    pub contradictory_groups: usize,
}

impl Table {
    /// Merges the rows of a table of finite values given column by column.
    ///
    /// `labels` are below `n_classes`, `weights` are positive. Owned columns are freed as soon as
    /// they are ranked.
    pub fn new(
        columns: impl IntoIterator<Item = impl AsRef<[f64]>>,
        labels: &[u32],
        weights: &[Weight],
        n_classes: usize,
    ) -> Self {
        let table = Table::read(&|| false, columns, labels, weights, n_classes);
        table.expect("nothing stops it")
    }

    /// Like `new`; `None` if it was stopped.
    pub fn read(
        stopped: &dyn Fn() -> bool,
        columns: impl IntoIterator<Item = impl AsRef<[f64]>>,
        labels: &[u32],
        weights: &[Weight],
        n_classes: usize,
    ) -> Option<Self> {
        Table::read_scaled(stopped, columns, labels, (weights, weights), n_classes)
    }

    /// Like `read`, of rows with two weights: that in costs, and that which constraints compare.
    pub fn read_scaled(
        stopped: &dyn Fn() -> bool,
        columns: impl IntoIterator<Item = impl AsRef<[f64]>>,
        labels: &[u32],
        (weights, unscaled): (&[Weight], &[Weight]),
        n_classes: usize,
    ) -> Option<Self> {
        let mut features: Vec<Feature> = Vec::new();
        for (index, column) in columns.into_iter().enumerate() {
            if stopped() {
                return None;
            }
            features.extend(Feature::of_column(index, column.as_ref()));
        }
        Table::of_features(stopped, features, labels, (weights, unscaled), n_classes)
    }

    /// Merges the rows of a table whose features have ranks by row; `None` if it was stopped.
    pub fn of_features(
        stopped: &dyn Fn() -> bool,
        mut features: Vec<Feature>,
        labels: &[u32],
        (weights, unscaled): (&[Weight], &[Weight]),
        n_classes: usize,
    ) -> Option<Self> {
        let group_of = group_rows(stopped, &features, labels.len())?;
        if stopped() {
            return None;
        }
        let merged = merge(stopped, &group_of, labels, (weights, unscaled))?;
        for feature in &mut features {
            if stopped() {
                return None;
            }
            feature.ranks = merged.first_row.iter().map(|&row| feature.ranks[row]).collect();
        }
        Some(Table {
            items: merged.items,
            features,
            n_classes,
            rows: labels.len() as u64,
            groups: merged.groups,
            contradictory_groups: merged.contradictory,
        })
    }

    /// The table of some of its items, in increasing order. Items that agree in every feature must
    /// stay together, or `unavoidable` would be wrong.
    pub fn part(&self, items: &[u32]) -> Table {
        let features = self.features.iter().filter_map(|feature| feature.part(items));
        let features = features.collect();
        let items: Vec<Item> = items.iter().map(|&item| self.items[item as usize]).collect();
        // Of each group, only the heaviest item has no unavoidable weight.
        let groups = items.iter().filter(|item| item.unavoidable == 0).count();
        Table {
            features,
            n_classes: self.n_classes,
            rows: items.iter().map(|item| item.rows).sum(),
            groups,
            contradictory_groups: self.contradictory_groups.min(items.len() - groups),
            items,
        }
    }

    /// The feature and rank of this table's rule that splits the items of a part of it as a rule of the
    /// part does; `None` if the table lacks the feature.
    pub fn rule_of_part(&self, part: &Table, feature: u32, rank: u32) -> Option<(u32, u32)> {
        let of_part = &part.features[feature as usize];
        let at = self.features.iter().position(|whole| whole.index == of_part.index)?;
        let highest = of_part.values[rank as usize];
        let rank = self.features[at].values.partition_point(|&value| value <= highest) - 1;
        Some((at as u32, rank as u32))
    }

    /// By item, a number that is the same for items that agree in every feature.
    pub fn hashes(&self) -> Vec<u64> {
        const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut hashes = vec![0u64; self.items.len()];
        for feature in &self.features {
            for (hash, &rank) in hashes.iter_mut().zip(&feature.ranks) {
                *hash = (hash.rotate_left(23) ^ u64::from(rank)).wrapping_mul(MULTIPLIER);
            }
        }
        hashes.iter_mut().for_each(|hash| *hash ^= *hash >> 32);
        hashes
    }

    /// Counts the weight of every item as its rows, so that a minimum leaf size limits the weight
    /// of leaves. The number of rows of the table stays.
    pub fn count_weight_as_rows(&mut self) {
        self.items.iter_mut().for_each(|item| item.rows = item.weight);
    }

    /// The table of a search whose clock stopped before the table was read: only the classes are
    /// known. It has one item per class, no features and no unavoidable weight.
    pub fn unread(labels: &[u32], weights: &[Weight], n_classes: usize) -> Self {
        let item = |class| Item { class, weight: 0, unscaled: 0, rows: 0, unavoidable: 0 };
        let mut items: Vec<Item> = (0..n_classes as u32).map(item).collect();
        for (&class, &weight) in labels.iter().zip(weights) {
            let item = &mut items[class as usize];
            item.weight += weight;
            item.unscaled += weight;
            item.rows += 1;
        }
        items.retain(|item| item.rows > 0);
        let (features, rows) = (Vec::new(), labels.len() as u64);
        Table { items, features, n_classes, rows, groups: 0, contradictory_groups: 0 }
    }

    /// Whether the rows were read; a table that was read has at least one group.
    pub fn is_read(&self) -> bool {
        self.groups > 0
    }

    /// Weight of each class.
    pub fn class_weights(&self) -> Vec<Weight> {
        let mut weights = vec![0; self.n_classes];
        for item in &self.items {
            weights[item.class as usize] += item.weight;
        }
        weights
    }

    /// Weight of all items.
    pub fn weight(&self) -> Weight {
        self.items.iter().map(|item| item.weight).sum()
    }
}

/// Distinct values in increasing order, and the rank of every row among them. Positive and negative
/// zero are one value, as they are for `<=`.
pub fn rank(column: &[f64]) -> (Vec<f64>, Vec<u32>) {
    if let Some((low, high)) = two_values(column) {
        let ranks = column.iter().map(|&value| (value > low) as u32).collect();
        return (vec![low, high], ranks);
    }
    let mut order: Vec<(f64, u32)> =
        column.iter().enumerate().map(|(row, &value)| (value + 0.0, row as u32)).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut values: Vec<f64> = Vec::new();
    let mut ranks = vec![0; column.len()];
    for (value, row) in order {
        if values.last() != Some(&value) {
            values.push(value);
        }
        ranks[row as usize] = values.len() as u32 - 1;
    }
    (values, ranks)
}

/// The two values of a column that has exactly two.
fn two_values(column: &[f64]) -> Option<(f64, f64)> {
    let first = column.first()? + 0.0;
    let second = column.iter().find(|&&value| value != first)? + 0.0;
    // No early exit within a chunk: it would prevent vectorization.
    let no_third = column.chunks(256).all(|chunk| {
        chunk.iter().fold(true, |so_far, &value| so_far & ((value == first) | (value == second)))
    });
    no_third.then_some((first.min(second), first.max(second)))
}

/// The group of every row; rows of a group agree in every varying feature. Keys are compared in
/// full, a hash only finds the candidates. Groups are numbered in order of appearance.
fn group_rows(stopped: &dyn Fn() -> bool, varying: &[Feature], rows: usize) -> Option<Vec<u32>> {
    // A feature without equal values distinguishes all rows: no keys are needed.
    if varying.iter().any(|feature| feature.values.len() == rows) {
        return Some((0..rows as u32).collect());
    }
    let (keys, width) = packed(varying, rows);
    let mut groups: FxHashMap<&[u64], u32> = FxHashMap::default();
    groups.reserve(rows.min(MAX_RESERVED_GROUPS));
    (0..rows)
        .map(|row| {
            let next = groups.len() as u32;
            let group = *groups.entry(&keys[row * width..(row + 1) * width]).or_insert(next);
            (!is_due(row) || !stopped()).then_some(group)
        })
        .collect()
}

/// Whether to poll for a stop at this row; true every few milliseconds.
fn is_due(row: usize) -> bool {
    row % (1 << 15) == (1 << 15) - 1
}

/// Maximum number of groups for which memory is reserved at the start.
const MAX_RESERVED_GROUPS: usize = 1 << 16;

/// The ranks of every row packed into words, each in as many bits as its feature needs; and the
/// number of words per row.
fn packed(varying: &[Feature], rows: usize) -> (Vec<u64>, usize) {
    let mut words: Vec<Vec<u64>> = Vec::new();
    let mut used = u64::BITS;
    for feature in varying {
        let bits = usize::BITS - (feature.values.len() - 1).leading_zeros();
        if used + bits > u64::BITS {
            words.push(vec![0; rows]);
            used = 0;
        }
        let word = words.last_mut().expect("just pushed, if there was none");
        word.iter_mut()
            .zip(&feature.ranks)
            .for_each(|(word, &rank)| *word |= u64::from(rank) << used);
        used += bits;
    }
    let mut keys = vec![0; rows * words.len()];
    for (at, word) in words.iter().enumerate() {
        let places = keys[at..].iter_mut().step_by(words.len());
        places.zip(word).for_each(|(key, &word)| *key = word);
    }
    (keys, words.len())
}

struct MergedRows {
    items: Vec<Item>,
    first_row: Vec<usize>,
    groups: usize,
    contradictory: usize,
}

/// An item while rows are merged.
struct MergeEntry {
    group: u32,
    first_row: u32,
    item: Item,
    /// The previous item of the same group.
    before: Option<u32>,
}

fn merge(
    stopped: &dyn Fn() -> bool,
    group_of: &[u32],
    labels: &[u32],
    (weights, unscaled): (&[Weight], &[Weight]),
) -> Option<MergedRows> {
    let groups = group_of.iter().max().map_or(0, |&group| group as usize + 1);
    let mut latest: Vec<Option<u32>> = vec![None; groups];
    let mut found: Vec<MergeEntry> = Vec::with_capacity(groups);
    for (row, (&group, &class)) in group_of.iter().zip(labels).enumerate() {
        if is_due(row) && stopped() {
            return None;
        }
        let mut at = latest[group as usize];
        while let Some(other) = at.filter(|&other| found[other as usize].item.class != class) {
            at = found[other as usize].before;
        }
        let at = at.unwrap_or_else(|| {
            let item = Item { class, weight: 0, unscaled: 0, rows: 0, unavoidable: 0 };
            let before = latest[group as usize].replace(found.len() as u32);
            found.push(MergeEntry { group, first_row: row as u32, item, before });
            found.len() as u32 - 1
        });
        let item = &mut found[at as usize].item;
        item.weight += weights[row];
        item.unscaled += unscaled[row];
        item.rows += 1;
    }
    // A stable sort by class keeps the order of first appearance within a class.
    found.sort_by_key(|found| found.item.class);
    let contradictory = mark_unavoidable(&mut found, groups);
    Some(MergedRows {
        first_row: found.iter().map(|found| found.first_row as usize).collect(),
        items: found.into_iter().map(|found| found.item).collect(),
        groups,
        contradictory,
    })
}

/// Marks all items of a group but its heaviest; returns the number of groups with several items.
fn mark_unavoidable(found: &mut [MergeEntry], groups: usize) -> usize {
    let mut heaviest: Vec<Option<u32>> = vec![None; groups];
    let mut contradictory = vec![false; groups];
    for at in 0..found.len() {
        let group = found[at].group as usize;
        let lighter = match heaviest[group] {
            None => {
                heaviest[group] = Some(at as u32);
                continue;
            }
            Some(other) if found[other as usize].item.weight < found[at].item.weight => {
                heaviest[group] = Some(at as u32);
                other as usize
            }
            Some(_) => at,
        };
        contradictory[group] = true;
        found[lighter].item.unavoidable = found[lighter].item.weight;
    }
    contradictory.iter().filter(|&&several| several).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&[f64], u32)]) -> Table {
        let columns: Vec<Vec<f64>> = (0..rows[0].0.len())
            .map(|feature| rows.iter().map(|(values, _)| values[feature]).collect())
            .collect();
        let labels: Vec<u32> = rows.iter().map(|(_, label)| *label).collect();
        Table::new(&columns, &labels, &vec![1; rows.len()], 2)
    }

    #[test]
    fn equal_rows_are_merged_and_contradictions_counted() {
        let table = table(&[(&[1.0], 0), (&[1.0], 1), (&[1.0], 1), (&[2.0], 0), (&[2.0], 0)]);
        assert_eq!(table.items.len(), 3);
        assert_eq!(table.groups, 2);
        assert_eq!(table.contradictory_groups, 1);
        assert_eq!(table.items.iter().map(|item| item.unavoidable).sum::<u64>(), 1);
        assert_eq!(table.items.iter().map(|item| item.rows).sum::<u64>(), 5);
    }

    #[test]
    fn reading_a_table_stops_at_any_poll() {
        let columns = [vec![1.0, 2.0, 2.0], vec![5.0, 5.0, 4.0]];
        let (labels, weights) = ([0, 1, 1], [3, 1, 2]);
        let polls = std::cell::Cell::new(0);
        let read = |max_polls: u32| {
            polls.set(0);
            let stopped = || {
                polls.set(polls.get() + 1);
                polls.get() > max_polls
            };
            Table::read(&stopped, &columns, &labels, &weights, 2)
        };
        assert_eq!(read(9).expect("nothing stops it").items.len(), 3);
        assert_eq!(
            polls.get(),
            5,
            "before each column is ranked and reduced, and before rows merge"
        );
        (0..5).for_each(|max_polls| assert!(read(max_polls).is_none()));
        let unread = Table::unread(&labels, &weights, 3);
        assert!(!unread.is_read());
        assert_eq!(unread.class_weights(), [3, 3, 0]);
        assert_eq!(unread.items.iter().map(|item| item.unavoidable).sum::<u64>(), 0);
    }

    #[test]
    fn long_tables_are_polled_while_rows_are_grouped_and_merged() {
        let rows = 1 << 17;
        let column: Vec<f64> = (0..rows).map(|row| f64::from(row % 3)).collect();
        let labels: Vec<u32> = (0..rows).map(|row| row as u32 % 2).collect();
        let polls = std::cell::Cell::new(0);
        let read = |max_polls: u32| {
            polls.set(0);
            let stopped = || {
                polls.set(polls.get() + 1);
                polls.get() > max_polls
            };
            Table::read(&stopped, [&column], &labels, &vec![1; rows as usize], 2)
        };
        assert_eq!(read(99).expect("nothing stops it").items.len(), 6);
        // Three polls as above for one column, and one every 2^15 rows while grouping and merging.
        assert_eq!(polls.get(), 3 + 4 + 4);
        (0..11).for_each(|max_polls| assert!(read(max_polls).is_none()));
    }

    #[test]
    fn constant_features_are_dropped() {
        let table = table(&[(&[3.0, 1.0], 0), (&[3.0, 2.0], 1)]);
        assert_eq!(table.features.len(), 1);
        assert_eq!(table.features[0].index, 1);
    }

    #[test]
    fn zeros_of_either_sign_are_one_value() {
        let table = table(&[(&[-0.0, 1.0], 0), (&[0.0, 2.0], 1)]);
        assert_eq!(table.features.len(), 1);
        assert_eq!(table.features[0].index, 1);
    }

    #[test]
    fn neighbours_one_ulp_apart_stay_apart() {
        let next = f64::from_bits(1.0f64.to_bits() + 1);
        let table = table(&[(&[1.0], 0), (&[next], 1)]);
        assert_eq!(table.features[0].values, vec![1.0, next]);
    }
}
