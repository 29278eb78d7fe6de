//! The state of a search by support sets.

use super::differences::Differences;
use super::quantity::TreeQuantity;
use super::request::{SupportSetsOptions, SupportSetsRequest, SupportSetsStats};
use crate::papers::examples::IndexedExamples;
use crate::support::clock::Clock;
use crate::support::subset_cache::SubsetCache;

/// The state of a search.
pub(super) struct SupportSetSearch<'a> {
    pub(super) examples: &'a IndexedExamples,
    pub(super) differences: Differences,
    pub(super) minimize: TreeQuantity,
    pub(super) options: &'a SupportSetsOptions,
    pub(super) clock: &'a Clock<'a>,
    /// Solutions by the number of nodes allowed outside the present S, or `ANY`, which holds for
    /// every S.
    pub(super) cache: SubsetCache<u32>,
    pub(super) stats: SupportSetsStats,
}

impl<'a> SupportSetSearch<'a> {
    pub(super) fn new(
        examples: &'a IndexedExamples,
        differences: Differences,
        request: &'a SupportSetsRequest,
        clock: &'a Clock<'a>,
    ) -> Self {
        SupportSetSearch {
            examples,
            differences,
            minimize: request.minimize,
            options: &request.options,
            clock,
            cache: SubsetCache::new(examples.items, request.memory_limit),
            stats: SupportSetsStats::default(),
        }
    }

    /// Maximum number of features of a tree of size (depth) s. Every leaf has an item.
    pub(super) fn max_features(&self, s: u32) -> u32 {
        self.minimize.max_nodes(s).min(self.examples.items as u32 - 1)
    }

    pub(super) fn stats(self) -> SupportSetsStats {
        SupportSetsStats {
            differences: self.differences.kept.len() as u64,
            cache_entries: self.cache.len() as u64,
            cache_evicted: self.cache.evicted,
            ..self.stats
        }
    }
}
