//! Branching: the thresholds of a node as open intervals, the most promising interval first.

use crate::engine::inherited_bounds::{InheritedBounds, ThresholdRange};
use crate::engine::intervals::{OpenIntervals, PruneSwitches};
use crate::engine::rules::Rules;
use crate::engine::search::ContinuousSearch;
use crate::engine::solution::Bounds;
use crate::engine::subset::ContinuousSubset;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

impl ContinuousSearch<'_> {
    /// The intervals of all features and all ways to divide the size. Thresholds whose inherited
    /// bound is at least the upper bound are not opened; see `inherited_bounds.rs`.
    pub(crate) fn branching(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> OpenIntervals {
        let sound = limits.min_samples_leaf == 1 || self.options.relaxation;
        let switches = PruneSwitches {
            interval_bound: self.options.interval_bound && sound,
            similarity_bound: self.options.similarity_bound && sound,
            error_price: self.objective.error_price,
        };
        let features = self.layout.features.len();
        let mut open =
            OpenIntervals::new((0..features).map(|_| Rules::default()).collect(), switches);
        let no_bounds = InheritedBounds::default();
        let inherited = inherited.map_or(&no_bounds, |inherited| inherited);
        for feature in 0..features {
            let lower = |range: &ThresholdRange| range.lower().max(bounds.lower);
            let mut promising: Vec<(Cost, ThresholdRange)> = Vec::new();
            for range in inherited.ranges(feature) {
                let lower = lower(&range);
                if lower >= bounds.upper {
                    open.close(feature, lower);
                    self.stats.pruned.feature_bounds += 1;
                    continue;
                }
                match promising.last_mut() {
                    Some((minimum, last)) if last.until == range.from => {
                        *last = ThresholdRange { from: last.from, left: last.left, ..range };
                        *minimum = lower.min(*minimum);
                    }
                    _ => promising.push((lower, range)),
                }
            }
            if promising.is_empty() {
                continue;
            }
            open.rules[feature] = subset.rules(self.layout, feature);
            for (lower, range) in promising {
                for share in limits.shares() {
                    open.open(&range, share, lower, subset.rows, limits.min_samples_leaf);
                }
            }
        }
        open
    }
}
