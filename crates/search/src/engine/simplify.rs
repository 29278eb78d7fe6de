//! Makes a tree smaller without raising its cost: collapses nodes into leaves and replaces nodes by
//! one of their subtrees.

use crate::engine::children::join;
use crate::engine::solution::CostedTree;
use crate::engine::space::{Search, Space, SubsetOf, TableCosts};
use crate::engine::subset::SearchTable;
use exactree_model::{Cost, Tree, UNBOUNDED};
use std::cmp::Reverse;
use std::sync::Arc;

impl<S: Space + TableCosts> Search<'_, S> {
    /// The simplified tree and its cost, recounted on these slots.
    ///
    /// Works from the leaves up, so that a node is compared with children that
    /// cannot be reduced further. A leaf or a subtree in place of a node never
    /// breaks a limit: there are fewer nodes, and leaves gain rows.
    ///
    /// Costs that differ by rounding alone count as equal; of equal costs the smaller tree is
    /// taken.
    pub(crate) fn simplified(&self, slots: &[u32], tree: &Arc<Tree>) -> CostedTree {
        let leaf = self.space.leaf_of(slots);
        let Tree::Node { feature, rank, left, right } = &**tree else { return leaf };
        let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
        let (left_cost, left) = self.simplified(&left_slots, left);
        let (right_cost, right) = self.simplified(&right_slots, right);
        let node_cost = join(left_cost, right_cost);
        let rounding = self.space.rounding(left.size() + right.size() + 2);
        let maximum = join(node_cost, rounding);
        let children = [&left, &right].map(|child| self.refitted(slots, child, maximum));
        let leaf = Some(leaf).filter(|(cost, _)| *cost <= maximum);
        let replacements = children.into_iter().flatten().chain(leaf);
        let gain = |cost: Cost| node_cost.saturating_sub(join(cost, rounding));
        match replacements.min_by_key(|(cost, tree)| (Reverse(gain(*cost)), tree.size(), *cost)) {
            // A replacement may have become reducible on its new items.
            Some((_, replacement)) if replacement.size() > 0 => {
                self.simplified(slots, &replacement)
            }
            Some(leaf) => leaf,
            None => (node_cost, Tree::node(*feature, *rank, left, right)),
        }
    }

    /// Whether a tree for these items costs this much, up to rounding.
    pub(crate) fn agrees(&self, slots: &[u32], tree: &Arc<Tree>, cost: Cost) -> bool {
        let rounding = self.space.rounding(tree.size() + 1);
        let recounted = self.refitted(slots, tree, UNBOUNDED);
        recounted.is_some_and(|(recounted, _)| recounted.abs_diff(cost) <= rounding)
    }

    /// The tree with the same rules for other items: leaf classes are recomputed, rules that do not
    /// split their items are removed. `None` as soon as it costs more than `maximum`.
    pub(crate) fn refitted(
        &self,
        slots: &[u32],
        tree: &Arc<Tree>,
        maximum: Cost,
    ) -> Option<CostedTree> {
        let Tree::Node { feature, rank, left, right } = &**tree else {
            return Some(self.space.leaf_of(slots)).filter(|(cost, _)| *cost <= maximum);
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
        Some((join(left_cost, right_cost), Tree::node(*feature, *rank, left, right)))
    }

    pub(crate) fn routed(&self, slots: &[u32], feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        self.space.table().route(slots, feature, rank)
    }

    /// Number of rows of a subset in the smallest leaf of a tree.
    pub(crate) fn min_leaf_rows(&self, subset: &SubsetOf<S>, tree: &Tree) -> u64 {
        let slots: Vec<u32> = subset.members.iter().collect();
        self.min_leaf_rows_of(&slots, tree)
    }

    pub(crate) fn min_leaf_rows_of(&self, slots: &[u32], tree: &Tree) -> u64 {
        match tree {
            Tree::Leaf { .. } => {
                slots.iter().map(|&slot| self.space.table().rows(slot as usize)).sum()
            }
            Tree::Node { feature, rank, left, right } => {
                let (left_slots, right_slots) = self.routed(slots, *feature, *rank);
                self.min_leaf_rows_of(&left_slots, left)
                    .min(self.min_leaf_rows_of(&right_slots, right))
            }
        }
    }
}
