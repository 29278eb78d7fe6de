//! Items and features of a prepared table.

use super::units::Units;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, UNBOUNDED};
use std::cmp::Ordering;

/// A group of rows; see `prepared_table.rs`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegressionItem {
    pub weight: i64,
    /// Weight times target.
    pub sum: i64,
    /// Weight times squared target, padded; see `units.rs`.
    pub square: Cost,
    /// A lower bound on the cost of the rows in any leaf, padded. Of items that no rule distinguishes,
    /// the first has the bound of all these items together, and the others have zero.
    pub minimum: Cost,
    /// Number of rows as given.
    pub rows: u64,
    /// Codes of the minimum and the maximum target.
    pub low: u32,
    pub high: u32,
}

/// A feature with at least two values; with the switch `equal_features`, different from all previous
/// features.
pub(crate) struct RegressionFeature {
    /// Index into `Table::features`.
    pub index: u32,
    /// Rank of every item.
    pub ranks: Vec<u32>,
    /// Items in the order of their ranks.
    pub sorted: Vec<u32>,
}

/// Padding of a square: more than the errors of the gains of two leaves together.
pub(super) const PAD: Cost = 4;

/// The padding that remains after the error of one leaf's gain.
pub(super) const REMAINING_PAD: Cost = 2;

impl RegressionItem {
    pub(super) fn add(&mut self, other: &RegressionItem) {
        self.weight += other.weight;
        self.sum += other.sum;
        self.square += other.square;
        self.rows += other.rows;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.minimum += other.minimum;
    }

    /// Compares mean targets, in exact integers.
    pub(super) fn compare_means(&self, other: &RegressionItem) -> Ordering {
        let scaled =
            |a: &RegressionItem, b: &RegressionItem| i128::from(a.sum) * i128::from(b.weight);
        scaled(self, other).cmp(&scaled(other, self))
    }

    /// An upper bound on the cost that the item adds to a leaf whose prediction lies in a range:
    /// the cost of its rows with that prediction. Padding and rounding are included.
    pub(crate) fn reach(&self, units: &Units, range: (f64, f64)) -> Cost {
        if let Some(costs) = &units.classes {
            let reach = costs.reach(self.low as usize, self.weight, range.1);
            return reach - offset(Mutant::RegressionSimilarity) * (reach / 2);
        }
        let to_low = units.difference(self.high) - range.0;
        let to_high = range.1 - units.difference(self.low);
        let reach = units.farthest(to_low.max(to_high), self.weight);
        let missing = offset(Mutant::RegressionSimilarity) * (reach - reach / 8);
        (reach - missing).saturating_add((PAD + 2) * self.rows + 2 * PAD).min(UNBOUNDED)
    }

    /// A lower bound on the cost of the item's rows in any leaf. The gain of a leaf is at most the sum of
    /// the gains of its items; both have rounding errors.
    pub(super) fn unavoidable(&self, units: &Units) -> Cost {
        let within = self.square.saturating_sub(units.savings(self.sum, self.weight));
        self.minimum.max(within.saturating_sub(2 * REMAINING_PAD))
    }
}
