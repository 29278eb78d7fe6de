//! The first incumbent: a greedy tree, then a greedy tree whose lowest two levels are exact, then
//! the better of the two, improved one rule at a time.
//!
//! An incumbent only lowers the upper bound. It needs no proof: only its cost must be right, and that is
//! counted on the items.

use crate::engine::rules::Rule;
use crate::engine::solution::CostedTree;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use exactree_model::{Cost, Errors, Limits, Tree, UNBOUNDED};
use std::sync::Arc;

/// Depth below which the most even split replaces the greedy split, so that a tree without limits
/// cannot become a path as long as the table.
const DEEPEST_GREEDY: u32 = 64;

/// Maximum number of rounds of improvement. Each must lower the cost; few are ever needed.
const MAX_ROUNDS: usize = 16;

/// Product of items and features up to which depth two takes some milliseconds.
const QUICK_PRODUCT: usize = 1 << 18;

/// Number of items by which rules of larger subsets are compared, evenly spaced over the slots, so
/// that each class has its share. More items change greedy rules little and take seconds, because
/// the items of a feature's order are spread over memory. Few in tests, so that these choose by some.
const COMPARED_ITEMS: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// State of the greedy construction at a node.
#[derive(Clone, Copy)]
struct Growth {
    /// Number of nodes above, counted from the node where this construction began.
    level: u32,
    /// Whether subproblems of at most two levels are solved exactly.
    exact: bool,
}

impl ContinuousSearch<'_, '_> {
    /// A good tree for the whole table, found fast. Reports each improvement that costs less than
    /// `below`.
    pub(crate) fn incumbent(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        below: Cost,
    ) -> CostedTree {
        let exact = Growth { level: 0, exact: true };
        // A subproblem solved within milliseconds needs no incumbent.
        if limits.is_terminal() && subset.count * self.space.layout.features.len() <= QUICK_PRODUCT
        {
            return self.grow(subset, limits, exact);
        }
        let greedy = self.greedy(subset, limits);
        self.report_incumbent(greedy.0, below);
        let candidate = self.grow(subset, limits, exact);
        let start = if candidate.0 < greedy.0 { candidate } else { greedy };
        self.report_incumbent(start.0, below);
        if self.space.options.descent { self.descend(subset, limits, start) } else { start }
    }

    fn report_incumbent(&self, cost: Cost, below: Cost) {
        self.progress.report(if cost < below { cost } else { UNBOUNDED }, 0);
    }

    /// The greedy tree, without exact subtrees.
    pub(crate) fn greedy(&mut self, subset: &ContinuousSubset, limits: Limits) -> CostedTree {
        self.grow(subset, limits, Growth { level: 0, exact: false })
    }

    /// Grows the tree by the rule of minimum Gini impurity. If requested, solves exactly the
    /// subproblems of at most two levels; the cache keeps them for the search.
    fn grow(&mut self, subset: &ContinuousSubset, limits: Limits, growth: Growth) -> CostedTree {
        let leaf = self.leaf_tree(subset);
        let limits = self.reachable_limits(subset, limits);
        let cannot_improve = subset.leaf_errors() == subset.unavoidable;
        if limits.leaf_only()
            || cannot_improve
            || subset.rows < 2 * limits.min_samples_leaf
            || self.clock.stopped()
        {
            return leaf;
        }
        if limits.is_terminal() && growth.exact {
            // Where a greedy tree costs little time, its cost prunes from the beginning.
            let greedy = Growth { exact: false, ..growth };
            let start = (self.spacing(subset) > 1).then(|| self.grow(subset, limits, greedy));
            let upper = start.as_ref().map_or(UNBOUNDED, |start| start.0);
            return self.solve(subset, limits, upper, None).tree.or(start).unwrap_or(leaf);
        }
        let Some(rule) = self.greedy_rule(subset, limits, growth.level) else {
            return leaf;
        };
        let below = Growth { level: growth.level + 1, ..growth };
        let candidate = self.grow_children(subset, limits, &rule, below);
        if candidate.0 < leaf.0 { candidate } else { leaf }
    }

    fn grow_children(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        rule: &Rule,
        growth: Growth,
    ) -> CostedTree {
        let [left, right] = subset.split(self.space.layout, rule);
        let share = proportional_share(limits, &left, &right);
        let (left_cost, left) = self.grow(&left, limits.child(share.0), growth);
        let (right_cost, right) = self.grow(&right, limits.child(share.1), growth);
        (
            self.space.objective.join(left_cost, right_cost),
            Tree::node(rule.feature as u32, rule.rank, left, right),
        )
    }

