//! Best trees over dichotomies: rules of any kind, each given as the rows that it sends left. The
//! fast form of `spec/proper.py`.
//!
//! He and Little, arXiv:2503.01455, choose K hyperplanes and search for their best tree. This
//! search recurses on subsets of the examples instead, and tries every way to split a subset. A
//! rule that splits a subset also splits the whole table, so all dichotomies are known at the
//! start, as columns of bits. `error_space.rs` is the space of the engine; `prepared_table.rs` has
//! the columns, `subset.rs` their restriction to a subset, `depth_two.rs` the last two levels,
//! `leaf_quotas.rs` limits on the leaves of a class, `relaxation.rs` bounds without such limits.

mod depth_two;
#[cfg(test)]
mod differential;
mod error_space;
mod incumbent;
mod leaf_quotas;
mod prepared_table;
mod relaxation;
mod request;
mod subset;

use crate::engine::solution::CostedTree;
use crate::engine::space::Search;
use crate::engine::threads::with_workers;
use crate::kernels::InstructionSet;
use crate::kernels::stumps::StumpCounts;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Outcome, Tree, UNBOUNDED};
use std::sync::Arc;

use error_space::{DichotomySearch, DichotomySpace};
use prepared_table::DichotomyTable;
pub use prepared_table::{Dichotomies, DichotomyExamples};
pub use request::{ProperOptions, ProperRequest, ProperStats};
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
        let search = Stats { seconds: clock.seconds(), ..Stats::default() };
        return (outcome, ProperStats { search, ..ProperStats::default() });
    };
    let space = DichotomySpace {
        prepared: &prepared,
        objective: request.objective,
        options: &request.options,
    };
    let cache = SharedCache::new(request.memory_limit, request.threads);
    let queue = TaskQueue::new();
    let searcher = || {
        let level = InstructionSet::detect(true);
        let mut search =
            Search::over(space, *clock, progress, &cache, level, StumpCounts::default());
        search.stop_at_gap = request.stop_at_gap;
        search.queue = (request.threads > 1).then_some(&queue);
        search
    };
    let work = |search: &mut DichotomySearch<'_, '_>| search.run(request);
    let (outcome, stats) = with_workers(request.threads - 1, &queue, &searcher, work);
    let search = Stats { seconds: clock.seconds(), ..stats };
    (outcome, ProperStats { dichotomies: prepared.kept.len() as u64, search })
}

impl DichotomySearch<'_, '_> {
    fn run(&mut self, request: &ProperRequest) -> Outcome {
        let whole = DichotomySubset::whole(self.space.prepared, request.leaves.clone());
        let (limits, below) = (request.limits.normalised(), request.below.min(UNBOUNDED));
        let free = request.leaves.is_empty();
        let incumbent = (request.options.incumbent && free && limits.depth > 2).then(|| {
            // The subproblems of the incumbent are not the whole problem, so they are not reported.
            self.open_calls += 1;
            let incumbent = self.incumbent(&whole, limits);
            self.open_calls -= 1;
            self.stats.first_incumbent = Some(incumbent.0);
            incumbent
        });
        let incumbent = incumbent.filter(|(cost, _)| *cost < below);
        let upper = incumbent.as_ref().map_or(below, |(cost, _)| *cost);
        self.progress.report(incumbent.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost), 0);
        let solution = self.solve(&whole, limits, upper, None);
        let stats = &mut self.stats;
        (stats.cache_entries, stats.cache_bytes, stats.cache_evicted) = self.cache.counts();
        let slots: Vec<u32> = whole.members.iter().collect();
        let found = solution.tree.or(incumbent);
        let found = found.map(|(cost, tree)| {
            // A simpler tree may exceed a quota.
            let (cost, tree): CostedTree =
                if free { self.simplified(&slots, &tree) } else { (cost, tree) };
            (cost, self.in_table_dichotomies(&tree))
        });
        Outcome::of(found, solution.lower, request.below, self.clock.stopped_by())
    }

    /// The same tree with the dichotomies numbered as in the request.
    fn in_table_dichotomies(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        match &**tree {
            Tree::Leaf { .. } => tree.clone(),
            Tree::Node { feature, rank, left, right } => Tree::node(
                self.space.prepared.kept[*feature as usize],
                *rank,
                self.in_table_dichotomies(left),
                self.in_table_dichotomies(right),
            ),
        }
    }
}
