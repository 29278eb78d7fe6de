//! Open intervals of thresholds, and how evaluated thresholds prune others.
//!
//! For a node with a fixed feature, let L(t) and R(t) be the minimum costs of the
//! two children of threshold t within their limits, and E(t) = L(t) + R(t).
//!
//! *Interval bound.* For a < t < b the left child of t contains that of a, the right child of t
//! contains that of b, and minimum costs do not fall when items are added (restrict a best tree of
//! the larger set to the smaller: no new errors, no new leaves). So E(t) >= L(a) + R(b), and the
//! whole interval is pruned when that is at least the incumbent's cost.
//!
//! *Similarity bound.* Moving items of weight w from one child to the other lowers the minimum cost
//! of the child they leave by at most w times the price of a unit of weight (keep the tree, add w
//! errors), and does not lower the other. So if w is the weight between t and an evaluated
//! threshold m, then E(t) >= E(m) - w at a price of one, and t is pruned if that is at least the
//! incumbent's cost.
//!
//! Neither bound holds with a minimum leaf size: a tree allowed for a subset may be forbidden for a
//! smaller one. Then L and R are those of `two_set_bound.rs`, or both bounds are off.
//!
//! `intervals/interval.rs` defines one interval, `intervals/order.rs` the order in which intervals
//! are taken, `intervals/trials.rs` what the search calls, `intervals/root_tasks.rs` the intervals
//! of a search restricted to some roots.

mod interval;
mod order;
mod root_tasks;
mod trials;

pub(crate) use interval::{EvaluatedThreshold, EvaluatedThresholds};
pub(crate) use interval::{Interval, IntervalEdge, ThresholdResult, ThresholdTrial};

use crate::engine::inherited_bounds::{ThresholdBounds, ThresholdRange};
use crate::engine::root_range::RootRange;
use crate::engine::rules::{Rule, Rules};
use crate::support::mutants::{Mutant, offset};
use crate::support::statistics::PruneCounts;
use exactree_model::{Cost, UNBOUNDED, Weight};
use order::RankedIntervals;

/// Switches of the two bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PruneSwitches {
    pub interval_bound: bool,
    /// The price of a unit of weight of a rule; `None` turns the similarity bound off.
    pub similarity: Option<Cost>,
    pub edges: EdgeValidity,
}

/// The thresholds for which the bounds at an evaluated threshold hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeValidity {
    /// All thresholds: there is no minimum leaf size, or they are bounds without it.
    Everywhere,
    /// The thresholds of the interval in which it was evaluated (`two_set_bound.rs`).
    Interval,
    /// No other threshold: there is a minimum leaf size, and the two-set bound is off.
    Nowhere,
}

/// All open intervals of a node, lowest lower bound first.
pub(crate) struct OpenIntervals {
    pub rules: Vec<Rules>,
    /// Bounds at the evaluated thresholds.
    pub threshold_bounds: Vec<ThresholdBounds>,
    open: RankedIntervals,
    /// By feature: a lower bound on the trees whose root threshold is closed.
    floors: Vec<Cost>,
    /// Bounds at each evaluated threshold; only recorded if open thresholds are returned to the
    /// caller.
    evaluated: Option<Vec<(RootRange, EvaluatedThreshold)>>,
    switches: PruneSwitches,
}

impl OpenIntervals {
    pub(crate) fn new(rules: Vec<Rules>, switches: PruneSwitches) -> Self {
        let floors = vec![UNBOUNDED; rules.len()];
        let (threshold_bounds, open, evaluated) = Default::default();
        OpenIntervals { rules, threshold_bounds, open, floors, evaluated, switches }
    }

