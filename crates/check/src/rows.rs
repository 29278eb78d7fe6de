//! Sets of rows as bits, and how the thresholds of a column split them.

use crate::table::Table;

/// Rows on which trees cost something, and rows of which every leaf has at least `minimum`, as bits.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'r> {
    pub inner: &'r [u64],
    pub outer: &'r [u64],
    /// 0 for none; then the outer rows do not matter.
    pub minimum: u64,
}

/// A rank of a column in some rows: the reach of the inner rows and the number of outer rows of at
/// most this rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub rank: u32,
    pub reach: u64,
    pub outer: u64,
}

/// The ranks of a column in some rows; all but the last are splits.
pub(crate) fn splits_of(table: &Table, rows: Rows<'_>, column: usize) -> Vec<Split> {
    let (mut splits, mut reach, mut outer): (Vec<Split>, u64, u64) = (Vec::new(), 0, 0);
    for &row in table.orders[column].iter().filter(|&&row| rows.either(row)) {
        let rank = table.ranks[column][row as usize];
        reach += u64::from(holds(rows.inner, row)) * table.reach[row as usize];
        outer += u64::from(holds(rows.outer, row));
        if splits.last().map_or(false, |last| last.rank == rank) {
            splits.pop();
        }
        splits.push(Split { rank, reach, outer });
    }
    splits
}

impl Rows<'_> {
    pub(crate) fn either(self, row: u32) -> bool {
        holds(self.inner, row) || holds(self.outer, row)
    }
}

pub(crate) fn holds(set: &[u64], row: u32) -> bool {
    set[row as usize / 64] >> (row % 64) & 1 == 1
}

/// Calls a function with every row of a set.
pub(crate) fn each_row(words: impl Iterator<Item = u64>, mut visit: impl FnMut(usize)) {
    for (at, mut word) in words.enumerate() {
        while word != 0 {
            visit(64 * at + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

/// The rows of a table up to increasing thresholds of a column.
pub(crate) struct Below<'t> {
    ranks: &'t [u32],
    order: &'t [u32],
    bits: Vec<u64>,
}

impl<'t> Below<'t> {
    pub(crate) fn new(table: &'t Table, column: usize) -> Self {
        let (ranks, order) = (&table.ranks[column], &table.orders[column]);
        Below { ranks, order, bits: vec![0; (table.rows() + 63) / 64] }
    }

    /// The rows up to a threshold, or all rows.
    pub(crate) fn up_to(&mut self, rank: Option<u32>) -> Vec<u64> {
        let is_below = |&row: &u32| rank.map_or(true, |rank| self.ranks[row as usize] <= rank);
        let (below, above) = self.order.split_at(self.order.partition_point(is_below));
        below.iter().for_each(|&row| self.bits[row as usize / 64] |= 1 << (row % 64));
        self.order = above;
        self.bits.clone()
    }
}

/// The bits of a set that are also in another one, whose bits are flipped first.
pub(crate) fn and(set: &[u64], other: &[u64], flipped: u64) -> Vec<u64> {
    set.iter().zip(other).map(|(set, other)| set & (other ^ flipped)).collect()
}
