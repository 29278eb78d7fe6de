//! Subsets of the table, each stored once and identified by a number, and their splits.

use crate::support::bits::ones;
use exactree_model::{Errors, Table, Weight};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A set of items of the table, one bit each.
pub(super) type Members = Rc<[u64]>;

/// A subset with the data of its leaf.
pub(super) struct EnumerationSubset {
    pub members: Members,
    pub items: u32,
    /// Number of rows as given.
    pub rows: u64,
    pub class_weights: Box<[Weight]>,
}

impl EnumerationSubset {
    pub(super) fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }
}

/// All subsets so far; subsets with equal members have the same number.
pub(super) struct SubsetStore<'a> {
    table: &'a Table,
    /// By feature, the items in the order of their ranks.
    orders: Vec<Vec<u32>>,
    subsets: Vec<EnumerationSubset>,
    numbers: FxHashMap<Members, u32>,
}

impl<'a> SubsetStore<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        let order = |ranks: &Vec<u32>| {
            let mut order: Vec<u32> = (0..table.items.len() as u32).collect();
            order.sort_by_key(|&item| ranks[item as usize]);
            order
        };
        let orders = table.features.iter().map(|feature| order(&feature.ranks)).collect();
        SubsetStore { table, orders, subsets: Vec::new(), numbers: FxHashMap::default() }
    }

    pub(super) fn features(&self) -> usize {
        self.orders.len()
    }

    /// Number of subsets.
    pub(super) fn len(&self) -> usize {
        self.subsets.len()
    }

    /// Approximate memory of the subsets in bytes.
    pub(super) fn bytes(&self) -> usize {
        let words = self.table.items.len().div_ceil(64) + self.table.n_classes;
        self.subsets.len() * (8 * words + 3 * size_of::<EnumerationSubset>())
    }

    pub(super) fn get(&self, subset: u32) -> &EnumerationSubset {
        &self.subsets[subset as usize]
    }

    /// The number of the subset that is the whole table.
    pub(super) fn whole(&mut self) -> u32 {
        let items: Vec<u32> = (0..self.table.items.len() as u32).collect();
        self.number_of(set_of(&items, items.len()))
    }

    /// The number of a subset.
    pub(super) fn number_of(&mut self, members: Members) -> u32 {
        if let Some(&number) = self.numbers.get(&members) {
            return number;
        }
        let mut subset = EnumerationSubset {
            members: members.clone(),
            items: 0,
            rows: 0,
            class_weights: vec![0; self.table.n_classes].into(),
        };
        for item in ones(&members) {
            let item = &self.table.items[item as usize];
            subset.items += 1;
            subset.rows += item.rows;
            subset.class_weights[item.class as usize] += item.weight;
        }
        let number = self.subsets.len() as u32;
        self.subsets.push(subset);
        self.numbers.insert(members, number);
        number
    }

    /// The ways in which a feature splits a subset.
    pub(super) fn splits(&self, subset: u32, feature: usize) -> SubsetSplits<'a> {
        let members = &self.subsets[subset as usize].members;
        let inside = |item: &u32| contains(members, *item);
        let items: Vec<u32> = self.orders[feature].iter().copied().filter(inside).collect();
        let ranks = &self.table.features[feature].ranks;
        let apart = |&end: &usize| ranks[items[end - 1] as usize] != ranks[items[end] as usize];
        let ends = (1..items.len()).filter(apart).collect();
        SubsetSplits { table: self.table, feature, items, ends }
    }
}

/// A subset in the order of a feature, and the possible places of a threshold: between two items of
/// different ranks, so that no two thresholds send the same items left.
pub(super) struct SubsetSplits<'a> {
    table: &'a Table,
    feature: usize,
    items: Vec<u32>,
    /// By threshold, the number of items that go left.
    ends: Vec<usize>,
}

impl SubsetSplits<'_> {
    /// Number of thresholds.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The items that go left, or right.
    pub(super) fn child(&self, threshold: usize, left: bool) -> Members {
        let end = self.ends[threshold];
        let child = if left { &self.items[..end] } else { &self.items[end..] };
        set_of(child, self.table.items.len())
    }

    /// The greatest rank in the left child of a threshold, and the smallest in the right child.
    pub(super) fn ranks(&self, threshold: usize) -> (u32, u32) {
        let rank =
            |place: usize| self.table.features[self.feature].ranks[self.items[place] as usize];
        (rank(self.ends[threshold] - 1), rank(self.ends[threshold]))
    }
}

fn set_of(items: &[u32], all: usize) -> Members {
    let mut words = vec![0u64; all.div_ceil(64)];
    items.iter().for_each(|&item| words[item as usize / 64] |= 1 << (item % 64));
    words.into()
}

pub(super) fn contains(members: &[u64], item: u32) -> bool {
    members[item as usize / 64] >> (item % 64) & 1 == 1
}
