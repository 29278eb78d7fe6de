//! Inherited bounds: lower bounds by root threshold, which a subset hands to its supersets.
//!
//! Let S be a subset of T, and a <= t < b thresholds of one feature. The left child of t in T
//! contains the left child of a in S, and the right child of t in T contains the right child of b
//! in S. Minimum costs do not fall when items are added (see `intervals.rs`), so a tree for T with
//! root threshold t costs at least L(a) + R(b), both as found in S. Below the first known threshold
//! L counts as zero, above the last known threshold R does. So t need not split S.
//!
//! The costs handed on are those of children without a minimum leaf size, and with every size that
//! their depth allows. T is searched no deeper than S. So they are lower bounds under all limits of
//! T.

use crate::support::mutants::{Mutant, offset};
use exactree_model::Cost;
use std::sync::Arc;

/// Minimum costs of the two children of a threshold, or lower bounds on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThresholdBounds {
    pub feature: usize,
    pub rank: u32,
    pub left: Cost,
    pub right: Cost,
}

/// Known thresholds of a subset by feature and rank; handed to supersets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InheritedBounds(Vec<ThresholdBounds>);

/// Thresholds of a feature in a half-open range of ranks, and lower bounds on their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThresholdRange {
    pub feature: usize,
    pub from: u32,
    pub until: u32,
    pub left: Cost,
    pub right: Cost,
}

impl InheritedBounds {
    /// The bounds inherited from a subset of this subset, combined with this subset's own bounds.
    pub(crate) fn with(
        inherited: Option<&Arc<InheritedBounds>>,
        own: Vec<ThresholdBounds>,
    ) -> Arc<InheritedBounds> {
        let mut all = own;
        all.extend(inherited.iter().flat_map(|inherited| &inherited.0));
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

    /// All thresholds of a feature, split into ranges at the known thresholds.
    pub(crate) fn ranges(&self, feature: usize) -> impl Iterator<Item = ThresholdRange> {
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
    pub(crate) fn lower(&self) -> Cost {
        let known = self.from > 0 || self.until < u32::MAX;
        let lower = self.left.saturating_add(self.right);
        lower + offset(Mutant::FeatureBounds) * known as Cost * (1 + lower / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(rank: u32, left: Cost, right: Cost) -> ThresholdBounds {
        ThresholdBounds { feature: 1, rank, left, right }
    }

    #[test]
    fn ranges_are_split_at_the_known_thresholds() {
        let inherited = InheritedBounds::with(None, vec![known(7, 3, 1), known(2, 1, 4)]);
        let ranges: Vec<_> = inherited.ranges(1).collect();
        let range =
            |from, until, left, right| ThresholdRange { feature: 1, from, until, left, right };
        let expected = [range(0, 2, 0, 4), range(2, 7, 1, 1), range(7, u32::MAX, 3, 0)];
        assert_eq!(ranges, expected);
        assert_eq!(inherited.ranges(0).collect::<Vec<_>>().len(), 1);
    }

    #[test]
    fn the_maximum_of_two_bounds_holds_for_all_thresholds_beyond() {
        let before = InheritedBounds::with(None, vec![known(2, 5, 2), known(4, 5, 6)]);
        let now = InheritedBounds::with(Some(&before), vec![known(4, 1, 1), known(9, 2, 0)]);
        assert_eq!(now.0, [known(2, 5, 6), known(4, 5, 6), known(9, 5, 0)]);
    }
}
