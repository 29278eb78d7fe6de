//! Solves one problem of costs of leaves: the search, beside it the blocks of a large table, and the
//! search in fine units if the first one is too coarse.

use super::blocks::CostBlocks;
use super::one_search::{CostStart, search_from};
use super::prepared_table::CostTable;
use super::request::{CostExamples, CostOutcome, CostRequest};
use crate::costs::units::Units;
use crate::engine::block_bound::BlockBound;
use crate::support::clock::{Background, Clock};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Outcome, Status, Tree};
use std::sync::Arc;

/// Finds the best tree for some examples, or the best tree and lower bound within the time limit.
/// Features of the tree are indices into `Table::features`, as are those of `initial`, a tree
/// within the limits.
pub fn solve_costs(
    examples: &CostExamples,
    request: &CostRequest,
    initial: Option<&Arc<Tree>>,
    clock: &Clock<'_>,
    progress: &Progress,
) -> CostOutcome {
    let blocks = CostBlocks::of(&examples.table, &examples.prepared, request);
    let blocks = blocks.and_then(|blocks| BlockBound::of(blocks, progress));
    solve_beside(blocks.as_ref(), examples, request, initial, clock, progress)
}

/// The same, with some blocks to solve beside the search.
pub(super) fn solve_beside(
    blocks: Option<&BlockBound<'_, CostBlocks<'_>>>,
    examples: &CostExamples,
    request: &CostRequest,
    initial: Option<&Arc<Tree>>,
    clock: &Clock<'_>,
    progress: &Progress,
) -> CostOutcome {
    let initial =
        initial.and_then(|tree| examples.prepared.in_prepared_features(&examples.table, tree));
    let beside = clock.with_background(blocks.map(|blocks| blocks as &dyn Background));
    let start = CostStart { initial, greedy: request.options.incumbent };
    let found = search_from(&examples.prepared, request, &beside, progress, start);
    let fine = is_too_coarse(&examples.prepared, &found)
        .then(|| examples.prepared_in_fine_units(clock, request))
        .flatten();
    let found = match fine {
        Some(prepared) => search_again(&prepared, request, clock, found),
        None => found,
    };
    let in_table = |tree: Arc<Tree>| examples.prepared.in_table_features(&tree);
    let outcome = Outcome { tree: found.outcome.tree.map(in_table), ..found.outcome };
    let equal_features = examples.table.features.len() - examples.prepared.features.len();
    let mut stats = found.stats;
    stats.pruned.equal_features = equal_features as u64;
    stats.seconds = clock.seconds();
    CostOutcome { outcome, stats, ..found }
}

/// Whether an outcome is proved, but the rounding error of the proof exceeds the tolerance, and there
/// are finer units.
pub(crate) fn is_too_coarse(prepared: &CostTable, found: &CostOutcome) -> bool {
    let Some(cost) = found.outcome.cost.filter(|_| found.outcome.status == Status::Optimal) else {
        return false;
    };
    let net = |cost: Cost| prepared.net(cost as f64);
    let one_leaf = net(prepared.whole().leaf);
    prepared.units.finer().is_some() && !Units::tolerate(found.rounding_units, net(cost), one_leaf)
}

/// Repeats a search, starting from its tree, and keeps the greater of both lower bounds.
fn search_again(
    prepared: &CostTable,
    request: &CostRequest,
    clock: &Clock<'_>,
    before: CostOutcome,
) -> CostOutcome {
    let progress = Progress::default();
    let start = CostStart { initial: before.outcome.tree, greedy: false };
    let found = search_from(prepared, request, clock, &progress, start);
    let mut stats = before.stats;
    stats.add(&found.stats);
    CostOutcome { lower_bound: found.lower_bound.max(before.lower_bound), stats, ..found }
}
