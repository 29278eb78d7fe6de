//! A subset: the items that reach a node, and how a rule splits them.
//!
//! With a minimum leaf size a subset may have weightless items, which only count as rows of leaves;
//! `two_set_bound.rs` says why.

use crate::engine::rules::{Rule, RuleEnd, Rules};
use crate::engine::subset_state::SubsetState;
use crate::support::bits::Bits;
use crate::support::columns_in_parallel::for_columns;
use exactree_model::Weight;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

/// A prepared table: items in slots, and rules that split them.
pub(crate) trait SearchTable {
    /// Totals of the items of a subset, on which the cost of a leaf depends.
    type Totals: Clone + Send + Sync + 'static;

    /// Number of rows of the item of a slot.
    fn rows(&self, slot: usize) -> u64;

    /// Number of items, number of their rows, and totals of those that are weighted.
    fn totals(&self, members: &Bits, weighted: &Bits) -> (usize, u64, Self::Totals);

    /// The items of some slots that the rule of a tree's node sends left, and those that it sends
    /// right.
    fn route(&self, slots: &[u32], feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>);
}

/// A table whose rules are thresholds on features.
pub(crate) trait ThresholdTable: SearchTable {
    /// Number of slots.
    fn slots(&self) -> usize;

    fn features(&self) -> usize;

    /// Index of a feature into `Table::features`.
    fn index(&self, feature: usize) -> u32;

    /// By feature, the rank of the item of every slot.
    fn ranks(&self, feature: usize) -> &[u32];

    /// The rules of a feature that have two non-empty children. With `similarity`, weights of rules
    /// bound how much more the items of their left child can cost in other leaves.
    fn rules(&self, subset: &Subset<Self::Totals>, feature: usize, similarity: bool) -> Rules;

    /// The left items of a rule, if subsets are split by columns of bits.
    fn column(&self, rule: &Rule) -> Option<&Bits>;

    /// The items of some slots of rank at most `rank`, and the others.
    fn route_by_rank(&self, slots: &[u32], feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        let ranks = self.ranks(feature as usize);
        slots.iter().partition(|&&slot| ranks[slot as usize] <= rank)
    }
}

/// The items that reach a node. Fields of the totals are read as fields of the subset.
#[derive(Clone)]
pub(crate) struct Subset<T> {
    pub members: Bits,
    /// The inner set: the items that count with their weight; `None` if all do.
    pub inner: Option<Bits>,
    /// Number of items.
    pub count: usize,
    /// Number of rows as given.
    pub rows: u64,
    /// Totals of the items that count with their weight.
    pub totals: T,
    /// Empty if rules are columns of bits.
    pub sorted: SortedOrders,
    /// The constraints of its trees; `None` for those of the limits alone.
    pub state: Option<Arc<SubsetState>>,
}

impl<T> Deref for Subset<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.totals
    }
}

/// The items of a subset in the order of every feature, one order after the other.
#[derive(Clone, Default)]
pub(crate) struct SortedOrders {
    items: usize,
    features: usize,
    /// One entry longer than the orders, for `split_entries`.
    entries: Vec<OrderEntry>,
}

/// Buffers of dropped subsets, for reuse.
pub(crate) type SpareOrders = Vec<Vec<OrderEntry>>;

/// An item in a feature's order; the rank is stored with it because a look-up by slot would be a
/// cache miss.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OrderEntry {
    pub rank: u32,
    pub slot: u32,
}

impl SortedOrders {
    /// A buffer for orders, with unspecified content.
    fn blank(items: usize, features: usize, mut entries: Vec<OrderEntry>) -> SortedOrders {
        entries.resize(items * features + 1, OrderEntry::default());
        SortedOrders { items, features, entries }
    }

    /// The orders of all features, which some threads write.
    fn new<I: Iterator<Item = OrderEntry>>(
        threads: usize,
        (items, features): (usize, usize),
        order: impl Fn(usize) -> I + Sync,
    ) -> SortedOrders {
        let items = if features == 0 { 0 } else { items };
        let mut orders = SortedOrders::blank(items, features, Vec::new());
        let parts = orders.entries.chunks_mut(items.max(1)).take(features).map(Mutex::new);
        let parts: Vec<Mutex<&mut [OrderEntry]>> = parts.collect();
        for_columns(threads, &|| false, (items, features), |feature| {
            let mut part = parts[feature].lock().expect("each feature is written once");
            part.iter_mut().zip(order(feature)).for_each(|(entry, new)| *entry = new);
        });
        orders
    }

    /// Number of features with an order.
    pub(crate) fn features(&self) -> usize {
        self.features
    }

    /// The items in the order of a feature.
    pub(crate) fn order(&self, feature: usize) -> &[OrderEntry] {
        &self.entries[feature * self.items..][..self.items]
    }

    /// The items in the order of each feature.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[OrderEntry]> {
        (0..self.features).map(|feature| self.order(feature))
    }

    /// Returns the buffer for reuse.
    pub(crate) fn spare(self, spare: &mut SpareOrders) {
        spare.push(self.entries);
    }
}

impl<T> Subset<T> {
    /// A subset without orders of its items, all of which count with their weight.
    pub(crate) fn unordered(members: Bits, count: usize, rows: u64, totals: T) -> Self {
        Subset {
            members,
            inner: None,
            count,
            rows,
            totals,
            sorted: SortedOrders::default(),
            state: None,
        }
    }

    /// The subset of these items, with orders of the features of the table, if it needs any.
    pub(crate) fn of<P: SearchTable<Totals = T>>(
        table: &P,
        members: Bits,
        inner: Option<Bits>,
        sorted: SortedOrders,
    ) -> Self {
        let inner = inner.filter(|inner| *inner != members);
        let (count, rows, totals) = table.totals(&members, inner.as_ref().unwrap_or(&members));
        Subset { members, inner, count, rows, totals, sorted, state: None }
    }

