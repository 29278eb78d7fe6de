//! Sums of costs of leaves on a prepared table: the space of `engine/search.rs` for squared and absolute
//! error and for class costs. Costs are integers (`units.rs`).
//!
//! Minimum costs do not fall when items are added (restrict the better tree to fewer items: neither
//! the squares about a mean nor the absolute deviations from a median grow), so intervals and
//! inherited bounds hold as they do for errors.
//!
//! *Similarity bound.* An item that moves from one child of a threshold to the other does not raise
//! the cost of the child it leaves, and adds to a leaf of the other child at most its cost with
//! that leaf's old prediction. That lies between the minimum and the maximum target of the subset,
//! so it adds at most its squared (or absolute) distance to the farther of the two. The sum of
//! these distances is the weight of a rule, for which `engine/intervals.rs` has the argument. With two
//! sets (`engine/two_set_bound.rs`) only the items that count with their weight add to costs, and
//! predictions lie between the targets of these.
//!
//! Where its steps are: `prunes` in `bounds.rs`; `depth_two` in `depth_two.rs`; `solve_by_counts` in
//! `depth_three.rs`, `branch_columns` in `deep_columns.rs` and `columns_in_parallel` in
//! `parallel_columns.rs`, for rules as columns of bits.

use super::clusters::BoundBenefit;
use super::open_columns::ParallelColumnsNode;
use super::options::RegressionOptions;
use super::prepared_table::{RegressionTable, leaf_of};
use super::stump_evaluator::RegressionStumpEvaluator;
use super::subset::RegressionSubset;
use super::subset_columns::ColumnsWorkspace;
use super::units::Deviation;
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::parallel_node::ThresholdSubtask;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, NodeOf, Search, Space, Switches};
use crate::support::mutants::{Mutant, offset};
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

/// A table whose costs of leaves are minimized.
#[derive(Clone, Copy)]
pub(crate) struct CostSpace<'a> {
    pub prepared: &'a RegressionTable,
    pub options: &'a RegressionOptions,
    /// Price of a leaf.
    pub price: Cost,
}

/// A search for minimum costs.
pub(crate) type RegressionSearch<'s, 'a> = Search<'s, CostSpace<'a>>;

/// Scratch memory of a thread.
#[derive(Default)]
pub(crate) struct CostWorkspace<'a> {
    pub columns: ColumnsWorkspace,
    /// Task queue of the threads for rules as columns of bits; `None` for a single thread.
    pub columns_queue: Option<&'a TaskQueue<ParallelColumnsNode>>,
    pub clustering_benefit: BoundBenefit,
}

impl LeafCosts for CostSpace<'_> {
    type Table = RegressionTable;

    fn table(&self) -> &RegressionTable {
        self.prepared
    }

    fn leaf(&self, subset: &RegressionSubset) -> CostedTree {
        (subset.leaf + self.price, Tree::leaf(0))
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        (self.price + leaf_of(self.prepared, slots.iter().copied()), Tree::leaf(0))
    }

    fn lower_bounds(&self, subset: &RegressionSubset, _limits: Limits) -> [Cost; 2] {
        let equivalent_points = match self.options.equivalent_points {
            true => subset.minimum + offset(Mutant::RegressionEqualRows) * subset.leaf / 8,
            false => 0,
        };
        [equivalent_points, 0]
    }

    fn similarity_price(&self, subset: &RegressionSubset) -> Option<Cost> {
        subset.reaches(self.prepared).then_some(1)
    }

    fn rounding(&self, leaves: u32) -> Cost {
        match self.prepared.units.deviation {
            Deviation::Squared => 4 * Cost::from(leaves),
            Deviation::Absolute => 0,
            Deviation::Classes => {
                (self.prepared.units.error_per_leaf() * f64::from(leaves)).ceil() as Cost
            }
        }
    }
}

impl<'a> Space for CostSpace<'a> {
    type Workspace = CostWorkspace<'a>;

    fn switches(&self) -> Switches {
        let options = self.options;
        Switches {
            interval_bound: options.interval_bound,
            similarity_bound: options.similarity_bound,
            upper_bound_margin: options.upper_bound_margin,
            feature_bounds: options.feature_bounds,
            // Columns of bits hold no weightless items.
            two_set_bound: options.two_set_bound && self.prepared.columns.is_none(),
            cache: options.cache,
            cached_bounds: true,
            early_bound: false,
        }
    }

    fn leaf_price(&self) -> Cost {
        self.price
    }

    /// The gap if the search stopped now. Costs are taken without what rounding and padding add to
    /// them; the lower bound is reduced by the rounding errors of any tree, but not below 0.
    fn gap(&self, progress: &Progress) -> f64 {
        let (Some(cost), lower) = progress.read() else { return f64::INFINITY };
        let net = self.prepared.net(cost as f64);
        let slack = self.prepared.slack(self.prepared.items.len() as f64, net);
        (((cost - lower) as f64 + slack) / net.max(1.0)).min(1.0)
    }

    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &RegressionSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        search.is_one_target(subset, bounds) || search.clusters_prune(subset, limits, bounds)
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &RegressionSubset,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        match limits.depth {
            _ if search.is_counted(limits) => Ok(search.solve_by_counts(subset, limits, bounds)),
            _ if search.space.prepared.columns.is_some() => {
                Ok(search.branch_columns(subset, limits, bounds))
            }
            1 => Ok(search.one_level(subset, limits, bounds)),
            2 if search.space.options.depth_two => {
                Ok(search.depth_two(subset, limits, bounds, inherited))
            }
            _ => Err(bounds),
        }
    }

    fn carry_out_stumps(
        search: &mut Search<'_, Self>,
        queue: &TaskQueue<NodeOf<Self>>,
        number: u64,
        first: ThresholdSubtask<RegressionSubset>,
    ) {
        let task = first.task.clone();
        let CostSpace { prepared, price, .. } = search.space;
        // Notes belong to the thread that made them.
        let mut children =
            RegressionStumpEvaluator::new(prepared, &task.subset, price, search.level);
        children.takes_notes = false;
        search.enter_all(queue, number, first, |search, subtask| {
            Some(search.try_stumps(&subtask.trial, &task.subset, task.limits, &mut children))
        });
        search.stats.pruned.stump_bounds += children.skipped_features;
    }
}
