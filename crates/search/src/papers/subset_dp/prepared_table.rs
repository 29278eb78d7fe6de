//! The prepared table: items as bits, and all splits (Thr(1), ..., Thr(d) of the paper).

use exactree_model::{Errors, Table, Tree, Weight};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A set of items, bit i for item i.
pub(crate) type ItemMask = u64;

/// Entry of a set without a tree, larger than every size: fewer than 64 items need fewer than 63
/// nodes. The sum of two such entries and 1 still fits a byte.
pub(crate) const NONE: u8 = 127;

/// A threshold of a feature, and the items of its left child.
pub(crate) struct SubsetSplit {
    pub feature: u32,
    pub rank: u32,
    pub left: ItemMask,
}

/// A table prepared for the dynamic programme.
pub(crate) struct SubsetTable {
    pub items: usize,
    pub thr: Vec<SubsetSplit>,
    /// The items of every class that occurs, and the labels of these classes in the table.
    pub classes: Vec<ItemMask>,
    labels: Vec<u32>,
    /// By item, the index of its class in `classes`.
    pub class: Vec<usize>,
    pub weight: Vec<Weight>,
}

impl SubsetTable {
    /// Prepares a table of fewer than 64 items.
    pub(crate) fn new(table: &Table) -> Self {
        let mut labels: Vec<u32> = table.items.iter().map(|item| item.class).collect();
        labels.sort_unstable();
        labels.dedup();
        SubsetTable::with_classes(table, labels)
    }

    /// Prepares a table with the given classes, in increasing order; they must include the classes
    /// of all items.
    pub(crate) fn with_classes(table: &Table, labels: Vec<u32>) -> Self {
        let class_of = |label: u32| labels.partition_point(|&other| other < label);
        let class: Vec<usize> = table.items.iter().map(|item| class_of(item.class)).collect();
        let mut classes = vec![0; labels.len()];
        class.iter().enumerate().for_each(|(item, &class)| classes[class] |= 1 << item);
        let weight = table.items.iter().map(|item| item.weight).collect();
        SubsetTable { items: table.items.len(), thr: splits(table), classes, labels, class, weight }
    }

    pub(crate) fn everything(&self) -> ItemMask {
        (1 << self.items) - 1
    }

    /// Whether all items of a set are of one class.
    #[inline]
    pub(crate) fn one_class(&self, set: ItemMask) -> bool {
        let first = self.class[set.trailing_zeros() as usize];
        set & !self.classes[first] == 0
    }

    /// Weight that a leaf of this set misclassifies.
    pub(crate) fn leaf_errors(&self, set: ItemMask) -> Weight {
        Errors::leaf_errors(&self.class_weights(set))
    }

    /// A leaf that predicts the heaviest class of a set.
    pub(crate) fn leaf(&self, set: ItemMask) -> Arc<Tree> {
        Tree::leaf(self.labels[Errors::leaf_class(&self.class_weights(set)) as usize])
    }

    fn class_weights(&self, set: ItemMask) -> Vec<Weight> {
        let weight = |class: &ItemMask| members(set & class).map(|item| self.weight[item]).sum();
        self.classes.iter().map(weight).collect()
    }
}

/// The items of a set.
pub(crate) fn members(set: ItemMask) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let item = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            item
        })
    })
}

/// All splits of the table. Of splits with the same two children only one is kept, whatever their
/// features and whichever child is left.
fn splits(table: &Table) -> Vec<SubsetSplit> {
    let everything: ItemMask = (1 << table.items.len()) - 1;
    let mut seen = FxHashSet::default();
    let mut thr = Vec::new();
    for (feature, column) in table.features.iter().enumerate() {
        for rank in 0..column.values.len() as u32 - 1 {
            let left = column.ranks.iter().enumerate().filter(|(_, other)| **other <= rank);
            let left: ItemMask = left.fold(0, |set, (item, _)| set | 1 << item);
            if seen.insert(left.min(everything & !left)) {
                thr.push(SubsetSplit { feature: feature as u32, rank, left });
            }
        }
    }
    thr
}
