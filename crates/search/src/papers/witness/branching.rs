//! The branching of a search node, unless a bound prunes the node.

use super::improvements::SufficientRules;
use super::search::WitnessSearch;
use crate::support::clock::Stopped;
use crate::support::sets::{Set, count, without};
use std::ops::Range;

/// The branching of a search node: its dirty items, those among them that are not settled as errors
/// (`open`), and the rules that correct enough of the open items (`None` for all rules).
pub(super) struct WitnessBranching<const W: usize> {
    pub dirty: Set<W>,
    pub open: Set<W>,
    pub sufficient: Option<SufficientRules>,
}

impl<const W: usize> WitnessSearch<'_, W> {
    /// The branching of this search node; `None` if a bound proves that the remaining nodes are too
    /// few.
    pub(super) fn branching(
        &mut self,
        dirty: Set<W>,
        left: u32,
    ) -> Result<Option<WitnessBranching<W>>, Stopped> {
        // Settled errors need no refinement.
        let open = without(&dirty, &self.settled);
        self.pruned.fixed_errors += u64::from(count(&dirty) - count(&open));
        let mut needed = Some(0);
        if self.options.improvement_bound {
            needed = self.min_improvement(&open, left);
        }
        let Some(needed) = needed else {
            self.pruned.improvement_bound += 1;
            return Ok(None);
        };
        if self.leaf_pairs_exceed(&open, left) {
            self.pruned.leaf_pairs += 1;
            return Ok(None);
        }
        if self.some_leaf_needs_more(&open, left)? {
            return Ok(None);
        }
        let sufficient = (self.options.needed_improvement && needed > 1)
            .then(|| self.sufficient_rules(&open, needed));
        Ok(Some(WitnessBranching { dirty, open, sufficient }))
    }
}

impl<const W: usize> WitnessBranching<W> {
    /// Restricts `legal`, the rules of a feature for a node above the spot `at` whose new leaf has
    /// this class, to those that correct enough weight.
    #[inline]
    pub(super) fn restrict_rules(
        &self,
        class: usize,
        at: usize,
        feature: usize,
        leaf_left: bool,
        legal: Range<u32>,
    ) -> Range<u32> {
        match &self.sufficient {
            None => legal,
            Some(sufficient) => sufficient.restrict(class, at, feature, leaf_left, legal),
        }
    }
}
