//! Which thresholds of a feature to list, so that bounds on their children prove a claim for all
//! splits of the feature.
//!
//! The checker's rule: with bounds L and R on the children of thresholds a < b, no split from a to b
//! costs less than L(a) + R(b), and no split with weight w between itself and a costs less than
//! L(a) + R(a) - w. All splits must be covered; before the first threshold L is the price of a leaf,
//! after the last threshold R is. With a minimum leaf size L(a) holds up to the next listed threshold
//! and R(a) from the one before: their outer sets reach so far (`engine/two_set_bound.rs`). The
//! children of a threshold that is listed twice have their own rows.

use super::certified_space::CertifiedSpace;
use crate::engine::rules::Rules;
use exactree_model::Cost;
use std::cmp::Reverse;

/// Why a bound is not proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Stopped,
    /// Some tree costs less.
    Refuted,
}

/// An evaluated threshold: its place among the splits, and bounds on both children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub at: usize,
    pub costs: [Cost; 2],
    /// The notes of the evaluator (`depth_two/evaluator.rs`).
    pub notes: Option<u32>,
    /// With a minimum leaf size the thresholds from which the right bound and up to which the left
    /// bound holds; `None` for all.
    pub within: [Option<usize>; 2],
    /// With a minimum leaf size bounds on the children with their own rows, if they are needed.
    pub exact: Option<[Cost; 2]>,
}

/// A threshold of a list: its place among the splits, and the bounds that are needed. With a minimum
/// leaf size a place may be listed twice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub at: usize,
    pub costs: [Cost; 2],
}

/// The splits of a subset by a feature, all of which must cost at least `value`.
pub(super) struct Cover<'r> {
    rules: &'r Rules,
    value: Cost,
    /// The price of a unit of weight of a rule.
    reach_price: Cost,
    leaf_price: Cost,
}

impl<'r> Cover<'r> {
    pub(super) fn new(space: &impl CertifiedSpace, rules: &'r Rules, value: Cost) -> Self {
        Cover { rules, value, reach_price: space.reach_price(), leaf_price: space.leaf_price() }
    }

    /// Evaluates thresholds until all splits are covered; returns them in order. The middle of what
    /// is not covered is evaluated first.
    pub(super) fn evaluate(
        &self,
        mut evaluate: impl FnMut(usize, [Option<&Known>; 2]) -> Result<Known, Failure>,
    ) -> Result<Vec<Known>, Failure> {
        let mut evaluated: Vec<Known> = Vec::new();
        let mut open: Vec<[Option<Known>; 2]> = vec![[None; 2]];
        while let Some([before, after]) = open.pop() {
            let (first, end) = self.uncovered(before.as_ref(), after.as_ref());
            if first < end {
                let middle = first.midpoint(end - 1);
                let known = evaluate(middle, [before.as_ref(), after.as_ref()])?;
                let costs = known.exact.unwrap_or(known.costs);
                if costs[0] + costs[1] < self.value {
                    return Err(Failure::Refuted);
                }
                evaluated.push(known);
                open.extend([[before, Some(known)], [Some(known), after]]);
            }
        }
        evaluated.sort_unstable_by_key(|known| known.at);
        Ok(evaluated)
    }

    /// The splits between two thresholds that they do not cover.
    fn uncovered(&self, before: Option<&Known>, after: Option<&Known>) -> (usize, usize) {
        let first = before.map_or(0, |known| known.at + 1);
        let end = after.map_or(self.rules.len(), |known| known.at);
        if first >= end || self.between(before, after) >= self.value {
            return (end, end);
        }
        let weight = |known: &Known| self.rules.get(known.at).weight;
        // The distance up to which a threshold covers others; `None` if only its exact costs suffice.
        let spare = |known: &Known| {
            let above = (known.costs[0] + known.costs[1]).checked_sub(self.value);
            above.map(|above| above / self.reach_price)
        };
        let reach =
            |known: Option<&Known>| known.and_then(|known| Some((weight(known), spare(known)?)));
        let first = reach(before).map_or(first, |(at, spare)| {
            self.rules.partition_point(first..end, |rule| rule.weight <= at + spare)
        });
        let end = reach(after).map_or(end, |(at, spare)| {
            let far = at.saturating_sub(spare);
            self.rules.partition_point(first..end, |rule| rule.weight < far)
        });
        (first, end)
    }

    /// How far bounds on the children of a threshold should exceed the value: by half of the
    /// weight up to the farther neighbour, as in `engine/intervals.rs`.
    pub(super) fn margin(&self, at: usize, [before, after]: [Option<&Known>; 2]) -> Cost {
        let weight = |at: usize| self.rules.get(at).weight;
        let first = before.map_or(0, |known| known.at);
        let last = after.map_or(self.rules.len() - 1, |known| known.at);
        let far = (weight(at) - weight(first)).max(weight(last) - weight(at));
        far / 2 * self.reach_price
    }

    /// The bound on the splits from one threshold to the next.
    fn between(&self, before: Option<&Known>, after: Option<&Known>) -> Cost {
        let leaf = self.leaf_price;
        before.map_or(leaf, |known| known.costs[0]) + after.map_or(leaf, |known| known.costs[1])
    }

