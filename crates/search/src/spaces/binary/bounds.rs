//! Lower bounds without search for the space of binary features; the arguments are in
//! `engine/bounds.rs`.

use super::search::BinarySearch;
use super::solution::BinaryBounds;
use super::subset::BinarySubset;
use crate::kernels::chunks::ChunkLane;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Errors, Limits, UNBOUNDED, Weight};

impl<L: ChunkLane> BinarySearch<'_, L> {
    /// Whether bounds alone show that no tree with an inner root costs less than the upper bound.
    pub(super) fn pruned(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        bounds: &mut BinaryBounds,
    ) -> bool {
        if limits.leaf_only() || subset.weight < 2 * limits.min_samples_leaf {
            // No tree with an inner root is allowed.
            bounds.lower = UNBOUNDED;
            return true;
        }
        let unavoidable = self.unavoidable(subset.unavoidable);
        let equivalent_points = self.node_cost(unavoidable);
        let class_count = self.node_cost(self.class_count(&subset.class_weights, limits));
        bounds.lower = bounds.lower.max(equivalent_points).max(class_count);
        if bounds.lower < bounds.upper {
            return false;
        }
        let pruned = &mut self.stats.pruned;
        if self.objective.leaf_price * 2 >= bounds.upper {
            pruned.leaf_price += 1;
        } else if equivalent_points >= bounds.upper {
            pruned.equivalent_points += 1;
        } else if class_count >= bounds.upper {
            pruned.class_count += 1;
        }
        true
    }

    /// A lower bound on the cost of all trees for a subset, including the single leaf.
    pub(super) fn floor(
        &self,
        class_weights: &[Weight],
        unavoidable: Weight,
        limits: Limits,
    ) -> Cost {
        let leaf = self.objective.leaf(Errors::leaf_errors(class_weights));
        if limits.leaf_only() {
            return leaf;
        }
        let errors = self.unavoidable(unavoidable).max(self.class_count(class_weights, limits));
        self.node_cost(errors).min(leaf)
    }

    /// Lower bound on the cost of a tree with an inner root that misclassifies at least the weight
    /// `errors`: it has two or more leaves.
    pub(super) fn node_cost(&self, errors: Weight) -> Cost {
        // The errors of the second leaf: none, unless a test turns on the mutant.
        let price = offset(Mutant::LeafPrice) * self.objective.leaf_price;
        self.objective.join(self.objective.leaf(errors), self.objective.leaf(price))
    }

    /// The weight of the errors that no tree avoids, because examples are equal; 0 if this bound is
    /// off.
    pub(super) fn unavoidable(&self, weight: Weight) -> Weight {
        if self.options.equivalent_points { weight + offset(Mutant::EqualRows) } else { 0 }
    }

    /// The weight that a tree misclassifies at least, because each leaf predicts one class: that of
    /// all classes but the heaviest, as many as leaves. 0 if this bound is off.
    fn class_count(&self, class_weights: &[Weight], limits: Limits) -> Weight {
        let leaves = (limits.size.saturating_add(1) as u64 - offset(Mutant::ClassCount)) as usize;
        if !self.options.class_count || leaves >= class_weights.len() {
            return 0;
        }
        let mut weights = class_weights.to_vec();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves..].iter().sum()
    }
}
