//! The stump kernel: the best stump on both sides of a root rule, one feature
//! per call, all pairs of leaf classes at once.
//!
//! A stump that labels its left leaf a and its right leaf b gets
//! weight(b) + (prefix weight of a − prefix weight of b) right. So it is enough
//! to run through the feature's order and keep, for every ordered pair (a, b)
//! and each side of the root, the running difference and its maximum where a
//! threshold may stand. Each difference is a lane; one row is one addition and
//! one maximum for all lanes.

use super::multiversion;

/// A number a lane may hold.
pub trait Lane: Copy + Ord + Default + Send + 'static {
    const MINUS_ONE: Self;
    fn add(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn masked(self, mask: Self) -> Self;
    fn from_i64(value: i64) -> Self;
    fn to_i64(self) -> i64;
}

macro_rules! lane {
    ($($number:ty),*) => {$(
        impl Lane for $number {
            const MINUS_ONE: Self = -1;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn masked(self, mask: Self) -> Self { self & mask }
            #[inline(always)]
            fn from_i64(value: i64) -> Self { value as $number }
            #[inline(always)]
            fn to_i64(self) -> i64 { self as i64 }
        }
    )*};
}
lane!(i16, i32, i64);

/// Codes of a row: side of the root and local class. A power of two, so that
/// masking a code keeps it inside the table of steps.
pub const CODES: usize = 16;

/// A feature's order: slot · 2 + 1 where a threshold may follow, slot · 2 where
/// the next row has the same value. Slots are below the number given when it
/// was built.
pub struct Order {
    entries: Vec<u32>,
    slots: usize,
}

impl Order {
    /// Builds an order from slots and whether the value changes after each.
    pub fn new(slots: usize, rows: impl Iterator<Item = (u32, bool)>) -> Self {
        assert!(slots < 1 << 31, "at most 2^31 merged rows");
        let entry = |(slot, ends): (u32, bool)| {
            assert!((slot as usize) < slots);
            slot * 2 + ends as u32
        };
        Order { entries: rows.map(entry).collect(), slots }
    }
}

/// What a sweep reads besides the order: by slot the code and, if rows are
/// weighted, the weight; by code the step of every lane.
pub struct Steps<'a, T, const LANES: usize> {
    pub codes: &'a [u8],
    pub weights: &'a [T],
    pub steps: &'a [[T; LANES]; CODES],
}

#[inline(always)]
fn body<T: Lane, const LANES: usize, const WEIGHTED: bool>(
    order: &Order,
    read: &Steps<'_, T, LANES>,
    greatest: &mut [T; LANES],
) {
    assert!(read.codes.len() >= order.slots);
    assert!(!WEIGHTED || read.weights.len() >= order.slots);
    let masks = [[T::default(); LANES], [T::MINUS_ONE; LANES]];
    let mut running = [T::default(); LANES];
    let mut most = *greatest;
    for &entry in &order.entries {
        let slot = (entry >> 1) as usize;
        // SAFETY: `Order::new` checked every slot against `order.slots`, and both
        // slices are at least that long (asserted above).
        let code = unsafe { *read.codes.get_unchecked(slot) } as usize & (CODES - 1);
        let step = &read.steps[code];
        let mask = &masks[(entry & 1) as usize];
        if WEIGHTED {
            // SAFETY: as above.
            let weight = unsafe { *read.weights.get_unchecked(slot) };
            for lane in 0..LANES {
                running[lane] = running[lane].add(step[lane].times(weight));
            }
        } else {
            for lane in 0..LANES {
                running[lane] = running[lane].add(step[lane]);
            }
        }
        for lane in 0..LANES {
            most[lane] = most[lane].max(running[lane].masked(mask[lane]));
        }
    }
    *greatest = most;
}

multiversion! {
    /// Raises `greatest` to the largest running value of every lane at any
    /// place where a threshold may stand. Zero stands for "no rule". Lanes must
    /// be wide enough for the total weight.
    pub fn sweep<T: Lane; const LANES: usize; const WEIGHTED: bool>(
        order: &Order,
        read: &Steps<'_, T, LANES>,
        greatest: &mut [T; LANES],
    ) = body
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use proptest::prelude::*;

    fn naive(rows: &[(u8, bool, i64)], steps: &[[i64; 4]; CODES]) -> [i64; 4] {
        let (mut running, mut greatest) = ([0; 4], [0; 4]);
        for &(code, ends, weight) in rows {
            for lane in 0..4 {
                running[lane] += steps[code as usize][lane] * weight;
                if ends {
                    greatest[lane] = greatest[lane].max(running[lane]);
                }
            }
        }
        greatest
    }

    fn swept<T: Lane, const WEIGHTED: bool>(
        level: Level,
        rows: &[(u8, bool, i64)],
        steps: &[[i64; 4]; CODES],
    ) -> [i64; 4] {
        let order =
            Order::new(rows.len(), rows.iter().enumerate().map(|(at, row)| (at as u32, row.1)));
        let codes: Vec<u8> = rows.iter().map(|row| row.0).collect();
        let weights: Vec<T> = rows.iter().map(|row| T::from_i64(row.2)).collect();
        let steps = steps.map(|step| step.map(T::from_i64));
        let mut greatest = [T::default(); 4];
        let read = Steps { codes: &codes, weights: &weights, steps: &steps };
        sweep::<T, 4, WEIGHTED>(level, &order, &read, &mut greatest);
        greatest.map(T::to_i64)
    }

    proptest! {
        #[test]
        fn all_levels_and_widths_agree_with_the_naive_sweep(
            rows in prop::collection::vec((0u8..4, any::<bool>(), 1i64..9), 0..60),
        ) {
            let mut steps = [[0; 4]; CODES];
            for (code, step) in [[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]].into_iter().enumerate() {
                steps[code] = step;
            }
            let unit: Vec<_> = rows.iter().map(|&(code, ends, _)| (code, ends, 1)).collect();
            for level in Level::available() {
                prop_assert_eq!(swept::<i16, true>(level, &rows, &steps), naive(&rows, &steps));
                prop_assert_eq!(swept::<i32, true>(level, &rows, &steps), naive(&rows, &steps));
                prop_assert_eq!(swept::<i64, true>(level, &rows, &steps), naive(&rows, &steps));
                prop_assert_eq!(swept::<i16, false>(level, &unit, &steps), naive(&unit, &steps));
            }
        }
    }
}
