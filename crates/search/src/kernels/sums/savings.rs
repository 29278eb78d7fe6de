//! Workspace of the kernel: sums of columns, and savings of trees below them. It is reused.

use super::rows::{EightSums, WeightedSum, blocks};

/// Savings of a leaf that is too light; negative whatever is added to them.
pub(super) const FORBIDDEN: f64 = -((1u64 << 56) as f64);

/// Sums and weights of pairs of columns, as square matrices, or as one row of each at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct PairSums {
    /// Length of a row.
    pub(super) stride: usize,
    /// Distance of two rows; 0 if they share their place.
    pub(super) row_stride: usize,
    pub(super) sums: Vec<i64>,
    pub(super) weights: Vec<i64>,
}

/// Savings of small trees in the children of columns, as bits of f64.
#[derive(Clone, Debug, Default)]
pub(crate) struct Savings {
    /// Whether all columns are counted.
    pub(crate) complete: bool,
    pub(super) columns: usize,
    pub(super) pairs: PairSums,
    pub(super) triples: PairSums,
    /// By pair of chains, the sums of the items listed with both columns.
    pub(super) raw: Vec<EightSums>,
    pub(super) run: Vec<EightSums>,
    /// The items that the current column holds, by the columns of later chains with which they are
    /// listed.
    pub(super) alone: Vec<WeightedSum>,
    /// By column, the sum and the weight that it holds.
    pub(super) own: [Vec<i64>; 2],
    /// By cell of a pair of columns, the savings of the best stump below.
    pub(super) stumps: [Vec<i64>; 4],
    /// By maximum number of nodes, child (not held, held) and column.
    pub below: [[Vec<i64>; 2]; 4],
}

impl PairSums {
    pub(super) fn begin(&mut self, columns: usize, one_row: bool) {
        self.stride = columns.next_multiple_of(8) + 8;
        self.row_stride = if one_row { 0 } else { self.stride };
        let rows = if one_row { 1 } else { columns };
        for numbers in [&mut self.sums, &mut self.weights] {
            numbers.clear();
            numbers.resize(rows * self.stride, 0);
        }
    }

    #[inline(always)]
    pub(super) fn at(&self, one: usize, other: usize) -> WeightedSum {
        let at = one * self.row_stride + other;
        WeightedSum { sum: self.sums[at], weight: self.weights[at] }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, one: usize, other: usize, held: WeightedSum) {
        let at = one * self.row_stride + other;
        (self.sums[at], self.weights[at]) = (held.sum, held.weight);
    }
}

impl Savings {
    pub(super) fn begin(&mut self, columns: usize, triples: bool) {
        (self.complete, self.columns) = (false, columns);
        self.pairs.begin(columns, !triples);
        let (stride, none) = (self.pairs.stride, FORBIDDEN.to_bits() as i64);
        for child in self.below.iter_mut().flatten() {
            child.clear();
            child.resize(stride, none);
        }
        self.alone.clear();
        self.alone.resize(columns, WeightedSum::default());
        for own in &mut self.own {
            own.clear();
            own.resize(stride, 0);
        }
        if triples {
            self.triples.begin(columns, false);
            self.raw.clear();
            self.raw.resize(columns * blocks(columns), EightSums::default());
            self.run.clear();
            self.run.resize(blocks(columns), EightSums::default());
            for stumps in &mut self.stumps {
                stumps.clear();
                stumps.resize(columns * stride, none);
            }
        }
    }

    /// The sum that a column holds.
    #[inline(always)]
    pub(crate) fn own(&self, column: usize) -> WeightedSum {
        WeightedSum { sum: self.own[0][column], weight: self.own[1][column] }
    }

    /// Savings of a child of a column with at most `nodes` nodes; negative if there is no such
    /// tree.
    pub(crate) fn savings(&self, nodes: usize, held: bool, column: usize) -> i64 {
        f64::from_bits(self.below[nodes][usize::from(held)][column] as u64) as i64
    }
}
