//! What is counted of columns and what trees below them save: room that is used again and again.

use super::gains::FORBIDDEN;
use super::rows::{Eight, Held, blocks};

/// Sums and weights of pairs of columns, as squares of numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Square {
    pub(super) stride: usize,
    pub(super) sums: Vec<i64>,
    pub(super) weights: Vec<i64>,
}

/// What the sides of columns save with a few nodes below, as bits of f64.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    pub(super) columns: usize,
    pub(super) pairs: Square,
    pub(super) threes: Square,
    /// By pair of chains, what the last columns hold together.
    pub(super) raw: Vec<Eight>,
    pub(super) run: Vec<Eight>,
    /// With the column at hand, what is held by the last columns of later chains.
    pub(super) alone: Vec<Held>,
    /// What each column holds, sums and weights.
    pub(super) own: [Vec<i64>; 2],
    /// By what both columns of a pair do, what the best stump below saves.
    pub(super) stumps: [Vec<i64>; 4],
    /// By most nodes, side (not held, held) and column.
    pub below: [[Vec<i64>; 2]; 4],
}

impl Square {
    pub(super) fn begin(&mut self, columns: usize) {
        self.stride = columns.next_multiple_of(8) + 8;
        for numbers in [&mut self.sums, &mut self.weights] {
            numbers.clear();
            numbers.resize(columns * self.stride, 0);
        }
    }

    #[inline(always)]
    pub(super) fn at(&self, one: usize, other: usize) -> Held {
        let at = one * self.stride + other;
        Held { sum: self.sums[at], weight: self.weights[at] }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, one: usize, other: usize, held: Held) {
        let at = one * self.stride + other;
        (self.sums[at], self.weights[at]) = (held.sum, held.weight);
    }
}

impl Saved {
    pub(super) fn begin(&mut self, columns: usize, threes: bool) {
        self.columns = columns;
        self.pairs.begin(columns);
        let (stride, none) = (self.pairs.stride, FORBIDDEN.to_bits() as i64);
        for side in self.below.iter_mut().flatten() {
            side.clear();
            side.resize(stride, none);
        }
        self.alone.clear();
        self.alone.resize(columns, Held::default());
        for own in &mut self.own {
            own.clear();
            own.resize(stride, 0);
        }
        if threes {
            self.threes.begin(columns);
            self.raw.clear();
            self.raw.resize(columns * blocks(columns), Eight::default());
            self.run.clear();
            self.run.resize(blocks(columns), Eight::default());
            for stumps in &mut self.stumps {
                stumps.clear();
                stumps.resize(columns * stride, none);
            }
        }
    }

    /// What two columns hold together; the first is not after the second.
    pub fn held(&self, one: usize, other: usize) -> Held {
        self.pairs.at(one, other)
    }

    /// What a side of a column saves with at most so many nodes; negative if there
    /// is no such tree.
    pub fn saved(&self, nodes: usize, held: bool, column: usize) -> i64 {
        f64::from_bits(self.below[nodes][usize::from(held)][column] as u64) as i64
    }
}
