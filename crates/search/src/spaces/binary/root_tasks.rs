//! Root tasks (see `spaces/root_tasks.rs`) for tables of binary columns.

use super::space::BinarySearch;
use super::subset::BinarySubset;
use crate::engine::request::Request;
use crate::engine::root_range::{RootRange, RootsResult};
use crate::engine::solution::Solution;
use crate::kernels::chunks::ChunkLane;
use exactree_model::UNBOUNDED;
use std::sync::Mutex;

impl<L: ChunkLane> BinarySearch<'_, '_, L> {
    pub(crate) fn run_roots(&mut self, request: &Request, roots: &[RootRange]) -> RootsResult {
        let whole = BinarySubset::whole(self.space.columns);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let mut open = roots.to_vec();
        let solution = self.in_rounds(upper, |search, upper| {
            let tried = search.best_of_roots(&whole, limits, upper, (&open, &Mutex::default()));
            open = tried.open;
            Solution { tree: tried.tree, ..Solution::with_lower(tried.lower) }
        });
        self.count_cache();
        RootsResult { tree: solution.tree.or(found), lower: solution.lower, open }
    }
}
