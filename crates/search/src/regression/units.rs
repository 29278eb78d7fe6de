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
//! off by at most 5 roundings of 2^-53 and the last to the grid, 1.75 units. Squares,
//! those of the rounded sums, are rounded upwards and padded by 4 units each; the padding
//! is the same for every tree. So no leaf costs less than nothing, and a leaf that loses an item
//! costs less than before: 4 units are more than both gains are off. Therefore these integers,
//! too, never grow when items are taken away, and bounds that rest on that alone are
//! exact. Bounds that compare with numbers of another kind allow for `LEAF_OFF` a leaf.
//!
//! *Fine units.* Where a tree leaves next to nothing, 2^-51 of the whole Q is more than
//! is tolerated. Then the search is done again on a grid of 2^-59, with gains and squares
//! that are divisions of integers, off by less than a unit each; nothing else changes.
//!
//! *Absolute error.* The cost is a sum of integers, exact for whole targets and weights;
//! otherwise every item and every median is rounded once.
//!
//! *Slack* is how far costs can be off in all. Rounded sums change the targets, item by
//! item by what its sum is off over its weight (nothing where it is an integer already, at
//! most half a unit), and by three roundings of 2^-53 of itself. The root of what a tree
//! costs is the distance of the targets from numbers that are equal within leaves, so it
//! changes by no more than the distance E between targets and rounded targets, and a cost
//! c by at most 2 E sqrt(c) + E².

use super::class_costs::ClassCosts;
use exactree_model::{Cost, UNBOUNDED, Weight};

/// How far a leaf's prediction is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// Squares about the mean.
    Squared,
    /// Absolute differences to a median.
    Absolute,
    /// Costs of classes, whose codes are in the place of targets.
    Classes,
}

/// Sums of weight times target stay below 2 to this, and so does the price of a leaf.
const SUM_BITS: i32 = 59;

/// All squares together are at most 2 to this, and the price of a leaf.
const SQUARE_BITS: i32 = 51;

/// How many bits more fine units have.
const FINER: i32 = 8;

/// Added to what is below 2^52 it leaves an integer.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// What the gain of a leaf is off at most.
const LEAF_OFF: i64 = 2;

/// How far the cost of what is called best may be above the least, relative to the cost
/// and to what a single leaf costs.
const OF_COST: f64 = 1e-9;
const OF_ONE_LEAF: f64 = 1e-15;

