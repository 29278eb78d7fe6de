//! Finds the minimum size by decisions from a lower bound up.

use super::cache::WitnessCache;
use super::pairs::{Nearest, pair_bound};
use super::prepared_table::WitnessTable;
use super::reductions::ReductionCounts;
use super::request::{WitnessPruneCounts, WitnessRequest, WitnessStats};
use super::search::WitnessSearch;
use crate::support::clock::{Clock, Stopped};
use crate::support::deep_stack::on_deep_stack;
use crate::support::refusal::Refusal;
use crate::support::size_loop::{SizedTree, first_feasible};
use crate::support::statistics::Progress;
use crate::support::table_size::refuse_large_table;
use exactree_model::{Outcome, Table, UNBOUNDED};

/// The inputs of a search, except for the incumbent.
#[derive(Clone, Copy)]
pub(super) struct WitnessRun<'a> {
    pub table: &'a Table,
    pub request: &'a WitnessRequest,
    pub clock: &'a Clock<'a>,
    pub progress: &'a Progress,
}

/// The outcome with its statistics, or an error if the table is refused.
pub(super) type WitnessResult = Result<(Outcome, WitnessStats), Refusal>;

impl WitnessRun<'_> {
    /// Upper bound on the minimum size. Every leaf of a smallest tree has an item, and all items of
    /// a group share a leaf, so there are at most as many leaves as groups.
    fn max_size(&self) -> u32 {
        self.request.size.min(self.table.groups as u32 - 1)
    }

    /// Runs on a deep stack. A witness tree of s nodes is reached by s + 1 nested search nodes. If
    /// s >= 1, a further search may then solve one of its leaves, with at most the remaining
    /// `maximum` - s nodes. So, by induction, at most 2 * `maximum` + 1 search nodes are nested.
    pub(super) fn solve_with_words<const W: usize>(
        self,
        incumbent: Option<SizedTree>,
    ) -> WitnessResult {
        let limit = self.request.memory_limit;
        let values = self.table.features.iter().map(|feature| feature.values.len() as u128 - 1);
        refuse_large_table("rules by items", values.sum(), W * size_of::<u64>(), limit)?;
        // The size of the incumbent itself needs no search.
        let maximum = incumbent
            .as_ref()
            .map_or(self.max_size(), |(size, _)| (*size as u32).saturating_sub(1));
        let levels = 2 * u128::from(maximum) + 1;
        let bytes_each = 64 * W * size_of::<u64>() + (4 << 10);
        on_deep_stack(levels, bytes_each, limit, || self.search_sizes::<W>(incumbent))
    }

    fn search_sizes<const W: usize>(
        &self,
        incumbent: Option<SizedTree>,
    ) -> (Outcome, WitnessStats) {
        let WitnessRun { request, clock, .. } = *self;
        let first_incumbent = incumbent.as_ref().map(|(size, _)| *size as u32);
        // Only trees smaller than this are searched.
        let upper = u64::from(request.size).saturating_add(1);
        self.progress.report(incumbent.as_ref().map_or(UNBOUNDED, |(size, _)| *size), 0);
        let Ok(prepared) =
            WitnessTable::<W>::new(self.table, request.errors, &request.options, clock)
        else {
            let outcome = Outcome::of(incumbent, 0, upper, clock.stopped_by());
            let seconds = clock.seconds();
            return (outcome, WitnessStats { first_incumbent, seconds, ..WitnessStats::default() });
        };
        let cache = request.options.subset_caching.then(|| WitnessCache::new(request.memory_limit));
        let first_size = if request.options.pair_bound { pair_bound(&prepared, clock) } else { 0 };
        let uses_nearest = request.options.leaf_pairs || request.options.dirty_priority;
        let nearest = if uses_nearest { Nearest::new(&prepared, clock) } else { None };
        let everything = prepared.everything();
        let search =
            WitnessSearch::new(&prepared, &request.options, clock, nearest.as_ref(), everything);
        let (lower, incumbent, stats) = match search {
            Err(Stopped) => (u64::from(first_size), incumbent, WitnessStats::default()),
            Ok(mut search) => {
                search.cache = cache;
                let mut by_size = Vec::new();
                let decide = |size| {
                    let before = search.nodes;
                    let found = search.decide(size);
                    by_size.push((size, search.nodes - before));
                    Ok(found?.then(|| search.tree.build(search.tree.root)))
                };
                let (lower, incumbent) =
                    first_feasible(first_size, self.max_size(), incumbent, self.progress, decide);
                let stats = WitnessStats { search_nodes_by_size: by_size, ..search.stats() };
                (lower, incumbent, stats)
            }
        };
        let ReductionCounts { pure_borders, equal_rules, mergeable_features } = prepared.reductions;
        let pruned = WitnessPruneCounts {
            pair_bound: first_size.into(),
            pure_borders,
            equal_rules,
            mergeable_features,
            ..stats.pruned
        };
        let outcome = Outcome::of(incumbent, lower, upper, clock.stopped_by());
        let seconds = clock.seconds();
        (outcome, WitnessStats { first_size, first_incumbent, seconds, pruned, ..stats })
    }
}
