//! Start here: the search of tables of binary columns on one screen.
//!
//! As in `engine/search.rs`, `solve` returns the minimum cost of a subset within limits, or a lower
//! bound as soon as that reaches the caller's upper bound. A node counts all pairs of its rules
//! once (`node.rs`). These counts solve depth two, order the rules, give the weight by which their
//! children differ (`similarity_bound.rs`), and halve the work of counting in children (`node.rs`).
//! Subsets with two levels left are solved by counts alone (`depth_two.rs`).

use super::columns::{BinaryColumns, ColumnSource};
use super::node::{ChildCounts, NodeCounts};
use super::parallel_node::ParallelBinaryNode;
use super::path_cache::PathCache;
use super::solution::{BinaryBounds, BinarySolution};
use super::sparse_lists::RuleLists;
use super::subset::BinarySubset;
use crate::engine::root_range::SearchControl;
use crate::kernels::InstructionSet;
use crate::kernels::chunks::ChunkLane;
use crate::support::bits::Bits;
use crate::support::cache::{CacheEntry, CacheHit, SharedCache};
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::options::Options;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Errors, Limits, StoppedBy, Tree, UNBOUNDED};

/// One search over one table of binary columns.
pub(crate) struct BinarySearch<'a, L> {
    pub columns: &'a BinaryColumns,
    /// The rule that each column represents.
    pub rules: &'a [ColumnSource],
    /// The lists, if pairs are counted by lists.
    pub lists: Option<&'a RuleLists<'a>>,
    pub objective: Errors,
    pub options: &'a Options,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub stop_at_gap: f64,
    pub stats: Stats,
    pub cache: &'a SharedCache,
    pub path_cache: &'a PathCache,
    /// Task queue shared by the threads; `None` for a single thread.
    pub queue: Option<&'a TaskQueue<ParallelBinaryNode<L>>>,
    /// Shared bounds, for a search of some roots; `None` for a search of all.
    pub control: Option<&'a SearchControl>,
    pub level: InstructionSet,
    pub children: ChildCounts<L>,
    /// Counts that are not in use.
    pub spare: Vec<NodeCounts<L>>,
    /// Number of levels at which rules are evaluated; see `deepening.rs`.
    pub expanded: usize,
    /// Number of open calls of `try_rules`; the outermost reports progress.
    pub open_calls: u32,
}

