//! Up to t errors by the table of Lemmas 5.1 and 6.3 (Corollary 6.8).
//!
//! Q[R_1, ..., R_c] is the minimum size of a tree that, for the items of all R_j, predicts class j
//! exactly for those of R_j. It is 0 if at most one of the sets has items, otherwise 1 + the
//! minimum of Q[left child] + Q[right child] over all splits with items in both children. The
//! result is the minimum Q[R] over the labellings R of all items that misclassify at most t.
//!
//! The number of a labelling has a digit in base c + 1 for every item: 0 for no class, otherwise
//! one more than the class. Each nonzero digit of a labelling is a digit of one child and 0 in the
//! other. So the children come before the labelling, and their numbers add up to its number.

use super::context::{TableContext, TableResult};
use super::prepared_table::{ItemMask, NONE, SubsetTable};
use crate::support::size_loop::SizedTree;
use exactree_model::{Tree, Weight};
use std::sync::Arc;

/// The table Q, and the numbers of sets.
pub(crate) struct LabelingTable<'a> {
    prepared: &'a SubsetTable,
    q: Vec<u8>,
    /// For every set of items, the sum of their powers of the base.
    powers: Vec<usize>,
}

/// Fills Q for every labelling of every set of items.
///
/// A tree of all items labels the first k of them, with no more errors. So the minimum entry of the
/// labellings of exactly these items is a lower bound. It is complete when the numbers reach a
/// labelling of item k (counted from 0).
pub(crate) fn smallest(context: &mut TableContext<'_>, t: Weight) -> TableResult {
    let LabelingResult { table, lower, minimum } = fill(context, t);
    TableResult { lower: lower.into(), tree: minimum.and_then(|minimum| table.read(minimum)) }
}

/// A table, a lower bound, and the minimum entry of the labellings of all items, if any.
pub(crate) struct LabelingResult<'a> {
    pub table: LabelingTable<'a>,
    lower: u8,
    pub minimum: Option<(u8, usize)>,
}

/// Fills Q for every labelling of every set of items that misclassifies at most t.
pub(crate) fn fill<'a>(context: &mut TableContext<'a>, t: Weight) -> LabelingResult<'a> {
    let prepared = context.prepared;
    let (base, items) = (prepared.classes.len() + 1, prepared.items);
    let entries = base.pow(items as u32);
    context.stats.entries = entries as u64;
    let mut table =
        LabelingTable { prepared, q: Vec::with_capacity(entries), powers: powers(base, items) };
    let mut r = Labeling { number: 0, sets: vec![0; base - 1], labelled: 0, wrong: 0 };
    // While the numbers are below base^first, only the first `first` items have classes; `minimum`
    // is the minimum entry of the labellings of exactly these items.
    let (mut first, mut lower, mut minimum) = (0, 0, None);
    while r.number < entries {
        if first < items && r.number == base.pow(first as u32) {
            lower = lower.max(minimum.map_or(0, |(size, _)| size));
            (first, minimum) = (first + 1, None);
        }
        if context.stopped(|| lower.into()) {
            // Only labellings of all items have a tree for the table.
            let minimum = minimum.filter(|_| first == items);
            return LabelingResult { table, lower, minimum };
        }
        table.q.push(NONE);
        if context.options.few_errors && r.wrong > t {
            // The children of a labelling misclassify no more than it does, so no labelling within
            // t needs this entry.
            context.stats.few_errors += 1;
        } else {
            let size = table.entry(&r, context);
            table.q[r.number] = size;
            context.stats.filled += 1;
            let whole = r.labelled == (1 << first) - 1 && r.wrong <= t;
            if whole && minimum.is_none_or(|(minimum, _)| size < minimum) {
                minimum = Some((size, r.number));
            }
        }
        r.advance(prepared);
    }
    let lower = minimum.map_or(lower, |(size, _)| size);
    LabelingResult { table, lower, minimum }
}

/// A labelling of some items: its number and its sets.
struct Labeling {
    number: usize,
    /// R_1, ..., R_c.
    sets: Vec<ItemMask>,
    /// The items with a class.
    labelled: ItemMask,
    /// Weight of the items with a wrong class.
    wrong: Weight,
}

impl Labeling {
    fn of_number(number: usize, prepared: &SubsetTable) -> Self {
        let base = prepared.classes.len() + 1;
        let mut sets = vec![0; prepared.classes.len()];
        let mut rest = number;
        for item in 0..prepared.items {
            let digit = rest % base;
            if digit > 0 {
                sets[digit - 1] |= 1 << item;
            }
            rest /= base;
        }
        let labelled = sets.iter().fold(0, |all, set| all | set);
        // The errors are not used when trees are read.
        Labeling { number, sets, labelled, wrong: 0 }
    }

    /// The class of an item that has one.
    fn class(&self, item: usize) -> usize {
        self.sets.iter().position(|set| set >> item & 1 == 1).expect("a labelled item")
    }

