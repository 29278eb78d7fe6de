//! Restricts refinements to those that correct as much weight as the improvement bound requires.
//!
//! If k refinements are left, the last k - 1 of them correct at most the sum of the k - 1 greatest
//! entries (an entry bounds the weight that new leaves above one spot can correct, see
//! `bounds.rs`). The next refinement must correct the rest of the weight, so it cannot use a rule
//! that captures less weight of dirty items of the new witness's class. Rules farther from the item
//! capture more, so the remaining rules are those beyond some rank, the same for all items of a
//! class. The priority of dirty items counts only these rules: if an item has none, there is no
//! solution.

use super::search::WitnessSearch;
use crate::support::sets::{Set, and, empty, without};
use exactree_model::Weight;
use std::ops::Range;

/// By class, spot and feature: `from` is the first rule with enough dirty items of the class on its
/// left; `until` is the end of the rules with enough on their right.
pub(super) struct SufficientRules {
    features: usize,
    spots: usize,
    from: Vec<u32>,
    until: Vec<u32>,
}

impl<const W: usize> WitnessSearch<'_, W> {
    /// The rules that correct at least `needed` of the dirty items `open`.
    pub(super) fn sufficient_rules(&self, open: &Set<W>, needed: Weight) -> SufficientRules {
        let (features, spots) = (self.prepared.features, self.tree.spots.len());
        let places = self.prepared.classes.len() * spots * features;
        let (mut from, mut until) = (vec![0; places], vec![0; places]);
        for (class, items) in self.prepared.classes.iter().enumerate() {
            let open = and(open, items);
            for at in (0..spots).filter(|_| !empty(&open)) {
                let here = and(&open, &self.tree.spots[at].subset);
                if self.prepared.weigh(&here) >= needed {
                    let place = (class * spots + at) * features;
                    self.sufficient_rules_at(
                        at,
                        &here,
                        needed,
                        &mut from[place..],
                        &mut until[place..],
                    );
                } else {
                    let place = (class * spots + at) * features;
                    from[place..place + features].fill(u32::MAX);
                }
            }
        }
        SufficientRules { features, spots, from, until }
    }

    /// Fills `from` and `until` for one class and one spot with the items `here`.
    fn sufficient_rules_at(
        &self,
        at: usize,
        here: &Set<W>,
        needed: Weight,
        from: &mut [u32],
        until: &mut [u32],
    ) {
        let (low, high) = self.tree.ends(at);
        for feature in 0..self.prepared.features {
            let rules = self.prepared.rules(feature);
            let few_left = |left: &Set<W>| self.prepared.weigh(&and(here, left)) < needed;
            let enough_right = |left: &Set<W>| self.prepared.weigh(&without(here, left)) >= needed;
            let (low, high) = (low[feature] as usize, high[feature] as usize);
            from[feature] = rules[..low].partition_point(few_left) as u32;
            until[feature] = (high + rules[high..].partition_point(enough_right)) as u32;
        }
    }
}

impl SufficientRules {
    /// Restricts `legal`, the rules of a feature for a node above the spot `at` whose new leaf has
    /// this class, to those that correct enough weight.
    #[inline]
    pub(super) fn restrict(
        &self,
        class: usize,
        at: usize,
        feature: usize,
        leaf_left: bool,
        legal: Range<u32>,
    ) -> Range<u32> {
        let place = (class * self.spots + at) * self.features + feature;
        match leaf_left {
            true => legal.start.max(self.from[place])..legal.end,
            false => legal.start..legal.end.min(self.until[place]),
        }
    }
}
