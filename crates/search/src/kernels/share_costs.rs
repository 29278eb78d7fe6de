//! Lower bounds on the costs of stumps for log-loss and Gini impurity, threshold by threshold.
//!
//! With class weights x and totals W of a leaf, smoothed to s = x + a and S = W + A, log-loss is
//! W log S − Σ x log s, and impurity is W − W Σ s² / S². These forms need a few operations per
//! class and threshold, without branches; the caller computes the exact cost only where the bound
//! is below the best cost known. All weights are exact integers before they are converted to
//! floats.
//!
//! *Margin.* Let u = 2^-53, K the number of classes and W the weight of both leaves.
//! - Impurity: conversion and smoothing give s with an error of 2u of itself, so s² has one of 5u;
//!   the sum of K positive terms adds Ku. The same holds for S², with Ku more for the sum of A. The
//!   other operations are eight at most. So W Σ s² / S², which is at most W, has an error below
//!   (2K + 24) u W, and the whole sum for both leaves below (2K + 32) u W. The margin is
//!   16 (K + 16) u W. Squares underflow only below 2^-1022, which is negligible compared with
//!   S² ≥ 1. They do not overflow: with S above 2^500 the margin is infinite.
//! - Log-loss: `log2` has an error of `LOG_ERROR` at most, and arguments with an error of 3u of
//!   themselves add 5u. Each term has a weight, and the weights of all terms sum to 2W. Let L be
//!   one more than the maximum of the logarithms. Products and sums of K + 2 terms add at most
//!   (K + 8) u of 2WL. So the error is below ln 2 times 2W (`LOG_ERROR` + (K + 13) u L), and below
//!   the margin W (2 `LOG_ERROR` + 8 (K + 16) u L).
//!
//! The scaling by a power of two is exact. The scaled margin includes the maximum amount by which
//! exact costs are rounded down to integers. No cost is negative, so a bound that is negative or
//! not a number is replaced by 0.
//!
//! Length: a third is the argument for the margin, and tests of it.

use super::class_rows::{BLOCK, BlockWeights, ClassRows, only_allowed, rank, weights_up_to};
use super::gains::Thresholds;
use super::multiversion;

/// Upper bound on the error of `log2` for normal positive numbers.
const LOG_ERROR: f64 = 4e-7;

/// The cost of leaves as a function of the shares of their classes.
pub(crate) struct ShareCosts<'a> {
    /// Log-loss, or else impurity.
    log_loss: bool,
    /// By class, the weight that smoothing adds to a leaf.
    added: &'a [f64],
    /// Factor to integer costs, a power of two.
    scale: f64,
    /// Maximum rounding error of the integer cost of a leaf.
    rounding: f64,
    /// If every row weighs one, `whole` for all weights from 1 on, and in the opposite order: both
    /// leaves of consecutive thresholds read consecutive entries. Each table is padded by a block.
    by_weight: [Vec<f64>; 2],
    /// Number of weights in the table.
    rows: usize,
}

impl<'a> ShareCosts<'a> {
    /// With a table for weights up to a number of rows, if every row weighs one.
    pub(crate) fn new(
        log_loss: bool,
        added: &'a [f64],
        scale: f64,
        rounding: f64,
        rows: usize,
    ) -> Self {
        let all: f64 = added.iter().sum();
        let of_weight = |weight: usize| match log_loss {
            true => whole::<true>(weight as f64, all),
            false => whole::<false>(weight as f64, all),
        };
        let padded = |mut table: Vec<f64>| {
            table.resize(rows + BLOCK, 0.0);
            table
        };
        let upwards: Vec<f64> = (1..=rows).map(of_weight).collect();
        let downwards = upwards.iter().rev().copied().collect();
        let by_weight = [padded(upwards), padded(downwards)];
        ShareCosts { log_loss, added, scale, rounding, by_weight, rows }
    }

    /// The margin for leaves of this total weight, in units of cost.
    fn margin(&self, weight: f64) -> f64 {
        let rounding = (self.added.len() + 16) as f64 * f64::EPSILON;
        let whole = weight + self.added.iter().sum::<f64>();
        let error = match self.log_loss {
            true => 2.0 * LOG_ERROR + 4.0 * rounding * (whole.log2() + 1.0),
            false if whole > 2f64.powi(500) => f64::INFINITY,
            false => 8.0 * rounding,
        };
        weight * error * self.scale + 2.0 * self.rounding
    }
}

