//! What one side of a rule says of the sides of all other rules of its node.
//!
//! *Similar sides* (similarity bound, MurTree). Let A and B be parts of a node, and T a tree within
//! limits for B. Asked of A, T is within the same limits (rules that do not divide A
//! are left out) and misclassifies at most the weight of A \ B more. So the best
//! tree of B costs at least the best of A less that weight. Not with a demand on
//! rows: T may leave too few in a leaf of A.
//!
//! The sides of two rules i and j differ by what the pair's counts tell: of the left
//! sides A(i) and A(j), A(i) \ A(j) holds what i holds and not i and j together.

use super::node::Counts;
use crate::kernels::chunks::Lane;
use crate::mutants::{Mutant, off};
use exactree_model::{Cost, Weight};

/// Lower bounds on the left and on the right sides of all rules of a node.
pub(crate) struct SideBounds(pub [Vec<Cost>; 2]);

impl SideBounds {
    /// No tree that respects both sides of a rule costs less.
    pub fn of(&self, rule: usize) -> Cost {
        self.0[0][rule] + self.0[1][rule]
    }

    /// Takes in that a side costs at least `lower`: for itself and for all
    /// sides near it.
    pub fn learn<L: Lane>(
        &mut self,
        counts: &Counts<L>,
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
                |apart| (lower + off(Mutant::SimilarSides)).saturating_sub(apart * error_price);
            let bound = apart.map(near);
            on_left[at] = on_left[at].max(bound[0]);
            on_right[at] = on_right[at].max(bound[1]);
        }
    }
}
