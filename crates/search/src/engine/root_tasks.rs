//! Root tasks: searches restricted to some root rules, the unit of work that workers share.
//!
//! A tree is a leaf, or it has a rule at its root. A search restricted to some root rules evaluates
//! only those. The bounds that it proves for children, and the cache entries of children, also hold
//! for the search of the whole table. Its bound for the whole table does not, and is not cached.
//!
//! *Open rules* are returned: rules that were not evaluated, or whose evaluation was stopped, so
//! that their trees are not proved to cost at least the upper bound.
//!
//! *The shared upper bound* is the cost of the best tree of all workers, which may be less than
//! this search's incumbent. The search then proves that none of its rules has a cheaper tree.

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
use crate::support::mutants::{Mutant, offset};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits, Outcome, Table, Tree, UNBOUNDED};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Root rules of one feature, from one rank to another, and their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRange {
    /// Feature of the table, or of the layout.
    pub feature: u32,
    pub first: u32,
    pub last: u32,
    /// No tree with one of these rules at its root costs less.
    pub lower: Cost,
    /// Lower bounds on the left and on the right children of these rules, without a minimum leaf
    /// size.
    pub left: Cost,
    pub right: Cost,
}

impl RootRange {
    /// Rules without bounds.
    pub fn new(feature: u32, first: u32, last: u32) -> Self {
        RootRange { feature, first, last, lower: 0, left: 0, right: 0 }
    }
}

/// Signals to a running search from other workers.
#[derive(Debug)]
pub struct SearchControl {
    upper: AtomicU64,
    return_open: AtomicBool,
}

impl Default for SearchControl {
    fn default() -> Self {
        SearchControl { upper: AtomicU64::new(UNBOUNDED), return_open: AtomicBool::new(false) }
    }
}

impl SearchControl {
    /// Trees of this cost or more no longer matter.
    pub fn tighten_upper_bound(&self, cost: Cost) {
        self.upper.fetch_min(cost, Ordering::Relaxed);
    }

    /// Makes the search return its open rules once the rule being evaluated is finished.
    pub fn return_open(&self) {
        self.return_open.store(true, Ordering::Relaxed);
    }

    pub(crate) fn upper(&self) -> Cost {
        self.upper.load(Ordering::Relaxed)
    }

    pub(crate) fn must_return_open(&self) -> bool {
        self.return_open.load(Ordering::Relaxed)
    }
}

/// A table prepared once for several searches restricted to some roots; they share one cache.
pub struct RootSearch {
    pub table: Table,
    layout: Layout,
    request: Request,
    options: Options,
    caches: (SharedCache, PathCache),
    /// Bounds at root thresholds; unused for binary columns.
    evaluated: Mutex<EvaluatedThresholds>,
}

/// The result of a search restricted to some roots.
pub(crate) struct RootsResult {
    pub tree: Option<(Cost, Arc<Tree>)>,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub open: Vec<RootRange>,
}

