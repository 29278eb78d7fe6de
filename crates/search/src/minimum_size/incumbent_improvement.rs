//! Improvement of the first incumbent: minimizes each of its subtrees of few nodes.

use super::decision::SizeDecision;
use super::request::SizeRequest;
use crate::support::clock::Stopped;
use crate::support::sets::{Set, and, members, without};
use crate::support::size_loop::SizedTree;
use exactree_model::{Tree, Weight};
use std::sync::Arc;

/// Maximum number of nodes of the subtrees that are minimized; whether fewer suffice is decided
/// within milliseconds.
const MAX_MINIMIZED_NODES: u32 = 6;

/// Maximum number of subsets whose rules are tried for the improvement: with many errors to share
/// among children, even a few nodes take long.
const MAX_SUBSETS: u64 = 5_000;

impl<const W: usize> SizeDecision<'_, W> {
    /// The given tree of the whole table with smaller subtrees where there are any; the given tree
    /// itself if the clock stops the search, or if it takes too many subsets.
    pub(crate) fn improved_incumbent(
        &mut self,
        (size, tree): SizedTree,
        request: &SizeRequest,
    ) -> SizedTree {
        if !self.options.incumbent_improvement || !request.leaves.is_empty() {
            return (size, tree);
        }
        let everything = self.prepared.all;
        let max_search_nodes = self.max_search_nodes;
        self.max_search_nodes = max_search_nodes.min(self.stats.nodes + MAX_SUBSETS);
        let tree = self.improved(&everything, &tree, request).unwrap_or(tree);
        self.max_search_nodes = max_search_nodes;
        let smaller = u64::from(tree.size());
        self.stats.incumbent_improvement = size - smaller;
        (smaller, tree)
    }

    /// A tree for a subset with at most the nodes and errors of `tree`, within the depth of the
    /// request. It may have more leaves of a class.
    fn improved(
        &mut self,
        set: &Set<W>,
        tree: &Arc<Tree>,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        let Tree::Node { feature, rank, left, right } = &**tree else { return Ok(tree.clone()) };
        if tree.size() <= MAX_MINIMIZED_NODES {
            return self.smallest_replacement(set, tree, request);
        }
        let up_to = self.prepared.up_to(*feature as usize, *rank);
        let request = SizeRequest { depth: request.depth - 1, ..request.clone() };
        let left = self.improved(&and(set, &up_to), left, &request)?;
        let right = self.improved(&without(set, &up_to), right, &request)?;
        Ok(Tree::node(*feature, *rank, left, right))
    }

    /// A smallest tree for a subset with at most the errors of `tree`, within the depth of the
    /// request.
    fn smallest_replacement(
        &mut self,
        set: &Set<W>,
        tree: &Arc<Tree>,
        request: &SizeRequest,
    ) -> Result<Arc<Tree>, Stopped> {
        let request = SizeRequest { errors: self.missed(set, tree), ..request.clone() };
        for size in 0..tree.size() {
            if self.has_tree(set, size, &request)? {
                return self.build(set, size, &request);
            }
        }
        Ok(tree.clone())
    }

    /// Weight of a subset that a tree misclassifies.
    fn missed(&self, set: &Set<W>, tree: &Tree) -> Weight {
        let wrong = |item: &u32| {
            let predicted = tree.predict(|feature| self.prepared.rank(feature as usize, *item));
            predicted != self.prepared.labels[self.prepared.class[*item as usize] as usize]
        };
        members(set).filter(wrong).map(|item| self.prepared.weight[item as usize]).sum()
    }
}
