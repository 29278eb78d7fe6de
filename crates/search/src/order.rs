//! In which order a node's thresholds are tried: most promising intervals first.

use crate::answer::Bracket;
use crate::best::Search;
use crate::inherited::{Inherited, Stretch};
use crate::intervals::{DiscardSwitches, OpenIntervals};
use crate::part::Part;
use crate::rules::Rules;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

impl Search<'_> {
    /// The intervals of all features and shares of the size, least lower bound
    /// first. Thresholds whose inherited bound is no better than the incumbent
    /// are not opened at all; see `inherited.rs`.
    pub(crate) fn in_order(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &Bracket,
        inherited: Option<&Arc<Inherited>>,
    ) -> OpenIntervals {
        let sound = limits.min_rows == 1 || self.options.relaxation;
        let switches = DiscardSwitches {
            intervals: self.options.intervals && sound,
            neighbourhood: self.options.neighbourhood && sound,
            error_price: self.objective.error_price,
        };
        let features = self.layout.features.len();
        let mut open =
            OpenIntervals::new((0..features).map(|_| Rules::default()).collect(), switches);
        let nothing = Inherited::default();
        let inherited = inherited.map_or(&nothing, |inherited| inherited);
        for feature in 0..features {
            let lower = |stretch: &Stretch| stretch.lower().max(bracket.lower);
            let mut promising: Vec<(Cost, Stretch)> = Vec::new();
            for stretch in inherited.stretches(feature) {
                let lower = lower(&stretch);
                if lower >= bracket.upper {
                    open.close(feature, lower);
                    self.stats.discards.feature_bounds += 1;
                    continue;
                }
                match promising.last_mut() {
                    Some((least, last)) if last.until == stretch.from => {
                        *last = Stretch { from: last.from, left: last.left, ..stretch };
                        *least = lower.min(*least);
                    }
                    _ => promising.push((lower, stretch)),
                }
            }
            if promising.is_empty() {
                continue;
            }
            open.rules[feature] = part.rules(self.layout, feature);
            for (lower, stretch) in promising {
                for share in limits.shares() {
                    open.open(&stretch, share, lower, part.rows, limits.min_rows);
                }
            }
        }
        open
    }
}
