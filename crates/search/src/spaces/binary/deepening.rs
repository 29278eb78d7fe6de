//! Iterative deepening with a leaf price: rounds of search, each one level deeper, with bounds on
//! deeper trees.
//!
//! The first round evaluates rules at the root only, the second also at nodes one level down, and
//! so on, as long as every round counts far more than the previous round; the last round has no
//! limit on the level. For children below the limit only trees of depth two are counted. All deeper
//! trees of such a child are bounded from below (`leaf_support.rs`), so its solution is a tree and
//! a lower bound, as from a search stopped there. Each round improves the incumbent before the next
//! goes deeper, and raises the lower bound of the whole table. Subproblems solved in one round are
//! in the cache for the next.
//!
//! The last round makes the search exact: it descends until every child is pruned or solved.

use super::space::BinarySearch;
use crate::engine::solution::Solution;
use crate::kernels::chunks::ChunkLane;
use exactree_model::Cost;

/// If a round counts less than this many times as much as the previous round, so many children are
/// pruned that the complete search is near, and further rounds could double its time.
const MIN_GROWTH: u64 = 20;

impl<L: ChunkLane> BinarySearch<'_, '_, L> {
    /// The best solution of several rounds, each searching for trees that cost less than the
    /// incumbent of the previous rounds.
    pub(crate) fn in_rounds(
        &mut self,
        upper: Cost,
        mut round: impl FnMut(&mut Self, Cost) -> Solution,
    ) -> Solution {
        let options = self.space.options;
        let by_levels = options.deepening && options.look_ahead;
        if !by_levels || self.space.objective.leaf_price == 0 {
            return round(self, upper);
        }
        let mut best = Solution::with_lower(0);
        let mut counted = 0;
        self.workspace.expanded = 0;
        loop {
            let before = self.stats.depth_two_calls;
            let upper = best.tree.as_ref().map_or(upper, |tree| tree.0);
            let solution = round(self, upper);
            best.lower = best.lower.max(solution.lower);
            best.tree = solution.tree.or(best.tree);
            let upper = best.tree.as_ref().map_or(upper, |tree| tree.0);
            if best.lower >= upper || self.must_return_open() || self.clock.stopped() {
                return best;
            }
            let now = self.stats.depth_two_calls - before;
            let grows = now >= MIN_GROWTH * counted;
            self.workspace.expanded = if grows { self.workspace.expanded + 1 } else { usize::MAX };
            counted = now;
        }
    }
}
