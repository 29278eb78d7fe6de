//! The kernel against plain loops, on every instruction set that the processor has.

use super::leaf_rows::{LeafRowLimits, sweep_leaf_rows};
use super::orders::Orders;
use super::*;
use crate::kernels::InstructionSet;
use proptest::prelude::*;

/// Rank, item and step of rows, in the order of their ranks.
type RandomSweepRows = Vec<(u32, usize, i64)>;

fn naive(rows: &RandomSweepRows, places: &[i64], left: i64) -> SweepExtremes {
    naive_allowed(rows, places, left, |_, _| true)
}

/// Only thresholds that are allowed after a row count, by child.
fn naive_allowed(
    rows: &RandomSweepRows,
    places: &[i64],
    left: i64,
    allowed: impl Fn(usize, usize) -> bool,
) -> SweepExtremes {
    let (mut extremes, mut now) = (SweepExtremes::default(), [0; 2]);
    for (at, row) in rows.iter().enumerate() {
        now[(places[row.1] >= left) as usize] += row.2;
        if rows.get(at + 1).is_some_and(|next| next.0 != row.0) {
            for (child, &now) in now.iter().enumerate().filter(|&(child, _)| allowed(at, child)) {
                extremes.maximum[child] = extremes.maximum[child].max(now);
                extremes.minimum[child] = extremes.minimum[child].min(now);
            }
        }
    }
    extremes
}

/// The rows that count in the leaves of both children: in the left child those at places below the
/// first number, in the right child those from the second on. A leaf needs a minimum number of
/// them.
#[derive(Clone, Copy, Debug)]
struct NaiveLeafRows<'r> {
    outer: [i64; 2],
    minimum: u64,
    /// By item, the number of its rows; `None` if every item is one row.
    rows: Option<&'r [u64]>,
}

impl NaiveLeafRows<'_> {
    /// The rows of an item that count, by child.
    fn counted(&self, item: usize, place: i64) -> [u64; 2] {
        let rows = self.rows.map_or(1, |rows| rows[item]);
        [place < self.outer[0], place >= self.outer[1]].map(|counts| u64::from(counts) * rows)
    }

    fn totals(&self, rows: &RandomSweepRows, places: &[i64]) -> [u64; 2] {
        let counted = rows.iter().map(|row| self.counted(row.1, places[row.1]));
        counted.fold([0; 2], |[a, b], [left, right]| [a + left, b + right])
    }

    fn extremes(&self, rows: &RandomSweepRows, places: &[i64], left: i64) -> SweepExtremes {
        let totals = self.totals(rows, places);
        naive_allowed(rows, places, left, |at, child| {
            let before = rows[..=at].iter().map(|row| self.counted(row.1, places[row.1])[child]);
            let before = before.sum::<u64>();
            before >= self.minimum && totals[child] - before >= self.minimum
        })
    }
}

fn swept<T: SweepLane>(
    instructions: InstructionSet,
    rows: &RandomSweepRows,
    places: &[i64],
    left: i64,
) -> SweepExtremes {
    swept_with::<T>(instructions, rows, places, left, None)
}

fn swept_with<T: SweepLane>(
    instructions: InstructionSet,
    rows: &RandomSweepRows,
    places: &[i64],
    left: i64,
    leaf_rows: Option<NaiveLeafRows<'_>>,
) -> SweepExtremes {
    let row = |&(rank, item, _): &(u32, usize, i64)| (T::from_i64(item as i64), rank);
    let mut orders = Orders::default();
    orders.begin(rows.len().max(1), 2);
    orders.set(1, &rows.iter().map(row).collect::<Vec<(T, u32)>>());
    let mut adds = vec![T::default(); places.len()];
    rows.iter().for_each(|&(_, item, step)| adds[item] = T::from_i64(step));
    let place_of: Vec<T> = places.iter().map(|&place| T::from_i64(place)).collect();
    let (mut steps, mut blocks, mut extremes) = (Vec::new(), Vec::new(), SweepExtremes::default());
    orders.look_up(1, &adds, &mut steps);
    orders.look_up(1, &place_of, &mut blocks);
    let (order, left) = (orders.order(1, &steps, &blocks), T::from_i64(left));
    let Some(leaf_rows) = leaf_rows else {
        sweep(instructions, &order, left, &mut extremes);
        return extremes;
    };
    let mut counts = Vec::new();
    if let Some(rows) = leaf_rows.rows {
        let table = rows.iter().map(|&rows| T::from_i64(rows as i64)).chain([T::default()]);
        orders.look_up(1, &table.collect::<Vec<T>>(), &mut counts);
    }
    let counts = leaf_rows.rows.map(|_| &counts[..]);
    let totals = leaf_rows.totals(rows, places);
    let outer = leaf_rows.outer.map(T::from_i64);
    let limits = LeafRowLimits::new(outer, totals, leaf_rows.minimum);
    sweep_leaf_rows(instructions, &order, counts, left, &limits, &mut extremes);
    extremes
}

