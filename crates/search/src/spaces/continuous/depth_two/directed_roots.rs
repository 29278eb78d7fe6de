//! Roots of depth-two trees on features with a direction.
//!
//! A relaxation of monotone trees of two classes in which leaves may predict either class. A stump on
//! a feature with a direction predicts the earlier class on one side only (`evaluator.rs`), because
//! equal leaves are no better than a single leaf. Let the root split on an increasing feature f. For
//! equal values of all other features the left child must not predict the later class where the right
//! child predicts the earlier class. If both children have stumps with different leaves, on features g
//! and h other than f, then unless g = h some such point exists: choose the values of g and h freely.
//! With a stump on f itself, the left child predicts the later class just left of the threshold, or the
//! right child the earlier class just right of it, for all values of other features. So one of these
//! holds:
//!
//! - the left child is a leaf of the earlier class, and the right child is any tree;
//! - the right child is a leaf of the later class, and the left child is any tree;
//! - both children have stumps on the same feature with the leaves in the same order, and the left one
//!   predicts the later class only where the right one does.
//!
//! The minimum cost over these cases does not fall when items are added, as every case is a sum of
//! costs of leaves with given classes, and it rises by at most the weight of the items added. So the
//! bounds of `engine/intervals.rs` hold. For a decreasing feature the children are exchanged.

use crate::engine::rules::Rule;
use crate::engine::solution::CostedTree;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

/// Weights of the earlier and of the later class.
type TwoWeights = [Weight; 2];

/// A stump in each child on the same feature.
struct StumpPair {
    errors: Weight,
    feature: usize,
    /// By child.
    ranks: [u32; 2],
    /// The class of the left leaves.
    class: u32,
}

impl ContinuousSearch<'_, '_> {
    /// Whether the root of a depth-two tree is evaluated by `directed_root`. With a minimum leaf size
    /// only stumps are restricted.
    pub(super) fn is_directed(&self, rule: &Rule, limits: Limits) -> bool {
        limits.min_samples_leaf == 1
            && self.space.directions.is_some_and(|directions| {
                directions.roots && directions.by_feature[rule.feature] != 0
            })
    }

    /// Minimum cost over the cases above, and its tree.
    pub(super) fn directed_root(
        &self,
        subset: &ContinuousSubset,
        rule: &Rule,
        share: (u32, u32),
    ) -> CostedTree {
        let directions = self.space.directions.expect("the rule has a direction").by_feature;
        let children = self.children_of(subset, rule);
        let sizes = [share.0, share.1];
        let node = |trees: [Arc<Tree>; 2]| {
            let [left, right] = trees;
            Tree::node(rule.feature as u32, rule.rank, left, right)
        };
        // The child that must not predict the later class where the other child predicts the earlier.
        let low = usize::from(directions[rule.feature] < 0);
        let mut best: (Cost, Option<Arc<Tree>>) = (UNBOUNDED, None);
        for (fixed, class) in [(low, 0), (1 - low, 1)] {
            let weights = two_weights(&children[fixed]);
            let leaf = self.space.objective.leaf(weights[1 - class]);
            let (cost, tree) = self.leaf_or_stump(&children[1 - fixed], sizes[1 - fixed], 1);
            let total = self.space.objective.join(leaf, cost);
            if total < best.0 {
                let mut trees = [Tree::leaf(class as u32), tree];
                if fixed == 1 {
                    trees.swap(0, 1);
                }
                best = (total, Some(node(trees)));
            }
        }
        if sizes[0] > 0
            && sizes[1] > 0
            && let Some(pair) = self.best_pair(subset, rule, low, &children, directions)
        {
            let leaves = self.space.objective.join(self.stump_cost(0), self.stump_cost(0));
            let total = pair.errors * self.space.objective.error_price + leaves;
            if total < best.0 {
                let stump = |rank: u32| {
                    let (left, right) = (Tree::leaf(pair.class), Tree::leaf(1 - pair.class));
                    Tree::node(pair.feature as u32, rank, left, right)
                };
                best = (total, Some(node(pair.ranks.map(stump))));
            }
        }
        let cost = best.0 + offset(Mutant::MonotoneStumps) * (1 + best.0 / 8);
        (cost, best.1.expect("a leaf of either class is a child"))
    }

    /// The best stumps in both children on the same feature, with the leaves in the same order; `low`
    /// predicts the later class only where the other child does.
    fn best_pair(
        &self,
        subset: &ContinuousSubset,
        rule: &Rule,
        low: usize,
        children: &[ContinuousSubset; 2],
        directions: &[i8],
    ) -> Option<StumpPair> {
        let layout = self.space.layout;
        let totals = [two_weights(&children[0]), two_weights(&children[1])];
        let mut best: Option<StumpPair> = None;
        for feature in (0..layout.features.len()).filter(|&feature| feature != rule.feature) {
            let allowed = [directions[feature] >= 0, directions[feature] <= 0];
            let mut left: [TwoWeights; 2] = [[0; 2]; 2];
            // By order of the leaves, the best stump so far in the child whose threshold is smaller.
            let mut first: [Option<(Weight, u32)>; 2] = [None; 2];
            for pair in subset.sorted.order(feature).windows(2) {
                let slot = pair[0].slot as usize;
                let child = usize::from(children[1].members.contains(slot as u32));
                left[child][layout.class[slot] as usize] += subset.weight_of(layout, slot);
                if pair[0].rank == pair[1].rank {
                    continue;
                }
                let errors = |child: usize, class: usize| {
                    let right = totals[child][class] - left[child][class];
                    left[child][1 - class] + right
                };
                for class in (0..2).filter(|&class| allowed[class]) {
                    // With the earlier class left, `low` predicts the later class from its threshold
                    // on, so the other child has the smaller threshold; otherwise `low` has it.
                    let smaller = if class == 0 { 1 - low } else { low };
                    let here = (errors(smaller, class), pair[0].rank);
                    if first[class].is_none_or(|(errors, _)| here.0 < errors) {
                        first[class] = Some(here);
                    }
                    let (other, rank) = first[class].expect("set above");
                    let errors = other + errors(1 - smaller, class);
                    if best.as_ref().is_none_or(|best| errors < best.errors) {
                        let mut ranks = [rank, pair[0].rank];
                        if smaller == 1 {
                            ranks.swap(0, 1);
                        }
                        best = Some(StumpPair { errors, feature, ranks, class: class as u32 });
                    }
                }
            }
        }
        best
    }
}

fn two_weights(subset: &ContinuousSubset) -> TwoWeights {
    [subset.class_weights[0], subset.class_weights[1]]
}
