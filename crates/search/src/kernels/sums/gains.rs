//! Savings of leaves, for many columns at a time.
//!
//! The savings of a leaf are an integer in f64, so results do not depend on the order of additions,
//! and the bits compare as the numbers do.

use super::rows::WeightedSum;
use super::savings::{FORBIDDEN, PairSums};

/// Adding this to a number below 2^52 rounds it to an integer.
pub(super) const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// Number of columns processed together.
pub(super) const BLOCK: usize = 64;

/// The scale of savings, and the minimum weight of a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafSavings {
    pub scale: f64,
    /// Minimum weight of a leaf, at least 1.
    pub minimum: i64,
}

#[inline(always)]
pub(super) fn gain(sum: i64, weight: i64, leaf_savings: &LeafSavings) -> f64 {
    let value = sum as f64;
    let savings = value * value * (leaf_savings.scale / weight as f64) + TO_INTEGER - TO_INTEGER;
    if weight >= leaf_savings.minimum { savings } else { FORBIDDEN }
}

/// Sums and weights of consecutive columns.
#[derive(Clone, Copy)]
pub(super) struct GainLanes<'a> {
    pub(super) sums: &'a [i64],
    pub(super) weights: &'a [i64],
}

impl<'a> GainLanes<'a> {
    pub(super) fn of(square: &'a PairSums, row: usize, from: usize, count: usize) -> Self {
        let at = row * square.row_stride + from;
        GainLanes { sums: &square.sums[at..at + count], weights: &square.weights[at..at + count] }
    }
}

/// Sums in the eight cells of three columns, from the sums in the four cells of two of them and the
/// sums of the third column: with both, with each of the two, and alone.
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

/// Savings of the leaves in the eight cells of three columns.
#[inline(always)]
pub(super) fn gains_of_three(
    fixed: [WeightedSum; 4],
    lanes: [GainLanes<'_>; 4],
    leaf_savings: &LeafSavings,
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
                savings[cell][lane] = gain(sums[cell], weights[cell], leaf_savings);
            }
        }
        for (gains, savings) in gains.iter_mut().zip(&savings) {
            gains[at..at + 8].copy_from_slice(savings);
        }
    }
}

/// The eight numbers from position `at` on.
#[inline(always)]
pub(super) fn eight_of(numbers: &[i64], at: usize) -> [i64; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&numbers[at..at + 8]);
    eight
}

/// Raises `best` to the savings of two leaves together.
#[inline(always)]
pub(super) fn raise(best: &mut [i64], one: &[f64; BLOCK], other: &[f64; BLOCK]) {
    for ((best, one), other) in best.iter_mut().zip(one).zip(other) {
        *best = (*best).max((one + other).to_bits() as i64);
    }
}

/// The maximum savings of two leaves together, over columns.
#[inline(always)]
pub(super) fn max_pair(one: &[f64; BLOCK], other: &[f64; BLOCK], count: usize) -> i64 {
    let mut best = FORBIDDEN.to_bits() as i64;
    for (one, other) in one[..count].iter().zip(other) {
        best = best.max((one + other).to_bits() as i64);
    }
    best
}

/// Savings of the leaves in the four cells of a column and of others after it.
#[inline(always)]
pub(super) fn gains_of_two(
    [own, rest]: [WeightedSum; 2],
    [both, others]: [GainLanes<'_>; 2],
    leaf_savings: &LeafSavings,
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
                savings[cell][lane] = gain(sums[cell], weights[cell], leaf_savings);
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
