//! Spectra: the costs of the trees of a subproblem, found in increasing order as far as needed.
//!
//! Costs of trees can be sparse (weights of 2^60, prices of leaves) or many, so the possible costs
//! are not tried one after the other: the next cost that a tree has is found from the next costs of
//! the two children of every split. Each subproblem stores the costs found, and the cost below
//! which they are complete. They are found in order, and only costs that are needed: a cost of a
//! child is looked for only if, with the cheapest tree of the other child, it gives a tree of the
//! table within the limits.
//!
//! *Size limits.* A tree of s nodes has s + 1 leaves, none of which is empty, and a tree of depth d
//! has fewer than 2^d nodes. A subproblem beyond these limits has no trees.
//!
//! *Bounds.* The minimum cost, found by the searches for one best tree, is a lower bound: the
//! search for the next cost ends when it reaches this bound, and begins only if the bound is within
//! the allowed range.
//!
//! *Tight.* If the minimum cost of the subset within depth and size s is c, a tree of cost c
//! exists; it has exactly s nodes if no tree of s - 1 nodes costs as little. If no tree to be
//! listed can have fewer nodes (`minimum_size`), that needs no search: a smaller tree for this
//! subset, together with the existing trees for all other subsets, would be a smaller tree for the
//! table. (There are such trees: the costs of a subproblem are only looked for after the minimum
//! costs of both children of the split above it were found to be cheap enough together.) With a
//! requested shape this holds up to two nodes only: then all trees of a size have one shape. Bounds
//! hold for every shape, as its trees are among those of its depth and size.

use super::graph::Graph;
use super::shapes::ANY_SHAPE;
use super::subproblem::{ANY_SIZE, ChildBudgets, EnumerationSubproblem, Spectrum};
use super::subsets::SubsetSplits;
use super::threshold_costs::ThresholdCosts;
use crate::support::clock::Stopped;
use exactree_model::{Cost, Limits};

/// Trees of more nodes can have several shapes.
const MAX_SIZE_OF_ONE_SHAPE: u32 = 2;

/// A range of costs in which the minimum cost is searched for.
#[derive(Clone, Copy)]
struct Window {
    from: Cost,
    to: Cost,
}

