//! What is beyond the paper: a memo, a bound by classes, and thresholds found
//! without a whole bisection.

use super::algorithms::{Leaves, Search};
use crate::bits::Bits;
use crate::limits::Stopped;
use exactree_model::Tree;
use std::sync::Arc;

impl Search<'_> {
    /// The answer of Algorithm 1, if the memo has it: any tree that is small
    /// enough, or, as printed, a smallest one.
    pub(super) fn remembered(&mut self, e: &Bits, s: u32, r: &Leaves) -> Option<Option<Arc<Tree>>> {
        if !self.options.threshold_memo {
            return None;
        }
        self.stats.memo_lookups += 1;
        let answer = self.memo.answer(e, r, s, !self.options.first_found)?;
        self.stats.memo_hits += 1;
        Some(answer)
    }

    pub(super) fn remember(&mut self, e: &Bits, s: u32, r: &Leaves, sdt: &Option<Arc<Tree>>) {
        if !self.options.threshold_memo {
            return;
        }
        match sdt {
            None => self.memo.no_tree(e, r, s),
            Some(tree) => {
                self.memo.a_tree(e, r, tree.size(), tree, !self.options.first_found);
            }
        }
    }

    /// Whether s nodes are too few, or the leaves allowed: a tree without errors
    /// has a leaf for every class of E, and s + 1 leaves in all.
    pub(super) fn too_few_leaves(&mut self, e: &Bits, s: u32, r: &Leaves) -> bool {
        let too_few = self.options.class_leaves
            && (self.examples.classes_in(e).count() > s as usize + 1
                || self.examples.classes_in(e).any(|class| !self.leaf_allowed(class, r)));
        self.stats.class_leaves += u64::from(too_few);
        too_few
    }

    /// The threshold of Algorithm 2, if it leaves something on both sides and was
    /// not tried before.
    pub(super) fn threshold(
        &mut self,
        e: &Bits,
        domain: &[u32],
        i: usize,
        j: u32,
        r: &Leaves,
        found: &mut Found,
    ) -> Result<Option<u32>, Stopped> {
        // More nodes, with the same leaves, serve at least as many values. Where
        // they serve no more, fewer nodes on the left left more to the same right
        // side, which had no tree, or one that is no larger.
        let before = found.with(r).filter(|_| self.options.fewer_nodes);
        let works = match j == 0 && self.options.one_class_run {
            true => self.one_class_run(e, domain, i, r),
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
    /// below every value of another class than that of an example of the least value.
    fn one_class_run(&self, e: &Bits, domain: &[u32], i: usize, r: &Leaves) -> usize {
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

/// For one part and feature, how many values worked with the most nodes tried so
/// far, by the leaves allowed on the left.
#[derive(Default)]
pub struct Found(Vec<(Leaves, usize)>);

impl Found {
    fn with(&self, r: &Leaves) -> Option<usize> {
        self.0.iter().find(|(leaves, _)| leaves == r).map(|(_, works)| *works)
    }

    fn set(&mut self, r: &Leaves, works: usize) {
        match self.0.iter_mut().find(|(leaves, _)| leaves == r) {
            Some((_, before)) => *before = works,
            None => self.0.push((r.clone(), works)),
        }
    }
}
