//! Subproblems with at most two levels left, solved by counts instead of search.

use super::node::{CorrectWeights, NodeCounts};
use super::space::BinarySearch;
use super::subset::BinarySubset;
use crate::engine::columns::ColumnRule;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::kernels::chunks::ChunkLane;
use exactree_model::{Cost, Limits, Tree, Weight};
use std::sync::Arc;

impl<L: ChunkLane> BinarySearch<'_, '_, L> {
    /// The best tree of depth at most two.
    pub(crate) fn depth_two(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        mut bounds: Bounds,
    ) -> Solution {
        self.stats.depth_two_calls += 1;
        let (lower, tree) = self.small_tree(subset, limits);
        bounds.improve(lower, tree);
        Solution { tree: bounds.incumbent, ..Solution::with_lower(lower) }
    }

    /// Minimum cost of a tree of depth at most two with at most `size` nodes, given the greatest weight
    /// that trees of each size classify correctly.
    pub(crate) fn min_cost(&self, weight: Weight, correct: &CorrectWeights, size: u32) -> Cost {
        let cost = |nodes: usize| {
            let errors = (weight - correct[nodes]) * self.space.objective.error_price;
            errors + (nodes as Cost + 1) * self.space.objective.leaf_price
        };
        (0..=size.min(3) as usize).map(cost).min().unwrap_or(0)
    }

    /// The tree whose root is a rule of a subset; `left` is the child of the items that its column
    /// holds.
    pub(crate) fn split_tree(
        &self,
        subset: &BinarySubset,
        rule: usize,
        left: Arc<Tree>,
        right: Arc<Tree>,
    ) -> Arc<Tree> {
        let ColumnRule { feature, rank, inverted } =
            self.space.rules[subset.columns.rules[rule] as usize];
        let (left, right) = if inverted { (right, left) } else { (left, right) };
        Tree::node(feature, rank, left, right)
    }

    /// The cheapest tree of depth at most two.
    pub(crate) fn small_tree(&mut self, subset: &BinarySubset, limits: Limits) -> CostedTree {
        let counts = self.count(subset, limits);
        let tree = self.tree_of(subset, &counts, limits);
        self.workspace.spare.push(counts);
        tree
    }

    /// Counts all pairs of a subset.
    pub(crate) fn count(&mut self, subset: &BinarySubset, limits: Limits) -> NodeCounts<L> {
        let mut counts = self.workspace.spare.pop().unwrap_or_default();
        counts.fill(self.instructions, self.space.lists, subset, limits.min_samples_leaf);
        counts
    }

    /// The cheapest tree of depth at most two from the counts of a subset.
    pub(crate) fn tree_of(
        &self,
        subset: &BinarySubset,
        counts: &NodeCounts<L>,
        limits: Limits,
    ) -> CostedTree {
        let correct = counts.correct_weights(self.instructions, limits.min_samples_leaf);
        let maximum = if limits.depth == 1 { limits.size.min(1) } else { limits.size };
        let minimum = self.min_cost(subset.weight, &correct, maximum);
        let fits = |nodes: &u32| self.min_cost(subset.weight, &correct, *nodes) == minimum;
        let nodes = (0..=maximum.min(3)).find(fits).unwrap_or(0);
        if nodes == 0 {
            return (minimum, Tree::leaf(subset.leaf_class()));
        }
        let rule = counts.root(nodes as usize, correct[nodes as usize], limits.min_samples_leaf);
        let children = [true, false].map(|left| self.child(subset, rule, left));
        let share = self.share(&children, nodes, limits.min_samples_leaf);
        let [left, right] =
            [0, 1].map(|at| self.leaf_or_stump(&children[at], share[at], limits.min_samples_leaf));
        let cost = self.space.objective.join(left.0, right.0);
        debug_assert_eq!(cost, minimum);
        (cost, self.split_tree(subset, rule, left.1, right.1))
    }

    /// The number of nodes in each child; if the size allows a single node below the root, it goes
    /// to the child that gains more.
    fn share(
        &self,
        children: &[BinarySubset; 2],
        nodes: u32,
        min_samples_leaf: Weight,
    ) -> [u32; 2] {
        match nodes {
            1 => [0, 0],
            2 => {
                let gain = |child: &BinarySubset| {
                    child.leaf_errors() - self.stump_errors(child, min_samples_leaf).0
                };
                if gain(&children[0]) >= gain(&children[1]) { [1, 0] } else { [0, 1] }
            }
            _ => [1, 1],
        }
    }

    fn leaf_or_stump(
        &self,
        subset: &BinarySubset,
        size: u32,
        min_samples_leaf: Weight,
    ) -> CostedTree {
        let leaf = self.space.objective.leaf(subset.leaf_errors());
        let (errors, rule) = self.stump_errors(subset, min_samples_leaf);
        let cost = self
            .space
            .objective
            .join(self.space.objective.leaf(errors), self.space.objective.leaf(0));
        if size == 0 || cost >= leaf {
            return (leaf, Tree::leaf(subset.leaf_class()));
        }
        let class = |left| self.child(subset, rule, left).leaf_class();
        let (left, right) = (Tree::leaf(class(true)), Tree::leaf(class(false)));
        (cost, self.split_tree(subset, rule, left, right))
    }

    /// The fewest errors of a stump or of the leaf, and the rule of the stump.
    fn stump_errors(&self, subset: &BinarySubset, min_samples_leaf: Weight) -> (Weight, usize) {
        let mut minimum = (subset.leaf_errors(), 0);
        for rule in 0..subset.columns.rules.len() {
            let held = subset.columns.weigh(|at| subset.columns.column(rule)[at]);
            let on_left: Weight = held.iter().sum();
            if on_left.min(subset.weight - on_left) >= min_samples_leaf {
                let others = subset.class_weights.iter().zip(&held).map(|(all, held)| all - held);
                let heaviest =
                    |weights: &mut dyn Iterator<Item = Weight>| weights.max().unwrap_or(0);
                let correct =
                    heaviest(&mut held.iter().copied()) + heaviest(&mut others.into_iter());
                if subset.weight - correct < minimum.0 {
                    minimum = (subset.weight - correct, rule);
                }
            }
        }
        minimum
    }
}
