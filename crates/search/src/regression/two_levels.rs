//! Parts with two levels left: root thresholds are evaluated one by one, the most
//! promising intervals first; the best stumps of both sides come from one pass over
//! the orders of the features.
//!
//! *Stump bounds.* What the best stump on a feature costs does not fall when items are
//! added. So what it cost on a side inside this one bounds it from below, and the
//! feature need not be looked at where that is no less than the best stump known on
//! this side, or useless: left of a root in an open interval with evaluated ends a and
//! b, a stump of cost c is useless if c + R(b) is no better than the incumbent;
//! likewise on the right with L(a). If a side's least cost is a useless bound, both
//! sides together cost no less than the incumbent, because the other side costs at
//! least what its edge says; so a cost below the incumbent is exact.

use super::part::Part;
use super::search::Search;
use super::sides::{Between, Sides};
use super::stump::Costed;
use crate::answer::{Answer, Bracket};
use crate::inherited::{Inherited, Known};
use crate::intervals::{Edge, Interval};
use crate::mutants::{Mutant, off};
use crate::part::Rule;
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

impl Search<'_> {
    /// The best tree of depth at most two.
    pub fn two_levels(
        &mut self,
        part: &Part,
        limits: Limits,
        mut bracket: Bracket,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        self.stats.depth_two_calls += 1;
        let mut open = self.in_order(part, limits, &bracket, inherited);
        let mut sides = None;
        self.open_calls += 1;
        while let Some(interval) = open.most_promising(bracket.upper, &mut self.stats.discards) {
            if self.must_stop(&bracket, interval.lower) {
                open.put_back(interval);
                break;
            }
            self.stats.stump_evaluations += 1;
            let middle = open.middle(&interval);
            let rule = open.rules[interval.feature as usize].get(middle as usize);
            let between = self.between(&interval, bracket.upper);
            let sides =
                sides.get_or_insert_with(|| Sides::new(self.ground, part, self.price, self.level));
            let found = sides.evaluate(&rule, &between);
            let least = |side: usize, edge: &Edge, size: u32| {
                let cost = if size == 0 { found.leaves[side] } else { found.best[side] };
                cost.max(self.edge(edge))
            };
            let all = [least(0, &interval.before, 1), least(1, &interval.after, 1)];
            open.known.push(Known {
                feature: rule.feature,
                rank: rule.rank,
                left: all[0],
                right: all[1],
            });
            let left = least(0, &interval.before, interval.share.0);
            let right = least(1, &interval.after, interval.share.1);
            let mut lower = left + right;
            if lower < bracket.upper {
                let (cost, tree) = self.with_stumps(part, limits, &rule, interval.share);
                bracket.improve(cost, tree);
                // More than before only with a demand on rows.
                lower = cost;
            }
            let edge = |side| Edge { side, notes: found.notes, ..Edge::default() };
            open.halve(interval, middle, edge(left), edge(right), lower);
        }
        self.open_calls -= 1;
        self.stats.discards.stump_bounds += sides.map_or(0, |sides| sides.left_out);
        self.branch_answer(part, limits, open, inherited, bracket)
    }

    /// What the ends of an interval say of the stumps at a root in it.
    fn between(&self, interval: &Interval, upper: Cost) -> Between {
        if !self.options.stump_bounds {
            return Between { notes: [None; 2], useless: [Cost::MAX; 2] };
        }
        let useless = |other: &Edge| {
            let spare = upper.saturating_sub(self.edge(other));
            spare.saturating_sub(off(Mutant::RegressionStumpBounds) * (1 + spare / 8))
        };
        Between {
            notes: [interval.before.notes, interval.after.notes],
            useless: [useless(&interval.after), useless(&interval.before)],
        }
    }

    /// The best tree with this root and such sides.
    fn with_stumps(
        &mut self,
        part: &Part,
        limits: Limits,
        rule: &Rule,
        share: (u32, u32),
    ) -> Costed {
        let (left, right) = part.divide(self.ground, rule);
        let left = self.leaf_or_stump(&left, share.0, limits.min_rows);
        let right = self.leaf_or_stump(&right, share.1, limits.min_rows);
        (left.0 + right.0, Tree::node(rule.feature as u32, rule.rank, left.1, right.1))
    }
}
