//! The first incumbent: a greedy tree, or a greedy tree whose lowest two levels are exact.
//!
//! An incumbent only lowers the upper bound. It needs no proof except that its cost
//! is right, and this is counted on the items.

use super::cost_space::RegressionSearch;
use super::subset::RegressionSubset;
use crate::engine::rules::Rule;
use crate::engine::solution::CostedTree;
use exactree_model::{Limits, Tree, UNBOUNDED};

/// Depth below which the most even split replaces the greedy split, so that a tree without limits
/// cannot become a path as long as the table.
const DEEPEST_GREEDY: u32 = 64;

impl RegressionSearch<'_, '_> {
    /// A good tree for the whole table, found fast.
    pub(crate) fn incumbent(&mut self, subset: &RegressionSubset, limits: Limits) -> CostedTree {
        self.open_calls += 1;
        let greedy = self.grow(subset, limits, 0, false);
        self.progress.report(greedy.0, 0);
        let exact = self.grow(subset, limits, 0, true);
        self.open_calls -= 1;
        if exact.0 < greedy.0 { exact } else { greedy }
    }

    /// Grows the tree by the rule of the best stump. If requested, solves subsets with two levels
    /// left exactly; the cache keeps them for the search.
    fn grow(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        level: u32,
        exact: bool,
    ) -> CostedTree {
        let leaf = (self.leaf_cost(subset), Tree::leaf(0));
        let limits = self.reachable_limits(subset, limits, UNBOUNDED);
        let rows = 2 * limits.min_samples_leaf;
        if limits.leaf_only() || subset.pure || subset.rows < rows || self.clock.stopped() {
            return leaf;
        }
        if exact && (limits.depth <= 2 || self.is_counted(limits)) {
            let solution = self.solve(subset, limits, UNBOUNDED, None);
            return solution.tree.unwrap_or(leaf);
        }
        let Some((feature, rank, left, right)) = self.greedy_split(subset, limits, level) else {
            return leaf;
        };
        let wanted = (limits.size as f64 - 1.0) * left.count as f64 / subset.count as f64;
        let far = |share: &(u32, u32)| (share.0 as f64 - wanted).abs();
        let shares = limits.shares().into_iter();
        let share = shares.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or((0, 0));
        let left = self.grow(&left, limits.child(share.0), level + 1, exact);
        let right = self.grow(&right, limits.child(share.1), level + 1, exact);
        let cost = left.0 + right.0;
        if cost >= leaf.0 {
            return leaf;
        }
        (cost, Tree::node(feature, rank, left.1, right.1))
    }

    fn greedy_split(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        level: u32,
    ) -> Option<(u32, u32, RegressionSubset, RegressionSubset)> {
        if let Some(columns) = &self.space.prepared.columns {
            let even = level > DEEPEST_GREEDY;
            let column = if even {
                self.most_even_split(subset, limits)
            } else {
                self.best_column(subset, limits)
            }?;
            let (feature, rank) = columns.rules[column];
            let [left, right] = subset.children_of(self.space.prepared, column);
            return Some((feature, rank, left, right));
        }
        let rule = self.greedy_rule(subset, limits, level)?;
        let [left, right] = subset.split(self.space.prepared, &rule);
        Some((rule.feature as u32, rule.rank, left, right))
    }

    fn greedy_rule(
        &mut self,
        subset: &RegressionSubset,
        limits: Limits,
        level: u32,
    ) -> Option<Rule> {
        let features = 0..subset.sorted.features();
        if level > DEEPEST_GREEDY {
            let rules = features
                .flat_map(|at| subset.rules(self.space.prepared, at).iter().collect::<Vec<_>>());
            let rows = limits.min_samples_leaf;
            let allowed = rules.filter(|rule| rule.rows.min(subset.rows - rule.rows) >= rows);
            return allowed.min_by_key(|rule| rule.items.abs_diff(subset.count - rule.items));
        }
        let clock = self.clock;
        let stumps = features.take_while(|_| !clock.stopped()).filter_map(|feature| {
            let (cost, rank) = self.best_stump(subset, feature, limits.min_samples_leaf)?;
            Some((cost, feature, rank))
        });
        let (_, feature, rank) = stumps.min()?;
        let rules = subset.rules(self.space.prepared, feature);
        let at = rules.ends.partition_point(|end| end.rank <= rank).checked_sub(1)?;
        Some(rules.get(at))
    }
}
