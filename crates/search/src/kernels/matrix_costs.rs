//! The minimum cost of a stump for a cost matrix.
//!
//! A leaf costs the minimum over the classes that it may predict; with a class predicted, its cost
//! is a sum over its rows. So the costs of left leaves are minima of prefix sums, those of right
//! leaves minima of what the prefix sums leave of the totals. All are exact integers: the caller's
//! costs of all rows with any prediction are below 2^62.

use super::class_rows::{BLOCK, ClassRows, class, only_allowed};
use super::gains::Thresholds;
use super::multiversion;

/// A cost above all others.
const NONE: i64 = i64::MAX;

/// The costs of the rows up to every place of a block, by their class, given the cost before the
/// block; returns the cost after it.
#[inline(always)]
fn costs_up_to<const PLAIN: bool>(
    rows: &ClassRows<'_>,
    by_class: &[i64],
    before: i64,
    found: &mut [i64; BLOCK],
) -> i64 {
    let ranked = &rows.ranked[..rows.ranked.len().min(BLOCK)];
    let weights = if PLAIN { &[][..] } else { &rows.weights[..ranked.len()] };
    let mut sum = before;
    for at in 0..ranked.len() {
        sum += by_class[class(ranked[at])] * if PLAIN { 1 } else { weights[at] };
        found[at] = sum;
    }
    sum
}

#[inline(always)]
fn body<const PLAIN: bool>(
    by_class: &[Vec<u64>],
    rows: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
    minimum: &mut Option<u64>,
) {
    let predicted = |label: usize| by_class.iter().map(move |row| row[label] as i64);
    let columns: Vec<Vec<i64>> =
        (0..by_class.len()).map(|label| predicted(label).collect()).collect();
    let all: Vec<i64> = (0..by_class.len())
        .map(|label| predicted(label).zip(totals).map(|(cost, total)| cost * total).sum())
        .collect();
    let (mut before, mut lowest) = (vec![0; by_class.len()], NONE);
    for begin in (0..rows.ranked.len().saturating_sub(1)).step_by(BLOCK) {
        let rows = rows.from(begin);
        let (mut left, mut right) = ([NONE; BLOCK], [NONE; BLOCK]);
        for label in 0..by_class.len() {
            let mut sums = [0; BLOCK];
            before[label] = costs_up_to::<PLAIN>(&rows, &columns[label], before[label], &mut sums);
            for at in 0..BLOCK {
                left[at] = left[at].min(sums[at]);
                right[at] = right[at].min(all[label] - sums[at]);
            }
        }
        for at in 0..BLOCK {
            left[at] += right[at];
        }
        lowest = lowest.min(only_allowed(allowed, rows.ranked, &mut left, NONE));
    }
    *minimum = (lowest < NONE).then_some(lowest as u64);
}

multiversion! {
    fn minimum_of<; const PLAIN: bool>(
        by_class: &[Vec<u64>],
        rows: &ClassRows<'_>,
        totals: &[i64],
        allowed: Thresholds,
        minimum: &mut Option<u64>,
    ) = body
}

/// The minimum cost of a stump of a child with these rows in the order of a feature, and these
/// class weights; `by_class` has the cost of a unit of weight by true and by predicted class.
/// `None` if no threshold is allowed.
pub(crate) fn min_matrix_cost(
    instructions: super::InstructionSet,
    by_class: &[Vec<u64>],
    rows: &ClassRows<'_>,
    totals: &[i64],
    allowed: Thresholds,
) -> Option<u64> {
    let mut minimum = None;
    match rows.weights.is_empty() {
        true => minimum_of::<true>(instructions, by_class, rows, totals, allowed, &mut minimum),
        false => minimum_of::<false>(instructions, by_class, rows, totals, allowed, &mut minimum),
    }
    minimum
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::super::class_rows::rank;
    use super::super::class_rows::tests::{class_weights, draw};
    use super::*;

    #[test]
    fn all_levels_find_the_cheapest_stump() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        let mut found = 0;
        for _ in 0..300 {
            let classes = random.u32(1..6);
            let row = |_| (0..classes).map(|_| random.u64(0..500)).collect();
            let by_class: Vec<Vec<u64>> = (0..classes).map(row).collect();
            let (ranked, weights, allowed) = draw(&mut random, classes, 50);
            let rows = ClassRows { ranked: &ranked, weights: &weights };
            let leaf = |weights: &[i64]| -> u64 {
                let cost = |label: usize| -> u64 {
                    let costs = by_class.iter().zip(weights);
                    costs.map(|(row, &weight)| row[label] * weight as u64).sum()
                };
                (0..by_class.len()).map(cost).min().unwrap_or(0)
            };
            let stump = |at: usize| {
                let left = class_weights(&rows, 0, at, classes);
                leaf(&left) + leaf(&class_weights(&rows, at, ranked.len(), classes))
            };
            let is_open = |at: &usize| allowed.separate(rank(ranked[at - 1]), rank(ranked[*at]));
            let expected = (1..ranked.len()).filter(is_open).map(stump).min();
            let totals = class_weights(&rows, 0, ranked.len(), classes);
            for instructions in InstructionSet::available() {
                assert_eq!(
                    min_matrix_cost(instructions, &by_class, &rows, &totals, allowed),
                    expected
                );
            }
            found += u32::from(expected.is_some());
        }
        assert!(found > 100, "{found}");
    }
}