/// Lower bounds on the costs of the stumps of one child.
#[derive(Default)]
pub(crate) struct StumpCostBounds {
    /// By place of a refined block, the bound for the threshold behind it; infinite if no threshold is
    /// allowed there.
    pub by_place: Vec<f64>,
    /// By block, a bound for all its thresholds; of a refined block, the minimum of those by place.
    pub minima: Vec<f64>,
    /// By block and class, the weight before the block.
    pub before: Vec<i64>,
}

/// The binary logarithm of a normal positive number: the exponent, plus the Chebyshev series for
/// the mantissa m in [1, 2) up to degree 7 in m − 3/2. Its coefficients are 2 qⁿ / (n ln 2) with
/// q = 3 − √8, so the rest is below 3.3e-7. Zero gives a finite number.
#[inline(always)]
fn log2(value: f64) -> f64 {
    const SERIES: [f64; 8] = [
        0.5849627653299244,
        0.9617959717013133,
        -0.3206323327042663,
        0.1425263701688674,
        -0.07058967567453067,
        0.03746293751286826,
        -0.025123203286083983,
        0.01477872076587221,
    ];
    // 2^52 plus the biased exponent, as a float.
    let power = f64::from_bits(0x4330_0000_0000_0000 | value.to_bits() >> 52);
    let mantissa = f64::from_bits(0x3ff0_0000_0000_0000 | value.to_bits() & ((1 << 52) - 1));
    let at = mantissa - 1.5;
    let mut series = 0.0;
    for coefficient in SERIES.iter().rev() {
        series = series * at + coefficient;
    }
    series + (power - ((1u64 << 52) + 1023) as f64)
}

/// The contribution of a class to the sum over classes.
#[inline(always)]
fn term<const LOG_LOSS: bool>(weight: i64, added: f64) -> f64 {
    let weight = weight as f64;
    let share = weight + added;
    if LOG_LOSS { weight * log2(share) } else { share * share }
}

/// The contribution of the total weight of a leaf to its log-loss; for impurity, the factor of the
/// sum of squares, which is subtracted from the weight.
#[inline(always)]
fn whole<const LOG_LOSS: bool>(weight: f64, added: f64) -> f64 {
    let whole = weight + added;
    if LOG_LOSS { weight * log2(whole) } else { weight / (whole * whole) }
}

/// Sums over classes by place of a block, for left and right leaves.
type BlockSums = [[f64; BLOCK]; 2];

/// The sums over classes for one block. `before` has the weight of each class before the block, `left`
/// has the weights of left leaves; the weights of the last class are what the other classes leave of
/// them.
#[inline(always)]
fn sum_classes<const LOG_LOSS: bool, const PLAIN: bool>(
    costs: &ShareCosts<'_>,
    rows: &ClassRows<'_>,
    totals: &[i64],
    left: &BlockWeights,
    before: &[i64],
    sums: &mut BlockSums,
) {
    let mut rest = *left;
    let last = totals.iter().rposition(|&total| total > 0).unwrap_or(0);
    let [left_sums, right_sums] = sums;
    for class in 0..totals.len() {
        let (total, added) = (totals[class], costs.added[class]);
        if total == 0 {
            let none = term::<LOG_LOSS>(0, added);
            for at in 0..BLOCK {
                left_sums[at] += none;
                right_sums[at] += none;
            }
            continue;
        }
        let mut own = rest;
        if class < last {
            let only = Some(class as u32);
            weights_up_to::<PLAIN>(rows, only, before[class], &mut own);
        }
        for at in 0..BLOCK {
            rest[at] -= own[at];
            left_sums[at] += term::<LOG_LOSS>(own[at], added);
            right_sums[at] += term::<LOG_LOSS>(total - own[at], added);
        }
    }
}

/// The bounds for one block, whether or not thresholds are allowed, as bits: they are not negative,
/// so that they compare as integers do.
#[inline(always)]
fn bounds_of_block<const LOG_LOSS: bool>(
    costs: &ShareCosts<'_>,
    [left, right]: [&[f64; BLOCK]; 2],
    [left_sums, right_sums]: &BlockSums,
    (all, margin): (f64, f64),
    found: &mut [i64; BLOCK],
) {
    for at in 0..BLOCK {
        let cost = if LOG_LOSS {
            (left[at] + right[at] - (left_sums[at] + right_sums[at])) * std::f64::consts::LN_2
        } else {
            all - (left[at] * left_sums[at] + right[at] * right_sums[at])
        };
        found[at] = (cost * costs.scale - margin).max(0.0).to_bits() as i64;
    }
}

