//! The first incumbent: a greedy tree each of whose rules is the root of the best tree of depth two
//! (look-ahead, as LicketySPLIT); exact where two levels are left.
//!
//! An incumbent only lowers the upper bound. It needs no proof: only its cost must be right, and that is
//! counted on the items.

use super::node::NodeCounts;
use super::space::BinarySearch;
use super::subset::BinarySubset;
use crate::engine::solution::CostedTree;
use crate::engine::space::LeafCosts;
use crate::kernels::chunks::ChunkLane;
use exactree_model::{Limits, Weight};

impl<L: ChunkLane> BinarySearch<'_, '_, L> {
    /// A good tree for a subset, found fast.
    pub(crate) fn incumbent(&mut self, subset: &BinarySubset, limits: Limits) -> CostedTree {
        let leaf = self.space.leaf(subset);
        let limits = self.reachable_limits(subset, self.affordable_limits(limits, leaf.0));
        let pure = subset.leaf_errors() == subset.unavoidable;
        if limits.leaf_only()
            || pure
            || subset.weight < 2 * limits.min_samples_leaf
            || self.clock.stopped()
        {
            return leaf;
        }
        if limits.depth <= 2 {
            return self.small_tree(subset, limits);
        }
        let counts = self.count(subset, limits);
        let small = self.tree_of(subset, &counts, limits);
        let rule = self.most_promising(&counts, limits.min_samples_leaf);
        self.workspace.spare.push(counts);
        let candidate = rule.map(|rule| self.grow(subset, limits, rule));
        candidate.into_iter().chain([small]).min_by_key(|(cost, _)| *cost).unwrap_or(leaf)
    }

    fn most_promising(&self, counts: &NodeCounts<L>, min_samples_leaf: Weight) -> Option<usize> {
        let all: Weight = counts.tallies.totals.iter().map(|total| total.wide()).sum();
        let allowed = |rule: &usize| {
            let on_left = counts.weight(*rule);
            on_left.min(all - on_left) >= min_samples_leaf
        };
        let correct = |rule: &usize| {
            let stumps = counts.stumps.left[*rule].wide() + counts.stumps.right[*rule].wide();
            (stumps, std::cmp::Reverse(*rule))
        };
        (0..counts.pairs.count).filter(allowed).max_by_key(correct)
    }

    fn grow(&mut self, subset: &BinarySubset, limits: Limits, rule: usize) -> CostedTree {
        let [left, right] = [true, false].map(|left| self.child(subset, rule, left));
        let wanted = (limits.size as f64 - 1.0) * left.weight as f64 / subset.weight as f64;
        let far = |share: &(u32, u32)| (share.0 as f64 - wanted).abs();
        let shares = limits.shares().into_iter();
        let share = shares.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or((0, 0));
        let left = self.incumbent(&left, limits.child(share.0));
        let right = self.incumbent(&right, limits.child(share.1));
        let tree = self.split_tree(subset, rule, left.1, right.1);
        (self.space.objective.join(left.0, right.0), tree)
    }
}
