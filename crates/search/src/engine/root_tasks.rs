//! A search of some root rules only, and the rules it leaves open: the unit of work that workers
//! share.
//!
//! Every tree is a leaf, or its root has a rule. A search of some root rules evaluates only those.
//! All bounds that it proves for children, and all cache entries of children, hold for the search
//! of the whole table as well. Its bound for the whole table does not, and is not cached.
//!
//! *Open rules* are those whose trees were not shown to cost at least the upper bound: rules that
//! were not tried, and rules whose trial was stopped.
//!
//! *The upper bound from outside* is the cost of the best tree of all workers, which may be less
//! than this search's incumbent. The search then proves that none of its rules has a cheaper tree.

#[cfg(test)]
mod differential;

use crate::engine::intervals::EvaluatedThresholds;
use crate::engine::layout::Layout;
use crate::engine::search::ContinuousSearch;
use crate::engine::solve::{Request, SearchOutcome};
use crate::engine::subset::ContinuousSubset;
use crate::engine::threads::with_workers;
use crate::spaces::binary::{PathCache, SharedSearch, binary_roots, solve_binary_roots};
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, off};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits, Outcome, Table, Tree, UNBOUNDED};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rules of one feature, from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRange {
    /// Feature of the table, or of the layout.
    pub feature: u32,
    pub first: u32,
    pub last: u32,
    /// No tree whose root is one of them costs less.
    pub lower: Cost,
    /// Lower bounds on their left and on their right children, without a minimum leaf size.
    pub left: Cost,
    pub right: Cost,
}

impl RootRange {
    /// Rules without bounds.
    pub fn new(feature: u32, first: u32, last: u32) -> Self {
        RootRange { feature, first, last, lower: 0, left: 0, right: 0 }
    }
}

/// Signals from outside to a running search.
#[derive(Debug)]
pub struct SearchControl {
    upper: AtomicU64,
    back: AtomicBool,
}

impl Default for SearchControl {
    fn default() -> Self {
        SearchControl { upper: AtomicU64::new(UNBOUNDED), back: AtomicBool::new(false) }
    }
}

impl SearchControl {
    /// Trees of this cost or more no longer matter.
    pub fn tighten_upper_bound(&self, cost: Cost) {
        self.upper.fetch_min(cost, Ordering::Relaxed);
    }

    /// Makes the search return its open rules after the rule being tried.
    pub fn return_open(&self) {
        self.back.store(true, Ordering::Relaxed);
    }

    pub(crate) fn upper(&self) -> Cost {
        self.upper.load(Ordering::Relaxed)
    }

    pub(crate) fn must_return_open(&self) -> bool {
        self.back.load(Ordering::Relaxed)
    }
}

/// A table prepared once for searches of some of its roots; the searches share one cache.
pub struct RootSearch {
    pub table: Table,
    layout: Layout,
    request: Request,
    options: Options,
    caches: (SharedCache, PathCache),
    /// Bounds at root thresholds; unused for binary columns.
    evaluated: Mutex<EvaluatedThresholds>,
}

/// The result of trying roots of the whole table.
pub(crate) struct RootsResult {
    pub found: Option<(Cost, Arc<Tree>)>,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub left: Vec<RootRange>,
}

impl RootSearch {
    /// `None` if it was stopped.
    pub fn unless(
        stopped: &dyn Fn() -> bool,
        table: Table,
        request: Request,
        options: Options,
    ) -> Option<Self> {
        let prepare = || Layout::unless(stopped, &table, &options, request.limits.min_samples_leaf);
        let layout = table.is_read().then(prepare).flatten()?;
        let binary = layout.binary(&options);
        let limit = request.memory_limit;
        let caches = if binary {
            let half = limit.map(|bytes| bytes / 2);
            (SharedCache::new(half, request.threads), PathCache::new(half, request.threads))
        } else {
            (SharedCache::new(limit, request.threads), PathCache::new(Some(0), 1))
        };
        Some(RootSearch { table, layout, request, options, caches, evaluated: Mutex::default() })
    }

    /// All rules that a root may have; one of each set of rules known to be equal.
    pub fn roots(&self) -> Vec<RootRange> {
        if self.layout.binary(&self.options) {
            let roots = binary_roots(&self.layout);
            return roots.iter().map(|roots| self.in_table(roots)).collect();
        }
        let features = self.layout.features.iter().filter(|feature| feature.values > 1);
        features.map(|f| RootRange::new(f.index, 0, f.values as u32 - 2)).collect()
    }

    /// The best tree that costs less than `below` and whose root is one of these rules, as far as
    /// the clock allows. The first incumbent is a greedy tree if there is none yet.
    pub fn run(
        &self,
        roots: &[RootRange],
        (below, begin): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>) {
        let options =
            Options { incumbent: self.options.incumbent && begin, ..self.options.clone() };
        let request = Request { below, ..self.request.clone() };
        let roots = self.in_layout(roots);
        let ((outcome, left), mut stats) = if self.layout.binary(&options) {
            let (layout, request, options, caches) =
                (&self.layout, &request, &options, &self.caches);
            let control = Some(control);
            let shared =
                SharedSearch { layout, request, options, clock, progress, control, caches };
            let (tried, stats) = solve_binary_roots(&shared, &roots);
            let search = self.search(request, options, clock, progress);
            ((search.outcome(tried.found, tried.lower, request), tried.left), stats)
        } else {
            let queue = TaskQueue::new();
            let searcher = || {
                let mut search = self.search(&request, &options, clock, progress);
                search.queue = (request.threads > 1).then_some(&queue);
                search.control = Some(control);
                search
            };
            with_workers(request.threads - 1, &queue, &searcher, |search| {
                search.run_roots(&request, &roots, &self.evaluated)
            })
        };
        stats.seconds = clock.seconds();
        (SearchOutcome { outcome, stats }, left.iter().map(|roots| self.in_table(roots)).collect())
    }

