//! Items and features of a prepared table, and totals of items.

use crate::engine::subset::Subset;
use exactree_model::{Cost, Weight};

/// A group of rows; see `spaces/leaf_costs/prepared_table.rs`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostItem {
    pub weight: i64,
    /// Weight times target; 0 for classes.
    pub sum: i64,
    /// With squared error, weight times squared target, padded (`squared_error.rs`); otherwise 0.
    pub square: Cost,
    /// A lower bound on the cost of the rows in any leaf. Of items that no rule distinguishes, the
    /// first has the bound of all these items together, and the others have zero.
    pub minimum: Cost,
    /// Number of rows as given.
    pub rows: u64,
    /// Codes of the minimum and the maximum target, or of the class.
    pub low: u32,
    pub high: u32,
}

/// What rounding adds to an item.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ItemRounding {
    /// The amount by which its square was rounded upwards, below 1, and its padding.
    pub added: f64,
    pub padding: Cost,
    /// The error of its sum.
    pub sum_error: f64,
}

/// A feature with at least two values; with the switch `equal_features`, different from all previous
/// features.
pub(crate) struct CostFeature {
    /// Index into `Table::features`.
    pub index: u32,
    /// Rank of every item.
    pub ranks: Vec<u32>,
    /// Items in the order of their ranks.
    pub sorted: Vec<u32>,
}

impl CostItem {
    /// The item of some rows with one target, without sums and bounds.
    pub(super) fn new(code: u32, weight: Weight, rows: u64) -> CostItem {
        let (sum, square, minimum) = (0, 0, 0);
        let weight = weight as i64;
        CostItem { weight, sum, square, minimum, rows, low: code, high: code }
    }

    /// Adds the rows of an item that agree in all features.
    pub(crate) fn add(&mut self, other: &CostItem) {
        self.weight += other.weight;
        self.sum += other.sum;
        self.square += other.square;
        self.minimum += other.minimum;
        self.rows += other.rows;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }
}

/// Totals of the weighted items of a subset.
#[derive(Clone, Debug)]
pub(crate) struct CostTotals {
    pub weight: i64,
    /// Weight times target.
    pub sum: i64,
    /// Weight times squared target.
    pub square: Cost,
    /// Cost of one leaf without its price.
    pub leaf: Cost,
    /// Lower bound on the cost of every tree.
    pub minimum: Cost,
    /// A leaf is optimal because all targets are equal.
    pub pure: bool,
    /// Codes of the minimum and the maximum target.
    pub low: u32,
    pub high: u32,
    /// The weight of each class; empty in regression.
    pub classes: Vec<i64>,
}

impl CostTotals {
    /// Totals of no items.
    pub(crate) fn of_none(classes: usize) -> CostTotals {
        CostTotals {
            weight: 0,
            sum: 0,
            square: 0,
            leaf: 0,
            minimum: 0,
            pure: true,
            low: u32::MAX,
            high: 0,
            classes: vec![0; classes],
        }
    }

    pub(crate) fn add(&mut self, item: &CostItem) {
        self.weight += item.weight;
        self.sum += item.sum;
        self.square += item.square;
        self.minimum += item.minimum;
        self.low = self.low.min(item.low);
        self.high = self.high.max(item.high);
        if let Some(weight) = self.classes.get_mut(item.low as usize) {
            *weight += item.weight;
        }
    }
}

/// The items that reach a node, with the totals of their targets.
pub(crate) type CostSubset = Subset<CostTotals>;
