//! The two-set bound: lower bounds for intervals of thresholds under a minimum leaf size.
//!
//! The bounds of `intervals.rs` rest on "minimum costs do not fall when items are added". With a
//! minimum leaf size that is false: added rows allow leaves that were too small. So a subproblem has
//! two sets of items, inner ⊆ outer: costs are counted on the inner set, rows of leaves on the outer
//! set. Let opt(I, O) be its minimum cost.
//!
//! *Law.* If I ⊆ I' and O' ⊆ O, then opt(I, O) <= opt(I', O'). For a tree whose leaves hold enough
//! rows of O' has leaves with enough rows of O, and it misclassifies no more of I than of I'.
//!
//! *Two-set bound.* Let t be a threshold in an interval from `first` to `last`. The left child
//! Left(t') of a threshold t' in [t, last] satisfies Left(t) ⊆ Left(t') ⊆ Left(last). So
//! L(t) = opt(Left(t), Left(last)) is a lower bound on opt(Left(t'), Left(t')), the minimum cost of
//! the left child of t'. Likewise R(t) = opt(Right(t), Right(first)) bounds the right children of
//! all t' in [first, t]. Both are subproblems as above, so the bound applies again inside them: the
//! children of a subproblem (I, O) have inner sets within I and outer sets within O.
//!
//! *Interval and similarity bound.* With these L and R the arguments of `intervals.rs` hold within
//! the interval: L does not fall and R does not rise with t as long as the outer sets stay, and
//! removing items of weight w from the inner set lowers opt by at most w. The outer sets of the
//! halves of an interval are smaller, so bounds from the whole interval hold in its halves.
//!
//! *Exact costs.* E(t) = L(t) + R(t) is a lower bound on the cost at t. Only if it is below the upper
//! bound the two children are solved with their own rows counted, which is the case first = last.
//! A tree found for L(t) whose leaves hold enough rows of Left(t) itself is already optimal there.
//!
//! *Leaf classes.* Let S be any set with I ⊆ S ⊆ O. A leaf that predicts class c and holds at least m
//! rows of S holds at least m − n(c) rows of other classes, where O holds n(c) rows of class c. If
//! that is too expensive for all classes but one, all leaves of a better tree predict that class, and
//! a single leaf costs no more. This bounds the trees of every such S, which is what the two-set
//! bound is used for, and not only opt(I, O).

use crate::engine::search::ContinuousSearch;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::subset::ContinuousSubset;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Limits, Weight};

impl ContinuousSearch<'_> {
    /// Whether a minimum leaf size is searched with two sets. Bit columns hold no weightless items.
    pub(crate) fn two_sets(&self) -> bool {
        self.options.two_set_bound && !self.layout.bit_columns
    }

    /// Whether the optimal tree of a solution keeps the minimum leaf size on a subset.
    pub(crate) fn keeps_leaf_rows(
        &self,
        solution: &Solution,
        subset: &ContinuousSubset,
        limits: Limits,
    ) -> bool {
        let optimal = solution.tree.as_ref().filter(|(cost, _)| *cost == solution.lower);
        optimal.is_some_and(|(_, tree)| self.min_leaf_rows(subset, tree) >= limits.min_samples_leaf)
    }

    /// Whether at most one class can be the prediction of a leaf of a tree that costs less than the
    /// upper bound.
    pub(crate) fn one_leaf_class(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &Bounds,
    ) -> bool {
        if limits.min_samples_leaf == 1 || !self.options.leaf_classes {
            return false;
        }
        let affordable = |class: usize| {
            let missing = limits.min_samples_leaf.saturating_sub(self.class_rows(subset, class));
            let errors = missing.saturating_mul(self.layout.min_row_weight);
            let errors = errors.saturating_add(offset(Mutant::LeafClasses)).min(subset.weight);
            self.stump_cost(errors) < bounds.upper
        };
        (0..self.layout.n_classes).filter(|&class| affordable(class)).nth(1).is_none()
    }

    /// Number of rows of a class.
    fn class_rows(&self, subset: &ContinuousSubset, class: usize) -> u64 {
        let words = self.layout.class_words[class].clone();
        let members = &subset.members.words[words.clone()];
        if self.layout.unit_rows {
            return members.iter().map(|word| Weight::from(word.count_ones())).sum();
        }
        let slots =
            crate::support::bits::ones(members).map(|slot| slot as usize + words.start * 64);
        slots.map(|slot| self.layout.rows[slot]).sum()
    }
}
