//! Algorithms 1 and 2: "is there a tree of size at most s for E?"
//!
//! The idea: if the left side of a node has a tree of size j, so has every
//! smaller left side, and the right side only grows with it. So for each feature
//! and each j the largest threshold that still admits a tree of size j on the
//! left is best, and binary search finds it. The same holds for a share of the
//! allowed leaves: a smaller side needs no more leaves of any class.
//!
//! Departures from the print are those of the specification: a leaf for every
//! uniform E, no threshold with an empty side, and below the smallest value
//! (here: no threshold) where no left side has a tree.

use super::shortcuts::Found;
use super::{ThresholdOptions, ThresholdRequest, ThresholdStats};
use crate::bits::Bits;
use crate::climb::Answer;
use crate::examples::Examples;
use crate::limits::{Clock, Stopped};
use crate::part_memo::PartMemo;
use exactree_model::Tree;
use std::sync::Arc;

/// Leaves allowed of every limited class: the paper's R.
pub type Leaves = Vec<u32>;

/// One search: the examples, what is remembered, what is counted.
pub struct Search<'a> {
    pub(super) examples: &'a Examples,
    pub(super) options: &'a ThresholdOptions,
    /// Classes whose leaves are limited, and the leaves allowed of each.
    limited: &'a [(u32, u32)],
    clock: &'a Clock<'a>,
    pub(super) memo: PartMemo<Leaves>,
    pub(super) stats: ThresholdStats,
}

impl<'a> Search<'a> {
    pub fn new(
        examples: &'a Examples,
        request: &'a ThresholdRequest,
        clock: &'a Clock<'a>,
    ) -> Self {
        Search {
            examples,
            options: &request.options,
            limited: &request.leaves,
            clock,
            memo: PartMemo::new(examples.items, request.memory_limit),
            stats: ThresholdStats::default(),
        }
    }

    /// A tree of the whole table of size s; there must be no smaller one.
    pub fn tree_of_size(&mut self, s: u32) -> Answer {
        let r: Leaves = self.limited.iter().map(|(_, most)| *most).collect();
        self.smallest_decision_tree(&self.examples.everything(), s, &r)
    }

    /// Whether a leaf of a class is allowed.
    pub(super) fn leaf_allowed(&self, class: u32, r: &Leaves) -> bool {
        self.limited.iter().zip(r).all(|(&(limited, _), &most)| limited != class || most > 0)
    }

    /// Algorithm 1: a smallest tree of size at most s that classifies E.
    ///
    /// With `first_found` any such tree: where a size was refuted, all smaller
    /// ones were, so the outer loop still ends with a smallest tree, and inside it
    /// only whether there is a tree decides.
    pub(super) fn smallest_decision_tree(&mut self, e: &Bits, s: u32, r: &Leaves) -> Answer {
        if let Some(class) = self.examples.uniform(e) {
            return Ok(self.leaf_allowed(class, r).then(|| Tree::leaf(class)));
        }
        if s == 0 || self.too_few_leaves(e, s, r) {
            return Ok(None);
        }
        if let Some(answer) = self.remembered(e, s, r) {
            return Ok(answer);
        }
        self.clock.check()?;
        self.stats.calls += 1;
        let sdt = self.smallest_division(e, s, r)?;
        self.remember(e, s, r, &sdt);
        Ok(sdt)
    }

    /// The loops of Algorithm 1, for an E of several classes.
    fn smallest_division(&mut self, e: &Bits, s: u32, r: &Leaves) -> Answer {
        let mut sdt: Option<Arc<Tree>> = None;
        for i in 0..self.examples.features {
            let domain = self.examples.domain(e, i);
            let mut found = Found::default();
            for j in 0..s {
                for (left_r, right_r) in shares(r, j) {
                    let Some(t) = self.threshold(e, &domain, i, j, &left_r, &mut found)? else {
                        continue;
                    };
                    let (left, right) = self.examples.divide(e, i, t);
                    let Some(r) = self.smallest_decision_tree(&right, s - j - 1, &right_r)? else {
                        continue;
                    };
                    let Some(l) = self.smallest_decision_tree(&left, j, &left_r)? else { continue };
                    let dt = Tree::node(i as u32, t, l, r);
                    if self.options.first_found {
                        return Ok(Some(dt));
                    }
                    if sdt.as_ref().is_none_or(|sdt| dt.size() < sdt.size()) {
                        sdt = Some(dt);
                    }
                }
            }
        }
        Ok(sdt)
    }

    /// Algorithm 2: how many of the values t of the domain, from the smallest on,
    /// are known to leave E[i ≤ t] with a tree of size at most j. `least` of them
    /// are known to beforehand.
    pub(super) fn binary_search(
        &mut self,
        e: &Bits,
        domain: &[u32],
        (i, j): (usize, u32),
        r: &Leaves,
        least: usize,
    ) -> Result<usize, Stopped> {
        self.stats.bisections += 1;
        // The first `low` values work, those from `high` on do not.
        let (mut low, mut high) = (least, domain.len());
        while low < high {
            let m = (low + high) / 2;
            let left = self.examples.left(e, i, domain[m]);
            if self.smallest_decision_tree(&left, j, r)?.is_some() {
                low = m + 1;
            } else {
                high = m;
            }
        }
        Ok(low)
    }

    pub fn stats(self) -> ThresholdStats {
        ThresholdStats {
            memo_entries: self.memo.len() as u64,
            memo_evicted: self.memo.evicted,
            ..self.stats
        }
    }
}

/// The ways to share the allowed leaves among a left side of j nodes, which has at
/// most j + 1 leaves, and a right side.
fn shares(r: &Leaves, j: u32) -> Vec<(Leaves, Leaves)> {
    let mut found = vec![(Leaves::new(), Leaves::new())];
    for &most in r {
        let shared = found.iter().flat_map(|(left, right)| {
            (0..=most.min(j.saturating_add(1))).map(move |share| {
                let (mut left, mut right) = (left.clone(), right.clone());
                left.push(share);
                right.push(most - share);
                (left, right)
            })
        });
        found = shared.collect();
    }
    found
}
