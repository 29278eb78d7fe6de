//! The table as the witness search sees it: every rule as the set of items it
//! sends left, the rules of a feature in increasing order.

use super::options::WitnessOptions;
use super::reductions::reduced;
use crate::sets::{Set, and, contains, count, first, insert, members};
use exactree_model::{Errors, Table, Weight};

/// A rule of the table; `swapped`: what it sends left is its right side here.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub feature: u32,
    pub rank: u32,
    pub swapped: bool,
}

/// Rules whose left sides grow. An item's rank is the number of rules that
/// send it right, so rule `rank` sends the items of at most that rank left.
#[derive(Clone, Debug)]
pub struct Feature<const W: usize> {
    pub origins: Vec<Origin>,
    pub left: Vec<Set<W>>,
}

/// What never changes during a search.
pub struct Ground<const W: usize> {
    pub items: usize,
    pub features: Vec<Feature<W>>,
    /// By class, its items.
    pub classes: Vec<Set<W>>,
    pub class: Vec<u32>,
    /// Weight that a tree may misclassify.
    pub errors: Weight,
    weights: Vec<Weight>,
    /// Items may be counted instead of weighed: all weigh one, or any error is too much.
    plain: bool,
    /// By item, its rank in every feature.
    ranks: Vec<u32>,
}

impl<const W: usize> Ground<W> {
    pub fn new(table: &Table, errors: Weight, options: &WitnessOptions) -> Self {
        let items = table.items.len();
        let mut classes = vec![[0; W]; table.n_classes];
        for (at, item) in table.items.iter().enumerate() {
            insert(&mut classes[item.class as usize], at as u32);
        }
        let features = reduced(table, &classes, options);
        let right = |item: u32, feature: &Feature<W>| {
            feature.left.partition_point(|left| !contains(left, item)) as u32
        };
        let rank = |item: u32| features.iter().map(move |feature| right(item, feature));
        let ranks = (0..items as u32).flat_map(rank).collect();
        let weights: Vec<Weight> = table.items.iter().map(|item| item.weight).collect();
        Ground {
            items,
            class: table.items.iter().map(|item| item.class).collect(),
            plain: errors == 0 || weights.iter().all(|&weight| weight == 1),
            errors,
            weights,
            classes,
            ranks,
            features,
        }
    }

    /// All items.
    pub fn everything(&self) -> Set<W> {
        first(self.items)
    }

    /// The ranks of an item in all features.
    #[inline]
    pub fn ranks(&self, item: u32) -> &[u32] {
        &self.ranks[item as usize * self.features.len()..][..self.features.len()]
    }

    /// Rules that separate two items.
    pub fn distance(&self, a: u32, b: u32) -> u64 {
        let pairs = self.ranks(a).iter().zip(self.ranks(b));
        pairs.map(|(&a, &b)| u64::from(a.abs_diff(b))).sum()
    }

    /// Weight of an item as far as it matters: without errors each counts one.
    #[inline]
    pub fn weight(&self, item: u32) -> Weight {
        if self.plain { 1 } else { self.weights[item as usize] }
    }

    /// Weight of a set as far as it matters.
    #[inline]
    pub fn weigh(&self, set: &Set<W>) -> Weight {
        if self.plain {
            return Weight::from(count(set));
        }
        members(set).map(|item| self.weights[item as usize]).sum()
    }

    /// The class that a leaf of this part predicts.
    pub fn leaf_class(&self, part: &Set<W>) -> u32 {
        let weights: Vec<Weight> =
            self.classes.iter().map(|class| self.weigh(&and(part, class))).collect();
        Errors::leaf_class(&weights)
    }
}
