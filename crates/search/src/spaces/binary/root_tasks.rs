//! Root tasks (see `spaces/root_tasks.rs`) for tables of binary columns.

use super::columns::ColumnSource;
use super::search::{BinarySearch, reachable_limits};
use super::solution::{BinaryBounds, BinarySolution};
use super::subset::BinarySubset;
use crate::engine::request::Request;
use crate::engine::root_range::{RootRange, RootsResult};
use crate::kernels::chunks::ChunkLane;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

impl<L: ChunkLane> BinarySearch<'_, L> {
    pub(super) fn run_roots(&mut self, request: &Request, roots: &[RootRange]) -> RootsResult {
        let whole = BinarySubset::whole(self.columns);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let mut open = roots.to_vec();
        let solution = self.in_rounds(upper, |search, upper| {
            let (solution, still_open) = search.best_of_roots(&whole, limits, upper, &open);
            open = still_open;
            solution
        });
        self.count_cache();
        RootsResult { tree: solution.tree.or(found), lower: solution.lower, open }
    }

    /// One round: the solution, and the rules that remain open. Trees of two levels are counted in
    /// one call for all roots.
    fn best_of_roots(
        &mut self,
        whole: &BinarySubset,
        limits: Limits,
        upper: Cost,
        roots: &[RootRange],
    ) -> (BinarySolution, Vec<RootRange>) {
        let limits = reachable_limits(whole, self.affordable_limits(limits, upper));
        let leaf = self.objective.leaf(whole.leaf_errors());
        let mut bounds = BinaryBounds { upper, lower: 0, incumbent: None };
        bounds.improve(leaf, || Tree::leaf(whole.leaf_class()));
        self.stats.nodes += 1;
        if self.pruned(whole, limits, &mut bounds) {
            return (
                BinarySolution { lower: bounds.lower.min(leaf), tree: bounds.incumbent },
                Vec::new(),
            );
        }
        if limits.depth <= 2 {
            return (self.depth_two(whole, limits, bounds), Vec::new());
        }
        let known = |rule: usize| {
            let ColumnSource { feature, rank, inverted } = self.rules[rule];
            let holds =
                |set: &&RootRange| set.feature == feature && (set.first..=set.last).contains(&rank);
            roots.iter().find(holds).map(|set| in_column_order(*set, inverted))
        };
        let known: Vec<Option<RootRange>> = (0..self.rules.len()).map(known).collect();
        let keep = |at: usize| known[whole.columns.rules[at] as usize];
        let (rules, bounds) =
            self.try_selected_rules(whole, limits, bounds, |rules| rules.keep(keep));
        let Some(rules) = rules else {
            return (
                BinarySolution { lower: bounds.lower.min(leaf), tree: bounds.incumbent },
                Vec::new(),
            );
        };
        let open = rules.open_below(bounds.upper.saturating_sub(offset(Mutant::RootsLeft)));
        let root = |(at, [lower, left, right]): (usize, [Cost; 3])| {
            let ColumnSource { feature, rank, inverted } =
                self.rules[whole.columns.rules[at] as usize];
            in_column_order(
                RootRange { lower, left, right, ..RootRange::new(feature, rank, rank) },
                inverted,
            )
        };
        let lower = rules.lower().max(bounds.lower).min(leaf);
        (BinarySolution { lower, tree: bounds.incumbent }, open.map(root).collect())
    }
}

/// Exchanges the bounds of left and right children for rules whose bits mark the right child.
fn in_column_order(roots: RootRange, inverted: bool) -> RootRange {
    let (left, right) =
        if inverted { (roots.right, roots.left) } else { (roots.left, roots.right) };
    RootRange { left, right, ..roots }
}