impl Graph<'_> {
    /// The subproblem, without a limit on depth if its trees cannot be deeper; `None` if its limits
    /// show that it has no trees.
    pub(super) fn normalised(
        &mut self,
        sub: EnumerationSubproblem,
    ) -> Option<EnumerationSubproblem> {
        let subset = self.subsets.get(sub.subset);
        let splits = subset.items - 1;
        // A tree of s nodes is at most s deep, and has one leaf more than nodes.
        let maximum = if sub.size == ANY_SIZE { splits } else { sub.size };
        if subset.rows < self.request.min_samples_leaf {
            return None;
        }
        let max_size_of_depth = 1u32.checked_shl(sub.depth).unwrap_or(0).wrapping_sub(1);
        let too_large = maximum > splits || (sub.size != ANY_SIZE && maximum > max_size_of_depth);
        if self.request.options.size_limits && too_large {
            self.stats.size_limits += 1;
            return None;
        }
        let depth = if sub.depth >= maximum { u32::MAX } else { sub.depth };
        Some(EnumerationSubproblem { depth, ..sub })
    }

    /// The smallest cost from `from` to `to` that a tree of a subproblem has.
    pub(super) fn next_cost(
        &mut self,
        sub: EnumerationSubproblem,
        from: Cost,
        to: Cost,
    ) -> Result<Option<Cost>, Stopped> {
        if from > to {
            return Ok(None);
        }
        let Some(sub) = self.normalised(sub) else { return Ok(None) };
        let number = self.spectrum_of(sub);
        loop {
            let spectrum = &self.spectra[number];
            let place = spectrum.costs.partition_point(|&cost| cost < from);
            if let Some(&cost) = spectrum.costs.get(place) {
                return Ok((cost <= to).then_some(cost));
            }
            if spectrum.below > to {
                return Ok(None);
            }
            let window = Window { from: spectrum.below, to };
            let first = spectrum.costs.is_empty();
            let found = self.min_cost_in(&sub, window, first)?;
            let spectrum = &mut self.spectra[number];
            spectrum.costs.extend(found);
            spectrum.below = found.unwrap_or(to) + 1;
            self.cost_count += found.is_some() as usize;
        }
    }

    /// The smallest cost in a window; `first` if no tree costs less than the window.
    fn min_cost_in(
        &mut self,
        sub: &EnumerationSubproblem,
        window: Window,
        first: bool,
    ) -> Result<Option<Cost>, Stopped> {
        self.check()?;
        let Window { from, to } = window;
        let mut best = self.leaf_cost(sub).filter(|cost| (from..=to).contains(cost));
        if best == Some(from) || sub.depth == 0 || sub.size == 0 {
            return Ok(best);
        }
        let mut floor = from; // a lower bound on the result
        if first && self.request.options.lower_bounds {
            match self.bound(sub, sub.size, to)? {
                None => return Ok(None),
                Some(minimum) if self.exact_size(sub, minimum)? => {
                    self.stats.tight_bounds += 1;
                    return Ok(Some(minimum));
                }
                Some(minimum) => floor = floor.max(minimum),
            }
        }
        if best == Some(floor) {
            return Ok(best);
        }
        for feature in 0..self.subsets.features() {
            let splits = self.subsets.splits(sub.subset, feature);
            for budgets in self.shares(sub, best.map_or(to, |best| best - 1)) {
                for threshold_costs in self.threshold_costs(&splits, &budgets)? {
                    // From now on only costs below the best so far matter.
                    let to = best.map_or(to, |best| best - 1);
                    let window = Window { from, to };
                    best = self
                        .min_cost_of_split(&splits, &budgets, &threshold_costs, window)?
                        .or(best);
                    if best == Some(floor) {
                        return Ok(best);
                    }
                }
            }
        }
        Ok(best)
    }

    /// The smallest cost in a window of a tree with a root split and the sizes of its children.
    fn min_cost_of_split(
        &mut self,
        splits: &SubsetSplits<'_>,
        budgets: &ChildBudgets,
        threshold_costs: &ThresholdCosts,
        window: Window,
    ) -> Result<Option<Cost>, Stopped> {
        let [left, right] = self.children(splits, budgets, threshold_costs);
        let (mut best, mut to) = (None, window.to);
        let mut next = threshold_costs.left;
        while let Some(rest) = to.checked_sub(threshold_costs.right) {
            let Some(cost) = self.next_cost(left, next, rest)? else { break };
            let minimum = window.from.saturating_sub(cost).max(threshold_costs.right);
            if let Some(other) = self.next_cost(right, minimum, to - cost)? {
                best = Some(cost + other);
                if cost + other == window.from {
                    break;
                }
                to = cost + other - 1;
            }
            next = cost + 1;
        }
        Ok(best)
    }

    /// The subproblems of the children of a split.
    pub(super) fn children(
        &mut self,
        splits: &SubsetSplits<'_>,
        budgets: &ChildBudgets,
        threshold_costs: &ThresholdCosts,
    ) -> [EnumerationSubproblem; 2] {
        let children =
            [(true, &budgets.left, budgets.shapes.0), (false, &budgets.right, budgets.shapes.1)];
        children.map(|(left, limits, shape)| EnumerationSubproblem {
            subset: self.subsets.number_of(splits.child(threshold_costs.threshold, left)),
            shape,
            depth: limits.depth,
            size: limits.size,
        })
    }

    fn spectrum_of(&mut self, sub: EnumerationSubproblem) -> usize {
        let next = self.spectra.len();
        let number = *self.spectrum_numbers.entry(sub).or_insert(next as u32) as usize;
        if number == next {
            self.spectra.push(Spectrum::default());
        }
        number
    }

    /// Whether trees of a subproblem's minimum cost within its size have exactly its size.
    fn exact_size(&mut self, sub: &EnumerationSubproblem, minimum: Cost) -> Result<bool, Stopped> {
        let one_shape = sub.shape == ANY_SHAPE || sub.size <= MAX_SIZE_OF_ONE_SHAPE;
        if !(self.request.options.tight_bounds && one_shape) {
            return Ok(false);
        }
        let any = sub.size == ANY_SIZE || self.request.minimum_size;
        Ok(any || self.bound(sub, sub.size - 1, minimum)?.is_none())
    }

    /// The minimum cost of the subset within the depth and a number of nodes, if at most `to`.
    fn bound(
        &mut self,
        sub: &EnumerationSubproblem,
        size: u32,
        to: Cost,
    ) -> Result<Option<Cost>, Stopped> {
        let limits =
            Limits { depth: sub.depth, size, min_samples_leaf: self.request.min_samples_leaf };
        let members = self.subsets.get(sub.subset).members.clone();
        let found = self.min_cost.min_cost(&members, limits, to)?;
        self.stats.lower_bounds += found.is_none() as u64;
        Ok(found)
    }
}
