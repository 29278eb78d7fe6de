//! Parts of the table, each kept once and known by a number, and their divisions.

use crate::bits::ones;
use exactree_model::{Errors, Table, Weight};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A set of items of the table, one bit each.
pub type Members = Rc<[u64]>;

/// A part and what its leaf needs.
pub struct Part {
    pub members: Members,
    pub items: u32,
    /// Rows as given.
    pub rows: u64,
    pub class_weights: Box<[Weight]>,
}

impl Part {
    pub fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }
}

/// All parts met so far; equal ones have equal numbers, told by their members.
pub struct Parts<'a> {
    table: &'a Table,
    /// By feature, the items in the order of their ranks.
    orders: Vec<Vec<u32>>,
    known: Vec<Part>,
    numbers: FxHashMap<Members, u32>,
}

impl<'a> Parts<'a> {
    pub fn new(table: &'a Table) -> Self {
        let order = |ranks: &Vec<u32>| {
            let mut order: Vec<u32> = (0..table.items.len() as u32).collect();
            order.sort_by_key(|&item| ranks[item as usize]);
            order
        };
        let orders = table.features.iter().map(|feature| order(&feature.ranks)).collect();
        Parts { table, orders, known: Vec::new(), numbers: FxHashMap::default() }
    }

    pub fn features(&self) -> usize {
        self.orders.len()
    }

    /// How many parts were met.
    pub fn known(&self) -> usize {
        self.known.len()
    }

    /// What the parts take, roughly.
    pub fn bytes(&self) -> usize {
        let words = self.table.items.len().div_ceil(64) + self.table.n_classes;
        self.known.len() * (8 * words + 3 * size_of::<Part>())
    }

    pub fn get(&self, part: u32) -> &Part {
        &self.known[part as usize]
    }

    /// The number of the part that is the whole table.
    pub fn whole(&mut self) -> u32 {
        let items: Vec<u32> = (0..self.table.items.len() as u32).collect();
        self.number_of(set_of(&items, items.len()))
    }

    /// The number of a part.
    pub fn number_of(&mut self, members: Members) -> u32 {
        if let Some(&number) = self.numbers.get(&members) {
            return number;
        }
        let mut part = Part {
            members: members.clone(),
            items: 0,
            rows: 0,
            class_weights: vec![0; self.table.n_classes].into(),
        };
        for item in ones(&members) {
            let item = &self.table.items[item as usize];
            part.items += 1;
            part.rows += item.rows;
            part.class_weights[item.class as usize] += item.weight;
        }
        let number = self.known.len() as u32;
        self.known.push(part);
        self.numbers.insert(members, number);
        number
    }

    /// The ways in which a feature divides a part.
    pub fn divisions(&self, part: u32, feature: usize) -> Divisions<'a> {
        let members = &self.known[part as usize].members;
        let inside = |item: &u32| contains(members, *item);
        let items: Vec<u32> = self.orders[feature].iter().copied().filter(inside).collect();
        let ranks = &self.table.features[feature].ranks;
        let apart = |&end: &usize| ranks[items[end - 1] as usize] != ranks[items[end] as usize];
        let ends = (1..items.len()).filter(apart).collect();
        Divisions { table: self.table, feature, items, ends }
    }
}

/// A part in the order of a feature, and where a threshold may stand in it:
/// between two items of different ranks, so that no two thresholds send the
/// same items left.
pub struct Divisions<'a> {
    table: &'a Table,
    feature: usize,
    items: Vec<u32>,
    /// By threshold, how many items go left.
    ends: Vec<usize>,
}

impl Divisions<'_> {
    /// How many thresholds there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The items that go left, or right.
    pub fn side(&self, threshold: usize, left: bool) -> Members {
        let end = self.ends[threshold];
        let side = if left { &self.items[..end] } else { &self.items[end..] };
        set_of(side, self.table.items.len())
    }

    /// The ranks on both sides of a threshold.
    pub fn ranks(&self, threshold: usize) -> (u32, u32) {
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

pub fn contains(members: &[u64], item: u32) -> bool {
    members[item as usize / 64] >> (item % 64) & 1 == 1
}
