//! What the search needs of a table and of the costs of leaves, as traits; it is compiled for each
//! combination, so that no call in it is dynamic.
//!
//! *Law.* A leaf never costs less with more items. The bounds of `intervals.rs`,
//! `inherited_bounds.rs` and `two_set_bound.rs` rest on it. Rounded costs obey it up to the rounding of
//! a leaf; their space argues why bounds then hold up to the rounding of one tree.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::parallel_node::{ParallelNode, ThresholdSubtask};
use crate::engine::rules::Rules;
use crate::engine::search::Search;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::subset::{Rule, Subset};
use crate::support::bits::Bits;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// A prepared table: items in slots, and rules that split them.
pub(crate) trait SearchTable {
    /// What the cost of a leaf depends on: totals of the items of a subset.
    type Totals: Clone + Send + Sync;

    /// Number of slots.
    fn slots(&self) -> usize;

    fn features(&self) -> usize;

    /// By feature, the rank of the item of every slot.
    fn ranks(&self, feature: usize) -> &[u32];

    /// Number of rows of the item of a slot.
    fn rows(&self, slot: usize) -> u64;

    /// Number of items, number of their rows, and totals of those that are weighted.
    fn totals(&self, members: &Bits, weighted: &Bits) -> (usize, u64, Self::Totals);

    /// The rules of a feature that have two non-empty children. With `similarity`, weights of rules
    /// bound how much more the items of their left child can cost in other leaves.
    fn rules(&self, subset: &Subset<Self::Totals>, feature: usize, similarity: bool) -> Rules;

    /// The left items of a rule, if subsets are split by columns of bits.
    fn column(&self, rule: &Rule) -> Option<&Bits>;
}

/// The totals of a space.
pub(crate) type TotalsOf<S> = <<S as LeafCosts>::Table as SearchTable>::Totals;

/// A subset of a space.
pub(crate) type SubsetOf<S> = Subset<TotalsOf<S>>;

/// The job of a node of a space that several threads evaluate.
pub(crate) type NodeOf<S> = ParallelNode<SubsetOf<S>>;

/// The costs of leaves.
pub(crate) trait LeafCosts: Copy + Sync {
    type Table: SearchTable;

    fn table(&self) -> &Self::Table;

    /// The leaf of a subset and its cost, price included.
    fn leaf(&self, subset: &SubsetOf<Self>) -> CostedTree;

    /// The leaf of some items.
    fn leaf_of(&self, slots: &[u32]) -> CostedTree;

    /// Lower bounds on the cost of every tree without the prices of its leaves: by equivalent points,
    /// and by the number of classes.
    fn lower_bounds(&self, subset: &SubsetOf<Self>, limits: Limits) -> [Cost; 2];

    /// The price of a unit of weight of a rule, for the similarity bound; `None` if it does not hold
    /// for the rules of this subset.
    fn similarity_price(&self, subset: &SubsetOf<Self>) -> Option<Cost>;

    /// Maximum change of the cost of a tree with this many leaves by rounding alone.
    fn rounding(&self, leaves: u32) -> Cost;
}

/// A table with costs of leaves, and the solvers of its shallow subproblems.
pub(crate) trait Space: LeafCosts {
    /// Scratch memory of a thread.
    type Workspace;

    fn switches(&self) -> Switches;

    /// The price of a leaf.
    fn leaf_price(&self) -> Cost;

    /// (cost − lower bound) / cost of a running search.
    fn gap(&self, progress: &Progress) -> f64;

    /// Whether further bounds prune a subset, which may have an inner root. They raise the lower bound
    /// in `bounds`.
    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool;

    /// The solution of a subproblem that is not searched by branching on thresholds; otherwise the
    /// bounds are returned.
    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds>;

    /// Evaluates thresholds of a job by the best stumps of their children.
    fn carry_out_stumps(
        search: &mut Search<'_, Self>,
        queue: &TaskQueue<NodeOf<Self>>,
        number: u64,
        first: ThresholdSubtask<SubsetOf<Self>>,
    );
}

/// The accelerators of the recursion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Switches {
    pub interval_bound: bool,
    pub similarity_bound: bool,
    pub upper_bound_margin: bool,
    pub feature_bounds: bool,
    pub two_set_bound: bool,
    pub cache: bool,
    /// Whether lower bounds of subsets without a better tree are cached, too.
    pub cached_bounds: bool,
    pub early_bound: bool,
}
