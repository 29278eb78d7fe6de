//! The kernel against plain enumeration, on every instruction set that the processor has.

use super::gains::gain;
use super::*;
use crate::kernels::InstructionSet;
use crate::support::random_weights;

/// Random items and chains of columns, and a scale such that sums are below 2^59 and savings below
/// 2^51, as in `costs/squared_error.rs`.
fn rows(random: &mut fastrand::Rng) -> (ChainRows, LeafSavings) {
    let chains: Vec<u32> = (0..random.usize(1..9)).map(|_| random.u32(1..4)).collect();
    let mut rows =
        ChainRows { columns: chains.iter().sum::<u32>() as usize, ..ChainRows::default() };
    for &columns in &chains {
        rows.chained.extend((1..=columns).map(|column| column < columns));
    }
    let mut cells = vec![Vec::new(); rows.columns];
    let items = random.usize(1..40);
    let weights = random_weights::weights(random, items, 62);
    let light = weights.iter().sum::<u64>() < 1 << 20;
    let total = 2f64.powi(if light { 24 } else { 58 }) / weights.iter().sum::<u64>() as f64;
    let mut squares = 0.0;
    for (item, &weight) in (0..).zip(&weights) {
        let sum = (weight as f64 * total * (2.0 * random.f64() - 1.0)) as i64;
        squares += sum as f64 * sum as f64 / weight as f64;
        let held = WeightedSum { sum, weight: weight as i64 };
        rows.items.push(held);
        rows.all += held;
        let mut first = 0;
        for &columns in &chains {
            let last = random.u32(0..=columns);
            if last > 0 {
                let column = first + last - 1;
                rows.holders.push(column);
                let next = rows.holders.len() as u32;
                cells[column as usize].push(ChainEntry { item, next });
            }
            first += columns;
        }
        rows.ends.push(rows.holders.len() as u32);
    }
    for cell in cells {
        rows.entries.extend(cell);
        rows.entry_ends.push(rows.entries.len() as u32);
    }
    rows.spread();
    let scale = 2f64.powi(50 - squares.max(1.0).log2().ceil() as i32);
    (rows, LeafSavings { scale, minimum: random.choice([1, 2, 3, weights[0] as i64]).unwrap_or(1) })
}

/// Whether a column holds an item.
fn holds(rows: &ChainRows, column: usize, item: usize) -> bool {
    let first = if item == 0 { 0 } else { rows.ends[item - 1] as usize };
    let listed = &rows.holders[first..rows.ends[item] as usize];
    let mut at = column;
    while !listed.contains(&(at as u32)) {
        if !rows.chained[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Savings of the best tree within some nodes and levels, for some items.
fn best(
    rows: &ChainRows,
    items: &[usize],
    nodes: usize,
    levels: u32,
    leaf_savings: &LeafSavings,
) -> i64 {
    let sum = items.iter().map(|&item| rows.items[item].sum).sum();
    let weight = items.iter().map(|&item| rows.items[item].weight).sum();
    let mut maximum = gain(sum, weight, leaf_savings) as i64;
    for column in (0..rows.columns).filter(|_| nodes > 0 && levels > 0) {
        let (held, rest): (Vec<usize>, Vec<usize>) =
            items.iter().partition(|&&item| holds(rows, column, item));
        for share in 0..nodes {
            let one = best(rows, &held, share, levels - 1, leaf_savings);
            let other = best(rows, &rest, nodes - 1 - share, levels - 1, leaf_savings);
            maximum = maximum.max(if one.min(other) < 0 { -1 } else { one + other });
        }
    }
    maximum
}

#[test]
fn all_levels_find_what_plain_enumeration_finds() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    for _ in 0..150 {
        let (rows, leaf_savings) = rows(&mut random);
        let column = random.usize(0..rows.columns);
        let children = [false, true].map(|child| -> Vec<usize> {
            (0..rows.items.len()).filter(|&item| holds(&rows, column, item) == child).collect()
        });
        for instructions in InstructionSet::available() {
            let (mut two, mut three) = (Savings::default(), Savings::default());
            save::<false>(instructions, &rows, &leaf_savings, &|| false, &mut two);
            assert!(two.complete);
            save::<true>(instructions, &rows, &leaf_savings, &|| false, &mut three);
            assert!(three.complete);
            for (child, items) in children.iter().enumerate() {
                for nodes in 0..4 {
                    let maximum = best(&rows, items, nodes, 2, &leaf_savings).max(-1);
                    assert_eq!(three.savings(nodes, child == 1, column).max(-1), maximum);
                    if nodes < 2 {
                        assert_eq!(two.savings(nodes, child == 1, column).max(-1), maximum);
                    }
                }
            }
        }
    }
}

#[test]
fn a_count_that_is_stopped_is_not_complete() {
    let columns = COLUMNS_TO_POLL;
    let rows = ChainRows {
        columns,
        chained: vec![false; columns],
        entry_ends: vec![0; columns],
        ..ChainRows::default()
    };
    let leaf_savings = LeafSavings { scale: 1.0, minimum: 1 };
    for stopped in [false, true] {
        let mut savings = Savings::default();
        save::<false>(InstructionSet::Portable, &rows, &leaf_savings, &|| stopped, &mut savings);
        assert_eq!(savings.complete, !stopped);
    }
}
