//! Decides whether trees within a vector of caps can classify the table together.
//!
//! *Failed states.* Whether trees within some caps can make up for a slack depends on
//! the caps and the slack alone, not on the trees before. The same errors in
//! another order leave the same slack.

use super::error_sets::ErrorSets;
use super::feasibility_cache::FeasibilityCache;
use super::memory_budget::MemoryBudget;
use super::request::CoverStats;
use super::sizes::Cap;
use super::slack::Slack;
use crate::minimum_size::SizeTable;
use crate::support::clock::{Clock, Stopped};
use crate::support::options::CoverOptions;
use crate::support::sets::{Set, without};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// One search; its caches are valid for all caps.
pub(super) struct Placement<'a, const W: usize> {
    pub prepared: &'a SizeTable<W>,
    pub options: &'a CoverOptions,
    pub clock: &'a Clock<'a>,
    pub feasibility: FeasibilityCache<'a, W>,
    pub stats: CoverStats,
    /// Slacks that the later trees cannot make up for, by their caps.
    failed: FxHashMap<Vec<Cap>, FxHashSet<Slack<W>>>,
    /// Memory of `failed`, and of the lists of error sets.
    failed_budget: MemoryBudget,
    lists_budget: MemoryBudget,
}

impl<'a, const W: usize> Placement<'a, W> {
    pub(super) fn new(
        prepared: &'a SizeTable<W>,
        options: &'a CoverOptions,
        clock: &'a Clock<'a>,
        feasibility: FeasibilityCache<'a, W>,
        bytes: Option<usize>,
    ) -> Self {
        let (stats, failed) = (CoverStats::default(), FxHashMap::default());
        let half = || MemoryBudget::new(bytes.map(|bytes| bytes / 2));
        let (failed_budget, lists_budget) = (half(), half());
        Placement {
            prepared,
            options,
            clock,
            feasibility,
            stats,
            failed,
            failed_budget,
            lists_budget,
        }
    }

    /// The statistics of the finished search.
    pub(super) fn into_stats(self) -> CoverStats {
        let cache_resets = self.failed_budget.cache_resets + self.lists_budget.cache_resets;
        CoverStats { cache_resets, ..self.stats }
    }

    /// The items that each tree has to classify, in the order of the caps, which ascend; `None` if
    /// there is no such ensemble.
    pub(super) fn place(
        &mut self,
        caps: &[Cap],
        slack: &Slack<W>,
    ) -> Result<Option<Vec<Set<W>>>, Stopped> {
        self.stats.placed += 1;
        // Every later tree must classify the items that may not get another wrong vote, and this
        // suffices for the last one.
        let last = caps.len() == 1;
        if (last || self.options.required_items)
            && !self.feasibility.is_feasible(caps[0], slack.none(), &mut self.stats)?
        {
            self.stats.required_items += u64::from(!last);
            return Ok(None);
        }
        if last {
            return Ok(Some(vec![*slack.none()]));
        }
        let again = self.failed.get(caps).is_some_and(|failed| failed.contains(slack));
        if self.options.failed_states && again {
            self.stats.failed_states += 1;
            return Ok(None);
        }
        let to_classify = *slack.to_classify(caps.len());
        let error_sets = self.error_sets(caps, slack, &to_classify)?;
        for errors in error_sets.iter() {
            self.clock.check()?;
            if let Some(mut sets) = self.place(&caps[1..], &slack.after(errors))? {
                sets.insert(0, without(&to_classify, errors));
                return Ok(Some(sets));
            }
        }
        if self.options.failed_states {
            if self.failed_budget.exceeds(slack.bytes()) {
                self.failed.clear();
            }
            self.failed.entry(caps.to_vec()).or_default().insert(slack.clone());
        }
        Ok(None)
    }

    /// The error sets of the trees within the first cap.
    fn error_sets(
        &mut self,
        caps: &[Cap],
        slack: &Slack<W>,
        to_classify: &Set<W>,
    ) -> Result<Rc<[Set<W>]>, Stopped> {
        self.lists_budget.reset();
        let mut listing = ErrorSets {
            prepared: self.prepared,
            options: self.options,
            clock: self.clock,
            slack,
            next: caps[1],
            feasibility: &mut self.feasibility,
            stats: &mut self.stats,
            cache: FxHashMap::default(),
            budget: &mut self.lists_budget,
        };
        listing.error_sets(to_classify, caps[0])
    }
}
