//! Evaluates all thresholds of an interval at once, where evaluating them one by one until the rest
//! is pruned would take longer.
//!
//! The errors of stumps in both children are counted at every threshold, for every feature and pair
//! of classes (`kernels/prefixes.rs`). No bound is involved, so no argument is needed: the minimum
//! cost found is that of the interval, which is then closed.
//!
//! *When.* Let E(t) = L(t) + R(t) as in `engine/intervals.rs`, a and b the evaluated ends of an
//! interval, and suppose that costs change linearly between them. Halves are pruned once they are
//! so narrow that R changes across them by less than E exceeds the incumbent, so about (R(a) -
//! R(b)) / (E - incumbent) thresholds are evaluated. That number is small on most tables. It is
//! large where many trees cost nearly the same: some hundreds for labels independent of the
//! features.

use super::evaluator::{CorrectWeight, MAX_PAIRED_CLASSES};
use super::workspace::AllThresholds;
use crate::engine::inherited_bounds::ThresholdBounds;
use crate::engine::intervals::Interval;
use crate::engine::rules::Rule;
use crate::kernels::prefixes::{PrefixRow, TOO_HEAVY};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use exactree_model::{Cost, Limits, Weight};

/// Time of preparing a subset, in evaluations.
const PREPARATION: f64 = if cfg!(test) { 0.0 } else { 20.0 };

/// Time of one pass over a subset, in evaluations. Both numbers were chosen on tables of 20,000 and
/// 100,000 rows with random labels. In tests they are so small that small subsets are also
/// evaluated this way.
const PASS: f64 = if cfg!(test) { 0.1 } else { 12.0 };

/// The best threshold of an interval.
pub(crate) struct BestThreshold {
    pub cost: Cost,
    pub rule: Rule,
    /// Bounds that other subsets inherit.
    pub threshold_bounds: Vec<ThresholdBounds>,
}

/// Estimated number of thresholds of an interval that would be evaluated one by one; 0 until both
/// of its ends are evaluated, since there is no estimate before.
fn expected(interval: &Interval, upper: Cost) -> f64 {
    let Interval { before, after, .. } = interval;
    if before.total.min(after.total) == 0 {
        return 0.0;
    }
    let fall = (before.total + after.total) as f64 / 2.0 - (before.child + after.child) as f64;
    let above = before.total.max(after.total).saturating_sub(upper).max(1);
    let thresholds = f64::from(interval.last - interval.first + 1);
    (fall / above as f64).min(thresholds)
}

impl ContinuousSearch<'_, '_> {
    /// Whether evaluating all thresholds of an interval at once is faster than evaluating them one
    /// by one; `swept_share` is the share of an evaluation that is not pruned.
    pub(crate) fn all_thresholds_pay(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        interval: &Interval,
        upper: Cost,
        swept_share: f64,
    ) -> bool {
        if !self.space.options.all_thresholds
            || self.space.directions.is_some()
            || limits.min_samples_leaf > 1
            || subset.weight >= TOO_HEAVY
        {
            return false;
        }
        let expected = expected(interval, upper) * swept_share;
        if expected <= PREPARATION || self.classes_of(subset).len() > MAX_PAIRED_CLASSES {
            return false;
        }
        let open = (interval.after.left_weight - interval.before.left_weight) as f64;
        let passes = 1.0 + open.log2() / 4.0;
        let evaluations = PREPARATION + PASS * passes * open / subset.weight as f64;
        // Lanes of two bytes are swept twice as fast.
        let narrow = subset.weight < i16::MAX as Weight;
        expected > if narrow { 2.0 * evaluations } else { evaluations }
    }

    fn classes_of(&self, subset: &ContinuousSubset) -> Vec<usize> {
        (0..self.space.layout.n_classes).filter(|&class| subset.class_weights[class] > 0).collect()
    }

    /// The best threshold of an interval; `None` if the clock has stopped.
    pub(crate) fn all_thresholds(
        &mut self,
        subset: &ContinuousSubset,
        interval: &Interval,
        upper: Cost,
    ) -> Option<BestThreshold> {
        let mut workspace = self.workspace.all_thresholds.take().unwrap_or_default();
        let best = self.all_thresholds_in(subset, interval, upper, &mut workspace);
        self.workspace.all_thresholds = Some(workspace);
        best
    }

