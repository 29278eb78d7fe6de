//! The best split by one surface for squared and absolute errors and for costs of classes.
//!
//! The examples are a table of one feature, the number of the point of each row. So items of a point are
//! merged as those of equal rows are, and units, prices and roundings are those of the search over
//! thresholds (`spaces/leaf_costs/`).

use super::points::PointTable;
use super::search::{OneSurfaceRequest, OneSurfaceResult, SplitCosts, best_split};
use super::side_costs::{PointSums, SideCost};
use crate::costs::absolute_error::AbsoluteError;
use crate::costs::absolute_error::median_sums::MedianSums;
use crate::costs::any_cost::AnyCost;
use crate::costs::class_costs::ClassCosts;
use crate::costs::squared_error::SquaredError;
use crate::spaces::leaf_costs::one_search::rounded_outcome;
use crate::spaces::leaf_costs::prepared_table::CostTable;
use crate::spaces::leaf_costs::solve::is_too_coarse;
use crate::spaces::leaf_costs::{CostExamples, CostOutcome, CostRequest};
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Cost, Tree, UNBOUNDED};

#[cfg(test)]
mod differential;

/// A split to start from, and splits that are not allowed, nor their opposites: which points go left.
#[derive(Clone, Debug, Default)]
pub struct KnownSplits {
    pub start: Option<Vec<bool>>,
    pub excluded: Vec<Vec<bool>>,
}

/// The outcome of a search, and the split of its tree.
#[derive(Debug)]
pub struct CostSurfaceOutcome {
    /// A tree of one node has some threshold on the number of the point: `left` is its split.
    pub found: CostOutcome,
    /// `None` if the tree is a leaf.
    pub left: Option<Vec<bool>>,
    pub flats: u64,
    pub exact_directions: u64,
}

/// The best tree of at most one surface, or the best one in time. The examples have one feature: the
/// number of the point of each row.
pub fn one_surface_costs(
    table: &PointTable,
    examples: &CostExamples,
    request: &CostRequest,
    known: &KnownSplits,
    clock: &Clock<'_>,
    progress: &Progress,
) -> CostSurfaceOutcome {
    let prepared = &examples.prepared;
    let found = search_in(table, prepared, request, known, clock, progress);
    let fine = is_too_coarse(prepared, &found.found)
        .then(|| examples.prepared_in_fine_units(clock, request))
        .flatten();
    let Some(fine) = fine else { return found };
    let known = KnownSplits { start: found.left.clone(), ..known.clone() };
    let mut again = search_in(table, &fine, request, &known, clock, &Progress::default());
    again.found.lower_bound = again.found.lower_bound.max(found.found.lower_bound);
    again.flats += found.flats;
    again.exact_directions += found.exact_directions;
    again
}

/// The same with the units of a prepared table.
fn search_in(
    table: &PointTable,
    prepared: &CostTable,
    request: &CostRequest,
    known: &KnownSplits,
    clock: &Clock<'_>,
    progress: &Progress,
) -> CostSurfaceOutcome {
    let whole = prepared.whole();
    let price = prepared.units.price(request.leaf_price);
    let cost = SideCosts::of(prepared);
    let costs = SplitCosts {
        sums: cost.sums(prepared, &table.rows),
        cost: &cost,
        unavoidable: whole.minimum,
        prices: 2 * price,
    };
    let one_leaf = (whole.leaf + price, Tree::leaf(0));
    let start = known.start.as_ref().map(|left| (costs.of(left), left.clone()));
    // Only a split that is cheaper than both makes a better tree.
    let most = one_leaf.0.saturating_sub(costs.prices);
    let start = start.filter(|&(cost, _)| cost < most);
    let below = start.as_ref().map_or(most, |start| start.0);
    progress.report(start.as_ref().map_or(one_leaf.0, |start| start.0 + costs.prices), 0);
    let request_of_splits = OneSurfaceRequest {
        min_rows: request.limits.min_samples_leaf,
        below,
        excluded: known.excluded.clone(),
        threads: request.threads,
    };
    let OneSurfaceResult { best, lower, flats, exact_directions } =
        best_split(table, &costs, &request_of_splits, clock, progress);
    let best = best.or(start);
    let (search_cost, tree) = match &best {
        Some((cost, _)) => (cost + costs.prices, Tree::node(0, 0, Tree::leaf(0), Tree::leaf(0))),
        None => one_leaf,
    };
    let found = Some((search_cost, (search_cost, tree)));
    let lower = (lower + costs.prices).min(search_cost);
    let stats = Stats { nodes: 1, seconds: clock.seconds(), ..Stats::default() };
    let limits = request.limits.normalised();
    let found = rounded_outcome(prepared, (&whole, limits), found, (lower, 0.0), clock, stats);
    CostSurfaceOutcome { found, left: best.map(|(_, left)| left), flats, exact_directions }
}

