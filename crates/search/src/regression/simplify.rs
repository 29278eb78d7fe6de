//! Makes a tree smaller without raising its cost by more than rounding: collapses nodes into leaves
//! and replaces nodes by one of their subtrees.

use super::search::RegressionSearch;
use super::stump::CostedTree;
use super::subset::RegressionSubset;
use super::units::Deviation;
use crate::engine::subset::Rule;
use exactree_model::{Cost, Tree};
use std::sync::Arc;

/// The left and the right child of a rule.
fn routed(
    search: &RegressionSearch<'_>,
    slots: &[u32],
    feature: u32,
    rank: u32,
) -> (Vec<u32>, Vec<u32>) {
    let ranks = &search.prepared.features[feature as usize].ranks;
    slots.iter().partition(|&&slot| ranks[slot as usize] <= rank)
}

impl RegressionSearch<'_> {
    /// The simplified tree and its cost.
    pub fn simplified(&self, subset: &RegressionSubset, tree: &Arc<Tree>) -> CostedTree {
        let slots: Vec<u32> = subset.members.iter().collect();
        self.simplified_on(&slots, tree)
    }

    fn simplified_on(&self, slots: &[u32], tree: &Arc<Tree>) -> CostedTree {
        let leaf = (self.leaf_of(slots), Tree::leaf(0));
        let Tree::Node { feature, rank, left, right } = &**tree else { return leaf };
        let (left_slots, right_slots) = routed(self, slots, *feature, *rank);
        let left = self.simplified_on(&left_slots, left);
        let right = self.simplified_on(&right_slots, right);
        let node = left.0 + right.0;
        let maximum = node + self.rounding(left.1.size() + right.1.size() + 2);
        let children = [&left.1, &right.1].map(|child| self.refitted(slots, child));
        let replacements = children.into_iter().chain([leaf]).filter(|(cost, _)| *cost <= maximum);
        match replacements.min_by_key(|(cost, tree)| (tree.size(), *cost)) {
            Some(replacement) if replacement.1.size() > 0 => {
                self.simplified_on(slots, &replacement.1)
            }
            Some(leaf) => leaf,
            None => (node, Tree::node(*feature, *rank, left.1, right.1)),
        }
    }

    /// Maximum change of the cost of a tree with this many leaves by rounding alone.
    fn rounding(&self, leaves: u32) -> Cost {
        match self.prepared.units.deviation {
            Deviation::Squared => 4 * Cost::from(leaves),
            Deviation::Absolute => 0,
            Deviation::Classes => {
                (self.prepared.units.error_per_leaf() * f64::from(leaves)).ceil() as Cost
            }
        }
    }

    /// The tree with the same rules for other items; rules that do not split them are removed.
    fn refitted(&self, slots: &[u32], tree: &Arc<Tree>) -> CostedTree {
        let Tree::Node { feature, rank, left, right } = &**tree else {
            return (self.leaf_of(slots), Tree::leaf(0));
        };
        let (left_slots, right_slots) = routed(self, slots, *feature, *rank);
        if left_slots.is_empty() {
            return self.refitted(slots, right);
        }
        if right_slots.is_empty() {
            return self.refitted(slots, left);
        }
        let (left_cost, left) = self.refitted(&left_slots, left);
        let (right_cost, right) = self.refitted(&right_slots, right);
        // Smoothed leaves that were pure may each cost as much as the whole table here.
        (left_cost.saturating_add(right_cost), Tree::node(*feature, *rank, left, right))
    }

    fn leaf_of(&self, slots: &[u32]) -> Cost {
        self.price + super::subset::leaf_of(self.prepared, slots.iter().copied())
    }

    /// Number of rows in the smallest leaf of a tree.
    pub fn min_leaf_rows(&self, subset: &RegressionSubset, tree: &Tree) -> u64 {
        let slots: Vec<u32> = subset.members.iter().collect();
        self.min_leaf_rows_of(&slots, tree)
    }

    fn min_leaf_rows_of(&self, slots: &[u32], tree: &Tree) -> u64 {
        match tree {
            Tree::Leaf { .. } => {
                slots.iter().map(|&slot| self.prepared.items[slot as usize].rows).sum()
            }
            Tree::Node { feature, rank, left, right } => {
                let (left_slots, right_slots) = routed(self, slots, *feature, *rank);
                self.min_leaf_rows_of(&left_slots, left)
                    .min(self.min_leaf_rows_of(&right_slots, right))
            }
        }
    }

    /// The rule of a subset that has this feature and rank, if it splits it.
    pub fn rule_of(&self, subset: &RegressionSubset, feature: usize, rank: u32) -> Option<Rule> {
        let rules = subset.rules(self.prepared, feature, false);
        let at = rules.ends.partition_point(|end| end.rank <= rank).checked_sub(1)?;
        Some(rules.get(at))
    }
}
