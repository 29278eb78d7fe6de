//! Parts with at most two levels left: solved by counts, not by search.

use super::node::{Counts, Hits};
use super::part::Part;
use super::search::{Answer, BinarySearch, Bracket, Costed};
use crate::kernels::chunks::Lane;
use exactree_model::{Cost, Limits, Tree, Weight};
use std::sync::Arc;

impl<L: Lane> BinarySearch<'_, L> {
    /// The best tree of depth at most two.
    pub fn two_levels(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        self.stats.depth_two_calls += 1;
        let (lower, tree) = self.small_tree(part, limits);
        bracket.improve(lower, || tree);
        Answer { lower, tree: bracket.found }
    }

    /// Least cost of a tree of depth two with at most so many nodes that gets
    /// so much right.
    pub fn least_cost(&self, weight: Weight, hits: &Hits, size: u32) -> Cost {
        let cost = |nodes: usize| {
            let errors = (weight - hits[nodes]) * self.objective.error_price;
            errors + (nodes as Cost + 1) * self.objective.leaf_price
        };
        (0..=size.min(3) as usize).map(cost).min().unwrap_or(0)
    }

    /// The tree that asks a rule of a part.
    pub fn asked(&self, part: &Part, rule: usize, left: Arc<Tree>, right: Arc<Tree>) -> Arc<Tree> {
        let (feature, rank) = self.rules[part.columns.rules[rule] as usize];
        Tree::node(feature, rank, left, right)
    }

    /// The cheapest tree of depth at most two.
    pub fn small_tree(&mut self, part: &Part, limits: Limits) -> Costed {
        let mut counts = self.spare.pop().unwrap_or_default();
        counts.take(self.level, part, limits.min_rows);
        let tree = self.tree_of(part, &counts, limits);
        self.spare.push(counts);
        tree
    }

    /// The cheapest tree of depth at most two from the counts of a part.
    pub fn tree_of(&self, part: &Part, counts: &Counts<L>, limits: Limits) -> Costed {
        let hits = counts.hits(self.level, limits.min_rows);
        let most = if limits.depth == 1 { limits.size.min(1) } else { limits.size };
        let least = self.least_cost(part.weight, &hits, most);
        let fits = |nodes: &u32| self.least_cost(part.weight, &hits, *nodes) == least;
        let nodes = (0..=most.min(3)).find(fits).unwrap_or(0);
        if nodes == 0 {
            return (least, Tree::leaf(part.leaf_class()));
        }
        let rule = counts.root(nodes as usize, hits[nodes as usize], limits.min_rows);
        let sides = [true, false].map(|left| part.side(self.columns, self.level, rule, left));
        let share = self.share(&sides, nodes, limits.min_rows);
        let [left, right] =
            [0, 1].map(|at| self.leaf_or_stump(&sides[at], share[at], limits.min_rows));
        let cost = self.objective.join(left.0, right.0);
        debug_assert_eq!(cost, least);
        (cost, self.asked(part, rule, left.1, right.1))
    }

    /// Which sides get a node: of two nodes, the side that gains more.
    fn share(&self, sides: &[Part; 2], nodes: u32, min_rows: Weight) -> [u32; 2] {
        match nodes {
            1 => [0, 0],
            2 => {
                let gain = |side: &Part| side.leaf_errors() - self.stump_errors(side, min_rows).0;
                if gain(&sides[0]) >= gain(&sides[1]) { [1, 0] } else { [0, 1] }
            }
            _ => [1, 1],
        }
    }

    fn leaf_or_stump(&self, part: &Part, size: u32, min_rows: Weight) -> Costed {
        let leaf = self.objective.leaf(part.leaf_errors());
        let (errors, rule) = self.stump_errors(part, min_rows);
        let cost = self.objective.join(self.objective.leaf(errors), self.objective.leaf(0));
        if size == 0 || cost >= leaf {
            return (leaf, Tree::leaf(part.leaf_class()));
        }
        let class = |left| part.side(self.columns, self.level, rule, left).leaf_class();
        let (left, right) = (Tree::leaf(class(true)), Tree::leaf(class(false)));
        (cost, self.asked(part, rule, left, right))
    }

    /// Least errors of a stump, or of the leaf, and the rule of the stump.
    fn stump_errors(&self, part: &Part, min_rows: Weight) -> (Weight, usize) {
        let mut least = (part.leaf_errors(), 0);
        for rule in 0..part.columns.rules.len() {
            let held = part.columns.weigh(|at| part.columns.column(rule)[at]);
            let on_left: Weight = held.iter().sum();
            if on_left.min(part.weight - on_left) >= min_rows {
                let others = part.class_weights.iter().zip(&held).map(|(all, held)| all - held);
                let most = |weights: &mut dyn Iterator<Item = Weight>| weights.max().unwrap_or(0);
                let right = most(&mut held.iter().copied()) + most(&mut others.into_iter());
                if part.weight - right < least.0 {
                    least = (part.weight - right, rule);
                }
            }
        }
        least
    }
}
