//! Compares the stumps of children with their definition.

use super::{LeastErrors, Stumps};
use crate::rows::{splits_of, Rows};
use crate::table::{Examples, Table};

/// The least errors by trying every stump, with enough of some rows on both sides.
fn definition(table: &Table, rows: &[usize], counted: &[usize], minimum: u64) -> LeastErrors {
    let leaf = |rows: &[usize]| {
        let predicted =
            |class: usize| rows.iter().map(|&row| table.errors(row, class)).sum::<u64>();
        (0..table.costs.predictions).map(predicted).min().expect("a class")
    };
    let mut stump = leaf(rows);
    for ranks in &table.ranks {
        for &threshold in ranks {
            let on_left = |rows: &[usize]| -> (Vec<usize>, Vec<usize>) {
                rows.iter().partition(|&&row| ranks[row] <= threshold)
            };
            let ((left, right), (below, above)) = (on_left(rows), on_left(counted));
            if below.len().min(above.len()) as u64 >= minimum {
                stump = stump.min(leaf(&left) + leaf(&right));
            }
        }
    }
    LeastErrors { leaf: leaf(rows), stump }
}

#[test]
fn stumps_of_children_are_those_of_the_definition() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    for _ in 0..1_500 {
        let (rows, n_classes) = (1 + random(14) as usize, 1 + random(4));
        let (values, heavy) = (1 + random(12), [1, 9, 1 << 20, 1 << 40][random(4) as usize]);
        let columns: Vec<Vec<f64>> =
            (0..3).map(|_| (0..rows).map(|_| random(values) as f64).collect()).collect();
        let labels: Vec<u32> = (0..rows).map(|_| random(n_classes) as u32).collect();
        let weights: Vec<u64> = (0..rows).map(|_| 1 + random(heavy)).collect();
        let examples = Examples { columns, labels, weights, weight_scale: 1 };
        // Half of the tables have costs of classes; the diagonal may cost something, too.
        let distinct = examples.labels.iter().collect::<std::collections::BTreeSet<_>>().len();
        let costs: Vec<u64> =
            (0..distinct * (distinct + random(2) as usize)).map(|_| random(4)).collect();
        let costs = if random(2) == 0 { None } else { Some(&costs[..]) };
        let table = Table::new(&examples, "nnn", costs).expect("a table");
        let minimum = [0, 1, 2, 3, u64::MAX - 1][random(5) as usize];
        let (inner, outer) = (random(1 << rows), random(1 << rows));
        let outer = if minimum == 0 { inner } else { outer };
        let sets = [[inner], [outer]];
        let both = Rows { inner: &sets[0], outer: &sets[1], minimum };
        let stumps = Stumps::new(&table, both);
        let of = |inner_holds: &dyn Fn(usize) -> bool, outer_holds: &dyn Fn(usize) -> bool| {
            let of = |set: u64, holds: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..rows).filter(|&row| set >> row & 1 == 1 && holds(row)).collect()
            };
            definition(&table, &of(inner, inner_holds), &of(outer, outer_holds), minimum)
        };
        assert_eq!(stumps.whole(), of(&|_| true, &|_| true));
        let mut thresholds: Vec<u32> = (0..table.values[1]).collect();
        thresholds.extend_from_within(..random(table.values[1].into()) as usize);
        thresholds.sort_unstable();
        let children = stumps.children(1, &thresholds, &splits_of(&table, both, 1));
        for (at, found) in children.into_iter().enumerate() {
            let ranks = &table.ranks[1];
            let left = |row: usize| ranks[row] <= thresholds[at];
            let is_below = |row: usize| thresholds.get(at + 1).map_or(true, |t| ranks[row] <= *t);
            let is_above = |row: usize| at == 0 || ranks[row] > thresholds[at - 1];
            let expected = [of(&left, &is_below), of(&|row| !left(row), &is_above)];
            assert_eq!(found, expected);
        }
    }
}
