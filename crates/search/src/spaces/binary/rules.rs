//! A node with three or more levels left: evaluates its rules one by one, most promising first.

use super::node::{BinaryNode, NodeCounts};
use super::open_rules::OpenRules;
use super::search::BinarySearch;
use super::similarity_bound::SiblingBounds;
use super::solution::{BinaryBounds, BinarySolution};
use super::subset::BinarySubset;
use crate::kernels::chunks::ChunkLane;
use exactree_model::Limits;
use std::borrow::Cow;

impl<L: ChunkLane> BinarySearch<'_, L> {
    /// The best tree with an inner root.
    pub(super) fn try_rules(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        bounds: BinaryBounds,
    ) -> BinarySolution {
        let (rules, bounds) = self.try_selected_rules(subset, limits, bounds, |_| ());
        let lower = rules.map_or(bounds.lower, |rules| rules.lower().max(bounds.lower));
        BinarySolution { lower, tree: bounds.incumbent }
    }

    /// Like `try_rules`, without the rules that `leave_out` drops; also returns the open rules,
    /// unless a tree of depth two solves the subproblem.
    pub(super) fn try_selected_rules(
        &mut self,
        subset: &BinarySubset,
        limits: Limits,
        mut bounds: BinaryBounds,
        leave_out: impl FnOnce(&mut OpenRules),
    ) -> (Option<OpenRules>, BinaryBounds) {
        let mut counts = self.spare.pop().unwrap_or_default();
        counts.fill(self.level, self.lists, subset, limits.min_samples_leaf);
        if self.depth_two_suffices(subset, limits, &counts, &mut bounds) {
            self.spare.push(counts);
            return (None, bounds);
        }
        let node = self.node(subset, limits, counts);
        let mut rules = self.branching(&node);
        leave_out(&mut rules);
        self.open_calls += 1;
        let (rules, bounds) = self.branch(node, rules, bounds);
        self.open_calls -= 1;
        (Some(rules), bounds)
    }

    /// Evaluates rules until all are pruned, with the help of idle threads.
    fn branch(
        &mut self,
        node: BinaryNode<'_, L>,
        mut rules: OpenRules,
        mut bounds: BinaryBounds,
    ) -> (OpenRules, BinaryBounds) {
        while !self.has_idle_thread(&node) {
            if self.open_calls == 1 {
                self.take_upper_bound(&mut bounds);
            }
            let trial = rules.next(bounds.upper, &mut self.stats.pruned);
            let Some(trial) = trial else {
                self.spare.push(node.counts);
                return (rules, bounds);
            };
            if self.must_stop(&bounds, || rules.lower().max(bounds.lower)) {
                return (rules, bounds);
            }
            let tried = self.try_rule(&trial, &node);
            rules.enter(&trial, tried, &node, &mut bounds);
        }
        self.solve_in_parallel(node, rules, bounds)
    }

    /// Takes the best tree of depth two as incumbent; returns whether it is optimal.
    fn depth_two_suffices(
        &self,
        subset: &BinarySubset,
        limits: Limits,
        counts: &NodeCounts<L>,
        bounds: &mut BinaryBounds,
    ) -> bool {
        let correct = counts.correct_weights(self.level, limits.min_samples_leaf);
        let shallow = self.min_cost(subset.weight, &correct, limits.size);
        if shallow < bounds.upper {
            let (cost, tree) = self.tree_of(subset, counts, limits.depth_two());
            bounds.improve(cost, || tree);
        }
        let needed = self.needed_weights();
        let leaf_support =
            needed.map_or([None; 2], |needed| counts.leaf_support(self.level, needed));
        bounds.lower = bounds.lower.max(self.deeper(subset.unavoidable, leaf_support).min(shallow));
        bounds.lower >= bounds.upper
    }

    fn node<'p>(
        &self,
        subset: &'p BinarySubset,
        limits: Limits,
        counts: NodeCounts<L>,
    ) -> BinaryNode<'p, L> {
        let shares = limits.shares();
        let max_child_size = shares.iter().map(|share| share.0.max(share.1)).max().unwrap_or(0);
        let weights = (0..subset.columns.rules.len()).map(|rule| counts.weight(rule)).collect();
        BinaryNode {
            subset: Cow::Borrowed(subset),
            limits,
            counts,
            weights,
            shares,
            max_child_size,
        }
    }

    /// The rules that the limits allow, ordered by the weight that trees of depth two with
    /// this root classify correctly.
    fn branching(&self, node: &BinaryNode<'_, L>) -> OpenRules {
        let allowed = |rule: &usize| {
            let on_left = node.weights[*rule];
            on_left.min(node.subset.weight - on_left) >= node.limits.min_samples_leaf
        };
        let stumps = &node.counts.stumps;
        let correct = |rule: &usize| stumps.left[*rule].wide() + stumps.right[*rule].wide();
        let mut rules: Vec<usize> = (0..node.weights.len()).filter(allowed).collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(correct(rule)));
        let similar = self.options.similarity_bound && node.limits.min_samples_leaf == 1;
        let error_price = similar.then_some(self.objective.error_price);
        OpenRules::new(self.child_bounds(node), rules, error_price)
    }

    /// Lower bounds on the children of all rules before any is tried.
    fn child_bounds(&self, node: &BinaryNode<'_, L>) -> SiblingBounds {
        let columns = &node.subset.columns;
        let child = node.limits.child(node.max_child_size);
        let mut class_weights = Vec::with_capacity(node.subset.class_weights.len());
        let mut bound = |rule: usize, left: bool| {
            class_weights.clear();
            class_weights.extend(node.counts.class_weights(rule, left));
            let column = columns.column(rule);
            let unavoidable =
                columns.unavoidable_in(|at| if left { column[at] } else { !column[at] });
            self.floor(&class_weights, unavoidable, child)
        };
        let rules = 0..columns.rules.len();
        SiblingBounds(
            [true, false].map(|left| rules.clone().map(|rule| bound(rule, left)).collect()),
        )
    }
}
