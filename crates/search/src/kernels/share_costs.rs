//! Lower bounds on the costs of stumps for log-loss and Gini impurity, threshold by threshold.
//!
//! With class weights x and totals W of a leaf, smoothed to s = x + a and S = W + A, log-loss is
//! W log S − Σ x log s, and impurity is W − W Σ s² / S². These forms need a few operations per class and
//! threshold, without branches; the caller computes the exact cost only where the bound is below the
//! best cost known. All weights are exact integers before they are converted to floats.
//!
//! *Margin.* Let u = 2^-53, K the number of classes and W the weight of both leaves.
//! - Impurity: conversion and smoothing give s with an error of 2u of itself, so s² has one of 5u; the
//!   sum of K positive terms adds Ku. The same holds for S², with Ku more for the sum of A. The other
//!   operations are eight at most. So W Σ s² / S², which is at most W, has an error below
//!   (2K + 24) u W, and the whole sum for both leaves below (2K + 32) u W. The margin is 16 (K + 16) u W.
//! - Log-loss: `log2` has an error of `LOG_ERROR` at most, and arguments with an error of 3u of
//!   themselves add 5u. Each term has a weight, and the weights of all terms sum to 2W. Let L be one
//!   more than the maximum of the logarithms. Products and sums of K + 2 terms add at most (K + 8) u of
//!   2WL. So the error is below ln 2 times 2W (`LOG_ERROR` + (K + 13) u L), and below the margin
//!   W (2 `LOG_ERROR` + 8 (K + 16) u L).
//!
//! The scaling by a power of two is exact. To the scaled margin belongs what the rounding of exact
//! costs to integers can take off. Where smoothing is so heavy that a product overflows, the bound is
//! NaN, for which 0 is taken.

use super::class_rows::{BLOCK, BlockWeights, ClassRows, only_allowed, weights_up_to};
use super::gains::Thresholds;
use super::multiversion;

/// Largest error of `log2` for normal positive numbers.
const LOG_ERROR: f64 = 1e-8;

/// The cost of leaves as a function of the shares of their classes.
#[derive(Clone, Copy)]
pub struct ShareCosts<'a> {
    /// Log-loss, or else impurity.
    pub log_loss: bool,
    /// By class, the weight that smoothing adds to a leaf.
    pub added: &'a [f64],
    /// Factor to integer costs, a power of two.
    pub scale: f64,
    /// What rounding can add to or take off the integer cost of a leaf.
    pub rounding: f64,
}

impl ShareCosts<'_> {
    /// The margin for leaves of this total weight, in units of cost.
    fn margin(&self, weight: f64) -> f64 {
        let rounding = (self.added.len() + 16) as f64 * f64::EPSILON;
        let error = match self.log_loss {
            true => {
                let all = weight + self.added.iter().sum::<f64>();
                2.0 * LOG_ERROR + 4.0 * rounding * (all.log2() + 1.0)
            }
            false => 8.0 * rounding,
        };
        weight * error * self.scale + 2.0 * self.rounding
    }
}

/// Lower bounds on the costs of the stumps of one child.
#[derive(Default)]
pub struct StumpCostBounds {
    /// By place, the bound for the threshold behind it; infinite if no threshold is allowed there.
    pub by_place: Vec<f64>,
    /// By block, the minimum of these bounds.
    pub minima: Vec<f64>,
    /// By block and class, the weight before the block.
    pub before: Vec<i64>,
}

/// The binary logarithm of a normal positive number: the exponent, plus the Chebyshev series for the
/// mantissa m in [1, 2) up to degree 9 in m − 3/2. Its coefficients are 2 qⁿ / (n ln 2) with
/// q = 3 − √8, so the rest is below 7.7e-9. Zero gives a finite number.
#[inline(always)]
fn log2(value: f64) -> f64 {
    const SERIES: [f64; 10] = [
        0.584962494495676,
        0.9617967151862846,
        -0.320597665920476,
        0.14248671763706275,
        -0.07128301135033603,
        0.03803393397085531,
        -0.02068585496092969,
        0.01173340632327461,
        -0.00887469665030859,
        0.005413892342395734,
    ];
    // 2^52 plus the biased exponent, as a float.
    let power = f64::from_bits(0x4330_0000_0000_0000 | value.to_bits() >> 52);
    let mantissa = f64::from_bits(0x3ff0_0000_0000_0000 | value.to_bits() & ((1 << 52) - 1));
    let at = mantissa - 1.5;
    let series = SERIES.iter().rev().fold(0.0, |sum, coefficient| sum * at + coefficient);
    series + (power - ((1u64 << 52) + 1023) as f64)
}

