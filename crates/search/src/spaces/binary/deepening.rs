//! Where leaves have a price: level by level, with bounds for what lies deeper.
//!
//! Rules are tried at the root, then at nodes one level down, and so on as long as every
//! turn has far more to count than the one before; then without end. Of children below only
//! trees of depth two are counted. All deeper trees of a child are bounded from below
//! (`leaf_support.rs`), so what is returned of such a child are a tree and a lower bound, as of
//! a search that was stopped there. Each turn finds better trees before it goes
//! deeper, and raises the lower bound of the whole. What a turn has settled the cache
//! keeps from the next.
//!
//! The last turn leaves no child uncounted, so that nothing is lost: either a bound
//! settles every child before, or its limits end.

use super::search::{BinarySearch, BinarySolution};
use super::subset::BinarySubset;
use crate::kernels::chunks::ChunkLane;
use exactree_model::{Cost, Limits};

/// Where a turn counts less than this many times as much as the one before, bounds settle
/// so many children that the whole search is not far, and turns before it would double it.
const FAR_MORE: u64 = 20;

impl<L: ChunkLane> BinarySearch<'_, L> {
    /// The best tree for the whole table that costs less than `upper`.
    pub fn deepened(
        &mut self,
        whole: &BinarySubset,
        limits: Limits,
        upper: Cost,
    ) -> BinarySolution {
        self.in_turns(upper, |search, upper| search.solve(whole, limits, upper))
    }

    /// The best answer of turns that each look for what costs less than the best before.
    pub fn in_turns(
        &mut self,
        upper: Cost,
        mut turn: impl FnMut(&mut Self, Cost) -> BinarySolution,
    ) -> BinarySolution {
        let by_levels = self.options.deepening && self.options.look_ahead;
        if !by_levels || self.objective.leaf_price == 0 {
            return turn(self, upper);
        }
        let mut best = BinarySolution { lower: 0, tree: None };
        let mut counted = 0;
        self.expanded = 0;
        loop {
            let before = self.stats.depth_two_calls;
            let upper = best.tree.as_ref().map_or(upper, |tree| tree.0);
            let solution = turn(self, upper);
            best.lower = best.lower.max(solution.lower);
            best.tree = solution.tree.or(best.tree);
            let upper = best.tree.as_ref().map_or(upper, |tree| tree.0);
            if best.lower >= upper || self.returns_open() || self.clock.stopped() {
                return best;
            }
            let now = self.stats.depth_two_calls - before;
            let grows = now >= FAR_MORE * counted;
            self.expanded = if grows { self.expanded + 1 } else { usize::MAX };
            counted = now;
        }
    }
}
