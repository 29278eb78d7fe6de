//! The rules of a node with three or more levels left, most promising first.

use super::node::{BinaryNode, NodeCounts};
use super::space::BinarySearch;
use super::subset::BinarySubset;
use crate::engine::columns::{ColumnSimilarity, OpenColumn, OpenColumns};
use crate::engine::solution::Bounds;
use crate::kernels::chunks::ChunkLane;
use exactree_model::{Cost, Errors, Limits};
use std::sync::Arc;

impl<L: ChunkLane> BinarySearch<'_, '_, L> {
    /// Counts the pairs of rules of a subset and opens the rules; `None` if the counts prune all.
    pub(crate) fn open_rules(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Option<OpenColumns<BinaryNode<L>>> {
        let counts = self.count(subset, limits);
        if self.depth_two_suffices(subset, limits, &counts, bounds) {
            self.workspace.spare.push(counts);
            return None;
        }
        let node = self.node(subset, limits, counts);
        let children = self.child_bounds(subset, limits, &node);
        let column = |rule: usize| OpenColumn {
            number: rule as u32,
            rule: self.space.rules[subset.columns.rules[rule] as usize],
            lower: bounds.lower,
            children: children[rule],
        };
        let columns = promising(&node, limits).into_iter().map(column).collect();
        let similar = self.switches.similarity_bound && limits.min_samples_leaf == 1;
        let similarity = similar.then(|| ColumnSimilarity {
            price: self.space.objective.error_price,
            margin: 0,
            held: node.weights.clone(),
            total: node.weight,
        });
        Some(OpenColumns::new(Arc::new(node), columns, similarity))
    }

    /// Takes the best tree of depth at most two as incumbent, if it costs less than the upper bound;
    /// raises the lower bound, and returns whether no deeper tree costs less than the upper bound.
    fn depth_two_suffices(
        &self,
        subset: &BinarySubset,
        limits: Limits,
        counts: &NodeCounts<L>,
        bounds: &mut Bounds,
    ) -> bool {
        let correct = counts.correct_weights(self.instructions, limits.min_samples_leaf);
        let shallow = self.min_cost(subset.weight, &correct, limits.size);
        if shallow < bounds.upper {
            let (cost, tree) = self.tree_of(subset, counts, limits.depth_two());
            bounds.improve(cost, tree);
        }
        let needed = self.space.needed_weights();
        let leaf_support =
            needed.map_or([None; 2], |needed| counts.leaf_support(self.instructions, needed));
        bounds.lower =
            bounds.lower.max(self.space.deeper(subset.unavoidable, leaf_support).min(shallow));
        bounds.lower >= bounds.upper
    }

    fn node(&self, subset: &BinarySubset, limits: Limits, counts: NodeCounts<L>) -> BinaryNode<L> {
        let shares = limits.shares();
        let max_child_size = shares.iter().map(|share| share.0.max(share.1)).max().unwrap_or(0);
        let weights = (0..subset.columns.rules.len()).map(|rule| counts.weight(rule)).collect();
        let words = match self.space.lists {
            Some(_) => counts.pairs.held.len(),
            None => counts.chunks.words.len() * counts.chunks.count,
        };
        let (weight, levels, expanded) = (subset.weight, limits.depth, self.workspace.expanded);
        BinaryNode { counts, weight, weights, shares, max_child_size, expanded, levels, words }
    }

    /// Lower bounds on the children of all rules before any is tried.
    fn child_bounds(
        &self,
        subset: &BinarySubset,
        limits: Limits,
        node: &BinaryNode<L>,
    ) -> Vec<[Cost; 2]> {
        let columns = &subset.columns;
        let child = limits.child(node.max_child_size);
        let mut class_weights = Vec::with_capacity(subset.class_weights.len());
        let mut bound = |rule: usize, left: bool| {
            class_weights.clear();
            class_weights.extend(node.counts.class_weights(rule, left));
            let column = columns.column(rule);
            let unavoidable =
                columns.unavoidable_in(|at| if left { column[at] } else { !column[at] });
            let leaf = self.space.objective.leaf(Errors::leaf_errors(&class_weights));
            self.floor_of(leaf, self.space.bounds_of(&class_weights, unavoidable, child))
        };
        (0..columns.rules.len()).map(|rule| [true, false].map(|left| bound(rule, left))).collect()
    }
}

/// The rules that the limits allow, ordered by the weight that trees of depth two with this root
/// classify correctly.
fn promising<L: ChunkLane>(node: &BinaryNode<L>, limits: Limits) -> Vec<usize> {
    let allowed = |rule: &usize| {
        let on_left = node.weights[*rule];
        on_left.min(node.weight - on_left) >= limits.min_samples_leaf
    };
    let stumps = &node.counts.stumps;
    let correct = |rule: &usize| stumps.left[*rule].wide() + stumps.right[*rule].wide();
    let mut rules: Vec<usize> = (0..node.weights.len()).filter(allowed).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(correct(rule)));
    rules
}