    fn all_thresholds_in(
        &mut self,
        subset: &ContinuousSubset,
        interval: &Interval,
        upper: Cost,
        workspace: &mut AllThresholds,
    ) -> Option<BestThreshold> {
        let feature = interval.feature as usize;
        let rules = subset.rules(self.space.layout, feature);
        let (first, last) = (interval.first as usize, interval.last as usize);
        let begin = rules.get(first).items;
        let count = rules.get(last).items - begin + 1;
        workspace.correct.clear();
        workspace.correct.resize(count, [0; 2]);
        let classes = self.classes_of(subset);
        for (at, &a) in classes.iter().enumerate() {
            for &b in &classes[at + 1..] {
                self.stumps_of_pair(subset, feature, [a, b], begin, workspace)?;
            }
        }
        // About as many thresholds give bounds as would be evaluated one by one.
        let bound_step = (last - first) / (expected(interval, upper) as usize).max(1) + 1;
        let (mut best, mut threshold_bounds) = (None, Vec::new());
        let mut at = first;
        self.on_left(subset, feature, |items, left| {
            if at > last || items < rules.get(at).items {
                return;
            }
            let rule = rules.get(at);
            let children = self.correct_weights(subset, left, workspace.correct[items - begin]);
            let (left, right) = self.stump_children(subset, &rule, interval.share, children);
            let cost = self.space.objective.join(left, right);
            if best.as_ref().is_none_or(|(minimum, _)| cost < *minimum) {
                best = Some((cost, rule));
            }
            if (at - first).is_multiple_of(bound_step) {
                let (left, right) = self.stump_children(subset, &rule, (1, 1), children);
                threshold_bounds.push(ThresholdBounds { feature, rank: rule.rank, left, right });
            }
            at += 1;
        });
        self.stats.pruned.all_thresholds += (last - first + 1) as u64;
        best.map(|(cost, rule)| BestThreshold { cost, rule, threshold_bounds })
    }

    /// Visits the items of a subset in a feature's order, with the number and the class weights of
    /// the items before.
    fn on_left(
        &self,
        subset: &ContinuousSubset,
        feature: usize,
        mut visit: impl FnMut(usize, &[Weight]),
    ) {
        let mut left = vec![0; self.space.layout.n_classes];
        for (items, entry) in subset.sorted.order(feature).iter().enumerate() {
            visit(items, &left);
            let slot = entry.slot as usize;
            left[self.space.layout.class[slot] as usize] += self.space.layout.weight[slot];
        }
    }

    /// The weight classified correctly in both children, given that of their stumps.
    fn correct_weights(
        &self,
        subset: &ContinuousSubset,
        left: &[Weight],
        stump: [Weight; 2],
    ) -> [CorrectWeight; 2] {
        let of_right = subset.class_weights.iter().zip(left).map(|(all, left)| all - left);
        let leaves = [left.iter().copied().max(), of_right.max()].map(Option::unwrap_or_default);
        [0, 1].map(|child| CorrectWeight {
            leaf: leaves[child],
            stump: stump[child].max(leaves[child]),
        })
    }

    /// Adds the best stumps with leaves of two classes at the thresholds with at least `begin` items on
    /// the left; `None` if the clock has stopped.
    fn stumps_of_pair(
        &self,
        subset: &ContinuousSubset,
        feature: usize,
        pair: [usize; 2],
        begin: usize,
        workspace: &mut AllThresholds,
    ) -> Option<()> {
        let AllThresholds { prefixes, found, widest, rows, correct } = workspace;
        rows.resize(self.space.layout.slots, PrefixRow::default());
        for (place, entry) in subset.sorted.order(feature).iter().enumerate() {
            let slot = entry.slot as usize;
            let (class, weight) =
                (self.space.layout.class[slot] as usize, self.space.layout.weight[slot]);
            let sign = (class == pair[0]) as i32 - (class == pair[1]) as i32;
            rows[slot] = PrefixRow { place: place as u32, step: sign * weight as i32 };
        }
        widest.clear();
        widest.resize(correct.len(), [0; 4]);
        for inner in 0..subset.sorted.features() {
            if self.clock.stopped() {
                return None;
            }
            let order = subset.sorted.order(inner);
            let next = order[1..].iter().chain(order.last());
            let order = order.iter().zip(next);
            let order = order.map(|(row, next)| (rows[row.slot as usize], row.rank != next.rank));
            prefixes.prepare(order, begin as u32, correct.len());
            prefixes.extremes(self.instructions, found);
            for (widest, found) in widest.iter_mut().zip(&*found) {
                *widest = std::array::from_fn(|lane| widest[lane].max(found[lane]));
            }
        }
        let all = pair.map(|class| subset.class_weights[class] as i64);
        self.on_left(subset, feature, |items, left| {
            let Some(at) = items.checked_sub(begin).filter(|&at| at < correct.len()) else {
                return;
            };
            let left = pair.map(|class| left[class] as i64);
            let held = [left, [all[0] - left[0], all[1] - left[1]]];
            for child in 0..2 {
                let [maximum, minimum] = [child, child + 2].map(|lane| widest[at][lane] as i64);
                let stump = (held[child][1] + maximum).max(held[child][0] + minimum);
                correct[at][child] = correct[at][child].max(stump as Weight);
            }
        });
        Some(())
    }
}
