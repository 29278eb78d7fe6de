//! Branching over thresholds: those of a node as open intervals, the most promising interval first.

use crate::engine::inherited_bounds::{InheritedBounds, ThresholdRange};
use crate::engine::intervals::{EdgeValidity, OpenIntervals, PruneSwitches};
use crate::engine::rules::Rules;
use crate::engine::solution::Bounds;
use crate::engine::space::{Search, SubsetOf, ThresholdSpace};
use crate::engine::subset::ThresholdTable;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

impl<S: ThresholdSpace> Search<'_, S> {
    /// The intervals of all features and all ways to divide the size. Thresholds whose inherited
    /// bound is at least the upper bound are not opened; see `inherited_bounds.rs`.
    pub(crate) fn open_intervals(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        bounds: &Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> OpenIntervals {
        let edges = match limits.min_samples_leaf {
            1 => EdgeValidity::Everywhere,
            _ if self.switches.two_set_bound => EdgeValidity::Interval,
            _ => EdgeValidity::Nowhere,
        };
        let space = self.space;
        let similarity_bound = self.switches.similarity_bound;
        let price = similarity_bound.then(|| space.similarity_price(subset)).flatten();
        let switches = PruneSwitches {
            interval_bound: self.switches.interval_bound,
            similarity: price,
            edges,
        };
        let features = space.table().features();
        let mut open =
            OpenIntervals::new((0..features).map(|_| Rules::default()).collect(), switches);
        let no_bounds = InheritedBounds::default();
        let inherited = inherited.filter(|_| self.inherits_bounds(limits));
        let inherited = inherited.map_or(&no_bounds, |inherited| inherited);
        for feature in 0..features {
            if !space.may_split_on(subset, feature, limits) {
                continue;
            }
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
            open.rules[feature] = space.table().rules(subset, feature, price.is_some());
            for (lower, range) in promising {
                for share in limits.shares() {
                    open.open(&range, share, lower, subset.rows, limits.min_samples_leaf);
                }
            }
        }
        open
    }
}