    /// Opens the thresholds of a range whose children hold at least `min_samples_leaf` rows each.
    pub(crate) fn open(
        &mut self,
        range: &ThresholdRange,
        share: (u32, u32),
        lower: Cost,
        rows: u64,
        min_samples_leaf: u64,
    ) {
        let feature = range.feature;
        let rules = &self.rules[feature];
        let all = 0..rules.len();
        let first = rules.partition_point(all.clone(), |rule| {
            rule.rows < min_samples_leaf || rule.rank < range.from
        });
        let end = rules.partition_point(all, |rule| {
            rule.rows + min_samples_leaf <= rows && rule.rank < range.until
        });
        if first < end {
            let edge = |child| IntervalEdge { child, ..IntervalEdge::default() };
            let (before, after) = (edge(range.left), edge(range.right));
            let (first, last, feature) = (first as u32, end as u32 - 1, feature as u32);
            self.open.insert(Interval { lower, feature, share, first, last, before, after });
        }
    }

    /// The most promising interval, shrunk to the thresholds that may still cost less than `upper`;
    /// `None` when all are pruned.
    pub(crate) fn most_promising(
        &mut self,
        upper: Cost,
        pruned: &mut PruneCounts,
    ) -> Option<Interval> {
        while let Some(mut interval) = self.open.take() {
            let lower = interval.lower + offset(Mutant::Intervals) * (1 + interval.lower / 8);
            if lower >= upper {
                pruned.interval_bound += u64::from(interval.last - interval.first + 1);
                self.close(interval.feature as usize, interval.lower);
                continue;
            }
            if self.shrink(&mut interval, upper, pruned) {
                return Some(interval);
            }
        }
        None
    }

    /// Shrinks an interval by the similarity bound from both ends; false if no threshold is left.
    fn shrink(&mut self, interval: &mut Interval, upper: Cost, pruned: &mut PruneCounts) -> bool {
        let Some(price) = self.switches.similarity else { return true };
        let rules = &self.rules[interval.feature as usize];
        let whole = interval.first as usize..interval.last as usize + 1;
        let spare = |edge: &IntervalEdge| {
            let above = edge.total.saturating_sub(upper);
            above / price + offset(Mutant::ThresholdSimilarity)
        };
        // The total is zero if the threshold was not evaluated. Under constraints it may also be
        // below the upper bound although no tree was found. Then it says nothing about other
        // thresholds, not even about those at no distance.
        let can_prune = |edge: &IntervalEdge| edge.total >= upper.max(1);
        let (mut from, mut end) = (whole.start, whole.end);
        if can_prune(&interval.before) {
            let (at, spare) = (interval.before.left_weight, spare(&interval.before));
            from = rules.partition_point(whole.clone(), |rule| rule.weight - at <= spare);
        }
        if can_prune(&interval.after) {
            let (at, spare) = (interval.after.left_weight, spare(&interval.after));
            end = rules.partition_point(whole.clone(), |rule| at - rule.weight > spare);
        }
        let left = end.saturating_sub(from);
        if left < whole.len() {
            pruned.similarity_bound += (whole.len() - left) as u64;
            self.close(interval.feature as usize, upper);
        }
        interval.last = end.saturating_sub(1) as u32;
        interval.first = from as u32;
        left > 0
    }

    /// The threshold to evaluate next.
    pub(crate) fn middle(&self, interval: &Interval) -> u32 {
        interval.first.midpoint(interval.last)
    }

    /// The rule of a threshold of an interval.
    pub(crate) fn rule(&self, interval: &Interval, threshold: u32) -> Rule {
        self.rules[interval.feature as usize].get(threshold as usize)
    }

    /// The middle threshold of an interval; with `margin` its children are solved a little beyond
    /// what is needed, for a stronger similarity bound.
    pub(crate) fn trial(&self, interval: Interval, upper: Cost, margin: bool) -> ThresholdTrial {
        let middle = self.middle(&interval);
        let rule = self.rule(&interval, middle);
        let margin = if margin { self.margin(&interval, middle) } else { 0 };
        let outer = self.outer_rules(&interval, middle);
        let margin = margin.saturating_mul(self.switches.similarity.unwrap_or(0));
        let children_upper = upper.saturating_add(margin).min(UNBOUNDED);
        ThresholdTrial { interval, middle, rule, outer, upper, children_upper }
    }

