//! The stump kernel: the best stumps with two classes in both children of a root rule, one feature
//! per call.
//!
//! A stump with classes a in the left and b in the right leaf classifies correctly weight(b) +
//! (prefix weight of a − prefix weight of b). So it is enough to sweep the feature's order and to
//! keep the maximum of that difference over the thresholds, and the minimum for the opposite
//! classes; once for the rows in the left child of the root, once for those in the right child.
//!
//! The order is split into as many runs of equal length as there are lanes, and all runs are swept
//! side by side, each from zero. Then neighbouring runs are joined: the extremes of the second run
//! are shifted by the final difference of the first.
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

/// State of a sweep for every run: the current difference, and its extremes.
struct SweepState<T> {
    /// The difference in the left child of the root, and in both children together.
    left: SweepLanes<T>,
    all: SweepLanes<T>,
    maximum: [SweepLanes<T>; 2],
    minimum: [SweepLanes<T>; 2],
}

#[inline(always)]
fn body<T: SweepLane>(order: &SweepOrder<'_, T>, left: T, extremes: &mut SweepExtremes) {
    let mut now = SweepState::new();
    for ((steps, ends), places) in order.steps.iter().zip(order.ends).zip(order.places) {
        now.advance(steps, [ends; 2], places, left);
    }
    now.widen(extremes);
}

impl<T: SweepLane> SweepState<T> {
    #[inline(always)]
    fn new() -> Self {
        let zero = [T::default(); LANES];
        // Extremes of a run without thresholds: beyond all others, also after the run is shifted.
        let (lowest, highest) = ([T::MIN; LANES], [T::MAX; LANES]);
        SweepState { left: zero, all: zero, maximum: [lowest; 2], minimum: [highest; 2] }
    }

    /// Processes one row of every run. By child of the root, `ends` marks the rows that a threshold
    /// may follow.
    // Lanes by index: this form compiles to vector instructions.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn advance(
        &mut self,
        steps: &SweepLanes<T>,
        ends: [&SweepLanes<T>; 2],
        places: &SweepLanes<T>,
        left: T,
    ) {
        let ([left_max, right_max], [left_min, right_min]) = (&mut self.maximum, &mut self.minimum);
        for lane in 0..LANES {
            let (step, [left_end, right_end]) = (steps[lane], ends.map(|ends| ends[lane]));
            let on_left =
                self.left[lane].plus(step.where_set(T::mask(places[lane] < left), T::default()));
            let all = self.all[lane].plus(step);
            let on_right = all.minus(on_left);
            left_max[lane] = left_max[lane].max(on_left.where_set(left_end, T::MIN));
            left_min[lane] = left_min[lane].min(on_left.where_set(left_end, T::MAX));
            right_max[lane] = right_max[lane].max(on_right.where_set(right_end, T::MIN));
            right_min[lane] = right_min[lane].min(on_right.where_set(right_end, T::MAX));
            self.left[lane] = on_left;
            self.all[lane] = all;
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
