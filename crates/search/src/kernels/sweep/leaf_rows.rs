//! The stump kernel with a minimum leaf size.
//!
//! A threshold counts in a child of the root only if both leaves hold enough rows of that child, or
//! of a larger set of rows (`engine/two_set_bound.rs`). The first pass counts these rows in every
//! run, so that the second pass, which is the sweep, knows how many there are before the run.

use super::orders::lane_of;
use super::{
    LANES, SweepExtremes, SweepLane, SweepLanes, SweepOrder, SweepState, in_registers, runs_from,
};
use crate::kernels::multiversion;

/// Limits on the rows of leaves, by child of the root.
pub(crate) struct LeafRowLimits<T> {
    /// Rows at places below the first number count in the left child, rows at places from the
    /// second number on in the right child.
    outer: [T; 2],
    /// A threshold is allowed if the rows before it number at least the first and at most the
    /// second.
    range: [[T; 2]; 2],
}

impl<T: SweepLane> LeafRowLimits<T> {
    /// Limits for leaves of at least `minimum` of all the rows that count, `totals`. These must fit
    /// into a lane.
    pub(crate) fn new(outer: [T; 2], totals: [u64; 2], minimum: u64) -> Self {
        // A minimum that is too large for a lane allows no threshold, like the total plus one.
        let range = totals.map(|total| {
            let minimum = minimum.min(total + 1) as i64;
            [T::from_i64(minimum), T::from_i64(total as i64 - minimum)]
        });
        LeafRowLimits { outer, range }
    }

    /// Those of the rows of an item that count, by child of the root.
    #[inline(always)]
    fn counted(&self, rows: T, place: T) -> [T; 2] {
        let none = T::default();
        [
            rows.where_set(T::mask(place < self.outer[0]), none),
            rows.where_set(T::mask(place >= self.outer[1]), none),
        ]
    }
}

/// The number of rows that count before every run, by child of the root.
#[inline(always)]
fn counts_before_runs<T: SweepLane, const UNIT: bool>(
    places: &[SweepLanes<T>],
    rows: &[SweepLanes<T>],
    limits: &LeafRowLimits<T>,
) -> [SweepLanes<T>; 2] {
    let [mut left, mut right] = [[T::default(); LANES]; 2];
    for (places, rows) in places.iter().zip(rows) {
        for lane in 0..LANES {
            let rows = if UNIT { T::from_i64(1) } else { rows[lane] };
            let [on_left, on_right] = limits.counted(rows, places[lane]);
            left[lane] = left[lane].plus(on_left);
            right[lane] = right[lane].plus(on_right);
        }
    }
    // Padding follows all rows, so what it adds is never read.
    for counts in [&mut left, &mut right] {
        let mut before = T::default();
        for lane in (0..LANES).map(lane_of) {
            let held = std::mem::replace(&mut counts[lane], before);
            before = before.plus(held);
        }
    }
    [left, right]
}

#[inline(always)]
fn body<T: SweepLane, const UNIT: bool>(
    order: &SweepOrder<'_, T>,
    rows: &[SweepLanes<T>],
    left: T,
    limits: &LeafRowLimits<T>,
    extremes: &mut SweepExtremes,
) {
    let before = counts_before_runs::<T, UNIT>(order.places, rows, limits);
    in_registers!(T, sweep_runs::<UNIT>(order, rows, left, limits, &before)).widen(extremes);
}

/// Sweeps all runs, some at a time; `before` is the number of rows that count before each.
#[inline(always)]
fn sweep_runs<T: SweepLane, const RUNS: usize, const UNIT: bool>(
    order: &SweepOrder<'_, T>,
    rows: &[SweepLanes<T>],
    left: T,
    limits: &LeafRowLimits<T>,
    before: &[SweepLanes<T>; 2],
) -> SweepState<T, LANES> {
    let [[left_first, left_last], [right_first, right_last]] = limits.range;
    let mut all = SweepState::new();
    for first in (0..LANES).step_by(RUNS) {
        let [mut on_left, mut on_right]: [[T; RUNS]; 2] =
            [*runs_from(&before[0], first), *runs_from(&before[1], first)];
        let mut now = SweepState::<T, RUNS>::new();
        let blocks = order.steps.iter().zip(order.ends).zip(order.places).zip(rows);
        for (((steps, ends), places), rows) in blocks {
            let row: [&[T; RUNS]; 4] = [steps, ends, places, rows].map(|row| runs_from(row, first));
            let [steps, ends, places, rows] = row;
            let [mut left_ends, mut right_ends] = [[T::default(); RUNS]; 2];
            for run in 0..RUNS {
                let rows = if UNIT { T::from_i64(1) } else { rows[run] };
                let counted = limits.counted(rows, places[run]);
                on_left[run] = on_left[run].plus(counted[0]);
                on_right[run] = on_right[run].plus(counted[1]);
                let within = |count: T, first: T, last: T, end: T| {
                    let end = end.where_set(T::mask(count >= first), T::default());
                    end.where_set(T::mask(count <= last), T::default())
                };
                left_ends[run] = within(on_left[run], left_first, left_last, ends[run]);
                right_ends[run] = within(on_right[run], right_first, right_last, ends[run]);
            }
            now.advance(steps, [&left_ends, &right_ends], places, left);
        }
        all.set(first, &now);
    }
    all
}

multiversion! {
    /// The sweep of items with these numbers of rows.
    fn sweep_rows<T: SweepLane; const UNIT: bool>(
        order: &SweepOrder<'_, T>,
        rows: &[SweepLanes<T>],
        left: T,
        limits: &LeafRowLimits<T>,
        extremes: &mut SweepExtremes,
    ) = body
}

/// Like `sweep`, with limits on the rows of leaves. `rows` were looked up before; without them
/// every item is one row.
pub(crate) fn sweep_leaf_rows<T: SweepLane>(
    instructions: crate::kernels::InstructionSet,
    order: &SweepOrder<'_, T>,
    rows: Option<&[SweepLanes<T>]>,
    left: T,
    limits: &LeafRowLimits<T>,
    extremes: &mut SweepExtremes,
) {
    match rows {
        Some(rows) => sweep_rows::<T, false>(instructions, order, rows, left, limits, extremes),
        None => sweep_rows::<T, true>(instructions, order, order.places, left, limits, extremes),
    }
}