/// What a class adds to the sum over classes.
#[inline(always)]
fn term<const LOG_LOSS: bool>(weight: i64, added: f64) -> f64 {
    let weight = weight as f64;
    let share = weight + added;
    if LOG_LOSS { weight * log2(share) } else { share * share }
}

/// The bounds for one block, without a look at which thresholds are allowed.
#[inline(always)]
fn costs_of_block<const LOG_LOSS: bool>(
    costs: &ShareCosts<'_>,
    (left, all): (&BlockWeights, i64),
    sums: &[[f64; BLOCK]; 2],
    margin: f64,
    found: &mut [f64; BLOCK],
) {
    let added: f64 = costs.added.iter().sum();
    for at in 0..BLOCK {
        let weights = [left[at] as f64, (all - left[at]) as f64];
        let wholes = weights.map(|weight| weight + added);
        let cost = if LOG_LOSS {
            let logs = wholes.map(log2);
            let wholes = weights[0] * logs[0] + weights[1] * logs[1];
            (wholes - (sums[0][at] + sums[1][at])) * std::f64::consts::LN_2
        } else {
            let squares = wholes.map(|whole| whole * whole);
            let shares =
                weights[0] * sums[0][at] * squares[1] + weights[1] * sums[1][at] * squares[0];
            all as f64 - shares / (squares[0] * squares[1])
        };
        found[at] = (cost * costs.scale - margin).max(0.0);
    }
}

#[inline(always)]
fn bounds_body<const LOG_LOSS: bool, const PLAIN: bool>(
    costs: &ShareCosts<'_>,
    &ClassRows { ranked, weights }: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
    bounds: &mut StumpCostBounds,
) {
    let blocks = ranked.len().saturating_sub(1).div_ceil(BLOCK);
    bounds.by_place.resize(blocks * BLOCK, f64::INFINITY);
    bounds.minima.clear();
    bounds.before.clear();
    let (all, mut before) = (totals.iter().sum(), totals.iter().map(|_| 0).collect::<Vec<i64>>());
    let absent = totals.iter().zip(costs.added).filter(|(total, _)| **total == 0);
    let absent: f64 = absent.map(|(&total, &added)| term::<LOG_LOSS>(total, added)).sum();
    let last = totals.iter().rposition(|&total| total > 0).unwrap_or(0);
    let margin = costs.margin(all as f64);
    let mut weight = 0;
    for block in 0..blocks {
        let begin = block * BLOCK;
        let end = (begin + BLOCK).min(ranked.len());
        let rows = &ranked[begin..end];
        let weights = if PLAIN { weights } else { &weights[begin..end] };
        bounds.before.extend_from_slice(&before);
        let (mut left, mut of_class) = ([0; BLOCK], [0; BLOCK]);
        weight = match PLAIN {
            true => {
                (left.iter_mut().zip(weight + 1..))
                    .for_each(|(left, count)| *left = count.min(all));
                left[BLOCK - 1]
            }
            false => weights_up_to::<PLAIN>(rows, weights, weight, |_| true, &mut left),
        };
        // The weight of the last class is the rest.
        let (mut rest, mut sums) = (left, [[absent; BLOCK]; 2]);
        for class in (0..=last).filter(|&class| totals[class] > 0) {
            if class < last {
                let counts = |row| row as u32 == class as u32;
                before[class] =
                    weights_up_to::<PLAIN>(rows, weights, before[class], counts, &mut of_class);
                rest.iter_mut().zip(&of_class).for_each(|(rest, own)| *rest -= own);
            } else {
                of_class = rest;
                before[class] = rest[BLOCK - 1];
            }
            let (total, added) = (totals[class], costs.added[class]);
            for at in 0..BLOCK {
                sums[0][at] += term::<LOG_LOSS>(of_class[at], added);
                sums[1][at] += term::<LOG_LOSS>(total - of_class[at], added);
            }
        }
        let mut found = [0.0; BLOCK];
        costs_of_block::<LOG_LOSS>(costs, (&left, all), &sums, margin, &mut found);
        // The bounds are not negative, so that they compare as integers do.
        let found = found.map(|bound| bound.to_bits() as i64);
        let none = f64::INFINITY.to_bits() as i64;
        let (found, minimum) = only_allowed(allowed, rows, &ranked[begin + 1..], found, none);
        bounds.minima.push(f64::from_bits(minimum as u64));
        let to = bounds.by_place[begin..begin + BLOCK].iter_mut();
        to.zip(found).for_each(|(to, bound)| *to = f64::from_bits(bound as u64));
    }
}

