//! The stump kernel: the best stumps with two classes in both children of a root rule, one feature
//! per call.
//!
//! A stump with classes a in the left and b in the right leaf classifies correctly weight(b) +
//! (prefix weight of a − prefix weight of b). So it is enough to sweep the feature's order and to
//! keep the maximum of that difference over the thresholds, and the minimum for the opposite
//! classes; once for the rows in the left child of the root, once for those in the right child.
//!
//! The order is split into as many runs of equal length as there are lanes, and the runs are swept
//! side by side, each from zero: as many at a time as have their state in registers. Then neighbouring
//! runs are joined: the extremes of the second run are shifted by the final difference of the first.
//!
//! `sweep/orders.rs` prepares the orders; `sweep/leaf_rows.rs` is the kernel with a minimum leaf
//! size.

pub(crate) mod leaf_rows;
pub(crate) mod orders;

use super::multiversion;

/// Number of runs swept side by side: the two-byte lanes of the widest instruction.
pub(crate) const LANES: usize = 32;

/// One number of every lane.
pub(crate) type SweepLanes<T> = [T; LANES];

/// An integer type of lanes.
pub(crate) trait SweepLane: Copy + Ord + Default + Send + 'static {
    const MIN: Self;
    const MAX: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// The saturating sum.
    fn plus_bounded(self, other: Self) -> Self;
    /// This number where all bits of `mask` are set, `other` where none is.
    fn where_set(self, mask: Self, other: Self) -> Self;
    /// This number where all bits of `mask` are set, the least or the greatest where none is. Minima
    /// of two-byte lanes are as fast as bitwise operations, of which a selection takes three.
    fn or_least(self, mask: Self) -> Self;
    fn or_greatest(self, mask: Self) -> Self;
    /// All bits set, or none.
    fn mask(set: bool) -> Self;
    fn from_i64(value: i64) -> Self;
    fn to_i64(self) -> i64;
}

macro_rules! lane {
    ($($number:ty),*) => {$(
        impl SweepLane for $number {
            const MIN: Self = <$number>::MIN;
            const MAX: Self = <$number>::MAX;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn minus(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn plus_bounded(self, other: Self) -> Self { self.saturating_add(other) }
            #[inline(always)]
            fn where_set(self, mask: Self, other: Self) -> Self { self & mask | other & !mask }
            #[inline(always)]
            fn or_least(self, mask: Self) -> Self {
                if size_of::<Self>() == 2 { self.min(mask ^ Self::MIN) } else { self.where_set(mask, Self::MIN) }
            }
            #[inline(always)]
            fn or_greatest(self, mask: Self) -> Self {
                if size_of::<Self>() == 2 { self.max(mask ^ Self::MAX) } else { self.where_set(mask, Self::MAX) }
            }
            #[inline(always)]
            fn mask(set: bool) -> Self { -(set as $number) }
            #[inline(always)]
            fn from_i64(value: i64) -> Self { value as $number }
            #[inline(always)]
            fn to_i64(self) -> i64 { self as i64 }
        }
    )*};
}
lane!(i16, i32, i64);

/// The rows of a feature as a sweep reads them, with their places in the order of a root feature.
pub(crate) struct SweepOrder<'o, T> {
    steps: &'o [SweepLanes<T>],
    places: &'o [SweepLanes<T>],
    ends: &'o [SweepLanes<T>],
}

/// The maximum and the minimum of the difference, by child of the root.
/// Zero stands for "no rule".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SweepExtremes {
    pub maximum: [i64; 2],
    pub minimum: [i64; 2],
}

/// Calls a function for all runs, as many at a time as have their state in registers: six vectors of
/// two registers each. The state of more would be stored and loaded again for every row.
macro_rules! in_registers {
    ($lane:ty, $some_runs:ident $(::<$($generic:ident),*>)? ($($arg:expr),*)) => {
        match size_of::<$lane>() {
            2 => $some_runs::<$lane, 32 $($(, $generic)*)?>($($arg),*),
            4 => $some_runs::<$lane, 16 $($(, $generic)*)?>($($arg),*),
            _ => $some_runs::<$lane, 8 $($(, $generic)*)?>($($arg),*),
        }
    };
}
use in_registers;

/// State of a sweep for some runs: the current difference, and its extremes.
struct SweepState<T, const RUNS: usize> {
    /// The difference in the left child of the root, and in both children together.
    left: [T; RUNS],
    all: [T; RUNS],
    maximum: [[T; RUNS]; 2],
    minimum: [[T; RUNS]; 2],
}

#[inline(always)]
fn body<T: SweepLane>(order: &SweepOrder<'_, T>, left: T, extremes: &mut SweepExtremes) {
    in_registers!(T, sweep_runs(order, left)).widen(extremes);
}

/// Sweeps all runs, some at a time.
#[inline(always)]
fn sweep_runs<T: SweepLane, const RUNS: usize>(
    order: &SweepOrder<'_, T>,
    left: T,
) -> SweepState<T, LANES> {
    let mut all = SweepState::new();
    for first in (0..LANES).step_by(RUNS) {
        let mut now = SweepState::<T, RUNS>::new();
        for ((steps, ends), places) in order.steps.iter().zip(order.ends).zip(order.places) {
            let [steps, ends, places] = [steps, ends, places].map(|row| runs_from(row, first));
            now.advance(steps, [ends; 2], places, left);
        }
        all.set(first, &now);
    }
    all
}