/// How targets and costs become integers.
#[derive(Clone, Debug)]
pub struct Units {
    pub deviation: Deviation,
    /// By code, the difference to the lower median, at most 1.
    differences: Vec<f64>,
    /// What makes a weighted difference an integer, a power of two.
    sum_scale: f64,
    /// What makes a squared sum over a weight a gain, a power of two.
    pub gain_scale: f64,
    /// A unit of cost in the unit of the user is 2 to this.
    exponent: i32,
    /// In fine units, what `gain_scale` is 2 to.
    fine: Option<i32>,
    /// What leaves cost where targets are classes.
    pub classes: Option<ClassCosts>,
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

/// The least integer cost that is not below a number, at most `UNBOUNDED`. A cast alone saturates
/// at the greatest integer, to which nothing can be added.
pub(super) fn cost_above(value: f64) -> Cost {
    if value < UNBOUNDED as f64 { (value.ceil() as Cost).min(UNBOUNDED) } else { UNBOUNDED }
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
            _ => (sums.max(times_power(penalty, -shift)), squares),
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
    pub fn of_classes(costs: ClassCosts, exponent: i32) -> Units {
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

    /// The same targets and sums in fine units; none where the price of a leaf is beyond
    /// all errors.
    pub fn finer(&self) -> Option<Units> {
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

    pub fn are_fine(&self) -> bool {
        self.fine.is_some()
    }

    /// Weight times target as an integer.
    pub fn sum(&self, code: u32, weight: Weight) -> i64 {
        (weight as f64 * self.differences[code as usize] * self.sum_scale).round() as i64
    }

    /// How far that is from weight times target, but for three roundings of 2^-53 of it.
    pub fn sum_off(&self, code: u32, weight: Weight) -> f64 {
        let sum = weight as f64 * self.differences[code as usize] * self.sum_scale;
        (sum - sum.round()).abs()
    }

    /// Weight times target for a weight of either sign.
    pub fn tilted(&self, code: u32, weight: i64) -> i64 {
        weight.signum() * self.sum(code, weight.unsigned_abs())
    }

    /// The target of a code, as a difference.
    pub fn difference(&self, code: u32) -> f64 {
        self.differences[code as usize]
    }

    /// What a weight costs at most that is so far from what is predicted, or `UNBOUNDED` if that
    /// is less. Rounded sums move both by half a unit over their weights, and by a few roundings
    /// of at most 2^-53.
    pub fn farthest(&self, distance: f64, weight: i64) -> Cost {
        let off = (distance + 2f64.powi(-50)) * self.sum_scale + 1.0;
        let weight = weight as f64;
        match self.deviation {
            Deviation::Squared => cost_above(weight * off * off * self.gain_scale),
            _ => cost_above(weight * off),
        }
    }

    /// Weight times squared target in units of cost, rounded upwards, and what that
    /// adds to it.
    pub fn square(&self, code: u32, weight: Weight) -> (Cost, f64) {
        if let Some(power) = self.fine {
            let (squared, weight) = in_power(self.sum(code, weight), weight as i64, power);
            let above = (weight - squared % weight) % weight;
            return (squared.div_ceil(weight) as Cost, above as f64 / weight as f64);
        }
        let sum = self.sum(code, weight) as f64;
        let square = sum * sum * self.inverse(weight as i64);
        (square.ceil() as Cost, square.ceil() - square)
    }

    /// What a leaf saves, a number of units; for one leaf at a time.
    pub fn savings(&self, sum: i64, weight: i64) -> Cost {
        match self.fine {
            Some(power) => {
                let (squared, weight) = in_power(sum, weight, power);
                (squared / weight) as Cost
            }
            None => Units::gain(sum, self.inverse(weight)) as Cost,
        }
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
        if let Some(ClassCosts::Matrix { price, .. }) = self.classes {
            return price;
        }
        times_power(penalty, -self.exponent).round() as Cost
    }

    /// How far what some items cost in one leaf can be off.
    pub fn leaf_off(&self, items: usize) -> i64 {
        match self.deviation {
            Deviation::Squared => LEAF_OFF,
            // Every item and the median by half and by three roundings of 2^-53 of what
            // is below 2^59 in all.
            Deviation::Absolute => items as i64 + 512,
            Deviation::Classes => 0, // groups of classes are not distinguished
        }
    }

    /// How far the cost of a tree with at most so many leaves can be off that costs at most
    /// `cost`; `sums_off` adds up the squares of what sums are off, over the weights.
    pub fn slack(&self, leaves: f64, items: f64, sums_off: f64, cost: f64) -> f64 {
        let whole = 2f64.powi(if self.fine.is_some() { SQUARE_BITS + FINER } else { SQUARE_BITS });
        match self.deviation {
            Deviation::Squared => {
                let rounded = 2.0 * self.gain_scale * sums_off + whole * 2f64.powi(-101);
                // By gains and by prices; by squares.
                2.0 * (rounded * cost).sqrt() + rounded + 2.5 * leaves + 1.0
            }
            // Items and medians by half each, and both by three roundings of 2^-53 of what is
            // below 2^59 in all.
            Deviation::Absolute => (items + leaves) / 2.0 + 384.0,
            Deviation::Classes => leaves * self.off_by_leaf(),
        }
    }

    /// How far the cost of a leaf of classes and its price can be off.
    pub fn off_by_leaf(&self) -> f64 {
        self.classes.as_ref().map_or(0.0, ClassCosts::off_by_leaf)
    }

    /// Whether a cost may be above the least by so much, within the stated tolerance.
    pub fn tolerate(off: f64, cost: f64, one_leaf: f64) -> bool {
        off <= (OF_COST * cost).max(OF_ONE_LEAF * one_leaf)
    }

    /// A number of units in the unit of the user.
    pub fn in_user_units(&self, cost: f64) -> f64 {
        times_power(cost.max(0.0), self.exponent).min(f64::MAX)
    }
}

/// A squared sum and a weight whose ratio is that of the squared sum and the weight times
/// 2 to `power`.
fn in_power(sum: i64, weight: i64, power: i32) -> (u128, u128) {
    let (squared, weight) = (u128::from(sum.unsigned_abs()).pow(2), weight as u128);
    if power < 0 { (squared, weight << -power) } else { (squared << power, weight) }
}
