//! The table as the search sees it: items with sums, features with ranks.
//!
//! With squared error an item is all rows that agree in every feature, because a
//! leaf needs no more of them than their sums. With absolute error they must agree
//! in the target as well. Items stand in the order of their targets, or mean
//! targets.

use super::part::absolute;
use super::units::{Deviation, Units};
use crate::bits::Bits;
use exactree_model::{Cost, Table, Weight};
use rustc_hash::{FxHashMap, FxHashSet};

/// A group of rows.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub weight: i64,
    /// Weight times target.
    pub sum: i64,
    /// Weight times squared target, padded; see `units.rs`.
    pub square: Cost,
    /// What they cost at least, padded, wherever they are.
    pub least: Cost,
    /// Rows as given.
    pub rows: u64,
    /// Codes of the least and the greatest target.
    pub low: u32,
    pub high: u32,
}

/// A feature with at least two values, unlike all before it.
pub struct Feature {
    /// Index into `Table::features`.
    pub index: u32,
    /// Rank of every item.
    pub ranks: Vec<u32>,
    /// Items in the order of their ranks.
    pub sorted: Vec<u32>,
}

/// What the search knows of the whole table.
pub struct Ground {
    pub units: Units,
    pub items: Vec<Item>,
    pub features: Vec<Feature>,
    /// Every row weighs one and is an item of its own.
    pub plain: bool,
    pub all: Bits,
}

/// Padding of a square, more than the gains of two leaves are off together, and what
/// is left of it where a leaf's gain is off.
const PAD: Cost = 4;
const LEFT: Cost = 2;

impl Ground {
    /// `table` has the codes of the targets as classes.
    pub fn new(table: &Table, units: Units, equal_features: bool) -> Ground {
        let group_of = groups(table);
        let mut merged: Vec<(usize, f64, Item)> = Vec::new();
        let mut place: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, item) in table.items.iter().enumerate() {
            let square = units.square(item.class, item.weight);
            let new = Item {
                weight: item.weight as i64,
                sum: units.sum(item.class, item.weight),
                square: square.ceil() as Cost + PAD,
                least: LEFT,
                rows: item.rows,
                low: item.class,
                high: item.class,
            };
            let known = place.entry(group_of[at]).or_insert(merged.len());
            match merged.get_mut(*known) {
                Some((_, squares, item)) if units.deviation == Deviation::Squared => {
                    item.add(&new);
                    *squares += square;
                }
                _ => merged.push((at, square, new)),
            }
        }
        merged.sort_by(|(_, _, a), (_, _, b)| a.mean().total_cmp(&b.mean()));
        let features = features(table, &merged, equal_features);
        let mut all = Bits::empty(merged.len());
        (0..merged.len() as u32).for_each(|item| all.insert(item));
        let items: Vec<Item> = merged.iter().map(|(_, _, item)| *item).collect();
        let plain = items.iter().all(|item| item.weight == 1 && item.rows == 1);
        let mut ground = Ground { plain, units, items, features, all };
        match ground.units.deviation {
            Deviation::Squared => {
                for (item, (_, squares, _)) in ground.items.iter_mut().zip(&merged) {
                    item.least = item.unavoidable(&ground.units, *squares);
                }
            }
            Deviation::Absolute => {
                let group = |&(at, _, _): &(usize, f64, Item)| group_of[at];
                ground.share_least(&merged.iter().map(group).collect::<Vec<u32>>());
            }
        }
        ground
    }

    /// Gives what each group costs at least to its first item; the others have none.
    fn share_least(&mut self, group_of: &[u32]) {
        let mut groups: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (item, &group) in group_of.iter().enumerate() {
            groups.entry(group).or_default().push(item as u32);
            self.items[item].least = 0;
        }
        for items in groups.values() {
            let weight = items.iter().map(|&item| self.items[item as usize].weight).sum();
            self.items[items[0] as usize].least = absolute(self, items.iter().copied(), weight);
        }
    }
}

impl Item {
    fn add(&mut self, other: &Item) {
        self.weight += other.weight;
        self.sum += other.sum;
        self.square += other.square;
        self.rows += other.rows;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.least += other.least;
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.weight as f64
    }

    /// The squared error within the item, rounded downwards, and its padding.
    fn unavoidable(&self, units: &Units, squares: f64) -> Cost {
        if self.low == self.high {
            return self.least;
        }
        let sum = self.sum as f64;
        let within = squares - sum * sum * units.inverse(self.weight);
        // Both numbers are off by a few roundings of the larger one.
        let off = squares * (4.0 + self.rows as f64) * 2f64.powi(-53) + 1.0;
        self.least + (within - off).max(0.0) as Cost
    }
}

/// By item of the table, the number of the items that no rule tells from it.
fn groups(table: &Table) -> Vec<u32> {
    let width = table.features.len();
    let mut keys = vec![0; table.items.len() * width];
    for (place, feature) in table.features.iter().enumerate() {
        for (item, &rank) in feature.ranks.iter().enumerate() {
            keys[item * width + place] = rank;
        }
    }
    let mut known: FxHashMap<&[u32], u32> = FxHashMap::default();
    (0..table.items.len())
        .map(|item| {
            let next = known.len() as u32;
            *known.entry(&keys[item * width..(item + 1) * width]).or_insert(next)
        })
        .collect()
}

/// All features, those with equal ranks once if `once`.
fn features(table: &Table, merged: &[(usize, f64, Item)], once: bool) -> Vec<Feature> {
    let mut seen: FxHashSet<Vec<u32>> = FxHashSet::default();
    let mut features = Vec::new();
    for (index, feature) in table.features.iter().enumerate() {
        let ranks: Vec<u32> = merged.iter().map(|&(at, _, _)| feature.ranks[at]).collect();
        if once && !seen.insert(ranks.clone()) {
            continue;
        }
        let mut sorted: Vec<u32> = (0..ranks.len() as u32).collect();
        sorted.sort_by_key(|&item| ranks[item as usize]);
        features.push(Feature { index: index as u32, ranks, sorted });
    }
    features
}

/// The distinct targets in increasing order, and the code of every row among them.
/// Zeros of either sign are one target.
pub fn codes(targets: &[f64]) -> (Vec<f64>, Vec<u32>) {
    let mut distinct: Vec<f64> = targets.iter().map(|target| target + 0.0).collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let code = |target: &f64| distinct.partition_point(|other| other < target) as u32;
    let codes = targets.iter().map(code).collect();
    (distinct, codes)
}

/// The weight of every code.
pub fn weights_of(codes: &[u32], weights: &[Weight], distinct: usize) -> Vec<Weight> {
    let mut by_code = vec![0; distinct];
    for (&code, &weight) in codes.iter().zip(weights) {
        by_code[code as usize] += weight;
    }
    by_code
}
