//! The state of a search for thresholds.

use super::request::{LeafLimits, ThresholdOptions, ThresholdRequest, ThresholdStats};
use crate::papers::examples::IndexedExamples;
use crate::support::clock::Clock;
use crate::support::subset_cache::SubsetCache;

/// The state of a search.
pub(super) struct ThresholdSearch<'a> {
    pub(super) examples: &'a IndexedExamples,
    pub(super) options: &'a ThresholdOptions,
    /// The limited classes and the maximum number of leaves of each.
    pub(super) limited: &'a [(u32, u32)],
    pub(super) clock: &'a Clock<'a>,
    pub(super) cache: SubsetCache<LeafLimits>,
    pub(super) stats: ThresholdStats,
}

impl<'a> ThresholdSearch<'a> {
    pub(super) fn new(
        examples: &'a IndexedExamples,
        request: &'a ThresholdRequest,
        clock: &'a Clock<'a>,
    ) -> Self {
        ThresholdSearch {
            examples,
            options: &request.options,
            limited: &request.leaves,
            clock,
            cache: SubsetCache::new(examples.items, request.memory_limit),
            stats: ThresholdStats::default(),
        }
    }

    pub(super) fn stats(self) -> ThresholdStats {
        ThresholdStats {
            cache_entries: self.cache.len() as u64,
            cache_evicted: self.cache.evicted,
            ..self.stats
        }
    }
}
