//! The first incumbent: a greedy tree whose lowest two levels are exact, improved by
//! re-choosing one rule at a time.
//!
//! An incumbent only lowers what the search must beat; it needs no argument beyond its
//! own cost, which is counted on the items.

use super::part::Part;
use super::search::Search;
use super::stump::Costed;
use crate::part::Rule;
use exactree_model::{Limits, Tree, UNBOUNDED};

/// Nodes below which the greedy rule gives way to the most even one, so that a tree
/// without limits cannot become a chain as long as the table.
const DEEPEST_GREEDY: u32 = 64;

impl Search<'_> {
    /// A good tree for the whole table, found fast.
    pub fn incumbent(&mut self, part: &Part, limits: Limits) -> Costed {
        self.open_calls += 1;
        let greedy = self.grown(part, limits, 0, false);
        self.progress.report(greedy.0, 0);
        let exact = self.grown(part, limits, 0, true);
        self.open_calls -= 1;
        if exact.0 < greedy.0 { exact } else { greedy }
    }

    /// Grows by the best stump. If asked to, solves parts with two levels left
    /// exactly; the memo keeps them for the search.
    fn grown(&mut self, part: &Part, limits: Limits, level: u32, exact: bool) -> Costed {
        let leaf = (self.leaf(part), Tree::leaf(0));
        let limits = self.usable(part, limits, UNBOUNDED);
        let rows = 2 * limits.min_rows;
        if limits.leaf_only() || part.pure || part.rows < rows || self.clock.stopped() {
            return leaf;
        }
        if exact && (limits.depth <= 2 || self.is_counted(limits)) {
            let answer = self.best(part, limits, UNBOUNDED, None);
            return answer.tree.unwrap_or(leaf);
        }
        let Some((feature, rank, left, right)) = self.greedy_division(part, limits, level) else {
            return leaf;
        };
        let wanted = (limits.size as f64 - 1.0) * left.count as f64 / part.count as f64;
        let far = |share: &(u32, u32)| (share.0 as f64 - wanted).abs();
        let shares = limits.shares().into_iter();
        let share = shares.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or((0, 0));
        let left = self.grown(&left, limits.side(share.0), level + 1, exact);
        let right = self.grown(&right, limits.side(share.1), level + 1, exact);
        let cost = left.0 + right.0;
        if cost >= leaf.0 {
            return leaf;
        }
        (cost, Tree::node(feature, rank, left.1, right.1))
    }

    fn greedy_division(
        &mut self,
        part: &Part,
        limits: Limits,
        level: u32,
    ) -> Option<(u32, u32, Part, Part)> {
        if let Some(columns) = &self.ground.columns {
            let even = level > DEEPEST_GREEDY;
            let column =
                if even { self.most_even(part, limits) } else { self.best_column(part, limits) }?;
            let (feature, rank) = columns.rules[column];
            let (left, right) = part.sides_of(self.ground, column);
            return Some((feature, rank, left, right));
        }
        let rule = self.greedy_rule(part, limits, level)?;
        let (left, right) = part.divide(self.ground, &rule);
        Some((rule.feature as u32, rule.rank, left, right))
    }

    fn greedy_rule(&mut self, part: &Part, limits: Limits, level: u32) -> Option<Rule> {
        let features = 0..part.sorted.len();
        if level > DEEPEST_GREEDY {
            let rules = features
                .flat_map(|at| part.rules(self.ground, at, false).iter().collect::<Vec<_>>());
            let rows = limits.min_rows;
            let allowed = rules.filter(|rule| rule.rows.min(part.rows - rule.rows) >= rows);
            return allowed.min_by_key(|rule| rule.items.abs_diff(part.count - rule.items));
        }
        let clock = self.clock;
        let stumps = features.take_while(|_| !clock.stopped()).filter_map(|feature| {
            let (cost, rank) = self.best_stump(part, feature, limits.min_rows)?;
            Some((cost, feature, rank))
        });
        let (_, feature, rank) = stumps.min()?;
        self.rule_of(part, feature, rank)
    }
}
