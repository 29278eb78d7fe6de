//! What a tree that is deeper than two costs at least, where leaves have a price.
//!
//! With three rules on a path a tree has four leaves or more.
//!
//! *Beside.* One side of its root has depth two or more, so three leaves or more. If the
//! other side is a leaf, the tree misclassifies what that leaf does, at least; if it has
//! two leaves, what the best stump there does. Otherwise it has three, and all
//! together are six.
//!
//! A side with k leaves that gets no more right than k leaves cost need not be minded:
//! the other side alone, asked of all items, misclassifies only so much more and saves
//! the k leaves. It has fewer nodes and leaves of more rows, so it is within the limits
//! (leaf support, OSDT). So of all best trees the smallest has no such side, and
//! the bound holds for it, if it is deeper than two; if not, it is counted.

use super::node::Beside;
use super::search::BinarySearch;
use crate::kernels::chunks::Lane;
use crate::mutants::{Mutant, off};
use exactree_model::{Cost, Weight};

impl<L: Lane> BinarySearch<'_, L> {
    /// What a side with one leaf and one with two have to get right, if that is
    /// worth knowing.
    pub fn needed(&self) -> Option<[Weight; 2]> {
        let worth = |leaves: u64| leaves * self.objective.leaf_price / self.objective.error_price;
        let wanted = self.options.beside && self.objective.leaf_price > 0;
        wanted.then(|| [1, 2].map(|leaves| worth(leaves) + 1))
    }

    /// No tree that is deeper than two costs less than this and than the best that
    /// is not.
    pub fn deeper(&self, unavoidable: Weight, beside: Beside) -> Cost {
        let unavoidable = self.unavoidable(unavoidable);
        let cost = |leaves: u64, errors: Weight| {
            let price = (leaves - 1) * self.objective.leaf_price;
            self.objective.leaf(errors.max(unavoidable)) + price
        };
        let path = off(Mutant::ThreeOnAPath);
        if self.needed().is_none() {
            return cost(4 + path, 0);
        }
        let more = off(Mutant::Beside);
        let [leaf, stump] = beside;
        let leaf = leaf.map(|errors| cost(4 + path, errors + more));
        let stump = stump.map(|errors| cost(5, errors + more));
        let both = cost(6 + path + more, 0);
        both.min(leaf.unwrap_or(both)).min(stump.unwrap_or(both))
    }
}
