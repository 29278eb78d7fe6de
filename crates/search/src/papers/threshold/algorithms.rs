//! Algorithms 1 and 2: decide whether there is a tree of size at most s for E.
//!
//! If the left child of a node has a tree of size j, so has every subset of it, and a smaller
//! threshold makes the right child larger. So for each feature and each j the largest threshold
//! that admits a tree of size j on the left is best, and binary search finds it. The same holds if
//! leaves are limited: a smaller child needs no more leaves of any class.
//!
//! Symbols are those of the paper: E is a subset of the examples, i a feature, t a threshold, s the
//! maximum size of a tree for E, j that of its left subtree, r the leaf limits (the paper's R), sdt
//! a smallest tree found so far. The domain of a feature is its values in E, as ranks.
//!
//! Departures from the paper are those of the specification: there is a leaf for every uniform E,
//! no threshold with an empty child, and no threshold if no left child has a tree.

use super::request::LeafLimits;
use super::search::ThresholdSearch;
use super::shortcuts::ThresholdHints;
use crate::support::bits::Bits;
use crate::support::clock::Stopped;
use crate::support::size_loop::DecisionResult;
use exactree_model::Tree;
use std::sync::Arc;

impl ThresholdSearch<'_> {
    /// A tree of size s for the whole table, if there is one; there must be no smaller one.
    pub(super) fn tree_of_size(&mut self, s: u32) -> DecisionResult {
        let r: LeafLimits = self.limited.iter().map(|(_, maximum)| *maximum).collect();
        self.smallest_decision_tree(&self.examples.everything(), s, &r)
    }

    /// Whether a leaf of a class is allowed.
    pub(super) fn leaf_allowed(&self, class: u32, r: &LeafLimits) -> bool {
        self.limited.iter().zip(r).all(|(&(limited, _), &maximum)| limited != class || maximum > 0)
    }

    /// Algorithm 1: a smallest tree of size at most s that classifies E.
    ///
    /// With `first_found` any tree of size at most s: the outer loop has refuted all smaller sizes,
    /// so it still ends with a smallest tree, and inside it only the existence of trees matters.
    pub(super) fn smallest_decision_tree(
        &mut self,
        e: &Bits,
        s: u32,
        r: &LeafLimits,
    ) -> DecisionResult {
        if let Some(class) = self.examples.uniform(e) {
            return Ok(self.leaf_allowed(class, r).then(|| Tree::leaf(class)));
        }
        if s == 0 || self.too_few_leaves(e, s, r) {
            return Ok(None);
        }
        if let Some(solution) = self.cached(e, s, r) {
            return Ok(solution);
        }
        self.clock.check()?;
        self.stats.calls += 1;
        let sdt = self.smallest_split(e, s, r)?;
        self.store(e, s, r, &sdt);
        Ok(sdt)
    }

    /// The loops of Algorithm 1, for an E of several classes.
    fn smallest_split(&mut self, e: &Bits, s: u32, r: &LeafLimits) -> DecisionResult {
        let mut sdt: Option<Arc<Tree>> = None;
        for i in 0..self.examples.features {
            let domain = self.examples.domain(e, i);
            let mut hints = ThresholdHints::default();
            for j in 0..s {
                for (left_r, right_r) in shares(r, j) {
                    let Some(t) = self.threshold(e, &domain, i, j, &left_r, &mut hints)? else {
                        continue;
                    };
                    let (left, right) = self.examples.split(e, i, t);
                    let right = self.smallest_decision_tree(&right, s - j - 1, &right_r)?;
                    let Some(right_tree) = right else { continue };
                    let left = self.smallest_decision_tree(&left, j, &left_r)?;
                    let Some(left_tree) = left else { continue };
                    let dt = Tree::node(i as u32, t, left_tree, right_tree);
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

    /// Algorithm 2: the number of values t of the domain, from the smallest on, for which E[i ≤ t]
    /// has a tree of size at most j. For the first `minimum` of them this is already known.
    pub(super) fn binary_search(
        &mut self,
        e: &Bits,
        domain: &[u32],
        (i, j): (usize, u32),
        r: &LeafLimits,
        minimum: usize,
    ) -> Result<usize, Stopped> {
        self.stats.bisections += 1;
        // The first `low` values are feasible, those from `high` on are not.
        let (mut low, mut high) = (minimum, domain.len());
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
}

/// The ways to divide the leaf limits among a left child of j nodes, which has at most j + 1
/// leaves, and a right child.
fn shares(r: &LeafLimits, j: u32) -> Vec<(LeafLimits, LeafLimits)> {
    let mut found = vec![(LeafLimits::new(), LeafLimits::new())];
    for &maximum in r {
        let shared = found.iter().flat_map(|(left, right)| {
            (0..=maximum.min(j.saturating_add(1))).map(move |share| {
                let (mut left, mut right) = (left.clone(), right.clone());
                left.push(share);
                right.push(maximum - share);
                (left, right)
            })
        });
        found = shared.collect();
    }
    found
}
