//! Lower bounds that need no search, and pruning by them.
//!
//! *Equivalent points.* Items that agree in every feature end in the same leaf of every tree; all
//! of their weight but that of the heaviest class is misclassified.
//!
//! *Class count.* A tree with l leaves predicts at most l classes, so it misclassifies at least the
//! weight of all classes but the l heaviest.
//!
//! *Leaf price.* A tree with an inner root pays for two leaves.
//!
//! All three hold with and without a minimum leaf size, and for all weights. Each bounds the cost
//! of a whole tree from below, so their maximum does. A fourth bound, *leaf classes*, needs a minimum
//! leaf size; see `two_set_bound.rs`.

use crate::engine::search::ContinuousSearch;
use crate::engine::solution::Bounds;
use crate::engine::subset::ContinuousSubset;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Weight};

impl ContinuousSearch<'_> {
    /// Whether these bounds prove that no tree with an inner root costs less than the upper bound.
    /// Raises the lower bound in `bounds`.
    pub(crate) fn pruned(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        if limits.leaf_only() || subset.rows < 2 * limits.min_samples_leaf {
            bounds.lower = bounds.lower.max(self.objective.leaf(subset.leaf_errors()));
            return true;
        }
        let two_leaves = self.node_cost(0);
        let equivalent_points = self.node_cost(self.equivalent_points(subset));
        let class_count = self.node_cost(self.class_count(subset, limits));
        let bound = equivalent_points.max(class_count).max(two_leaves);
        bounds.lower = bounds.lower.max(bound);
        if bounds.lower < bounds.upper {
            if !self.one_leaf_class(subset, limits, bounds) {
                return false;
            }
            self.stats.pruned.leaf_classes += 1;
            bounds.lower = bounds.upper;
            return true;
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
    pub(crate) fn floor(&self, subset: &ContinuousSubset, limits: Limits) -> Cost {
        if limits.leaf_only() {
            return self.objective.leaf(subset.leaf_errors());
        }
        let errors = self.equivalent_points(subset).max(self.class_count(subset, limits));
        self.objective.leaf(errors).min(self.objective.leaf(subset.leaf_errors()))
    }

    /// Minimum cost of a tree with an inner root that misclassifies `errors`.
    fn node_cost(&self, errors: Weight) -> Cost {
        self.stump_cost(errors) + offset(Mutant::LeafPrice) * self.objective.leaf_price
    }

    fn equivalent_points(&self, subset: &ContinuousSubset) -> Weight {
        if self.options.equivalent_points {
            subset.unavoidable + offset(Mutant::EqualRows)
        } else {
            0
        }
    }

    fn class_count(&self, subset: &ContinuousSubset, limits: Limits) -> Weight {
        let leaves = (limits.size.saturating_add(1) as u64 - offset(Mutant::ClassCount)) as usize;
        if !self.options.class_count || leaves >= subset.class_weights.len() {
            return 0;
        }
        let mut weights = subset.class_weights.clone();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves..].iter().sum()
    }
}
