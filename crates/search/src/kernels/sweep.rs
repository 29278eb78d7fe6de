//! The stump kernel: the best stumps with two classes on both sides of a root
//! rule, one feature per call.
//!
//! A stump that labels its left leaf a and its right leaf b gets
//! weight(b) + (prefix weight of a − prefix weight of b) right. So it is enough
//! to run through the feature's order and keep the greatest value of that
//! difference where a threshold may stand, and the least for the opposite
//! labels; once with the rows left of the root, once with those right of it.
//!
//! The order is divided into as many runs of equal length as there are lanes,
//! and all runs are swept side by side, each from zero. Then neighbours are
//! joined: the extremes of the second are moved by where the first ended.
//!
//! Length: a third of it holds the kernels against plain loops.

use super::{Level, multiversion};
use std::ops::Range;

/// Runs swept side by side: as many as the widest instruction has numbers of
/// two bytes.
pub const LANES: usize = 32;

/// One number of every lane.
pub type Lanes<T> = [T; LANES];

/// A number a lane may hold.
pub trait Lane: Copy + Ord + Default + Send + 'static {
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
        impl Lane for $number {
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

/// The orders of features, laid out to be swept.
#[derive(Default)]
pub struct Orders<T> {
    rows: usize,
    /// Blocks of a feature: rows of a run.
    length: usize,
    /// Where runs are shorter, one more item than there are.
    items: Vec<Lanes<T>>,
    /// All bits are set where a threshold may follow the row.
    ends: Vec<Lanes<T>>,
}

impl<T: Lane> Orders<T> {
    /// Makes room for so many rows, at least one, in the orders of so many
    /// features. What was there is no order any more.
    pub fn begin(&mut self, rows: usize, features: usize) {
        (self.rows, self.length) = (rows, rows.div_ceil(LANES));
        let blocks = self.length * features;
        if self.items.len() < blocks {
            self.items.resize(blocks, [T::default(); LANES]);
            self.ends.resize(blocks, [T::default(); LANES]);
        }
    }

    /// Blocks of a feature.
    pub fn length(&self) -> usize {
        self.length
    }

    fn blocks(&self, feature: usize) -> Range<usize> {
        feature * self.length..(feature + 1) * self.length
    }

    /// Lays out the items in the order of a feature, each with its rank.
    pub fn set(&mut self, feature: usize, rows: &[(T, u32)]) {
        let blocks = self.blocks(feature);
        let (items, ends) = (&mut self.items[blocks.clone()], &mut self.ends[blocks]);
        items.fill([T::from_i64(self.rows as i64); LANES]);
        ends.fill([T::default(); LANES]);
        for (run, first) in (0..rows.len()).step_by(self.length).enumerate() {
            // Bits reversed, the runs to be joined first stand half the lanes apart.
            let lane = (run.reverse_bits() >> (usize::BITS - LANES.ilog2())) % LANES;
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

    /// Adds, for every row in the order of a feature, what a table says of its
    /// item; the table has an entry for the item more.
    pub fn look_up(&self, feature: usize, table: &[T], found: &mut Vec<Lanes<T>>) {
        let begin = found.len();
        found.resize(begin + self.length, [T::default(); LANES]);
        let items = self.items[self.blocks(feature)].as_flattened();
        for (found, &item) in found[begin..].as_flattened_mut().iter_mut().zip(items) {
            *found = table[item.to_i64() as usize];
        }
    }

    /// Adds, for every row in the order of a feature, what it adds to the
    /// difference of two classes, each a range of items. Without `weights`, looked
    /// up before, every item weighs one.
    pub fn steps(
        &self,
        level: Level,
        feature: usize,
        weights: Option<&[Lanes<T>]>,
        classes: &[Range<T>; 2],
        found: &mut Vec<Lanes<T>>,
    ) {
        let begin = found.len();
        found.resize(begin + self.length, [T::default(); LANES]);
        let (items, found) = (&self.items[self.blocks(feature)], &mut found[begin..]);
        match weights {
            Some(weights) => steps::<T, true>(level, items, weights, classes, found),
            None => steps::<T, false>(level, items, items, classes, found),
        }
    }

    /// The order of a feature with what was looked up of its rows: what they add
    /// to the difference, and where they stand in the order of the root feature.
    pub fn order<'o>(
        &'o self,
        feature: usize,
        steps: &'o [Lanes<T>],
        places: &'o [Lanes<T>],
    ) -> Order<'o, T> {
        Order { steps, places, ends: &self.ends[self.blocks(feature)] }
    }
}

#[inline(always)]
fn steps_body<T: Lane, const WEIGHTED: bool>(
    items: &[Lanes<T>],
    weights: &[Lanes<T>],
    classes: &[Range<T>; 2],
    steps: &mut [Lanes<T>],
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
    /// What every item adds to the difference of two classes.
    fn steps<T: Lane; const WEIGHTED: bool>(
        items: &[Lanes<T>],
        weights: &[Lanes<T>],
        classes: &[Range<T>; 2],
        steps: &mut [Lanes<T>],
    ) = steps_body
}

/// What a sweep reads of a feature and a root feature.
pub struct Order<'o, T> {
    steps: &'o [Lanes<T>],
    places: &'o [Lanes<T>],
    ends: &'o [Lanes<T>],
}