    /// The subset of these items, whose orders some threads write; `order` returns the slots of a
    /// table in the order of a feature.
    pub(crate) fn with_orders<P: ThresholdTable<Totals = T> + Sync, I: Iterator<Item = u32>>(
        table: &P,
        members: Bits,
        (features, threads): (usize, usize),
        order: impl Fn(usize) -> I + Sync,
    ) -> Self {
        let entries = |feature: usize| {
            let ranks = table.ranks(feature);
            let slots = order(feature).filter(|&slot| members.contains(slot));
            slots.map(|slot| OrderEntry { rank: ranks[slot as usize], slot })
        };
        let items = members.words.iter().map(|word| word.count_ones() as usize).sum();
        let sorted = SortedOrders::new(threads, (items, features), entries);
        Subset::of(table, members, None, sorted)
    }

    /// The subset with further items, given by slot and ranks; the table has all but their ranks.
    pub(crate) fn with_items<P: SearchTable<Totals = T>>(
        &self,
        table: &P,
        more: &[(u32, Arc<[u32]>)],
    ) -> Self {
        let mut members = self.members.clone();
        more.iter().for_each(|(slot, _)| members.insert(*slot));
        let before = &self.sorted;
        let order = |feature: usize| {
            let mut entries = before.order(feature).to_vec();
            for (slot, ranks) in more {
                let rank = ranks[feature];
                let at = entries.partition_point(|entry| entry.rank <= rank);
                entries.insert(at, OrderEntry { rank, slot: *slot });
            }
            entries.into_iter()
        };
        let size = (self.count + more.len(), before.features);
        let sorted = SortedOrders::new(1, size, order);
        Subset::of(table, members, None, sorted)
    }

    /// The key of the subset in the cache: its items; if some are weightless, also those that are
    /// not. These come first, so that no key of two sets is a key of one set.
    pub(crate) fn key(&self) -> Cow<'_, Bits> {
        match &self.inner {
            None => Cow::Borrowed(&self.members),
            Some(inner) => {
                let words = inner.words.iter().chain(&self.members.words).copied().collect();
                Cow::Owned(Bits { words })
            }
        }
    }

    /// The items that count with their weight.
    pub(crate) fn weighted(&self) -> &Bits {
        self.inner.as_ref().unwrap_or(&self.members)
    }

    /// Whether an item of the subset counts with its weight.
    pub(crate) fn is_weighted(&self, slot: u32) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.contains(slot))
    }

    /// The rules of a feature, from its order; `step` returns the rows and the weight of the item
    /// of a slot, both one if `plain`. Writes a rule after every item and keeps those after the
    /// last item of a value, so that no branch can be mispredicted.
    pub(crate) fn rules_of_order(
        &self,
        feature: usize,
        plain: bool,
        step: impl Fn(u32) -> (u64, Weight),
    ) -> Rules {
        let entries = self.sorted.order(feature);
        let mut rules = Rules::blank(feature, entries.len(), plain);
        let (mut rows, mut weight, mut count) = (0, 0, 0);
        for (at, pair) in entries.windows(2).enumerate() {
            rules.ends[count] = RuleEnd { rank: pair[0].rank, items: at as u32 + 1 };
            if !plain {
                let (more_rows, more_weight) = step(pair[0].slot);
                rows += more_rows;
                weight += more_weight;
                rules.totals[count] = (rows, weight);
            }
            count += (pair[0].rank != pair[1].rank) as usize;
        }
        rules.truncate(count);
        rules
    }

    /// The rules of a feature that have two non-empty children.
    pub(crate) fn rules<P: ThresholdTable<Totals = T>>(&self, table: &P, feature: usize) -> Rules {
        table.rules(self, feature, false)
    }

    /// The two children of a split.
    pub(crate) fn split<P: ThresholdTable<Totals = T>>(&self, table: &P, rule: &Rule) -> [Self; 2] {
        self.split_into(table, rule, &mut SpareOrders::new())
    }

    /// Like `split`, in spare buffers.
    pub(crate) fn split_into<P: ThresholdTable<Totals = T>>(
        &self,
        table: &P,
        rule: &Rule,
        spare: &mut SpareOrders,
    ) -> [Self; 2] {
        if let Some(column) = table.column(rule) {
            debug_assert!(self.inner.is_none(), "bit columns hold no weightless items");
            let children = [self.members.and(column), self.members.without(column)];
            return children.map(|child| Subset::of(table, child, None, SortedOrders::default()));
        }
        let left = self.left_items(table, rule);
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
        [
            Subset::of(table, left, inner_left, to_left),
            Subset::of(table, right, inner_right, to_right),
        ]
    }

    /// The left items of a rule.
    fn left_items<P: ThresholdTable<Totals = T>>(&self, table: &P, rule: &Rule) -> Bits {
        let mut left = Bits::empty(table.slots());
        for entry in &self.sorted.order(rule.feature)[..rule.items] {
            left.insert(entry.slot);
        }
        left
    }

    /// The items of the left child of `outer`, of which only those in the left child of `inner`
    /// have weight; or likewise the right children. The child of `outer` contains that of `inner`.
    pub(crate) fn two_set_child<P: ThresholdTable<Totals = T>>(
        &self,
        table: &P,
        outer: &Rule,
        inner: &Rule,
        on_left: bool,
        spare: &mut SpareOrders,
    ) -> Self {
        let (members, weighted) = {
            let (outer, inner) = (self.left_items(table, outer), self.left_items(table, inner));
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
        Subset::of(table, members, Some(weighted), to)
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
