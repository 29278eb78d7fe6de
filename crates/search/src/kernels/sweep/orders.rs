//! The orders of features, prepared for sweeps.

use super::{LANES, SweepLane, SweepLanes, SweepOrder};
use crate::kernels::{InstructionSet, multiversion};
use std::ops::Range;

/// The orders of features, prepared for sweeps.
#[derive(Default)]
pub(crate) struct Orders<T> {
    rows: usize,
    /// Number of blocks of a feature, which is the number of rows in a run.
    length: usize,
    /// By block and lane, the item; the number of items at the end of shorter runs.
    items: Vec<SweepLanes<T>>,
    /// All bits are set where a threshold may follow the row.
    ends: Vec<SweepLanes<T>>,
}

/// The lane of a run. With reversed bits, runs to be joined first are half the lanes apart.
#[inline(always)]
pub(super) fn lane_of(run: usize) -> usize {
    (run.reverse_bits() >> (usize::BITS - LANES.ilog2())) % LANES
}

impl<T: SweepLane> Orders<T> {
    /// Reserves memory for the orders of `features` features with `rows` rows, at least one.
    /// Earlier orders are discarded.
    pub(crate) fn begin(&mut self, rows: usize, features: usize) {
        (self.rows, self.length) = (rows, rows.div_ceil(LANES));
        let blocks = self.length * features;
        if self.items.len() < blocks {
            self.items.resize(blocks, [T::default(); LANES]);
            self.ends.resize(blocks, [T::default(); LANES]);
        }
    }

    /// Number of blocks of a feature.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    fn blocks(&self, feature: usize) -> Range<usize> {
        feature * self.length..(feature + 1) * self.length
    }

    /// Prepares the items in the order of a feature, each with its rank.
    pub(crate) fn set(&mut self, feature: usize, rows: &[(T, u32)]) {
        let blocks = self.blocks(feature);
        let (items, ends) = (&mut self.items[blocks.clone()], &mut self.ends[blocks]);
        items.fill([T::from_i64(self.rows as i64); LANES]);
        ends.fill([T::default(); LANES]);
        for (run, first) in (0..rows.len()).step_by(self.length).enumerate() {
            let lane = lane_of(run);
            // The last row of all is followed by no threshold.
            let rows = &rows[first..];
            let next = rows.iter().skip(1).chain(rows.last());
            let blocks = items.iter_mut().zip(&mut *ends);
            for ((row, next), (items, ends)) in rows.iter().zip(next).zip(blocks) {
                items[lane] = row.0;
                ends[lane] = T::mask(row.1 != next.1);
            }
        }
    }

    /// Appends the table's entry for the item of every row in the order of a feature. The table has
    /// one entry more than there are items.
    pub(crate) fn look_up(&self, feature: usize, table: &[T], found: &mut Vec<SweepLanes<T>>) {
        let begin = found.len();
        found.resize(begin + self.length, [T::default(); LANES]);
        let items = self.items[self.blocks(feature)].as_flattened();
        for (found, &item) in found[begin..].as_flattened_mut().iter_mut().zip(items) {
            *found = table[item.to_i64() as usize];
        }
    }

    /// Appends the contribution of every row in the order of a feature to the difference of two
    /// classes, each a range of items. `weights` were looked up before; without them every item
    /// weighs one.
    pub(crate) fn steps(
        &self,
        instructions: InstructionSet,
        feature: usize,
        weights: Option<&[SweepLanes<T>]>,
        classes: &[Range<T>; 2],
        found: &mut Vec<SweepLanes<T>>,
    ) {
        let begin = found.len();
        found.resize(begin + self.length, [T::default(); LANES]);
        let (items, found) = (&self.items[self.blocks(feature)], &mut found[begin..]);
        match weights {
            Some(weights) => steps::<T, true>(instructions, items, weights, classes, found),
            None => steps::<T, false>(instructions, items, items, classes, found),
        }
    }

    /// The order of a feature with the looked-up values of its rows: their contributions to the
    /// difference, and their places in the order of the root feature.
    pub(crate) fn order<'o>(
        &'o self,
        feature: usize,
        steps: &'o [SweepLanes<T>],
        places: &'o [SweepLanes<T>],
    ) -> SweepOrder<'o, T> {
        SweepOrder { steps, places, ends: &self.ends[self.blocks(feature)] }
    }
}

#[inline(always)]
fn steps_body<T: SweepLane, const WEIGHTED: bool>(
    items: &[SweepLanes<T>],
    weights: &[SweepLanes<T>],
    classes: &[Range<T>; 2],
    steps: &mut [SweepLanes<T>],
) {
    let (one, none) = (T::from_i64(1), T::default());
    for ((steps, items), weights) in steps.iter_mut().zip(items).zip(weights) {
        for lane in 0..LANES {
            let weight = if WEIGHTED { weights[lane] } else { one };
            let [plus, minus] = classes.each_ref().map(|class| {
                let within = weight.where_set(T::mask(items[lane] >= class.start), none);
                within.where_set(T::mask(items[lane] < class.end), none)
            });
            steps[lane] = plus.minus(minus);
        }
    }
}

multiversion! {
    /// Computes the contribution of every item to the difference of two classes.
    fn steps<T: SweepLane; const WEIGHTED: bool>(
        items: &[SweepLanes<T>],
        weights: &[SweepLanes<T>],
        classes: &[Range<T>; 2],
        steps: &mut [SweepLanes<T>],
    ) = steps_body
}