/// The entries of a padded table for a block.
#[inline(always)]
fn entries(table: &[f64], first: usize) -> &[f64; BLOCK] {
    table[first..].first_chunk().expect("the table is padded")
}

/// The cost of a leaf with these class weights; `weight` is their sum.
#[inline(always)]
fn leaf_cost<const LOG_LOSS: bool>(
    costs: &ShareCosts<'_>,
    weights: impl Iterator<Item = i64>,
    weight: i64,
    added: f64,
) -> f64 {
    if weight == 0 {
        return 0.0;
    }
    let terms = weights.zip(costs.added).map(|(own, &more)| term::<LOG_LOSS>(own, more));
    let (sum, whole) = (terms.sum::<f64>(), whole::<LOG_LOSS>(weight as f64, added));
    if LOG_LOSS { (whole - sum) * std::f64::consts::LN_2 } else { weight as f64 - whole * sum }
}

/// A threshold in a block has all rows before the block on its left and all rows after the block on its
/// right, and no leaf costs less with more rows.
#[inline(always)]
fn blocks_body<const LOG_LOSS: bool, const PLAIN: bool>(
    costs: &ShareCosts<'_>,
    rows: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
    bounds: &mut StumpCostBounds,
) {
    let blocks = rows.ranked.len().saturating_sub(1).div_ceil(BLOCK);
    bounds.by_place.resize(blocks * BLOCK, f64::INFINITY);
    bounds.minima.clear();
    bounds.before.clear();
    let (all, classes): (i64, _) = (totals.iter().sum(), totals.len());
    let (added, margin) = (costs.added.iter().sum(), costs.margin(all as f64));
    bounds.before.resize((blocks + 1) * classes, 0);
    let mut left = 0;
    for block in 0..blocks {
        let begin = block * BLOCK;
        let end = (begin + BLOCK).min(rows.ranked.len());
        let (before, after) = bounds.before[block * classes..].split_at_mut(classes);
        let mut held = left;
        for class in 0..classes {
            let mut own = 0;
            for at in begin..end {
                let weight = if PLAIN { 1 } else { rows.weights[at] };
                own += weight & -i64::from(rows.ranked[at] as u32 == class as u32);
            }
            after[class] = before[class] + own;
            held += own;
        }
        // The row behind the last threshold.
        let next = rows.ranked[end.min(rows.ranked.len() - 1)];
        let bound = match allowed.separate(rank(rows.ranked[begin]), rank(next)) {
            false => f64::INFINITY,
            true => {
                let others = totals.iter().zip(&after[..classes]).map(|(all, own)| all - own);
                let first = leaf_cost::<LOG_LOSS>(costs, before.iter().copied(), left, added);
                let second = leaf_cost::<LOG_LOSS>(costs, others, all - held, added);
                ((first + second) * costs.scale - margin).max(0.0)
            }
        };
        bounds.minima.push(bound);
        left = held;
    }
}

#[inline(always)]
fn refine_body<const LOG_LOSS: bool, const PLAIN: bool>(
    costs: &ShareCosts<'_>,
    rows: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
    block: usize,
    bounds: &mut StumpCostBounds,
) {
    let (all, begin): (i64, _) = (totals.iter().sum(), block * BLOCK);
    let (added, margin) = (costs.added.iter().sum(), costs.margin(all as f64));
    let rows = rows.from(begin);
    let before = &bounds.before[block * totals.len()..][..totals.len()];
    let (mut left, mut sums, mut found) = ([0; BLOCK], [[0.0; BLOCK]; 2], [0; BLOCK]);
    let mut own = [[0.0; BLOCK]; 2];
    let wholes = if PLAIN {
        for (at, left) in left.iter_mut().enumerate() {
            *left = ((begin + at + 1) as i64).min(all);
        }
        let [upwards, downwards] = &costs.by_weight;
        [entries(upwards, begin), entries(downwards, costs.rows - all as usize + begin + 1)]
    } else {
        weights_up_to::<PLAIN>(&rows, None, before.iter().sum(), &mut left);
        for at in 0..BLOCK {
            own[0][at] = whole::<LOG_LOSS>(left[at] as f64, added);
            own[1][at] = whole::<LOG_LOSS>((all - left[at]) as f64, added);
        }
        [&own[0], &own[1]]
    };
    sum_classes::<LOG_LOSS, PLAIN>(costs, &rows, totals, &left, before, &mut sums);
    bounds_of_block::<LOG_LOSS>(costs, wholes, &sums, (all as f64, margin), &mut found);
    let none = f64::INFINITY.to_bits() as i64;
    let minimum = only_allowed(allowed, rows.ranked, &mut found, none);
    // Both bounds hold; the one by place is usually greater.
    bounds.minima[block] = f64::from_bits(minimum as u64);
    let by_place = &mut bounds.by_place[begin..begin + BLOCK];
    for at in 0..BLOCK {
        by_place[at] = f64::from_bits(found[at] as u64);
    }
}

