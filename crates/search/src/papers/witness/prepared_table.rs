//! The table as the witness search sees it: every rule as the set of items it
//! sends left, the rules of a feature in increasing order.

use super::options::WitnessOptions;
use super::reductions::{ReductionCounts, reduced};
use crate::support::clock::{Clock, Stopped};
use crate::support::sets::{Set, and, contains, count, first, insert, members};
use exactree_model::{Errors, Table, Weight};
use std::iter;

/// A rule of the table; `swapped`: what it sends left is its right child here.
#[derive(Clone, Copy, Debug)]
pub struct RuleOrigin {
    pub feature: u32,
    pub rank: u32,
    pub swapped: bool,
}

/// Rules whose left children grow. An item's rank is the number of rules that
/// send it right, so rule `rank` sends the items of at most that rank left.
#[derive(Clone, Debug)]
pub struct WitnessFeature<const W: usize> {
    pub origins: Vec<RuleOrigin>,
    pub left: Vec<Set<W>>,
}

/// What never changes during a search.
pub struct WitnessTable<const W: usize> {
    pub items: usize,
    pub features: usize,
    /// The rules of all features, one after the other: what they send left.
    left: Vec<Set<W>>,
    origins: Vec<RuleOrigin>,
    /// By feature, where its rules begin; then where the last ones end.
    from: Vec<usize>,
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
    pub left_out: ReductionCounts,
}

impl<const W: usize> WitnessTable<W> {
    pub fn new(
        table: &Table,
        errors: Weight,
        options: &WitnessOptions,
        clock: &Clock<'_>,
    ) -> Result<Self, Stopped> {
        let items = table.items.len();
        let mut classes = vec![[0; W]; table.n_classes];
        for (at, item) in table.items.iter().enumerate() {
            insert(&mut classes[item.class as usize], at as u32);
        }
        let (features, left_out) = reduced(table, &classes, options, clock)?;
        let right = |item: u32, feature: &WitnessFeature<W>| {
            feature.left.partition_point(|left| !contains(left, item)) as u32
        };
        let rank = |item: u32| features.iter().map(move |feature| right(item, feature));
        let ranks = (0..items as u32).flat_map(rank).collect();
        let weights: Vec<Weight> = table.items.iter().map(|item| item.weight).collect();
        let ends = features.iter().scan(0, |end, feature| {
            *end += feature.left.len();
            Some(*end)
        });
        Ok(WitnessTable {
            items,
            features: features.len(),
            from: iter::once(0).chain(ends).collect(),
            origins: features.iter().flat_map(|feature| feature.origins.clone()).collect(),
            left: features.into_iter().flat_map(|feature| feature.left).collect(),
            class: table.items.iter().map(|item| item.class).collect(),
            plain: counted(errors, &weights),
            errors,
            weights,
            classes,
            ranks,
            left_out,
        })
    }

    /// Allows another weight of errors from now on.
    pub fn set_errors(&mut self, errors: Weight) {
        self.plain = counted(errors, &self.weights);
        self.errors = errors;
    }

    /// The rules of a feature, as what they send left.
    #[inline]
    pub fn rules(&self, feature: usize) -> &[Set<W>] {
        &self.left[self.from[feature]..self.from[feature + 1]]
    }

    /// How many rules there are.
    pub fn all_rules(&self) -> usize {
        self.left.len()
    }

    /// Where a rule comes from.
    pub fn origin(&self, feature: usize, rank: u32) -> RuleOrigin {
        self.origins[self.from[feature] + rank as usize]
    }

    /// All items.
    pub fn everything(&self) -> Set<W> {
        first(self.items)
    }

    /// The ranks of an item in all features.
    #[inline]
    pub fn ranks(&self, item: u32) -> &[u32] {
        &self.ranks[item as usize * self.features..][..self.features]
    }

    /// The rules that separate two items, numbered over all features.
    pub fn separating(&self, a: u32, b: u32) -> Vec<usize> {
        let pairs = self.ranks(a).iter().zip(self.ranks(b));
        let between = |(from, (&a, &b)): (&usize, (&u32, &u32))| {
            from + a.min(b) as usize..from + a.max(b) as usize
        };
        self.from.iter().zip(pairs).flat_map(between).collect()
    }

    /// How many rules separate two items.
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

    /// The class that a leaf of this subset predicts.
    pub fn leaf_class(&self, subset: &Set<W>) -> u32 {
        let weights: Vec<Weight> =
            self.classes.iter().map(|class| self.weigh(&and(subset, class))).collect();
        Errors::leaf_class(&weights)
    }
}

/// Whether items may be counted instead of weighed.
fn counted(errors: Weight, weights: &[Weight]) -> bool {
    errors == 0 || weights.iter().all(|&weight| weight == 1)
}
