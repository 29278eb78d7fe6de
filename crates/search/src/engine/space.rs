//! What the search needs of a table and of the costs of leaves, as traits; it is compiled for each
//! combination, so that no call in it is dynamic.
//!
//! *Law.* A leaf never costs less with more items. The bounds of `intervals.rs`,
//! `inherited_bounds.rs` and `two_set_bound.rs` rest on it. Rounded costs obey it up to the
//! rounding of a leaf; their space argues why bounds then hold up to the rounding of one tree.

use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::intervals::OpenIntervals;
use crate::engine::open_splits::{ChildUpper, OpenSplits, RootSplits};
use crate::engine::parallel_node::{ParallelNode, SplitSubtask};
use crate::engine::root_range::SearchControl;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::subset::{SearchTable, SpareOrders, Subset, ThresholdTable};
use crate::kernels::InstructionSet;
use crate::support::bits::Bits;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits};
use std::borrow::Cow;
use std::sync::Arc;

/// A subset of a space.
pub(crate) type SubsetOf<S> = Subset<<S as LeafCosts>::Totals>;

/// The open splits of a node of a space.
pub(crate) type OpenOf<S> = <S as Space>::Open;

/// A split of a space to evaluate.
pub(crate) type TrialOf<S> = <OpenOf<S> as OpenSplits>::Trial;

/// The result of evaluating a split of a space.
pub(crate) type ResultOf<S> = <OpenOf<S> as OpenSplits>::Result;

/// The job of a node of a space that several threads evaluate.
pub(crate) type NodeOf<S> = ParallelNode<SubsetOf<S>, OpenOf<S>>;

/// A subtask of such a job.
pub(crate) type SubtaskOf<S> = SplitSubtask<SubsetOf<S>, TrialOf<S>>;

/// The costs of leaves.
pub(crate) trait LeafCosts: Copy + Sync {
    /// Totals of the items of a subset, on which the cost of a leaf depends.
    type Totals: Clone + Send + Sync + 'static;

    /// The leaf of a subset and its cost, price included.
    fn leaf(&self, subset: &SubsetOf<Self>) -> CostedTree;

    /// The price of a leaf.
    fn leaf_price(&self) -> Cost;

    /// Lower bounds on the cost of every tree without the prices of its leaves: by equivalent
    /// points, and by the number of classes.
    fn lower_bounds(&self, subset: &SubsetOf<Self>, limits: Limits) -> [Cost; 2];

    /// The key of a subset in the cache.
    fn key<'s>(&self, subset: &'s SubsetOf<Self>) -> Cow<'s, Bits> {
        subset.key()
    }

    /// (cost − lower bound) / cost of a running search.
    fn gap(&self, progress: &Progress) -> f64 {
        progress.gap()
    }
}

/// Costs of leaves with a way to branch, and the solvers of shallow subproblems.
pub(crate) trait Space: LeafCosts {
    /// The open splits of a node: intervals of thresholds, or columns of bits.
    type Open: RootSplits;

    /// Scratch memory of a thread.
    type Workspace;

    fn switches(&self) -> Switches;

    /// Depth that no tree of a subset exceeds.
    fn max_depth(&self, _subset: &SubsetOf<Self>) -> u32 {
        u32::MAX
    }

    /// Whether further bounds prune a subset, which may have an inner root. They raise the lower
    /// bound in `bounds`.
    fn prunes(
        _search: &mut Search<'_, Self>,
        _subset: &SubsetOf<Self>,
        _limits: Limits,
        _bounds: &mut Bounds,
    ) -> bool {
        false
    }

    /// The solution of a subproblem that is not searched by branching; otherwise the bounds are
    /// returned.
    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds>;

    /// The open splits of a node. What is counted for them may improve the bounds; if it prunes the
    /// node, `None`.
    fn branching(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<Self::Open>;

    /// Evaluates a split: solves its children until it is solved or pruned.
    fn try_split(
        search: &mut Search<'_, Self>,
        trial: &TrialOf<Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
    ) -> ResultOf<Self>;

    /// Ends branching: keeps the buffers of a node for reuse; returns bounds at the evaluated
    /// thresholds, which other subsets inherit.
    fn close(_search: &mut Search<'_, Self>, open: Self::Open) -> Vec<ThresholdBounds> {
        open.into_threshold_bounds()
    }

    /// Evaluates splits of a job by the best stumps of their children; by default by their
    /// searches.
    fn carry_out_stumps(
        search: &mut Search<'_, Self>,
        queue: &TaskQueue<NodeOf<Self>>,
        number: u64,
        first: SubtaskOf<Self>,
    ) {
        search.carry_out_children(queue, number, first);
    }
}

/// Costs of leaves of a table whose rules are thresholds on its features.
pub(crate) trait TableCosts: LeafCosts {
    type Table: SearchTable<Totals = Self::Totals>;

    fn table(&self) -> &Self::Table;

    /// The leaf of some items.
    fn leaf_of(&self, slots: &[u32]) -> CostedTree;

    /// Whether the root of a tree for a subset may split on a feature.
    fn may_split_on(&self, _subset: &SubsetOf<Self>, _feature: usize, _limits: Limits) -> bool {
        true
    }

    /// The price of a unit of weight of a rule, for the similarity bound; `None` if it does not
    /// hold for the rules of this subset.
    fn similarity_price(&self, subset: &SubsetOf<Self>) -> Option<Cost>;

    /// Maximum change of the cost of a tree with this many leaves by rounding alone.
    fn rounding(&self, leaves: u32) -> Cost;
}

/// A space that branches on intervals of thresholds.
pub(crate) trait ThresholdSpace:
    Space<Open = OpenIntervals> + TableCosts<Table: ThresholdTable>
{
}

impl<S: Space<Open = OpenIntervals> + TableCosts<Table: ThresholdTable>> ThresholdSpace for S {}

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

/// The place of a search in a problem that is divided in parts: its trees cost `price` more there,
/// if they belong to the problem at all, and the trees of all other parts cost at least `others`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProblemPart {
    pub price: Cost,
    pub others: Cost,
}

/// One search over one table.
pub(crate) struct Search<'a, S: Space> {
    pub space: S,
    pub switches: Switches,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    /// If the progress is that of a divided problem: the part that is searched.
    pub part: Option<ProblemPart>,
    pub stop_at_gap: f64,
    pub stats: Stats,
    pub cache: &'a SharedCache,
    /// Task queue shared by the threads; `None` for a single thread.
    pub queue: Option<&'a TaskQueue<NodeOf<S>>>,
    /// Shared bounds, for a search of some roots; `None` for a search of all.
    pub control: Option<&'a SearchControl>,
    pub instructions: InstructionSet,
    pub workspace: S::Workspace,
    pub spare: SpareOrders,
    pub child_upper: ChildUpper,
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
        instructions: InstructionSet,
        workspace: S::Workspace,
    ) -> Self {
        let switches = space.switches();
        Search {
            space,
            switches,
            clock,
            progress,
            part: None,
            stop_at_gap: 0.0,
            stats: Stats::default(),
            cache,
            queue: None,
            control: None,
            instructions,
            workspace,
            spare: SpareOrders::new(),
            child_upper: match switches.upper_bound_margin {
                true => ChildUpper::WithMargin,
                false => ChildUpper::Needed,
            },
            open_calls: 0,
        }
    }
}
