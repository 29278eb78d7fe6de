//! Targets as integers: sums that are exact in every order, and costs that are.
//!
//! A target is its difference to the lower median, times a power of two. Of such
//! numbers the sums of weight times target are rounded once, example by example, so
//! that their total is below 2^59; from there on sums are exact, and what is shifted
//! by a whole number or scaled by a power of two has the same sums.
//!
//! *Squared error.* Examples with weight W and sum S in one leaf cost Q − S²/W, where
//! Q sums the squares. Q is the same for every tree, and a leaf saves S²/W of it: its
//! *gain*, on a grid of 2^-51 of the whole Q, in integers that f64 holds. A gain is
//! off by at most 5 roundings of 2^-53 and the last to the grid, 1.75 units. Squares
//! are rounded upwards and padded by 4 units each; the padding is the same for every
//! tree. So no leaf costs less than nothing, and a leaf that loses an item costs less
//! than before: 4 units are more than both gains are off. Therefore these integers,
//! too, never grow when items are taken away, and bounds that rest on that alone are
//! exact. Bounds that compare with numbers of another kind allow for 2 units a leaf.
//!
//! *Absolute error.* The cost is a sum of integers, exact for whole targets and weights;
//! otherwise every item and every median is rounded once.
//!
//! `slack` is how far a bound can be off in all.

use exactree_model::{Cost, Weight};

/// How far a leaf's prediction is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// Squares about the mean.
    Squared,
    /// Absolute differences to a median.
    Absolute,
}

/// Sums of weight times target stay below 2 to this, and so does the price of a leaf.
const SUM_BITS: i32 = 59;

/// All squares together are at most 2 to this, and the price of a leaf.
const SQUARE_BITS: i32 = 51;

/// Added to what is below 2^52 it leaves an integer.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// How targets and costs become integers.
#[derive(Clone, Debug)]
pub struct Units {
    pub deviation: Deviation,
    /// By code, the difference to the lower median, at most 1.
    differences: Vec<f64>,
    /// What makes a weighted difference an integer, a power of two.
    sum_scale: f64,
    /// What makes a weighted squared difference an integer, a power of two.
    square_scale: f64,
    /// What makes a squared sum over a weight a gain, a power of two.
    pub gain_scale: f64,
    /// A unit of cost in the unit of the user is 2 to this.
    exponent: i32,
    /// What one leaf costs in all, in units, as exactly as f64 has it.
    one_leaf: f64,
}

/// `value` times 2 to `power`, whatever the power; exact unless the result is too
/// small for that, and infinite if it is too large.
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

/// The least power of two that is greater; 0 for what is 0.
fn exponent(value: f64) -> i32 {
    let bits = |value: f64| (value.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    match value {
        0.0 => 0,
        _ if value < f64::MIN_POSITIVE => bits(value * 2f64.powi(100)) - 100,
        _ => bits(value),
    }
}

impl Units {
    /// Units for distinct finite targets in increasing order, the weights of each, and
    /// a price per leaf. A price beyond all errors makes for a coarser grid: then one
    /// leaf is best.
    pub fn new(deviation: Deviation, targets: &[f64], weights: &[Weight], penalty: f64) -> Units {
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
        let widest = differences.iter().fold(0.0, |most: f64, each| most.max(each.abs()));
        let shift = exponent(widest);
        let differences: Vec<f64> =
            differences.iter().map(|&difference| times_power(difference, -shift)).collect();
        let shift = shift + i32::from(large);
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            differences.iter().zip(weights).map(|(&r, &w)| w as f64 * value(r)).sum()
        };
        let (sums, squares) = (sum(&f64::abs), sum(&|r| r * r));
        let (sums, squares) = match deviation {
            Deviation::Squared => (sums, squares.max(times_power(penalty, -2 * shift))),
            Deviation::Absolute => (sums.max(times_power(penalty, -shift)), squares),
        };
        let sum_scale = SUM_BITS - exponent(sums);
        let square_scale = SQUARE_BITS - exponent(squares);
        let unit = match deviation {
            Deviation::Squared => 2 * shift - square_scale,
            Deviation::Absolute => shift - sum_scale,
        };
        let mean = sum(&|r| r) / total.max(1) as f64;
        let one_leaf = match deviation {
            Deviation::Squared => times_power(sum(&|r| (r - mean) * (r - mean)), square_scale),
            Deviation::Absolute => times_power(sum(&f64::abs), sum_scale),
        };
        Units {
            deviation,
            differences,
            sum_scale: 2f64.powi(sum_scale),
            square_scale: 2f64.powi(square_scale),
            gain_scale: 2f64.powi(square_scale - 2 * sum_scale),
            exponent: unit,
            one_leaf,
        }
    }

    /// Weight times target as an integer.
    pub fn sum(&self, code: u32, weight: Weight) -> i64 {
        (weight as f64 * self.differences[code as usize] * self.sum_scale).round() as i64
    }

    /// Weight times target for a weight of either sign.
    pub fn tilted(&self, code: u32, weight: i64) -> i64 {
        weight.signum() * self.sum(code, weight.unsigned_abs())
    }

    /// Weight times squared target in units of cost.
    pub fn square(&self, code: u32, weight: Weight) -> f64 {
        let difference = self.differences[code as usize];
        weight as f64 * (difference * difference) * self.square_scale
    }

    /// What `gain` needs of a weight.
    #[inline(always)]
    pub fn inverse(&self, weight: i64) -> f64 {
        self.gain_scale / weight as f64
    }

    /// What a leaf saves; an integer.
    #[inline(always)]
    pub fn gain(sum: i64, inverse: f64) -> f64 {
        let sum = sum as f64;
        sum * sum * inverse + TO_INTEGER - TO_INTEGER
    }

    /// A price per leaf in units of cost.
    pub fn price(&self, penalty: f64) -> Cost {
        times_power(penalty, -self.exponent).round() as Cost
    }

    /// How far costs of trees with at most so many leaves can be off.
    pub fn slack(&self, leaves: f64, items: f64) -> f64 {
        let rounded = self.one_leaf * (items.log2() + 4.0) * 2f64.powi(-52);
        rounded
            + match self.deviation {
                // By gains, by prices, and where a leaf was known to be best; by sums,
                // which are off by half for every item, and twice in a gain.
                Deviation::Squared => 6.0 * leaves + items * 2f64.powi(-7) + 4.0,
                Deviation::Absolute => 2.0 * items + leaves + 1.0,
            }
    }

    /// A cost in the unit of the user, from what one leaf costs in all.
    pub fn in_user_units(&self, cost: f64, one_leaf: Cost) -> f64 {
        let value = self.one_leaf - (one_leaf as f64 - cost);
        times_power(value.max(0.0), self.exponent).min(f64::MAX)
    }
}
