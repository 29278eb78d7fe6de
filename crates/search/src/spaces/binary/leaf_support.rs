//! What a tree that is deeper than two costs at least, where leaves have a price.
//!
//! With three rules on a path a tree has four leaves or more.
//!
//! *Leaf support.* One child of its root has depth two or more, so three leaves or more. If the
//! other child is a leaf, the tree misclassifies what that leaf does, at least; if it has
//! two leaves, what the best stump there does. Otherwise it has three, and all
//! together are six.
//!
//! A child with k leaves that gets no more right than k leaves cost need not be minded:
//! the other child alone, applied to all items, misclassifies only so much more and saves
//! the k leaves. It has fewer nodes and leaves of more rows, so it is within the limits
//! (leaf support, OSDT). So of all best trees the smallest has no such child, and
//! the bound holds for it, if it is deeper than two; if not, it is counted.

use super::node::LeafSupport;
use super::search::BinarySearch;
use crate::kernels::chunks::ChunkLane;
use crate::support::mutants::{Mutant, off};
use exactree_model::{Cost, Weight};

impl<L: ChunkLane> BinarySearch<'_, L> {
    /// What a child with one leaf and one with two have to get right, if that is
    /// worth knowing.
    pub fn needed(&self) -> Option<[Weight; 2]> {
        let worth = |leaves: u64| leaves * self.objective.leaf_price / self.objective.error_price;
        let wanted = self.options.leaf_support && self.objective.leaf_price > 0;
        wanted.then(|| [1, 2].map(|leaves| worth(leaves) + 1))
    }

    /// No tree that is deeper than two costs less than this and than the best that
    /// is not.
    pub fn deeper(&self, unavoidable: Weight, leaf_support: LeafSupport) -> Cost {
        let unavoidable = self.unavoidable(unavoidable);
        let cost = |leaves: u64, errors: Weight| {
            let price = (leaves - 1) * self.objective.leaf_price;
            self.objective.leaf(errors.max(unavoidable)) + price
        };
        let path = off(Mutant::ThreeOnAPath);
        if self.needed().is_none() {
            return cost(4 + path, 0);
        }
        let more = off(Mutant::LeafSupport);
        let [leaf, stump] = leaf_support;
        let leaf = leaf.map(|errors| cost(4 + path, errors + more));
        let stump = stump.map(|errors| cost(5, errors + more));
        let both = cost(6 + path + more, 0);
        both.min(leaf.unwrap_or(both)).min(stump.unwrap_or(both))
    }
}
