//! The search of some roots (see `engine/root_tasks.rs`) of tables of binary columns.

use super::columns::ColumnSource;
use super::search::{BinaryBounds, BinarySearch, BinarySolution, usable};
use super::subset::BinarySubset;
use crate::engine::root_tasks::{RootRange, RootsResult};
use crate::engine::solve::Request;
use crate::kernels::chunks::ChunkLane;
use crate::support::mutants::{Mutant, off};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

impl<L: ChunkLane> BinarySearch<'_, L> {
    pub fn run_roots(&mut self, request: &Request, roots: &[RootRange]) -> RootsResult {
        let whole = BinarySubset::whole(self.columns);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let mut left = roots.to_vec();
        let solution = self.in_turns(upper, |search, upper| {
            let (solution, open) = search.best_of_roots(&whole, limits, upper, &left);
            left = open;
            solution
        });
        self.count_cache();
        RootsResult { found: solution.tree.or(found), lower: solution.lower, left }
    }

    /// One turn: the solution, and the open rules. Trees of two levels are counted in one call.
    fn best_of_roots(
        &mut self,
        whole: &BinarySubset,
        limits: Limits,
        upper: Cost,
        roots: &[RootRange],
    ) -> (BinarySolution, Vec<RootRange>) {
        let limits = usable(whole, self.within_price(limits, upper));
        let leaf = self.objective.leaf(whole.leaf_errors());
        let mut bounds = BinaryBounds { upper, lower: 0, found: None };
        bounds.improve(leaf, || Tree::leaf(whole.leaf_class()));
        self.stats.nodes += 1;
        if self.pruned(whole, limits, &mut bounds) {
            return (
                BinarySolution { lower: bounds.lower.min(leaf), tree: bounds.found },
                Vec::new(),
            );
        }
        if limits.depth <= 2 {
            return (self.depth_two(whole, limits, bounds), Vec::new());
        }
        let known = |rule: usize| {
            let ColumnSource { feature, rank, turned } = self.rules[rule];
            let holds =
                |set: &&RootRange| set.feature == feature && (set.first..=set.last).contains(&rank);
            roots.iter().find(holds).map(|set| as_bits(*set, turned))
        };
        let known: Vec<Option<RootRange>> = (0..self.rules.len()).map(known).collect();
        let keep = |at: usize| known[whole.columns.rules[at] as usize];
        let (rules, bounds) = self.try_those(whole, limits, bounds, |rules| rules.keep(keep));
        let Some(rules) = rules else {
            return (
                BinarySolution { lower: bounds.lower.min(leaf), tree: bounds.found },
                Vec::new(),
            );
        };
        let left = rules.left(bounds.upper.saturating_sub(off(Mutant::RootsLeft)));
        let root = |(at, [lower, left, right]): (usize, [Cost; 3])| {
            let ColumnSource { feature, rank, turned } =
                self.rules[whole.columns.rules[at] as usize];
            as_bits(RootRange { lower, left, right, ..RootRange::new(feature, rank, rank) }, turned)
        };
        let lower = rules.lower().max(bounds.lower).min(leaf);
        (BinarySolution { lower, tree: bounds.found }, left.map(root).collect())
    }
}

/// Exchanges the bounds of left and right children for rules whose bits mark the right child.
fn as_bits(roots: RootRange, turned: bool) -> RootRange {
    let (left, right) = if turned { (roots.right, roots.left) } else { (roots.left, roots.right) };
    RootRange { left, right, ..roots }
}
