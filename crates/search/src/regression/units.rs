//! Targets as integers: sums and costs that are exact in every order of summation.
//!
//! A target is represented by its difference to the lower median, times a power of two. Weight
//! times target is rounded once, example by example, to integers whose total is below 2^59. All
//! later sums are exact, and targets shifted by an integer or scaled by a power of two have the
//! same sums.
//!
//! *Squared error.* Examples with weight W and sum S in one leaf cost Q − S²/W, where Q sums the
//! squares. Q is the same for every tree, and a leaf saves S²/W of it: its *gain*, on a grid of
//! 2^-51 of the whole Q, in integers that f64 holds. A gain is computed with 6 roundings of 2^-53 of
//! itself (that of the sum counts twice; the last one is at most 2^-3, half as much) and rounded to
//! the grid: with a gain below 2^51 its error is at most 1.875 units. Squares, those of the rounded
//! sums, are computed in the same way, rounded upwards and padded by 4 units each; the padding is
//! the same for every tree. So no leaf has a negative cost, and a leaf that loses an item costs less
//! than before: the roundings of the item's square and of the gain without it are shares of numbers
//! that sum to at most 2^51, so with those of the gain before they are at most 3.75 units.
//! Therefore the integer costs also never grow when items are removed, and bounds that rest on that
//! alone are exact. Bounds that compare with numbers of another kind allow for an error of
//! `LEAF_ERROR` per leaf.
//!
//! *Fine units.* If a tree has almost no error left, 2^-51 of the whole Q exceeds the tolerance.
//! Then the search is repeated on a grid of 2^-59, with gains and squares computed by integer
//! division, with errors below one unit each; nothing else changes.
//!
//! *Absolute error.* The cost is a sum of integers, exact for whole targets and weights;
//! otherwise every item and every median is rounded once. Then these integers may grow by a rounding
//! when an item is removed, but bounds need no allowance of their own: by induction over the search
//! each lower bound exceeds the minimum true cost of its subset by at most the rounding error of one
//! tree of that subset. A leaf's cost does; two disjoint children add their errors; and a bound
//! inherited from a smaller subset, by monotonicity or with an upper bound on the true cost of the
//! items added, compares true costs. Costs of classes are rounded leaf by leaf: the same holds.
//!
//! *Rounding units* are the total rounding error of a cost. Rounded sums change the target of each
//! item by the error of its sum divided by its weight (the error is zero if the sum is an integer already,
//! and at most half a unit), and by three roundings of 2^-53 of itself. The square root of a tree's
//! cost is the distance of the targets from predictions that are constant in each leaf. So it
//! changes by at most the distance E between targets and rounded targets, and a cost c by at most 2
//! E sqrt(c) + E².

use super::class_costs::{ClassCosts, cost_above};
use exactree_model::{Cost, Weight};

/// The error measure of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// Squares about the mean.
    Squared,
    /// Absolute deviations from a median.
    Absolute,
    /// Costs of classes; class codes take the place of targets.
    Classes,
}

/// Sums of weight times target, and the price of a leaf, stay below 2 to this power.
const SUM_BITS: i32 = 59;

/// The total of all squares, and the price of a leaf, are at most 2 to this power.
const SQUARE_BITS: i32 = 51;

/// Number of additional bits of fine units.
const FINER: i32 = 8;

/// Number of bits to which the price of a leaf is cut, in units of the widest difference (or of its
/// square): the total error is below 2^62 of these, and a leaf that costs more is the only one.
const PRICE_BITS: i32 = 70;

/// Adding this to a number below 2^52 rounds it to an integer.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// Largest error of the gain of a leaf.
const LEAF_ERROR: i64 = 2;

/// Tolerance of the cost of a tree reported optimal above the minimum cost, relative to that cost
/// and to the cost of a single leaf.
const COST_TOLERANCE: f64 = 1e-9;
const LEAF_TOLERANCE: f64 = 1e-15;

/// Conversion of targets and costs to integers.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub deviation: Deviation,
    /// By code, the difference to the lower median, at most 1.
    differences: Vec<f64>,
    /// Factor from a weighted difference to an integer, a power of two.
    sum_scale: f64,
    /// Factor from a squared sum over a weight to a gain, a power of two.
    pub gain_scale: f64,
    /// A unit of cost is 2 to this power in the user's unit.
    exponent: i32,
    /// In fine units, the exponent of `gain_scale`.
    fine: Option<i32>,
    /// The costs of leaves, if targets are classes.
    pub classes: Option<ClassCosts>,
}

/// `value` times 2 to `power`, whatever the power; exact unless the result underflows, and infinite
/// if it overflows.
fn times_power(mut value: f64, mut power: i32) -> f64 {
    while power > 1000 {
        value *= 2f64.powi(1000);
        power -= 1000;
    }
    while power < -1000 {
        value *= 2f64.powi(-1000);
        power += 1000;
    }
    value * 2f64.powi(power)
}

