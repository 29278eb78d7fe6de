//! The start and the end of the search of a whole table.

use crate::engine::solution::CostedTree;
use crate::engine::space::{Search, Space};
use exactree_model::{Cost, UNBOUNDED};

impl<S: Space> Search<'_, S> {
    /// Takes a tree found without search as first incumbent, if it costs less than `below`.
    pub(crate) fn start_from(&mut self, found: CostedTree, below: Cost) -> Option<CostedTree> {
        self.stats.first_incumbent = Some(found.0);
        let found = Some(found).filter(|(cost, _)| *cost < below);
        self.progress.report(found.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost), 0);
        found
    }

    /// Enters the size of the cache in the statistics.
    pub(crate) fn count_cache(&mut self) {
        let stats = &mut self.stats;
        (stats.cache_entries, stats.cache_bytes, stats.cache_evicted) = self.cache.counts();
    }
}
