//! Subproblems with at most two levels left, solved by counting pairs of rules. Here, the left
//! child of a rule has the examples that its column holds.

use super::error_space::DichotomySearch;
use super::subset::{DichotomySubset, SubsetDichotomies};
use crate::engine::columns::{different, in_order};
use crate::engine::solution::{Bounds, CostedTree};
use crate::engine::space::LeafCosts;
use crate::kernels::stumps::{StumpCounts, meet_below};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

impl DichotomySearch<'_, '_> {
    /// Tries each rule of a subset as the root of a tree of at most two levels;
    /// returns a lower bound on the cost of all these trees.
    pub(super) fn depth_two(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Cost {
        let dichotomies = self.dichotomies(subset, limits);
        let similar = limits.min_samples_leaf == 1 && self.switches.similarity_bound;
        let rules = dichotomies.allowed(limits);
        let mut order: Vec<(Cost, usize)> =
            rules.map(|rule| (self.stump(&dichotomies, rule), rule)).collect();
        order.sort_unstable();
        let mut lower = vec![bounds.lower; dichotomies.ids.len()];
        let mut below = std::mem::take(&mut self.workspace);
        for &(stump, root) in &order {
            if lower[root] >= bounds.upper {
                self.stats.pruned.similarity_bound += 1;
                continue;
            }
            if self.must_stop(bounds, || lower.iter().min().copied().unwrap_or(0)) {
                break;
            }
            self.stats.roots += 1;
            let (cost, share) = match limits.depth {
                1 => (stump, (0, 0)),
                _ => self.two_stumps(&dichotomies, root, limits, &mut below),
            };
            lower[root] = cost;
            if cost < bounds.upper {
                self.take_root(subset, &dichotomies, root, share, limits, bounds);
            }
            if similar && limits.depth == 2 && cost > bounds.upper {
                self.raise_similar(&dichotomies, root, &below.both, &mut lower);
            }
        }
        self.workspace = below;
        order.iter().map(|&(_, root)| lower[root]).min().unwrap_or(UNBOUNDED)
    }

    /// Raises the lower bounds of the rules similar to a root (`engine/columns.rs` has the
    /// argument), given the weight that each rule and the root both send left.
    fn raise_similar(
        &self,
        dichotomies: &SubsetDichotomies,
        root: usize,
        both: &[Weight],
        lower: &mut [Cost],
    ) {
        let (price, root_cost) = (self.space.objective.error_price, lower[root]);
        let (held_by_root, total) = (dichotomies.held[root], dichotomies.weight);
        let others = both.iter().zip(&dichotomies.held);
        for (lower, (&both, &held)) in lower.iter_mut().zip(others) {
            let difference = different(both, held_by_root, held, total);
            *lower = (*lower).max(root_cost.saturating_sub(difference * price));
        }
    }

    /// Cost of a stump.
    fn stump(&self, dichotomies: &SubsetDichotomies, rule: usize) -> Cost {
        let (left_correct, right_correct) = self.heaviest(dichotomies, rule);
        let (left, right) = (dichotomies.held[rule], dichotomies.weight - dichotomies.held[rule]);
        let leaf = |errors: Weight| self.space.objective.leaf(errors);
        leaf(left - left_correct) + leaf(right - right_correct)
    }

    /// The weight of the heaviest class in each child of a split.
    fn heaviest(&self, dichotomies: &SubsetDichotomies, rule: usize) -> (Weight, Weight) {
        let columns = &dichotomies.columns;
        let left = |class: usize| columns.tallies[class * columns.count + rule];
        let right = |class: usize| columns.totals[class] - left(class);
        let classes = || 0..self.space.prepared.n_classes;
        (classes().map(left).max().unwrap_or(0), classes().map(right).max().unwrap_or(0))
    }

    /// The minimum cost with a rule at the root, and the limits on the child sizes that attain it.
    fn two_stumps(
        &self,
        dichotomies: &SubsetDichotomies,
        root: usize,
        limits: Limits,
        below: &mut StumpCounts,
    ) -> (Cost, (u32, u32)) {
        let min_samples_leaf = limits.min_samples_leaf;
        match min_samples_leaf {
            1 => meet_below::<false>(self.instructions, &dichotomies.columns, root, 1, below),
            _ => meet_below::<true>(
                self.instructions,
                &dichotomies.columns,
                root,
                min_samples_leaf,
                below,
            ),
        }
        let (left_correct, right_correct) = self.heaviest(dichotomies, root);
        let (left, right) = (dichotomies.held[root], dichotomies.weight - dichotomies.held[root]);
        let cost = |share: (u32, u32)| {
            let left_cost = self.child(left, left_correct, below.left, share.0);
            left_cost + self.child(right, right_correct, below.right, share.1)
        };
        let shares = limits.shares().into_iter().map(|share| (cost(share), share));
        shares.min_by_key(|&(cost, _)| cost).unwrap_or((UNBOUNDED, (0, 0)))
    }

    /// The minimum cost of a child, given the weights that its best leaf and its best stump
    /// classify correctly: that of a leaf, or of a stump if the size allows a node.
    fn child(
        &self,
        weight: Weight,
        leaf_correct: Weight,
        stump_correct: Weight,
        size: u32,
    ) -> Cost {
        let leaf = |errors: Weight| self.space.objective.leaf(errors);
        let leaf_cost = leaf(weight - leaf_correct);
        if size == 0 || stump_correct <= leaf_correct {
            return leaf_cost;
        }
        leaf_cost.min(leaf(weight - stump_correct) + leaf(0))
    }

    /// Takes the best tree with a given root as incumbent.
    fn take_root(
        &mut self,
        subset: &DichotomySubset,
        dichotomies: &SubsetDichotomies,
        root: usize,
        share: (u32, u32),
        limits: Limits,
        bounds: &mut Bounds,
    ) {
        let (id, ids) = (dichotomies.ids[root], &dichotomies.ids);
        let [left, right] = self.space.split(subset, id, ids);
        // `split` returns the children of the dichotomy; the column may be its opposite.
        let [left_size, right_size] = in_order([share.0, share.1], dichotomies.inverted[root]);
        let (left_cost, left) = self.best_stump(&left, limits.child(left_size));
        let (right_cost, right) = self.best_stump(&right, limits.child(right_size));
        bounds.improve_with(left_cost + right_cost, || Tree::node(0, id, left, right));
    }

    /// The best tree of at most one node.
    fn best_stump(&mut self, subset: &DichotomySubset, limits: Limits) -> CostedTree {
        let leaf = self.space.leaf(subset);
        if limits.leaf_only() {
            return leaf;
        }
        let dichotomies = self.dichotomies(subset, limits);
        let rules = dichotomies.allowed(limits);
        let best = rules.map(|rule| (self.stump(&dichotomies, rule), rule)).min();
        let Some((cost, rule)) = best.filter(|&(cost, _)| cost < leaf.0) else { return leaf };
        let id = dichotomies.ids[rule];
        let [left, right] = self.space.split(subset, id, &Arc::default());
        (cost, Tree::node(0, id, self.space.leaf(&left).1, self.space.leaf(&right).1))
    }
}
