//! Iterative deepening with a leaf price: level by level, with bounds on deeper trees.
//!
//! The first turn tries rules at the root only, the second also at nodes one level down, and so on,
//! as long as every turn counts far more than the one before; the last turn has no limit on the
//! level. For children below the limit only trees of depth two are counted. All deeper trees of
//! such a child are bounded from below (`leaf_support.rs`), so its solution is a tree and a lower
//! bound, as from a search stopped there. Each turn improves the incumbent before the next goes
//! deeper, and raises the lower bound of the whole table. Subproblems solved in one turn are in the
//! cache for the next.
//!
//! The last turn makes the search exact: it descends until a bound or the limits settle every
//! child.

use super::search::{BinarySearch, BinarySolution};
use super::subset::BinarySubset;
use crate::kernels::chunks::ChunkLane;
use exactree_model::{Cost, Limits};

/// If a turn counts less than this many times as much as the one before, bounds settle so many
/// children that the complete search is near, and further turns could double its time.
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

    /// The best solution of turns, each searching for trees that cost less than the incumbent of
    /// the turns before.
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
