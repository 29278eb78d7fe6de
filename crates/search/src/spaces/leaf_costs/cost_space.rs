//! Sums of costs of leaves on a prepared table: the space of `engine/search.rs` for squared and absolute
//! error and for class costs. Costs are integers (`costs/`).
//!
//! Minimum costs do not fall when items are added (restrict a best tree of the larger set to the
//! smaller: no leaf costs more with fewer items, by the law of `costs/leaf_cost.rs`), so interval bounds
//! and inherited bounds hold as they do for errors.
//!
//! *Similarity bound.* An item that moves from one child of a threshold to the other does not raise
//! the cost of the child it leaves, and adds to a leaf of the other child at most its *reach*, which
//! each cost defines. The sum of these amounts is the weight of a rule, for which `engine/intervals.rs`
//! has the argument. With two sets (`engine/two_set_bound.rs`) only the items that count with their
//! weight add to costs, and predictions lie between the targets of these.
//!
//! The rules are thresholds (`threshold_rules.rs`) or columns of bits (`column_rules.rs`); the search
//! is compiled for both. `prunes` is in `bounds.rs`.

use super::options::CostOptions;
use super::prepared_table::CostTable;
use super::request::CostRequest;
use super::subset_columns::ColumnsWorkspace;
use crate::costs::clusters::BoundBenefit;
use crate::costs::items::{CostSubset, CostTotals};
use crate::costs::leaf_cost::LeafRounding;
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::open_splits::{OpenSplits, RootSplits};
use crate::engine::parallel_node::{ParallelNode, SplitSubtask};
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, NodeOf, Search, Space, SubtaskOf, Switches, TableCosts};
use crate::kernels::InstructionSet;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

/// A table whose costs of leaves are minimized.
#[derive(Clone, Copy)]
pub(crate) struct CostSpace<'a, R> {
    pub prepared: &'a CostTable,
    pub options: &'a CostOptions,
    /// Price of a leaf.
    pub price: Cost,
    pub rules: R,
}

impl<'a, R> CostSpace<'a, R> {
    pub(crate) fn new(prepared: &'a CostTable, request: &'a CostRequest, rules: R) -> Self {
        let price = prepared.units.price(request.leaf_price);
        CostSpace { prepared, options: &request.options, price, rules }
    }
}

/// A search for minimum costs.
pub(crate) type CostSearch<'s, 'a, R> = Search<'s, CostSpace<'a, R>>;

/// The form of the rules of a table: thresholds or columns of bits.
pub(crate) trait CostRules: Copy + Sync {
    type Open: RootSplits;