    /// The rule of minimum impurity; below `DEEPEST_GREEDY` the rule of the most even split.
    fn greedy_rule(&self, subset: &ContinuousSubset, limits: Limits, level: u32) -> Option<Rule> {
        let all = self.compared_weights(subset);
        let mut best: Option<(f64, Rule)> = None;
        let mut consider = |impurity: f64, rule: Rule| {
            if best.as_ref().is_none_or(|(minimum, _)| impurity < *minimum) {
                best = Some((impurity, rule));
            }
        };
        for feature in 0..self.space.layout.features.len() {
            if self.clock.stopped() {
                return None;
            }
            if level > DEEPEST_GREEDY {
                let rules = subset.rules(self.space.layout, feature);
                for rule in rules.iter().filter(|rule| allowed(subset, limits, rule)) {
                    consider(rule.items.abs_diff(subset.count - rule.items) as f64, rule);
                }
                continue;
            }
            let mut left = vec![0.0; self.space.layout.n_classes];
            self.for_each_rule(subset, feature, |slot, rule| {
                let slot = slot as usize;
                left[self.space.layout.class[slot] as usize] +=
                    self.space.layout.weight[slot] as f64;
                if let Some(rule) = rule.filter(|rule| allowed(subset, limits, rule)) {
                    consider(gini(&left, &all), rule);
                }
            });
        }
        self.of_all_items(subset, limits, best?.1)
    }

    /// Weight of each class among the items that compare rules.
    fn compared_weights(&self, subset: &ContinuousSubset) -> Vec<f64> {
        let (layout, spacing) = (self.space.layout, self.spacing(subset));
        if spacing == 1 {
            return subset.class_weights.iter().map(|&weight| weight as f64).collect();
        }
        let mut all = vec![0.0; layout.n_classes];
        for slot in subset.members.iter().filter(|slot| slot.is_multiple_of(spacing)) {
            all[layout.class[slot as usize] as usize] += layout.weight[slot as usize] as f64;
        }
        all
    }

    /// The number by which the slots of the items that compare the rules of a subset are divisible.
    fn spacing(&self, subset: &ContinuousSubset) -> u32 {
        if self.space.layout.bit_columns {
            1
        } else {
            (subset.count / COMPARED_ITEMS).max(1) as u32
        }
    }

    /// The rule with the rank of a rule that `for_each_rule` visited, or the nearest rule that limits
    /// allow.
    fn of_all_items(&self, subset: &ContinuousSubset, limits: Limits, rule: Rule) -> Option<Rule> {
        if self.spacing(subset) == 1 {
            return Some(rule);
        }
        let rules = subset.rules(self.space.layout, rule.feature);
        let allowed = rules.iter().filter(|rule| allowed(subset, limits, rule));
        allowed.min_by_key(|each| each.rank.abs_diff(rule.rank))
    }

    /// Visits the items of a subset that compare its rules, in a feature's order, and the rule after the
    /// last of them of each value. Unless these are all items, rows and weight of rules are estimates.
    fn for_each_rule(
        &self,
        subset: &ContinuousSubset,
        feature: usize,
        mut visit: impl FnMut(u32, Option<Rule>),
    ) {
        let ranks = &self.space.layout.features[feature].ranks;
        let spacing = self.spacing(subset);
        let compared = |slot: &u32| slot.is_multiple_of(spacing);
        let in_order: Vec<u32> = match self.space.layout.bit_columns {
            false => {
                let slots = subset.sorted.order(feature).iter().map(|entry| entry.slot);
                if spacing == 1 { slots.collect() } else { slots.filter(compared).collect() }
            }
            true => {
                let sorted =
                    self.space.layout.features[feature].sorted(&self.space.layout.occupied);
                sorted.iter().copied().filter(|&slot| subset.members.contains(slot)).collect()
            }
        };
        let (mut rows, mut weight) = (0u64, 0);
        for (at, &slot) in in_order.iter().enumerate() {
            // Rows may be weights up to 2^62, so an estimate of them saturates.
            let estimate = self.space.layout.rows[slot as usize].saturating_mul(spacing.into());
            rows = estimate.saturating_add(rows);
            weight += self.space.layout.weight[slot as usize];
            let rank = ranks[slot as usize];
            let ends = in_order.get(at + 1).is_some_and(|&next| ranks[next as usize] != rank);
            visit(slot, ends.then_some(Rule { feature, rank, items: at + 1, rows, weight }));
        }
    }

    /// Improves a tree one rule at a time, in rounds, while that lowers the cost: first the root's rule
    /// with the subtrees fixed, then the subtrees under the new root.
    fn descend(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        start: CostedTree,
    ) -> CostedTree {
        let mut now = start;
        let floor = self.floor(subset, self.reachable_limits(subset, limits));
        for _ in 0..MAX_ROUNDS {
            if now.0 <= floor || self.clock.stopped() {
                break;
            }
            let next = self.reroot(subset, limits, &now.1);
            match next {
                Some(next) if next.0 < now.0 => now = next,
                _ => break,
            }
        }
        now
    }

