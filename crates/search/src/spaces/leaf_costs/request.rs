//! The examples, the limits and the outcome of a search for minimum costs.

use super::options::CostOptions;
use super::prepared_table::{CostTable, weights_of};
use crate::costs::class_costs::ClassCosts;
use crate::costs::units::{TargetError, Units};
use crate::support::clock::Clock;
use crate::support::columns_in_parallel::read_table;
use crate::support::statistics::Stats;
use exactree_model::{Limits, Outcome, Table, Weight, rank};

/// The examples: a table whose classes are the codes of the targets.
pub struct CostExamples {
    pub table: Table,
    pub(crate) prepared: CostTable,
}

/// The limits and options of a search.
#[derive(Clone, Debug)]
pub struct CostRequest {
    pub limits: Limits,
    /// Price of a leaf in the unit of the user.
    pub leaf_price: f64,
    /// Soft limit on the bytes of the cache.
    pub memory_limit: Option<usize>,
    /// Stop when (cost − lower bound) / cost is at most this; 0 for never.
    pub stop_at_gap: f64,
    /// Number of threads, at least 1.
    pub threads: usize,
    pub options: CostOptions,
}

/// The outcome, in integers of the search and in the user's unit.
#[derive(Debug)]
pub struct CostOutcome {
    pub outcome: Outcome,
    pub cost: Option<f64>,
    /// Lower bound on the cost of every tree within the limits, rounding included.
    pub lower_bound: f64,
    /// Maximum error of the cost of a tree reported optimal, because of rounding.
    pub rounding: f64,
    /// The same maximum in units of the search.
    pub rounding_units: f64,
    pub stats: Stats,
}

/// For every bound, its name and how often it pruned.
pub fn pruned_bounds(stats: &Stats) -> [(&'static str, u64); 10] {
    let pruned = &stats.pruned;
    [
        ("interval_bound", pruned.interval_bound),
        ("similarity_bound", pruned.similarity_bound),
        ("feature_bounds", pruned.feature_bounds),
        ("stump_bounds", pruned.stump_bounds),
        ("cached_bounds", pruned.cached_bounds),
        ("one_target", pruned.one_target),
        ("equivalent_points", pruned.equivalent_points),
        ("clustering_bound", pruned.clustering_bound),
        ("leaf_price", pruned.leaf_price),
        ("two_set_bound", pruned.two_set_bound),
    ]
}

impl CostExamples {
    /// Merges the rows of a table of finite values given column by column, for one request;
    /// `None` if the clock stops.
    pub fn new(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        targets: &[f64],
        weights: &[Weight],
        error: TargetError,
        request: &CostRequest,
    ) -> Option<Self> {
        let (distinct, codes) = clock.check().map(|()| rank(targets)).ok()?;
        clock.check().ok()?;
        let by_code = weights_of(&codes, weights, distinct.len());
        let units = Units::of_targets(error, &distinct, &by_code, request.leaf_price);
        let stopped = || clock.stopped();
        let (threads, weights) = (request.threads, (weights, weights));
        let table = read_table(threads, &stopped, columns, &codes, weights, distinct.len())?;
        let (options, rows) = (&request.options, request.limits.min_samples_leaf);
        let prepared = CostTable::prepare(&stopped, &table, units, options, rows)?;
        Some(CostExamples { table, prepared })
    }

    /// The same for a table whose labels are classes, with the given costs of leaves; the unit is
    /// 2 to the exponent.
    pub fn of_classes(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        labels: &[u32],
        weights: &[Weight],
        (costs, exponent): (ClassCosts, i32),
        request: &CostRequest,
    ) -> Option<Self> {
        let stopped = || clock.stopped();
        let (threads, weights) = (request.threads, (weights, weights));
        let table = read_table(threads, &stopped, columns, labels, weights, costs.classes())?;
        let units = Units::of_classes(costs, exponent);
        let (options, rows) = (&request.options, request.limits.min_samples_leaf);
        let prepared = CostTable::prepare(&stopped, &table, units, options, rows)?;
        Some(CostExamples { table, prepared })
    }

    /// A cost of the search in the user's unit.
    pub fn in_user_units(&self, cost: f64) -> f64 {
        self.prepared.in_user_units(cost)
    }

    /// The examples in fine units, or unchanged if there are no finer units; `None` if the clock
    /// stops.
    pub fn in_fine_units(self, clock: &Clock<'_>, request: &CostRequest) -> Option<Self> {
        if self.prepared.units.finer().is_none() {
            return Some(self);
        }
        let prepared = self.prepared_in_fine_units(clock, request)?;
        Some(CostExamples { prepared, ..self })
    }

    /// The prepared table in fine units. If the clock stops, `None`: a proof in coarse units then
    /// holds up to its rounding error.
    pub(crate) fn prepared_in_fine_units(
        &self,
        clock: &Clock<'_>,
        request: &CostRequest,
    ) -> Option<CostTable> {
        let units = self.prepared.units.finer()?;
        let (options, rows) = (&request.options, request.limits.min_samples_leaf);
        CostTable::prepare(&|| clock.stopped(), &self.table, units, options, rows)
    }
}