/// One of the costs, by its sums.
enum SideCosts<'a> {
    /// Weight, weight times target, and weight times squared target.
    Squared(&'a SquaredError),
    /// The weights of the classes.
    Classes(&'a ClassCosts),
    Absolute(&'a AbsoluteError, MedianSums),
}

impl<'a> SideCosts<'a> {
    fn of(prepared: &'a CostTable) -> Self {
        match &prepared.units.cost {
            AnyCost::Squared(cost) => SideCosts::Squared(cost),
            AnyCost::Classes(costs) => SideCosts::Classes(costs),
            AnyCost::Absolute(cost) => {
                let codes = prepared.items.iter().map(|item| item.high as usize + 1).max();
                SideCosts::Absolute(cost, MedianSums::of(codes.unwrap_or(0)))
            }
        }
    }

    /// The sums of points, which are the ranks of the only feature.
    fn sums(&self, prepared: &CostTable, rows: &[u64]) -> PointSums {
        let mut items_of = vec![Vec::new(); rows.len()];
        for (slot, item) in prepared.items.iter().enumerate() {
            let point = prepared.features.first().map_or(0, |feature| feature.ranks[slot]);
            items_of[point as usize].push(item);
        }
        let width = match self {
            SideCosts::Squared(_) => 3,
            SideCosts::Classes(costs) => costs.classes(),
            SideCosts::Absolute(_, medians) => medians.width(),
        };
        PointSums::new(rows, width, |point, terms| {
            for item in &items_of[point] {
                match self {
                    SideCosts::Squared(_) => {
                        terms.extend([(1, item.weight), (2, item.sum), (3, item.square as i64)]);
                    }
                    SideCosts::Classes(_) => terms.push((1 + item.low, item.weight)),
                    SideCosts::Absolute(_, medians) => {
                        let own = medians.terms_of(item.low, item.weight, item.sum);
                        terms.extend(own.map(|(index, term)| (1 + index, term)));
                    }
                }
            }
        })
    }
}

impl SideCost for SideCosts<'_> {
    fn leaf(&self, sums: &[i64]) -> Cost {
        match self {
            SideCosts::Squared(cost) => {
                (sums[3] as Cost).saturating_sub(cost.savings(sums[2], sums[1]))
            }
            SideCosts::Classes(costs) => costs.leaf_of(&sums[1..]),
            SideCosts::Absolute(cost, medians) => cost.leaf_of(medians, &sums[1..]),
        }
    }
}

impl SplitCosts<'_, SideCosts<'_>> {
    /// The cost of both sides of a split.
    fn of(&self, left: &[bool]) -> Cost {
        let side = |wanted: bool| {
            let mut sums = Vec::new();
            self.sums.reset(&mut sums);
            let points = (0..left.len()).filter(|&point| left[point] == wanted);
            points.for_each(|point| self.sums.add(&mut sums, point as u32));
            self.cost.leaf(&sums)
        };
        (side(true) + side(false)).min(UNBOUNDED)
    }
}