    /// The fewest of the evaluated thresholds that cover all splits.
    pub(super) fn shortest(&self, known: &[Known]) -> Vec<Known> {
        let covered = |before: Option<&Known>, after: Option<&Known>| {
            let (first, end) = self.uncovered(before, after);
            let until = before.and_then(|known| known.within[1]);
            let from = after.and_then(|known| known.within[0]);
            first >= end
                && until.is_none_or(|until| after.is_some_and(|known| known.at <= until))
                && from.is_none_or(|from| before.is_some_and(|known| known.at >= from))
        };
        if covered(None, None) {
            return Vec::new();
        }
        // By threshold: the length of the shortest list that ends there, and the threshold before.
        let mut lists: Vec<Option<(usize, Option<usize>)>> = Vec::new();
        for (at, next) in known.iter().enumerate() {
            let start = covered(None, Some(next)).then_some((1, None));
            let after = (0..at).filter_map(|last| {
                let (length, _) = lists[last]?;
                covered(Some(&known[last]), Some(next)).then_some((length + 1, Some(last)))
            });
            lists.push(start.into_iter().chain(after).min());
        }
        let ends = (0..known.len()).filter(|&at| covered(Some(&known[at]), None));
        let mut last = ends.filter(|&at| lists[at].is_some()).min_by_key(|&at| lists[at]);
        let mut shortest = Vec::new();
        while let Some(at) = last {
            shortest.push(known[at]);
            last = lists[at].and_then(|(_, before)| before);
        }
        shortest.reverse();
        shortest
    }

    /// For a list that covers all splits, the least bounds on children with which it still does.
    pub(super) fn needed(&self, list: &[Known]) -> Vec<Listed> {
        let (value, leaf) = (self.value, self.leaf_price);
        let weight = |at: usize| self.rules.get(at).weight;
        let count = list.len();
        // By threshold: whether the bounds with the threshold before and after it are used, and what
        // the sum of its own bounds must be.
        let mut joined = vec![[false; 2]; count];
        let mut sums: Vec<Option<Cost>> = vec![None; count];
        for gap in 0..=count {
            let (before, after) = (gap.checked_sub(1).map(|at| &list[at]), list.get(gap));
            let first = before.map_or(0, |known| known.at + 1);
            let end = after.map_or(self.rules.len(), |known| known.at);
            if first >= end {
                continue;
            }
            if self.between(before, after) >= value {
                before.iter().for_each(|_| joined[gap - 1][1] = true);
                after.iter().for_each(|_| joined[gap][0] = true);
                continue;
            }
            let (from, _) = self.uncovered(before, None);
            if let Some(before) = before.filter(|_| from > first) {
                let moved = weight(from.min(end) - 1) - weight(before.at);
                let sum = value + moved * self.reach_price;
                sums[gap - 1] = sums[gap - 1].max(Some(sum));
            }
            if let Some(after) = after.filter(|_| from < end) {
                let moved = weight(after.at) - weight(from.max(first));
                let sum = value + moved * self.reach_price;
                sums[gap] = sums[gap].max(Some(sum));
            }
        }
        let mut exact = vec![None; count];
        for at in (0..count).filter(|&at| joined[at] == [false; 2]) {
            exact[at] = list[at].exact;
            if exact[at].is_none() {
                sums[at] = sums[at].max(Some(value));
            }
        }
        let mut costs: Vec<[Cost; 2]> = list.iter().map(|known| known.costs).collect();
        let total = if self.rules.len() == 0 { 0 } else { weight(self.rules.len() - 1) };
        let mut bounds: Vec<(usize, usize)> =
            (0..count).flat_map(|at| [(at, 0), (at, 1)]).collect();
        // The bounds of large children are the hardest to prove.
        bounds.sort_by_key(|&(at, side)| {
            let below = weight(list[at].at);
            Reverse(if side == 0 { below } else { total - below })
        });
        for (at, side) in bounds {
            let neighbour = if side == 0 { Some(at + 1) } else { at.checked_sub(1) };
            let other =
                neighbour.and_then(|at| costs.get(at)).map_or(leaf, |costs| costs[1 - side]);
            let joined = if joined[at][1 - side] { value.saturating_sub(other) } else { 0 };
            let own = sums[at].map_or(0, |sum| sum.saturating_sub(costs[at][1 - side]));
            costs[at][side] = joined.max(own).max(leaf);
        }
        let listed = |at: usize| {
            let (place, [left, right]) = (list[at].at, costs[at]);
            let Some(exact) = exact[at] else {
                return vec![Listed { at: place, costs: costs[at] }];
            };
            let less = |side: usize| value.saturating_sub(exact[1 - side]).max(leaf);
            let below = weight(place);
            // As above, less for the larger child.
            let [own_left, own_right] =
                if below > total - below { [less(0), exact[1]] } else { [exact[0], less(1)] };
            [[own_left, right], [left, own_right]].map(|costs| Listed { at: place, costs }).to_vec()
        };
        (0..count).flat_map(listed).collect()
    }
}
