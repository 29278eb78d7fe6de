//! Subset constraints, which prune refinements dominated by earlier ones (Witty: Staus et al., AAAI
//! 2025).
//!
//! A constraint is a node and a set of items; it is violated when none of them reaches the node any
//! more. It then stays violated, because refinements only remove items.
//!
//! *Threshold.* Rules of one feature are tried at one place from the item outwards, so each
//! captures more than the one before. If none of the additional items of a rule reaches the node in
//! the end, both rules split the node's items alike, and the solution exists with the earlier rule.
//!
//! *Height.* Let a node u be inserted above a node v, and w be the child of v that the new witness
//! is not on. If no dirty item of w reaches u in the end, w as it stands classifies what is left of
//! its items. Then u, with its subtrees, can as well be placed below v in the other child: a tree
//! that is not larger, makes no more errors, and was tried earlier, since spots are tried from the
//! leaf upwards.
//!
//! Why they are safe together, and with every bound: of all paths of the search without constraints
//! that lead to a solution take the first. If a constraint broke on it, a solution would have been
//! there on an earlier path, and the search, complete as it is for every witness tree, would have
//! found it. Bounds only prune search nodes without a solution. Solutions excluded by settled
//! errors have been searched on an earlier path, too.

use super::search::WitnessSearch;
use super::tree::SpotKind;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, count};

/// Some of the items `kept` must reach the node.
#[derive(Clone, Copy, Debug)]
pub struct Constraint<const W: usize> {
    pub node: usize,
    pub kept: Set<W>,
    /// A height constraint, or one on the threshold.
    pub height: bool,
}

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether a constraint is broken.
    pub fn broken(&mut self) -> bool {
        let spots = &self.tree.spots;
        let broken = |constraint: &&Constraint<W>| {
            let mutant =
                if constraint.height { Mutant::WitnessHeight } else { Mutant::WitnessThreshold };
            let kept = and(&constraint.kept, &spots[constraint.node].subset);
            u64::from(count(&kept)) <= offset(mutant)
        };
        match self.constraints.iter().find(broken) {
            None => false,
            Some(constraint) => {
                match constraint.height {
                    true => self.pruned.height_constraints += 1,
                    false => self.pruned.threshold_constraints += 1,
                }
                true
            }
        }
    }

    /// The dirty items below a node on the child that an item is not on; none
    /// for a leaf.
    pub fn other_child(&self, at: usize, item: u32, dirty: &Set<W>) -> Option<Set<W>> {
        match self.tree.spots[at].kind {
            SpotKind::Leaf { .. } => None,
            SpotKind::Node { feature, rank, left, right } => {
                let item_left = self.prepared.ranks(item)[feature] <= rank;
                let other = if item_left { right } else { left };
                Some(and(dirty, &self.tree.spots[other].subset))
            }
        }
    }
}
