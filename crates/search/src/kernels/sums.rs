//! Sums of all pairs of two-valued columns, and the best stumps below each column.

use super::multiversion;

/// Added to what is below 2^52 it leaves an integer.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// Items as rows of two-valued columns.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Columns, and that number rounded up.
    pub columns: usize,
    pub stride: usize,
    /// By item and column, the weighted target and the weight, or nothing where the
    /// column does not hold the item.
    pub sums: Vec<i64>,
    pub weights: Vec<i64>,
    /// By item, the columns that hold it; item by item up to its end.
    pub holders: Vec<u32>,
    pub ends: Vec<usize>,
}

/// By pair of columns, what both hold; a column with itself is the column.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    pub sums: Vec<i64>,
    pub weights: Vec<i64>,
}

#[inline(always)]
fn meet_body(rows: &Rows, items: &[u32], pairs: &mut Pairs) {
    let stride = rows.stride;
    for held in [&mut pairs.sums, &mut pairs.weights] {
        held.clear();
        held.resize(rows.columns * stride, 0);
    }
    for &item in items {
        let item = item as usize;
        let sums = &rows.sums[item * stride..][..stride];
        let weights = &rows.weights[item * stride..][..stride];
        let first = if item == 0 { 0 } else { rows.ends[item - 1] };
        for &column in &rows.holders[first..rows.ends[item]] {
            let to = column as usize * stride;
            for (both, sum) in pairs.sums[to..to + stride].iter_mut().zip(sums) {
                *both += sum;
            }
            for (both, weight) in pairs.weights[to..to + stride].iter_mut().zip(weights) {
                *both += weight;
            }
        }
    }
}

multiversion! {
    /// Sums what all pairs of columns hold of some items.
    pub fn meet<>(rows: &Rows, items: &[u32], pairs: &mut Pairs) = meet_body
}

/// What two leaves save, in a form that compares as it does; 0 if one has no items.
#[inline(always)]
fn both(sums: [i64; 2], weights: [i64; 2], scale: f64) -> i64 {
    let gain = |at: usize| {
        let sum = sums[at] as f64;
        sum * sum * (scale / weights[at] as f64) + TO_INTEGER - TO_INTEGER
    };
    let divides = -i64::from((weights[0] != 0) & (weights[1] != 0));
    (gain(0) + gain(1)).to_bits() as i64 & divides
}

#[inline(always)]
fn stumps_body(
    columns: usize,
    stride: usize,
    pairs: &Pairs,
    all: (i64, i64),
    scale: f64,
    saved: &mut Vec<[f64; 2]>,
) {
    saved.clear();
    let (sum, weight) = all;
    let own = |at: usize| (pairs.sums[at * stride + at], pairs.weights[at * stride + at]);
    let alone: (Vec<i64>, Vec<i64>) = (0..columns).map(own).unzip();
    for root in 0..columns {
        let (root_sum, root_weight) = own(root);
        let sums = &pairs.sums[root * stride..][..columns];
        let weights = &pairs.weights[root * stride..][..columns];
        let (mut inside, mut outside) = (0, 0);
        for at in 0..columns {
            let (s, w) = (sums[at], weights[at]);
            let (others, other_weights) = (alone.0[at] - s, alone.1[at] - w);
            inside = inside.max(both([s, root_sum - s], [w, root_weight - w], scale));
            let rest = (sum - root_sum - others, weight - root_weight - other_weights);
            outside = outside.max(both([others, rest.0], [other_weights, rest.1], scale));
        }
        saved.push([f64::from_bits(outside as u64), f64::from_bits(inside as u64)]);
    }
}

multiversion! {
    /// By column, the most that the leaves of a stump save outside and inside of it.
    pub fn stumps_below<>(
        columns: usize,
        stride: usize,
        pairs: &Pairs,
        all: (i64, i64),
        scale: f64,
        saved: &mut Vec<[f64; 2]>,
    ) = stumps_body
}
