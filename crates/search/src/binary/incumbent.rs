//! The first incumbent: greedy by what trees of depth two with a root get right
//! (look-ahead, as LicketySPLIT), exact where three levels are left.
//!
//! An incumbent only lowers what the search must beat; it needs no argument
//! beyond its own cost, which is counted on the items.

use super::node::Counts;
use super::part::Part;
use super::search::{BinarySearch, Costed, usable};
use crate::kernels::chunks::Lane;
use exactree_model::{Limits, Tree, Weight};

impl<L: Lane> BinarySearch<'_, L> {
    /// A good tree for a part, found fast.
    pub fn incumbent(&mut self, part: &Part, limits: Limits) -> Costed {
        let leaf = (self.objective.leaf(part.leaf_errors()), Tree::leaf(part.leaf_class()));
        let limits = usable(part, self.within_price(limits, leaf.0));
        let pure = part.leaf_errors() == part.unavoidable;
        if limits.leaf_only() || pure || part.weight < 2 * limits.min_rows || self.clock.stopped() {
            return leaf;
        }
        if limits.depth <= 2 {
            return self.small_tree(part, limits);
        }
        let mut counts: Counts<L> = self.spare.pop().unwrap_or_default();
        counts.take(self.level, part, limits.min_rows);
        let small = self.tree_of(part, &counts, limits);
        let rule = self.most_promising(&counts, limits.min_rows);
        self.spare.push(counts);
        let grown = rule.map(|rule| self.grown(part, limits, rule));
        grown.into_iter().chain([small]).min_by_key(|(cost, _)| *cost).unwrap_or(leaf)
    }

    fn most_promising(&self, counts: &Counts<L>, min_rows: Weight) -> Option<usize> {
        let all: Weight = counts.tallies.totals.iter().map(|total| total.wide()).sum();
        let allowed = |rule: &usize| {
            let on_left = counts.weight(*rule);
            on_left.min(all - on_left) >= min_rows
        };
        let right = |rule: &usize| {
            let stumps = counts.stumps.left[*rule].wide() + counts.stumps.right[*rule].wide();
            (stumps, std::cmp::Reverse(*rule))
        };
        (0..counts.chunks.count).filter(allowed).max_by_key(right)
    }

    fn grown(&mut self, part: &Part, limits: Limits, rule: usize) -> Costed {
        let [left, right] =
            [true, false].map(|left| part.side(self.columns, self.level, rule, left));
        let wanted = (limits.size as f64 - 1.0) * left.weight as f64 / part.weight as f64;
        let far = |share: &(u32, u32)| (share.0 as f64 - wanted).abs();
        let shares = limits.shares().into_iter();
        let share = shares.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or((0, 0));
        let left = self.incumbent(&left, limits.side(share.0));
        let right = self.incumbent(&right, limits.side(share.1));
        let tree = self.asked(part, rule, left.1, right.1);
        (self.objective.join(left.0, right.0), tree)
    }
}
