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
use crate::intervals::{Edge, Interval, Trial, Tried};
use crate::part::Rule;
use crate::tried_node::Kind;
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

/// Items times features below which one thread evaluates all thresholds of a part: a
/// pass over so many takes some tens of microseconds.
const MOST_ENTRIES_ALONE: usize = 1 << 14;

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
        loop {
            if self.helpers_wait() && self.shares_stumps(part) {
                (open, bracket) = self.together(part, limits, Kind::Stumps, open, bracket);
                break;
            }
            let discards = &mut self.stats.discards;
            let Some(interval) = open.most_promising(bracket.upper, discards) else { break };
            if self.must_stop(&bracket, interval.lower) {
                open.put_back(interval);
                break;
            }
            let trial = open.trial(interval, bracket.upper, false);
            let sides =
                sides.get_or_insert_with(|| Sides::new(self.ground, part, self.price, self.level));
            let tried = self.try_stumps(&trial, part, limits, sides);
            tried.enter(trial, &mut open, &mut bracket);
        }
        self.open_calls -= 1;
        self.stats.discards.stump_bounds += sides.map_or(0, |sides| sides.left_out);
        self.branch_answer(part, limits, open, inherited, bracket)
    }

    /// Gives both sides of a threshold their best stump.
    pub fn try_stumps(
        &mut self,
        trial: &Trial,
        part: &Part,
        limits: Limits,
        sides: &mut Sides<'_>,
    ) -> Tried {
        let Trial { interval, rule, upper, .. } = trial;
        self.stats.stump_evaluations += 1;
        let found = sides.evaluate(rule, &self.between(interval, *upper));
        let least = |side: usize, edge: &Edge, size: u32| {
            let cost = if size == 0 { found.leaves[side] } else { found.best[side] };
            cost.max(self.edge(edge))
        };
        let known = Known {
            feature: rule.feature,
            rank: rule.rank,
            left: least(0, &interval.before, 1),
            right: least(1, &interval.after, 1),
        };
        let left = least(0, &interval.before, interval.share.0);
        let right = least(1, &interval.after, interval.share.1);
        let (mut lower, mut tree) = (left + right, None);
        if lower < *upper {
            let (cost, found) = self.with_stumps(part, limits, rule, interval.share);
            // More than before only with a demand on rows.
            lower = cost;
            tree = Some((cost, found));
        }
        let (total, at, notes) = (left + right, rule.weight, found.notes);
        let edge = |side| Edge { side, total, at, notes, by_threshold: None };
        Tried { sides: Some((edge(left), edge(right))), lower, tree, known: vec![known] }
    }

    /// Whether an evaluation takes so long that threads should share them.
    fn shares_stumps(&self, part: &Part) -> bool {
        part.count * part.sorted.len() >= MOST_ENTRIES_ALONE
    }

    /// What the ends of an interval say of the stumps at a root in it.
    fn between(&self, interval: &Interval, upper: Cost) -> Between {
        if !self.options.stump_bounds {
            return Between { notes: [None; 2], useless: [Cost::MAX; 2] };
        }
        let useless = |other: &Edge| upper.saturating_sub(self.edge(other));
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