/// Some lanes of a row.
#[inline(always)]
fn runs_from<T, const RUNS: usize>(row: &SweepLanes<T>, first: usize) -> &[T; RUNS] {
    row[first..].first_chunk().expect("the number of runs at a time divides that of all")
}

impl<T: SweepLane, const RUNS: usize> SweepState<T, RUNS> {
    #[inline(always)]
    fn new() -> Self {
        let zero = [T::default(); RUNS];
        // Extremes of a run without thresholds: beyond all others, also after the run is shifted.
        let (lowest, highest) = ([T::MIN; RUNS], [T::MAX; RUNS]);
        SweepState { left: zero, all: zero, maximum: [lowest; 2], minimum: [highest; 2] }
    }

    /// Processes one row of every run. By child of the root, `ends` marks the rows that a threshold
    /// may follow.
    // Lanes by index: this form compiles to vector instructions.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn advance(&mut self, steps: &[T; RUNS], ends: [&[T; RUNS]; 2], places: &[T; RUNS], left: T) {
        let ([left_max, right_max], [left_min, right_min]) = (&mut self.maximum, &mut self.minimum);
        for run in 0..RUNS {
            let (step, [left_end, right_end]) = (steps[run], ends.map(|ends| ends[run]));
            let on_left =
                self.left[run].plus(step.where_set(T::mask(places[run] < left), T::default()));
            let all = self.all[run].plus(step);
            let on_right = all.minus(on_left);
            left_max[run] = left_max[run].max(on_left.or_least(left_end));
            left_min[run] = left_min[run].min(on_left.or_greatest(left_end));
            right_max[run] = right_max[run].max(on_right.or_least(right_end));
            right_min[run] = right_min[run].min(on_right.or_greatest(right_end));
            self.left[run] = on_left;
            self.all[run] = all;
        }
    }
}

impl<T: SweepLane> SweepState<T, LANES> {
    /// Takes the state of some runs.
    #[inline(always)]
    fn set<const RUNS: usize>(&mut self, first: usize, some: &SweepState<T, RUNS>) {
        let runs = first..first + RUNS;
        self.left[runs.clone()].copy_from_slice(&some.left);
        self.all[runs.clone()].copy_from_slice(&some.all);
        for child in 0..2 {
            self.maximum[child][runs.clone()].copy_from_slice(&some.maximum[child]);
            self.minimum[child][runs.clone()].copy_from_slice(&some.minimum[child]);
        }
    }

    /// Widens extremes by those of all runs.
    #[inline(always)]
    fn widen(&mut self, extremes: &mut SweepExtremes) {
        self.join();
        for child in 0..2 {
            let (maximum, minimum) = (self.maximum[child][0], self.minimum[child][0]);
            extremes.maximum[child] = extremes.maximum[child].max(maximum.to_i64());
            extremes.minimum[child] = extremes.minimum[child].min(minimum.to_i64());
        }
    }

    /// Joins all runs in the first lane.
    #[inline(always)]
    fn join(&mut self) {
        self.join_lanes::<16>();
        self.join_lanes::<8>();
        self.join_lanes::<4>();
        self.join_lanes::<2>();
        self.join_lanes::<1>();
    }

    /// Joins each of the first `HALF` lanes with the lane `HALF` further; the number is known to
    /// the compiler, so that all lanes stay in registers.
    #[inline(always)]
    fn join_lanes<const HALF: usize>(&mut self) {
        for lane in 0..HALF {
            let next = lane + HALF;
            let moved = [self.left[lane], self.all[lane].minus(self.left[lane])];
            let children = self.maximum.iter_mut().zip(&mut self.minimum);
            for ((maximum, minimum), moved) in children.zip(moved) {
                maximum[lane] = maximum[lane].max(maximum[next].plus_bounded(moved));
                minimum[lane] = minimum[lane].min(minimum[next].plus_bounded(moved));
            }
            self.left[lane] = self.left[lane].plus(self.left[next]);
            self.all[lane] = self.all[lane].plus(self.all[next]);
        }
    }
}

multiversion! {
    /// Widens the extremes by those of one feature's order; the first `left` rows of the root
    /// feature's order go left. The total weight and all places must fit into a lane.
    pub(crate) fn sweep<T: SweepLane>(
        order: &SweepOrder<'_, T>,
        left: T,
        extremes: &mut SweepExtremes,
    ) = body
}

#[inline(always)]
fn weigh_body<T: SweepLane>(places: &[T], weights: &[T], left: T, weight: &mut T) {
    for (&place, &held) in places.iter().zip(weights) {
        *weight = weight.plus(held.where_set(T::mask(place < left), T::default()));
    }
}

multiversion! {
    /// Adds the weights of items that go left.
    pub(crate) fn weigh<T: SweepLane>(places: &[T], weights: &[T], left: T, weight: &mut T) = weigh_body
}

#[cfg(test)]
mod differential;
