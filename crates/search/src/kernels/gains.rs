//! Best stumps of squared error in both children of a root, feature by feature.
//!
//! First the rows of a feature are separated by child, with prefix sums; then every threshold is
//! evaluated. The savings of a leaf are integers in f64, so results do not depend on the order of
//! evaluation.
//!
//! A minimum leaf size allows the thresholds of a range of ranks (`Thresholds`).

use super::multiversion;

/// Adding this to a number below 2^52 rounds it to an integer.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// The rows of a subset in the order of one feature.
#[derive(Clone, Copy)]
pub(crate) struct GainOrder<'a> {
    /// Numbers of the rows.
    pub rows: &'a [u32],
    pub ranks: &'a [u32],
    /// Weight times target, and weight.
    pub sums: &'a [i64],
    pub weights: &'a [i64],
}

/// The thresholds allowed in one child of a root: the ranks t with `first <= t < last`. Rows of
/// rank at most t go to the left leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thresholds {
    pub first: u32,
    pub last: u32,
}

impl Thresholds {
    pub(crate) const ALL: Thresholds = Thresholds { first: 0, last: u32::MAX };
    pub(crate) const NONE: Thresholds = Thresholds { first: 0, last: 0 };

    /// Whether an allowed threshold separates two ranks; `rank` is at most `next`.
    #[inline(always)]
    pub(crate) fn separate(&self, rank: u32, next: u32) -> bool {
        rank.max(self.first) < next.min(self.last)
    }
}

/// Inverse weights, from which the savings of leaves are computed without a division.
pub(crate) struct Inverses {
    /// A leaf of weight W and sum S saves `scale` · S² / W.
    scale: f64,
    /// `scale` divided by the weights 1, 2, 3, ...
    table: Vec<f64>,
    /// The table in reverse order. If every row has weight one, the right leaves of consecutive
    /// thresholds read consecutive entries of it, as the left leaves do of the table.
    reversed: Vec<f64>,
}

impl Inverses {
    /// Makes the tables for weights up to `rows`, which are read only if every row has weight one.
    pub(crate) fn new(scale: f64, rows: usize) -> Self {
        let table: Vec<f64> = (1..=rows).map(|weight| scale / weight as f64).collect();
        let reversed = table.iter().rev().copied().collect();
        Inverses { scale, table, reversed }
    }
}

/// Rows separated by child, with the prefix sums of each child. Of n rows in total, those of the
/// left child begin at index 0, those of the right child at index n.
#[derive(Default)]
pub(crate) struct SplitRows {
    ranks: Vec<u32>,
    sums: Vec<i64>,
    weights: Vec<i64>,
}

impl SplitRows {
    fn reserve(&mut self, rows: usize) {
        if self.ranks.len() < 2 * rows {
            self.ranks.resize(2 * rows, 0);
            self.sums.resize(2 * rows, 0);
            self.weights.resize(2 * rows, 0);
        }
    }
}

/// Separates rows by child; returns the number of rows in the left child. The index to which a row
/// is written is computed without a branch.
#[inline(always)]
fn separate<const PLAIN: bool>(
    order: &GainOrder<'_>,
    on_right: &[u8],
    split_rows: &mut SplitRows,
) -> usize {
    let count = order.rows.len();
    split_rows.reserve(count);
    // Slices of the same lengths, so that one comparison checks all places.
    let to_ranks = &mut split_rows.ranks[..2 * count];
    let (to_sums, to_weights) =
        (&mut split_rows.sums[..2 * count], &mut split_rows.weights[..2 * count]);
    let (rows, ranks, sums) = (order.rows, &order.ranks[..count], &order.sums[..count]);
    let weights = if PLAIN { sums } else { &order.weights[..count] };
    let (mut left, mut sum, mut weight) = (0, [0i64; 2], [0i64; 2]);
    for at in 0..count {
        let goes_right = on_right[rows[at] as usize];
        let mask = -i64::from(goes_right);
        sum[0] += sums[at] & !mask;
        sum[1] += sums[at] & mask;
        let to = if goes_right == 0 { left } else { count + at - left };
        to_ranks[to] = ranks[at];
        to_sums[to] = if goes_right == 0 { sum[0] } else { sum[1] };
        if !PLAIN {
            weight[0] += weights[at] & !mask;
            weight[1] += weights[at] & mask;
            to_weights[to] = if goes_right == 0 { weight[0] } else { weight[1] };
        }
        left += usize::from(1 - goes_right);
    }
    left
}

