//! Accelerators beyond the paper: a cache, a bound by classes, and thresholds found without a
//! complete bisection. The symbols are those of `algorithms.rs`. A threshold is *feasible* if its
//! left child has a tree of at most j nodes within the leaf limits r.

use super::request::LeafLimits;
use super::search::ThresholdSearch;
use crate::support::bits::Bits;
use crate::support::clock::Stopped;
use exactree_model::Tree;
use std::sync::Arc;

impl ThresholdSearch<'_> {
    /// The result of Algorithm 1, if the cache has it: a smallest tree within the limits, or with
    /// `first_found` any such tree; the inner `None` if there is no such tree.
    pub(super) fn cached(&mut self, e: &Bits, s: u32, r: &LeafLimits) -> Option<Option<Arc<Tree>>> {
        if !self.options.cache {
            return None;
        }
        self.stats.cache_lookups += 1;
        let solution = self.cache.solution(e, r, s, !self.options.first_found)?;
        self.stats.cache_hits += 1;
        Some(solution)
    }

    pub(super) fn store(&mut self, e: &Bits, s: u32, r: &LeafLimits, sdt: &Option<Arc<Tree>>) {
        if !self.options.cache {
            return;
        }
        match sdt {
            None => self.cache.record_infeasible(e, r, s),
            Some(tree) => {
                self.cache.record_tree(e, r, tree.size(), tree, !self.options.first_found);
            }
        }
    }

    /// Whether s nodes or the leaf limits do not permit a leaf for every class of E. A tree without
    /// errors needs these leaves, and a tree of s nodes has s + 1 leaves.
    pub(super) fn too_few_leaves(&mut self, e: &Bits, s: u32, r: &LeafLimits) -> bool {
        let too_few = self.options.class_count
            && (self.examples.classes_in(e).count() > s as usize + 1
                || self.examples.classes_in(e).any(|class| !self.leaf_allowed(class, r)));
        self.stats.class_count += u64::from(too_few);
        too_few
    }

    /// The largest feasible threshold, by Algorithm 2; `None` if a child would be empty or if a
    /// smaller j gave the same threshold.
    pub(super) fn threshold(
        &mut self,
        e: &Bits,
        domain: &[u32],
        i: usize,
        j: u32,
        r: &LeafLimits,
        hints: &mut ThresholdHints,
    ) -> Result<Option<u32>, Stopped> {
        // With the same leaf limits, a larger j has at least as many feasible thresholds. If it has
        // no more, the same split was tried with fewer nodes on the left and more on the right, so
        // a tree with this j cannot be smaller.
        let before = hints.get(r).filter(|_| self.options.fewer_nodes);
        let feasible = match j == 0 && self.options.pure_runs {
            true => self.pure_runs(e, domain, i, r),
            false => self.binary_search(e, domain, (i, j), r, before.unwrap_or(0))?,
        };
        hints.set(r, feasible);
        if before == Some(feasible) {
            self.stats.fewer_nodes += 1;
            return Ok(None);
        }
        Ok((feasible > 0 && feasible < domain.len()).then(|| domain[feasible - 1]))
    }

    /// The number of feasible thresholds for j = 0, where the left child must have one class. It is
    /// the class of an example with the smallest value; the thresholds are the values below those
    /// of all examples of other classes.
    fn pure_runs(&self, e: &Bits, domain: &[u32], i: usize, r: &LeafLimits) -> usize {
        let rank = |item: &u32| self.examples.rank(i, *item);
        let Some(first) = e.iter().min_by_key(rank) else { return 0 };
        let class = self.examples.class(first);
        if !self.leaf_allowed(class, r) {
            return 0;
        }
        let others = e.iter().filter(|&item| self.examples.class(item) != class);
        let first_other = others.map(|item| rank(&item)).min().unwrap_or(u32::MAX);
        domain.partition_point(|&t| t < first_other)
    }
}

/// For one subset and feature, the number of feasible thresholds for the largest j tried so far, by
/// the leaf limits of the left child.
#[derive(Default)]
pub(super) struct ThresholdHints(Vec<(LeafLimits, usize)>);

impl ThresholdHints {
    fn get(&self, r: &LeafLimits) -> Option<usize> {
        self.0.iter().find(|(leaves, _)| leaves == r).map(|(_, feasible)| *feasible)
    }

    fn set(&mut self, r: &LeafLimits, feasible: usize) {
        match self.0.iter_mut().find(|(leaves, _)| leaves == r) {
            Some((_, before)) => *before = feasible,
            None => self.0.push((r.clone(), feasible)),
        }
    }
}