impl RootSearch {
    /// Prepares a table; `None` if `stopped` before it is prepared.
    pub fn prepare(
        stopped: &dyn Fn() -> bool,
        table: Table,
        request: Request,
        options: Options,
    ) -> Option<Self> {
        let prepare =
            || Layout::prepare(stopped, &table, &options, request.limits.min_samples_leaf);
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

    /// All rules that a root may have; of rules known to be equal only one.
    pub fn roots(&self) -> Vec<RootRange> {
        if self.layout.binary(&self.options) {
            let roots = binary_roots(&self.layout);
            return roots.iter().map(|roots| self.in_table(roots)).collect();
        }
        let features = self.layout.features.iter().filter(|feature| feature.values > 1);
        features.map(|f| RootRange::new(f.index, 0, f.values as u32 - 2)).collect()
    }

    /// The best tree that costs less than `below` with one of these rules at its root, as far as
    /// the clock allows, and the rules that remain open. With `greedy_start` the first incumbent is
    /// a greedy tree.
    pub fn run(
        &self,
        roots: &[RootRange],
        (below, greedy_start): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>) {
        let options =
            Options { incumbent: self.options.incumbent && greedy_start, ..self.options.clone() };
        let request = Request { below, ..self.request.clone() };
        let roots = self.in_layout(roots);
        let ((outcome, open), mut stats) = if self.layout.binary(&options) {
            let (layout, request, options, caches) =
                (&self.layout, &request, &options, &self.caches);
            let control = Some(control);
            let shared =
                SharedSearch { layout, request, options, clock, progress, control, caches };
            let (tried, stats) = solve_binary_roots(&shared, &roots);
            let search = self.search(request, options, clock, progress);
            ((search.outcome(tried.tree, tried.lower, request), tried.open), stats)
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
        (SearchOutcome { outcome, stats }, open.iter().map(|roots| self.in_table(roots)).collect())
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

    /// The same rules with features of the layout. A feature that is not in the layout equals
    /// another feature, for which the same bounds hold.
    fn in_layout(&self, roots: &[RootRange]) -> Vec<RootRange> {
        let place = |index: u32| self.layout.features.iter().position(|f| f.index == index);
        let prepared =
            |roots: &RootRange| Some(RootRange { feature: place(roots.feature)? as u32, ..*roots });
        roots.iter().filter_map(prepared).collect()
    }

    /// The same rules with features of the table.
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
        (self.outcome(tried.tree.or(found), tried.lower, request), tried.open)
    }

    /// The best tree for the whole table that costs less than `upper` with one of these rules at
    /// its root. Trees of two levels are searched in one call for all roots.
    fn best_of_roots(
        &mut self,
        whole: &ContinuousSubset,
        limits: Limits,
        upper: Cost,
        (roots, evaluated): (&[RootRange], &Mutex<EvaluatedThresholds>),
    ) -> RootsResult {
        let limits = self.reachable_limits(whole, limits, upper);
        let leaf = self.objective.leaf(whole.leaf_errors());
        let mut bounds = self.leaf(whole, upper);
        self.stats.nodes += 1;
        if self.pruned(whole, limits, &mut bounds) {
            return RootsResult {
                tree: bounds.incumbent,
                lower: bounds.lower.min(leaf),
                open: Vec::new(),
            };
        }
        if limits.is_terminal() && self.options.depth_two {
            let solution = self.solve_depth_two(whole, limits, bounds, None);
            let proved = solution.lower >= solution.tree.as_ref().map_or(upper, |tree| tree.0);
            let open = if proved { Vec::new() } else { roots.to_vec() };
            return RootsResult { tree: solution.tree, lower: solution.lower, open };
        }
        let mut open = self.branching(whole, limits, &bounds, None);
        let one_way = limits.shares().len() == 1;
        open.keep(roots, one_way.then_some(&*lock(evaluated)));
        self.open_calls += 1;
        let (mut open, bounds) = self.branch(whole, limits, open, bounds);
        self.open_calls -= 1;
        let lower = open.lower().max(bounds.lower).min(leaf);
        let upper = bounds.upper.saturating_sub(offset(Mutant::RootsLeft));
        let pruned = &mut self.stats.pruned;
        let open_roots = open.close_all(upper, one_way.then_some(&mut *lock(evaluated)), pruned);
        RootsResult { tree: bounds.incumbent, lower, open: disjoint(open_roots, roots) }
    }
}

/// The map is consistent whenever the lock is free, so a panic elsewhere does not matter.
fn lock(evaluated: &Mutex<EvaluatedThresholds>) -> MutexGuard<'_, EvaluatedThresholds> {
    evaluated.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes overlapping ranges of rules disjoint; each of them lies inside one range of `within`. A
/// rule in several ranges gets the minimum of their lower bounds.
fn disjoint(mut ranges: Vec<RootRange>, within: &[RootRange]) -> Vec<RootRange> {
    ranges.sort_by_key(|range| (range.feature, range.first));
    let mut disjoint: Vec<RootRange> = Vec::new();
    for whole in within {
        let key = |range: &RootRange| (range.feature, range.first);
        let from = ranges.partition_point(|range| key(range) < (whole.feature, whole.first));
        let until = ranges.partition_point(|range| key(range) <= (whole.feature, whole.last));
        let mut minima = vec![[UNBOUNDED; 3]; (whole.last - whole.first + 1) as usize];
        for range in &ranges[from..until] {
            for rank in range.first..=range.last {
                let minimum = &mut minima[(rank - whole.first) as usize];
                let bounds = [range.lower, range.left, range.right];
                minimum
                    .iter_mut()
                    .zip(bounds)
                    .for_each(|(minimum, bound)| *minimum = bound.min(*minimum));
            }
        }
        let start = disjoint.len();
        for (rank, bounds) in
            (whole.first..).zip(minima).filter(|(_, minima)| minima[0] < UNBOUNDED)
        {
            let [lower, left, right] = bounds;
            match disjoint[start..].last_mut() {
                Some(range)
                    if range.last + 1 == rank
                        && [range.lower, range.left, range.right] == bounds =>
                {
                    range.last = rank;
                }
                _ => disjoint.push(RootRange {
                    first: rank,
                    last: rank,
                    lower,
                    left,
                    right,
                    ..*whole
                }),
            }
        }
    }
    disjoint
}
