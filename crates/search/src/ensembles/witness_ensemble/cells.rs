//! Unlike pairs that no tree separates need rules of their own.
//!
//! A *cell* is a maximal set of items that share a leaf in every tree: they get the same votes. So
//! two items of different classes in one cell are both right only if a further rule separates them,
//! in any tree. If no rule separates two of these pairs at once, at least as many further rules are
//! needed as there are pairs. `papers/witness/pairs.rs` counts the pairs and deducts allowed
//! errors.
//!
//! *Pair bound.* At the start all items are one cell, so the rules of all trees
//! together separate all unlike pairs: the bound of `papers/witness/pairs.rs` at the
//! root also holds for ensembles.

use super::search::EnsembleWitnessSearch;
use crate::papers::witness::pairs::min_rules;
use crate::papers::witness::tree::SpotKind;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, empty, members, without};

impl<const W: usize> EnsembleWitnessSearch<'_, W> {
    /// Whether the pairs inside cells need more than `left` rules.
    pub(super) fn cell_pairs_exceed(&self, left: u32) -> bool {
        let Some(nearest) = self.nearest else { return false };
        let mut pairs = Vec::new();
        for cell in self.cells() {
            for class in &self.prepared.classes {
                let (own, unlike) = (and(&cell, class), without(&cell, class));
                if empty(&own) || empty(&unlike) {
                    continue;
                }
                for item in members(&own) {
                    let near = nearest.in_subset(item, &unlike);
                    pairs.extend(
                        near.map(|(distance, other)| (distance, item.min(other), item.max(other))),
                    );
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let allowed = self.prepared.errors - self.prepared.weigh(&self.settled.errors);
        let needed = min_rules(self.prepared, &pairs, allowed, left, self.clock);
        u64::from(needed) + offset(Mutant::EnsembleCellPairs) > left.into()
    }

    /// The cells of items that are not settled as errors.
    fn cells(&self) -> Vec<Set<W>> {
        let mut cells = vec![without(&self.prepared.everything(), &self.settled.errors)];
        for tree in &self.trees {
            let leaves =
                tree.spots.iter().filter(|spot| matches!(spot.kind, SpotKind::Leaf { .. }));
            let split = leaves.flat_map(|leaf| cells.iter().map(|cell| and(cell, &leaf.subset)));
            cells = split.filter(|cell| !empty(cell)).collect();
        }
        cells
    }
}
