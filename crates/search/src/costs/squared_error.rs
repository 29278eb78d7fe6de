//! Squared error: squares about the mean.
//!
//! Examples with weight W and sum S in one leaf cost Q − S²/W, where Q sums the squares. Q is the same
//! for every tree, and a leaf saves S²/W of it: its *gain*, on a grid of 2^-51 of the whole Q, in
//! integers that f64 holds. A gain is computed with 6 roundings of 2^-53 of itself (that of the sum
//! counts twice; the last one is at most 2^-3, half as much) and rounded to the grid: with a gain below
//! 2^51 its error is at most 1.875 units. Squares, those of the rounded sums, are computed in the same
//! way, rounded upwards and padded by 4 units each; the padding is the same for every tree. So no leaf
//! has a negative cost, and a leaf that loses an item costs less than before: the roundings of the item's
//! square and of the gain without it are shares of numbers that sum to at most 2^51, so with those of
//! the gain before they are at most 3.75 units. Therefore the integer costs also never grow when items
//! are removed, and bounds that rest on that alone are exact. Bounds that compare with numbers of
//! another kind allow for an error of `LEAF_ERROR` per leaf.
//!
//! *Reach.* An item adds to a leaf at most its cost with that leaf's old prediction, which lies between
//! the minimum and the maximum target of the subset: at most its squared distance to the farther one.
//!
//! *Fine units.* If a tree has almost no error left, 2^-51 of the whole Q exceeds the tolerance. Then the
//! search is repeated on a grid of 2^-59, with gains and squares computed by integer division, with
//! errors below one unit each; nothing else changes.
//!
//! *Rounding units* are the total rounding error of a cost. Rounded sums change the target of each item
//! by the error of its sum divided by its weight (the error is zero if the sum is an integer already,
//! and at most half a unit), and by three roundings of 2^-53 of itself. The square root of a tree's
//! cost is the distance of the targets from predictions that are constant in each leaf. So it changes
//! by at most the distance E between targets and rounded targets, and a cost c by at most 2 E sqrt(c) +
//! E².

pub(crate) mod stumps;

use super::clusters::{RunSavings, TargetRuns};
use super::items::{CostItem, CostSubset, CostTotals, ItemRounding};
use super::leaf_cost::{LeafCost, LeafRounding, StumpCosts, TreeRounding};
use super::targets::{Differences, IntegerTargets, SUM_BITS, cost_above, exponent};
use crate::engine::subset::OrderEntry;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, UNBOUNDED, Weight};
use std::cmp::Ordering;
use std::ops::Range;

/// The total of all squares, and the price of a leaf, are at most 2 to this power.
const SQUARE_BITS: i32 = 51;

/// Number of additional bits of fine units.
const FINER: i32 = 8;

/// Adding this to a number below 2^52 rounds it to an integer.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// Largest error of the gain of a leaf.
const LEAF_ERROR: Cost = 2;

/// Padding of a square: more than the errors of the gains of two leaves together.
const PAD: Cost = 4;

/// The padding that remains after the error of one leaf's gain.
const REMAINING_PAD: Cost = 2;

/// Squared error of integer targets.
#[derive(Clone, Debug)]
pub(crate) struct SquaredError {
    targets: IntegerTargets,
    /// Factor from a squared sum over a weight to a gain, a power of two.
    pub gain_scale: f64,
    /// In fine units, the exponent of `gain_scale`.
    fine: Option<i32>,
}

impl SquaredError {
    /// For distinct targets in increasing order and the weights of each; the unit is 2 to the number
    /// returned.
    pub(super) fn new(targets: &[f64], weights: &[Weight], leaf_price: f64) -> (Self, i32) {
        let differences = Differences::new(targets, weights);
        let squares = differences.squares.max(differences.price(leaf_price, 2));
        let sum_scale = SUM_BITS - exponent(differences.sums);
        let square_scale = SQUARE_BITS - exponent(squares);
        let unit = 2 * differences.exponent - square_scale;
        let gain_scale = 2f64.powi(square_scale - 2 * sum_scale);
        let targets = IntegerTargets::new(differences, sum_scale);
        (SquaredError { targets, gain_scale, fine: None }, unit)
    }

    /// The same targets and sums in fine units, and the number of their additional bits; `None` if
    /// the price of a leaf exceeds the total error.
    pub(super) fn finer(&self) -> Option<(Self, i32)> {
        let gain_scale = self.gain_scale * 2f64.powi(FINER);
        let power = exponent(gain_scale) - 1;
        // A squared sum has at most 118 bits, a weight at most 62.
        let holds = (-60..8).contains(&power);
        holds.then(|| (SquaredError { gain_scale, fine: Some(power), ..self.clone() }, FINER))
    }

    pub(crate) fn is_fine(&self) -> bool {
        self.fine.is_some()
    }

    /// Weight times squared target in units of cost, rounded upwards, and the amount added by
    /// rounding.
    fn square(&self, sum: i64, weight: Weight) -> (Cost, f64) {
        if let Some(power) = self.fine {
            let (squared, weight) = in_power(sum, weight as i64, power);
            let above = (weight - squared % weight) % weight;
            return (squared.div_ceil(weight) as Cost, above as f64 / weight as f64);
        }
        let sum = sum as f64;
        let square = sum * sum * self.inverse(weight as i64);
        (square.ceil() as Cost, square.ceil() - square)
    }

