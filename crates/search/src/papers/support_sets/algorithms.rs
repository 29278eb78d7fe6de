//! A best tree of size, or depth, at most s: Theorem 8 (Algorithms 3 and 4, minDT and minDTS).
//!
//! The features F of a best tree are a support set, so they contain a support set S that
//! Corollary 9 lists. While S is not F, the branching set of S contains some feature of F (Lemma
//! 14), and each of its features is tried. So F is reached, and Theorem 4 finds a best tree with
//! the features F. For depth this holds for a tree with fewest features among those of least depth,
//! since other trees may have features that are not useful. F has at most as many features as the
//! tree has nodes.

use super::minimal_support_sets::{SupportSet, SupportSetListing};
use super::search::SupportSetSearch;
use super::shapes_together::ANY;
use crate::support::clock::Grace;
use crate::support::sets::mixed;
use crate::support::size_loop::DecisionResult;
use exactree_model::Tree;
use std::sync::Arc;

impl SupportSetSearch<'_> {
    /// Algorithm 3: a best tree of size (depth) at most s.
    pub(super) fn min_dt(&mut self, s: u32) -> DecisionResult {
        let (mut best, mut limit) = (None, s);
        let mut listing = SupportSetListing::new(self.examples.features, self.max_features(s));
        while let Some(set) = self.next_support_set(&mut listing)? {
            self.stats.support_sets += 1;
            if let Some(tree) = self.min_dts(&set, limit)? {
                let Some(smaller) = self.minimize.of(&tree).checked_sub(1) else {
                    return Ok(Some(tree));
                };
                (best, limit) = (Some(tree), smaller);
                if self.options.first_found {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Algorithm 4: a best tree of size (depth) at most s that uses all features of S.
    fn min_dts(&mut self, set: &SupportSet, s: u32) -> DecisionResult {
        if set.len() > self.max_features(s) {
            return Ok(None);
        }
        self.cache.keep_only(&ANY);
        if self.options.nodes_outside {
            return self.tree_around(set, s);
        }
        let (mut best, mut limit) = (self.best_with(set, s)?, s);
        let mut larger = Vec::new();
        if set.len() < self.max_features(s) {
            let branching = self.branching_set(set);
            larger = set.with_each(&branching, self.options.tried_features);
        }
        for set in larger {
            if let Some(tree) = &best {
                match self.minimize.of(tree).checked_sub(1) {
                    Some(smaller) if !self.options.first_found => limit = smaller,
                    _ => break,
                }
            }
            self.stats.larger_sets += 1;
            best = self.min_dts(&set, limit)?.or(best);
        }
        Ok(best)
    }

    /// Replaces every node by one of its subtrees if that subtree classifies the node's subset:
    /// trees of minimum depth may have such nodes beside the longest path.
    ///
    /// The items of all classes are interleaved, so a subtree that does not classify a subset fails
    /// early. If the clock has stopped the search, nodes stay once the grace period is over.
    pub(super) fn without_useless_nodes(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        let everything = mixed(self.examples.items).into_iter().map(|item| item as u32).collect();
        let grace = Grace::of(self.clock, self.examples.items, self.examples.features);
        self.without_useless(everything, tree, &grace)
    }

    fn without_useless(&self, e: Vec<u32>, tree: &Arc<Tree>, grace: &Grace<'_>) -> Arc<Tree> {
        let Tree::Node { feature, rank, left, right } = &**tree else { return tree.clone() };
        if grace.is_over() {
            return tree.clone();
        }
        let mut below = vec![left, right];
        while let Some(subtree) = below.pop() {
            if self.classifies(subtree, &e) {
                return self.without_useless(e, subtree, grace);
            }
            if let Tree::Node { left, right, .. } = &**subtree {
                below.extend([left, right]);
            }
        }
        let goes_left = |item: &u32| self.examples.rank(*feature as usize, *item) <= *rank;
        let (on_left, on_right): (Vec<u32>, Vec<u32>) = e.into_iter().partition(goes_left);
        let left = self.without_useless(on_left, left, grace);
        Tree::node(*feature, *rank, left, self.without_useless(on_right, right, grace))
    }

    fn classifies(&self, tree: &Tree, e: &[u32]) -> bool {
        let rank_of = |item: u32| move |f: u32| self.examples.rank(f as usize, item);
        e.iter().all(|&item| tree.predict(rank_of(item)) == self.examples.class(item))
    }
}
