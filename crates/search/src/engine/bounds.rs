//! Lower bounds that need no search, and pruning by them.
//!
//! *Equivalent points.* Items that agree in every feature end in the same leaf of every tree, which
//! costs at least as much as a leaf of these items alone. With plain errors that is all of their
//! weight but that of the heaviest class.
//!
//! *Class count.* A tree with l leaves predicts at most l classes, so it misclassifies at least the
//! weight of all classes but the l heaviest.
//!
//! *Leaf price.* A tree with an inner root pays for at least two leaves.
//!
//! All three hold with and without a minimum leaf size, and for all weights. Each bounds the cost
//! of a whole tree from below, so their maximum does. The spaces add bounds of their own.

use crate::engine::solution::Bounds;
use crate::engine::space::{Search, Space, SubsetOf};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits};

impl<S: Space> Search<'_, S> {
    /// Whether these bounds prove that no tree with an inner root costs less than the upper bound.
    /// Raises the lower bound in `bounds`.
    pub(crate) fn pruned(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        if limits.leaf_only() || subset.rows < 2 * limits.min_samples_leaf {
            bounds.lower = bounds.lower.max(self.leaf_cost(subset));
            return true;
        }
        let two_leaves = self.two_leaves();
        let [equivalent_points, class_count] =
            self.space.lower_bounds(subset, limits).map(|cost| cost.saturating_add(two_leaves));
        bounds.lower = bounds.lower.max(equivalent_points).max(class_count);
        if bounds.lower < bounds.upper {
            return S::prunes(self, subset, limits, bounds);
        }
        let pruned = &mut self.stats.pruned;
        if two_leaves >= bounds.upper {
            pruned.leaf_price += 1;
        } else if equivalent_points >= bounds.upper {
            pruned.equivalent_points += 1;
        } else if class_count >= bounds.upper {
            pruned.class_count += 1;
        }
        true
    }

    /// A lower bound on the cost of all trees for a subset, including the single leaf.
    pub(crate) fn floor(&self, subset: &SubsetOf<S>, limits: Limits) -> Cost {
        let leaf = self.leaf_cost(subset);
        if limits.leaf_only() {
            return leaf;
        }
        self.floor_of(leaf, self.space.lower_bounds(subset, limits))
    }

    /// The same for a subset whose leaf and bounds are known.
    pub(crate) fn floor_of(&self, leaf: Cost, lower_bounds: [Cost; 2]) -> Cost {
        let [equivalent_points, class_count] = lower_bounds;
        leaf.min(equivalent_points.max(class_count).saturating_add(self.two_leaves()))
    }

    /// The price of the leaves of a tree with an inner root.
    fn two_leaves(&self) -> Cost {
        let price = self.space.leaf_price();
        (2 + offset(Mutant::LeafPrice)) * price
    }
}