    /// Advances to the labelling of the next number.
    fn advance(&mut self, prepared: &SubsetTable) {
        self.number += 1;
        for item in 0..prepared.items {
            let bit = 1 << item;
            if self.labelled & bit == 0 {
                return self.assign(item, 0, prepared);
            }
            let class = self.class(item);
            self.sets[class] &= !bit;
            self.labelled &= !bit;
            self.wrong -= if class == prepared.class[item] { 0 } else { prepared.weight[item] };
            if class + 1 < self.sets.len() {
                return self.assign(item, class + 1, prepared);
            }
        }
    }

    /// Gives a class to an item that has none.
    fn assign(&mut self, item: usize, class: usize, prepared: &SubsetTable) {
        self.sets[class] |= 1 << item;
        self.labelled |= 1 << item;
        self.wrong += if class == prepared.class[item] { 0 } else { prepared.weight[item] };
    }
}

impl LabelingTable<'_> {
    /// Q[R].
    fn entry(&self, r: &Labeling, context: &mut TableContext<'_>) -> u8 {
        if r.sets.iter().filter(|&&set| set != 0).count() <= 1 {
            return 0;
        }
        // No labelling needs fewer nodes than its restriction to fewer items.
        let floor = match context.options.inner_subsets {
            true => {
                let ends = [r.labelled.trailing_zeros(), r.labelled.ilog2()];
                let inner = ends.map(|item| self.q[self.without(r, item as usize)]);
                inner[0].max(inner[1])
            }
            false => 0,
        };
        let mut best = NONE;
        for (at, split) in self.prepared.thr.iter().enumerate() {
            let left = self.child(r, split.left);
            best = best.min(1 + self.q[left] + self.q[r.number - left]);
            if best == floor {
                context.stats.inner_subsets += 1;
                context.stats.splits += at as u64 + 1;
                return best;
            }
        }
        context.stats.splits += self.prepared.thr.len() as u64;
        best
    }

    /// The number of the left child of a labelling.
    #[inline]
    fn child(&self, r: &Labeling, left: ItemMask) -> usize {
        let sets = r.sets.iter().enumerate();
        sets.map(|(class, set)| (class + 1) * self.powers[(set & left) as usize]).sum()
    }

    /// The number of a labelling without one of its items.
    fn without(&self, r: &Labeling, item: usize) -> usize {
        r.number - (r.class(item) + 1) * self.powers[1 << item]
    }

    /// The tree of a labelling, if any: a labelling that distinguishes equal items has none.
    fn read(&self, (size, number): (u8, usize)) -> Option<SizedTree> {
        // The heaviest class of the items misclassifies no more than the class of the labelling.
        let leaf = |r: &Labeling| self.prepared.leaf(r.labelled);
        (size < NONE).then(|| (size.into(), self.tree(number, &leaf)))
    }

    /// The labellings of all items for which there is a tree, with its size.
    pub(crate) fn whole(&self) -> Vec<(usize, u8)> {
        let labelled = |number: usize| Labeling::of_number(number, self.prepared).labelled;
        let everything = self.prepared.everything();
        let sized = self.q.iter().enumerate().filter(|(_, size)| **size < NONE);
        let whole = sized.filter(|(number, _)| labelled(*number) == everything);
        whole.map(|(number, &size)| (number, size)).collect()
    }

    /// The class of every item in a labelling of all items.
    pub(crate) fn classes(&self, number: usize) -> Vec<usize> {
        let r = Labeling::of_number(number, self.prepared);
        (0..self.prepared.items).map(|item| r.class(item)).collect()
    }

    /// The tree of a labelling for which there is one; its leaves predict the classes of the
    /// labelling.
    pub(crate) fn voting_tree(&self, number: usize) -> Arc<Tree> {
        let class = |r: &Labeling| r.class(r.labelled.trailing_zeros() as usize) as u32;
        self.tree(number, &|r| Tree::leaf(class(r)))
    }

    fn tree(&self, number: usize, leaf: &impl Fn(&Labeling) -> Arc<Tree>) -> Arc<Tree> {
        let r = Labeling::of_number(number, self.prepared);
        let size = self.q[number];
        let minimum = self.prepared.thr.iter().find(|split| {
            let left = self.child(&r, split.left);
            size > 0 && 1 + self.q[left] + self.q[number - left] == size
        });
        match minimum {
            None => leaf(&r),
            Some(split) => {
                let left = self.child(&r, split.left);
                let (left, right) = (self.tree(left, leaf), self.tree(number - left, leaf));
                Tree::node(split.feature, split.rank, left, right)
            }
        }
    }
}

/// For every set of items, the sum of their powers of the base.
fn powers(base: usize, items: usize) -> Vec<usize> {
    let mut powers = vec![0; 1 << items];
    for item in 0..items {
        let power = base.pow(item as u32);
        for set in 0..1 << item {
            powers[1 << item | set] = powers[set] + power;
        }
    }
    powers
}
