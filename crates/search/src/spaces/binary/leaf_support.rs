//! A lower bound on trees deeper than two, with a leaf price.
//!
//! A tree with three rules on a path has at least four leaves.
//!
//! *Leaf support.* One child of its root has depth at least two, so at least three leaves. If the
//! other child is a leaf, the tree makes at least the errors of that leaf; if the other child has
//! two leaves, at least the errors of the best stump there. Otherwise the other child has at least
//! three leaves, so the tree has at least six.
//!
//! A child with k leaves can be ignored if the cost of the errors that it avoids, its correctly
//! classified weight, is at most the price of k leaves: the other child's tree alone, applied to
//! all items, adds at most that weight to the errors and saves the k leaves. It has fewer nodes and
//! its leaves hold more rows, so it is within the limits (leaf support, OSDT). So a smallest
//! optimal tree has no such child. If that tree is deeper than two, the bound holds for it;
//! otherwise it is among the trees counted.

use super::node::LeafSupport;
use super::space::BinarySpace;
use crate::kernels::chunks::ChunkLane;
use crate::spaces::error_bounds::equivalent_points;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Weight};

impl<L: ChunkLane> BinarySpace<'_, L> {
    /// The weight that a child with one leaf, and one with two, must classify correctly; `None` if
    /// the bound cannot help.
    pub(crate) fn needed_weights(&self) -> Option<[Weight; 2]> {
        let worth = |leaves: u64| leaves * self.objective.leaf_price / self.objective.error_price;
        let applies = self.options.leaf_support && self.objective.leaf_price > 0;
        applies.then(|| [1, 2].map(|leaves| worth(leaves) + 1))
    }

    /// A lower bound: a tree deeper than two that costs less is no better than the best tree of
    /// depth at most two.
    pub(crate) fn deeper(&self, unavoidable: Weight, leaf_support: LeafSupport) -> Cost {
        let unavoidable = equivalent_points(unavoidable, self.options.equivalent_points);
        let cost = |leaves: u64, errors: Weight| {
            let price = (leaves - 1) * self.objective.leaf_price;
            self.objective.leaf(errors.max(unavoidable)) + price
        };
        let path = offset(Mutant::ThreeOnAPath);
        if self.needed_weights().is_none() {
            return cost(4 + path, 0);
        }
        let more = offset(Mutant::LeafSupport);
        let [leaf, stump] = leaf_support;
        let leaf = leaf.map(|errors| cost(4 + path, errors + more));
        let stump = stump.map(|errors| cost(5, errors + more));
        let both = cost(6 + path + more, 0);
        both.min(leaf.unwrap_or(both)).min(stump.unwrap_or(both))
    }
}
