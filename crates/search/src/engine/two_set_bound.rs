//! The two-set bound: lower bounds for intervals of thresholds under a minimum leaf size.
//!
//! The bounds of `intervals.rs` rest on "minimum costs do not fall when items are added". With a
//! minimum leaf size that is false: added rows allow leaves that were too small. So a subproblem has
//! two sets of items, inner I ⊆ outer O: errors are counted on the inner set, rows of leaves on the
//! outer set. Its minimum cost bounds the cost of the best tree of every set S with I ⊆ S ⊆ O: the
//! leaves of a tree for S hold enough rows of O, and it misclassifies no more of I than of S. What
//! the search needs is this: a *bound of (I, O)* is a lower bound for all these sets S. With I = O it
//! is an ordinary lower bound.
//!
//! *Children.* Let t be a threshold in an interval from `first` to `last`, and t' another threshold
//! of the interval.
//! - If t' >= t, the left child of t' in S contains I ∩ Left(t) and lies inside O ∩ Left(last). So a
//!   bound L(t) of (I ∩ Left(t), O ∩ Left(last)) holds for it.
//! - If t' <= t, a bound R(t) of (I ∩ Right(t), O ∩ Right(first)) holds for its right child.
//!
//! These are subproblems with two sets again, so the argument nests.
//!
//! *Interval bound.* For evaluated thresholds a < t' < b, by the above S costs at least L(a) + R(b)
//! with the root threshold t'.
//!
//! *Similarity bound.* Let t' > t, and let the items of I between t and t' weigh w. A tree for the
//! right child of t' in S keeps enough rows if these items are added, and then costs at most w more
//! (times the price of an error). The enlarged set contains I ∩ Right(t), so the tree costs at least
//! R(t) − w, and S at least L(t) + R(t) − w. Likewise for t' < t.
//!
//! Both hold within the interval in which t was evaluated, and so in its halves, but not beyond it.
//!
//! *Exact costs.* L(t) + R(t) is also a lower bound for t itself. Only if it is below the upper bound,
//! both children are solved again, as (I ∩ Left(t), O ∩ Left(t)) and (I ∩ Right(t), O ∩ Right(t)).
//! A tree of cost L(t) whose leaves hold enough rows of O ∩ Left(t) is optimal there already. At the
//! root of the search I = O, so all trees that become incumbents keep the minimum.
//!
//! *Leaf classes.* A leaf for S that predicts class c and holds at least m rows holds at least
//! m − n(c) rows of other classes, where O holds n(c) rows of class c. If that is too expensive for
//! all classes but one, all leaves of a better tree predict that class, and a single leaf costs no
//! more: no tree with an inner root is better.

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