/// The steps of items in an order of their own, by block and lane.
fn stepped<T: SweepLane>(
    instructions: InstructionSet,
    weights: &[i64],
    ends: [usize; 3],
    plain: bool,
) -> Vec<i64> {
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
    orders.steps(instructions, 0, held, &[a..b, b..c], &mut steps);
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
        // As heavy as the total weight in lanes of two bytes may be.
        let scale = if heavy { (i16::MAX as i64 - 1) / (9 * 200) } else { 1 };
        let items = shuffled.into_iter().filter(|&item| item < drawn.len());
        let items: Vec<usize> = items.collect();
        let mut rank = 0;
        let rows: RandomSweepRows = drawn.iter().zip(&items).map(|(&(more, step), &item)| {
            rank += more;
            (rank, item, step * scale)
        }).collect();
        let expected = naive(&rows, &places, left);
        for instructions in InstructionSet::available() {
            prop_assert_eq!(swept::<i16>(instructions, &rows, &places, left), expected);
            prop_assert_eq!(swept::<i32>(instructions, &rows, &places, left), expected);
            prop_assert_eq!(swept::<i64>(instructions, &rows, &places, left), expected);
        }
    }

    #[test]
    fn thresholds_count_only_if_both_leaves_hold_enough_rows(
        drawn in prop::collection::vec((0u32..2, -9i64..10, 1u64..40), 1..200),
        places in Just((0..201).collect::<Vec<i64>>()).prop_shuffle(),
        cuts in [0i64..201, 0i64..201, 0i64..201],
        minimum in prop_oneof![1u64..6, 1u64..60, Just(40_000)],
        unit_rows in any::<bool>(),
    ) {
        let mut rank = 0;
        let rows: RandomSweepRows = drawn.iter().enumerate().map(|(item, &(more, step, _))| {
            rank += more;
            (rank, item, step)
        }).collect();
        let mut cuts = cuts;
        cuts.sort_unstable();
        let counts: Vec<u64> = drawn.iter().map(|row| row.2).collect();
        // The set for the left child goes beyond the root's threshold, and so does that for the
        // right.
        let leaf_rows = NaiveLeafRows {
            outer: [cuts[2], cuts[0]],
            minimum,
            rows: (!unit_rows).then_some(&counts),
        };
        let places: Vec<i64> = places.into_iter().filter(|&place| place <= drawn.len() as i64).collect();
        let expected = leaf_rows.extremes(&rows, &places, cuts[1]);
        for instructions in InstructionSet::available() {
            let swept = [
                swept_with::<i16>(instructions, &rows, &places, cuts[1], Some(leaf_rows)),
                swept_with::<i32>(instructions, &rows, &places, cuts[1], Some(leaf_rows)),
                swept_with::<i64>(instructions, &rows, &places, cuts[1], Some(leaf_rows)),
            ];
            prop_assert_eq!(swept, [expected; 3]);
        }
    }

    #[test]
    fn all_levels_compute_the_weight_that_goes_left(
        rows in prop::collection::vec((0i16..99, 1i16..99), 0..200), left in 0i16..99,
    ) {
        let (places, weights): (Vec<i16>, Vec<i16>) = rows.iter().copied().unzip();
        let expected: i16 = rows.iter().filter(|row| row.0 < left).map(|row| row.1).sum();
        for instructions in InstructionSet::available() {
            let mut weight = 0;
            weigh(instructions, &places, &weights, left, &mut weight);
            prop_assert_eq!(weight, expected);
        }
    }
}

#[test]
fn all_levels_compute_the_contributions_of_items_to_the_difference_of_two_classes() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    for _ in 0..200 {
        // No multiple of seven, so that each item comes once in the order of `stepped`.
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
            for instructions in InstructionSet::available() {
                for mut found in [
                    stepped::<i16>(instructions, &weights, ends, plain),
                    stepped::<i32>(instructions, &weights, ends, plain),
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
    let maximum = i16::MAX as i64 - 1;
    // All weight on one item, first or last, with blocks that end no value before it.
    for (step, heavy) in [(maximum, 0), (-maximum, 0), (maximum, 69), (-maximum, 69)] {
        let rows: RandomSweepRows =
            (0..70).map(|at| (at as u32 / 9, at, if at == heavy { step } else { 0 })).collect();
        let places: Vec<i64> = (0..71).collect();
        for left in [0, 1, 35, 69, 70] {
            for instructions in InstructionSet::available() {
                let expected = naive(&rows, &places, left);
                assert_eq!(swept::<i16>(instructions, &rows, &places, left), expected);
            }
        }
    }
}
