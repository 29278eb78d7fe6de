//! Taking thresholds to evaluate, and entering their results.

use super::OpenIntervals;
use super::interval::{ThresholdResult, ThresholdTrial};
use crate::engine::inherited_bounds::ThresholdBounds;
use crate::engine::open_splits::OpenSplits;
use crate::engine::solution::Bounds;
use crate::support::statistics::PruneCounts;
use exactree_model::{Cost, UNBOUNDED};

impl OpenSplits for OpenIntervals {
    type Trial = ThresholdTrial;
    type Result = ThresholdResult;

    /// The middle of the most promising interval.
    fn take(
        &mut self,
        upper: Cost,
        margin: bool,
        pruned: &mut PruneCounts,
    ) -> Option<ThresholdTrial> {
        let interval = self.most_promising(upper, pruned)?;
        Some(self.trial(interval, upper, margin))
    }

    fn put_back(&mut self, trial: ThresholdTrial) {
        self.reopen(trial.interval);
    }

    /// Replaces the interval of a trial by its result.
    fn enter(&mut self, trial: ThresholdTrial, result: ThresholdResult, bounds: &mut Bounds) {
        if let Some((cost, tree)) = result.tree {
            bounds.improve(cost, tree);
        }
        self.threshold_bounds.extend(result.threshold_bounds);
        match result.children {
            Some((left, right)) => {
                self.halve(trial.interval, trial.middle, left, right, result.lower);
            }
            None => self.close(trial.rule.feature, result.lower),
        }
    }

    fn lower(&self) -> Cost {
        let closed = self.floors.iter().min().copied().unwrap_or(UNBOUNDED);
        self.open.lower().map_or(closed, |lower| closed.min(lower))
    }

    fn lower_of(trial: &ThresholdTrial) -> Cost {
        trial.interval.lower
    }

    fn into_threshold_bounds(self) -> Vec<ThresholdBounds> {
        self.threshold_bounds
    }
}
