//! The best stump in both children of every rule, from the counts of pairs.

use super::{BLOCK, ChunkLane, ChunkLanes, Pairs, Stumps, Tallies};
use crate::kernels::multiversion;

/// The counts of one class for one rule with the rules of all blocks.
struct ClassRow<'a, L> {
    pairs: &'a [ChunkLanes<L>],
    /// Subtracted from `pairs` with `REST`.
    less: &'a [ChunkLanes<L>],
    /// The weights that the rules of the blocks hold.
    held: &'a [ChunkLanes<L>],
    /// The weight that the one rule holds.
    own: L,
    total: L,
}

/// Greatest class weight in each cell of one rule with those of a block, by inclusion and
/// exclusion (MurTree), and with `MINIMUM` the weight of each cell.
#[derive(Clone, Copy)]
struct ChunkCells<L> {
    maximum: [ChunkLanes<L>; 4],
    held: [ChunkLanes<L>; 4],
}

impl<L: ChunkLane> ChunkCells<L> {
    #[inline(always)]
    fn new() -> Self {
        let none = [[L::default(); BLOCK]; 4];
        ChunkCells { maximum: none, held: none }
    }

    /// Adds a class. The lanes of a block are borrowed as arrays before the loop, which compiles to
    /// vector instructions only without bounds checks.
    #[inline(always)]
    fn add<const REST: bool, const MINIMUM: bool>(&mut self, row: &ClassRow<'_, L>, block: usize) {
        let (pairs, held) = (&row.pairs[block], &row.held[block]);
        let less = if REST { &row.less[block] } else { &[L::default(); BLOCK] };
        for at in 0..BLOCK {
            let both = if REST { pairs[at].minus(less[at]) } else { pairs[at] };
            let alone = row.own.minus(both);
            let other = held[at].minus(both);
            let neither = row.total.minus(held[at]).minus(alone);
            let weights = [both, alone, other, neither];
            for (cell, weight) in weights.into_iter().enumerate() {
                self.maximum[cell][at] = self.maximum[cell][at].max(weight);
                if MINIMUM {
                    self.held[cell][at] = self.held[cell][at].plus(weight);
                }
            }
        }
    }

    /// Weight that a stump with these two cells as leaves classifies correctly; zero if a leaf is
    /// too light.
    #[inline(always)]
    fn stump<const MINIMUM: bool>(&self, at: usize, cells: [usize; 2], minimum: L) -> L {
        let [one, two] = cells;
        let allowed = !MINIMUM || self.held[one][at].min(self.held[two][at]) >= minimum;
        if allowed { self.maximum[one][at].plus(self.maximum[two][at]) } else { L::default() }
    }
}

/// Combines one rule with the rules of its own block and of all later blocks.
#[inline(always)]
fn meet<L: ChunkLane, const REST: bool, const MINIMUM: bool>(
    rows: &[ClassRow<'_, L>],
    rule: usize,
    minimum: L,
    left: &mut [ChunkLanes<L>],
    right: &mut [ChunkLanes<L>],
) {
    let first = rule / BLOCK;
    let (mut on_left, mut on_right) = ([L::default(); BLOCK], [L::default(); BLOCK]);
    for block in first..left.len() {
        let mut cells = ChunkCells::new();
        rows.iter().for_each(|row| cells.add::<REST, MINIMUM>(row, block));
        let (left, right) = (&mut left[block], &mut right[block]);
        for at in 0..BLOCK {
            let stump = |one, two| cells.stump::<MINIMUM>(at, [one, two], minimum);
            on_left[at] = on_left[at].max(stump(0, 1));
            on_right[at] = on_right[at].max(stump(2, 3));
            left[at] = left[at].max(stump(0, 2));
            right[at] = right[at].max(stump(1, 3));
        }
    }
    let maximum = |lanes: ChunkLanes<L>| lanes.into_iter().max().unwrap_or_default();
    let (left, right) = (&mut left[first][rule % BLOCK], &mut right[first][rule % BLOCK]);
    *left = maximum(on_left).max(*left);
    *right = maximum(on_right).max(*right);
}

#[inline(always)]
fn combine_body<L: ChunkLane, const REST: bool, const MINIMUM: bool>(
    pairs: &Pairs<L>,
    less: &Pairs<L>,
    tallies: &Tallies<L>,
    minimum: L,
    best: &mut Stumps<L>,
) {
    let (count, stride) = (pairs.count, pairs.stride);
    for child in [&mut best.left, &mut best.right] {
        child.clear();
        child.resize(stride, L::default());
    }
    let (left, _) = best.left.as_chunks_mut();
    let (right, _) = best.right.as_chunks_mut();
    let row = |class: usize, rule: usize| {
        let held = &tallies.held[class * stride..][..stride];
        ClassRow {
            pairs: pairs.row(class, rule).as_chunks().0,
            less: if REST { less.row(class, rule).as_chunks().0 } else { &[] },
            held: held.as_chunks().0,
            own: held[rule],
            total: tallies.totals[class],
        }
    };
    for rule in 0..count {
        // Two to four classes without a loop over classes, which would prevent vectorization.
        let row = |class| row(class, rule);
        match tallies.totals.len() {
            2 if !MINIMUM => meet::<L, REST, MINIMUM>(&[0, 1].map(row), rule, minimum, left, right),
            3 if !MINIMUM => {
                meet::<L, REST, MINIMUM>(&[0, 1, 2].map(row), rule, minimum, left, right)
            }
            4 if !MINIMUM => {
                meet::<L, REST, MINIMUM>(&[0, 1, 2, 3].map(row), rule, minimum, left, right)
            }
            classes => {
                let rows: Vec<_> = (0..classes).map(row).collect();
                meet::<L, REST, MINIMUM>(&rows, rule, minimum, left, right);
            }
        }
    }
}

multiversion! {
    /// Finds the best stumps in both children of every rule, from the counts `pairs` or, with
    /// `REST`, from `pairs` minus `less`. A rule as stump in its own child is a leaf. With
    /// `MINIMUM`, stumps with a leaf lighter than `minimum` do not count.
    pub(crate) fn combine<L: ChunkLane; const REST: bool; const MINIMUM: bool>(
        pairs: &Pairs<L>,
        less: &Pairs<L>,
        tallies: &Tallies<L>,
        minimum: L,
        best: &mut Stumps<L>,
    ) = combine_body
}