/// The greatest and the least value of the difference, by side of the root.
/// Zero stands for "no rule".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extremes {
    pub greatest: [i64; 2],
    pub least: [i64; 2],
}

/// What a sweep keeps for every run: the difference now, and its extremes.
struct Swept<T> {
    /// On the left side of the root, and on both together.
    left: Lanes<T>,
    all: Lanes<T>,
    greatest: [Lanes<T>; 2],
    least: [Lanes<T>; 2],
}

#[inline(always)]
fn body<T: Lane>(order: &Order<'_, T>, left: T, extremes: &mut Extremes) {
    let zero = [T::default(); LANES];
    // Where no threshold may stand in a run, these are its extremes: beyond all
    // others, and on their side of zero wherever the run is moved.
    let (none, most) = ([T::LEAST; LANES], [T::GREATEST; LANES]);
    let mut now = Swept { left: zero, all: zero, greatest: [none; 2], least: [most; 2] };
    for ((steps, ends), places) in order.steps.iter().zip(order.ends).zip(order.places) {
        now.advance(steps, ends, places, left);
    }
    now.join();
    for side in 0..2 {
        extremes.greatest[side] = extremes.greatest[side].max(now.greatest[side][0].to_i64());
        extremes.least[side] = extremes.least[side].min(now.least[side][0].to_i64());
    }
}