/// Maximum savings of a stump in one child; 0 if no threshold is allowed.
#[inline(always)]
fn max_savings<const PLAIN: bool>(
    allowed: Thresholds,
    ranks: &[u32],
    sums: &[i64],
    weights: &[i64],
    inverses: &Inverses,
) -> f64 {
    let places = ranks.len().saturating_sub(1);
    if places == 0 {
        return 0.0;
    }
    let gain = |sum: i64, inverse: f64| {
        let sum = sum as f64;
        sum * sum * inverse + TO_INTEGER - TO_INTEGER
    };
    let (all, weight) = (sums[places], if PLAIN { 0 } else { weights[places] });
    let (ranks, after) = (&ranks[..places], &ranks[1..places + 1]);
    let sums = &sums[..places];
    // Gains are not negative, so that they compare as integers do.
    let mut maximum = 0i64;
    if PLAIN {
        let left = &inverses.table[..places];
        let right = &inverses.reversed[inverses.reversed.len() - places..];
        for at in 0..places {
            let both = gain(sums[at], left[at]) + gain(all - sums[at], right[at]);
            let splits = -i64::from(allowed.separate(ranks[at], after[at]));
            maximum = maximum.max(both.to_bits() as i64 & splits);
        }
    } else {
        let weights = &weights[..places];
        for at in 0..places {
            let left = inverses.scale / weights[at] as f64;
            let right = inverses.scale / (weight - weights[at]) as f64;
            let both = gain(sums[at], left) + gain(all - sums[at], right);
            let splits = -i64::from(allowed.separate(ranks[at], after[at]));
            maximum = maximum.max(both.to_bits() as i64 & splits);
        }
    }
    f64::from_bits(maximum as u64)
}

#[inline(always)]
fn body<const PLAIN: bool>(
    order: &GainOrder<'_>,
    on_right: &[u8],
    allowed: &[Thresholds; 2],
    inverses: &Inverses,
    split_rows: &mut SplitRows,
    savings: &mut [f64; 2],
) {
    let (left, count) = (separate::<PLAIN>(order, on_right, split_rows), order.rows.len());
    for (child, rows) in [0..left, count..2 * count - left].into_iter().enumerate() {
        let weights = if PLAIN { &[][..] } else { &split_rows.weights[rows.clone()] };
        savings[child] = max_savings::<PLAIN>(
            allowed[child],
            &split_rows.ranks[rows.clone()],
            &split_rows.sums[rows],
            weights,
            inverses,
        );
    }
}

multiversion! {
    /// Finds the maximum savings of a stump on a feature in each child of a root; `PLAIN` if every
    /// row has weight one.
    pub(crate) fn best_stumps<; const PLAIN: bool>(
        order: &GainOrder<'_>,
        on_right: &[u8],
        allowed: &[Thresholds; 2],
        inverses: &Inverses,
        split_rows: &mut SplitRows,
        savings: &mut [f64; 2],
    ) = body
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::*;
    use proptest::prelude::*;

    fn naive(rows: &[(u32, i64, i64)], allowed: Thresholds, scale: f64) -> f64 {
        let gain = |child: &[&(u32, i64, i64)]| {
            let sum: i64 = child.iter().map(|row| row.1).sum();
            let weight: i64 = child.iter().map(|row| row.2).sum();
            (sum as f64 * sum as f64 * (scale / weight as f64)).round_ties_even()
        };
        let mut maximum = 0.0;
        for rank in allowed.first..allowed.last.min(8) {
            let (left, right): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.0 <= rank);
            if !left.is_empty() && !right.is_empty() {
                maximum = f64::max(maximum, gain(&left) + gain(&right));
            }
        }
        maximum
    }

    proptest! {
        #[test]
        fn all_levels_agree_with_looking_at_every_stump(
            rows in prop::collection::vec((0u32..8, -1_000_000i64..1_000_000, 1i64..9, 0u8..2), 0..90),
            plain in any::<bool>(),
            ranges in prop::collection::vec((0u32..8, 0u32..9), 2),
            all in any::<bool>(),
        ) {
            let mut rows = rows;
            rows.sort();
            if plain {
                rows.iter_mut().for_each(|row| row.2 = 1);
            }
            let numbers: Vec<u32> = (0..rows.len() as u32).collect();
            let ranks: Vec<u32> = rows.iter().map(|row| row.0).collect();
            let sums: Vec<i64> = rows.iter().map(|row| row.1).collect();
            let weights: Vec<i64> = rows.iter().map(|row| row.2).collect();
            let on_right: Vec<u8> = rows.iter().map(|row| row.3).collect();
            let order = GainOrder { rows: &numbers, ranks: &ranks, sums: &sums, weights: &weights };
            let scale = 0.125;
            let inverses = Inverses::new(scale, if plain { 100 } else { 0 });
            let child = |wanted: u8| -> Vec<(u32, i64, i64)> {
                let rows = rows.iter().filter(|row| row.3 == wanted);
                rows.map(|&(rank, sum, weight, _)| (rank, sum, weight)).collect()
            };
            let range = |at: usize| match all {
                true => Thresholds::ALL,
                false => Thresholds { first: ranges[at].0, last: ranges[at].1 },
            };
            let allowed = [range(0), range(1)];
            let expected = [0, 1].map(|at| naive(&child(at as u8), allowed[at], scale));
            for instructions in InstructionSet::available() {
                let (mut split_rows, mut savings) = (SplitRows::default(), [0.0; 2]);
                match plain {
                    true => best_stumps::<true>(instructions, &order, &on_right, &allowed, &inverses, &mut split_rows, &mut savings),
                    false => best_stumps::<false>(instructions, &order, &on_right, &allowed, &inverses, &mut split_rows, &mut savings),
                }
                prop_assert_eq!(savings, expected);
            }
        }
    }
}
