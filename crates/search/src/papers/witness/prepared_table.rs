//! The prepared table of the witness search: every rule as the set of items of its left child, the
//! rules of a feature in increasing order.

use super::features::{RuleOrigin, WitnessFeature};
use super::options::WitnessOptions;
use super::reductions::{ReductionCounts, reduce};
use crate::support::clock::{Clock, Stopped};
use crate::support::sets::{Set, and, contains, count, first, insert, members};
use exactree_model::{Errors, Table, Weight};
use std::iter;

/// A table prepared for the witness search.
pub(crate) struct WitnessTable<const W: usize> {
    pub items: usize,
    pub features: usize,
    /// The left children of the rules of all features, one feature after the other.
    left: Vec<Set<W>>,
    origins: Vec<RuleOrigin>,
    /// By feature, the index of its first rule; then the number of rules.
    from: Vec<usize>,
    /// By class, its items.
    pub classes: Vec<Set<W>>,
    pub class: Vec<u32>,
    /// Maximum misclassified weight.
    pub errors: Weight,
    weights: Vec<Weight>,
    /// Whether items may be counted instead of weighed: all weights are one, or no errors are
    /// allowed.
    counts_items: bool,
    /// By item, its rank in every feature.
    ranks: Vec<u32>,
    pub reductions: ReductionCounts,
}

impl<const W: usize> WitnessTable<W> {
    pub(crate) fn new(
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
        let (features, reductions) = reduce(table, &classes, options, clock)?;
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
            counts_items: may_count_items(errors, &weights),
            errors,
            weights,
            classes,
            ranks,
            reductions,
        })
    }

    /// Changes the maximum misclassified weight.
    pub(crate) fn set_errors(&mut self, errors: Weight) {
        self.counts_items = may_count_items(errors, &self.weights);
        self.errors = errors;
    }

    /// The rules of a feature, as the sets of items of their left children.
    #[inline]
    pub(crate) fn rules(&self, feature: usize) -> &[Set<W>] {
        &self.left[self.from[feature]..self.from[feature + 1]]
    }

    /// Number of rules.
    pub(crate) fn all_rules(&self) -> usize {
        self.left.len()
    }

    /// The input rule that a rule stems from.
    pub(crate) fn origin(&self, feature: usize, rank: u32) -> RuleOrigin {
        self.origins[self.from[feature] + rank as usize]
    }

    /// All items.
    pub(crate) fn everything(&self) -> Set<W> {
        first(self.items)
    }

    /// The ranks of an item in all features.
    #[inline]
    pub(crate) fn ranks(&self, item: u32) -> &[u32] {
        &self.ranks[item as usize * self.features..][..self.features]
    }

    /// The indices of the rules, over all features, that separate two items.
    pub(crate) fn separating(&self, a: u32, b: u32) -> Vec<usize> {
        let pairs = self.ranks(a).iter().zip(self.ranks(b));
        let between = |(from, (&a, &b)): (&usize, (&u32, &u32))| {
            from + a.min(b) as usize..from + a.max(b) as usize
        };
        self.from.iter().zip(pairs).flat_map(between).collect()
    }

    /// Number of rules that separate two items.
    pub(crate) fn distance(&self, a: u32, b: u32) -> u64 {
        let pairs = self.ranks(a).iter().zip(self.ranks(b));
        pairs.map(|(&a, &b)| u64::from(a.abs_diff(b))).sum()
    }

    /// Weight of an item; one if no errors are allowed.
    #[inline]
    pub(crate) fn weight(&self, item: u32) -> Weight {
        if self.counts_items { 1 } else { self.weights[item as usize] }
    }

    /// Weight of a set; the number of items if no errors are allowed.
    #[inline]
    pub(crate) fn weigh(&self, set: &Set<W>) -> Weight {
        if self.counts_items {
            return Weight::from(count(set));
        }
        members(set).map(|item| self.weights[item as usize]).sum()
    }

    /// The class that a leaf of this subset predicts.
    pub(crate) fn leaf_class(&self, subset: &Set<W>) -> u32 {
        let weights: Vec<Weight> =
            self.classes.iter().map(|class| self.weigh(&and(subset, class))).collect();
        Errors::leaf_class(&weights)
    }
}

/// Whether items may be counted instead of weighed.
fn may_count_items(errors: Weight, weights: &[Weight]) -> bool {
    errors == 0 || weights.iter().all(|&weight| weight == 1)
}
