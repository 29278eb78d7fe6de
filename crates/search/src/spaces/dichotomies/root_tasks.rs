//! Root tasks of searches over dichotomies; `spaces/root_tasks.rs` explains root tasks.
//!
//! The root rules are the kept dichotomies, numbered from 0: the ranks of one feature, 0. So a range
//! of root rules is a range of dichotomies. Neighbours in the list often differ in one example only,
//! so they often have equal bounds, and then form ranges here also.

#[cfg(test)]
mod differential;

use super::error_space::{DichotomySearch, DichotomySpace};
use super::leaf_quotas::keeps_quotas;
use super::prepared_table::{Dichotomies, DichotomyExamples, DichotomyTable};
use super::request::{ProperOptions, ProperRequest};
use super::search::SpaceRun;
use super::subset::DichotomySubset;
use crate::engine::request::SearchOutcome;
use crate::engine::root_range::{RootRange, RootTasks, SearchControl};
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Outcome, Tree, UNBOUNDED};
use std::sync::{Arc, Mutex};

/// Dichotomies prepared once for several searches restricted to some roots; they share one cache.
pub struct DichotomyRootSearch {
    prepared: DichotomyTable,
    /// The whole table; its rules are made once.
    whole: DichotomySubset,
    request: ProperRequest,
    cache: SharedCache,
}

impl DichotomyRootSearch {
    /// Prepares the dichotomies of a request; `None` if stopped before they are prepared.
    pub fn prepare(
        dichotomies: &Dichotomies,
        examples: &DichotomyExamples,
        request: ProperRequest,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let prepared = DichotomyTable::of(dichotomies, examples, &request, clock)?;
        let whole = DichotomySubset::whole(&prepared, request.leaves.clone());
        let cache = SharedCache::new(request.memory_limit, request.threads);
        Some(DichotomyRootSearch { prepared, whole, request, cache })
    }

    /// Number of dichotomies; equal and opposite dichotomies count once.
    pub fn dichotomies(&self) -> u64 {
        self.prepared.kept.len() as u64
    }
}

impl RootTasks for DichotomyRootSearch {
    /// Equal and opposite dichotomies count once.
    fn roots(&self) -> Vec<RootRange> {
        let last = (self.prepared.kept.len() as u32).checked_sub(1);
        last.map(|last| RootRange::new(0, 0, last)).into_iter().collect()
    }

    fn run(
        &self,
        roots: &[RootRange],
        (below, start): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>) {
        let incumbent = self.request.options.incumbent && start;
        let options = ProperOptions { incumbent, ..self.request.options.clone() };
        let request = ProperRequest { below, options, ..self.request.clone() };
        let space = DichotomySpace::new(&self.prepared, &request);
        let (cache, clock, control) = (&self.cache, &clock, Some(control));
        let run = SpaceRun { space, cache, clock, progress, control };
        let ((outcome, open), stats) =
            run.with_threads(&request, |search| search.run_roots(&self.whole, &request, roots));
        (SearchOutcome { outcome, stats }, open)
    }

    /// Also whether its leaves are within their limits. Its dichotomies are numbered as they are
    /// listed.
    fn agrees(&self, tree: &Arc<Tree>, cost: Cost) -> bool {
        let Some(tree) = self.prepared.in_kept_dichotomies(tree) else { return false };
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let (clock, cache) = (&Clock::start(None, &switch), &self.cache);
        let space = DichotomySpace::new(&self.prepared, &self.request);
        let run = SpaceRun { space, cache, clock, progress: &progress, control: None };
        let slots: Vec<u32> = self.whole.members.iter().collect();
        let (search, min_rows) = (run.search(), self.request.limits.min_samples_leaf);
        let recounted = search.refitted(&slots, &tree, UNBOUNDED);
        recounted.is_some_and(|(recounted, tree)| {
            recounted == cost
                && keeps_quotas(&self.request.leaves, &tree)
                && search.min_leaf_rows(&self.whole, &tree) >= min_rows
        })
    }
}

impl DichotomySearch<'_, '_> {
    fn run_roots(
        &mut self,
        whole: &DichotomySubset,
        request: &ProperRequest,
        roots: &[RootRange],
    ) -> (Outcome, Vec<RootRange>) {
        let found = self.first_incumbent(whole, request);
        let upper = found.as_ref().map_or(request.below, |(cost, _)| *cost).min(UNBOUNDED);
        let limits = request.limits.normalised();
        let tried = self.best_of_roots(whole, limits, upper, (roots, &Mutex::new(())));
        self.count_cache();
        (self.outcome(whole, tried.tree.or(found), tried.lower, request), tried.open)
    }
}
