//! The pair bound inside the leaves of a witness tree (argument in `pairs.rs`).

use super::pairs::min_rules;
use super::search::WitnessSearch;
use super::tree::SpotKind;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, count, members, without};

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether the pairs of a dirty item and an item of its leaf's class need more than `left`
    /// rules.
    pub(super) fn leaf_pairs_exceed(&mut self, open: &Set<W>, left: u32) -> bool {
        let Some(nearest) = self.nearest.filter(|_| self.options.leaf_pairs) else { return false };
        if count(open) <= left {
            return false;
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        for spot in &self.tree.spots {
            if let SpotKind::Leaf { class } = spot.kind {
                let unlike = and(&spot.subset, open);
                let own = and(&spot.subset, &self.prepared.classes[class as usize]);
                // Settled errors need not be separated.
                let own = without(&own, &self.settled);
                for item in members(&unlike) {
                    let near = nearest.in_subset(item, &own);
                    pairs.extend(near.map(|(distance, other)| (distance, item, other)));
                }
            }
        }
        pairs.sort_unstable();
        let allowed = self.prepared.errors - self.prepared.weigh(&self.settled);
        let rules = min_rules(self.prepared, &pairs, allowed, left, self.clock);
        self.pairs = pairs;
        rules + offset(Mutant::WitnessLeafPairs) as u32 > left
    }
}
