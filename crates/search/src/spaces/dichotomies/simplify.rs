//! Makes a tree smaller without raising its cost: collapses nodes into leaves and replaces nodes by
//! one of their subtrees.

use super::search::DichotomySearch;
use crate::engine::solution::CostedTree;
use crate::support::bits::Bits;
use exactree_model::{Errors, Tree};
use std::sync::Arc;

impl DichotomySearch<'_> {
    /// The simplified tree and its cost, recounted on the examples of a subset.
    ///
    /// Works from the leaves up, so that a node is compared with children that cannot be reduced
    /// further. A leaf or a subtree in place of a node never breaks a limit: there are fewer nodes,
    /// and leaves gain rows.
    pub(super) fn simplified(&self, members: &Bits, tree: &Arc<Tree>) -> CostedTree {
        let leaf = self.leaf_of(members);
        let Tree::Node { feature, left, right, .. } = &**tree else { return leaf };
        let (on_left, on_right) = self.routed(members, *feature);
        let (left_cost, left) = self.simplified(&on_left, left);
        let (right_cost, right) = self.simplified(&on_right, right);
        let node_cost = left_cost + right_cost;
        let children = [&left, &right].map(|child| self.refitted(members, child));
        let others = children.into_iter().chain([leaf]).filter(|(cost, _)| *cost <= node_cost);
        match others.min_by_key(|(cost, tree)| (*cost, tree.size())) {
            // A replacement may have become reducible on its new examples.
            Some((_, replacement)) if replacement.size() > 0 => {
                self.simplified(members, &replacement)
            }
            Some(leaf) => leaf,
            None => (node_cost, Tree::node(*feature, 0, left, right)),
        }
    }

    /// The tree with the same rules for other examples: leaf classes are recomputed, and rules
    /// that do not split their examples are removed.
    fn refitted(&self, members: &Bits, tree: &Arc<Tree>) -> CostedTree {
        let Tree::Node { feature, left, right, .. } = &**tree else {
            return self.leaf_of(members);
        };
        let (on_left, on_right) = self.routed(members, *feature);
        if on_left.count() == 0 {
            return self.refitted(members, right);
        }
        if on_right.count() == 0 {
            return self.refitted(members, left);
        }
        let (left_cost, left) = self.refitted(&on_left, left);
        let (right_cost, right) = self.refitted(&on_right, right);
        (left_cost + right_cost, Tree::node(*feature, 0, left, right))
    }

    fn leaf_of(&self, members: &Bits) -> CostedTree {
        let mut weights = self.prepared.totals(members);
        weights.truncate(self.prepared.n_classes);
        let cost = self.objective.leaf(Errors::leaf_errors(&weights));
        (cost, Tree::leaf(Errors::leaf_class(&weights)))
    }

    fn routed(&self, members: &Bits, rule: u32) -> (Bits, Bits) {
        let column = self.prepared.column(rule);
        let pairs = || members.words.iter().zip(column);
        let left = Bits { words: pairs().map(|(mine, left)| mine & left).collect() };
        (left, Bits { words: pairs().map(|(mine, left)| mine & !left).collect() })
    }

    /// Number of rows in the smallest leaf of a tree; rows must be counted.
    pub(super) fn min_leaf_rows(&self, members: &Bits, tree: &Tree) -> u64 {
        match tree {
            Tree::Leaf { .. } => {
                self.prepared.totals(members).get(self.prepared.n_classes).copied().unwrap_or(0)
            }
            Tree::Node { feature, left, right, .. } => {
                let (on_left, on_right) = self.routed(members, *feature);
                self.min_leaf_rows(&on_left, left).min(self.min_leaf_rows(&on_right, right))
            }
        }
    }
}
