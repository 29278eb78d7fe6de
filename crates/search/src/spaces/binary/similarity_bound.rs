//! The similarity bound: a bound on one child of a rule bounds the children of all other rules of
//! its node.
//!
//! *Similarity bound* (MurTree). Let A and B be subsets of a node, and T a tree within limits for
//! B. Applied to A, T is within the same limits (rules that do not split A are left out) and
//! misclassifies at most the weight of A \ B more. So the best tree of B costs at least the best
//! tree of A minus the cost of that weight. This does not hold with a minimum leaf size: T may
//! leave too few rows in a leaf of A.
//!
//! The counts of a pair of rules i and j give the weight by which their children differ: for the
//! left children, A(i) \ A(j) has the weight of i minus the weight of i and j together.

use super::node::NodeCounts;
use crate::kernels::chunks::ChunkLane;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Weight};

/// Lower bounds on the left and on the right children of all rules of a node.
pub(crate) struct SiblingBounds(pub [Vec<Cost>; 2]);

impl SiblingBounds {
    /// A lower bound on trees with this rule as root.
    pub(super) fn of(&self, rule: usize) -> Cost {
        self.0[0][rule] + self.0[1][rule]
    }

    /// Enters the lower bound `lower` on a child: for the child itself and for all similar
    /// children.
    pub(super) fn record<L: ChunkLane>(
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
            let differences = match left {
                true => [mine - both, both],
                false => [all + both - mine - other, other - both],
            };
            let lowered = |difference| {
                (lower + offset(Mutant::SimilarityBound)).saturating_sub(difference * error_price)
            };
            let bound = differences.map(lowered);
            on_left[at] = on_left[at].max(bound[0]);
            on_right[at] = on_right[at].max(bound[1]);
        }
    }
}
