//! Accelerators beyond the paper: a cache, a bound by classes, and thresholds found without a
//! complete bisection.

use super::algorithms::{LeafLimits, ThresholdSearch};
use crate::support::bits::Bits;
use crate::support::clock::Stopped;
use exactree_model::Tree;
use std::sync::Arc;

impl ThresholdSearch<'_> {
    /// The answer of Algorithm 1, if the cache has it: any tree that is small
    /// enough, or, as printed, a smallest one.
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

    /// Whether s nodes are too few, or the leaves allowed: a tree without errors
    /// has a leaf for every class of E, and s + 1 leaves in all.
    pub(super) fn too_few_leaves(&mut self, e: &Bits, s: u32, r: &LeafLimits) -> bool {
        let too_few = self.options.class_count
            && (self.examples.classes_in(e).count() > s as usize + 1
                || self.examples.classes_in(e).any(|class| !self.leaf_allowed(class, r)));
        self.stats.class_count += u64::from(too_few);
        too_few
    }

    /// The threshold of Algorithm 2, if it leaves something in both children and was
    /// not tried before.
    pub(super) fn threshold(
        &mut self,
        e: &Bits,
        domain: &[u32],
        i: usize,
        j: u32,
        r: &LeafLimits,
        found: &mut ThresholdHints,
    ) -> Result<Option<u32>, Stopped> {
        // More nodes, with the same leaves, serve at least as many values. Where
        // they serve no more, fewer nodes on the left left more to the same right
        // child, which had no tree, or one that is no larger.
        let before = found.with(r).filter(|_| self.options.fewer_nodes);
        let works = match j == 0 && self.options.pure_runs {
            true => self.pure_runs(e, domain, i, r),
            false => self.binary_search(e, domain, (i, j), r, before.unwrap_or(0))?,
        };
        found.set(r, works);
        if before == Some(works) {
            self.stats.fewer_nodes += 1;
            return Ok(None);
        }
        Ok((works > 0 && works < domain.len()).then(|| domain[works - 1]))
    }

    /// How many values of the domain leave nothing but one class on the left: those
    /// below every value of another class than that of an example of the minimum value.
    fn pure_runs(&self, e: &Bits, domain: &[u32], i: usize, r: &LeafLimits) -> usize {
        let rank = |item: &u32| self.examples.rank(i, *item);
        let Some(first) = e.iter().min_by_key(rank) else { return 0 };
        let class = self.examples.class(first);
        if !self.leaf_allowed(class, r) {
            return 0;
        }
        let others = e.iter().filter(|&item| self.examples.class(item) != class);
        let end = others.map(|item| rank(&item)).min().unwrap_or(u32::MAX);
        domain.partition_point(|&t| t < end)
    }
}

/// For one subset and feature, how many values worked with the most nodes tried so
/// far, by the leaves allowed on the left.
#[derive(Default)]
pub struct ThresholdHints(Vec<(LeafLimits, usize)>);

impl ThresholdHints {
    fn with(&self, r: &LeafLimits) -> Option<usize> {
        self.0.iter().find(|(leaves, _)| leaves == r).map(|(_, works)| *works)
    }

    fn set(&mut self, r: &LeafLimits, works: usize) {
        match self.0.iter_mut().find(|(leaves, _)| leaves == r) {
            Some((_, before)) => *before = works,
            None => self.0.push((r.clone(), works)),
        }
    }
}
