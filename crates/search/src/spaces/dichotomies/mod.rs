//! Best trees over dichotomies: rules of any kind, each given as the rows that it sends left. The
//! fast form of `spec/proper.py`.
//!
//! He and Little, arXiv:2503.01455, choose K hyperplanes and search for their best tree. This
//! search recurses on subsets of the examples instead, and tries every way to split a subset. A
//! rule that splits a subset also splits the whole table, so all dichotomies are known at the
//! start, as columns of bits. `prepared_table.rs` has these columns, `subset.rs` their restriction
//! to a subset, `search.rs` the recursion, `depth_two.rs` the last two levels, `bounds.rs` the
//! lower bounds, `leaf_quotas.rs` limits on the leaves of a class.

mod bounds;
mod depth_two;
#[cfg(test)]
mod differential;
mod incumbent;
mod leaf_quotas;
mod prepared_table;
mod request;
mod search;
mod simplify;
mod subset;

use crate::support::cache::Cache;
use crate::support::clock::Clock;
use crate::support::statistics::Progress;
use exactree_model::{Outcome, UNBOUNDED};

use prepared_table::DichotomyTable;
pub use prepared_table::{Dichotomies, DichotomyExamples};
pub use request::{ProperOptions, ProperRequest, ProperStats};
use search::DichotomySearch;
use subset::DichotomySubset;

/// The best tree for some examples, or the best tree and lower bound within the time limit. A
/// node's feature is the number of its dichotomy; rows that it sends left have rank 0.
pub fn proper(
    dichotomies: &Dichotomies,
    examples: &DichotomyExamples,
    request: &ProperRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, ProperStats) {
    let with_rows = request.limits.min_samples_leaf > 1;
    let Some(prepared) = DichotomyTable::new(dichotomies, examples, with_rows, clock) else {
        let outcome = Outcome::of(None, 0, request.below, clock.stopped_by());
        return (outcome, ProperStats { seconds: clock.seconds(), ..ProperStats::default() });
    };
    let mut search = DichotomySearch::new(&prepared, request, *clock, progress);
    search.cache = Cache::new(request.memory_limit);
    let whole = DichotomySubset::whole(&prepared);
    let (limits, below) = (request.limits.normalised(), request.below.min(UNBOUNDED));
    let free = request.leaves.is_empty();
    let incumbent = (request.options.incumbent && free && limits.depth > 2).then(|| {
        // The subproblems of the incumbent are not the whole problem, so they are not reported.
        search.open_calls += 1;
        let incumbent = search.incumbent(&whole, limits);
        search.open_calls -= 1;
        search.stats.first_incumbent = Some(incumbent.0);
        incumbent
    });
    let incumbent = incumbent.filter(|(cost, _)| *cost < below);
    let upper = incumbent.as_ref().map_or(below, |(cost, _)| *cost);
    progress.report(incumbent.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost), 0);
    let solution = match free {
        true => search.solve(&whole, limits, upper),
        false => search.best_with_quotas(&whole, limits, &request.leaves, upper),
    };
    let found = solution.tree.or(incumbent).map(|(cost, tree)| match free {
        true => search.simplified(&whole.members, &tree),
        false => (cost, tree),
    });
    let found = found.map(|(cost, tree)| (cost, search.in_table_dichotomies(&tree)));
    let mut stats = search.stats;
    stats.dichotomies = prepared.kept.len() as u64;
    stats.cache_entries = search.cache.len() as u64;
    stats.cache_bytes = search.cache.bytes() as u64;
    stats.cache_evicted = search.cache.evicted;
    stats.seconds = clock.seconds();
    (Outcome::of(found, solution.lower, request.below, clock.stopped_by()), stats)
}