    /// With the two-set bound, the rules whose left child and whose right child are the outer sets
    /// on which the rows of the two children of `middle` are counted; `None` if the rows are
    /// counted on these children themselves.
    pub(crate) fn outer_rules(&self, interval: &Interval, middle: u32) -> Option<[Rule; 2]> {
        let two_sets = self.switches.edges == EdgeValidity::Interval;
        let wide = two_sets && interval.first < interval.last;
        // A mutant counts too few rows.
        let missing = offset(Mutant::TwoSetBound) as u32;
        let last = interval.last.saturating_sub(missing).max(middle);
        let first = (interval.first + missing).min(middle);
        wide.then(|| [self.rule(interval, last), self.rule(interval, first)])
    }

    /// Half the weight between a threshold and the far end of its interval. With the whole weight
    /// one evaluation could prune the interval; with half of it children are solved faster, and few
    /// intervals stay open because of that.
    pub(crate) fn margin(&self, interval: &Interval, middle: u32) -> Weight {
        let weight = |threshold: u32| self.rule(interval, threshold).weight;
        let at = weight(middle);
        (at - weight(interval.first)).max(weight(interval.last) - at) / 2
    }

    /// Replaces an interval whose `middle` was evaluated by its two halves.
    ///
    /// `left` and `right` are the bounds on the children of thresholds in the interval at or above
    /// `middle`, and at or below it; `evaluated` is a lower bound on the cost at `middle`.
    pub(crate) fn halve(
        &mut self,
        interval: Interval,
        middle: u32,
        left: IntervalEdge,
        right: IntervalEdge,
        evaluated: Cost,
    ) {
        self.close(interval.feature as usize, evaluated);
        let (left, right) = match self.switches.edges {
            EdgeValidity::Everywhere | EdgeValidity::Interval => (left, right),
            EdgeValidity::Nowhere => Default::default(),
        };
        if self.evaluated.is_some() {
            let (feature, rank) = (interval.feature, self.rule(&interval, middle).rank);
            let lower = evaluated.max(interval.lower);
            let roots = RootRange { lower, ..RootRange::new(feature, rank, rank) };
            let within = match self.switches.edges {
                EdgeValidity::Everywhere => (0, u32::MAX),
                EdgeValidity::Interval | EdgeValidity::Nowhere => self.ranks(&interval),
            };
            let edges = [left.clone(), right.clone()];
            self.evaluated
                .get_or_insert_default()
                .push((roots, EvaluatedThreshold { edges, within }));
        }
        if middle > interval.first {
            let before = interval.before.clone();
            self.push_between(&interval, (interval.first, middle - 1), before, right);
        }
        if middle < interval.last {
            let after = interval.after.clone();
            self.push_between(&interval, (middle + 1, interval.last), left, after);
        }
    }

    /// Ranks of the first and the last threshold of an interval.
    fn ranks(&self, interval: &Interval) -> (u32, u32) {
        let rank = |at: u32| self.rule(interval, at).rank;
        (rank(interval.first), rank(interval.last))
    }

    fn push_between(
        &mut self,
        whole: &Interval,
        range: (u32, u32),
        before: IntervalEdge,
        after: IntervalEdge,
    ) {
        let between =
            if self.switches.interval_bound { before.child.saturating_add(after.child) } else { 0 };
        self.open.insert(Interval {
            lower: whole.lower.max(between),
            first: range.0,
            last: range.1,
            before,
            after,
            ..*whole
        });
    }

    /// Puts back an interval that could not be evaluated.
    pub(crate) fn reopen(&mut self, interval: Interval) {
        self.open.insert(interval);
    }

