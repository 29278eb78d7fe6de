//! A subset: the items that reach a node, and how a rule splits them.
//!
//! With a minimum leaf size a subset may have weightless items, which only count as rows of leaves;
//! `two_set_bound.rs` says why.

use crate::engine::layout::Layout;
use crate::engine::rules::{RuleEnd, Rules};
use crate::support::bits::Bits;
use exactree_model::{Errors, Weight};
use std::borrow::Cow;

/// The items that reach a node.
#[derive(Clone)]
pub struct ContinuousSubset {
    pub members: Bits,
    /// The inner set: the items that count with their weight; `None` if all do.
    pub inner: Option<Bits>,
    /// Number of items.
    pub count: usize,
    /// Number of rows as given.
    pub rows: u64,
    pub weight: Weight,
    pub class_weights: Vec<Weight>,
    /// Weight of the subset that every tree misclassifies.
    pub unavoidable: Weight,
    /// Empty if the table uses bit columns.
    pub sorted: SortedOrders,
}

/// The items of a subset in the order of every feature, one order after the other.
#[derive(Clone, Default)]
pub struct SortedOrders {
    items: usize,
    features: usize,
    /// One entry longer than the orders, for `split_entries`.
    entries: Vec<OrderEntry>,
}

/// Buffers of dropped subsets, for reuse.
pub type SpareOrders = Vec<Vec<OrderEntry>>;

/// An item in a feature's order; the rank is stored with it because a look-up by slot would be a
/// cache miss.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderEntry {
    pub rank: u32,
    pub slot: u32,
}

/// A rule of a subset: items of rank at most `rank` go left.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub feature: usize,
    pub rank: u32,
    /// Items, rows and weight of the left child.
    pub items: usize,
    pub rows: u64,
    pub weight: Weight,
}

impl SortedOrders {
    /// A buffer for orders, with unspecified content.
    fn blank(items: usize, features: usize, mut entries: Vec<OrderEntry>) -> SortedOrders {
        entries.resize(items * features + 1, OrderEntry::default());
        SortedOrders { items, features, entries }
    }

    /// The orders of all features, by feature.
    fn new<I: Iterator<Item = OrderEntry>>(
        features: usize,
        items: usize,
        order: impl Fn(usize) -> I,
    ) -> SortedOrders {
        let mut entries = Vec::with_capacity(features * items + 1);
        (0..features).for_each(|feature| entries.extend(order(feature)));
        let items = if features == 0 { 0 } else { items };
        entries.push(OrderEntry::default());
        SortedOrders { items, features, entries }
    }

    /// Number of features with an order.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The items in the order of a feature.
    pub fn order(&self, feature: usize) -> &[OrderEntry] {
        &self.entries[feature * self.items..][..self.items]
    }

    /// Returns the buffer for reuse.
    pub fn spare(self, spare: &mut SpareOrders) {
        spare.push(self.entries);
    }
}

impl ContinuousSubset {
    /// All items of the table.
    pub fn whole(layout: &Layout) -> ContinuousSubset {
        ContinuousSubset::with(layout, layout.occupied.clone())
    }

    /// The subset of these items.
    pub fn with(layout: &Layout, members: Bits) -> ContinuousSubset {
        let order = |feature: usize| {
            let feature = &layout.features[feature];
            let slots =
                feature.sorted(&layout.occupied).iter().filter(|&&slot| members.contains(slot));
            slots.map(|&slot| OrderEntry { rank: feature.ranks[slot as usize], slot })
        };
        let features = if layout.bit_columns { 0 } else { layout.features.len() };
        let items = members.words.iter().map(|word| word.count_ones() as usize).sum();
        let sorted = SortedOrders::new(features, items, order);
        ContinuousSubset::of(layout, members, None, sorted)
    }

    fn of(
        layout: &Layout,
        members: Bits,
        inner: Option<Bits>,
        sorted: SortedOrders,
    ) -> ContinuousSubset {
        let inner = inner.filter(|inner| *inner != members);
        let mut subset = ContinuousSubset {
            count: 0,
            rows: 0,
            weight: 0,
            class_weights: vec![0; layout.n_classes],
            unavoidable: 0,
            members,
            inner,
            sorted,
        };
        let weighted = subset.inner.as_ref().unwrap_or(&subset.members);
        if layout.plain {
            for (class, words) in layout.class_words.iter().enumerate() {
                subset.class_weights[class] =
                    weighted.words[words.clone()].iter().map(|w| w.count_ones() as u64).sum();
            }
            subset.weight = subset.class_weights.iter().sum();
            subset.count = match subset.inner {
                None => subset.weight as usize,
                Some(_) => subset.members.count() as usize,
            };
            subset.rows = subset.count as u64;
        } else {
            for slot in weighted.iter() {
                let slot = slot as usize;
                subset.weight += layout.weight[slot];
                subset.class_weights[layout.class[slot] as usize] += layout.weight[slot];
                subset.unavoidable += layout.unavoidable[slot];
            }
            for slot in subset.members.iter() {
                subset.count += 1;
                subset.rows += layout.rows[slot as usize];
            }
        }
        subset
    }

