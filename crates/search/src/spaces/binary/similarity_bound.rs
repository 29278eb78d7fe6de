//! What one child of a rule says of the children of all other rules of its node.
//!
//! *Similarity bound* (MurTree). Let A and B be subsets of a node, and T a tree within
//! limits for B. Applied to A, T is within the same limits (rules that do not split A
//! are left out) and misclassifies at most the weight of A \ B more. So the best
//! tree of B costs at least the best of A less that weight. Not with a minimum
//! leaf size: T may leave too few in a leaf of A.
//!
//! The children of two rules i and j differ by what the pair's counts tell: of the left
//! children A(i) and A(j), A(i) \ A(j) holds what i holds and not i and j together.

use super::node::NodeCounts;
use crate::kernels::chunks::ChunkLane;
use crate::support::mutants::{Mutant, off};
use exactree_model::{Cost, Weight};

/// Lower bounds on the left and in the right children of all rules of a node.
pub(crate) struct SiblingBounds(pub [Vec<Cost>; 2]);

impl SiblingBounds {
    /// No tree that respects both children of a split costs less.
    pub fn of(&self, rule: usize) -> Cost {
        self.0[0][rule] + self.0[1][rule]
    }

    /// Takes in that a child costs at least `lower`: for itself and for all
    /// children near it.
    pub fn learn<L: ChunkLane>(
        &mut self,
        counts: &NodeCounts<L>,
        weights: &[Weight],
        (rule, left): (usize, bool),
        lower: Cost,
        error_price: Cost,
    ) {
        let all: Weight = counts.tallies.totals.iter().map(|total| total.wide()).sum();
        let mine = weights[rule];
        let mut both = vec![0; weights.len()];
        for class in 0..counts.tallies.totals.len() {
            let row = counts.pairs.row(class, rule);
            both.iter_mut().zip(row).for_each(|(both, held)| *both += held.wide());
        }
        let [on_left, on_right] = &mut self.0;
        for (at, (&both, &other)) in both.iter().zip(weights).enumerate() {
            let apart = match left {
                true => [mine - both, both],
                false => [all + both - mine - other, other - both],
            };
            let near =
                |apart| (lower + off(Mutant::SimilarityBound)).saturating_sub(apart * error_price);
            let bound = apart.map(near);
            on_left[at] = on_left[at].max(bound[0]);
            on_right[at] = on_right[at].max(bound[1]);
        }
    }
}
