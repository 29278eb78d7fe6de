//! The largest number of features in which two examples of different classes
//! differ: δ_max of Ordyniak and Szeider (AAAI 2021).
//!
//! Every row is compared with blocks of rows, so that one machine instruction compares one feature
//! of many pairs. The *spread* of a row is the number of features in which it differs from the most
//! frequent values; rows of large spread come first. Two rows of spread a and b differ in at most
//! min(a + b, d) features. For a block, b is the spread of its first row, the largest in the block.
//! Rows are compared with it in order; once the largest difference found reaches the bound of a
//! row, this row and all later rows are pruned for this block.

use rustc_hash::{FxHashMap, FxHashSet};

/// Number of rows of a block. With this many rows, fifty features of two bytes fit into the L1
/// cache.
const LANES: usize = 256;

/// Number of comparisons of two values between two calls of `check`: some milliseconds.
const CHECK_INTERVAL: usize = 1 << 24;

/// Returns the largest number of features in which two rows of different
/// labels differ; 0 when no two labels differ.
///
/// `codes` holds `labels.len()` rows one after the other; values of a feature are equal if and only
/// if their codes are. `check` is called every few milliseconds; an error ends the search, and the
/// number returned is the largest found so far.
pub fn largest_difference<E>(
    codes: &[u32],
    labels: &[u32],
    mut check: impl FnMut() -> Result<(), E>,
) -> (u32, Result<(), E>) {
    if labels.windows(2).all(|pair| pair[0] == pair[1]) {
        return (0, Ok(()));
    }
    let rows = match distinct_rows(codes, labels, &mut check) {
        Ok(rows) => rows,
        Err(stopped) => return (0, Err(stopped)),
    };
    // Labels and counts use lanes of the same width as codes.
    let greatest = rows.codes.iter().chain(&rows.labels).copied().max().unwrap_or(0);
    let greatest = greatest.max(rows.features as u32);
    let (found, ended) = if greatest <= u32::from(u8::MAX) {
        compare::<u8, LANES, E>(&rows, &mut check)
    } else if greatest <= u32::from(u16::MAX) {
        compare::<u16, LANES, E>(&rows, &mut check)
    } else {
        compare::<u32, LANES, E>(&rows, &mut check)
    };
    (found.largest, ended)
}

/// Distinct rows without constant features, by decreasing spread.
struct DistinctRows {
    features: usize,
    codes: Vec<u32>,
    labels: Vec<u32>,
    /// By row, the number of features in which it differs from the most frequent values.
    spread: Vec<u32>,
}

fn distinct_rows<E>(
    codes: &[u32],
    labels: &[u32],
    check: &mut impl FnMut() -> Result<(), E>,
) -> Result<DistinctRows, E> {
    let width = codes.len() / labels.len();
    let row = |at: usize| &codes[at * width..(at + 1) * width];
    let mut seen = FxHashSet::default();
    let mut kept: Vec<usize> = Vec::new();
    for (at, &label) in labels.iter().enumerate() {
        if at % 4096 == 0 {
            check()?;
        }
        if seen.insert((row(at), label)) {
            kept.push(at);
        }
    }
    let mut common = Vec::new();
    for feature in 0..width {
        check()?;
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for &at in &kept {
            *counts.entry(row(at)[feature]).or_default() += 1;
        }
        if counts.len() > 1 {
            // Ties go to the smallest code, so that every run is the same.
            let maximum = counts.iter().max_by_key(|&(&code, &count)| (count, u32::MAX - code));
            common.extend(maximum.map(|(&code, _)| (feature, code)));
        }
    }
    let spread = |at: &usize| common.iter().filter(|&&(f, code)| row(*at)[f] != code).count();
    let mut ordered: Vec<(usize, usize)> = kept.iter().map(|at| (spread(at), *at)).collect();
    ordered.sort_by_key(|&(spread, _)| std::cmp::Reverse(spread));
    Ok(DistinctRows {
        features: common.len(),
        codes: ordered
            .iter()
            .flat_map(|&(_, at)| common.iter().map(move |c| row(at)[c.0]))
            .collect(),
        labels: ordered.iter().map(|&(_, at)| labels[at]).collect(),
        spread: ordered.iter().map(|&(spread, _)| spread as u32).collect(),
    })
}

