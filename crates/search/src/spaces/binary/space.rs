//! Start here: plain errors on a table of binary columns, as a space of `engine/search.rs`.
//!
//! A node counts all pairs of its rules once (`node.rs`). These counts solve depth two, order the
//! rules (`rules.rs`), give the weight by which their children differ (`engine/columns.rs`), and
//! halve the work of counting in children (`node.rs`). `children.rs` evaluates a rule. Subsets with
//! two levels left are solved by counts alone (`depth_two.rs`).

use super::columns::BinaryColumns;
use super::node::{BinaryNode, ChildCounts, NodeCounts};
use super::path_cache::PathCache;
use super::sparse_lists::RuleLists;
use super::subset::{BinarySubset, BinaryTotals};
use crate::engine::columns::{ColumnResult, ColumnRule, ColumnTrial, OpenColumns};
use crate::engine::inherited_bounds::{InheritedBounds, ThresholdBounds};
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, Search, Space, Switches};
use crate::kernels::chunks::ChunkLane;
use crate::spaces::error_bounds::{class_count, equivalent_points};
use crate::support::options::Options;
use exactree_model::{Cost, Errors, Limits, Tree, Weight};
use std::marker::PhantomData;
use std::sync::Arc;

/// A table of binary columns whose misclassified weight is minimized; counts are of type `L`.
#[derive(Clone, Copy)]
pub(crate) struct BinarySpace<'a, L> {
    pub columns: &'a BinaryColumns,
    /// The rule that each column represents.
    pub rules: &'a [ColumnRule],
    /// The lists, if pairs are counted by lists.
    pub lists: Option<&'a RuleLists<'a>>,
    pub objective: Errors,
    pub options: &'a Options,
    pub path_cache: &'a PathCache,
    pub lane: PhantomData<L>,
}

/// A search of a table of binary columns.
pub(crate) type BinarySearch<'s, 'a, L> = Search<'s, BinarySpace<'a, L>>;

/// Scratch memory of a thread.
pub(crate) struct BinaryWorkspace<L> {
    pub children: ChildCounts<L>,
    /// Counts that are not in use.
    pub spare: Vec<NodeCounts<L>>,
    /// Number of levels at which rules are evaluated; see `deepening.rs`.
    pub expanded: usize,
}

impl<L: Default> Default for BinaryWorkspace<L> {
    fn default() -> Self {
        let (children, spare) = Default::default();
        BinaryWorkspace { children, spare, expanded: usize::MAX }
    }
}

impl<L: ChunkLane> BinarySpace<'_, L> {
    /// Lower bounds on the costs of all trees for items of these weights.
    pub(crate) fn bounds_of(
        &self,
        class_weights: &[Weight],
        unavoidable: Weight,
        limits: Limits,
    ) -> [Cost; 2] {
        let equivalent_points = equivalent_points(unavoidable, self.options.equivalent_points);
        [equivalent_points, class_count(class_weights, limits, self.options.class_count)]
            .map(|errors| errors * self.objective.error_price)
    }
}

impl<L: ChunkLane> LeafCosts for BinarySpace<'_, L> {
    type Totals = BinaryTotals;

    fn leaf(&self, subset: &BinarySubset) -> CostedTree {
        (self.objective.leaf(subset.leaf_errors()), Tree::leaf(subset.leaf_class()))
    }

    fn leaf_price(&self) -> Cost {
        self.objective.leaf_price
    }

    fn lower_bounds(&self, subset: &BinarySubset, limits: Limits) -> [Cost; 2] {
        self.bounds_of(&subset.class_weights, subset.unavoidable, limits)
    }
}

impl<L: ChunkLane> Space for BinarySpace<'_, L> {
    type Open = OpenColumns<BinaryNode<L>>;
    type Workspace = BinaryWorkspace<L>;

    /// The bounds of thresholds do not apply.
    fn switches(&self) -> Switches {
        Switches {
            interval_bound: false,
            similarity_bound: self.options.similarity_bound,
            upper_bound_margin: false,
            feature_bounds: false,
            two_set_bound: false,
            cache: self.options.cache,
            cached_bounds: self.options.cached_bounds,
            early_bound: false,
        }
    }

    /// No rule occurs twice on a path.
    fn max_depth(&self, subset: &BinarySubset) -> u32 {
        subset.columns.rules.len() as u32
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &BinarySubset,
        limits: Limits,
        bounds: Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        if limits.is_terminal() {
            Ok(search.depth_two(subset, limits, bounds))
        } else {
            Err(bounds)
        }
    }

    fn branching(
        search: &mut Search<'_, Self>,
        subset: &BinarySubset,
        limits: Limits,
        bounds: &mut Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<OpenColumns<BinaryNode<L>>> {
        search.open_rules(subset, limits, bounds)
    }

    fn try_split(
        search: &mut Search<'_, Self>,
        trial: &ColumnTrial<BinaryNode<L>>,
        subset: &BinarySubset,
        limits: Limits,
    ) -> ColumnResult {
        search.try_rule(trial, subset, limits)
    }

    fn close(
        search: &mut Search<'_, Self>,
        open: OpenColumns<BinaryNode<L>>,
    ) -> Vec<ThresholdBounds> {
        search.workspace.spare.extend(open.into_counts().map(|node| node.counts));
        Vec::new()
    }
}
