//! The weighted items of a subset, numbered and arranged by feature for the kernels of stumps.

use super::items::{CostItem, CostSubset};
use crate::engine::subset::OrderEntry;
use crate::kernels::InstructionSet;
use std::borrow::Cow;

/// The weighted items of a subset. An item has a number by its place among them.
pub(crate) struct StumpItems<'a> {
    pub subset: &'a CostSubset,
    pub instructions: InstructionSet,
    /// Every item is one row of weight one.
    pub plain: bool,
    /// By number.
    pub items: Vec<&'a CostItem>,
    /// By feature, the numbers of the items in its order, their ranks, and their weights unless all are
    /// plain.
    pub numbers: Vec<Vec<u32>>,
    pub ranks: Vec<Vec<u32>>,
    pub weights: Vec<Vec<i64>>,
    /// By number, 1 for the items in the right child of the root at hand.
    pub on_right: Vec<u8>,
}

impl<'a> StumpItems<'a> {
    /// `plain` if every item of the table is one row of weight one.
    pub(crate) fn new(
        table: &'a [CostItem],
        plain: bool,
        subset: &'a CostSubset,
        instructions: InstructionSet,
    ) -> Self {
        let mut number_of = vec![0; table.len()];
        let mut items = Vec::new();
        for (number, slot) in (0..).zip(subset.weighted().iter()) {
            number_of[slot as usize] = number;
            items.push(&table[slot as usize]);
        }
        let orders: Vec<Cow<'_, [OrderEntry]>> = match &subset.inner {
            None => subset.sorted.iter().map(Cow::from).collect(),
            Some(inner) => {
                let here = |entry: &&OrderEntry| inner.contains(entry.slot);
                let order = |order: &[OrderEntry]| order.iter().filter(here).copied().collect();
                subset.sorted.iter().map(order).collect()
            }
        };
        let number = |entry: &OrderEntry| number_of[entry.slot as usize];
        let numbers: Vec<Vec<u32>> =
            orders.iter().map(|order| order.iter().map(number).collect()).collect();
        let ranks = orders.iter().map(|order| order.iter().map(|entry| entry.rank).collect());
        let ranks = ranks.collect();
        let on_right = vec![0; items.len()];
        let weights = vec![Vec::new(); numbers.len()];
        let mut arranged =
            StumpItems { subset, instructions, plain, items, numbers, ranks, weights, on_right };
        if !plain {
            arranged.weights = arranged.by_feature(|_, item| item.weight);
        }
        arranged
    }

    /// Number of items if each is a row of weight one, otherwise 0.
    pub(crate) fn plain_rows(&self) -> usize {
        if self.plain { self.items.len() } else { 0 }
    }

    /// A value of every item and its rank, by feature in its order.
    pub(super) fn by_feature<T>(&self, value: impl Fn(u32, &CostItem) -> T) -> Vec<Vec<T>> {
        let orders = self.numbers.iter().zip(&self.ranks);
        let value = |(&number, &rank): (&u32, &u32)| value(rank, self.items[number as usize]);
        orders.map(|(numbers, ranks)| numbers.iter().zip(ranks).map(value).collect()).collect()
    }
}
