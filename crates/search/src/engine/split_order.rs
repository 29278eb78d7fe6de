//! The order in which a node's thresholds are evaluated: most promising intervals first.

use crate::engine::inherited_bounds::{InheritedBounds, ThresholdRange};
use crate::engine::intervals::{OpenIntervals, PruneSwitches};
use crate::engine::rules::Rules;
use crate::engine::search::ContinuousSearch;
use crate::engine::solution::Bounds;
use crate::engine::subset::ContinuousSubset;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

impl ContinuousSearch<'_> {
    /// The intervals of all features and all ways to divide the size, least lower bound first.
    /// Thresholds whose inherited bound is no better than the incumbent are not opened at all; see
    /// `inherited_bounds.rs`.
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
        let nothing = InheritedBounds::default();
        let inherited = inherited.map_or(&nothing, |inherited| inherited);
        for feature in 0..features {
            let lower = |stretch: &ThresholdRange| stretch.lower().max(bounds.lower);
            let mut promising: Vec<(Cost, ThresholdRange)> = Vec::new();
            for stretch in inherited.stretches(feature) {
                let lower = lower(&stretch);
                if lower >= bounds.upper {
                    open.close(feature, lower);
                    self.stats.pruned.feature_bounds += 1;
                    continue;
                }
                match promising.last_mut() {
                    Some((least, last)) if last.until == stretch.from => {
                        *last = ThresholdRange { from: last.from, left: last.left, ..stretch };
                        *least = lower.min(*least);
                    }
                    _ => promising.push((lower, stretch)),
                }
            }
            if promising.is_empty() {
                continue;
            }
            open.rules[feature] = subset.rules(self.layout, feature);
            for (lower, stretch) in promising {
                for share in limits.shares() {
                    open.open(&stretch, share, lower, subset.rows, limits.min_samples_leaf);
                }
            }
        }
        open
    }
}
