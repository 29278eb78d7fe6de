//! In which order a node's thresholds are tried: most promising intervals first.

use crate::answer::Bracket;
use crate::best::Search;
use crate::intervals::{DiscardSwitches, OpenIntervals};
use crate::mutants::{Mutant, off};
use crate::part::Part;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

impl Search<'_> {
    /// The intervals of all features and shares of the size, least lower bound
    /// first. A feature whose inherited bound is no better than the incumbent
    /// is not opened at all.
    ///
    /// *Inherited bounds.* Let S be a part of T. A tree for T whose root asks
    /// about feature f either divides S, and then costs S at least what the best
    /// tree with root f does; or S lies on one side of the root, and then costs
    /// at least what the best tree with one level less does. The smaller of the
    /// two is handed from S to T. Not with a demand on rows, see `intervals.rs`.
    pub(crate) fn in_order(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &Bracket,
        inherited: Option<&Arc<[Cost]>>,
    ) -> OpenIntervals {
        let features = 0..self.layout.features.len();
        let sound = limits.min_rows == 1 || self.options.relaxation;
        let switches = DiscardSwitches {
            intervals: self.options.intervals && sound,
            neighbourhood: self.options.neighbourhood && sound,
            error_price: self.objective.error_price,
        };
        let rules = features.clone().map(|feature| part.rules(self.layout, feature)).collect();
        let mut open = OpenIntervals::new(rules, switches);
        for feature in features {
            let inherited =
                inherited.map_or(0, |bounds| bounds[feature] + off(Mutant::FeatureBounds));
            let lower = inherited.max(bracket.lower);
            if lower >= bracket.upper {
                self.stats.discards.feature_bounds += 1;
                open.close(feature, lower);
                continue;
            }
            for share in limits.shares() {
                open.open(feature, share, lower, part.rows, limits.min_rows);
            }
        }
        open
    }
}
