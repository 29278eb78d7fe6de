//! Blocks of a table for costs of leaves; `engine/block_bound.rs` has the argument.
//!
//! *Rounding.* The costs of blocks are in the units of the table, with the same squares and padding. The
//! cost of a leaf of the table and those of its parts in blocks have each the rounding error of one leaf,
//! and a price in a block has half a unit. So the bound of a block is lowered by two errors of each of its
//! leaves and a unit, and by the rounding error of its proof. Costs of a matrix are exact.

#[cfg(test)]
mod differential;

use super::cost_space::{CostSearch, CostSpace};
use super::one_search::{CostStart, leaves, search_from};
use super::prepared_table::CostTable;
use super::request::CostRequest;
use super::threshold_rules::ThresholdRules;
use crate::costs::leaf_cost::{LeafCost, LeafRounding};
use crate::engine::block_bound::{BlockProblem, SolvedBlock};
use crate::engine::solution::CostedTree;
use crate::spaces::error_blocks::MEMORY_DIVISOR;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, Status, Table, Tree};
use std::sync::Arc;

/// A problem of costs of leaves whose blocks are solved.
pub(super) struct CostBlocks<'a> {
    table: &'a Table,
    prepared: &'a CostTable,
    request: &'a CostRequest,
}

impl<'a> CostBlocks<'a> {
    /// `None` if shallow trees are searched fast, if the cost is not super-additive, or if the switch is
    /// off.
    pub(super) fn of(
        table: &'a Table,
        prepared: &'a CostTable,
        request: &'a CostRequest,
    ) -> Option<Self> {
        let holds = prepared.units.cost.laws().super_additive;
        (request.options.block_bound && holds && request.limits.depth > 2).then_some(CostBlocks {
            table,
            prepared,
            request,
        })
    }

    /// A tree of a block, simplified for the table, and its cost; `None` if it has too small a leaf.
    fn in_whole(&self, block: &Table, tree: &Arc<Tree>, clock: &Clock<'_>) -> Option<CostedTree> {
        let tree = tree.with_rules(&|at, rank| self.table.rule_of_part(block, at, rank))?;
        let tree = self.prepared.in_prepared_features(self.table, &tree)?;
        let (progress, cache) = (Progress::default(), SharedCache::new(None, 1));
        let space = CostSpace::new(self.prepared, self.request, ThresholdRules);
        let search = CostSearch::new(space, clock, &progress, &cache);
        let slots: Vec<u32> = (0..self.prepared.items.len() as u32).collect();
        let minimum = self.request.limits.min_samples_leaf;
        let simplified = search.simplified(&slots, &tree);
        Some(simplified).filter(|(_, tree)| search.min_leaf_rows_of(&slots, tree) >= minimum)
    }
}

/// The share of the price of a leaf that one of 2^`level` blocks pays.
fn share_of_price(level: u32) -> f64 {
    2f64.powi(-(level as i32)) + offset(Mutant::BlockBound) as f64
}

impl BlockProblem for CostBlocks<'_> {
    fn table(&self) -> &Table {
        self.table
    }

    fn proves_shares(&self) -> bool {
        // Its search takes no upper bound.
        false
    }

    fn solve(&self, level: u32, items: &[u32], _: Cost, clock: &Clock<'_>) -> SolvedBlock {
        let request = CostRequest {
            limits: Limits { min_samples_leaf: 1, ..self.request.limits },
            leaf_price: self.request.leaf_price * share_of_price(level),
            memory_limit: self.request.memory_limit.map(|bytes| bytes / MEMORY_DIVISOR),
            stop_at_gap: 0.0,
            threads: 1,
            ..self.request.clone()
        };
        let (options, units) = (&request.options, self.prepared.units.with_shared_price(level));
        let block = self.table.part(items);
        let stopped = || clock.stopped();
        let Some(prepared) = CostTable::prepare(&stopped, &block, units, options, 1) else {
            return SolvedBlock { bound: 0, is_solved: false, tree: None };
        };
        let start = CostStart { initial: None, greedy: options.incumbent };
        let found = search_from(&prepared, &request, clock, &Progress::default(), start);
        let of_leaf = prepared.units.cost.leaf_error(prepared.items.len());
        let rounding = match of_leaf {
            0 => 0.0,
            _ => leaves(request.limits, prepared.items.len()) * (2.0 * of_leaf as f64 + 1.0),
        };
        let rounding = (rounding + found.rounding_units).ceil() as Cost;
        let tree = found.outcome.tree.filter(|_| self.is_tried(items));
        let in_block = tree.map(|tree| prepared.in_table_features(&tree));
        SolvedBlock {
            bound: found.outcome.lower_bound.saturating_sub(rounding),
            is_solved: found.outcome.status == Status::Optimal,
            tree: in_block.and_then(|tree| self.in_whole(&block, &tree, clock)),
        }
    }
}
