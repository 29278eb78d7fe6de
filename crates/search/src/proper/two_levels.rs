//! The end of the recursion: at most two levels, by counting pairs of rules.

use super::field::{Field, Part};
use super::search::Search;
use crate::answer::Bracket;
use crate::kernels::stumps::{Below, meet_below};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED, Weight};
use std::rc::Rc;
use std::sync::Arc;

impl Search<'_> {
    /// Tries the rules of a part as root of a tree of at most two levels;
    /// returns a lower bound on all of them.
    pub(super) fn two_levels(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &mut Bracket,
    ) -> Cost {
        let field = self.field(part, limits);
        let near = limits.min_rows == 1 && self.request.options.near;
        let allowed = self.allowed(&field, limits);
        let mut order: Vec<(Cost, usize)> = (0..field.names.len())
            .filter(|&rule| allowed(rule))
            .map(|rule| (self.stump(&field, rule), rule))
            .collect();
        order.sort_unstable();
        let mut lower = vec![bracket.lower; field.names.len()];
        let mut below = std::mem::take(&mut self.below);
        for &(stump, root) in &order {
            if lower[root] >= bracket.upper {
                self.stats.discards.near += 1;
                continue;
            }
            if self.must_stop(bracket, &lower) {
                break;
            }
            self.stats.roots += 1;
            let (cost, share) = match limits.depth {
                1 => (stump, (0, 0)),
                _ => self.two_stumps(&field, root, limits, &mut below),
            };
            lower[root] = cost;
            if cost < bracket.upper {
                self.take_root(part, &field, root, share, limits, bracket);
            }
            if near && limits.depth == 2 && cost > bracket.upper {
                self.raise(&field, root, &below.both, cost, &mut lower);
            }
        }
        self.below = below;
        order.iter().map(|&(_, root)| lower[root]).min().unwrap_or(UNBOUNDED)
    }

    /// What a rule over two leaves costs.
    fn stump(&self, field: &Field, rule: usize) -> Cost {
        let (left, right) = self.heaviest(field, rule);
        let weights = (field.left[rule], field.weight - field.left[rule]);
        self.objective.leaf(weights.0 - left) + self.objective.leaf(weights.1 - right)
    }

    /// The weight of the heaviest class on both sides of a rule.
    fn heaviest(&self, field: &Field, rule: usize) -> (Weight, Weight) {
        let columns = &field.columns;
        let left = |class: usize| columns.tallies[class * columns.count + rule];
        let right = |class: usize| columns.totals[class] - left(class);
        let classes = || 0..self.ground.n_classes;
        (classes().map(left).max().unwrap_or(0), classes().map(right).max().unwrap_or(0))
    }

    /// The least cost with a rule at the root, and how many nodes are below it on
    /// both sides.
    fn two_stumps(
        &self,
        field: &Field,
        root: usize,
        limits: Limits,
        below: &mut Below,
    ) -> (Cost, (u32, u32)) {
        let min_rows = limits.min_rows;
        match min_rows {
            1 => meet_below::<false>(self.level, &field.columns, root, 1, below),
            _ => meet_below::<true>(self.level, &field.columns, root, min_rows, below),
        }
        let leaves = self.heaviest(field, root);
        let (left, right) = (field.left[root], field.weight - field.left[root]);
        let cost = |share: (u32, u32)| {
            let left = self.side(left, leaves.0, below.left, share.0);
            left + self.side(right, leaves.1, below.right, share.1)
        };
        let shares = limits.shares().into_iter().map(|share| (cost(share), share));
        shares.min_by_key(|&(cost, _)| cost).unwrap_or((UNBOUNDED, (0, 0)))
    }

    /// What a side costs at least: a leaf, or a stump where one is allowed.
    fn side(&self, weight: Weight, leaf: Weight, stump: Weight, size: u32) -> Cost {
        let alone = self.objective.leaf(weight - leaf);
        if size == 0 || stump <= leaf {
            return alone;
        }
        alone.min(self.objective.leaf(weight - stump) + self.objective.leaf(0))
    }

    /// Makes the best tree with a root the incumbent.
    fn take_root(
        &mut self,
        part: &Part,
        field: &Field,
        root: usize,
        share: (u32, u32),
        limits: Limits,
        bracket: &mut Bracket,
    ) {
        let names = Rc::new(field.names.clone());
        let (left, right) = part.divide(self.ground, field.names[root], &names);
        // A column may stand for the opposite of its dichotomy.
        let (at_left, at_right) = match field.turned[root] {
            false => share,
            true => (share.1, share.0),
        };
        let (left_cost, left) = self.best_stump(&left, limits.side(at_left));
        let (right_cost, right) = self.best_stump(&right, limits.side(at_right));
        let cost = left_cost + right_cost;
        bracket.improve(cost, Tree::node(field.names[root], 0, left, right));
    }

    /// The best tree of at most one node.
    fn best_stump(&mut self, part: &Part, limits: Limits) -> (Cost, Arc<Tree>) {
        let class = exactree_model::Errors::leaf_class(&part.class_weights);
        let leaf = (self.objective.leaf(part.leaf_errors()), Tree::leaf(class));
        if limits.leaf_only() {
            return leaf;
        }
        let field = self.field(part, limits);
        let allowed = self.allowed(&field, limits);
        let rules = (0..field.names.len()).filter(|&rule| allowed(rule));
        let best = rules.map(|rule| (self.stump(&field, rule), rule)).min();
        let Some((cost, rule)) = best.filter(|&(cost, _)| cost < leaf.0) else { return leaf };
        let sides = part.divide(self.ground, field.names[rule], &Rc::new(Vec::new()));
        let [left, right] = [&sides.0, &sides.1]
            .map(|side| Tree::leaf(exactree_model::Errors::leaf_class(&side.class_weights)));
        (cost, Tree::node(field.names[rule], 0, left, right))
    }
}
