//! A node with three or more levels left: its rules one by one, most promising first.

use super::node::Counts;
use super::open_rules::OpenRules;
use super::part::Part;
use super::search::{Answer, BinarySearch, Bracket};
use super::siblings::SideBounds;
use crate::kernels::chunks::Lane;
use exactree_model::{Limits, Weight};
use std::borrow::Cow;

/// What a node knows of its rules.
pub(crate) struct Node<'p, L> {
    pub part: Cow<'p, Part>,
    pub limits: Limits,
    pub counts: Counts<L>,
    /// Weight on the left of each rule.
    pub weights: Vec<Weight>,
    /// How the size is shared among the sides.
    pub shares: Vec<(u32, u32)>,
    /// Size that a side may have at most: the bounds hold for so much.
    pub widest: u32,
}

impl<L> Node<'_, L> {
    /// Weight on a side of a rule.
    pub fn weight(&self, (rule, left): (usize, bool)) -> Weight {
        let on_left = self.weights[rule];
        if left { on_left } else { self.part.weight - on_left }
    }
}

impl<L: Lane> BinarySearch<'_, L> {
    /// The best tree with an inner root.
    pub fn try_rules(&mut self, part: &Part, limits: Limits, bracket: Bracket) -> Answer {
        let (rules, bracket) = self.try_those(part, limits, bracket, |_| ());
        let lower = rules.map_or(bracket.lower, |rules| rules.lower().max(bracket.lower));
        Answer { lower, tree: bracket.found }
    }

    /// The same of rules of which some were left out; returns them unless trees of depth
    /// two settle the part.
    pub fn try_those(
        &mut self,
        part: &Part,
        limits: Limits,
        mut bracket: Bracket,
        leave_out: impl FnOnce(&mut OpenRules),
    ) -> (Option<OpenRules>, Bracket) {
        let mut counts = self.spare.pop().unwrap_or_default();
        counts.take(self.level, self.lists, part, limits.min_rows);
        if self.depth_two_suffices(part, limits, &counts, &mut bracket) {
            self.spare.push(counts);
            return (None, bracket);
        }
        let node = self.node(part, limits, counts);
        let mut rules = self.in_order(&node);
        leave_out(&mut rules);
        self.open_calls += 1;
        let (rules, bracket) = self.tried(node, rules, bracket);
        self.open_calls -= 1;
        (Some(rules), bracket)
    }

    /// Tries rules until none is left that matters; with the help of threads that
    /// have nothing to do.
    fn tried(
        &mut self,
        node: Node<'_, L>,
        mut rules: OpenRules,
        mut bracket: Bracket,
    ) -> (OpenRules, Bracket) {
        while !self.helpers_wait(&node) {
            if self.open_calls == 1 {
                self.hear(&mut bracket);
            }
            let trial = rules.next(bracket.upper, &mut self.stats.discards);
            let Some(trial) = trial else {
                self.spare.push(node.counts);
                return (rules, bracket);
            };
            if self.must_stop(&bracket, || rules.lower().max(bracket.lower)) {
                return (rules, bracket);
            }
            let tried = self.try_rule(&trial, &node);
            rules.enter(&trial, tried, &node, &mut bracket);
        }
        self.together(node, rules, bracket)
    }

    /// Takes the best tree of depth two as incumbent; whether no other can beat it.
    fn depth_two_suffices(
        &self,
        part: &Part,
        limits: Limits,
        counts: &Counts<L>,
        bracket: &mut Bracket,
    ) -> bool {
        let hits = counts.hits(self.level, limits.min_rows);
        let shallow = self.least_cost(part.weight, &hits, limits.size);
        if shallow < bracket.upper {
            let (cost, tree) = self.tree_of(part, counts, limits.depth_two());
            bracket.improve(cost, || tree);
        }
        let needed = self.needed();
        let beside = needed.map_or([None; 2], |needed| counts.beside(self.level, needed));
        bracket.lower = bracket.lower.max(self.deeper(part.unavoidable, beside).min(shallow));
        bracket.lower >= bracket.upper
    }

    fn node<'p>(&self, part: &'p Part, limits: Limits, counts: Counts<L>) -> Node<'p, L> {
        let shares = limits.shares();
        let widest = shares.iter().map(|share| share.0.max(share.1)).max().unwrap_or(0);
        let weights = (0..part.columns.rules.len()).map(|rule| counts.weight(rule)).collect();
        Node { part: Cow::Borrowed(part), limits, counts, weights, shares, widest }
    }

    /// The rules that the limits allow, by how much trees of depth two with this
    /// root get right.
    fn in_order(&self, node: &Node<'_, L>) -> OpenRules {
        let allowed = |rule: &usize| {
            let on_left = node.weights[*rule];
            on_left.min(node.part.weight - on_left) >= node.limits.min_rows
        };
        let stumps = &node.counts.stumps;
        let right = |rule: &usize| stumps.left[*rule].wide() + stumps.right[*rule].wide();
        let mut rules: Vec<usize> = (0..node.weights.len()).filter(allowed).collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(right(rule)));
        let similar = self.options.similar_sides && node.limits.min_rows == 1;
        let error_price = similar.then_some(self.objective.error_price);
        OpenRules::new(self.side_bounds(node), rules, error_price)
    }

    /// What is known of the sides of all rules before any is tried.
    fn side_bounds(&self, node: &Node<'_, L>) -> SideBounds {
        let columns = &node.part.columns;
        let side = node.limits.side(node.widest);
        let mut class_weights = Vec::with_capacity(node.part.class_weights.len());
        let mut bound = |rule: usize, left: bool| {
            class_weights.clear();
            class_weights.extend(node.counts.class_weights(rule, left));
            let column = columns.column(rule);
            let unavoidable =
                columns.unavoidable_in(|at| if left { column[at] } else { !column[at] });
            self.floor(&class_weights, unavoidable, side)
        };
        let rules = 0..columns.rules.len();
        SideBounds([true, false].map(|left| rules.clone().map(|rule| bound(rule, left)).collect()))
    }
}
