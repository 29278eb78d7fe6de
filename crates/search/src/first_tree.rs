//! The tree a search for the least size begins with: the greedy one, if it is
//! within the limits.

use crate::climb::Measured;
use crate::limits::Clock;
use crate::solve::greedy_tree;
use exactree_model::{Limits, Table, Weight};

/// A tree of at most `size` nodes that misclassifies at most `errors`, if the
/// greedy rule finds one.
pub(crate) fn first_tree(
    table: &Table,
    errors: Weight,
    size: u32,
    clock: &Clock<'_>,
) -> Option<Measured> {
    let limits = Limits { depth: u32::MAX, size: u32::MAX, min_rows: 1 };
    let (wrong, tree) = greedy_tree(table, limits, clock);
    let found = tree.size();
    (wrong <= errors && found <= size).then_some((u64::from(found), tree))
}
