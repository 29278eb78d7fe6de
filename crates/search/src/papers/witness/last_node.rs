//! Decides whether one more refinement leads to a tree without errors.
//!
//! If it does, the new leaf has all dirty items and no items of other classes, so all dirty items
//! are of one class. Consider a spot that all dirty items reach. Of the rules above it of one
//! feature and direction that capture all dirty items, the narrowest is best, since wider rules
//! capture more. So it suffices to check this rule for every feature and direction of every such
//! spot.

use super::search::WitnessSearch;
use super::tree::SpotKind;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, disjoint, members, within, without};

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether one refinement classifies all dirty items correctly. If so, makes it.
    pub(super) fn last_node(&mut self, dirty: &Set<W>) -> bool {
        let Some(witness) = members(dirty).next() else { return true };
        let class = self.prepared.class[witness as usize];
        let mut next =
            within(dirty, &self.prepared.classes[class as usize]).then_some(self.tree.root);
        while let Some(at) = next {
            if let Some((rule, leaf_left)) = self.rule_capturing_all(at, dirty, class) {
                let node = self.tree.insert(at, witness, class);
                self.tree.split(node, at, rule, leaf_left);
                return true;
            }
            next = match self.tree.spots[at].kind {
                SpotKind::Leaf { .. } => None,
                SpotKind::Node { left, right, .. } => {
                    [left, right].into_iter().find(|&at| within(dirty, &self.tree.spots[at].subset))
                }
            };
        }
        self.pruned.last_node += 1;
        false
    }

    /// A feature and rank whose rule, above a spot, captures all dirty items and no item of another
    /// class; and whether the captured child is the left one.
    fn rule_capturing_all(
        &self,
        at: usize,
        dirty: &Set<W>,
        class: u32,
    ) -> Option<((usize, u32), bool)> {
        let others = without(&self.tree.spots[at].subset, &self.prepared.classes[class as usize]);
        let (low, high) = self.tree.ends(at);
        (0..self.prepared.features).find_map(|feature| {
            let rules = self.prepared.rules(feature);
            let (below, above) =
                (&rules[..low[feature] as usize], &rules[high[feature] as usize..]);
            if below.last().is_some_and(|left| within(dirty, left)) {
                let rank = below.partition_point(|left| !within(dirty, left));
                let rank = (rank + offset(Mutant::WitnessLastLeft) as usize).min(below.len() - 1);
                if disjoint(&others, &below[rank]) {
                    return Some(((feature, rank as u32), true));
                }
            }
            if above.first().is_some_and(|left| disjoint(dirty, left)) {
                let rank = above.partition_point(|left| disjoint(dirty, left)) - 1;
                let rank = rank.saturating_sub(offset(Mutant::WitnessLastRight) as usize);
                if within(&others, &above[rank]) {
                    return Some(((feature, high[feature] + rank as u32), false));
                }
            }
            None
        })
    }
}
