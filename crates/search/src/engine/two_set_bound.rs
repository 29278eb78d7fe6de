//! The two-set bound: lower bounds for intervals of thresholds under a minimum leaf size.
//!
//! The bounds of `intervals.rs` rest on "minimum costs do not fall when items are added". With a
//! minimum leaf size that is false: added rows allow leaves that were too small. So a subproblem
//! has two sets of items, inner I ⊆ outer O: costs are counted on the inner set, rows of leaves on
//! the outer set. Its minimum cost is a lower bound on the cost of every tree for any set S with I
//! ⊆ S ⊆ O: the leaves of a tree for S hold enough rows of O, and no leaf costs more on I than on
//! S, because a leaf never costs less with more items (the law of `space.rs`; an empty leaf costs
//! nothing but its price). What the search needs is this: a *bound of (I, O)* is a lower bound for
//! all these sets S. With I = O it is an ordinary lower bound.
//!
//! *Children.* Let t be a threshold in an interval from `first` to `last`, and t' another threshold
//! of the interval.
//! - If t' >= t, the left child of t' in S contains I ∩ Left(t) and lies inside O ∩ Left(last). So
//!   a bound L(t) of (I ∩ Left(t), O ∩ Left(last)) holds for it.
//! - If t' <= t, a bound R(t) of (I ∩ Right(t), O ∩ Right(first)) holds for its right child.
//!
//! These are subproblems with two sets again, so the argument nests.
//!
//! *Interval bound.* For evaluated thresholds a < t' < b, by the above S costs at least L(a) + R(b)
//! with the root threshold t'.
//!
//! *Similarity bound.* Let t' > t, and let w be the weight of the items of I between t and t',
//! times the price of a unit of weight. Take a tree for the right child of t' in S, and add these
//! items to it. Its leaves still hold enough rows, and its cost on I rises by at most w (each space
//! proves that the weight of items bounds what they add to the cost of leaves). The enlarged set
//! contains I ∩ Right(t), so the tree now costs at least R(t), and before at least R(t) − w. Hence
//! S costs at least L(t) + R(t) − w. Likewise for t' < t.
//!
//! Both hold within the interval in which t was evaluated, and so in its halves, but not beyond it.
//!
//! *Exact costs.* L(t) + R(t) is also a lower bound for t itself. If it is below the upper bound,
//! both children are solved again, as (I ∩ Left(t), O ∩ Left(t)) and (I ∩ Right(t), O ∩ Right(t)).
//! A tree of cost L(t) whose leaves hold enough rows of O ∩ Left(t) is optimal there already. At
//! the root of the search I = O, so all trees that become incumbents keep the minimum.

use crate::engine::rules::Rule;
use crate::engine::solution::Solution;
use crate::engine::space::{Search, SubsetOf, ThresholdSpace};
use crate::engine::subset::Subset;
use exactree_model::Limits;

/// The minimum leaf size of stumps. For the left child of the root the rows of the first `outer[0]`
/// items in the order of the root feature are counted; for the right child the rows of all items
/// but the first `outer[1]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafRows {
    pub outer: [usize; 2],
    /// Number of rows of the two sets.
    pub totals: [u64; 2],
    pub minimum: u64,
}

impl LeafRows {
    /// The minimum leaf size of the stumps below a rule, counted on the rows of its children or, if
    /// given, of the left child of the first and the right child of the second outer rule. `None`
    /// without a minimum leaf size.
    pub(crate) fn of<T>(
        subset: &Subset<T>,
        rule: &Rule,
        outer: Option<&[Rule; 2]>,
        limits: Limits,
    ) -> Option<LeafRows> {
        let [left, right] = *outer.unwrap_or(&[*rule; 2]);
        (limits.min_samples_leaf > 1).then(|| LeafRows {
            outer: [left.items, right.items],
            totals: [left.rows, subset.rows - right.rows],
            minimum: limits.min_samples_leaf,
        })
    }
}

impl<S: ThresholdSpace> Search<'_, S> {
    /// Whether the optimal tree of a solution keeps the minimum leaf size on a subset.
    pub(crate) fn keeps_leaf_rows(
        &self,
        solution: &Solution,
        subset: &SubsetOf<S>,
        limits: Limits,
    ) -> bool {
        let optimal = solution.tree.as_ref().filter(|(cost, _)| *cost == solution.lower);
        optimal.is_some_and(|(_, tree)| self.min_leaf_rows(subset, tree) >= limits.min_samples_leaf)
    }
}
