//! Rules as columns of bits. Subproblems with few levels left are solved by counts
//! (`depth_three.rs`); the columns of others are evaluated in the order of the cost of the best shallow
//! tree with that root.

use super::columns::CostColumns;
use super::cost_space::{CostRules, CostSearch, CostSpace};
use super::incumbent::DEEPEST_GREEDY;
use super::options::CostOptions;
use crate::costs::items::CostSubset;
use crate::engine::column_children::ColumnSpace;
use crate::engine::columns::{
    ColumnResult, ColumnRule, ColumnTrial, OpenColumn, OpenColumns, in_order,
};
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::subset::{SortedOrders, Subset};
use exactree_model::Limits;
use std::sync::Arc;

/// The columns of a table.
#[derive(Clone, Copy)]
pub(crate) struct ColumnRules<'a>(pub &'a CostColumns);

/// A search whose rules are columns of bits.
pub(crate) type ColumnsSearch<'s, 'a, 'c> = CostSearch<'s, 'a, ColumnRules<'c>>;

impl<'a> CostRules for ColumnRules<'a> {
    type Open = OpenColumns;

    fn branching(
        search: &mut ColumnsSearch<'_, '_, 'a>,
        subset: &CostSubset,
        limits: Limits,
        bounds: &mut Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Option<OpenColumns> {
        let columns = search.space.rules.0;
        let order = search.order_by_shallow_trees(subset, limits, bounds);
        let column = |number: usize| {
            let (feature, rank) = columns.rules[number];
            let rule = ColumnRule { feature, rank, inverted: !columns.on_left[number] };
            OpenColumn { number: number as u32, rule, lower: bounds.lower, children: [0; 2] }
        };
        // No similarity bound: the reach of the items on which two columns differ is so much greater
        // than the difference of their costs that it pruned no column of 2,500 random tables.
        Some(OpenColumns::new(Arc::default(), order.into_iter().map(column).collect(), None))
    }

    fn try_split(
        search: &mut ColumnsSearch<'_, '_, 'a>,
        trial: &ColumnTrial,
        subset: &CostSubset,
        limits: Limits,
    ) -> ColumnResult {
        search.try_column(trial, subset, limits)
    }

    fn solve_terminal(
        search: &mut ColumnsSearch<'_, '_, 'a>,
        subset: &CostSubset,
        limits: Limits,
        bounds: Bounds,
        _inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        let CostSpace { rules, options, .. } = search.space;
        match rules.0.are_counted(options, limits) {
            true => Ok(search.solve_by_counts(subset, limits, bounds)),
            false => Err(bounds),
        }
    }

    fn is_shallow(&self, options: &CostOptions, limits: Limits) -> bool {
        self.0.are_counted(options, limits)
    }

    fn greedy_split(
        search: &mut ColumnsSearch<'_, '_, 'a>,
        subset: &CostSubset,
        limits: Limits,
        level: u32,
    ) -> Option<((u32, u32), [CostSubset; 2])> {
        let column = match level > DEEPEST_GREEDY {
            true => search.most_even_split(subset, limits),
            false => search.best_column(subset, limits),
        }?;
        Some((search.space.rules.0.rules[column], search.space.children_in_order(subset, column)))
    }
}

impl ColumnSpace for CostSpace<'_, ColumnRules<'_>> {
    fn children(&self, subset: &CostSubset, column: u32) -> [CostSubset; 2] {
        let held = &self.rules.0.held[column as usize];
        [subset.members.and(held), subset.members.without(held)]
            .map(|members| Subset::of(self.prepared, members, None, SortedOrders::default()))
    }
}

impl CostSpace<'_, ColumnRules<'_>> {
    /// The two children of a column, left first.
    pub(crate) fn children_in_order(&self, subset: &CostSubset, column: usize) -> [CostSubset; 2] {
        in_order(self.children(subset, column as u32), !self.rules.0.on_left[column])
    }
}