    /// The open splits of a node. May improve the bounds.
    fn branching(
        search: &mut CostSearch<'_, '_, Self>,
        subset: &CostSubset,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<Self::Open>;

    fn try_split(
        search: &mut CostSearch<'_, '_, Self>,
        trial: &<Self::Open as OpenSplits>::Trial,
        subset: &CostSubset,
        limits: Limits,
    ) -> <Self::Open as OpenSplits>::Result;

    /// The solution of a subproblem that is not searched by branching; otherwise the bounds.
    fn solve_terminal(
        search: &mut CostSearch<'_, '_, Self>,
        subset: &CostSubset,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds>;

    /// Whether subproblems with these limits are solved fast enough for the first incumbent.
    fn is_shallow(&self, options: &CostOptions, limits: Limits) -> bool;

    /// Feature and rank of the rule of the best stump, and its children, left and right; at a `level`
    /// above `DEEPEST_GREEDY` those of the rule that splits the subset most evenly.
    fn greedy_split(
        search: &mut CostSearch<'_, '_, Self>,
        subset: &CostSubset,
        limits: Limits,
        level: u32,
    ) -> Option<((u32, u32), [CostSubset; 2])>;

    /// Evaluates splits of a job by the best stumps of their children.
    fn carry_out_stumps(
        search: &mut CostSearch<'_, '_, Self>,
        queue: &TaskQueue<CostNode<Self>>,
        number: u64,
        first: CostSubtask<Self>,
    ) {
        search.carry_out_children(queue, number, first);
    }
}

/// The job of a node that several threads evaluate, and a subtask of it.
pub(crate) type CostNode<R> = ParallelNode<CostSubset, <R as CostRules>::Open>;
pub(crate) type CostSubtask<R> =
    SplitSubtask<CostSubset, <<R as CostRules>::Open as OpenSplits>::Trial>;

/// Scratch memory of a thread.
#[derive(Default)]
pub(crate) struct CostWorkspace {
    pub columns: ColumnsWorkspace,
    pub clustering_benefit: BoundBenefit,
}

impl<'s, 'a, R: CostRules> CostSearch<'s, 'a, R> {
    /// A search with empty statistics, for one thread.
    pub(crate) fn new(
        space: CostSpace<'a, R>,
        clock: &Clock<'s>,
        progress: &'s Progress,
        cache: &'s SharedCache,
    ) -> Self {
        let level = InstructionSet::detect(space.options.wide_lanes);
        Search::over(space, *clock, progress, cache, level, CostWorkspace::default())
    }
}

impl<R: CostRules> LeafCosts for CostSpace<'_, R> {
    type Totals = CostTotals;

    fn leaf(&self, subset: &CostSubset) -> CostedTree {
        (subset.leaf + self.price, Tree::leaf(0))
    }

    fn leaf_price(&self) -> Cost {
        self.price
    }

    fn lower_bounds(&self, subset: &CostSubset, _limits: Limits) -> [Cost; 2] {
        let equivalent_points = match self.options.equivalent_points {
            true => subset.minimum + offset(Mutant::CostEqualRows) * subset.leaf / 8,
            false => 0,
        };
        [equivalent_points, 0]
    }

    /// The gap if the search stopped now. Costs are taken without what rounding and padding add to
    /// them; the lower bound is reduced by the rounding errors of any tree, but not below 0.
    fn gap(&self, progress: &Progress) -> f64 {
        let (Some(cost), lower) = progress.read() else { return f64::INFINITY };
        let net = self.prepared.net(cost as f64);
        let rounding = self.prepared.max_rounding_error(self.prepared.items.len() as f64, net);
        (((cost - lower) as f64 + rounding) / net.max(1.0)).min(1.0)
    }
}

impl<R: CostRules> Space for CostSpace<'_, R> {
    type Open = R::Open;
    type Workspace = CostWorkspace;

    fn switches(&self) -> Switches {
        let options = self.options;
        Switches {
            interval_bound: options.interval_bound,
            similarity_bound: options.similarity_bound,
            upper_bound_margin: options.upper_bound_margin,
            // In general no child of a column contains a child of another one.
            feature_bounds: options.feature_bounds && self.prepared.columns.is_none(),
            two_set_bound: options.two_set_bound,
            cache: options.cache,
            cached_bounds: true,
            early_bound: options.early_bound,
        }
    }

    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &CostSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        search.is_one_target(subset, bounds) || search.clusters_prune(subset, limits, bounds)
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &CostSubset,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        R::solve_terminal(search, subset, limits, bounds, inherited)
    }

    fn branching(
        search: &mut Search<'_, Self>,
        subset: &CostSubset,
        limits: Limits,
        bounds: &mut Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<R::Open> {
        R::branching(search, subset, limits, bounds, inherited)
    }

    fn try_split(
        search: &mut Search<'_, Self>,
        trial: &<R::Open as OpenSplits>::Trial,
        subset: &CostSubset,
        limits: Limits,
    ) -> <R::Open as OpenSplits>::Result {
        R::try_split(search, trial, subset, limits)
    }

    fn carry_out_stumps(
        search: &mut Search<'_, Self>,
        queue: &TaskQueue<NodeOf<Self>>,
        number: u64,
        first: SubtaskOf<Self>,
    ) {
        R::carry_out_stumps(search, queue, number, first);
    }
}

impl<R: CostRules> TableCosts for CostSpace<'_, R> {
    type Table = CostTable;

    fn table(&self) -> &CostTable {
        self.prepared
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        (self.price + self.prepared.totals_of(slots.iter().copied()).leaf, Tree::leaf(0))
    }

    fn similarity_price(&self, subset: &CostSubset) -> Option<Cost> {
        self.prepared.reaches_fit(subset).then_some(1)
    }

    fn rounding(&self, leaves: u32) -> Cost {
        self.prepared.units.cost.growth(leaves)
    }
}
