//! Subsets of a prepared table with the weights of their classes.

use crate::engine::rules::{Rule, Rules};
use crate::engine::subset::{SearchTable, Subset, ThresholdTable};
use crate::spaces::continuous::layout::Layout;
use crate::support::bits::Bits;
use exactree_model::{Errors, Weight};

/// Totals of the items of a subset.
#[derive(Clone)]
pub(crate) struct ClassTotals {
    pub weight: Weight,
    pub class_weights: Vec<Weight>,
    /// Weight that every tree misclassifies.
    pub unavoidable: Weight,
}

/// The items that reach a node, with the weights of their classes.
pub(crate) type ContinuousSubset = Subset<ClassTotals>;

impl ClassTotals {
    /// Weight that the best leaf misclassifies.
    pub(crate) fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }
}

impl ContinuousSubset {
    /// All items of the table.
    pub(crate) fn whole(layout: &Layout) -> ContinuousSubset {
        ContinuousSubset::with(layout, layout.occupied.clone())
    }

    /// The subset of these items.
    pub(crate) fn with(layout: &Layout, members: Bits) -> ContinuousSubset {
        let order =
            |feature: usize| layout.features[feature].sorted(&layout.occupied).iter().copied();
        let features = if layout.bit_columns { 0 } else { layout.features.len() };
        Subset::with_orders(layout, members, (features, layout.threads), order)
    }

    /// The weight of an item in this subset.
    pub(crate) fn weight_of(&self, layout: &Layout, slot: usize) -> Weight {
        if self.is_weighted(slot as u32) { layout.weight[slot] } else { 0 }
    }

    /// The rules of a feature, by its columns.
    pub(crate) fn rules_of_columns(&self, layout: &Layout, feature: usize) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for (rank, column) in layout.features[feature].columns.iter().enumerate() {
            let rule = self.rule_at(layout, column, feature, rank as u32);
            if rule.items == self.count {
                break;
            }
            if rule.items > rules.last().map_or(0, |last| last.items) {
                rules.push(rule);
            }
        }
        rules
    }

    fn rule_at(&self, layout: &Layout, column: &Bits, feature: usize, rank: u32) -> Rule {
        let pairs = self.members.words.iter().zip(&column.words);
        let items = pairs.map(|(a, b)| (a & b).count_ones() as usize).sum();
        if layout.plain {
            return Rule { feature, rank, items, rows: items as u64, weight: items as u64 };
        }
        let (mut rows, mut weight) = (0, 0);
        for slot in self.members.and(column).iter() {
            rows += layout.rows[slot as usize];
            weight += layout.weight[slot as usize];
        }
        Rule { feature, rank, items, rows, weight }
    }
}

impl SearchTable for Layout {
    type Totals = ClassTotals;

    fn rows(&self, slot: usize) -> u64 {
        self.rows[slot]
    }

    fn totals(&self, members: &Bits, weighted: &Bits) -> (usize, u64, ClassTotals) {
        let mut totals =
            ClassTotals { weight: 0, class_weights: vec![0; self.n_classes], unavoidable: 0 };
        if self.plain {
            for (class, words) in self.class_words.iter().enumerate() {
                totals.class_weights[class] =
                    weighted.words[words.clone()].iter().map(|w| w.count_ones() as u64).sum();
            }
            totals.weight = totals.class_weights.iter().sum();
            let count = match std::ptr::eq(members, weighted) {
                true => totals.weight as usize,
                false => members.count() as usize,
            };
            return (count, count as u64, totals);
        }
        for slot in weighted.iter().map(|slot| slot as usize) {
            totals.weight += self.weight[slot];
            totals.class_weights[self.class[slot] as usize] += self.weight[slot];
            totals.unavoidable += self.unavoidable[slot];
        }
        let (mut count, mut rows) = (0, 0);
        for slot in members.iter() {
            count += 1;
            rows += self.rows[slot as usize];
        }
        (count, rows, totals)
    }

    fn route(&self, slots: &[u32], feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        self.route_by_rank(slots, feature, rank)
    }
}

impl ThresholdTable for Layout {
    fn slots(&self) -> usize {
        self.slots
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn index(&self, feature: usize) -> u32 {
        self.features[feature].index
    }

    fn ranks(&self, feature: usize) -> &[u32] {
        &self.features[feature].ranks
    }

    fn rules(&self, subset: &ContinuousSubset, feature: usize, _similarity: bool) -> Rules {
        if self.bit_columns {
            return Rules::new(feature, &subset.rules_of_columns(self, feature));
        }
        let plain = self.plain && subset.inner.is_none();
        subset.rules_of_order(feature, plain, |slot| {
            (self.rows[slot as usize], subset.weight_of(self, slot as usize))
        })
    }

    fn column(&self, rule: &Rule) -> Option<&Bits> {
        self.bit_columns.then(|| &self.features[rule.feature].columns[rule.rank as usize])
    }
}
