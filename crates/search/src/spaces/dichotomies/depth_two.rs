//! Subproblems with at most two levels left, solved by counting pairs of rules.

use super::search::DichotomySearch;
use super::subset::{DichotomySubset, SubsetDichotomies};
use crate::engine::solution::Bounds;
use crate::kernels::stumps::{StumpCounts, meet_below};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED, Weight};
use std::rc::Rc;
use std::sync::Arc;

impl DichotomySearch<'_> {
    /// Tries the rules of a subset as root of a tree of at most two levels;
    /// returns a lower bound on all of them.
    pub(super) fn depth_two(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Cost {
        let dichotomies = self.dichotomies(subset, limits);
        let similar = limits.min_samples_leaf == 1 && self.request.options.similarity_bound;
        let allowed = self.allowed(&dichotomies, limits);
        let mut order: Vec<(Cost, usize)> = (0..dichotomies.ids.len())
            .filter(|&rule| allowed(rule))
            .map(|rule| (self.stump(&dichotomies, rule), rule))
            .collect();
        order.sort_unstable();
        let mut lower = vec![bounds.lower; dichotomies.ids.len()];
        let mut below = std::mem::take(&mut self.below);
        for &(stump, root) in &order {
            if lower[root] >= bounds.upper {
                self.stats.pruned.similarity_bound += 1;
                continue;
            }
            if self.must_stop(bounds, &lower) {
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
                self.raise(&dichotomies, root, &below.both, cost, &mut lower);
            }
        }
        self.below = below;
        order.iter().map(|&(_, root)| lower[root]).min().unwrap_or(UNBOUNDED)
    }

    /// Cost of a stump.
    fn stump(&self, dichotomies: &SubsetDichotomies, rule: usize) -> Cost {
        let (left, right) = self.heaviest(dichotomies, rule);
        let weights = (dichotomies.left[rule], dichotomies.weight - dichotomies.left[rule]);
        self.objective.leaf(weights.0 - left) + self.objective.leaf(weights.1 - right)
    }

    /// The weight of the heaviest class in both children of a split.
    fn heaviest(&self, dichotomies: &SubsetDichotomies, rule: usize) -> (Weight, Weight) {
        let columns = &dichotomies.columns;
        let left = |class: usize| columns.tallies[class * columns.count + rule];
        let right = |class: usize| columns.totals[class] - left(class);
        let classes = || 0..self.prepared.n_classes;
        (classes().map(left).max().unwrap_or(0), classes().map(right).max().unwrap_or(0))
    }

    /// The minimum cost with a rule at the root, and the number of nodes in each child.
    fn two_stumps(
        &self,
        dichotomies: &SubsetDichotomies,
        root: usize,
        limits: Limits,
        below: &mut StumpCounts,
    ) -> (Cost, (u32, u32)) {
        let min_samples_leaf = limits.min_samples_leaf;
        match min_samples_leaf {
            1 => meet_below::<false>(self.level, &dichotomies.columns, root, 1, below),
            _ => {
                meet_below::<true>(self.level, &dichotomies.columns, root, min_samples_leaf, below)
            }
        }
        let leaves = self.heaviest(dichotomies, root);
        let (left, right) = (dichotomies.left[root], dichotomies.weight - dichotomies.left[root]);
        let cost = |share: (u32, u32)| {
            let left = self.child(left, leaves.0, below.left, share.0);
            left + self.child(right, leaves.1, below.right, share.1)
        };
        let shares = limits.shares().into_iter().map(|share| (cost(share), share));
        shares.min_by_key(|&(cost, _)| cost).unwrap_or((UNBOUNDED, (0, 0)))
    }

    /// The minimum cost of a child: a leaf, or a stump if the size allows one.
    fn child(&self, weight: Weight, leaf: Weight, stump: Weight, size: u32) -> Cost {
        let alone = self.objective.leaf(weight - leaf);
        if size == 0 || stump <= leaf {
            return alone;
        }
        alone.min(self.objective.leaf(weight - stump) + self.objective.leaf(0))
    }

    /// Makes the best tree with a root the incumbent.
    fn take_root(
        &mut self,
        subset: &DichotomySubset,
        dichotomies: &SubsetDichotomies,
        root: usize,
        share: (u32, u32),
        limits: Limits,
        bounds: &mut Bounds,
    ) {
        let ids = Rc::new(dichotomies.ids.clone());
        let (left, right) = subset.split(self.prepared, dichotomies.ids[root], &ids);
        // A column may be the opposite of its dichotomy.
        let (at_left, at_right) = match dichotomies.inverted[root] {
            false => share,
            true => (share.1, share.0),
        };
        let (left_cost, left) = self.best_stump(&left, limits.child(at_left));
        let (right_cost, right) = self.best_stump(&right, limits.child(at_right));
        let cost = left_cost + right_cost;
        bounds.improve(cost, Tree::node(dichotomies.ids[root], 0, left, right));
    }

    /// The best tree of at most one node.
    fn best_stump(&mut self, subset: &DichotomySubset, limits: Limits) -> (Cost, Arc<Tree>) {
        let class = exactree_model::Errors::leaf_class(&subset.class_weights);
        let leaf = (self.objective.leaf(subset.leaf_errors()), Tree::leaf(class));
        if limits.leaf_only() {
            return leaf;
        }
        let dichotomies = self.dichotomies(subset, limits);
        let allowed = self.allowed(&dichotomies, limits);
        let rules = (0..dichotomies.ids.len()).filter(|&rule| allowed(rule));
        let best = rules.map(|rule| (self.stump(&dichotomies, rule), rule)).min();
        let Some((cost, rule)) = best.filter(|&(cost, _)| cost < leaf.0) else { return leaf };
        let children = subset.split(self.prepared, dichotomies.ids[rule], &Rc::new(Vec::new()));
        let [left, right] = [&children.0, &children.1]
            .map(|child| Tree::leaf(exactree_model::Errors::leaf_class(&child.class_weights)));
        (cost, Tree::node(dichotomies.ids[rule], 0, left, right))
    }
}
