//! Bounds that nested subsets share: lower bounds by root threshold.
//!
//! Let S be a subset of T, and a <= t < b thresholds of one feature. The left child of t in T
//! contains the left child of a in S, and the right child of t in T contains the right child of b
//! in S. Least costs do not fall when items are added (see `intervals.rs`), so a tree for T with
//! root threshold t costs at least L(a) + R(b), both as found in S. Below the first known threshold
//! L counts as zero, above the last one R does; so t need not split S.
//!
//! The costs handed on are those of children without size limit and without minimum leaf size. They
//! bound the cost under every other limit of T, too.

use crate::support::mutants::{Mutant, off};
use exactree_model::Cost;
use std::sync::Arc;

/// Least costs of the two children of a threshold, or lower bounds on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdBounds {
    pub feature: usize,
    pub rank: u32,
    pub left: Cost,
    pub right: Cost,
}

/// Known thresholds of a subset by feature and rank; handed to supersets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InheritedBounds(Vec<ThresholdBounds>);

/// Thresholds of a feature in a half-open range of ranks, and lower bounds on their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdRange {
    pub feature: usize,
    pub from: u32,
    pub until: u32,
    pub left: Cost,
    pub right: Cost,
}

impl InheritedBounds {
    /// The bounds known before, from a subset of this one, combined with those known now.
    pub fn with(
        before: Option<&Arc<InheritedBounds>>,
        now: Vec<ThresholdBounds>,
    ) -> Arc<InheritedBounds> {
        let mut all = now;
        all.extend(before.iter().flat_map(|before| &before.0));
        all.sort_unstable_by_key(|known| (known.feature, known.rank));
        all.dedup_by(|known, kept| {
            let same = (known.feature, known.rank) == (kept.feature, kept.rank);
            if same {
                kept.left = kept.left.max(known.left);
                kept.right = kept.right.max(known.right);
            }
            same
        });
        // A bound on the left child of a threshold holds for all thresholds above it, a bound on
        // the right child for all below.
        for at in 1..all.len() {
            if all[at].feature == all[at - 1].feature {
                all[at].left = all[at].left.max(all[at - 1].left);
            }
        }
        for at in (1..all.len()).rev() {
            if all[at].feature == all[at - 1].feature {
                all[at - 1].right = all[at - 1].right.max(all[at].right);
            }
        }
        Arc::new(InheritedBounds(all))
    }

    /// All thresholds of a feature, split at the known ones.
    pub fn stretches(&self, feature: usize) -> impl Iterator<Item = ThresholdRange> {
        let first = self.0.partition_point(|known| known.feature < feature);
        let end = self.0.partition_point(|known| known.feature <= feature);
        let known = &self.0[first..end];
        (0..=known.len()).map(move |at| {
            let below = at.checked_sub(1).map(|below| known[below]);
            let above = known.get(at);
            ThresholdRange {
                feature,
                from: below.map_or(0, |known| known.rank),
                until: above.map_or(u32::MAX, |known| known.rank),
                left: below.map_or(0, |known| known.left),
                right: above.map_or(0, |known| known.right),
            }
        })
    }
}

impl ThresholdRange {
    /// No tree with a root threshold in it costs less.
    pub fn lower(&self) -> Cost {
        let known = self.from > 0 || self.until < u32::MAX;
        self.left.saturating_add(self.right) + off(Mutant::FeatureBounds) * known as Cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(rank: u32, left: Cost, right: Cost) -> ThresholdBounds {
        ThresholdBounds { feature: 1, rank, left, right }
    }

    #[test]
    fn thresholds_are_divided_at_the_known_ones() {
        let inherited = InheritedBounds::with(None, vec![known(7, 3, 1), known(2, 1, 4)]);
        let stretches: Vec<_> = inherited.stretches(1).collect();
        let stretch =
            |from, until, left, right| ThresholdRange { feature: 1, from, until, left, right };
        let expected = [stretch(0, 2, 0, 4), stretch(2, 7, 1, 1), stretch(7, u32::MAX, 3, 0)];
        assert_eq!(stretches, expected);
        assert_eq!(inherited.stretches(0).collect::<Vec<_>>().len(), 1);
    }

    #[test]
    fn the_better_of_two_bounds_holds_as_far_as_it_reaches() {
        let before = InheritedBounds::with(None, vec![known(2, 5, 2), known(4, 5, 6)]);
        let now = InheritedBounds::with(Some(&before), vec![known(4, 1, 1), known(9, 2, 0)]);
        assert_eq!(now.0, [known(2, 5, 6), known(4, 5, 6), known(9, 5, 0)]);
    }
}