impl<L: ChunkLane> BinarySearch<'_, L> {
    /// The best tree for a subset within limits that costs less than `upper`, or the proof that
    /// none exists.
    pub(super) fn solve(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        upper: Cost,
    ) -> BinarySolution {
        let limits = self.affordable_limits(limits, upper);
        match self.cached(&subset.members, limits, upper) {
            Ok(solution) => solution,
            Err(known) => self.solve_uncached(subset, limits, upper, known),
        }
    }

    /// Like `solve`, after a look-up in the cache that did not solve the subproblem.
    pub(super) fn solve_uncached(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        upper: Cost,
        known: CacheHit,
    ) -> BinarySolution {
        let leaf = self.objective.leaf(subset.leaf_errors());
        let mut bounds = BinaryBounds { upper, lower: known.lower, incumbent: None };
        bounds.improve(leaf, || Tree::leaf(subset.leaf_class()));
        if let Some((cost, tree)) = known.tree {
            bounds.improve(cost, || tree);
        }
        self.stats.nodes += 1;
        let stopped = self.clock.stopped();
        let reachable = reachable_limits(subset, limits);
        let solution = if self.pruned(subset, reachable, &mut bounds) || stopped {
            BinarySolution { lower: bounds.lower, tree: bounds.incumbent }
        } else {
            let before = self.stats.nodes;
            let solution = match reachable.depth {
                0..=2 => self.depth_two(subset, reachable, bounds),
                _ => self.try_rules(subset, reachable, bounds),
            };
            let solution = BinarySolution { lower: solution.lower.min(leaf), ..solution };
            self.store(subset, limits, solution, 1 + self.stats.nodes - before)
        };
        BinarySolution {
            lower: solution.lower.min(leaf).min(self.excluded_lower(upper)),
            ..solution
        }
    }

    /// A lower bound on the trees that `affordable_limits` excludes.
    fn excluded_lower(&self, upper: Cost) -> Cost {
        if self.objective.leaf_price > 0 { upper } else { UNBOUNDED }
    }

    /// The limits without the trees whose leaves alone cost `upper`. A size limit made redundant by
    /// the price is dropped, so that it need not be divided among children.
    pub(super) fn affordable_limits(&self, limits: Limits, upper: Cost) -> Limits {
        let paid = upper.saturating_sub(1 + offset(Mutant::LeafBudget));
        let Some(leaves) = paid.checked_div(self.objective.leaf_price) else { return limits };
        let rules = leaves.saturating_sub(1).min(u32::MAX as u64) as u32;
        let size = if limits.size >= rules { u32::MAX } else { limits.size };
        Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
    }

    /// The cached solution of a subset, if it solves the subproblem.
    pub(super) fn cached(
        &mut self,
        members: &Bits,
        limits: Limits,
        upper: Cost,
    ) -> Result<BinarySolution, CacheHit> {
        if !self.options.cache || limits.leaf_only() {
            return Err(CacheHit::default());
        }
        self.stats.cache_lookups += 1;
        let known = self.cache.lookup(members, &limits);
        let CacheHit { lower, tree } = known.ok_or_else(CacheHit::default)?;
        let tree = tree.filter(|(cost, _)| *cost < upper);
        if lower + offset(Mutant::CachedBounds) < tree.as_ref().map_or(upper, |tree| tree.0) {
            return Err(CacheHit { lower, tree });
        }
        let lower = lower + offset(Mutant::CachedBounds);
        self.stats.cache_hits += 1;
        self.stats.pruned.cached_bounds += tree.is_none() as u64;
        Ok(BinarySolution { lower: lower.min(self.excluded_lower(upper)), tree })
    }

    fn store(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        solution: BinarySolution,
        effort: u64,
    ) -> BinarySolution {
        let exact = solution.tree.as_ref().is_some_and(|(cost, _)| *cost == solution.lower);
        if self.options.cache && (exact || self.options.cached_bounds) {
            let entry = CacheEntry { limits, lower: solution.lower, tree: solution.tree.clone() };
            self.cache.insert(&subset.members, entry, effort);
        }
        solution
    }

    /// Whether to unwind now. The outermost call also reports progress and checks the gap.
    pub(super) fn must_stop(&self, bounds: &BinaryBounds, lower: impl FnOnce() -> Cost) -> bool {
        if self.open_calls == 1 {
            self.report(bounds, lower());
            if self.must_return_open() {
                return true;
            }
        }
        self.clock.stopped()
    }

    /// Takes the shared upper bound; for the whole table only.
    pub(super) fn take_upper_bound(&self, bounds: &mut BinaryBounds) {
        bounds.upper =
            self.control.map_or(bounds.upper, |control| bounds.upper.min(control.upper()));
    }

    /// Whether to return open rules to other workers; for the whole table only.
    pub(super) fn must_return_open(&self) -> bool {
        self.control.is_some_and(SearchControl::must_return_open)
    }

    /// Reports progress on the whole table; stops the search if the gap is small enough.
    pub(super) fn report(&self, bounds: &BinaryBounds, lower: Cost) {
        let cost = bounds.incumbent.as_ref().map_or(UNBOUNDED, |found| found.0);
        self.progress.report(cost, lower.min(bounds.upper));
        if self.stop_at_gap > 0.0 && self.progress.gap() <= self.stop_at_gap {
            self.clock.stop(StoppedBy::Gap);
        }
    }
}

/// The limits that trees of a subset can reach.
pub(crate) fn reachable_limits(subset: &BinarySubset, limits: Limits) -> Limits {
    // No rule occurs twice on a path, so a tree is no deeper than there are rules. Every rule has
    // two non-empty children, so a tree has fewer nodes than items, and a size limit of that many
    // nodes or more limits nothing, here and in both children.
    let rules = subset.columns.rules.len() as u32;
    let items: u32 = subset.columns.all.iter().map(|word| word.count_ones()).sum();
    let size = if limits.size >= items { u32::MAX } else { limits.size };
    Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
}