/// The largest difference, and the number of comparisons of a row with a block.
#[derive(Debug, Default)]
struct LargestPair {
    largest: u32,
    compared: usize,
}

fn compare<T: CompareLane, const WIDTH: usize, E>(
    rows: &DistinctRows,
    check: &mut impl FnMut() -> Result<(), E>,
) -> (LargestPair, Result<(), E>) {
    let codes: Vec<T> = rows.codes.iter().map(|&code| T::narrow(code)).collect();
    let mut block: Vec<[T; WIDTH]> = vec![[T::default(); WIDTH]; rows.features];
    let mut found = LargestPair::default();
    let mut since_check = 0;
    for start in (0..rows.labels.len()).step_by(WIDTH) {
        // The last block is filled up with the last row; comparing a pair twice does no harm.
        let row_of = |lane: usize| (start + lane).min(rows.labels.len() - 1);
        for (feature, column) in block.iter_mut().enumerate() {
            *column = std::array::from_fn(|lane| codes[row_of(lane) * rows.features + feature]);
        }
        let labels: [T; WIDTH] = std::array::from_fn(|lane| T::narrow(rows.labels[row_of(lane)]));
        for at in 0..(start + WIDTH).min(rows.labels.len()) {
            let max_difference = (rows.spread[at] + rows.spread[start]).min(rows.features as u32);
            if max_difference <= found.largest {
                break; // Later rows have no larger spread.
            }
            let row = &codes[at * rows.features..(at + 1) * rows.features];
            let maximum = largest_in_block(row, T::narrow(rows.labels[at]), &block, &labels);
            found.largest = found.largest.max(maximum.into());
            found.compared += 1;
            since_check += WIDTH * (rows.features + 1);
            if since_check >= CHECK_INTERVAL {
                since_check = 0;
                if let Err(stopped) = check() {
                    return (found, Err(stopped));
                }
            }
        }
    }
    (found, Ok(()))
}

/// Returns the largest difference between a row and the rows of a block with another label. The
/// loops over lanes are simple enough for the compiler to vectorize.
#[inline]
fn largest_in_block<T: CompareLane, const WIDTH: usize>(
    row: &[T],
    label: T,
    block: &[[T; WIDTH]],
    labels: &[T; WIDTH],
) -> T {
    let mut counts = [T::default(); WIDTH];
    for (code, column) in row.iter().zip(block) {
        for (count, other) in counts.iter_mut().zip(column) {
            *count = count.plus(other != code);
        }
    }
    let of_lanes = counts.iter().zip(labels);
    of_lanes.fold(T::default(), |maximum, (&count, other)| {
        let counted = if *other != label { count } else { T::default() };
        maximum.max(counted)
    })
}

/// An unsigned integer that codes, labels and counts fit into.
trait CompareLane: Copy + Default + Ord + Into<u32> {
    /// Converts a number that must fit.
    fn narrow(number: u32) -> Self;
    /// Adds one if the flag is set.
    fn plus(self, differs: bool) -> Self;
}

