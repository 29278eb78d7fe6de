//! The first incumbent: a greedy tree, then one whose lowest two levels are
//! exact, then that one improved one rule at a time.
//!
//! An incumbent only lowers what the search must beat; it needs no argument
//! beyond its own cost, which is counted on the items.

use crate::best::Search;
use crate::part::{Part, Rule};
use exactree_model::{Cost, Errors, Limits, Tree, UNBOUNDED};
use std::sync::Arc;

/// Nodes below which the greedy rule gives way to the most even one, so that a
/// tree without limits cannot become a chain as long as the table.
const DEEPEST_GREEDY: u32 = 64;

/// Rounds of improvement; each must lower the cost, few are ever needed.
const MOST_ROUNDS: usize = 16;

/// Items times features up to which two levels are a matter of some milliseconds.
const AT_ONCE: usize = 1 << 18;

type Costed = (Cost, Arc<Tree>);

/// How a greedy tree grows on.
#[derive(Clone, Copy)]
struct Growth {
    /// Nodes above.
    level: u32,
    /// Whether the lowest two levels are solved exactly.
    exact: bool,
}

impl Search<'_> {
    /// A good tree for the whole table, found fast. Shows what it has on the
    /// way, if that costs less than `below`.
    pub(crate) fn incumbent(&mut self, part: &Part, limits: Limits, below: Cost) -> Costed {
        let exact = Growth { level: 0, exact: true };
        // What one call answers within milliseconds needs no tree to begin with.
        if limits.small() && part.count * self.layout.features.len() <= AT_ONCE {
            return self.grow(part, limits, exact);
        }
        let greedy = self.greedy(part, limits);
        self.show(greedy.0, below);
        let grown = self.grow(part, limits, exact);
        let start = if grown.0 < greedy.0 { grown } else { greedy };
        self.show(start.0, below);
        if self.options.descent { self.descend(part, limits, start) } else { start }
    }

    fn show(&self, cost: Cost, below: Cost) {
        self.progress.report(if cost < below { cost } else { UNBOUNDED }, 0);
    }

    /// The tree of the greedy rule alone.
    pub(crate) fn greedy(&mut self, part: &Part, limits: Limits) -> Costed {
        self.grow(part, limits, Growth { level: 0, exact: false })
    }

    /// Grows by the rule of least Gini impurity. If asked to, solves parts with
    /// two levels left exactly; the memo keeps them for the search.
    fn grow(&mut self, part: &Part, limits: Limits, growth: Growth) -> Costed {
        let leaf = self.leaf_tree(part);
        let limits = self.usable(part, limits, UNBOUNDED);
        let pure = part.leaf_errors() == part.unavoidable;
        if limits.leaf_only() || pure || part.rows < 2 * limits.min_rows || self.clock.stopped() {
            return leaf;
        }
        if limits.small() && growth.exact {
            return self.best(part, limits, UNBOUNDED, None).tree.unwrap_or(leaf);
        }
        let Some(rule) = self.greedy_rule(part, limits, growth.level) else {
            return leaf;
        };
        let below = Growth { level: growth.level + 1, ..growth };
        let grown = self.grow_sides(part, limits, &rule, below);
        if grown.0 < leaf.0 { grown } else { leaf }
    }

    fn grow_sides(&mut self, part: &Part, limits: Limits, rule: &Rule, growth: Growth) -> Costed {
        let (left, right) = part.divide(self.layout, rule);
        let share = even_share(limits, &left, &right);
        let (left_cost, left) = self.grow(&left, limits.side(share.0), growth);
        let (right_cost, right) = self.grow(&right, limits.side(share.1), growth);
        (
            self.objective.join(left_cost, right_cost),
            Tree::node(rule.feature as u32, rule.rank, left, right),
        )
    }

    /// The rule of least impurity, or near the end of the stack the most even.
    fn greedy_rule(&self, part: &Part, limits: Limits, level: u32) -> Option<Rule> {
        let mut best: Option<(f64, Rule)> = None;
        let mut consider = |impurity: f64, rule: Rule| {
            if best.as_ref().is_none_or(|(least, _)| impurity < *least) {
                best = Some((impurity, rule));
            }
        };
        for feature in 0..self.layout.features.len() {
            if self.clock.stopped() {
                return None;
            }
            let allowed = |rule: &Rule| {
                rule.rows >= limits.min_rows && part.rows - rule.rows >= limits.min_rows
            };
            if level > DEEPEST_GREEDY {
                for rule in part.rules(self.layout, feature).iter().filter(allowed) {
                    consider(rule.items.abs_diff(part.count - rule.items) as f64, rule);
                }
                continue;
            }
            let mut left = vec![0.0; self.layout.n_classes];
            self.for_each_rule(part, feature, |slot, rule| {
                let slot = slot as usize;
                left[self.layout.class[slot] as usize] += self.layout.weight[slot] as f64;
                if let Some(rule) = rule.filter(allowed) {
                    consider(gini(&left, part), rule);
                }
            });
        }
        best.map(|(_, rule)| rule)
    }

    /// Visits the items of a part in a feature's order; after the last item of
    /// a value, with the rule that ends there.
    fn for_each_rule(&self, part: &Part, feature: usize, mut visit: impl FnMut(u32, Option<Rule>)) {
        let ranks = &self.layout.features[feature].ranks;
        let in_order: Vec<u32> = match self.layout.bit_columns {
            false => part.sorted.order(feature).iter().map(|entry| entry.slot).collect(),
            true => {
                let sorted = self.layout.features[feature].sorted(&self.layout.occupied);
                sorted.iter().copied().filter(|&slot| part.members.contains(slot)).collect()
            }
        };
        let (mut rows, mut weight) = (0, 0);
        for (at, &slot) in in_order.iter().enumerate() {
            rows += self.layout.rows[slot as usize];
            weight += self.layout.weight[slot as usize];
            let rank = ranks[slot as usize];
            let ends = in_order.get(at + 1).is_some_and(|&next| ranks[next as usize] != rank);
            visit(slot, ends.then_some(Rule { feature, rank, items: at + 1, rows, weight }));
        }
    }

    /// Re-chooses one rule at a time while that lowers the cost: the root's for
    /// the subtrees as they are, then the subtrees for the new root.
    fn descend(&mut self, part: &Part, limits: Limits, start: Costed) -> Costed {
        let mut now = start;
        let floor = self.floor(part, self.usable(part, limits, UNBOUNDED));
        for _ in 0..MOST_ROUNDS {
            if now.0 <= floor || self.clock.stopped() {
                break;
            }
            let next = self.rerooted(part, limits, &now.1);
            match next {
                Some(next) if next.0 < now.0 => now = next,
                _ => break,
            }
        }
        now
    }

    fn rerooted(&mut self, part: &Part, limits: Limits, tree: &Arc<Tree>) -> Option<Costed> {
        let limits = self.usable(part, limits, UNBOUNDED);
        if limits.leaf_only() || limits.small() || self.clock.stopped() {
            return None;
        }
        let Tree::Node { left, right, .. } = &**tree else { return None };
        let rule = self.best_rule_for(part, limits, left, right)?;
        let (left_part, right_part) = part.divide(self.layout, &rule);
        let share = even_share(limits, &left_part, &right_part);
        let (left_limits, right_limits) = (limits.side(share.0), limits.side(share.1));
        let left = self.regrown(&left_part, left_limits, left);
        let right = self.regrown(&right_part, right_limits, right);
        let cost = self.objective.join(left.0, right.0);
        Some((cost, Tree::node(rule.feature as u32, rule.rank, left.1, right.1)))
    }

    /// A side after its parent's rule moved: exact if small, grown anew
    /// otherwise, and improved in its turn.
    fn regrown(&mut self, part: &Part, limits: Limits, old: &Arc<Tree>) -> Costed {
        let grown = self.grow(part, limits, Growth { level: 1, exact: true });
        let rerooted = self.rerooted(part, limits, old).unwrap_or_else(|| grown.clone());
        if rerooted.0 < grown.0 { rerooted } else { grown }
    }

    /// The root rule that errs least when both subtrees stay as they are.
    fn best_rule_for(
        &self,
        part: &Part,
        limits: Limits,
        left: &Tree,
        right: &Tree,
    ) -> Option<Rule> {
        let gain: Vec<i64> = self.gains(part, left, right);
        let mut best: Option<(i64, Rule)> = None;
        for feature in 0..self.layout.features.len() {
            let mut sum = 0;
            self.for_each_rule(part, feature, |slot, rule| {
                sum += gain[slot as usize];
                let allowed = |rule: &Rule| {
                    rule.rows >= limits.min_rows && part.rows - rule.rows >= limits.min_rows
                };
                if let Some(rule) = rule.filter(allowed)
                    && best.as_ref().is_none_or(|(most, _)| sum > *most)
                {
                    best = Some((sum, rule));
                }
            });
        }
        best.map(|(_, rule)| rule)
    }

    /// By slot, the weight that is right on the left and wrong on the right,
    /// less what is wrong on the left and right on the right.
    fn gains(&self, part: &Part, left: &Tree, right: &Tree) -> Vec<i64> {
        let mut gain = vec![0; self.layout.slots];
        for slot in part.members.iter() {
            let at = slot as usize;
            let rank_of = |feature: u32| self.layout.features[feature as usize].ranks[at];
            let hit = |tree: &Tree| (tree.predict(rank_of) == self.layout.class[at]) as i64;
            gain[at] = (hit(left) - hit(right)) * self.layout.weight[at] as i64;
        }
        gain
    }

    fn leaf_tree(&self, part: &Part) -> Costed {
        let class = Errors::leaf_class(&part.class_weights);
        (self.objective.leaf(part.leaf_errors()), Tree::leaf(class))
    }
}

/// The share of the size nearest to the weights of the two sides.
fn even_share(limits: Limits, left: &Part, right: &Part) -> (u32, u32) {
    let below = limits.size as f64 - 1.0;
    let wanted = below * left.weight as f64 / (left.weight + right.weight) as f64;
    let far = |share: &(u32, u32)| (share.0 as f64 - wanted).abs();
    limits.shares().into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or((0, 0))
}

/// Weighted Gini impurity of both sides, up to constants.
fn gini(left: &[f64], part: &Part) -> f64 {
    let (mut left_squares, mut right_squares, mut left_weight) = (0.0, 0.0, 0.0);
    for (&left, &all) in left.iter().zip(&part.class_weights) {
        left_squares += left * left;
        right_squares += (all as f64 - left) * (all as f64 - left);
        left_weight += left;
    }
    let right_weight = part.weight as f64 - left_weight;
    -(left_squares / left_weight + right_squares / right_weight)
}
