//! Finds the minimum value by deciding for increasing values whether there is an ensemble of at
//! most this value.

use super::feasibility_cache::FeasibilityCache;
use super::placement::Placement;
use super::request::{CoverQuantity, CoverRequest, CoverStats};
use super::sizes::{Cap, caps_of};
use super::slack::Slack;
use crate::ensembles::witness_ensemble::incumbent::improve;
use crate::ensembles::{Ensemble, EnsembleOutcome, decided_by_one_tree};
use crate::minimum_size::{SizeDecision, SizeTable};
use crate::spaces::greedy_tree::complete_tree;
use crate::support::clock::{Clock, Stopped};
use crate::support::size_loop::is_within_gap;
use crate::support::statistics::Progress;
use exactree_model::{Status, StoppedBy, Table, UNBOUNDED};

/// One search for the minimum value.
pub(super) struct CoverSizeLoop<'a, const W: usize> {
    table: &'a Table,
    prepared: &'a SizeTable<W>,
    request: &'a CoverRequest,
    clock: &'a Clock<'a>,
    placement: Placement<'a, W>,
}

impl<'a, const W: usize> CoverSizeLoop<'a, W> {
    pub(super) fn new(
        table: &'a Table,
        prepared: &'a SizeTable<W>,
        request: &'a CoverRequest,
        clock: &'a Clock<'a>,
    ) -> Self {
        let half = request.memory_limit.map(|bytes| bytes / 2);
        let decision = SizeDecision::new(prepared, &request.size_options, clock, half);
        let feasibility = FeasibilityCache::new(decision, &request.options);
        let placement = Placement::new(prepared, &request.options, clock, feasibility, half);
        CoverSizeLoop { table, prepared, request, clock, placement }
    }

    /// The best ensemble so far, if any, and a lower bound.
    pub(super) fn run(mut self, progress: &Progress) -> (EnsembleOutcome, CoverStats) {
        let contradictory = self.table.contradictory_groups > 0;
        let mut incumbent = if contradictory { None } else { self.greedy() };
        let lower = if contradictory { None } else { self.raise_value(&mut incumbent, progress) };
        let cost = incumbent.as_ref().map(|incumbent| self.cost(incumbent));
        let status = match lower {
            None => Status::Infeasible,
            lower if lower == cost => Status::Optimal,
            _ if cost.is_some() => Status::Feasible,
            _ => Status::Stopped,
        };
        let proved = matches!(status, Status::Optimal | Status::Infeasible);
        let outcome = EnsembleOutcome {
            status,
            ensemble: incumbent,
            lower_bound: vec![lower.unwrap_or(0).into()],
            // An interrupt is reported even if the proof is complete.
            stopped_by: self.clock.stopped_by().filter(|by| !proved || *by == StoppedBy::Interrupt),
        };
        let seconds = self.clock.seconds();
        (outcome, CoverStats { seconds, ..self.placement.into_stats() })
    }

    /// Raises the value until there is an ensemble, which becomes the incumbent. Returns the last
    /// value as a lower bound, or `None` if there is no ensemble within the limits.
    fn raise_value(
        &mut self,
        incumbent: &mut Option<Ensemble>,
        progress: &Progress,
    ) -> Option<u32> {
        for value in 0..=self.max_value() {
            if value == 1 {
                // Only after value 0, which is refuted at once: this may take all the time.
                *incumbent = self.improve(incumbent.take());
            }
            let cost = incumbent.as_ref().map(|incumbent| self.cost(incumbent));
            self.placement.stats.first_incumbent = cost;
            progress.report(cost.map_or(UNBOUNDED, u64::from), value.into());
            // The value of the incumbent itself needs no search.
            if cost.is_some_and(|cost| cost <= value) {
                break;
            }
            if is_within_gap(self.request.stop_at_gap, cost.map(u64::from), value.into()) {
                self.clock.stop(StoppedBy::Gap);
                return Some(value);
            }
            match self.ensemble(value) {
                Ok(None) => {}
                Ok(found) => {
                    *incumbent = found;
                    return Some(value);
                }
                Err(Stopped) => return Some(value),
            }
        }
        incumbent.as_ref().map(|incumbent| self.cost(incumbent))
    }

    /// One greedy tree and leaves whose votes cancel out, if it is within the limits.
    fn greedy(&self) -> Option<Ensemble> {
        if !self.request.options.incumbent {
            return None;
        }
        let (errors, tree) = complete_tree(self.table, self.request.depth, 0, self.clock);
        let measure = self.request.minimize.measure(&tree);
        let within = tree.size() <= self.request.size && measure <= self.request.total;
        let classes = self.table.n_classes as u32;
        (errors == 0 && within).then(|| decided_by_one_tree(tree, self.request.trees, classes))
    }

    /// Improves the incumbent tree by tree if sizes are minimized.
    fn improve(&self, incumbent: Option<Ensemble>) -> Option<Ensemble> {
        match self.request.by_size() {
            Some(request) if self.request.options.incumbent => {
                improve(self.table, &request, incumbent, self.clock)
            }
            _ => incumbent,
        }
    }

    /// Upper bound on the minimum value if there is an ensemble: no tree needs as many nodes as
    /// there are groups of rows.
    fn max_value(&self) -> u32 {
        let rules = self.table.groups.saturating_sub(1).min(u32::MAX as usize / 2) as u32;
        let trees = self.request.trees;
        let cap = Cap { depth: self.request.depth, size: self.request.size, min_samples_leaf: 1 };
        let Cap { size, depth, .. } = cap.normalised();
        let all = |each: u32| each.min(rules).saturating_mul(trees).min(self.request.total);
        match self.request.minimize {
            CoverQuantity::TotalSize => all(size),
            CoverQuantity::TotalDepth => all(depth),
            CoverQuantity::LargestSize => size.min(rules),
            CoverQuantity::LargestDepth => depth.min(rules),
        }
    }

    /// An ensemble of at most this value, if any.
    fn ensemble(&mut self, value: u32) -> Result<Option<Ensemble>, Stopped> {
        let slack = Slack::new(self.prepared, self.request.trees);
        for caps in caps_of(self.request, value) {
            if let Some(sets) = self.placement.place(&caps, &slack)? {
                return self.placement.trees(&caps, &sets).map(Some);
            }
        }
        Ok(None)
    }

    fn cost(&self, ensemble: &Ensemble) -> u32 {
        let minimize = self.request.minimize;
        let measures = ensemble.iter().map(|tree| minimize.measure(tree));
        if minimize.is_total() { measures.sum() } else { measures.max().unwrap_or(0) }
    }
}
