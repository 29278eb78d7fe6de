//! The stump kernel: the best stumps with two classes in both children of a root
//! rule, one feature per call.
//!
//! A stump that labels its left leaf a and its right leaf b gets
//! weight(b) + (prefix weight of a − prefix weight of b) right. So it is enough
//! to run through the feature's order and keep the greatest value of that
//! difference where a threshold may stand, and the least for the opposite
//! labels; once with the rows left of the root, once with those right of it.
//!
//! The order is split into as many runs of equal length as there are lanes,
//! and all runs are swept side by side, each from zero. Then neighbours are
//! joined: the extremes of the second are moved by where the first ended.
//!
//! `sweep/orders.rs` prepares the orders.

mod orders;

pub use orders::Orders;

use super::multiversion;

/// Runs swept side by side: as many as the widest instruction has numbers of
/// two bytes.
pub const LANES: usize = 32;

/// One number of every lane.
pub type SweepLanes<T> = [T; LANES];

/// A number a lane may hold.
pub trait SweepLane: Copy + Ord + Default + Send + 'static {
    const LEAST: Self;
    const GREATEST: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// The sum, or the number nearest to it.
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
            const LEAST: Self = <$number>::MIN;
            const GREATEST: Self = <$number>::MAX;
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

/// What a sweep reads of a feature and a root feature.
pub struct SweepOrder<'o, T> {
    steps: &'o [SweepLanes<T>],
    places: &'o [SweepLanes<T>],
    ends: &'o [SweepLanes<T>],
}

/// The greatest and the least value of the difference, by child of the root.
/// Zero stands for "no rule".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepExtremes {
    pub greatest: [i64; 2],
    pub least: [i64; 2],
}

/// What a sweep keeps for every run: the difference now, and its extremes.
struct SweepState<T> {
    /// On the left child of the root, and on both together.
    left: SweepLanes<T>,
    all: SweepLanes<T>,
    greatest: [SweepLanes<T>; 2],
    least: [SweepLanes<T>; 2],
}

#[inline(always)]
fn body<T: SweepLane>(order: &SweepOrder<'_, T>, left: T, extremes: &mut SweepExtremes) {
    let zero = [T::default(); LANES];
    // Where no threshold may stand in a run, these are its extremes: beyond all
    // others, and on their child of zero wherever the run is moved.
    let (none, most) = ([T::LEAST; LANES], [T::GREATEST; LANES]);
    let mut now = SweepState { left: zero, all: zero, greatest: [none; 2], least: [most; 2] };
    for ((steps, ends), places) in order.steps.iter().zip(order.ends).zip(order.places) {
        now.advance(steps, ends, places, left);
    }
    now.join();
    for child in 0..2 {
        extremes.greatest[child] = extremes.greatest[child].max(now.greatest[child][0].to_i64());
        extremes.least[child] = extremes.least[child].min(now.least[child][0].to_i64());
    }
}

impl<T: SweepLane> SweepState<T> {
    /// Takes one row of every run in.
    // Lanes by index: the plain form is the one that compiles to vector instructions.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn advance(
        &mut self,
        steps: &SweepLanes<T>,
        ends: &SweepLanes<T>,
        places: &SweepLanes<T>,
        left: T,
    ) {
        let ([left_most, right_most], [left_least, right_least]) =
            (&mut self.greatest, &mut self.least);
        for lane in 0..LANES {
            let (step, end) = (steps[lane], ends[lane]);
            let on_left =
                self.left[lane].plus(step.where_set(T::mask(places[lane] < left), T::default()));
            let all = self.all[lane].plus(step);
            let on_right = all.minus(on_left);
            left_most[lane] = left_most[lane].max(on_left.where_set(end, T::LEAST));
            left_least[lane] = left_least[lane].min(on_left.where_set(end, T::GREATEST));
            right_most[lane] = right_most[lane].max(on_right.where_set(end, T::LEAST));
            right_least[lane] = right_least[lane].min(on_right.where_set(end, T::GREATEST));
            self.left[lane] = on_left;
            self.all[lane] = all;
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

    /// Joins each of the first lanes with the one so many further; the number is
    /// known to the compiler, so that all stays in registers.
    #[inline(always)]
    fn join_lanes<const HALF: usize>(&mut self) {
        for lane in 0..HALF {
            let next = lane + HALF;
            let moved = [self.left[lane], self.all[lane].minus(self.left[lane])];
            let children = self.greatest.iter_mut().zip(&mut self.least);
            for ((greatest, least), moved) in children.zip(moved) {
                greatest[lane] = greatest[lane].max(greatest[next].plus_bounded(moved));
                least[lane] = least[lane].min(least[next].plus_bounded(moved));
            }
            self.left[lane] = self.left[lane].plus(self.left[next]);
            self.all[lane] = self.all[lane].plus(self.all[next]);
        }
    }
}

multiversion! {
    /// Widens the extremes by those of one feature's order; `left` rows of the
    /// root feature's order go left. Lanes must be wider than the total weight
    /// and than any place.
    pub fn sweep<T: SweepLane>(
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
    pub fn weigh<T: SweepLane>(places: &[T], weights: &[T], left: T, weight: &mut T) = weigh_body
}

#[cfg(test)]
mod differential;
