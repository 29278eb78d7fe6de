//! What the search needs of a table and of the costs of leaves, as traits; it is compiled for each
//! combination, so that no call in it is dynamic.
//!
//! *Law.* A leaf never costs less with more items. The bounds of `intervals.rs`,
//! `inherited_bounds.rs` and `two_set_bound.rs` rest on it. Rounded costs obey it up to the rounding of
//! a leaf; their space argues why bounds then hold up to the rounding of one tree.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::parallel_node::{ParallelNode, ThresholdSubtask};
use crate::engine::root_range::SearchControl;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::subset::{SearchTable, SpareOrders, Subset};
use crate::kernels::InstructionSet;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

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

/// One search over one table.
pub(crate) struct Search<'a, S: Space> {
    pub space: S,
    pub switches: Switches,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub stop_at_gap: f64,
    pub stats: Stats,
    pub cache: &'a SharedCache,
    /// Task queue shared by the threads; `None` for a single thread.
    pub queue: Option<&'a TaskQueue<NodeOf<S>>>,
    /// Shared bounds, for a search of some roots; `None` for a search of all.
    pub control: Option<&'a SearchControl>,
    pub level: InstructionSet,
    pub workspace: S::Workspace,
    pub spare: SpareOrders,
    /// Whether children are solved beyond their upper bounds, for a stronger similarity bound.
    pub margin: bool,
    /// Number of open calls of `solve`; the outermost reports progress.
    pub open_calls: u32,
}

impl<'a, S: Space> Search<'a, S> {
    /// A search with empty statistics, for one thread and all roots.
    pub(crate) fn over(
        space: S,
        clock: Clock<'a>,
        progress: &'a Progress,
        cache: &'a SharedCache,
        level: InstructionSet,
        workspace: S::Workspace,
    ) -> Self {
        let switches = space.switches();
        Search {
            space,
            switches,
            clock,
            progress,
            stop_at_gap: 0.0,
            stats: Stats::default(),
            cache,
            queue: None,
            control: None,
            level,
            workspace,
            spare: SpareOrders::new(),
            margin: switches.upper_bound_margin,
            open_calls: 0,
        }
    }
}
