//! Makes a tree smaller without raising its cost: collapses nodes into leaves and replaces nodes by
//! one of their subtrees.

use crate::engine::search::ContinuousSearch;
use crate::engine::subset::ContinuousSubset;
use exactree_model::{Cost, Errors, Tree};
use std::sync::Arc;

impl ContinuousSearch<'_> {
    /// The simplified tree and its cost, recounted on these slots.
    ///
    /// Works from the leaves up, so that a node is compared with children that
    /// cannot be reduced further. A leaf or a subtree in place of a node never
    /// breaks a limit: there are fewer nodes, and leaves gain rows.
    pub(crate) fn simplified(&self, slots: &[u32], tree: &Arc<Tree>) -> (Cost, Arc<Tree>) {
        let leaf = self.leaf_of(slots);
        let Tree::Node { feature, rank, left, right } = &**tree else { return leaf };
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        let (left_cost, left) = self.simplified(&left_slots, left);
        let (right_cost, right) = self.simplified(&right_slots, right);
        let node_cost = self.objective.join(left_cost, right_cost);
        let children = [&left, &right].map(|child| self.refitted(slots, child, node_cost));
        let replacements =
            children.into_iter().flatten().chain([leaf].into_iter().filter(|l| l.0 <= node_cost));
        match replacements.min_by_key(|(cost, tree)| (*cost, tree.size())) {
            // A replacement may have become reducible on its new items.
            Some((cost, replacement)) if replacement.size() > 0 => {
                let again = self.simplified(slots, &replacement);
                if again.0 <= cost { again } else { (cost, replacement) }
            }
            Some(leaf) => leaf,
            None => (node_cost, Tree::node(*feature, *rank, left, right)),
        }
    }

    /// The tree with the same rules for other items: leaf classes are recomputed, rules that do not
    /// split their items are removed. `None` as soon as it costs more than `maximum`.
    fn refitted(
        &self,
        slots: &[u32],
        tree: &Arc<Tree>,
        maximum: Cost,
    ) -> Option<(Cost, Arc<Tree>)> {
        let Tree::Node { feature, rank, left, right } = &**tree else {
            return Some(self.leaf_of(slots)).filter(|(cost, _)| *cost <= maximum);
        };
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        if left_slots.is_empty() {
            return self.refitted(slots, right, maximum);
        }
        if right_slots.is_empty() {
            return self.refitted(slots, left, maximum);
        }
        let (left_cost, left) = self.refitted(&left_slots, left, maximum)?;
        let (right_cost, right) = self.refitted(&right_slots, right, maximum - left_cost)?;
        Some((left_cost + right_cost, Tree::node(*feature, *rank, left, right)))
    }

    fn leaf_of(&self, slots: &[u32]) -> (Cost, Arc<Tree>) {
        let mut weights = vec![0; self.layout.n_classes];
        for &slot in slots {
            weights[self.layout.class[slot as usize] as usize] += self.layout.weight[slot as usize];
        }
        let cost = self.objective.leaf(Errors::leaf_errors(&weights));
        (cost, Tree::leaf(Errors::leaf_class(&weights)))
    }

    fn routed(&self, slots: &[u32], feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        let ranks = &self.layout.features[feature as usize].ranks;
        slots.iter().partition(|&&slot| ranks[slot as usize] <= rank)
    }

    /// Number of rows in the smallest leaf of a tree.
    pub(crate) fn min_leaf_rows(&self, subset: &ContinuousSubset, tree: &Tree) -> u64 {
        let slots: Vec<u32> = subset.members.iter().collect();
        self.min_leaf_rows_of(&slots, tree)
    }

    fn min_leaf_rows_of(&self, slots: &[u32], tree: &Tree) -> u64 {
        match tree {
            Tree::Leaf { .. } => slots.iter().map(|&slot| self.layout.rows[slot as usize]).sum(),
            Tree::Node { feature, rank, left, right } => {
                let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
                self.min_leaf_rows_of(&left_slots, left)
                    .min(self.min_leaf_rows_of(&right_slots, right))
            }
        }
    }
}