    fn search<'a>(
        &'a self,
        request: &Request,
        options: &'a Options,
        clock: Clock<'a>,
        progress: &'a Progress,
    ) -> ContinuousSearch<'a> {
        ContinuousSearch::new(
            &self.layout,
            request.objective,
            options,
            clock,
            progress,
            &self.caches.0,
        )
    }

    /// The same rules with features of the layout. A feature that is not searched has the rules of
    /// another feature, for which the same bounds hold.
    fn in_layout(&self, roots: &[RootRange]) -> Vec<RootRange> {
        let place = |index: u32| self.layout.features.iter().position(|f| f.index == index);
        let prepared =
            |roots: &RootRange| Some(RootRange { feature: place(roots.feature)? as u32, ..*roots });
        roots.iter().filter_map(prepared).collect()
    }

    fn in_table(&self, roots: &RootRange) -> RootRange {
        RootRange { feature: self.layout.features[roots.feature as usize].index, ..*roots }
    }
}

impl ContinuousSearch<'_> {
    fn run_roots(
        &mut self,
        request: &Request,
        roots: &[RootRange],
        evaluated: &Mutex<EvaluatedThresholds>,
    ) -> (Outcome, Vec<RootRange>) {
        let whole = ContinuousSubset::whole(self.layout);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |(cost, _)| *cost).min(UNBOUNDED);
        let tried = self.best_of_roots(&whole, limits, upper, (roots, evaluated));
        let stats = &mut self.stats;
        (stats.cache_entries, stats.cache_bytes, stats.cache_evicted) = self.cache.counts();
        (self.outcome(tried.found.or(found), tried.lower, request), tried.left)
    }

    /// The best tree for the whole table that costs less than `upper` and whose root has one of
    /// these rules. Trees of two levels are searched in one call.
    fn best_of_roots(
        &mut self,
        whole: &ContinuousSubset,
        limits: Limits,
        upper: Cost,
        (roots, evaluated): (&[RootRange], &Mutex<EvaluatedThresholds>),
    ) -> RootsResult {
        let limits = self.usable(whole, limits, upper);
        let leaf = self.objective.leaf(whole.leaf_errors());
        let mut bounds = self.leaf(whole, upper);
        self.stats.nodes += 1;
        if self.pruned(whole, limits, &mut bounds) {
            return RootsResult {
                found: bounds.found,
                lower: bounds.lower.min(leaf),
                left: Vec::new(),
            };
        }
        if limits.is_terminal() && self.options.depth_two {
            let solution = self.solve_depth_two(whole, limits, bounds, None);
            let proved = solution.lower >= solution.tree.as_ref().map_or(upper, |tree| tree.0);
            let left = if proved { Vec::new() } else { roots.to_vec() };
            return RootsResult { found: solution.tree, lower: solution.lower, left };
        }
        let mut open = self.branching(whole, limits, &bounds, None);
        let one_way = limits.shares().len() == 1;
        open.keep(roots, one_way.then_some(&*lock(evaluated)));
        self.open_calls += 1;
        let (mut open, bounds) = self.branch(whole, limits, open, bounds);
        self.open_calls -= 1;
        let lower = open.lower().max(bounds.lower).min(leaf);
        let upper = bounds.upper.saturating_sub(off(Mutant::RootsLeft));
        let pruned = &mut self.stats.pruned;
        let left = open.left(upper, one_way.then_some(&mut *lock(evaluated)), pruned);
        RootsResult { found: bounds.found, lower, left: disjoint(left, roots) }
    }
}

/// The map is consistent whenever the lock is free, so a panic elsewhere does not matter.
fn lock(evaluated: &Mutex<EvaluatedThresholds>) -> MutexGuard<'_, EvaluatedThresholds> {
    evaluated.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes overlapping sets of rules disjoint; each lies inside one set of `within`. A rule in
/// several sets gets the least of their lower bounds.
fn disjoint(mut sets: Vec<RootRange>, within: &[RootRange]) -> Vec<RootRange> {
    sets.sort_by_key(|set| (set.feature, set.first));
    let mut apart: Vec<RootRange> = Vec::new();
    for whole in within {
        let key = |set: &RootRange| (set.feature, set.first);
        let from = sets.partition_point(|set| key(set) < (whole.feature, whole.first));
        let until = sets.partition_point(|set| key(set) <= (whole.feature, whole.last));
        let mut least = vec![[UNBOUNDED; 3]; (whole.last - whole.first + 1) as usize];
        for set in &sets[from..until] {
            for rank in set.first..=set.last {
                let least = &mut least[(rank - whole.first) as usize];
                let bounds = [set.lower, set.left, set.right];
                least.iter_mut().zip(bounds).for_each(|(least, bound)| *least = bound.min(*least));
            }
        }
        let start = apart.len();
        for (rank, bounds) in (whole.first..).zip(least).filter(|(_, least)| least[0] < UNBOUNDED) {
            let [lower, left, right] = bounds;
            match apart[start..].last_mut() {
                Some(set) if set.last + 1 == rank && [set.lower, set.left, set.right] == bounds => {
                    set.last = rank;
                }
                _ => {
                    apart.push(RootRange { first: rank, last: rank, lower, left, right, ..*whole })
                }
            }
        }
    }
    apart
}