    /// The key of the subset in the cache: its items; if some are weightless, also those that are
    /// not. These come first, so that no key of two sets is a key of one set.
    pub fn key(&self) -> Cow<'_, Bits> {
        match &self.inner {
            None => Cow::Borrowed(&self.members),
            Some(inner) => {
                let words = inner.words.iter().chain(&self.members.words).copied().collect();
                Cow::Owned(Bits { words })
            }
        }
    }

    /// The items that count with their weight.
    pub fn weighted(&self) -> &Bits {
        self.inner.as_ref().unwrap_or(&self.members)
    }

    /// The weight of an item in this subset.
    pub fn weight_of(&self, layout: &Layout, slot: usize) -> Weight {
        let weightless = self.inner.as_ref().is_some_and(|inner| !inner.contains(slot as u32));
        if weightless { 0 } else { layout.weight[slot] }
    }

    /// Weight that the best leaf misclassifies.
    pub fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }

    /// The rules of a feature that have two non-empty children.
    pub fn rules(&self, layout: &Layout, feature: usize) -> Rules {
        if layout.bit_columns {
            Rules::new(feature, &self.rules_of_columns(layout, feature))
        } else {
            self.rules_of_sorted(layout, feature)
        }
    }

    fn rules_of_columns(&self, layout: &Layout, feature: usize) -> Vec<Rule> {
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

    /// Writes a rule after every item and keeps those after the last item of a value, so that no
    /// branch can be mispredicted.
    fn rules_of_sorted(&self, layout: &Layout, feature: usize) -> Rules {
        let entries = self.sorted.order(feature);
        let plain = layout.plain && self.inner.is_none();
        let mut rules = Rules::blank(feature, entries.len(), plain);
        let (mut rows, mut weight, mut count) = (0, 0, 0);
        for (at, pair) in entries.windows(2).enumerate() {
            let (rank, slot) = (pair[0].rank, pair[0].slot as usize);
            rules.ends[count] = RuleEnd { rank, items: at as u32 + 1 };
            if !plain {
                rows += layout.rows[slot];
                weight += self.weight_of(layout, slot);
                rules.totals[count] = (rows, weight);
            }
            count += (rank != pair[1].rank) as usize;
        }
        rules.truncate(count);
        rules
    }

    /// The two children of a split.
    pub fn split(&self, layout: &Layout, rule: &Rule) -> (ContinuousSubset, ContinuousSubset) {
        self.split_into(layout, rule, &mut SpareOrders::new())
    }

    /// Like `split`, in spare buffers.
    pub fn split_into(
        &self,
        layout: &Layout,
        rule: &Rule,
        spare: &mut SpareOrders,
    ) -> (ContinuousSubset, ContinuousSubset) {
        if layout.bit_columns {
            let column = &layout.features[rule.feature].columns[rule.rank as usize];
            debug_assert!(self.inner.is_none(), "bit columns hold no weightless items");
            let blank = SortedOrders::default;
            let left = ContinuousSubset::of(layout, self.members.and(column), None, blank());
            let right = ContinuousSubset::of(layout, self.members.without(column), None, blank());
            return (left, right);
        }
        let left = self.left_items(layout, rule);
        let right = self.members.without(&left);
        let inner_left = self.inner.as_ref().map(|inner| inner.and(&left));
        let inner_right = self.inner.as_ref().map(|inner| inner.without(&left));
        let features = self.sorted.features;
        let mut blank =
            |items| SortedOrders::blank(items, features, spare.pop().unwrap_or_default());
        let (mut to_left, mut to_right) = (blank(rule.items), blank(self.count - rule.items));
        for feature in 0..features {
            let (first_left, first_right) = (feature * to_left.items, feature * to_right.items);
            split_entries(
                self.sorted.order(feature),
                &left,
                &mut to_left.entries[first_left..=first_left + to_left.items],
                &mut to_right.entries[first_right..=first_right + to_right.items],
            );
        }
        (
            ContinuousSubset::of(layout, left, inner_left, to_left),
            ContinuousSubset::of(layout, right, inner_right, to_right),
        )
    }

    /// The left items of a rule.
    fn left_items(&self, layout: &Layout, rule: &Rule) -> Bits {
        let mut left = Bits::empty(layout.slots);
        for entry in &self.sorted.order(rule.feature)[..rule.items] {
            left.insert(entry.slot);
        }
        left
    }

    /// The items of the left child of `outer`, of which only those in the left child of `inner`
    /// have weight; or likewise the right children. The child of `outer` contains that of `inner`.
    pub fn two_set_child(
        &self,
        layout: &Layout,
        outer: &Rule,
        inner: &Rule,
        on_left: bool,
        spare: &mut SpareOrders,
    ) -> ContinuousSubset {
        let (members, weighted) = {
            let (outer, inner) = (self.left_items(layout, outer), self.left_items(layout, inner));
            match on_left {
                true => (outer, self.weighted().and(&inner)),
                false => (self.members.without(&outer), self.weighted().without(&inner)),
            }
        };
        let (items, features) = (members.count() as usize, self.sorted.features);
        let mut to = SortedOrders::blank(items, features, spare.pop().unwrap_or_default());
        for feature in 0..features {
            let first = feature * items;
            keep_entries(
                self.sorted.order(feature),
                &members,
                &mut to.entries[first..=first + items],
            );
        }
        ContinuousSubset::of(layout, members, Some(weighted), to)
    }
}

/// Keeps the entries of members in order; like `split_entries`, with one output.
fn keep_entries(entries: &[OrderEntry], members: &Bits, kept: &mut [OrderEntry]) {
    let mut at = 0;
    for &entry in entries {
        kept[at] = entry;
        at += members.contains(entry.slot) as usize;
    }
}

/// Splits sorted entries by membership, keeping their order. Every entry is written to both outputs
/// and only one of them advances, so that no branch can be mispredicted. Therefore each output is
/// one entry longer than its order, into the memory of the next feature.
pub(crate) fn split_entries(
    entries: &[OrderEntry],
    left: &Bits,
    to_left: &mut [OrderEntry],
    to_right: &mut [OrderEntry],
) {
    let (mut at_left, mut at_right) = (0, 0);
    for &entry in entries {
        let goes_left = left.contains(entry.slot) as usize;
        to_left[at_left] = entry;
        to_right[at_right] = entry;
        at_left += goes_left;
        at_right += 1 - goes_left;
    }
}