multiversion! {
    fn bounds_of<; const LOG_LOSS: bool; const PLAIN: bool>(
        costs: &ShareCosts<'_>,
        rows: &ClassRows<'_>,
        totals: &[i64],
        allowed: Thresholds,
        bounds: &mut StumpCostBounds,
    ) = bounds_body
}

/// Computes lower bounds on the costs of the stumps of a child with these rows in the order of a
/// feature, and these class weights. Without weights every row weighs one.
pub fn share_cost_bounds(
    level: super::InstructionSet,
    costs: &ShareCosts<'_>,
    rows: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
    bounds: &mut StumpCostBounds,
) {
    let compute = match (costs.log_loss, rows.weights.is_empty()) {
        (true, true) => bounds_of::<true, true>,
        (true, false) => bounds_of::<true, false>,
        (false, true) => bounds_of::<false, true>,
        (false, false) => bounds_of::<false, false>,
    };
    compute(level, costs, rows, totals, allowed, bounds);
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::super::class_rows::rank;
    use super::super::class_rows::tests::{class_weights, draw};
    use super::*;

    #[test]
    fn logarithms_are_as_exact_as_stated() {
        let mut greatest: f64 = 0.0;
        for step in 0..200_000 {
            let mantissa = 1.0 + f64::from(step) / 200_000.0;
            for power in [0, 1, 7, 31, 62, 300] {
                let value = mantissa * 2f64.powi(power);
                greatest = greatest.max((log2(value) - value.log2()).abs());
            }
        }
        assert!(greatest > LOG_ERROR / 2.0 && greatest < 0.8 * LOG_ERROR, "{greatest}");
        assert!(log2(0.0).is_finite());
    }

    /// The cost of a leaf by the textbook formulas.
    fn leaf(costs: &ShareCosts<'_>, weights: &[i64]) -> f64 {
        let (weight, added): (i64, f64) = (weights.iter().sum(), costs.added.iter().sum());
        let shares = weights.iter().zip(costs.added).map(|(&own, more)| {
            let share = (own as f64 + more) / (weight as f64 + added);
            if costs.log_loss { -(own as f64) * share.ln() } else { weight as f64 * share * share }
        });
        // Without weight there are no shares.
        let sum: f64 = shares.filter(|share| !share.is_nan()).sum();
        if costs.log_loss { sum } else { weight as f64 - sum }
    }

    #[test]
    fn bounds_are_below_the_costs_by_little_more_than_the_margin_on_all_levels() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        let (mut open, mut closed) = (0, 0);
        for _ in 0..400 {
            let classes = random.u32(1..6);
            let more = [0.0, 0.0, 1.0, 0.3][random.usize(0..4)];
            let added: Vec<f64> = (0..classes).map(|_| more).collect();
            let (ranked, weights, allowed) = draw(&mut random, classes, 59);
            let rows = ClassRows { ranked: &ranked, weights: &weights };
            let totals = class_weights(&rows, 0, ranked.len(), classes);
            let scale = 2f64.powi(random.i32(-30..30));
            let log_loss = random.bool();
            let costs = ShareCosts { log_loss, added: &added, scale, rounding: 0.0 };
            let margin = costs.margin(totals.iter().sum::<i64>() as f64);
            for level in InstructionSet::available() {
                let mut bounds = StumpCostBounds::default();
                share_cost_bounds(level, &costs, &rows, &totals, allowed, &mut bounds);
                let blocks = ranked.len().saturating_sub(1).div_ceil(BLOCK);
                assert_eq!(bounds.minima.len(), blocks);
                for at in 0..ranked.len().saturating_sub(1) {
                    let (block, bound) = (at / BLOCK, bounds.by_place[at]);
                    assert!(bound >= bounds.minima[block]);
                    let before = &bounds.before[block * totals.len()..][..totals.len()];
                    assert_eq!(before, class_weights(&rows, 0, block * BLOCK, classes));
                    if !allowed.separate(rank(ranked[at]), rank(ranked[at + 1])) {
                        assert_eq!(bound, f64::INFINITY);
                        closed += 1;
                        continue;
                    }
                    let left = class_weights(&rows, 0, at + 1, classes);
                    let right: Vec<i64> = totals.iter().zip(&left).map(|(a, b)| a - b).collect();
                    let cost = (leaf(&costs, &left) + leaf(&costs, &right)) * scale;
                    // The formulas of this test are no more exact than a quarter of the margin.
                    assert!(bound <= (cost - margin / 4.0).max(0.0), "{bound} {cost} {margin}");
                    assert!(bound >= cost - 2.0 * margin, "{bound} {cost} {margin}");
                    open += 1;
                }
            }
        }
        assert!(open > 50_000 && closed > 10_000, "{open} {closed}");
    }
}
