//! Subset constraints, which prune refinements dominated by earlier ones (Witty: Staus et al., AAAI
//! 2025).
//!
//! A constraint is a node and a set of items; it is violated when none of them reaches the node any
//! more. It then stays violated, because refinements only remove items from a node.
//!
//! *Threshold.* Above one spot, the rules of one feature are tried in the order of increasing
//! distance from the introduced item, so each sends more items to the new leaf than the one before.
//! If none of the additional items of a rule reaches the node in a solution, both rules split the
//! items of the node in the same way, so there is a solution with the earlier rule.
//!
//! *Height.* Let a node u be inserted above a node v with children w and z, and let z be the one to
//! which the new witness goes. If no dirty item of w reaches u in a solution, the current subtree
//! of w classifies correctly all items of w that do. Then u can be inserted below v instead: the
//! children of v are w with its current subtree, and u, below which z takes the place of v. This
//! tree is not larger, makes no more errors, and was tried earlier, since spots are tried from the
//! leaf up.
//!
//! The constraints can be combined with each other and with every bound. Consider the first path of
//! the search without constraints that leads to a solution. If it violated a constraint, there
//! would be a solution on an earlier path, and the search, which is complete for every witness
//! tree, would have found it. Bounds only prune search nodes without a solution. Solutions excluded
//! by settled errors (switch `fixed_errors`) are found on an earlier path as well.

use super::tree::{SpotKind, WitnessTree};
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, count};

/// At least one of the items `kept` must reach the node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constraint<const W: usize> {
    pub node: usize,
    pub kept: Set<W>,
    /// Whether this is a height constraint, rather than a threshold constraint.
    pub height: bool,
}

impl<const W: usize> Constraint<W> {
    /// Whether the constraint is violated.
    pub(super) fn violated(&self, tree: &WitnessTree<'_, W>) -> bool {
        let mutant = if self.height { Mutant::WitnessHeight } else { Mutant::WitnessThreshold };
        let kept = and(&self.kept, &tree.spots[self.node].subset);
        u64::from(count(&kept)) <= offset(mutant)
    }
}

impl<const W: usize> WitnessTree<'_, W> {
    /// The dirty items in the child of a node to which an item does not go; `None` for a leaf.
    pub(crate) fn dirty_in_other_child(
        &self,
        at: usize,
        item: u32,
        dirty: &Set<W>,
    ) -> Option<Set<W>> {
        match self.spots[at].kind {
            SpotKind::Leaf { .. } => None,
            SpotKind::Node { feature, rank, left, right } => {
                let item_left = self.prepared.ranks(item)[feature] <= rank;
                let other = if item_left { right } else { left };
                Some(and(dirty, &self.spots[other].subset))
            }
        }
    }
}