    fn reroot(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        tree: &Arc<Tree>,
    ) -> Option<CostedTree> {
        let limits = self.reachable_limits(subset, limits);
        if limits.leaf_only() || limits.is_terminal() || self.clock.stopped() {
            return None;
        }
        let Tree::Node { left, right, .. } = &**tree else { return None };
        let rule = self.best_rule_for(subset, limits, left, right)?;
        let [left_subset, right_subset] = subset.split(self.space.layout, &rule);
        let share = proportional_share(limits, &left_subset, &right_subset);
        let (left_limits, right_limits) = (limits.child(share.0), limits.child(share.1));
        let left = self.regrow(&left_subset, left_limits, left);
        let right = self.regrow(&right_subset, right_limits, right);
        let cost = self.space.objective.join(left.0, right.0);
        Some((cost, Tree::node(rule.feature as u32, rule.rank, left.1, right.1)))
    }

    /// The tree of a child whose parent's rule changed: the better of a tree grown anew, exact
    /// where at most two levels are left, and the old tree with its rules improved.
    fn regrow(&mut self, subset: &ContinuousSubset, limits: Limits, old: &Arc<Tree>) -> CostedTree {
        let candidate = self.grow(subset, limits, Growth { level: 1, exact: true });
        let rerooted = self.reroot(subset, limits, old).unwrap_or_else(|| candidate.clone());
        if rerooted.0 < candidate.0 { rerooted } else { candidate }
    }

    /// The root rule with the fewest errors for these two subtrees.
    fn best_rule_for(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        left: &Tree,
        right: &Tree,
    ) -> Option<Rule> {
        let gain: Vec<i64> = self.gains(subset, left, right);
        let mut best: Option<(i64, Rule)> = None;
        for feature in 0..self.space.layout.features.len() {
            let mut sum = 0;
            self.for_each_rule(subset, feature, |slot, rule| {
                sum += gain[slot as usize];
                if let Some(rule) = rule.filter(|rule| allowed(subset, limits, rule))
                    && best.as_ref().is_none_or(|(best_sum, _)| sum > *best_sum)
                {
                    best = Some((sum, rule));
                }
            });
        }
        self.of_all_items(subset, limits, best?.1)
    }

    /// By slot: the item's weight if only the left subtree classifies it correctly, minus its
    /// weight if only the right subtree does, otherwise zero.
    fn gains(&self, subset: &ContinuousSubset, left: &Tree, right: &Tree) -> Vec<i64> {
        let mut gain = vec![0; self.space.layout.slots];
        for slot in subset.members.iter() {
            let at = slot as usize;
            let rank_of = |feature: u32| self.space.layout.features[feature as usize].ranks[at];
            let hit = |tree: &Tree| (tree.predict(rank_of) == self.space.layout.class[at]) as i64;
            gain[at] = (hit(left) - hit(right)) * self.space.layout.weight[at] as i64;
        }
        gain
    }

    fn leaf_tree(&self, subset: &ContinuousSubset) -> CostedTree {
        let class = Errors::leaf_class(&subset.class_weights);
        (self.space.objective.leaf(subset.leaf_errors()), Tree::leaf(class))
    }
}

/// Whether both children of a rule have enough rows.
fn allowed(subset: &ContinuousSubset, limits: Limits, rule: &Rule) -> bool {
    rule.rows >= limits.min_samples_leaf
        && subset.rows.saturating_sub(rule.rows) >= limits.min_samples_leaf
}

/// The shares of the size, among those to try, that are closest to proportional to the weights of
/// the two children.
fn proportional_share(
    limits: Limits,
    left: &ContinuousSubset,
    right: &ContinuousSubset,
) -> (u32, u32) {
    let below = limits.size as f64 - 1.0;
    let proportional = below * left.weight as f64 / (left.weight + right.weight) as f64;
    let distance = |share: &(u32, u32)| (share.0 as f64 - proportional).abs();
    let closest = limits.shares().into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    closest.unwrap_or((0, 0))
}

/// Weighted Gini impurity of both children, up to constants, from the weights of the classes.
fn gini(left: &[f64], all: &[f64]) -> f64 {
    let (mut left_squares, mut right_squares) = (0.0, 0.0);
    let (mut left_weight, mut right_weight) = (0.0, 0.0);
    for (&left, &all) in left.iter().zip(all) {
        left_squares += left * left;
        right_squares += (all - left) * (all - left);
        left_weight += left;
        right_weight += all - left;
    }
    -(left_squares / left_weight + right_squares / right_weight)
}
