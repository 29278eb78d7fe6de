//! Savings of leaves, for many columns at a time.
//!
//! It is an integer in f64, so results do not depend on the order in which numbers are met;
//! its bits compare as it does.

use super::rows::WeightedSum;
use super::savings::PairSums;

/// Added to what is below 2^52 it leaves an integer.
pub(super) const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// Savings of a leaf with too few rows: negative, whatever is added.
pub(super) const FORBIDDEN: f64 = -((1u64 << 56) as f64);

/// Columns that are worked on together.
pub(super) const BLOCK: usize = 64;

/// What a gain needs beside sum and weight.
#[derive(Clone, Copy, Debug)]
pub struct GainPrice {
    pub scale: f64,
    /// Weight of a leaf, at least 1.
    pub minimum: i64,
}

#[inline(always)]
pub(super) fn gain(sum: i64, weight: i64, price: &GainPrice) -> f64 {
    let value = sum as f64;
    let savings = value * value * (price.scale / weight as f64) + TO_INTEGER - TO_INTEGER;
    if weight >= price.minimum { savings } else { FORBIDDEN }
}

/// Two numbers of columns, side by side.
#[derive(Clone, Copy)]
pub(super) struct GainLanes<'a> {
    pub(super) sums: &'a [i64],
    pub(super) weights: &'a [i64],
}

impl<'a> GainLanes<'a> {
    pub(super) fn of(square: &'a PairSums, row: usize, from: usize, count: usize) -> Self {
        let at = row * square.stride + from;
        GainLanes { sums: &square.sums[at..at + count], weights: &square.weights[at..at + count] }
    }
}

/// What two columns leave to a third: held by both, by one, by none.
#[inline(always)]
pub(super) fn cells(
    both: i64,
    one: i64,
    other: i64,
    rest: i64,
    [t, ik, jk, k]: [i64; 4],
) -> [i64; 8] {
    let (c101, c011) = (ik - t, jk - t);
    let c001 = k - ik - c011;
    [rest - c001, c001, other - c011, c011, one - c101, c101, both - t, t]
}

/// What the leaves of three columns save, by what holds them.
#[inline(always)]
pub(super) fn gains_of_three(
    fixed: [WeightedSum; 4],
    lanes: [GainLanes<'_>; 4],
    price: &GainPrice,
    gains: &mut [[f64; BLOCK]; 8],
) {
    let [both, one, other, rest] = fixed;
    for at in (0..lanes[0].sums.len()).step_by(8) {
        let [a, b, c, d] = lanes.map(|lanes| eight_of(lanes.sums, at));
        let [e, f, g, h] = lanes.map(|lanes| eight_of(lanes.weights, at));
        let mut savings = [[0.0; 8]; 8];
        for lane in 0..8 {
            let sums = [a[lane], b[lane], c[lane], d[lane]];
            let weights = [e[lane], f[lane], g[lane], h[lane]];
            let sums = cells(both.sum, one.sum, other.sum, rest.sum, sums);
            let weights = cells(both.weight, one.weight, other.weight, rest.weight, weights);
            for cell in 0..8 {
                savings[cell][lane] = gain(sums[cell], weights[cell], price);
            }
        }
        for (gains, savings) in gains.iter_mut().zip(&savings) {
            gains[at..at + 8].copy_from_slice(savings);
        }
    }
}

/// Eight numbers from a place on.
#[inline(always)]
pub(super) fn eight_of(numbers: &[i64], at: usize) -> [i64; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&numbers[at..at + 8]);
    eight
}

/// Raises numbers to what two leaves save together.
#[inline(always)]
pub(super) fn raise(best: &mut [i64], one: &[f64; BLOCK], other: &[f64; BLOCK]) {
    for ((best, one), other) in best.iter_mut().zip(one).zip(other) {
        *best = (*best).max((one + other).to_bits() as i64);
    }
}

/// The most that two leaves save together.
#[inline(always)]
pub(super) fn most(one: &[f64; BLOCK], other: &[f64; BLOCK], count: usize) -> i64 {
    let mut best = FORBIDDEN.to_bits() as i64;
    for (one, other) in one[..count].iter().zip(other) {
        best = best.max((one + other).to_bits() as i64);
    }
    best
}

/// What the leaves of a column and of others after it save, by what holds them.
#[inline(always)]
pub(super) fn gains_of_two(
    [own, rest]: [WeightedSum; 2],
    [both, others]: [GainLanes<'_>; 2],
    price: &GainPrice,
    gains: &mut [[f64; BLOCK]; 4],
) {
    for at in (0..both.sums.len()).step_by(8) {
        let [a, b] = [both, others].map(|lanes| eight_of(lanes.sums, at));
        let [c, d] = [both, others].map(|lanes| eight_of(lanes.weights, at));
        let mut savings = [[0.0; 8]; 4];
        for lane in 0..8 {
            let four = |own: i64, rest: i64, both: i64, other: i64| {
                [rest - (other - both), other - both, own - both, both]
            };
            let sums = four(own.sum, rest.sum, a[lane], b[lane]);
            let weights = four(own.weight, rest.weight, c[lane], d[lane]);
            for cell in 0..4 {
                savings[cell][lane] = gain(sums[cell], weights[cell], price);
            }
        }
        for (gains, savings) in gains.iter_mut().zip(&savings) {
            gains[at..at + 8].copy_from_slice(savings);
        }
    }
}

/// The better of a leaf and the best stump.
#[inline(always)]
pub(super) fn or_stump(leaf: &[f64; BLOCK], stumps: &[i64], best: &mut [f64; BLOCK]) {
    for ((best, leaf), stump) in best.iter_mut().zip(leaf).zip(stumps) {
        *best = f64::from_bits((*stump).max(leaf.to_bits() as i64) as u64);
    }
}
