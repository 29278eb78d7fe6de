//! Up to t errors without labellings, an improvement on Corollary 6.8.
//!
//! F[S, e] is the minimum size of a tree for the items of S that misclassifies at most weight e. It
//! is 0 if a leaf does. Otherwise the errors of a tree are those of its two children, so F[S, e] is
//! 1 + the minimum of F[left child, e'] + F[right child, e − e'] over all splits with items in both
//! children and all e' from 0 to e. There are (t + 1) · 2^n entries instead of (c + 1)^n, because
//! labellings are not distinguished: only the minimum over those within e errors is stored.

use super::context::{TableContext, TableResult};
use super::prepared_table::{ItemMask, NONE, SubsetTable};
use exactree_model::{Tree, Weight};
use std::sync::Arc;

/// The table F, with `levels` = t + 1 entries for every set.
struct ErrorTable<'a> {
    prepared: &'a SubsetTable,
    levels: usize,
    f: Vec<u8>,
}

/// Fills F for every set of items, in the order of their words.
///
/// Fewer items never need more nodes or errors, so the greatest F[S, t] so far is
/// a lower bound on that of all items.
pub(super) fn smallest(context: &mut TableContext<'_>, t: Weight) -> TableResult {
    let prepared = context.prepared;
    let (everything, levels) = (prepared.everything(), t as usize + 1);
    let entries = (everything as usize + 1) * levels;
    context.stats.entries = entries as u64;
    let mut table = ErrorTable { prepared, levels, f: Vec::with_capacity(entries) };
    table.f.resize(levels, 0);
    let mut greatest = 0;
    for set in 1..=everything {
        // Until they are filled, the entries of the set itself are too large to be chosen. This
        // excludes splits with an empty child.
        table.f.resize(table.f.len() + levels, NONE);
        let wrong = prepared.leaf_errors(set);
        for e in 0..levels {
            let size = match wrong <= e as Weight {
                true => Some(0),
                false => table.entry(set, e, greatest, context),
            };
            let Some(size) = size else {
                return TableResult { lower: u64::from(greatest), tree: None };
            };
            let at = table.place(set, e);
            table.f[at] = size;
            context.stats.filled += 1;
        }
        greatest = greatest.max(table.at(set, levels - 1));
    }
    let tree = (u64::from(greatest), table.tree(everything, levels - 1));
    TableResult { lower: u64::from(greatest), tree: Some(tree) }
}

impl ErrorTable<'_> {
    /// The index of F[set, e].
    #[inline]
    fn place(&self, set: ItemMask, e: usize) -> usize {
        set as usize * self.levels + e
    }

    /// F[set, e] as stored.
    #[inline]
    fn at(&self, set: ItemMask, e: usize) -> u8 {
        self.f[self.place(set, e)]
    }

    /// F[set, e]; `None` if stopped.
    fn entry(
        &self,
        set: ItemMask,
        e: usize,
        lower: u8,
        context: &mut TableContext<'_>,
    ) -> Option<u8> {
        // With the same errors no set needs fewer nodes than its subsets.
        let floor = match context.options.inner_subsets {
            true => self.at(set & (set - 1), e).max(self.at(set & !(1 << set.ilog2()), e)),
            false => 0,
        };
        let mut best = NONE;
        for split in &self.prepared.thr {
            let (left, right) = (set & split.left, set & !split.left);
            if context.stopped(|| u64::from(lower)) {
                return None;
            }
            context.stats.splits += e as u64 + 1;
            best = (0..=e).fold(best, |best, share| best.min(self.node(left, right, share, e)));
            if best == floor {
                context.stats.inner_subsets += 1;
                return Some(best);
            }
        }
        Some(best)
    }

    /// The size of a node whose left child may misclassify `share` of `e`.
    #[inline]
    fn node(&self, left: ItemMask, right: ItemMask, share: usize, e: usize) -> u8 {
        1 + self.at(left, share) + self.at(right, e - share)
    }

    /// The tree of F[set, e], which must be below `NONE`.
    fn tree(&self, set: ItemMask, e: usize) -> Arc<Tree> {
        let size = self.at(set, e);
        let children = |left: ItemMask| (set & left, set & !left);
        let mut nodes =
            self.prepared.thr.iter().flat_map(|split| (0..=e).map(move |share| (split, share)));
        let minimum = nodes.find(|(split, share)| {
            let (left, right) = children(split.left);
            size > 0 && self.node(left, right, *share, e) == size
        });
        match minimum {
            None => self.prepared.leaf(set),
            Some((split, share)) => {
                let (left, right) = children(split.left);
                let (left, right) = (self.tree(left, share), self.tree(right, e - share));
                Tree::node(split.feature, split.rank, left, right)
            }
        }
    }
}