impl<T: Lane> Swept<T> {
    /// Takes one row of every run in.
    // Lanes by index: the plain form is the one that compiles to vector instructions.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn advance(&mut self, steps: &Lanes<T>, ends: &Lanes<T>, places: &Lanes<T>, left: T) {
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
            let sides = self.greatest.iter_mut().zip(&mut self.least);
            for ((greatest, least), moved) in sides.zip(moved) {
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
    pub fn sweep<T: Lane>(
        order: &Order<'_, T>,
        left: T,
        extremes: &mut Extremes,
    ) = body
}

#[inline(always)]
fn weigh_body<T: Lane>(places: &[T], weights: &[T], left: T, weight: &mut T) {
    for (&place, &held) in places.iter().zip(weights) {
        *weight = weight.plus(held.where_set(T::mask(place < left), T::default()));
    }
}

multiversion! {
    /// Adds the weights of items that go left.
    pub fn weigh<T: Lane>(places: &[T], weights: &[T], left: T, weight: &mut T) = weigh_body
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rank, item and step of rows, in the order of their ranks.
    type Drawn = Vec<(u32, usize, i64)>;

    fn naive(rows: &Drawn, places: &[i64], left: i64) -> Extremes {
        let (mut extremes, mut now) = (Extremes::default(), [0; 2]);
        for (at, row) in rows.iter().enumerate() {
            now[(places[row.1] >= left) as usize] += row.2;
            if rows.get(at + 1).is_some_and(|next| next.0 != row.0) {
                for (side, &now) in now.iter().enumerate() {
                    extremes.greatest[side] = extremes.greatest[side].max(now);
                    extremes.least[side] = extremes.least[side].min(now);
                }
            }
        }
        extremes
    }

    fn swept<T: Lane>(level: Level, rows: &Drawn, places: &[i64], left: i64) -> Extremes {
        let row = |&(rank, item, _): &(u32, usize, i64)| (T::from_i64(item as i64), rank);
        let mut orders = Orders::default();
        orders.begin(rows.len().max(1), 2);
        orders.set(1, &rows.iter().map(row).collect::<Vec<(T, u32)>>());
        let mut adds = vec![T::default(); places.len()];
        rows.iter().for_each(|&(_, item, step)| adds[item] = T::from_i64(step));
        let place_of: Vec<T> = places.iter().map(|&place| T::from_i64(place)).collect();
        let (mut steps, mut blocks, mut extremes) = (Vec::new(), Vec::new(), Extremes::default());
        orders.look_up(1, &adds, &mut steps);
        orders.look_up(1, &place_of, &mut blocks);
        sweep(level, &orders.order(1, &steps, &blocks), T::from_i64(left), &mut extremes);
        extremes
    }

    /// The steps of items in an order of their own, by block and lane.
    fn stepped<T: Lane>(level: Level, weights: &[i64], ends: [usize; 3], plain: bool) -> Vec<i64> {
        let count = weights.len();
        let mut orders = Orders::default();
        orders.begin(count, 1);
        let rows: Vec<(T, u32)> =
            (0..count).map(|at| (T::from_i64((at * 7 % count) as i64), 0)).collect();
        orders.set(0, &rows);
        let mut table: Vec<T> = weights.iter().map(|&weight| T::from_i64(weight)).collect();
        table.push(T::default());
        let (mut held, mut steps) = (Vec::new(), Vec::new());
        orders.look_up(0, &table, &mut held);
        let [a, b, c] = ends.map(|end| T::from_i64(end as i64));
        let held = if plain { None } else { Some(&held[..]) };
        orders.steps(level, 0, held, &[a..b, b..c], &mut steps);
        steps.as_flattened().iter().map(|step| step.to_i64()).collect()
    }

    proptest! {
        #[test]
        fn all_levels_and_widths_agree_with_the_naive_sweep(
            drawn in prop::collection::vec((0u32..2, -9i64..10), 0..200),
            shuffled in Just((0..200).collect::<Vec<usize>>()).prop_shuffle(),
            places in Just((0..201).collect::<Vec<i64>>()).prop_shuffle(),
            left in 0i64..200,
            heavy in any::<bool>(),
        ) {
            // As heavy as lanes of two bytes may hold together.
            let scale = if heavy { (i16::MAX as i64 - 1) / (9 * 200) } else { 1 };
            let items = shuffled.into_iter().filter(|&item| item < drawn.len());
            let items: Vec<usize> = items.collect();
            let mut rank = 0;
            let rows: Drawn = drawn.iter().zip(&items).map(|(&(more, step), &item)| {
                rank += more;
                (rank, item, step * scale)
            }).collect();
            let expected = naive(&rows, &places, left);
            for level in Level::available() {
                prop_assert_eq!(swept::<i16>(level, &rows, &places, left), expected);
                prop_assert_eq!(swept::<i32>(level, &rows, &places, left), expected);
                prop_assert_eq!(swept::<i64>(level, &rows, &places, left), expected);
            }
        }

        #[test]
        fn all_levels_weigh_what_goes_left(
            rows in prop::collection::vec((0i16..99, 1i16..99), 0..200), left in 0i16..99,
        ) {
            let (places, weights): (Vec<i16>, Vec<i16>) = rows.iter().copied().unzip();
            let expected: i16 = rows.iter().filter(|row| row.0 < left).map(|row| row.1).sum();
            for level in Level::available() {
                let mut weight = 0;
                weigh(level, &places, &weights, left, &mut weight);
                prop_assert_eq!(weight, expected);
            }
        }
    }

    #[test]
    fn all_levels_say_what_items_add_to_the_difference_of_two_classes() {
        let mut random = fastrand::Rng::with_seed(20_261_121);
        for _ in 0..200 {
            // Every item once, in some order, as no multiple of seven shares a divisor.
            let count = 7 * random.usize(0..30) + random.usize(1..7);
            let mut ends = [(); 3].map(|()| random.usize(0..=count));
            ends.sort_unstable();
            let weights: Vec<i64> = (0..count).map(|_| random.i64(1..9)).collect();
            for plain in [false, true] {
                let step = |item: usize| {
                    let weight = if plain { 1 } else { weights[item] };
                    let sign = (ends[0]..ends[1]).contains(&item) as i64
                        - (ends[1]..ends[2]).contains(&item) as i64;
                    weight * sign
                };
                let mut expected: Vec<i64> = (0..count).map(step).collect();
                expected.resize(count.div_ceil(LANES) * LANES, 0);
                expected.sort_unstable();
                for level in Level::available() {
                    for mut found in [
                        stepped::<i16>(level, &weights, ends, plain),
                        stepped::<i32>(level, &weights, ends, plain),
                    ] {
                        found.sort_unstable();
                        assert_eq!(found, expected);
                    }
                }
            }
        }
    }

    #[test]
    fn the_heaviest_rows_that_lanes_hold_do_not_overflow() {
        let most = i16::MAX as i64 - 1;
        // All weight on one item, first or last, with blocks that end no value before it.
        for (step, heavy) in [(most, 0), (-most, 0), (most, 69), (-most, 69)] {
            let rows: Drawn =
                (0..70).map(|at| (at as u32 / 9, at, if at == heavy { step } else { 0 })).collect();
            let places: Vec<i64> = (0..71).collect();
            for left in [0, 1, 35, 69, 70] {
                for level in Level::available() {
                    let expected = naive(&rows, &places, left);
                    assert_eq!(swept::<i16>(level, &rows, &places, left), expected);
                }
            }
        }
    }
}
