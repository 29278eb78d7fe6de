//! Subset constraints: what a refinement has to keep to be worth more than an
//! earlier one (Witty: Staus et al., AAAI 2025).
//!
//! A constraint is a node and a set of items; it is broken when none of them
//! reaches the node any more, and so for good: refinements only take items away.
//!
//! *Threshold.* Rules of one feature are tried at one place from the item
//! outwards: they capture ever more. If of what a rule captures more than the
//! one before nothing reaches the node in the end, both rules divide what does
//! reach it alike, and the solution was there with the rule before.
//!
//! *Height.* Let a node u be inserted above a node v, and w be the side of v
//! that the new witness is not on. If no dirty item of w reaches u in the end,
//! w as it stands classifies what is left of its items. Then u, with all that
//! came to it, can as well stand below v on the other side: a tree that is not
//! larger, makes no more errors, and was there when the spots were tried from
//! the leaf upwards.
//!
//! Why they are safe together, and with every bound: of all paths of the search
//! without constraints that lead to a solution take the first. If a constraint
//! broke on it, a solution would have been there on an earlier path, and the
//! search, complete as it is for every witness tree, would have found it. Bounds
//! discard only what has no solution. What settled errors exclude has been
//! searched on an earlier path, too.

use super::search::Search;
use super::tree::Kind;
use crate::mutants::{Mutant, off};
use crate::sets::{Set, and, count};

/// Some of the items `kept` must reach the node.
#[derive(Clone, Copy, Debug)]
pub struct Constraint<const W: usize> {
    pub node: usize,
    pub kept: Set<W>,
    /// A height constraint, or one on the threshold.
    pub height: bool,
}

impl<const W: usize> Search<'_, W> {
    /// Whether a constraint is broken.
    pub fn broken(&mut self) -> bool {
        let spots = &self.tree.spots;
        let broken = |constraint: &&Constraint<W>| {
            let mutant =
                if constraint.height { Mutant::WitnessHeight } else { Mutant::WitnessThreshold };
            let kept = and(&constraint.kept, &spots[constraint.node].part);
            u64::from(count(&kept)) <= off(mutant)
        };
        match self.constraints.iter().find(broken) {
            None => false,
            Some(constraint) => {
                match constraint.height {
                    true => self.discards.height_constraints += 1,
                    false => self.discards.threshold_constraints += 1,
                }
                true
            }
        }
    }

    /// The dirty items below a node on the side that an item is not on; none
    /// for a leaf.
    pub fn other_side(&self, at: usize, item: u32, dirty: &Set<W>) -> Option<Set<W>> {
        match self.tree.spots[at].kind {
            Kind::Leaf { .. } => None,
            Kind::Node { feature, rank, left, right } => {
                let item_left = self.ground.ranks(item)[feature] <= rank;
                let other = if item_left { right } else { left };
                Some(and(dirty, &self.tree.spots[other].part))
            }
        }
    }
}