    /// Records that the trees with this root feature whose thresholds are closed now cost at least
    /// `lower`.
    pub(crate) fn close(&mut self, feature: usize, lower: Cost) {
        self.floors[feature] = self.floors[feature].min(lower);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::inherited_bounds::InheritedBounds;
    use crate::engine::open_splits::OpenSplits;

    fn rules(weights: &[Weight]) -> Rules {
        let rule = |(at, &weight): (usize, &Weight)| Rule {
            feature: 0,
            rank: at as u32,
            items: at + 1,
            rows: weight,
            weight,
        };
        Rules::new(0, &weights.iter().enumerate().map(rule).collect::<Vec<Rule>>())
    }

    fn all() -> ThresholdRange {
        InheritedBounds::default().ranges(0).next().expect("at least one")
    }

    fn open(weights: &[Weight]) -> (OpenIntervals, PruneCounts) {
        let switches = PruneSwitches {
            interval_bound: true,
            similarity: Some(1),
            edges: EdgeValidity::Everywhere,
        };
        let mut open = OpenIntervals::new(vec![rules(weights)], switches);
        open.open(&all(), (1, 1), 0, 100, 1);
        (open, PruneCounts::default())
    }

    fn edge(child: Cost, total: Cost, left_weight: Weight) -> IntervalEdge {
        IntervalEdge { child, total, left_weight, notes: None, by_threshold: None }
    }

    #[test]
    fn a_threshold_exactly_as_far_away_as_the_spare_cost_is_pruned() {
        // E(5) = 12 and the incumbent 10: thresholds within weight 2 cost >= 10.
        let (mut open, mut pruned) = open(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let interval = open.most_promising(10, &mut pruned).expect("open");
        let middle = open.middle(&interval);
        assert_eq!(middle, 4);
        open.halve(interval, middle, edge(0, 12, 5), edge(0, 12, 5), 12);
        let lower = open.most_promising(10, &mut pruned).expect("left half");
        assert_eq!((lower.first, lower.last), (0, 1));
        let upper = open.most_promising(10, &mut pruned).expect("right half");
        assert_eq!((upper.first, upper.last), (7, 8));
        assert_eq!(pruned.similarity_bound, 4);
    }

    #[test]
    fn an_interval_between_two_costly_children_is_pruned_whole() {
        let (mut open, mut pruned) = open(&[1, 20, 40, 60, 80]);
        let interval = open.most_promising(10, &mut pruned).expect("open");
        open.halve(interval, 2, edge(10, 10, 40), edge(0, 10, 40), 10);
        let left = open.most_promising(10, &mut pruned).expect("left half");
        assert_eq!((left.first, left.last), (0, 1));
        assert!(open.most_promising(10, &mut pruned).is_none());
        assert_eq!(pruned.interval_bound, 2);
        assert_eq!(open.lower(), 10);
    }

    #[test]
    fn the_lower_bound_counts_open_intervals() {
        let (mut open, mut pruned) = open(&[1, 20, 40, 60, 80]);
        assert_eq!(open.lower(), 0);
        let interval = open.most_promising(10, &mut pruned).expect("open");
        open.halve(interval, 2, edge(3, 12, 40), edge(9, 12, 40), 12);
        assert_eq!(open.lower(), 3);
    }

    #[test]
    fn children_with_too_few_rows_are_never_opened() {
        let switches = PruneSwitches {
            interval_bound: true,
            similarity: Some(1),
            edges: EdgeValidity::Everywhere,
        };
        let mut open = OpenIntervals::new(vec![rules(&[1, 5, 9])], switches);
        open.open(&all(), (1, 1), 0, 10, 5);
        let interval = open.most_promising(10, &mut PruneCounts::default()).expect("open");
        assert_eq!((interval.first, interval.last), (1, 1));
        open.open(&all(), (1, 1), 0, 10, 6);
        assert!(open.most_promising(10, &mut PruneCounts::default()).is_none());
    }
}
