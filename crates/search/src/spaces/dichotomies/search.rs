//! The search of all dichotomies of a request, and what it shares with root tasks.

use super::error_space::{DichotomySearch, DichotomySpace};
use super::prepared_table::{Dichotomies, DichotomyExamples, DichotomyTable};
use super::request::{ProperRequest, ProperStats};
use super::subset::DichotomySubset;
use crate::engine::root_range::SearchControl;
use crate::engine::solution::CostedTree;
use crate::engine::space::Search;
use crate::engine::threads::with_workers;
use crate::kernels::InstructionSet;
use crate::kernels::stumps::StumpCounts;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Outcome, UNBOUNDED};

/// The best tree for some examples, or the best tree and lower bound within the time limit. The
/// dichotomies are the rules of one feature: a node's rank is the number of its dichotomy.
pub fn proper(
    dichotomies: &Dichotomies,
    examples: &DichotomyExamples,
    request: &ProperRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, ProperStats) {
    let Some(prepared) = DichotomyTable::of(dichotomies, examples, request, clock) else {
        let outcome = Outcome::of(None, 0, request.below, clock.stopped_by());
        let search = Stats { seconds: clock.seconds(), ..Stats::default() };
        return (outcome, ProperStats { search, ..ProperStats::default() });
    };
    let cache = SharedCache::new(request.memory_limit, request.threads);
    let space = DichotomySpace::new(&prepared, request);
    let run = SpaceRun { space, cache: &cache, clock, progress, control: None };
    let (outcome, search) = run.with_threads(request, |search| search.run(request));
    (outcome, ProperStats { dichotomies: prepared.kept.len() as u64, search })
}

/// A space, and what the threads of its search share.
pub(super) struct SpaceRun<'r, 'a> {
    pub space: DichotomySpace<'a>,
    pub cache: &'r SharedCache,
    pub clock: &'r Clock<'r>,
    pub progress: &'r Progress,
    /// For a search of some roots.
    pub control: Option<&'r SearchControl>,
}

impl<'r, 'a> SpaceRun<'r, 'a> {
    /// A search by one thread.
    pub(super) fn search(&self) -> DichotomySearch<'r, 'a> {
        let (instructions, workspace) = (InstructionSet::detect(true), StumpCounts::default());
        let mut search = Search::over(
            self.space,
            *self.clock,
            self.progress,
            self.cache,
            instructions,
            workspace,
        );
        search.control = self.control;
        search
    }

    /// Runs `work` with the threads of a request; also returns the statistics of all threads.
    pub(super) fn with_threads<T>(
        &self,
        request: &ProperRequest,
        work: impl FnOnce(&mut DichotomySearch<'_, 'a>) -> T,
    ) -> (T, Stats) {
        let queue = TaskQueue::new();
        let searcher = || {
            let mut search = self.search();
            search.stop_at_gap = request.stop_at_gap;
            search.queue = (request.threads > 1).then_some(&queue);
            search
        };
        let (done, stats) = with_workers(request.threads - 1, &queue, &searcher, work);
        (done, Stats { seconds: self.clock.seconds(), ..stats })
    }
}

impl DichotomySearch<'_, '_> {
    fn run(&mut self, request: &ProperRequest) -> Outcome {
        let whole = DichotomySubset::whole(self.space.prepared, request.leaves.clone());
        let incumbent = self.first_incumbent(&whole, request);
        let upper = incumbent.as_ref().map_or(request.below, |(cost, _)| *cost).min(UNBOUNDED);
        let solution = self.solve(&whole, request.limits.normalised(), upper, None);
        self.count_cache();
        self.outcome(&whole, solution.tree.or(incumbent), solution.lower, request)
    }

    /// The first incumbent, if it costs less than the upper bound of the request.
    pub(super) fn first_incumbent(
        &mut self,
        whole: &DichotomySubset,
        request: &ProperRequest,
    ) -> Option<CostedTree> {
        let limits = request.limits.normalised();
        if !request.options.incumbent || !request.leaves.is_empty() || limits.depth <= 2 {
            return None;
        }
        // The subproblems of the incumbent are not the whole problem, so they are not reported.
        self.open_calls += 1;
        let incumbent = self.incumbent(whole, limits);
        self.open_calls -= 1;
        self.start_from(incumbent, request.below)
    }

    /// The outcome that a tree for the whole table and a lower bound prove, with the dichotomies
    /// numbered as in the request.
    pub(super) fn outcome(
        &self,
        whole: &DichotomySubset,
        found: Option<CostedTree>,
        lower: Cost,
        request: &ProperRequest,
    ) -> Outcome {
        let slots: Vec<u32> = whole.members.iter().collect();
        let found = found.map(|(cost, tree)| {
            // A simpler tree may exceed a quota.
            let free = request.leaves.is_empty();
            let (cost, tree): CostedTree =
                if free { self.simplified(&slots, &tree) } else { (cost, tree) };
            (cost, self.space.prepared.in_listed_dichotomies(&tree))
        });
        Outcome::of(found, lower, request.below, self.clock.stopped_by())
    }
}