/// Exponent of the smallest power of two above a number; 0 for 0.
fn exponent(value: f64) -> i32 {
    let bits = |value: f64| (value.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    match value {
        0.0 => 0,
        _ if value < f64::MIN_POSITIVE => bits(value * 2f64.powi(100)) - 100,
        _ => bits(value),
    }
}

impl Units {
    /// Units for distinct finite targets in increasing order, the weights of each, and a price per
    /// leaf. A price above the total error makes the grid coarser; then one leaf is optimal.
    pub(crate) fn new(
        deviation: Deviation,
        targets: &[f64],
        weights: &[Weight],
        leaf_price: f64,
    ) -> Units {
        let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        let mut below = 0;
        let at_median = |&(_, &weight): &(usize, &Weight)| {
            below += u128::from(weight);
            2 * below >= total
        };
        let median = weights.iter().enumerate().find(at_median).map_or(0.0, |(at, _)| targets[at]);
        // Halves cannot overflow when they are subtracted.
        let halves = targets.iter().map(|target| target / 2.0 - median / 2.0);
        let exact = targets.iter().map(|target| target - median);
        let large = halves.clone().any(|half| half.abs() >= f64::MAX / 4.0);
        let differences: Vec<f64> = if large { halves.collect() } else { exact.collect() };
        let widest = differences.iter().fold(0.0, |maximum: f64, each| maximum.max(each.abs()));
        let shift = exponent(widest);
        let differences: Vec<f64> =
            differences.iter().map(|&difference| times_power(difference, -shift)).collect();
        let shift = shift + i32::from(large);
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            differences.iter().zip(weights).map(|(&r, &w)| w as f64 * value(r)).sum()
        };
        let (sums, squares) = (sum(&f64::abs), sum(&|r| r * r));
        // Where differences are tiny, a price in their unit may be infinite.
        let price = |power: i32| times_power(leaf_price, power).min(2f64.powi(PRICE_BITS));
        let (sums, squares) = match deviation {
            Deviation::Squared => (sums, squares.max(price(-2 * shift))),
            _ => (sums.max(price(-shift)), squares),
        };
        let sum_scale = SUM_BITS - exponent(sums);
        let square_scale = SQUARE_BITS - exponent(squares);
        let unit = match deviation {
            Deviation::Squared => 2 * shift - square_scale,
            _ => shift - sum_scale,
        };
        Units {
            deviation,
            differences,
            sum_scale: 2f64.powi(sum_scale),
            gain_scale: 2f64.powi(square_scale - 2 * sum_scale),
            exponent: unit,
            fine: None,
            classes: None,
        }
    }

    /// Units for costs of classes, each 2 to the exponent.
    pub(crate) fn of_classes(costs: ClassCosts, exponent: i32) -> Units {
        Units {
            deviation: Deviation::Classes,
            differences: vec![0.0; costs.classes()],
            sum_scale: 1.0,
            gain_scale: 1.0,
            exponent,
            fine: None,
            classes: Some(costs),
        }
    }

    /// The same targets and sums in fine units; `None` except for squared errors, and if the price of a
    /// leaf exceeds the total error.
    pub(crate) fn finer(&self) -> Option<Units> {
        let gain_scale = self.gain_scale * 2f64.powi(FINER);
        let power = exponent(gain_scale) - 1;
        // A squared sum has at most 118 bits, a weight at most 62.
        let holds = self.deviation == Deviation::Squared && (-60..8).contains(&power);
        holds.then(|| Units {
            gain_scale,
            exponent: self.exponent - FINER,
            fine: Some(power),
            ..self.clone()
        })
    }

    pub(crate) fn are_fine(&self) -> bool {
        self.fine.is_some()
    }

    /// Weight times target as an integer.
    pub(crate) fn sum(&self, code: u32, weight: Weight) -> i64 {
        (weight as f64 * self.differences[code as usize] * self.sum_scale).round() as i64
    }

    /// Rounding error of `sum`, up to three roundings of 2^-53 of it.
    pub(crate) fn sum_error(&self, code: u32, weight: Weight) -> f64 {
        let sum = weight as f64 * self.differences[code as usize] * self.sum_scale;
        (sum - sum.round()).abs()
    }

    /// Weight times target for a weight of either sign.
    pub(crate) fn signed_sum(&self, code: u32, weight: i64) -> i64 {
        weight.signum() * self.sum(code, weight.unsigned_abs())
    }

    /// The target of a code, as a difference.
    pub(crate) fn difference(&self, code: u32) -> f64 {
        self.differences[code as usize]
    }

    /// An upper bound on the cost of a weight at this distance from the prediction, at most
    /// `UNBOUNDED`. Rounded sums move target and prediction by half a unit over their weights, and
    /// by three roundings of at most 2^-53 each. The eight roundings here are like moving a distance
    /// of at most 2 by as many roundings: 14 · 2^-53 in all, less than 2^-49.
    pub(crate) fn farthest(&self, distance: f64, weight: i64) -> Cost {
        let off = (distance + 2f64.powi(-49)) * self.sum_scale + 1.0;
        let weight = weight as f64;
        match self.deviation {
            Deviation::Squared => cost_above(weight * off * off * self.gain_scale),
            _ => cost_above(weight * off),
        }
    }

    /// Weight times squared target in units of cost, rounded upwards, and the amount added by
    /// rounding.
    pub(crate) fn square(&self, code: u32, weight: Weight) -> (Cost, f64) {
        if let Some(power) = self.fine {
            let (squared, weight) = in_power(self.sum(code, weight), weight as i64, power);
            let above = (weight - squared % weight) % weight;
            return (squared.div_ceil(weight) as Cost, above as f64 / weight as f64);
        }
        let sum = self.sum(code, weight) as f64;
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
            None => Units::gain(sum, self.inverse(weight)) as Cost,
        }
    }

    /// The factor by which `gain` multiplies a squared sum of this weight.
    #[inline(always)]
    pub(crate) fn inverse(&self, weight: i64) -> f64 {
        self.gain_scale / weight as f64
    }

    /// Savings of a leaf; an integer.
    #[inline(always)]
    pub(crate) fn gain(sum: i64, inverse: f64) -> f64 {
        let sum = sum as f64;
        sum * sum * inverse + TO_INTEGER - TO_INTEGER
    }

    /// A price per leaf in units of cost; at most about that of all errors, see `PRICE_BITS`.
    pub(crate) fn price(&self, leaf_price: f64) -> Cost {
        if let Some(ClassCosts::Matrix { price, .. }) = self.classes {
            return price;
        }
        let max_bits = match self.deviation {
            Deviation::Squared => SQUARE_BITS + if self.are_fine() { FINER } else { 0 },
            Deviation::Absolute | Deviation::Classes => SUM_BITS,
        };
        times_power(leaf_price, -self.exponent).min(2f64.powi(max_bits)).round() as Cost
    }

    /// Largest rounding error of the cost of some items in one leaf.
    pub(crate) fn leaf_error(&self, items: usize) -> i64 {
        match self.deviation {
            Deviation::Squared => LEAF_ERROR,
            // Half a unit for every item and the median, and three roundings of 2^-53 of a total
            // below 2^59.
            Deviation::Absolute => items as i64 + 512,
            Deviation::Classes => 0, // the clustering bound, which allows for it, is not for classes
        }
    }

    /// Largest rounding error of a tree with at most `leaves` leaves and cost at most `cost`;
    /// `sum_errors` is the total of the squared errors of sums divided by the weights.
    pub(crate) fn max_rounding_error(
        &self,
        leaves: f64,
        items: f64,
        sum_errors: f64,
        cost: f64,
    ) -> f64 {
        let whole = 2f64.powi(if self.fine.is_some() { SQUARE_BITS + FINER } else { SQUARE_BITS });
        match self.deviation {
            Deviation::Squared => {
                let rounded = 2.0 * self.gain_scale * sum_errors + whole * 2f64.powi(-101);
                // Errors of gains and prices, and six roundings of 2^-53 of all squares.
                2.0 * (rounded * cost).sqrt() + rounded + 2.5 * leaves + 2.0
            }
            // Half a unit for every item and median, three roundings of 2^-53 of a total below 2^59
            // for the items and for the medians, and two for the bound as a float.
            Deviation::Absolute => (items + leaves) / 2.0 + 512.0,
            Deviation::Classes => leaves * self.error_per_leaf(),
        }
    }

    /// Largest rounding error of the cost of a leaf of classes and its price.
    pub(crate) fn error_per_leaf(&self) -> f64 {
        self.classes.as_ref().map_or(0.0, ClassCosts::error_per_leaf)
    }

    /// Whether a rounding error is within the tolerance.
    pub(crate) fn tolerate(rounding: f64, cost: f64, one_leaf: f64) -> bool {
        rounding <= (COST_TOLERANCE * cost).max(LEAF_TOLERANCE * one_leaf)
    }

    /// A number of units in the user's unit.
    pub(crate) fn in_user_units(&self, cost: f64) -> f64 {
        times_power(cost.max(0.0), self.exponent).min(f64::MAX)
    }
}

/// Numerator and denominator of the squared sum divided by the weight, times 2 to `power`.
fn in_power(sum: i64, weight: i64, power: i32) -> (u128, u128) {
    let (squared, weight) = (u128::from(sum.unsigned_abs()).pow(2), weight as u128);
    if power < 0 { (squared, weight << -power) } else { (squared << power, weight) }
}
