//! Targets as integers: sums that are exact in every order of summation.
//!
//! A target is represented by its difference to the lower median, times a power of two. Weight
//! times target is rounded once, example by example, to integers whose total is below 2^59. All
//! later sums are exact, and targets shifted by an integer or scaled by a power of two have the
//! same sums.

use exactree_model::{Cost, UNBOUNDED, Weight};

/// Sums of weight times target stay below 2 to this power.
pub(crate) const SUM_BITS: i32 = 59;

/// Number of bits to which the price of a leaf is cut, in units of the widest difference (or of its
/// square): the total error is below 2^62 of these, and a leaf that costs more is the only one.
const PRICE_BITS: i32 = 70;

/// `value` times 2 to `power`, whatever the power; exact unless the result underflows, and infinite
/// if it overflows.
pub(crate) fn times_power(mut value: f64, mut power: i32) -> f64 {
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
pub(crate) fn exponent(value: f64) -> i32 {
    let bits = |value: f64| (value.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    match value {
        0.0 => 0,
        _ if value < f64::MIN_POSITIVE => bits(value * 2f64.powi(100)) - 100,
        _ => bits(value),
    }
}

/// A number rounded up to an integer cost, at most `UNBOUNDED`. A cast alone would saturate at the
/// greatest integer, to which nothing can be added without overflow.
pub(crate) fn cost_above(value: f64) -> Cost {
    if value < UNBOUNDED as f64 { (value.ceil() as Cost).min(UNBOUNDED) } else { UNBOUNDED }
}

/// Differences of targets to their lower median, in a unit in which they are at most 1.
pub(super) struct Differences {
    by_code: Vec<f64>,
    /// The unit is 2 to this power in the unit of the user.
    pub(super) exponent: i32,
    /// Totals of weight times difference and of weight times squared difference.
    pub(super) sums: f64,
    pub(super) squares: f64,
}

impl Differences {
    /// Of distinct finite targets in increasing order, with the weights of each.
    pub(super) fn new(targets: &[f64], weights: &[Weight]) -> Differences {
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
        let by_code: Vec<f64> =
            differences.iter().map(|&difference| times_power(difference, -shift)).collect();
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            by_code.iter().zip(weights).map(|(&r, &w)| w as f64 * value(r)).sum()
        };
        let (sums, squares) = (sum(&f64::abs), sum(&|r| r * r));
        Differences { by_code, exponent: shift + i32::from(large), sums, squares }
    }

    /// The price of a leaf in the unit of differences to this power. Where differences are tiny, it
    /// may be infinite, and is cut.
    pub(super) fn price(&self, leaf_price: f64, power: i32) -> f64 {
        times_power(leaf_price, -power * self.exponent).min(2f64.powi(PRICE_BITS))
    }
}

/// Targets as differences, with a factor that makes weighted differences integers.
#[derive(Clone, Debug)]
pub(crate) struct IntegerTargets {
    differences: Vec<f64>,
    /// A power of two.
    scale: f64,
}

impl IntegerTargets {
    pub(super) fn new(differences: Differences, scale_exponent: i32) -> IntegerTargets {
        IntegerTargets { differences: differences.by_code, scale: 2f64.powi(scale_exponent) }
    }

    /// Weight times target as an integer.
    pub(super) fn sum(&self, code: u32, weight: Weight) -> i64 {
        (weight as f64 * self.differences[code as usize] * self.scale).round() as i64
    }

    /// Rounding error of `sum`, up to three roundings of 2^-53 of it.
    pub(super) fn sum_error(&self, code: u32, weight: Weight) -> f64 {
        let sum = weight as f64 * self.differences[code as usize] * self.scale;
        (sum - sum.round()).abs()
    }

    /// Weight times target for a weight of either sign.
    pub(super) fn signed_sum(&self, code: u32, weight: i64) -> i64 {
        weight.signum() * self.sum(code, weight.unsigned_abs())
    }

    /// The minimum and the maximum of the targets of two codes, as differences.
    pub(super) fn range(&self, codes: (u32, u32)) -> (f64, f64) {
        (self.differences[codes.0 as usize], self.differences[codes.1 as usize])
    }

    /// An upper bound on how far targets between two codes are from a prediction in a range of codes,
    /// times the scale. Rounded sums move target and prediction by half a unit over their weights,
    /// and by three roundings of at most 2^-53 each. The eight roundings of the caller are like moving
    /// a distance of at most 2 by as many roundings: 14 · 2^-53 in all, less than 2^-49.
    pub(super) fn farthest(&self, codes: (u32, u32), range: (u32, u32)) -> f64 {
        let ((low, high), (minimum, maximum)) = (self.range(codes), self.range(range));
        let distance = (high - minimum).max(maximum - low);
        (distance + 2f64.powi(-49)) * self.scale + 1.0
    }
}