    /// Savings of a leaf in units of cost; none without weight.
    pub(crate) fn savings(&self, sum: i64, weight: i64) -> Cost {
        match self.fine {
            _ if weight == 0 => 0,
            Some(power) => {
                let (squared, weight) = in_power(sum, weight, power);
                (squared / weight) as Cost
            }
            None => SquaredError::gain(sum, self.inverse(weight)) as Cost,
        }
    }

    /// The factor by which `gain` multiplies a squared sum of this weight.
    #[inline(always)]
    fn inverse(&self, weight: i64) -> f64 {
        self.gain_scale / weight as f64
    }

    /// Savings of a leaf; an integer.
    #[inline(always)]
    fn gain(sum: i64, inverse: f64) -> f64 {
        let sum = sum as f64;
        sum * sum * inverse + TO_INTEGER - TO_INTEGER
    }

    /// Number of bits of the total of all squares.
    fn bits(&self) -> i32 {
        SQUARE_BITS + if self.is_fine() { FINER } else { 0 }
    }
}

/// Numerator and denominator of the squared sum divided by the weight, times 2 to `power`.
fn in_power(sum: i64, weight: i64, power: i32) -> (u128, u128) {
    let (squared, weight) = (u128::from(sum.unsigned_abs()).pow(2), weight as u128);
    if power < 0 { (squared, weight << -power) } else { (squared << power, weight) }
}

impl LeafCost for SquaredError {
    fn item(&self, code: u32, weight: Weight, rows: u64) -> (CostItem, ItemRounding) {
        let sum = self.targets.sum(code, weight);
        let (square, added) = self.square(sum, weight);
        let sum_error = self.targets.sum_error(code, weight);
        let rounding = ItemRounding { added, padding: PAD, sum_error };
        let (square, minimum) = (square + PAD, REMAINING_PAD);
        (CostItem { sum, square, minimum, ..CostItem::new(code, weight, rows) }, rounding)
    }

    /// Compares mean targets, in exact integers.
    fn compare(&self, a: &CostItem, b: &CostItem) -> Ordering {
        let scaled = |a: &CostItem, b: &CostItem| i128::from(a.sum) * i128::from(b.weight);
        scaled(a, b).cmp(&scaled(b, a))
    }

    fn leaf<'i>(&self, totals: &CostTotals, _items: impl Iterator<Item = &'i CostItem>) -> Cost {
        totals.square - self.savings(totals.sum, totals.weight)
    }

    /// The gain of a leaf is at most the sum of the gains of its items; both have rounding errors.
    fn equal_rows_bound(&self, items: &[CostItem]) -> Cost {
        let Some((first, others)) = items.split_first() else { return 0 };
        let mut all = *first;
        others.iter().for_each(|item| all.add(item));
        let within = all.square.saturating_sub(self.savings(all.sum, all.weight));
        all.minimum.max(within.saturating_sub(2 * REMAINING_PAD))
    }

    /// Padding and rounding are included.
    fn reach(&self, item: &CostItem, totals: &CostTotals) -> Cost {
        let off = self.targets.farthest((item.low, item.high), (totals.low, totals.high));
        let reach = cost_above(item.weight as f64 * off * off * self.gain_scale);
        let missing = offset(Mutant::CostSimilarity) * (reach - reach / 8);
        (reach - missing).saturating_add((PAD + 2) * item.rows + 2 * PAD).min(UNBOUNDED)
    }
}

impl LeafRounding for SquaredError {
    fn price(&self, price: f64) -> Cost {
        price.min(2f64.powi(self.bits())).round() as Cost
    }

    fn leaf_error(&self, _items: usize) -> Cost {
        LEAF_ERROR
    }

    fn growth(&self, leaves: u32) -> Cost {
        4 * Cost::from(leaves)
    }

    fn tree_error(&self, tree: &TreeRounding) -> f64 {
        let whole = 2f64.powi(self.bits());
        let rounded = 2.0 * self.gain_scale * tree.sum_errors + whole * 2f64.powi(-101);
        // Errors of gains and prices, and six roundings of 2^-53 of all squares.
        2.0 * (rounded * tree.cost).sqrt() + rounded + 2.5 * tree.leaves + 2.0
    }
}

impl StumpCosts for SquaredError {
    fn costs_of_stumps(
        &self,
        items: &[CostItem],
        subset: &CostSubset,
        order: &[OrderEntry],
    ) -> Vec<Cost> {
        let (mut weight, mut sum) = (0, 0);
        let cost = |entry: &OrderEntry| {
            if subset.is_weighted(entry.slot) {
                let item = &items[entry.slot as usize];
                weight += item.weight;
                sum += item.sum;
            }
            let left = self.savings(sum, weight);
            subset.square - left - self.savings(subset.sum - sum, subset.weight - weight)
        };
        order[..order.len() - 1].iter().map(cost).collect()
    }
}

impl RunSavings for SquaredError {
    fn savings_of_run(&self, runs: &TargetRuns, run: Range<usize>) -> i64 {
        self.savings(runs.sum(&run), runs.weight(&run)) as i64
    }
}