multiversion! {
    fn bounds_of_blocks<; const LOG_LOSS: bool; const PLAIN: bool>(
        costs: &ShareCosts<'_>,
        rows: &ClassRows<'_>,
        totals: &[i64],
        allowed: Thresholds,
        bounds: &mut StumpCostBounds,
    ) = blocks_body
}

multiversion! {
    fn refine_bounds<; const LOG_LOSS: bool; const PLAIN: bool>(
        costs: &ShareCosts<'_>,
        rows: &ClassRows<'_>,
        totals: &[i64],
        allowed: Thresholds,
        block: usize,
        bounds: &mut StumpCostBounds,
    ) = refine_body
}

/// Computes lower bounds, block by block, on the costs of the stumps of a child with these rows in the
/// order of a feature, and these class weights. Without weights every row weighs one.
pub(crate) fn share_cost_bounds(
    instructions: super::InstructionSet,
    costs: &ShareCosts<'_>,
    rows: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
    bounds: &mut StumpCostBounds,
) {
    let compute = match (costs.log_loss, rows.weights.is_empty()) {
        (true, true) => bounds_of_blocks::<true, true>,
        (true, false) => bounds_of_blocks::<true, false>,
        (false, true) => bounds_of_blocks::<false, true>,
        (false, false) => bounds_of_blocks::<false, false>,
    };
    compute(instructions, costs, rows, totals, allowed, bounds);
}

/// Computes the bounds of a block by place, after those of all blocks.
pub(crate) fn refine_share_cost_bounds(
    instructions: super::InstructionSet,
    costs: &ShareCosts<'_>,
    rows: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
    block: usize,
    bounds: &mut StumpCostBounds,
) {
    let compute = match (costs.log_loss, rows.weights.is_empty()) {
        (true, true) => refine_bounds::<true, true>,
        (true, false) => refine_bounds::<true, false>,
        (false, true) => refine_bounds::<false, true>,
        (false, false) => refine_bounds::<false, false>,
    };
    compute(instructions, costs, rows, totals, allowed, block, bounds);
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
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
        assert!(greatest > LOG_ERROR / 2.0 && greatest < 0.9 * LOG_ERROR, "{greatest}");
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
        let (mut open, mut closed, mut near) = (0, 0, 0);
        for _ in 0..400 {
            let classes = random.u32(1..6);
            let more = [0.0, 0.0, 1.0, 0.3][random.usize(0..4)];
            let added: Vec<f64> = (0..classes).map(|_| more).collect();
            let (ranked, weights, allowed) = draw(&mut random, classes, 59);
            let rows = ClassRows { ranked: &ranked, weights: &weights };
            let totals = class_weights(&rows, 0, ranked.len(), classes);
            let scale = 2f64.powi(random.i32(-30..30));
            let log_loss = random.bool();
            let costs = ShareCosts::new(log_loss, &added, scale, 0.0, ranked.len());
            let margin = costs.margin(totals.iter().sum::<i64>() as f64);
            for instructions in InstructionSet::available() {
                let mut bounds = StumpCostBounds::default();
                share_cost_bounds(instructions, &costs, &rows, &totals, allowed, &mut bounds);
                let blocks = ranked.len().saturating_sub(1).div_ceil(BLOCK);
                assert_eq!(bounds.minima.len(), blocks);
                let by_block = bounds.minima.clone();
                for block in 0..blocks {
                    let bounds = &mut bounds;
                    refine_share_cost_bounds(
                        instructions,
                        &costs,
                        &rows,
                        &totals,
                        allowed,
                        block,
                        bounds,
                    );
                }
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
                    assert!(by_block[block] <= (cost - margin / 4.0).max(0.0));
                    near += u32::from(by_block[block] > cost / 2.0);
                    // A quarter of the margin stays unused, also with the errors of `leaf` above.
                    assert!(bound <= (cost - margin / 4.0).max(0.0), "{bound} {cost} {margin}");
                    assert!(bound >= cost - 2.0 * margin, "{bound} {cost} {margin}");
                    open += 1;
                }
            }
        }
        assert!(open > 50_000 && closed > 10_000 && near > 20_000, "{open} {closed} {near}");
    }
}
