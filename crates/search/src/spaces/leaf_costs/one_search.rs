//! One search for minimum costs: first incumbent, search, and the outcome in the user's unit.

use super::column_rules::ColumnRules;
use super::cost_space::{CostRules, CostSearch, CostSpace};
use super::prepared_table::CostTable;
use super::request::{CostOutcome, CostRequest};
use super::threshold_rules::ThresholdRules;
use crate::costs::items::CostSubset;
use crate::engine::early_bound::in_stages;
use crate::engine::solution::{CostedTree, Solution};
use crate::engine::threads::with_workers;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits, Outcome, Status, Tree, UNBOUNDED};
use std::sync::Arc;

/// Minimum depth at which an early bound saves time.
const MIN_EARLY_DEPTH: u32 = 3;

/// The cost of the best tree, and that tree simplified, with its own cost.
pub(super) type FoundTree = (Cost, CostedTree);

/// The first incumbent: an initial tree, a greedy tree, or the better of both.
pub(crate) struct CostStart {
    pub initial: Option<Arc<Tree>>,
    pub greedy: bool,
}

/// Searches, starting from the first incumbent if there is one.
pub(crate) fn search_from(
    prepared: &CostTable,
    request: &CostRequest,
    clock: &Clock<'_>,
    progress: &Progress,
    start: CostStart,
) -> CostOutcome {
    match &prepared.columns {
        Some(columns) => {
            let space = CostSpace::new(prepared, request, ColumnRules(columns));
            search_in(space, request, clock, progress, start)
        }
        None => {
            let space = CostSpace::new(prepared, request, ThresholdRules);
            search_in(space, request, clock, progress, start)
        }
    }
}

/// The same with one form of rules.
fn search_in<R: CostRules>(
    space: CostSpace<'_, R>,
    request: &CostRequest,
    clock: &Clock<'_>,
    progress: &Progress,
    start: CostStart,
) -> CostOutcome {
    let (prepared, threads) = (space.prepared, request.threads);
    let cache = SharedCache::new(request.memory_limit, threads);
    let (whole, limits) = (prepared.whole(), request.limits.normalised());
    let mut first = CostSearch::new(space, clock, progress, &cache);
    let incumbent = first.first_incumbent(&whole, limits, start);
    let pays = incumbent.is_some() && first.early_bound_pays(limits, MIN_EARLY_DEPTH);
    let stage = |clock: &Clock<'_>, known: Solution, early: bool| {
        let queue = TaskQueue::new();
        let searcher = || {
            let mut search = CostSearch::new(space, clock, progress, &cache);
            search.stop_at_gap = request.stop_at_gap;
            search.queue = (threads > 1).then_some(&queue);
            search
        };
        let work = |search: &mut CostSearch<'_, '_, R>| search.run(&whole, limits, known, early);
        with_workers(threads - 1, &queue, &searcher, work)
    };
    let known = Solution { tree: incumbent, ..Solution::with_lower(0) };
    let (found, counted) = in_stages(clock, pays, known, &stage);
    first.stats.add(&counted);
    first.count_cache();
    // Cheaper only if the search has been stopped.
    let tree = found.tree.into_iter().chain(clock.tree_beside()).min_by_key(|(cost, _)| *cost);
    let slots: Vec<u32> = whole.members.iter().collect();
    let tree = tree.map(|(cost, tree)| (cost, first.simplified(&slots, &tree)));
    let lower = found.lower.max(clock.bound_beside());
    rounded_outcome(prepared, (&whole, limits), tree, (lower, 0.0), clock, first.stats)
}

impl<R: CostRules> CostSearch<'_, '_, R> {
    /// The best tree for the whole table, and its lower bound; `known` is what is known of them.
    fn run(
        &mut self,
        whole: &CostSubset,
        limits: Limits,
        known: Solution,
        early: bool,
    ) -> Solution {
        let cost_of = |solution: &Solution| solution.tree.as_ref().map(|found| found.0);
        let upper = cost_of(&known).unwrap_or(UNBOUNDED);
        let shares = match early {
            true => self.early_bound(whole, limits, upper),
            false => Solution::with_lower(0),
        };
        let upper = cost_of(&shares).unwrap_or(upper);
        let solution = self.solve(whole, limits, upper, shares.by_threshold.as_ref());
        let tree = solution.tree.clone().or(shares.tree).or(known.tree);
        Solution { tree, ..solution.raised_to(shares.lower.max(known.lower)) }
    }

    /// The better of the initial tree and a greedy tree for the whole table.
    pub(super) fn first_incumbent(
        &mut self,
        whole: &CostSubset,
        limits: Limits,
        start: CostStart,
    ) -> Option<CostedTree> {
        let slots: Vec<u32> = whole.members.iter().collect();
        let initial = start.initial.map(|tree| self.simplified(&slots, &tree));
        let greedy = start.greedy.then(|| self.incumbent(whole, limits));
        let found = initial.into_iter().chain(greedy).min_by_key(|(cost, _)| *cost);
        if let Some((cost, _)) = found {
            self.stats.first_incumbent = Some(cost);
            self.progress.report(cost, 0);
        }
        found
    }
}

/// The outcome of a search of the whole table, in the user's unit. Apart from its leaves, the cost
/// of a tree is rounded by at most `rounding`.
pub(crate) fn rounded_outcome(
    prepared: &CostTable,
    (whole, limits): (&CostSubset, Limits),
    found: Option<FoundTree>,
    (lower, rounding): (Cost, f64),
    clock: &Clock<'_>,
    stats: Stats,
) -> CostOutcome {
    let (best, found) = found.unzip();
    let cost = found.as_ref().map(|found| found.0);
    let net = prepared.net(cost.unwrap_or(whole.leaf) as f64);
    // The rounding error of any tree, and the rounding error of the best tree.
    let any = prepared.max_rounding_error(leaves(limits, whole.count), net) + rounding;
    let of_tree =
        |tree: &Tree| prepared.max_rounding_error(f64::from(tree.size()) + 1.0, net) + rounding;
    let own = found.as_ref().map_or(0.0, |(_, tree)| of_tree(tree));
    // A gap within the rounding error counts as closed.
    let proved = best.is_some_and(|best| best.saturating_sub(lower) as f64 <= any + own);
    let near = cost.filter(|_| proved).unwrap_or(lower);
    let outcome = Outcome::of(found, near, UNBOUNDED, clock.stopped_by());
    let above = |cost: Cost| cost.saturating_sub(lower) as f64 + own;
    let above = cost.filter(|_| outcome.status == Status::Optimal).map_or(0.0, above);
    CostOutcome {
        cost: cost.map(|cost| prepared.in_user_units(cost as f64)),
        lower_bound: prepared.in_user_units(lower as f64 - any),
        rounding: prepared.units.in_user_units(above + any),
        rounding_units: above + any,
        outcome,
        stats,
    }
}

/// Maximum number of leaves of a tree for some items.
pub(super) fn leaves(limits: Limits, items: usize) -> f64 {
    let maximum = (limits.size as f64 + 1.0).min(items as f64);
    maximum.min(2f64.powi(limits.depth.min(1000) as i32))
}
