//! Trees without errors: every item of a set gets its own class (Theorems 5.2 and 6.4).
//!
//! Q[R_1, ..., R_c] with R_j inside class j depends only on the union of the R_j: it is 0 for a
//! set of one class, otherwise 1 + the minimum of Q[left child] + Q[right child] over all
//! splits with items in both children.

use super::context::{TableContext, TableResult};
use super::prepared_table::{ItemMask, NONE, SubsetTable};
use exactree_model::Tree;
use std::sync::Arc;

/// Fills Q for every set of items, in increasing order of their bit masks.
///
/// Fewer items never need more nodes, so the greatest entry so far is a lower
/// bound on Q of all items.
pub(super) fn smallest(context: &mut TableContext<'_>) -> TableResult {
    let prepared = context.prepared;
    let everything = prepared.everything();
    context.stats.entries = everything + 1;
    let mut q: Vec<u8> = Vec::with_capacity(everything as usize + 1);
    q.push(0);
    let mut greatest = 0;
    for set in 1..=everything {
        if context.stopped(|| u64::from(greatest)) {
            return TableResult { lower: u64::from(greatest), tree: None };
        }
        // Until it is filled, the entry of the set itself is too large to be chosen. This
        // excludes splits with an empty child.
        q.push(NONE);
        let size = if prepared.one_class(set) { 0 } else { best_split(&q, set, context) };
        q[set as usize] = size;
        greatest = greatest.max(size);
        context.stats.filled += 1;
    }
    let tree = (u64::from(greatest), tree_of(prepared, &q, everything));
    TableResult { lower: u64::from(greatest), tree: Some(tree) }
}

/// 1 + the minimum of Q[left child] + Q[right child] over all splits.
fn best_split(q: &[u8], set: ItemMask, context: &mut TableContext<'_>) -> u8 {
    // No set needs fewer nodes than its subsets, so a split that needs no more than the set
    // without its first or its last item is best.
    let floor = match context.options.inner_subsets {
        true => q[(set & (set - 1)) as usize].max(q[(set & !(1 << set.ilog2())) as usize]),
        false => 0,
    };
    let mut best = NONE;
    for (at, split) in context.prepared.thr.iter().enumerate() {
        let left = set & split.left;
        let size = 1 + q[left as usize] + q[(set & !split.left) as usize];
        best = best.min(size);
        if best == floor {
            context.stats.inner_subsets += 1;
            context.stats.splits += at as u64 + 1;
            return best;
        }
    }
    context.stats.splits += context.prepared.thr.len() as u64;
    best
}

/// The tree for a set, read from the entries.
fn tree_of(prepared: &SubsetTable, q: &[u8], set: ItemMask) -> Arc<Tree> {
    let size = q[set as usize];
    let children = |left: ItemMask| (set & left, set & !left);
    let minimum = prepared.thr.iter().find(|split| {
        let (left, right) = children(split.left);
        size > 0 && 1 + q[left as usize] + q[right as usize] == size
    });
    match minimum {
        None => prepared.leaf(set),
        Some(split) => {
            let (left, right) = children(split.left);
            let (left, right) = (tree_of(prepared, q, left), tree_of(prepared, q, right));
            Tree::node(split.feature, split.rank, left, right)
        }
    }
}
