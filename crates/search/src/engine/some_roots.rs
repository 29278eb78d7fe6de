//! The search restricted to some root rules, and the rules that it leaves open.

use crate::engine::open_splits::{OpenSplits, RootSplits};
use crate::engine::root_range::{RootRange, RootsResult};
use crate::engine::solution::Bounds;
use crate::engine::space::{OpenOf, Search, Space, SubsetOf};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, UNBOUNDED};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Data that searches of different roots of a table share.
pub(crate) type EvaluatedOf<S> = <OpenOf<S> as RootSplits>::Evaluated;

impl<S: Space> Search<'_, S> {
    /// The best tree for the whole table that costs less than `upper` with one of these rules at
    /// its root. A terminal subproblem is solved in one call for all roots, and cached: unlike
    /// bounds on some roots, its solution holds for the whole table.
    pub(crate) fn best_of_roots(
        &mut self,
        whole: &SubsetOf<S>,
        limits: Limits,
        upper: Cost,
        (roots, evaluated): (&[RootRange], &Mutex<EvaluatedOf<S>>),
    ) -> RootsResult {
        let limits = self.reachable_limits(whole, self.affordable_limits(limits, upper));
        let (leaf, tree) = self.space.leaf(whole);
        let mut bounds = Bounds::with_upper(upper);
        bounds.improve(leaf, tree);
        let key = self.space.key(whole);
        if let Some(solution) = self.cached(&key, limits, &mut bounds) {
            return RootsResult { tree: solution.tree, lower: solution.lower, open: Vec::new() };
        }
        self.stats.nodes += 1;
        let pruned = |bounds: Bounds| RootsResult {
            tree: bounds.incumbent,
            lower: bounds.lower.min(leaf),
            open: Vec::new(),
        };
        if self.pruned(whole, limits, &mut bounds) {
            return pruned(bounds);
        }
        let mut bounds = match S::solve_terminal(self, whole, limits, bounds, None) {
            Ok(solution) => {
                let solution = self.store(&key, limits, solution, 1);
                let proved = solution.lower >= solution.tree.as_ref().map_or(upper, |tree| tree.0);
                let open = if proved { Vec::new() } else { roots.to_vec() };
                return RootsResult { tree: solution.tree, lower: solution.lower, open };
            }
            Err(bounds) => bounds,
        };
        let Some(mut open) = S::branching(self, whole, limits, &mut bounds, None) else {
            return pruned(bounds);
        };
        let one_way = limits.shares().len() == 1;
        open.keep(roots, one_way.then_some(&*lock(evaluated)));
        let (mut open, bounds) = self.branch(whole, limits, open, bounds);
        let lower = open.lower().max(bounds.lower).min(leaf);
        let upper = bounds.upper.saturating_sub(offset(Mutant::RootsLeft) * (1 + bounds.upper / 8));
        let pruned = &mut self.stats.pruned;
        let open_roots = open.close_all(upper, one_way.then_some(&mut *lock(evaluated)), pruned);
        RootsResult { tree: bounds.incumbent, lower, open: disjoint(open_roots, roots) }
    }
}

/// The bounds are consistent whenever the lock is free, so a panic elsewhere does not matter.
fn lock<E>(evaluated: &Mutex<E>) -> MutexGuard<'_, E> {
    evaluated.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes overlapping ranges of rules disjoint; each of them lies inside one range of `within`. A
/// rule in several ranges gets the minimum of their lower bounds.
pub(crate) fn disjoint(mut ranges: Vec<RootRange>, within: &[RootRange]) -> Vec<RootRange> {
    ranges.sort_by_key(|range| (range.feature, range.first));
    let mut disjoint: Vec<RootRange> = Vec::new();
    for whole in within {
        let key = |range: &RootRange| (range.feature, range.first);
        let from = ranges.partition_point(|range| key(range) < (whole.feature, whole.first));
        let until = ranges.partition_point(|range| key(range) <= (whole.feature, whole.last));
        let mut minima = vec![[UNBOUNDED; 3]; (whole.last - whole.first + 1) as usize];
        for range in &ranges[from..until] {
            for rank in range.first..=range.last {
                let minimum = &mut minima[(rank - whole.first) as usize];
                let bounds = [range.lower, range.left, range.right];
                minimum
                    .iter_mut()
                    .zip(bounds)
                    .for_each(|(minimum, bound)| *minimum = bound.min(*minimum));
            }
        }
        let start = disjoint.len();
        for (rank, bounds) in
            (whole.first..).zip(minima).filter(|(_, minima)| minima[0] < UNBOUNDED)
        {
            let [lower, left, right] = bounds;
            match disjoint[start..].last_mut() {
                Some(range)
                    if range.last + 1 == rank
                        && [range.lower, range.left, range.right] == bounds =>
                {
                    range.last = rank;
                }
                _ => disjoint.push(RootRange {
                    first: rank,
                    last: rank,
                    lower,
                    left,
                    right,
                    ..*whole
                }),
            }
        }
    }
    disjoint
}