macro_rules! lane {
    ($($kind:ty),*) => {$(
        impl CompareLane for $kind {
            fn narrow(number: u32) -> Self {
                number as $kind
            }
            fn plus(self, differs: bool) -> Self {
                self.wrapping_add(differs as $kind)
            }
        }
    )*};
}
lane!(u8, u16, u32);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    type RandomRows = (Vec<Vec<u32>>, Vec<u32>);

    fn naive((rows, labels): &RandomRows) -> u32 {
        let mut largest = 0;
        for (a, row) in rows.iter().enumerate() {
            for (b, other) in rows.iter().enumerate() {
                if labels[a] != labels[b] {
                    let differing = row.iter().zip(other).filter(|(x, y)| x != y).count();
                    largest = largest.max(differing as u32);
                }
            }
        }
        largest
    }

    fn never_stop() -> Result<(), Infallible> {
        Ok(())
    }

    fn fast((rows, labels): &RandomRows) -> u32 {
        largest_difference(&rows.concat(), labels, never_stop).0
    }

    /// Compares in narrow blocks, so that small tables fill several of them.
    fn in_blocks<T: CompareLane>((rows, labels): &RandomRows) -> LargestPair {
        let rows =
            distinct_rows(&rows.concat(), labels, &mut never_stop).expect("nothing stops it");
        compare::<T, 4, Infallible>(&rows, &mut never_stop).0
    }

    /// Tables with ties, rare values, constant features and equal rows.
    fn tables() -> impl Strategy<Value = RandomRows> {
        (1usize..30, 0usize..9, 1u32..5, 1u32..4).prop_flat_map(|(n, d, values, classes)| {
            let value = prop_oneof![3 => Just(0), 1 => 0..values];
            let row = proptest::collection::vec(value, d);
            (proptest::collection::vec(row, n), proptest::collection::vec(0..classes, n))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn agrees_with_the_naive_count(table in tables()) {
            let expected = naive(&table);
            prop_assert_eq!(fast(&table), expected);
            prop_assert_eq!(in_blocks::<u8>(&table).largest, expected);
            prop_assert_eq!(in_blocks::<u32>(&table).largest, expected);
        }

        #[test]
        fn large_codes_and_labels_agree_with_the_naive_count(table in tables(), code_factor in 1u32..1_000_000, label_factor in 1u32..100_000) {
            let (mut rows, mut labels) = table.clone();
            rows.iter_mut().flatten().for_each(|code| *code *= code_factor);
            labels.iter_mut().for_each(|label| *label *= label_factor);
            prop_assert_eq!(fast(&(rows, labels)), naive(&table));
        }
    }

    #[test]
    fn differences_in_more_features_than_fit_a_lane_are_counted() {
        for features in [255, 256, 300, 65_535, 65_536] {
            let table = (vec![vec![0; features], vec![1; features]], vec![0, 1]);
            assert_eq!(fast(&table), features as u32);
        }
    }

    #[test]
    fn several_whole_blocks_agree_with_the_naive_count() {
        let mut rng = fastrand::Rng::with_seed(7);
        let rows = (0..700).map(|_| (0..12).map(|_| rng.u32(0..3)).collect()).collect();
        // A rare class, so that the largest difference is not found at once.
        let labels = (0..700).map(|_| u32::from(rng.u32(0..200) == 0)).collect();
        let table = (rows, labels);
        assert_eq!(fast(&table), naive(&table));
    }

    #[test]
    fn pairs_that_cannot_be_larger_are_pruned() {
        // Every row has two ones, so two rows differ in at most 4 of 40 features.
        let row = |a: usize, b: usize| (0..40).map(|f| u32::from(f == a || f == b)).collect();
        let rows: Vec<Vec<u32>> = (0..400).map(|at| row(at % 20, 20 + at / 20)).collect();
        let table = (rows, (0..400).map(|at| at % 2).collect());
        let found = in_blocks::<u8>(&table);
        assert_eq!(found.largest, naive(&table));
        assert!(found.compared < 400, "{found:?} of 400 * 100 at most");
    }

    #[test]
    fn an_error_of_the_check_ends_the_search() {
        let rows: Vec<u32> = (0..3000 * 8).map(|at| (at * 7919) % 13 % 2).collect();
        let labels: Vec<u32> = (0..3000).map(|at| at % 2).collect();
        assert_eq!(largest_difference(&rows, &labels, || Err("stop")), (0, Err("stop")));
        // The largest difference found until then is a lower bound.
        let (whole, _) = largest_difference(&rows, &labels, || Ok::<(), &str>(()));
        for patience in 1..40 {
            let mut calls = 0;
            let (found, ended) = largest_difference(&rows, &labels, || {
                calls += 1;
                if calls > patience { Err("stop") } else { Ok(()) }
            });
            assert!(found <= whole && (ended.is_err() || found == whole));
        }
    }

    #[test]
    fn without_two_classes_or_features_the_difference_is_zero() {
        assert_eq!(fast(&(vec![vec![0], vec![1]], vec![3, 3])), 0);
        assert_eq!(fast(&(vec![vec![], vec![]], vec![0, 1])), 0);
        assert_eq!(fast(&(vec![], vec![])), 0);
    }
}
